"""Store a State in few bytes, and read it back.

Numbers and arrays follow each other in the order of the State's fields; whole numbers take as many bytes as they need.
Shapes and types are not stored: they are those of a fresh State of the same algorithm. Where arrays may have any
length (`sized`), each is stored with it, and by its entries that are not 0 where that takes fewer bytes.
"""

import struct
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from winnerstays.errors import WinnerstaysError

_WIDTHS = [np.dtype(code) for code in ("<u1", "<i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8")]
_LIMITS = [(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) for dtype in _WIDTHS]
_U4, _U8 = 4, 6
MAX_BITS = 70
"""Of a whole number; more are damage."""
_DAMAGE = (IndexError, ValueError, OverflowError, MemoryError, struct.error)
MAX_SIZE = 2**32
"""No array of a State is longer; a larger number means that the bytes are damaged."""
_SMALL = frozenset((int, bool))
"""Most fields are small numbers of these types; they are packed without a call of a function."""


def pack(value: Any, *, sized: bool = False) -> bytes:
    """Return the bytes of a State, or of any nested tuples of numbers and arrays.

    >>> pack((300, 0.5, np.arange(3))).hex()
    'd804000000000000e03f00000102'
    >>> many = np.zeros(1000, np.int64)
    >>> many[700] = -5
    >>> pack((many,), sized=True).hex()
    '09d00f0202bc02fb'
    """
    out = bytearray()
    _pack(value, out, _pack_sized if sized else _pack_array)
    return bytes(out)


def unpack(data: bytes, like: Any, *, sized: bool = False) -> Any:
    """Return the State that these bytes hold; `like` is a State of the same algorithm, arms and parameters.

    If `sized`, its arrays may have other lengths.
    """
    try:
        value, end = _unpack(data, 0, like, _unpack_sized if sized else _unpack_array)
    except _DAMAGE:
        raise WinnerstaysError("The stored state is damaged: it ends too early.") from None
    if end != len(data):
        raise WinnerstaysError(f"The stored state is damaged: {len(data) - end} bytes too many.")
    return value


def unpack_first(data: bytes, like: Any) -> tuple[Any, int]:
    """Return the value at the start of these bytes, and where it ends."""
    try:
        return _unpack(data, 0, like, _unpack_array)
    except _DAMAGE:
        raise WinnerstaysError("The stored state is damaged: it ends too early.") from None


def _pack(value: Any, out: bytearray, pack_array: Callable[[npt.NDArray[Any], bytearray], None]) -> None:
    if isinstance(value, tuple):
        for field in value:
            if type(field) in _SMALL and 0 <= field < 64:
                out.append(field << 1)
            else:
                _pack(field, out, pack_array)
    elif isinstance(value, int):
        _pack_whole(value, out)
    elif isinstance(value, np.ndarray):
        pack_array(value, out)
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
    kind = array.dtype.kind
    if kind == "f":
        out += array.astype("<f8").tobytes()
        return
    values = array.ravel().tolist()
    if kind == "u" and values and max(values) > _LIMITS[_U4][1]:  # the state of a generator
        out.append(_U8)
        out += array.astype(_WIDTHS[_U8]).tobytes()
        return
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


SHORT = 256
"""Vectors up to this length are packed several times faster as lists than by NumPy."""
SPARSE = 8
"""Added to the width of an array that is stored by its entries other than 0."""


def _pack_sized(array: npt.NDArray[Any], out: bytearray) -> None:
    """Store a vector of whole numbers with its length."""
    if array.size <= SHORT and _pack_short(array.tolist(), out):
        return
    width, data = _narrow(array)
    item_size, count = _WIDTHS[width].itemsize, int(np.count_nonzero(array))
    if count * (item_size + 1) + 3 < len(data):
        places = array.nonzero()[0]
        gaps = places.copy()
        gaps[1:] -= places[:-1]
        gap_width, gap_data = _narrow(gaps)
        if count * item_size + len(gap_data) + 3 < len(data):
            out.append(SPARSE + width)
            _pack_whole(array.size, out)
            _pack_whole(count, out)
            out.append(gap_width)
            out += gap_data
            out += array[places].astype(_WIDTHS[width]).tobytes()
            return
    out.append(width)
    _pack_whole(array.size, out)
    out += data


def _pack_short(values: list[int], out: bytearray) -> bool:
    """Store whole numbers below 256 in the same way; False if some are not."""
    try:
        data = bytes(values)
    except ValueError:
        return False
    count = len(data) - data.count(0)
    sparse = 2 * count + 3 < len(data)
    out.append(SPARSE * sparse)
    _pack_whole(len(data), out)
    if sparse:
        places = [place for place, value in enumerate(data) if value]
        _pack_whole(count, out)
        out.append(0)
        out += bytes(place - before for before, place in pairwise([0, *places]))
        data = data.replace(b"\0", b"")
    out += data
    return True


def _narrow(array: npt.NDArray[Any]) -> tuple[int, bytes]:
    """Return the code of the narrowest type that holds these whole numbers, and their bytes in that type."""
    if 0 < array.size <= SHORT:
        values = array.tolist()
        low, high = min(values), max(values)
    else:
        low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    width = next(k for k, (least, most) in enumerate(_LIMITS) if least <= low and high <= most)
    return width, array.astype(_WIDTHS[width]).tobytes()


def _unpack_sized(data: bytes, at: int, like: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    code = data[at]
    size, at = _unpack_whole(data, at + 1)
    if code < SPARSE:
        values, at = _numbers(data, at, code, size)
        return values.astype(like.dtype), at
    count, at = _unpack_whole(data, at)
    gaps, at = _numbers(data, at + 1, data[at], count)
    values, at = _numbers(data, at, code - SPARSE, count)
    places = gaps.astype(np.int64).cumsum()
    if size > MAX_SIZE or (count and not 0 <= places[0] <= places[-1] < size):
        raise ValueError("places outside of the array")
    array = np.zeros(size, like.dtype)
    array[places] = values
    return array, at


def _numbers(data: bytes, at: int, code: int, count: int) -> tuple[npt.NDArray[Any], int]:
    dtype = _WIDTHS[code]
    return np.frombuffer(data, dtype, count, at), at + count * dtype.itemsize


def _unpack_array(data: bytes, at: int, like: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    floating = like.dtype.kind == "f"
    dtype = np.dtype("<f8") if floating else _WIDTHS[data[at]]
    at += not floating
    flat = np.frombuffer(data, dtype, like.size, at)
    return flat.astype(like.dtype).reshape(like.shape), at + like.size * dtype.itemsize


def _unpack(
    data: bytes, at: int, like: Any, unpack_array: Callable[[bytes, int, Any], tuple[Any, int]]
) -> tuple[Any, int]:
    if isinstance(like, tuple):
        fields = []
        for field in like:
            value, at = _unpack(data, at, field, unpack_array)
            fields.append(value)
        return (type(like)(*fields) if hasattr(like, "_fields") else tuple(fields)), at
    if isinstance(like, np.ndarray):
        return unpack_array(data, at, like)
    if isinstance(like, float):
        return struct.unpack_from("<d", data, at)[0], at + 8
    number, at = _unpack_whole(data, at)
    return (bool(number) if isinstance(like, bool) else number), at


def _unpack_whole(data: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while shift < MAX_BITS:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return (-(number + 1 >> 1) if number & 1 else number >> 1), at
    raise ValueError("a number with too many bits")
