"""SCRAM-SHA-256, both sides: analysts against the policy's verifier, and the proxy against the front."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from scramp import ScramClient, ScramException, ScramMechanism

from dpproxy.errors import FrontUnavailable, InvalidPassword
from dpproxy.wire import (
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendMessage,
    PasswordMessage,
    ProtocolViolation,
    decode_sasl_initial,
    encode_sasl_initial,
)

MECHANISM: Final = "SCRAM-SHA-256"
REQUEST: Final = AuthenticationSASL((MECHANISM,))
_SALT_BYTES, _ITERATIONS = 16, 4096  # Postgres's own
_NAMELESS: Final = "n=,"


@dataclass(frozen=True, slots=True)
class Verifier:
    """A password as Postgres stores it: nobody can sign in with the verifier alone."""

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes


def parse_verifier(text: str) -> Verifier:
    """`SCRAM-SHA-256$iterations:salt$stored:server`. Raises ValueError."""
    mechanism, rounds, keys = text.split("$")
    iterations, salt = rounds.split(":")
    stored, server = keys.split(":")
    if mechanism != MECHANISM:
        raise ValueError(f"not a {MECHANISM} verifier")
    return Verifier(*(base64.b64decode(salt), int(iterations)), *map(base64.b64decode, (stored, server)))


def mock_verifier(user: str, others: Iterable[str]) -> Verifier:
    """Of somebody who does not exist; nothing fits it. others: the verifiers of those who do.

    Claim: what a client is told before its proof does not tell whether the name is somebody's.
    Because: iterations and the salt's length are those of one of the others, and the salt is as random to whoever does
    not know their verifiers. It is the same at all proxies of a policy, and after a restart, until a password changes.
    Checked by: tests/attacks/test_sessions.py.
    """
    known = sorted(others)
    secret = hashlib.sha256("\n".join(known).encode()).digest()

    def derived(what: str) -> bytes:
        return hmac.new(secret, f"{what}:{user}".encode(), hashlib.sha256).digest()

    if not known:
        return Verifier(derived("salt")[:_SALT_BYTES], _ITERATIONS, derived("stored"), derived("server"))
    like = parse_verifier(known[int.from_bytes(derived("like")[:8]) % len(known)])
    salt = hashlib.shake_256(derived("salt")).digest(len(like.salt))
    return Verifier(salt, like.iterations, derived("stored"), derived("server"))


def proves(password: str, verifier: Verifier) -> bool:
    """Whether it is the password of this verifier, for who is told the password itself. Takes milliseconds.

    Claim: as long as iterations are the same, how long it takes tells nothing of the verifier.
    Because: the keys are made whatever the verifier is, and compared in constant time. Checked by:
    tests/test_dashboard.py::test_a_name_that_does_not_exist_is_refused_alike.
    """
    try:
        _, stored, _, _ = ScramMechanism(MECHANISM).make_auth_info(password, verifier.iterations, verifier.salt)
    except ScramException:  # a password that no client could send
        return False
    return hmac.compare_digest(stored, verifier.stored_key)


class ScramServer:
    """One exchange with a client. Raises InvalidPassword, with one text for everything that is wrong."""

    def __init__(self, user: str, verifier: Verifier) -> None:
        self._user = user
        known = (verifier.salt, verifier.stored_key, verifier.server_key, verifier.iterations)
        self._server = ScramMechanism(MECHANISM).make_server(lambda _name: known)

    def first(self, payload: bytes) -> AuthenticationSASLContinue:
        """The challenge for the client's SASLInitialResponse."""
        mechanism, data = decode_sasl_initial(payload)
        if mechanism != MECHANISM or data is None:
            raise ProtocolViolation("client selected an invalid SASL authentication mechanism")
        try:
            text = data.decode()
            # The name was in the startup packet, so libpq leaves it empty here, which the library does not take.
            named = text.replace(_NAMELESS, "n=*,", 1) if _NAMELESS in text.split("r=", 1)[0] else text
            self._server.set_client_first(named)
            self._server.client_first_bare = text.split(",", 2)[2]
            return AuthenticationSASLContinue(self._server.get_server_first().encode())
        except (ScramException, ValueError, IndexError, KeyError) as fault:
            raise self._failed() from fault

    def final(self, payload: bytes) -> AuthenticationSASLFinal:
        """The server's signature for the client's proof."""
        try:
            self._server.set_client_final(payload.decode())
            return AuthenticationSASLFinal(self._server.get_server_final().encode())
        except (ScramException, ValueError, KeyError) as fault:
            raise self._failed() from fault

    def _failed(self) -> InvalidPassword:
        return InvalidPassword(f'password authentication failed for user "{self._user}"')


class FrontLogin:
    """The proxy's side of signing in to the front as an analyst's role. `asked`: whether a password was asked for."""

    def __init__(self, user: str, password: str) -> None:
        self.asked = False
        self._client = ScramClient([MECHANISM], user, password)

    def answer(self, message: BackendMessage) -> PasswordMessage | None:
        """What is sent for a message of the front's before AuthenticationOk. Raises FrontUnavailable."""
        try:
            return self._answer(message)
        except (ScramException, ValueError) as fault:
            raise FrontUnavailable("the front does not know the password of the analyst's role") from fault

    def _answer(self, message: BackendMessage) -> PasswordMessage | None:
        match message:
            case AuthenticationSASL():
                self.asked = True
                return encode_sasl_initial(MECHANISM, self._client.get_client_first().encode())
            case AuthenticationSASLContinue(data):
                self._client.set_server_first(data.decode())
                return PasswordMessage(self._client.get_client_final().encode())
            case AuthenticationSASLFinal(data):
                self._client.set_server_final(data.decode())
                return None
            case AuthenticationOk():
                return None
            case _:
                raise FrontUnavailable("the front asks for another authentication than SCRAM-SHA-256")
