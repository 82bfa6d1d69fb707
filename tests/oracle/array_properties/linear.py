# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and of vectors."""
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hn

from common import NUMERIC, arrays, call, pairs_of, shapes

dtype_pairs = st.sampled_from(pairs_of(NUMERIC))
LOOSE = {"relative": 1e-3, "absolute": 1e-3}


@st.composite
def factors(draw, made):
    a, b = draw(dtype_pairs)
    one, other = draw(made)
    return draw(arrays(a, one, nan=False, limit=9)), draw(arrays(b, other, nan=False, limit=9))


@st.composite
def matrices(draw):
    n, k, m = (draw(st.integers(0, 4)) for _ in range(3))
    stacks = draw(hn.mutually_broadcastable_shapes(num_shapes=2, max_dims=2,
                                                   max_side=3)).input_shapes
    left = (k,) if draw(st.booleans()) else stacks[0] + (n, k)
    right = (k,) if draw(st.booleans()) else stacks[1] + (k, m)
    return left, right


@given(factors(matrices()))
def test_matmul(pair):
    call("matmul", *pair, **LOOSE)


@st.composite
def contracted(draw):
    shared = draw(shapes(0, 2, 3))
    left, right = draw(shapes(0, 2, 3)), draw(shapes(0, 2, 3))
    return left + shared, shared + right, len(shared)


@given(st.data(), contracted())
def test_tensordot(data, found):
    left, right, count = found
    a, b = data.draw(factors(st.just((left, right))))
    axes = count
    if data.draw(st.booleans()):
        axes = (tuple(range(len(left) - count, len(left))), tuple(range(count)))
    call("tensordot", a, b, axes=axes, **LOOSE)


@st.composite
def vectors(draw):
    stacks = draw(hn.mutually_broadcastable_shapes(num_shapes=2, max_dims=2,
                                                   max_side=3)).input_shapes
    k = draw(st.integers(0, 4))
    return stacks[0] + (k,), stacks[1] + (k,)


@given(factors(vectors()))
def test_vecdot(pair):
    call("vecdot", *pair, **LOOSE)
    assume(min(x.ndim for x in pair) > 0)
    call("vecdot", *pair, axis=-1, **LOOSE)
