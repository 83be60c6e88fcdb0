"""The session's `dp.*` settings: text from the front -> validated values."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError, InvalidPrivacySetting, InvalidSettingValue, UndefinedSetting
from dpproxy.plan.error_bars import LEAST_CONFIDENCE, MOST_CONFIDENCE, USUAL_CONFIDENCE
from dpproxy.plan.session_settings import MEANINGS
from dpproxy.plan.settings import Mechanism, Settings, Target
from dpproxy.rewrite.weights_setting import read_weights

DEFAULT_EPSILON = Decimal("0.1")
NAMES = tuple(MEANINGS)
_LARGEST_COUNT = 1_000_000
_FEWEST_BLOCKS, _MOST_BLOCKS = 2, 10_000


def read_settings(raw: Mapping[str, str | None], terms: Terms) -> Settings:
    """Validated settings from `current_setting('dp.<name>', true)` for each name of `NAMES`; None and '' mean unset.

    Raises InvalidPrivacySetting for a value that is no number, out of range, or not allowed by the account.
    """
    given = {name: value.strip() for name, value in raw.items() if value is not None and value.strip()}
    unknown = [name for name in given if name not in NAMES]
    if unknown:
        raise InvalidPrivacySetting(
            f'unknown setting "dp.{unknown[0]}"', hint="The settings are dp." + ", dp.".join(NAMES) + "."
        )
    return Settings(
        epsilon=_epsilon(given.get("epsilon"), terms),
        delta=_delta(given.get("delta"), terms),
        max_groups=_count("max_groups_per_unit", given.get("max_groups_per_unit")),
        max_rows=_count("max_rows_per_unit", given.get("max_rows_per_unit")),
        mechanism=_mechanism(given.get("mechanism"), terms),
        fresh=_switch("fresh", given.get("fresh")),
        nonnegative=_switch("nonnegative", given.get("nonnegative")),
        blocks=_blocks(given.get("blocks")),
        weights=read_weights(given.get("weights") or ""),
        confidence=_confidence(given.get("confidence")),
        error_columns=_switch("error_columns", given.get("error_columns")),
        target=_target(given.get("target_half_width")),
    )


def setting_fault(name: str, text: str | None, terms: Terms) -> DPProxyError | None:
    """Why a session may not set `dp.<name>` to a text, in Postgres's own codes; None if it may. text: None where nobody
    knows it yet."""
    if name not in NAMES:
        near = get_close_matches(name, NAMES, 1)
        others = "The settings are dp." + ", dp.".join(NAMES) + "."
        return UndefinedSetting(
            f'unrecognized configuration parameter "dp.{name}"',
            hint=f"Perhaps you meant dp.{near[0]}. {others}" if near else others,
        )
    try:
        read_settings({name: text}, terms)
    except InvalidPrivacySetting as fault:
        return InvalidSettingValue(fault.message, hint=fault.hint)
    return None


def _epsilon(text: str | None, terms: Terms) -> Decimal:
    epsilon = min(DEFAULT_EPSILON, terms.max_epsilon) if text is None else _number("epsilon", text)
    if not Decimal("1e-12") <= epsilon <= terms.max_epsilon:
        raise InvalidPrivacySetting(
            f"dp.epsilon must be at least 1e-12 and at most {_short(terms.max_epsilon)}, not {text}",
            hint=f"Write SET dp.epsilon = {_short(min(DEFAULT_EPSILON, terms.max_epsilon))}.",
        )
    return epsilon


def _short(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _delta(text: str | None, terms: Terms) -> Decimal | None:
    if text is None:
        return None
    delta = _number("delta", text)
    if not 0 <= delta < 1 or 0 < delta < Decimal("1e-30"):
        raise InvalidPrivacySetting(
            f"dp.delta must be 0, or at least 1e-30 and below 1, not {text}",
            hint=f"The whole budget of this account holds delta {_short(terms.delta)}.",
        )
    return delta


def _number(name: str, text: str, example: str = "0.1") -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if len(text) > 60 or not number.is_finite() or abs(number.adjusted()) > 300:
        raise InvalidPrivacySetting(
            f"dp.{name} must be a number, not {text[:60]!r}", hint=f"Write SET dp.{name} = {example}."
        )
    return number


def _count(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 7 and 1 <= int(text) <= _LARGEST_COUNT):
        raise InvalidPrivacySetting(
            f"dp.{name} must be an integer from 1 to {_LARGEST_COUNT}, not {text[:60]!r}",
            hint=f"Write SET dp.{name} = 8, or RESET dp.{name} for the policy's own.",
        )
    return int(text)


def _blocks(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and _FEWEST_BLOCKS <= int(text) <= _MOST_BLOCKS):
        raise InvalidPrivacySetting(
            f"dp.blocks must be an integer from {_FEWEST_BLOCKS} to {_MOST_BLOCKS}, not {text[:60]!r}",
            hint="Write SET dp.blocks = 200, or RESET dp.blocks for a number that follows from dp.epsilon.",
        )
    return int(text)


def _confidence(text: str | None) -> Decimal:
    """A share, or so many of a hundred: 0.95 and 95 % are one."""
    if text is None:
        return USUAL_CONFIDENCE
    share = _number("confidence", text.removesuffix("%").rstrip(), "0.95") / (100 if text.endswith("%") else 1)
    if not LEAST_CONFIDENCE <= share <= MOST_CONFIDENCE:
        raise InvalidPrivacySetting(
            f"dp.confidence must be at least {LEAST_CONFIDENCE} and at most {MOST_CONFIDENCE}, not {text[:60]}",
            hint="Write SET dp.confidence = 0.95.",
        )
    return share


def _target(text: str | None) -> Target | None:
    """A number, or so many of a hundred of what is told."""
    if text is None:
        return None
    relative = text.endswith("%")
    amount = _number("target_half_width", text.removesuffix("%").rstrip(), "'5 %'") / (100 if relative else 1)
    if not Decimal("1e-9") <= amount <= Decimal("1e18"):
        raise InvalidPrivacySetting(
            f"dp.target_half_width must be above 0, not {text[:60]}",
            hint="Write SET dp.target_half_width = 50, SET dp.target_half_width = '5 %', or RESET it.",
        )
    return Target(amount, relative)


def _mechanism(text: str | None, terms: Terms) -> Mechanism:
    try:
        mechanism = Mechanism((text or "auto").lower())
    except ValueError:
        raise InvalidPrivacySetting(
            f"dp.mechanism must be auto, laplace, gaussian or sample_aggregate, not {(text or '')[:60]!r}",
            hint="Write SET dp.mechanism = auto.",
        ) from None
    if mechanism is Mechanism.GAUSSIAN and terms.accounting is Accounting.PURE:
        raise InvalidPrivacySetting(
            "dp.mechanism = gaussian needs zcdp accounting, and this proxy's is pure",
            hint="Write SET dp.mechanism = laplace.",
        )
    return mechanism


def _switch(name: str, text: str | None) -> bool:
    match (text or "off").lower():
        case "on" | "true" | "1" | "yes":
            return True
        case "off" | "false" | "0" | "no":
            return False
        case other:
            raise InvalidPrivacySetting(
                f"dp.{name} must be on or off, not {other[:60]!r}", hint=f"Write SET dp.{name} = off."
            )
