# SPDX-License-Identifier: Apache-2.0
"""Functions that make arrays, and those of dtypes."""
import math

import numpy
from hypothesis import assume, given, strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import opyard
from common import (ALL, COMPLEX, DTYPE, INTEGRAL, NUMERIC, REAL, arrays, call, keywords,
                    numbers, ours, pairs_of, promotes, shapes, to_ours)

any_dtype = st.sampled_from(ALL)


def named(strategy):
    return strategy.map(lambda dtype: DTYPE + dtype)


@given(st.integers(-50, 50), st.none() | st.integers(-50, 50),
       st.integers(-9, 9).filter(bool), keywords(dtype=named(st.sampled_from(
           ("int8", "int16", "int32", "int64", "float64")))))
def test_arange(start, stop, step, kw):
    if stop is None:
        call("arange", start, **kw)
    else:
        call("arange", start, stop, step, **kw)


@given(st.floats(-50, 50, width=32), st.floats(-50, 50, width=32),
       st.sampled_from((0.5, 0.25, -0.125, 1.5, -3.0)))
def test_arange_of_floats(start, stop, step):
    call("arange", start, stop, step, dtype=DTYPE + "float64")


@given(st.data(), any_dtype, shapes())
def test_asarray(data, dtype, shape):
    """Nested lists of numbers, numbers, and arrays."""
    x = data.draw(arrays(dtype, shape))
    call("asarray", x, **data.draw(keywords(copy=st.booleans())))
    assume(x.size or x.ndim <= 1)
    call("asarray", x.tolist(), dtype=DTYPE + dtype)


@given(arrays(), st.sampled_from((True, None, False)))
def test_asarray_of_arrays(x, copy):
    made = to_ours(x)
    again = ours.asarray(made, copy=copy)
    assert (again.data_ptr() == made.data_ptr()) == (not copy) or made.numel() == 0


@given(st.integers(0, 9) | shapes(), keywords(dtype=any_dtype))
def test_empty(shape, kw):
    made = ours.empty(shape, **{"dtype": getattr(ours, d) for d in kw.values()})
    assert made.shape == (shape if isinstance(shape, tuple) else (shape,))
    assert made.dtype is getattr(ours, kw.get("dtype", "float32"))
    like = ours.empty_like(made)
    assert like.shape == made.shape and like.dtype is made.dtype


@given(st.integers(0, 9) | shapes(), named(any_dtype), st.sampled_from(("zeros", "ones")))
def test_zeros_ones(shape, dtype, name):
    call(name, shape, dtype=dtype)


@given(arrays(), keywords(dtype=named(any_dtype)), st.sampled_from(("zeros", "ones")))
def test_zeros_like_ones_like(x, kw, name):
    call(name + "_like", x, **kw)


@given(st.data(), any_dtype, shapes())
def test_full(data, dtype, shape):
    call("full", shape, data.draw(numbers(dtype)), dtype=DTYPE + dtype)


@given(st.data(), any_dtype, shapes())
def test_full_like(data, dtype, shape):
    call("full_like", data.draw(arrays(dtype, shape)), data.draw(numbers(dtype)))


@given(st.integers(0, 9), st.none() | st.integers(0, 9), st.integers(-9, 9), named(any_dtype))
def test_eye(rows, columns, k, dtype):
    call("eye", rows, columns, k=k, dtype=dtype)


@given(st.floats(-1e3, 1e3, width=32), st.floats(-1e3, 1e3, width=32), st.integers(0, 20),
       named(st.sampled_from(REAL)), keywords(endpoint=st.booleans()))
def test_linspace(start, stop, number, dtype, kw):
    call("linspace", start, stop, number, dtype=dtype, absolute=1e-3 if "32" in dtype else 1e-9,
         **kw)


@given(st.data(), any_dtype, keywords(indexing=st.sampled_from(("xy", "ij"))))
def test_meshgrid(data, dtype, kw):
    rows = data.draw(st.lists(arrays(dtype, shapes(1, 1)), min_size=2, max_size=3))
    call("meshgrid", *rows, **kw)


@given(arrays(shape=shapes(2, 4)), keywords(k=st.integers(-5, 5)),
       st.sampled_from(("tril", "triu")))
def test_tril_triu(x, kw, name):
    call(name, x, **kw)


@given(arrays())
def test_from_dlpack(x):
    made = to_ours(x)
    shared = ours.from_dlpack(made)
    assert shared.data_ptr() == made.data_ptr() and shared.dtype is made.dtype
    assert made.__dlpack_device__()[0] == 1 and shared.shape == made.shape
    if x.size:
        assert numpy.array_equal(numpy.from_dlpack(shared), x, equal_nan=x.dtype.kind in "fc")


def test_arrays_of_hypothesis():
    """Its own strategies, on which the suite stands, make arrays of every dtype."""
    xps = make_strategies_namespace(ours, api_version="2023.12")

    for dtype in ALL:
        @given(xps.arrays(getattr(ours, dtype), xps.array_shapes(min_dims=0, min_side=0)))
        def made(x):
            assert x.dtype is getattr(ours, dtype)
        made()


# ---------------------------------------------------------------------------- dtypes


@given(st.data(), any_dtype, any_dtype, keywords(copy=st.booleans()))
def test_astype(data, a, b, kw):
    assume(a not in COMPLEX or b in COMPLEX + ("bool",))
    small = 100 if b in INTEGRAL or b == "bool" else None
    x = data.draw(arrays(a, nan=b not in INTEGRAL, limit=small))
    if b.startswith("uint") and x.dtype.kind in "if":
        x = abs(x)
    call("astype", x, DTYPE + b, **kw)
    made = to_ours(x)
    if a == b and x.size:
        same = ours.astype(made, getattr(ours, b), **kw).data_ptr() == made.data_ptr()
        assert same == (not kw.get("copy", True))


@given(any_dtype, any_dtype)
def test_can_cast(a, b):
    if promotes(a, b):
        call("can_cast", DTYPE + a, DTYPE + b)


@given(st.sampled_from(pairs_of(ALL)), st.data())
def test_result_type(pair, data):
    """Of dtypes and arrays in any order; numbers of the same kind change nothing."""
    a, b = pair
    wanted = numpy.result_type(a, b).name
    number = True if wanted == "bool" else 1
    items = [data.draw(st.sampled_from((getattr(ours, d), ours.zeros(
        data.draw(shapes()), dtype=getattr(ours, d))))) for d in (a, b)]
    got = ours.result_type(*data.draw(st.permutations(items + [number])))
    assert got is getattr(ours, wanted), (a, b, got)


def test_finfo():
    for dtype in REAL + COMPLEX:
        wanted = numpy.finfo(dtype)
        for of in (getattr(ours, dtype), ours.ones((), dtype=getattr(ours, dtype))):
            got = ours.finfo(of)
            for field in ("eps", "max", "min", "smallest_normal"):
                assert type(getattr(got, field)) is float
                assert getattr(got, field) == float(getattr(wanted, field)), (dtype, field)
            assert type(got.bits) is int and got.bits == wanted.bits
            assert got.dtype == getattr(ours, wanted.dtype.name), (dtype, got.dtype)


def test_iinfo():
    for dtype in INTEGRAL:
        wanted = numpy.iinfo(dtype)
        for of in (getattr(ours, dtype), ours.ones((), dtype=getattr(ours, dtype))):
            got = ours.iinfo(of)
            assert [type(getattr(got, f)) for f in ("bits", "max", "min")] == [int] * 3
            assert (got.bits, got.max, got.min) == (wanted.bits, wanted.max, wanted.min)
            assert got.dtype == getattr(ours, dtype), (dtype, got.dtype)


KINDS = {"bool": ("bool",), "signed integer": INTEGRAL[:4], "unsigned integer": INTEGRAL[4:],
         "integral": INTEGRAL, "real floating": REAL, "complex floating": COMPLEX,
         "numeric": NUMERIC}
atomic = st.sampled_from(sorted(KINDS)) | named(any_dtype)


@given(any_dtype, atomic | st.lists(atomic, min_size=1).map(tuple))
def test_isdtype(dtype, kinds):
    parts = kinds if isinstance(kinds, tuple) else (kinds,)
    wanted = any(dtype in KINDS.get(part, (part[len(DTYPE):],)) for part in parts)
    given_parts = tuple(getattr(ours, p[len(DTYPE):]) if p.startswith(DTYPE) else p
                        for p in parts)
    got = ours.isdtype(getattr(ours, dtype),
                       given_parts if isinstance(kinds, tuple) else given_parts[0])
    assert got is wanted


def test_dtypes_are_equal_to_themselves_alone():
    for a in ALL:
        for b in ALL:
            assert (getattr(ours, a) == getattr(ours, b)) is (a == b)
            assert (getattr(ours, a) != getattr(ours, b)) is (a != b)
    assert ours.bool is opyard.bool and math.isnan(ours.nan)
