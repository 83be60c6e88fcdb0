"""The pictures of docs/mechanisms.md: each mechanism's error beside the others', over ε and over how much there is.

Errors are measured: the mechanisms of the package draw, many times over, on data of which the truth is known. Where a
mechanism's error does not depend on data, it is what the mechanism says of itself. Data are the same in each run, and
noise is not: curves move a little from run to run.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from rich.progress import track

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm, clipped_noise
from dpproxy.mechanisms.histograms import Histograms
from dpproxy.mechanisms.kinds import Spread
from dpproxy.mechanisms.noise import Noise, add_noise, gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.noisy_max import noisy_max
from dpproxy.mechanisms.quantile_choice import QuantileChoice, quantile_choice
from dpproxy.mechanisms.quantile_tree import QuantileTree, quantile_tree
from dpproxy.mechanisms.ranks import rank_of
from dpproxy.mechanisms.selection import Selection, gaussian_selection, laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import Norm, spread_gaussian, weight
from dpproxy.mechanisms.truncated_selection import truncated_laplace

PURE, ZCDP = Accounting.PURE, Accounting.ZCDP
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_DELTA = Decimal("1e-6")
_SEED = 20261124
_BUCKETS = 4096
_GRID = 0.01  # of the values that are summed

Line = Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One pair of axes, with a line for each mechanism. Both axes are logarithmic."""

    x: str
    y: str
    over: Line
    lines: Mapping[str, Line]


def draw(directory: Path, tries: int) -> Iterable[str]:
    """Draw all pictures into the directory, with so many tries for each point; a line for each."""
    mpl.rcParams.update({"svg.hashsalt": "dpproxy", "svg.fonttype": "none", "font.size": 9})
    pictures: Mapping[str, Callable[[int], Sequence[Panel]]] = {
        "noise": noise, "clip": clip, "keys": keys, "choice": choice, "quantiles": quantiles
    }  # fmt: skip
    for name, panels in track(pictures.items(), description="pictures"):
        path = directory / f"{name}.svg"
        drawn(panels(tries), path)
        yield f"{path}: drawn, {tries} tries for each point"


def drawn(panels: Sequence[Panel], path: Path) -> None:
    """Draw panels side by side, all of which have the lines of the first, into a file."""
    figure = Figure(figsize=(4.4 * len(panels), 3.6), layout="constrained", facecolor="white")
    for at, panel in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), at)
        found = [
            axes.plot(panel.over, line, marker=mark, markersize=4, linewidth=1.3)[0]
            for line, mark in zip(panel.lines.values(), "osD^v", strict=False)
        ]
        if at == 1:  # the others have the same lines
            figure.legend(found, list(panel.lines), loc="outside lower center", ncols=2, frameon=False, fontsize=8)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(panel.x)
        axes.set_ylabel(panel.y)
        axes.grid(True, which="major", alpha=0.3)
    FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None})


def _rho(epsilon: float) -> Decimal:
    """What a statement of ε costs under zCDP."""
    return Decimal(str(epsilon)) ** 2 / 2


def _epsilon(epsilon: float) -> Decimal:
    return Decimal(str(epsilon))


# Numbers: a count, of which one unit is in several keys


def noise(tries: int) -> Sequence[Panel]:
    """Half of the central 95 % of each key's noise."""
    del tries
    many = (1, 2, 5, 10, 20, 50, 100, 500)
    ways = {
        "Laplace, pure": lambda e, n: laplace(Sensitivity(n, 1), _epsilon(e)),
        "Laplace, zCDP": lambda e, n: laplace_for_rho(Sensitivity(n, 1), _rho(e)),
        "Gaussian, zCDP": lambda e, n: gaussian(Sensitivity(n, 1), _rho(e)),
    }
    return (
        Panel(
            "keys of a unit (ε = 1)", "±, in units", many, {k: [_width(w(1, n)) for n in many] for k, w in ways.items()}
        ),
        Panel(
            "ε (ten keys)", "±, in units", EPSILONS, {k: [_width(w(e, 10)) for e in EPSILONS] for k, w in ways.items()}
        ),
    )


def _width(noise: Noise) -> float:
    return noise.error.half_width


# A clip: a sum of values with a heavy tail, of units that have one row each


def clip(tries: int) -> Sequence[Panel]:
    """The root of the mean square of the sum's relative error."""
    sizes = (1_000, 3_000, 10_000, 30_000, 100_000)
    over_e = [_clips(10_000, e, tries) for e in EPSILONS]
    over_n = [_clips(n, 1.0, tries) for n in sizes]
    return (
        Panel("ε (10,000 units)", "relative error", EPSILONS, _lines(over_e)),
        Panel("units (ε = 1)", "relative error", sizes, _lines(over_n)),
    )


def _lines(points: Sequence[Mapping[str, float]]) -> Mapping[str, Line]:
    return {name: [point[name] for point in points] for name in points[0]}


def _clips(units: int, epsilon: float, tries: int) -> Mapping[str, float]:
    """Of a lognormal column, σ = 2: the private clip, the best one and the bound that would be safe to declare."""
    values = np.rint(np.random.default_rng(_SEED).lognormal(3, 2, units) / _GRID)
    pure = clipped_noise(Norm.L1, PURE, _epsilon(epsilon), None)
    zcdp = clipped_noise(Norm.L2, Accounting.ZCDP, _rho(epsilon), None)
    stddev = math.sqrt(2) / epsilon
    candidates = np.quantile(values, 1 - np.geomspace(1 / units, 0.2, 60))
    best = min(math.hypot(float(np.minimum(values, at).sum() - values.sum()), stddev * at) for at in candidates)
    total = float(values.sum())
    return {
        "clip chosen privately, pure": _released(pure, values, tries),
        "the same, zCDP": _released(zcdp, values, tries),
        "best fixed clip, known to nobody (pure)": best / total,
        "ten times the largest, as bound (pure)": 10 * stddev * float(values.max()) / total,
    }


def _released(mechanism: ClippedNoise, values: np.ndarray[Any, Any], tries: int) -> float:
    exact = _by_norm(values)
    told = [mechanism.release(exact) for _ in range(tries)]
    total = float(values.sum())
    return math.sqrt(statistics.fmean((float(each.totals[0] * each.part) / total - 1) ** 2 for each in told))


def _by_norm(values: np.ndarray[Any, Any]) -> TotalsByNorm:
    """As the engine adds up: a unit's bucket is where its one value lies."""
    buckets = np.ceil(8 * np.log2(np.maximum(values, 1))).astype(int)
    units = np.bincount(buckets)
    totals = np.bincount(buckets, weights=values)
    found = np.flatnonzero(units)
    return TotalsByNorm({int(at): int(units[at]) for at in found}, ({int(at): int(totals[at]) for at in found},))


# Private keys: how many of them come out


def keys(tries: int) -> Sequence[Panel]:
    """The share of all keys that is told, where units have 1 to 64 keys of a Zipf distribution."""
    sizes = (1_000, 3_000, 10_000, 30_000)
    over_e = [_told(10_000, e, tries) for e in EPSILONS]
    over_n = [_told(n, 1.0, tries) for n in sizes]
    return (
        Panel("ε (10,000 units)", "share of keys told", EPSILONS, _lines(over_e)),
        Panel("units (ε = 1)", "share of keys told", sizes, _lines(over_n)),
    )


def _told(units: int, epsilon: float, tries: int) -> Mapping[str, float]:
    random = np.random.default_rng(_SEED)
    held = [np.unique(random.zipf(1.3, random.integers(1, 65))) for _ in range(units)]
    capped = [each if len(each) <= 4 else random.choice(each, 4, replace=False) for each in held]
    count = len(np.unique(np.concatenate(held)))
    spread = {norm: _weights((each, weight(norm, len(each))) for each in held) for norm in Norm}
    four = _weights((each, 1) for each in capped)
    ways: Mapping[str, tuple[Selection | Spread, list[int]]] = {
        "spread in L2, Gaussian (zCDP)": (spread_gaussian(Norm.L2, _rho(epsilon), _DELTA), spread[Norm.L2]),
        "spread in L1, Laplace (pure)": (truncated_laplace(_epsilon(epsilon), _DELTA), spread[Norm.L1]),
        "four keys a unit, Gaussian (zCDP)": (gaussian_selection(4, 4, 1, _rho(epsilon), _DELTA), four),
        "four keys a unit, Laplace (pure)": (laplace_selection(4, 4, 1, _epsilon(epsilon), _DELTA), four),
    }
    few = max(1, tries // 10)
    return {
        name: statistics.fmean(len(way.release(exact)) for _ in range(few)) / count
        for name, (way, exact) in ways.items()
    }


def _weights(held: Iterable[tuple[np.ndarray[Any, Any], int]]) -> list[int]:
    found: dict[int, int] = {}
    for each, parts in held:
        for key in each.tolist():
            found[key] = found.get(key, 0) + parts
    return list(found.values())


# The key of the largest


def choice(tries: int) -> Sequence[Panel]:
    """How far the chosen key's count lies below the largest, in the mean, in units; a tenth is drawn for less."""
    many = (5, 10, 50, 100, 500)
    over_e = [_behind(50, e, tries) for e in EPSILONS]
    over_n = [_behind(n, 0.5, tries) for n in many]
    return (
        Panel("ε (50 keys)", "units below the largest", EPSILONS, _lines(over_e)),
        Panel("keys (ε = 0.5)", "units below the largest", many, _lines(over_n)),
    )


def _behind(many: int, epsilon: float, tries: int) -> Mapping[str, float]:
    """Counts of keys that are a little apart; a unit is in up to four of them."""
    counts = [1_000 - 2 * place for place in range(many)]
    pure = noisy_max(Sensitivity(4, 1), True, PURE, _epsilon(epsilon))
    zcdp = noisy_max(Sensitivity(4, 1), True, ZCDP, _rho(epsilon))
    all_pure, all_zcdp = laplace(Sensitivity(4, 1), _epsilon(epsilon)), gaussian(Sensitivity(4, 1), _rho(epsilon))
    ways: Mapping[str, Callable[[], int]] = {
        "one choice, exponential noise (pure)": lambda: pure.release(counts)[0],
        "one choice, Gumbel noise (zCDP)": lambda: zcdp.release(counts)[0],
        "all counts, Laplace, then sorted (pure)": lambda: int(np.argmax(add_noise(all_pure, counts))),
        "all counts, Gaussian, then sorted (zCDP)": lambda: int(np.argmax(add_noise(all_zcdp, counts))),
    }
    return {
        name: max(0.1, statistics.fmean(counts[0] - counts[way()] for _ in range(5 * tries)))
        for name, way in ways.items()
    }


# Quantiles


def quantiles(tries: int) -> Sequence[Panel]:
    """The mean error in rank, in percent of all rows; a thousandth is drawn for less."""
    sizes = (300, 1_000, 3_000, 10_000, 100_000)
    few = max(1, tries // 5)
    over_e = [_ranks(3_000, e, few) for e in EPSILONS]
    over_n = [_ranks(n, 1.0, few) for n in sizes]
    return (
        Panel("ε (3,000 units)", "error in rank, %", EPSILONS, _lines(over_e)),
        Panel("units (ε = 1)", "error in rank, %", sizes, _lines(over_n)),
    )


def _ranks(units: int, epsilon: float, tries: int) -> Mapping[str, float]:
    """Of a lognormal column over 4,096 values: the median alone, and nine deciles at once."""
    values = np.random.default_rng(_SEED).lognormal(0, 1, units)
    cells = np.minimum(np.floor(values * 200), _BUCKETS - 1).astype(int)
    counts = np.bincount(cells, minlength=_BUCKETS)
    one, whole = Sensitivity(1, 1), _epsilon(epsilon)
    median, deciles = (rank_of(Fraction(1, 2)),), tuple(rank_of(Fraction(at, 10)) for at in range(1, 10))
    ways: Mapping[str, QuantileChoice | QuantileTree] = {
        "median, exponential mechanism (pure)": quantile_choice(median, _BUCKETS, one, PURE, whole),
        "median, tree (pure)": quantile_tree(median, _BUCKETS, one, lambda moved: laplace(moved, whole)),
        "nine deciles, exponential mechanism (pure)": quantile_choice(deciles, _BUCKETS, one, PURE, whole),
        "nine deciles, tree (zCDP)": quantile_tree(
            deciles, _BUCKETS, one, lambda moved: gaussian(moved, _rho(epsilon))
        ),
        "nine deciles, exponential mechanism (zCDP)": quantile_choice(deciles, _BUCKETS, one, ZCDP, _rho(epsilon)),
    }
    exact = Histograms(_BUCKETS, ({int(at): int(counts[at]) for at in np.flatnonzero(counts)},))
    return {name: max(1e-3, 100 * _missed(way, exact, counts, tries)) for name, way in ways.items()}


def _buckets(way: QuantileChoice | QuantileTree, exact: Histograms) -> tuple[int, ...]:
    return way.release(exact)[0].buckets if isinstance(way, QuantileTree) else way.release(exact)[0]


def _missed(way: QuantileChoice | QuantileTree, exact: Histograms, counts: np.ndarray[Any, Any], tries: int) -> float:
    below, total = np.concatenate([[0], np.cumsum(counts)]), int(counts.sum())
    off = [
        max(0.0, float(below[bucket]) - rank.numerator / rank.denominator * total,
            rank.numerator / rank.denominator * total - float(below[bucket + 1]))
        for _ in range(tries)
        for rank, bucket in zip(way.ranks, _buckets(way, exact), strict=True)
    ]  # fmt: skip
    return statistics.fmean(off) / total
