"""PostgreSQL's names of client encodings, as Python codecs."""

from __future__ import annotations

from typing import Final

from dpproxy.wire.errors import UnknownEncoding

SQL_ASCII: Final = "utf_8"
"""Python's other name of UTF-8: which bytes are sent and read, where the client does not say what it makes of them."""

# Keys as PostgreSQL compares names: letters and digits only, in lower case. With SQL_ASCII the server converts nothing,
# and the front's databases are UTF8. EUC_TW and MULE_INTERNAL Python does not have, in SHIFT_JIS_2004 it reads a
# backslash as a yen sign, and characters of JOHAB PostgreSQL cuts in another way: of these only ASCII is read, which
# PostgreSQL reads as such in every encoding; other text is refused. Where the two read one text differently, the proxy
# would judge another statement than the front runs.
_CODECS = {
    "utf8": "utf-8",
    "unicode": "utf-8",
    "sqlascii": SQL_ASCII,
    "big5": "cp950",
    "win950": "cp950",
    "windows950": "cp950",
    "euccn": "gb2312",
    "eucjp": "euc_jp",
    "eucjis2004": "euc_jis_2004",
    "euckr": "euc_kr",
    "gb18030": "gb18030",
    "gbk": "gbk",
    "win936": "gbk",
    "windows936": "gbk",
    "sjis": "cp932",
    "mskanji": "cp932",
    "shiftjis": "cp932",
    "win932": "cp932",
    "windows932": "cp932",
    "uhc": "cp949",
    "win949": "cp949",
    "windows949": "cp949",
    "koi8": "koi8_r",
    "koi8r": "koi8_r",
    "koi8u": "koi8_u",
    "win": "cp1251",
    "alt": "cp866",
    "win866": "cp866",
    "windows866": "cp866",
    "win874": "cp874",
    "windows874": "cp874",
    "abc": "cp1258",
    "tcvn": "cp1258",
    "tcvn5712": "cp1258",
    "vscii": "cp1258",
    **dict.fromkeys(("euctw", "muleinternal", "shiftjis2004", "johab"), "ascii"),
    **{f"{prefix}{page}": f"cp{page}" for prefix in ("win", "windows") for page in range(1250, 1259)},
    **{f"iso8859{part}": f"iso8859_{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)},
    **{f"latin{n}": f"iso8859_{part}" for n, part in enumerate((1, 2, 3, 4, 9, 10, 13, 14, 15, 16), start=1)},
}


def python_codec(client_encoding: str) -> str:
    """The Python codec of a client_encoding, in any spelling that PostgreSQL takes: 'utf-8', UTF8, "Latin1".

    Raises UnknownEncoding.
    """
    name = "".join(c for c in client_encoding if c.isascii() and c.isalnum()).lower()
    codec = _CODECS.get(name)
    if codec is None:
        raise UnknownEncoding(f'invalid value for parameter "client_encoding": "{client_encoding}"')
    return codec
