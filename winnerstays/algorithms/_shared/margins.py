"""Margins between arms that met: duels won minus lost, for few pairs of many arms.

A table of two rows, keys and margins, with open addressing; its length is a power of two and at least twice the number
of pairs in it. The key of a pair is its place in the lower triangle of a matrix, plus 1, so it stays the same when arms
are added. Whatever is computed from a table must not depend on the order of its entries.
"""

import math

import numpy as np

from winnerstays._types import Ints
from winnerstays.compiling import kernel

KEY, MARGIN = 0, 1
"""The rows of a table."""
SMALLEST = 16


def empty_table(pairs: int) -> Ints:
    """Return a table with room for this many pairs."""
    return np.zeros((2, max(SMALLEST, 1 << (2 * pairs - 1).bit_length())), np.int64)


@kernel
def key_of(first: int, second: int) -> int:
    """Return the key of a pair."""
    high, low = max(first, second), min(first, second)
    return high * (high - 1) // 2 + low + 1


@kernel
def higher_of(key: int) -> int:
    """Return the arm of a pair with the higher number; `lower_of` gives the other."""
    high = int((1.0 + math.sqrt(8.0 * (key - 1) + 1.0)) / 2.0)
    while high * (high - 1) // 2 > key - 1:  # the square root of a large number may be rounded up or down
        high -= 1
    while (high + 1) * high // 2 <= key - 1:
        high += 1
    return high


@kernel
def lower_of(key: int, high: int) -> int:
    return key - 1 - high * (high - 1) // 2


@kernel
def place_of(table: Ints, key: int) -> int:
    """Return where a key stands, or where it would be put."""
    last = table.shape[1] - 1
    place = ((key & 0x1FFFFFFFF) * 668265263 >> 13) & last
    while table[KEY, place] != 0 and table[KEY, place] != key:
        place = (place + 1) & last
    return int(place)


@kernel
def margin(table: Ints, first: int, second: int) -> int:
    """Return the duels that `first` won minus lost against `second`."""
    value = table[MARGIN, place_of(table, key_of(first, second))]
    return value if first > second else -value  # type: ignore[no-any-return]


@kernel
def set_margin(table: Ints, first: int, second: int, value: int) -> int:
    """Set the margin of `first` against `second`; return 1 if they had never met, else 0."""
    key = key_of(first, second)
    place = place_of(table, key)
    new = table[KEY, place] == 0
    table[KEY, place] = key
    table[MARGIN, place] = value if first > second else -value
    return 1 if new else 0


@kernel
def refill(table: Ints, keys: Ints, margins: Ints) -> int:
    """Put pairs into an empty table; return how many there are. A key of 0 stands for none."""
    pairs = 0
    for k in range(keys.size):
        if keys[k] != 0:
            place = place_of(table, keys[k])
            table[KEY, place], table[MARGIN, place] = keys[k], margins[k]
            pairs += 1
    return pairs


def with_room(table: Ints, pairs: int, wanted: int) -> Ints:
    """Return a table with room for `wanted` pairs, of which `pairs` are in this one."""
    if 2 * wanted <= table.shape[1]:
        return table
    larger = empty_table(max(wanted, 2 * pairs))
    refill(larger, table[KEY], table[MARGIN])
    return larger


def sorted_pairs(table: Ints) -> tuple[Ints, Ints]:
    """Return the keys, in order, and the margins of all pairs that are not level: they say the same as the table."""
    pairs = np.flatnonzero(table[MARGIN])
    order = pairs[np.argsort(table[KEY, pairs])]
    return table[KEY, order], table[MARGIN, order]
