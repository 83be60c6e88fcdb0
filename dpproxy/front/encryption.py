"""TLS to a given front, as libpq's settings of its URL say: analysts' sessions are encrypted as the owner's are."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ALPN: Final = "postgresql"
_PLAIN: Final = frozenset({"disable", "allow", "prefer"})
_VERSIONS: Final = {"TLSv1": "TLSv1", "TLSv1.1": "TLSv1_1", "TLSv1.2": "TLSv1_2", "TLSv1.3": "TLSv1_3"}


@dataclass(frozen=True, slots=True)
class Encryption:
    """How a connection is encrypted. `name` is what the certificate is checked against, where it is checked.

    direct: TLS begins at once, without asking the server first (17 and newer).
    """

    context: ssl.SSLContext
    name: str
    direct: bool


def encryption(settings: Mapping[str, str], host: str, *, in_use: bool) -> Encryption | None:
    """What libpq's `settings` (sslmode, sslrootcert …) ask for; None for a plain connection.

    in_use: whether the owner's own connection is encrypted: `allow` and `prefer` leave it to the server, and once it
    is, it never falls back to plain. Raises OSError (ssl.SSLError among them) where a file cannot be used.
    """
    mode = settings.get("sslmode") or "prefer"
    if mode in _PLAIN and not in_use:
        return None
    return Encryption(_context(settings, mode), host, settings.get("sslnegotiation") == "direct")


def _context(settings: Mapping[str, str], mode: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    least = settings.get("ssl_min_protocol_version") or "TLSv1.2"
    context.minimum_version = ssl.TLSVersion[_VERSIONS[least]]
    context.set_alpn_protocols([ALPN])
    _trust(context, settings, mode)
    context.check_hostname = mode == "verify-full"
    certificate = _file(settings, "sslcert", "postgresql.crt")
    if certificate is not None:
        key = _file(settings, "sslkey", "postgresql.key")
        context.load_cert_chain(certificate, key, settings.get("sslpassword") or None)
    return context


def _trust(context: ssl.SSLContext, settings: Mapping[str, str], mode: str) -> None:
    """Whose signatures count. As with libpq, a file of roots that is there makes `require` as good as `verify-ca`."""
    if settings.get("sslrootcert") == "system":
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_default_certs()
        return
    roots = _file(settings, "sslrootcert", "root.crt")
    if mode in _PLAIN or roots is None:
        return
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(roots)
    revoked = _file(settings, "sslcrl", "root.crl")
    if revoked is not None:
        context.load_verify_locations(revoked)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN


def _file(settings: Mapping[str, str], key: str, default: str) -> Path | None:
    """The file that a setting names, or libpq's own place if there is one."""
    path = Path(settings.get(key) or Path.home() / ".postgresql" / default)
    return path if path.exists() else None
