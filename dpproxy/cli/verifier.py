"""A password's verifier, as Postgres stores it: it proves a password, and none can be made of it."""

from __future__ import annotations

from base64 import b64encode

from scramp import ScramMechanism

from dpproxy.errors import InvalidPassword

_ITERATIONS = 4096


def verifier(password: str) -> str:
    """`SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey` (RFC 5803) with a new salt.

    Raises InvalidPassword for one that is empty or that no client could send.
    """
    if not password or "\0" in password:
        raise InvalidPassword("a password cannot be empty", hint="Give one of at least one character.")
    salt, stored, server, iterations = ScramMechanism("SCRAM-SHA-256").make_auth_info(password, _ITERATIONS)
    return f"SCRAM-SHA-256${iterations}:{_base64(salt)}${_base64(stored)}:{_base64(server)}"


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")
