# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements and leave them as they are."""
import math

import numpy
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hn

from common import ALL, INTEGRAL, arrays, axes, call, keywords, pairs_of, shapes

some = arrays(shape=shapes(1))


@given(st.data(), st.integers(1, 4))
def test_broadcast_arrays(data, count):
    found = data.draw(hn.mutually_broadcastable_shapes(num_shapes=count, max_dims=3,
                                                       max_side=4, min_side=0))
    call("broadcast_arrays", *[data.draw(arrays(shape=s)) for s in found.input_shapes])


@given(st.data())
def test_broadcast_to(data):
    found = data.draw(hn.mutually_broadcastable_shapes(num_shapes=1, max_dims=3, max_side=4,
                                                       min_side=0, base_shape=data.draw(shapes())))
    call("broadcast_to", data.draw(arrays(shape=found.input_shapes[0])), found.result_shape)


@given(st.data(), some)
def test_concat(data, x):
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    others = []
    for _ in range(data.draw(st.integers(0, 2))):
        shape = list(x.shape) if axis is not None else list(data.draw(shapes()))
        if axis is not None:
            shape[axis] = data.draw(st.integers(0, 3))
        dtypes = [b for a, b in pairs_of(ALL) if a == x.dtype.name]
        others.append(data.draw(arrays(dtypes, tuple(shape))))
    names = {a.dtype.name for a in others} | {x.dtype.name}
    assume(not ("uint64" in names and names & set(INTEGRAL[:4])))
    call("concat", [x] + others, **({} if axis == 0 else {"axis": axis}))


@given(st.data(), st.integers(1, 4), shapes())
def test_stack(data, count, shape):
    dtype = data.draw(st.sampled_from(ALL))
    call("stack", [data.draw(arrays(dtype, shape)) for _ in range(count)],
         **data.draw(keywords(axis=st.integers(-len(shape) - 1, len(shape)))))


@given(st.data(), some)
def test_unstack(data, x):
    call("unstack", x, **data.draw(keywords(axis=st.integers(-x.ndim, x.ndim - 1))))


@given(arrays(), st.integers(-5, 5))
def test_expand_dims(x, axis):
    call("expand_dims", x, axis=axis)


@given(st.data(), arrays(shape=shapes(0, 4, 2)))
def test_squeeze(data, x):
    call("squeeze", x, data.draw(axes(x.ndim).filter(lambda a: a is not None)
                                 if x.ndim else st.just(())))


@given(st.data(), arrays())
def test_flip(data, x):
    call("flip", x, **data.draw(keywords(axis=axes(x.ndim))))


@given(st.data(), some)
def test_moveaxis(data, x):
    count = data.draw(st.integers(1, x.ndim))
    orders = [tuple(data.draw(st.permutations(range(x.ndim)))[:count]) for _ in range(2)]
    if count == 1 and data.draw(st.booleans()):
        orders = [order[0] - data.draw(st.sampled_from((0, x.ndim))) for order in orders]
    call("moveaxis", x, *orders)


@given(st.data(), arrays())
def test_permute_dims(data, x):
    call("permute_dims", x, tuple(data.draw(st.permutations(range(x.ndim)))))


@given(st.data(), some)
def test_repeat(data, x):
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    side = x.size if axis is None else x.shape[axis]
    many = data.draw(st.integers(0, 3) | hn.arrays(
        st.sampled_from(("int32", "int64")), (side,), elements=st.integers(0, 3)))
    call("repeat", x, many, **({} if axis is None else {"axis": axis}))


@given(st.data(), arrays())
def test_reshape(data, x):
    order = [d for d in range(2, x.size + 1) if x.size % d == 0] if x.size else []
    split = data.draw(st.sampled_from(order)) if order else 1
    wanted = data.draw(st.sampled_from(((-1,), (split, -1), (x.size // split, split, 1)))
                       if x.size else st.sampled_from(((0,), (3, 0), (0, 1, 2))))
    call("reshape", x, wanted, **data.draw(keywords(copy=st.sampled_from((None, True)))))


@given(st.data(), arrays())
def test_roll(data, x):
    axis = data.draw(axes(x.ndim))
    assume(axis != ())
    far = st.integers(-7, 7)
    shift = tuple(data.draw(far) for _ in axis) if isinstance(axis, tuple) else data.draw(far)
    call("roll", x, shift, **({} if axis is None else {"axis": axis}))


@given(arrays(), st.lists(st.integers(0, 3), min_size=0, max_size=4).map(tuple))
def test_tile(x, repetitions):
    assume(math.prod(repetitions) * x.size < 5000)
    call("tile", x, repetitions)


@given(st.data(), arrays(shape=shapes(1, empty=False)))
def test_take(data, x):
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    indices = data.draw(hn.arrays(st.sampled_from(("int8", "int32", "int64", "uint8")), shapes(
        1, 1), elements=st.integers(0, x.shape[axis] - 1)))
    call("take", x, indices, axis=axis)


@given(arrays(shape=shapes(2)))
def test_matrix_transpose(x):
    call("matrix_transpose", x)
    assert numpy.swapaxes(x, -1, -2).shape[-1] == x.shape[-2]
