# SPDX-License-Identifier: Apache-2.0
"""Arrays, shapes and arguments that hypothesis draws, and one call in both libraries."""
import math
import operator

import array_api_strict as strict
import numpy
from hypothesis import assume, strategies as st
from hypothesis.extra import numpy as hn

import opyard

strict.set_array_api_strict_flags(api_version="2023.12")
ours = opyard.array_api

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGRAL = SIGNED + UNSIGNED
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMERIC = INTEGRAL + REAL + COMPLEX
ALL = ("bool",) + NUMERIC
KINDS = {"b": ("bool",), "s": SIGNED, "i": INTEGRAL, "f": REAL, "c": COMPLEX}
DTYPE = "dtype:"  # before the name of a dtype among arguments


def dtypes_of(kinds):
    return [dtype for kind in kinds for dtype in KINDS[kind]]


def promotes(a, b):
    """Whether the standard has a common dtype of both, within one kind."""
    kinds = [next(k for k in "bifc" if d in KINDS[k]) for d in (a, b)]
    return kinds[0] == kinds[1] and not (
        "uint64" in (a, b) and (a in SIGNED or b in SIGNED))


def pairs_of(dtypes):
    return [(a, b) for a in dtypes for b in dtypes if promotes(a, b)]


# ------------------------------------------------------------------------- drawing


def shapes(least=0, most=3, side=4, empty=True):
    return hn.array_shapes(min_dims=least, max_dims=most, min_side=0 if empty else 1,
                           max_side=side)


def numbers(dtype, nan=True, limit=None):
    """What the standard says much about: zeros with signs, ends, NaN, infinities."""
    if dtype == "bool":
        return st.booleans()
    if dtype in INTEGRAL:
        info = numpy.iinfo(dtype)
        low, high = (info.min, info.max) if limit is None else (
            max(-limit, info.min), min(limit, info.max))
        return st.integers(low, high)
    width = 32 if dtype in ("float32", "complex64") else 64
    most = (1e9 if width == 32 else 1e30) if limit is None else limit
    most = float(numpy.float32(most))
    real = st.floats(-most, most, width=width, allow_subnormal=False)
    if nan:
        real = real | st.sampled_from([math.nan, math.inf, -math.inf, -0.0])
    real = real.filter(lambda v: v == 0 or abs(v) > 1e-9 or v != v)
    return real if dtype in REAL else st.builds(complex, real, real)


@st.composite
def arrays(draw, dtypes=ALL, shape=None, nan=True, limit=None):
    dtype = draw(st.sampled_from(list(dtypes))) if not isinstance(dtypes, str) else dtypes
    shape = draw(shapes()) if shape is None else draw(shape) if isinstance(
        shape, st.SearchStrategy) else shape
    return draw(hn.arrays(dtype, shape, elements=numbers(dtype, nan, limit)))


@st.composite
def two_arrays(draw, dtypes, nan=True, limit=None):
    """Of shapes that broadcast and dtypes that promote."""
    a, b = draw(st.sampled_from(pairs_of(dtypes)))
    one, other = draw(hn.mutually_broadcastable_shapes(
        num_shapes=2, max_dims=3, max_side=4, min_side=0)).input_shapes
    return draw(arrays(a, one, nan, limit)), draw(arrays(b, other, nan, limit))


def axes(ndim):
    one = st.none()
    if ndim:
        one |= st.integers(-ndim, ndim - 1) | hn.valid_tuple_axes(ndim)
    return one


@st.composite
def keywords(draw, **strategies):
    """Some of them, so that the defaults are tried as well."""
    return {name: draw(value) for name, value in strategies.items() if draw(st.booleans())}


# ------------------------------------------------------------------------- calling


def to_ours(x):
    made = ours.asarray(memoryview(x.copy(order="C"))) if x.ndim and x.size and (
        x.dtype.kind != "c") else ours.asarray(x.tolist(), dtype=getattr(ours, x.dtype.name))
    made = made if made.dtype is getattr(ours, x.dtype.name) else ours.astype(
        made, getattr(ours, x.dtype.name))
    return ours.asarray(ours.reshape(made, x.shape), copy=True)


def to_strict(x):
    return strict.asarray(x.copy())


def convert(value, make):
    if isinstance(value, numpy.ndarray):
        return make(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], numpy.ndarray):
        return type(value)(make(item) for item in value)
    if isinstance(value, str) and value.startswith(DTYPE):
        return getattr(ours if make is to_ours else strict, value[len(DTYPE):])
    return value


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def as_numpy(value):
    """Of an array of either library; numbers stay what they are."""
    if isinstance(value, opyard.Tensor):
        assert tuple(value.shape) == value.shape and value.ndim == len(value.shape)
        name = value.dtype.name
        array = numpy.asarray(value.tolist(), dtype=name).reshape(tuple(value.shape))
        assert array.dtype.name == name
        return array
    return value._array if hasattr(value, "_array") else value


def name_of(dtype):
    return getattr(dtype, "name", None) or dtype._np_dtype.name


def near(a, b, relative, absolute):
    """Complex numbers as points, so that a part may be lost beside a large one."""
    with numpy.errstate(all="ignore"):
        same = (a == b) | ((a != a) & (b != b))
        finite = numpy.isfinite(a) & numpy.isfinite(b)
        close = numpy.abs(a - b) <= absolute + relative * numpy.abs(b)
    return bool(numpy.all(same | finite & close))


def assert_same(got, wanted, relative=None, absolute=0):
    """Structure, dtypes, shapes and values; of floating point near enough."""
    got, wanted = leaves(got), leaves(wanted)
    assert len(got) == len(wanted), f"{len(got)} results, not {len(wanted)}"
    for a, b in zip(got, wanted):
        a, b = as_numpy(a), as_numpy(b)
        if not isinstance(b, numpy.ndarray):
            assert type(a) is type(b) and a == b, f"{a!r}, not {b!r}"
            continue
        assert isinstance(a, numpy.ndarray), f"{a!r}, not an array"
        assert a.dtype == b.dtype, f"dtype {a.dtype}, not {b.dtype}"
        assert a.shape == b.shape, f"shape {a.shape}, not {b.shape}"
        if b.dtype.kind not in "fc":
            assert numpy.array_equal(a, b), f"{a}, not {b}"
            continue
        size = b.dtype.itemsize // (2 if b.dtype.kind == "c" else 1)
        tolerance = relative if relative is not None else 2e-5 if size == 4 else 1e-11
        assert near(a, b, tolerance, absolute), f"{a}, not {b}"


def call(name, *args, relative=None, absolute=0, signs=False, **kwargs):
    """The same call in both: results, and that arguments are as they were. What
    array-api-strict refuses with TypeError the standard leaves open."""
    sides = []
    for library, make in ((strict, to_strict), (ours, to_ours)):
        made = [convert(a, make) for a in args]
        named = {key: convert(value, make) for key, value in kwargs.items()}
        try:
            with numpy.errstate(all="ignore"):
                result = operator.attrgetter(name)(library)(*made, **named)
        except Exception as error:
            result = error
        if library is strict:
            assume(not isinstance(result, TypeError))
        sides.append(result)
        if library is ours:
            for before, after in zip(leaves(args), leaves(made)):
                if isinstance(before, numpy.ndarray):
                    assert_same(after, before, 0)
    wanted, got = sides
    if isinstance(wanted, Exception):
        assert isinstance(got, Exception), f"no error; strict: {wanted!r}"
        return None
    if isinstance(got, Exception):
        raise got
    assert_same(got, wanted, relative, absolute)
    if signs:
        assert_same_signs(got, wanted)
    return got


def assert_same_signs(got, wanted):
    a, b = as_numpy(got), as_numpy(wanted)
    if b.dtype.kind == "f":
        known = ~numpy.isnan(b)
        assert numpy.array_equal(numpy.signbit(a[known]), numpy.signbit(b[known])), \
            f"signs of {a}, not of {b}"
