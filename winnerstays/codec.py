"""A State as few bytes, and back.

Numbers and arrays follow each other in the order of the State's fields; whole numbers take as many bytes as they need.
Shapes and types are not stored: they are those of a fresh State of the same algorithm.
"""

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.errors import WinnerstaysError

_WIDTHS = [np.dtype(code) for code in ("<u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8")]
_LIMITS = [(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in _WIDTHS]


def pack(value: Any) -> bytes:
    """The bytes of a State (or of any nesting of tuples of numbers and arrays).

    >>> pack((300, 0.5, np.arange(3))).hex()
    'd804000000000000e03f00000102'
    """
    out = bytearray()
    _pack(value, out)
    return bytes(out)


def unpack(data: bytes, like: Any) -> Any:
    """The State whose bytes these are; `like` is a State of the same algorithm, arms and parameters."""
    try:
        value, end = _unpack(data, 0, like)
    except (IndexError, ValueError, struct.error):
        raise WinnerstaysError("The stored state is damaged: it ends too early.") from None
    if end != len(data):
        raise WinnerstaysError(f"The stored state is damaged: {len(data) - end} bytes too many.")
    return value


def _pack(value: Any, out: bytearray) -> None:
    if isinstance(value, int):
        if 0 <= value < 64:
            out.append(value << 1)
        else:
            _pack_whole(value, out)
    elif isinstance(value, tuple):
        for field in value:
            _pack(field, out)
    elif isinstance(value, np.ndarray):
        _pack_array(value, out)
    elif isinstance(value, float | np.floating):
        out += struct.pack("<d", value)
    else:
        _pack_whole(int(value), out)


def _pack_whole(number: int, out: bytearray) -> None:
    number = number << 1 if number >= 0 else (-number << 1) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def _pack_array(array: npt.NDArray[Any], out: bytearray) -> None:
    if array.dtype.kind == "f":
        out += array.astype("<f8").tobytes()
        return
    values = array.ravel().tolist()
    try:
        data = bytes(values)  # the usual case, several times faster than to look for the range
    except ValueError:
        low, high = min(values), max(values)
    else:
        out.append(0)
        out += data
        return
    code = next(k for k, (least, most) in enumerate(_LIMITS) if least <= low and high <= most)
    out.append(code)
    out += array.astype(_WIDTHS[code]).tobytes()


def _unpack(data: bytes, at: int, like: Any) -> tuple[Any, int]:
    if isinstance(like, tuple):
        fields = []
        for field in like:
            value, at = _unpack(data, at, field)
            fields.append(value)
        return (type(like)(*fields) if hasattr(like, "_fields") else tuple(fields)), at
    if isinstance(like, np.ndarray):
        floating = like.dtype.kind == "f"
        dtype = np.dtype("<f8") if floating else _WIDTHS[data[at]]
        at += not floating
        flat = np.frombuffer(data, dtype, like.size, at)
        return flat.astype(like.dtype).reshape(like.shape), at + like.size * dtype.itemsize
    if isinstance(like, float):
        return struct.unpack_from("<d", data, at)[0], at + 8
    number, shift = 0, 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    number = -(number + 1 >> 1) if number & 1 else number >> 1
    return (bool(number) if isinstance(like, bool) else number), at
