"""States as bytes: vectors of any length come back, in few bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from winnerstays.codec import SHORT, pack, unpack


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], "0000"),
        ([0, 0, 0], "0006000000"),
        ([1, 2, 255], "00060102ff"),
        ([-1, 0, 127], "0106ff007f"),
        ([300, 0], "02042c010000"),
        ([0] * 9 + [7], "081402000907"),  # sparse: width, size, count, width of gaps, gap, value
        ([0] * 300 + [-5], "09da0402022c01fb"),
    ],
)
def test_a_vector_has_exact_bytes(values, expected):
    assert pack((np.array(values, np.int64),), sized=True).hex() == expected


@given(
    st.integers(0, 2 * SHORT).flatmap(
        lambda size: arrays(np.int64, size, elements=st.integers(-(2**40), 2**40) | st.sampled_from([0, 1, 255, 256]))
    )
)
def test_vectors_come_back(array):
    (back,) = unpack(pack((array,), sized=True), (array,), sized=True)
    assert np.array_equal(back, array)
    assert back.dtype == array.dtype
