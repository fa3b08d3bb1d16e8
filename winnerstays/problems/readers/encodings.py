"""How the letters of a file are written, as its bytes look, and whether what was read looks like words."""

import codecs
import re
from collections.abc import Callable
from typing import BinaryIO

from winnerstays.errors import WinnerstaysError

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
MIXED = "winnerstays-mixed"
"""UTF-8, with bytes of Windows-1252 among it: lines of two files that were put together."""
UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
CAPITAL = r"[\xc0-\xde\u0160\u017d\u0178\u0152]"
SIGN = r"[\u201a\u0192\u201e\u2020\u2021\u02c6\u2030\u2039\u203a\u2022\u02dc\u2122\xa1-\xa9\xab-\xb3\xb5-\xb9\xbb-\xbf]"
ODD = re.compile(rf"[\x80-\x9f\ufffd]|[a-z\xdf-\xff]{CAPITAL}|[A-Z]{CAPITAL}[a-z]|\w{SIGN}\w|{SIGN}{{2}}")
"""What stands in no word: control characters, a capital letter within a word, a sign between letters."""
WORD = re.compile(r"[^\W\d_]+")


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(MIXED, _as_windows)


def guess(head: bytes, unpacked: Callable[[], BinaryIO]) -> str:
    """Return the encoding: by the byte order mark, else UTF-8 if all of it is, else what Windows writes."""
    for mark, name in BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return name
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) < 0.7 * len(head) / 2 or min(even, odd) * 10 > max(even, odd):
            raise WinnerstaysError("the file holds neither text nor anything else that is known here.")
        return "utf-16-le" if odd > even else "utf-16-be"
    if _decodes("utf-8", unpacked):
        return "utf-8"
    rest, found = UTF_8.subn(b"", head)
    if found and not re.search(rb"[\x80-\xff]{2}", rest):
        return MIXED
    return "cp1252" if _decodes("cp1252", unpacked) else "latin-1"


def _decodes(encoding: str, unpacked: Callable[[], BinaryIO]) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with unpacked() as file:
        try:
            while block := file.read(1 << 16):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def looks_wrong(text: str) -> str | None:
    """Return a piece of the text that is hardly a word, as where Cyrillic was read as Latin letters; None if none is.

    >>> looks_wrong("Müller,Zoë,façade"), looks_wrong("Èâàí,Ìàðèÿ"), looks_wrong("MŸller")
    (None, 'Èâàí', 'MŸller')
    """
    odd = ODD.search(text)
    if odd:
        start, end = (max(0, odd.start() - 10), odd.end() + 10)
        near = re.split(r"[,;\t\n\r|]", text[start:end])
        return next((piece.strip() for piece in near if ODD.search(piece)), odd[0])
    foreign = [word for word in WORD.findall(text) if not word.isascii()]
    strange = [word for word in foreign if sum(not letter.isascii() for letter in word) > max(1, len(word) / 2)]
    return strange[0] if 2 * len(strange) > len(foreign) else None
