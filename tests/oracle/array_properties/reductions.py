# SPDX-License-Identifier: Apache-2.0
"""Statistics, searches, sorting and sets."""
import numpy
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hn

from common import (ALL, DTYPE, INTEGRAL, NUMERIC, REAL, arrays, axes, call, keywords, ours,
                    pairs_of, shapes, to_ours)

full = shapes(empty=False)


def wider(dtype):
    return st.sampled_from([b for a, b in pairs_of(NUMERIC) if a == dtype and numpy.result_type(
        a, b) == b]).map(lambda name: DTYPE + name)


def total(name):
    @given(st.data(), arrays(NUMERIC, nan=False, limit=30))
    def test(data, x):
        if name == "prod":
            x = (x / 8).astype(x.dtype) if x.dtype.kind in "fc" else x // 8
        call(name, x, absolute=2e-3 if x.dtype.name in ("float32", "complex64") else 1e-10,
             **data.draw(keywords(axis=axes(x.ndim), keepdims=st.booleans(),
                                  dtype=wider(x.dtype.name))))
    return test


test_sum, test_prod = total("sum"), total("prod")


def extremum(name):
    @given(st.data(), arrays(INTEGRAL + REAL, full, nan=True))
    def test(data, x):
        call(name, x, **data.draw(keywords(axis=axes(x.ndim), keepdims=st.booleans())))
    return test


test_max, test_min = extremum("max"), extremum("min")


@given(st.data(), arrays(REAL, full, nan=False, limit=100))
def test_mean(data, x):
    call("mean", x, absolute=1e-3 if x.dtype == "float32" else 1e-10,
         **data.draw(keywords(axis=axes(x.ndim), keepdims=st.booleans())))


def spread(name):
    @given(st.data(), arrays(REAL, full, nan=False, limit=100))
    def test(data, x):
        kw = data.draw(keywords(axis=axes(x.ndim), keepdims=st.booleans()))
        taken = kw.get("axis")
        taken = range(x.ndim) if taken is None else (taken,) if isinstance(taken, int) else taken
        count = int(numpy.prod([x.shape[a] for a in taken]))
        assume(count > 1)
        correction = data.draw(st.integers(0, count - 1) | st.floats(0, count - 1))
        call(name, x, correction=correction, relative=1e-3 if x.dtype == "float32" else 1e-8,
             absolute=1e-2 if x.dtype == "float32" else 1e-6, **kw)
    return test


test_std, test_var = spread("std"), spread("var")


@given(st.data(), arrays(NUMERIC, shapes(1), nan=False, limit=30))
def test_cumulative_sum(data, x):
    axis = st.integers(-x.ndim, x.ndim - 1)
    kw = data.draw(keywords(dtype=wider(x.dtype.name), include_initial=st.booleans()))
    if x.ndim > 1 or data.draw(st.booleans()):
        kw["axis"] = data.draw(axis)
    call("cumulative_sum", x, absolute=1e-3 if x.dtype.name in ("float32", "complex64")
         else 1e-10, **kw)


def truth(name):
    @given(st.data(), arrays(ALL))
    def test(data, x):
        call(name, x, **data.draw(keywords(axis=axes(x.ndim), keepdims=st.booleans())))
    return test


test_all, test_any = truth("all"), truth("any")

# ------------------------------------------------------------------------- searches


def place(name):
    @given(st.data(), arrays(INTEGRAL + REAL, full, nan=False))
    def test(data, x):
        axis = st.none() | st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()
        call(name, x, **data.draw(keywords(axis=axis, keepdims=st.booleans())))
    return test


test_argmax, test_argmin = place("argmax"), place("argmin")


@given(arrays(ALL, shapes(1)))
def test_nonzero(x):
    call("nonzero", x)


@given(st.data())
def test_where(data):
    found = data.draw(hn.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4,
                                                       min_side=0)).input_shapes
    a, b = data.draw(st.sampled_from(pairs_of(ALL)))
    call("where", data.draw(arrays("bool", found[0])), data.draw(arrays(a, found[1])),
         data.draw(arrays(b, found[2])))


@given(st.data(), st.sampled_from(INTEGRAL + REAL), keywords(
    side=st.sampled_from(("left", "right"))), st.booleans())
def test_searchsorted(data, dtype, kw, shuffled):
    ladder = numpy.sort(data.draw(arrays(dtype, shapes(1, 1, 8), nan=False)))
    wanted = data.draw(arrays(dtype, nan=False))
    if shuffled:
        order = numpy.array(data.draw(st.permutations(range(ladder.size))), dtype="int64")
        mixed = numpy.empty_like(ladder)
        mixed[order] = ladder
        call("searchsorted", mixed, wanted, sorter=order, **kw)
    else:
        call("searchsorted", ladder, wanted, **kw)


# -------------------------------------------------------------------------- sorting


def with_zeros_alike(x):
    """0.0 and -0.0 are equal, and so may come in either order."""
    return x + 0.0 if x.dtype.kind == "f" else x


@given(st.data(), arrays(INTEGRAL + REAL, shapes(1), nan=False))
def test_sort(data, x):
    call("sort", with_zeros_alike(x), **data.draw(keywords(
        axis=st.integers(-x.ndim, x.ndim - 1), descending=st.booleans())))


@given(st.data(), arrays(INTEGRAL + REAL, shapes(1, side=6), nan=False, limit=4))
def test_argsort(data, x):
    """Equal ones in their order, forward and backward, as stable is True without a word."""
    call("argsort", with_zeros_alike(x), **data.draw(keywords(
        axis=st.integers(-x.ndim, x.ndim - 1), descending=st.booleans())))


# ----------------------------------------------------------------------------- sets


def by_value(made, x):
    """The parts of unique_all() and others, with the order left out that nobody promises."""
    values = numpy.asarray(made.values.tolist(), dtype=x.dtype)
    counts = getattr(made, "counts", None)
    inverse = getattr(made, "inverse_indices", None)
    indices = getattr(made, "indices", None)
    wanted, firsts, back, times = numpy.unique(x, True, True, True, equal_nan=False)
    assert len(values) == len(wanted) and values.dtype == x.dtype
    assert sorted(map(repr, values.tolist())) == sorted(map(repr, wanted.tolist()))
    for part in (counts, inverse, indices):
        assert part is None or part.dtype is ours.int64
    if counts is not None:
        table = dict(zip(map(repr, wanted.tolist()), times.tolist()))
        assert [table[repr(v)] for v in values.tolist()] == counts.tolist()
    if inverse is not None:
        assert inverse.shape == x.shape
        again = values[numpy.asarray(inverse.tolist(), dtype="int64")].reshape(x.shape)
        assert numpy.array_equal(again, x, equal_nan=x.dtype.kind in "fc")
    if indices is not None:
        assert numpy.array_equal(x.ravel()[numpy.asarray(indices.tolist(), "int64")], values,
                                 equal_nan=x.dtype.kind in "fc")


def unique(name):
    @given(arrays(ALL, nan=False, limit=3))
    def test(x):
        by_value(getattr(ours, name)(to_ours(x + 0 if x.dtype.kind in "fc" else x)),
                 x + 0 if x.dtype.kind in "fc" else x)
    return test


test_unique_all, test_unique_counts, test_unique_inverse = map(
    unique, ("unique_all", "unique_counts", "unique_inverse"))


@given(arrays(ALL, nan=False, limit=3))
def test_unique_values(x):
    x = x + 0 if x.dtype.kind in "fc" else x
    got = ours.unique_values(to_ours(x))
    assert sorted(map(repr, got.tolist())) == sorted(map(repr, numpy.unique(x).tolist()))


def test_nan_is_unique_each_time():
    x = ours.asarray([float("nan"), 1.0, float("nan")])
    assert ours.unique_counts(x).counts.tolist() == [1, 1, 1]
    assert ours.unique_values(x).shape == (3,)
    assert ours.unique_inverse(x).values.shape == (3,)
