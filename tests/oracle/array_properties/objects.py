# SPDX-License-Identifier: Apache-2.0
"""Arrays themselves: attributes, methods, signs, indices, and what a namespace tells."""
import inspect
import math
import operator

import numpy
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hn

import opyard
from common import (ALL, COMPLEX, INTEGRAL, REAL, arrays, as_numpy, assert_same, numbers, ours,
                    pairs_of, shapes, strict, to_ours, to_strict)

# uint16, uint32 and uint64 hold numbers and are computed by functions alone: the signs of a
# Tensor are PyTorch's, which has none for them.
SIGNED_BY_PYTORCH = ("int8", "int16", "int32", "int64", "uint8") + REAL + COMPLEX
KINDS = {"b": ("bool",), "i": SIGNED_BY_PYTORCH[:5], "f": REAL, "c": COMPLEX}

BINARY = {"add": "ifc", "sub": "ifc", "mul": "ifc", "truediv": "fc", "floordiv": "i",
          "mod": "i", "and_": "bi", "or_": "bi", "xor": "bi", "lt": "if", "le": "if",
          "gt": "if", "ge": "if", "eq": "bifc", "ne": "bifc", "lshift": "i", "rshift": "i"}
IN_PLACE = {"iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "truediv",
            "ifloordiv": "floordiv", "imod": "mod", "iand": "and_", "ior": "or_",
            "ixor": "xor", "ilshift": "lshift", "irshift": "rshift"}
UNARY = {"neg": "ifc", "pos": "ifc", "abs": "ifc", "invert": "bi"}


def dtypes_of(kinds):
    return [dtype for kind in kinds for dtype in KINDS[kind]]


def defined(name, a, b):
    """Without what the standard leaves open."""
    if name in ("floordiv", "mod"):
        assume(numpy.all(b != 0))
    if name in ("truediv",) and numpy.asarray(b).dtype.kind == "c":
        assume(numpy.all(abs(b) > 1e-3))


def prepare(name, b):
    return b % 8 if name in ("lshift", "rshift") else b


def same(got, wanted):
    loose = wanted._array.dtype.name in ("complex64", "float32")
    assert_same(got, wanted, 2e-4 if loose else 1e-10, 1e-30)


def sign(name, kinds):
    @given(st.data())
    def test(data):
        dtypes = dtypes_of(kinds)
        a, b = data.draw(st.sampled_from(pairs_of(dtypes)))
        found = data.draw(hn.mutually_broadcastable_shapes(
            num_shapes=2, min_dims=1, max_dims=3, max_side=4)).input_shapes
        x = data.draw(arrays(a, found[0], nan=False, limit=100))
        y = prepare(name, data.draw(arrays(b, found[1], nan=False, limit=100)))
        defined(name, x, y)
        function = getattr(operator, name)
        with numpy.errstate(all="ignore"):
            wanted = function(to_strict(x), to_strict(y))
        same(function(to_ours(x), to_ours(y)), wanted)
        z = data.draw(numbers(a, nan=False, limit=50))
        z = prepare(name, z)
        defined(name, x, z)
        with numpy.errstate(all="ignore"):
            wanted = function(to_strict(x), z)
        same(function(to_ours(x), z), wanted)
    return test


for _name, _kinds in BINARY.items():
    globals()["test_sign_" + _name.strip("_")] = sign(_name, _kinds)


def in_place(name, kinds):
    @given(st.data())
    def test(data):
        dtypes = dtypes_of(kinds)
        a, b = data.draw(st.sampled_from([p for p in pairs_of(dtypes) if numpy.result_type(
            *p) == p[0]]))
        x = data.draw(arrays(a, shapes(1), nan=False, limit=100))
        y = prepare(IN_PLACE[name], data.draw(arrays(b, x.shape, nan=False, limit=100)))
        defined(IN_PLACE[name], x, y)
        mine, theirs = to_ours(x), to_strict(x)
        before = mine
        function = getattr(operator, name)
        with numpy.errstate(all="ignore"):
            theirs = function(theirs, to_strict(y))
        mine = function(mine, to_ours(y))
        assert mine is before
        same(mine, theirs)
    return test


for _name, _base in IN_PLACE.items():
    globals()["test_sign_" + _name] = in_place(_name, BINARY[_base])


def unary(name, kinds):
    @given(arrays(dtypes_of(kinds), nan=False, limit=100))
    def test(x):
        same(getattr(operator, name)(to_ours(x)), getattr(operator, name)(to_strict(x)))
    return test


for _name, _kinds in UNARY.items():
    globals()["test_sign_" + _name] = unary(_name, _kinds)


@given(st.data())
def test_sign_pow(data):
    a, b = data.draw(st.sampled_from(pairs_of(SIGNED_BY_PYTORCH)))
    shape = data.draw(shapes(1))
    x = data.draw(arrays(a, shape, nan=False, limit=6))
    y = data.draw(arrays(b, shape, nan=False, limit=3))
    y = abs(y).astype(b)
    if x.dtype.kind in "fc":
        x = (abs(x) + 1).astype(a)
    same_pow = to_ours(x) ** to_ours(y), to_strict(x) ** to_strict(y)
    assert_same(*same_pow, 1e-3, 1e-5)


@given(st.data())
def test_sign_matmul(data):
    a, b = data.draw(st.sampled_from(pairs_of(REAL)))
    assume(a == b)  # PyTorch multiplies matrices of one dtype
    n, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    x = data.draw(arrays(a, (n, k), nan=False, limit=9))
    y = data.draw(arrays(b, (k, m), nan=False, limit=9))
    assert_same(to_ours(x) @ to_ours(y), to_strict(x) @ to_strict(y), 1e-3, 1e-3)


# -------------------------------------------------------------------------- indices


@st.composite
def keys(draw, shape, newaxis):
    """Without slices that go backward: PyTorch has no views with negative strides."""
    key = draw(hn.basic_indices(shape, allow_newaxis=newaxis, allow_ellipsis=True))
    parts = key if isinstance(key, tuple) else (key,)
    assume(all(not isinstance(p, slice) or p.step is None or p.step > 0 for p in parts))
    return key


@given(st.data(), arrays())
def test_getitem(data, x):
    key = data.draw(keys(x.shape, True))
    assert_same(to_ours(x)[key], to_strict(x[key].copy() if x[key].shape else numpy.asarray(
        x[key])))


@given(st.data(), arrays(shape=shapes(1)))
def test_setitem(data, x):
    key = data.draw(keys(x.shape, False))
    wanted = x.copy()
    part = wanted[key]
    single = data.draw(st.booleans()) or part.shape == ()
    value = data.draw(numbers(x.dtype.name)) if single else data.draw(
        arrays(x.dtype.name, part.shape))
    wanted[key] = value
    mine = to_ours(x)
    mine[key] = value if single else to_ours(value)
    assert_same(mine, to_strict(wanted))


@given(st.data(), arrays())
def test_getitem_masking(data, x):
    mask = data.draw(arrays("bool", x.shape))
    assert_same(to_ours(x)[to_ours(mask)], to_strict(x[mask]))


@given(st.data(), arrays())
def test_setitem_masking(data, x):
    mask = data.draw(arrays("bool", x.shape))
    value = data.draw(numbers(x.dtype.name))
    wanted, mine = x.copy(), to_ours(x)
    wanted[mask] = value
    mine[to_ours(mask)] = value
    assert_same(mine, to_strict(wanted))


# -------------------------------------------------------------- attributes, methods


@given(st.data(), st.sampled_from(ALL))
def test_scalar_casting(data, dtype):
    number = data.draw(numbers(dtype, nan=False))
    x = ours.asarray(number, dtype=getattr(ours, dtype))
    if dtype == "bool":
        assert bool(x) is number
    elif dtype in INTEGRAL:
        assert int(x) == number and operator.index(x) == number and type(int(x)) is int
        assert bool(x) is bool(number)
    elif dtype in REAL:
        assert float(x) == number and type(float(x)) is float
    else:
        assert complex(x) == number


@given(arrays(shape=shapes(2)))
def test_array_attributes(x):
    made = to_ours(x)
    assert made.ndim == x.ndim and made.shape == x.shape and isinstance(made.shape, tuple)
    assert made.dtype is getattr(ours, x.dtype.name) and made.device == opyard.device("cpu")
    assert_same(made.mT, to_strict(numpy.swapaxes(x, -1, -2).copy()))
    if x.ndim == 2:
        assert_same(made.T, to_strict(x.T.copy()))
    assert made.to_device("cpu") is made or made.to_device("cpu").data_ptr() == made.data_ptr()
    assert made.__array_namespace__() is ours


def test_has_names():
    """Every name of the standard that array-api-strict has, of functions and of methods."""
    later = {"Device", "ModuleType", "count_nonzero", "diff", "nextafter", "reciprocal",
             "take_along_axis", "broadcast_shapes", "isin"}
    for name in dir(strict):
        value = getattr(strict, name)
        if name.startswith("_") or "flag" in name.lower() or inspect.ismodule(value):
            continue
        assert hasattr(ours, name) or name in later, name
    methods = [name for name in dir(strict.asarray(1)) if name.startswith("__")
               and name not in dir(object)]
    x = ours.ones((2, 2))
    own = {"__annotations__", "__array__", "__buffer__", "__dict__", "__module__", "__slots__",
           "__weakref__", "__imatmul__"}  # the last PyTorch has not: x @= y is x = x @ y
    missing = [name for name in methods if not hasattr(x, name) and name not in own]
    assert not missing, missing


def test_inspection():
    info = ours.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.capabilities()["boolean indexing"] is True
    for device in [None] + list(info.devices()):
        kinds = info.default_dtypes(device=device)
        assert kinds == {"real floating": ours.float32, "complex floating": ours.complex64,
                         "integral": ours.int64, "indexing": ours.int64}
        assert sorted(info.dtypes(device=device)) == sorted(ALL)
        assert sorted(info.dtypes(device=device, kind=("bool", "real floating"))) == [
            "bool", "float32", "float64"]
    assert (ours.pi, ours.e, ours.inf, ours.newaxis) == (math.pi, math.e, math.inf, None)
    assert as_numpy(ours.ones(2)).dtype == "float32"
