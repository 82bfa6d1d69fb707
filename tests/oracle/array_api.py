# SPDX-License-Identifier: Apache-2.0
"""opyard.array_api beside array-api-strict, function by function and dtype by dtype: values,
dtypes, shapes and signatures, as a table; array_properties/ draws arrays and arguments.

    ./yard oracle array-api [NAME...]
"""
import inspect
import itertools
import sys
import warnings

import array_api_strict as strict
import numpy

import opyard

warnings.simplefilter("ignore")
strict.set_array_api_strict_flags(api_version="2023.12")
ours = opyard.tensor([0]).__array_namespace__(api_version="2023.12")

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGRAL = SIGNED + UNSIGNED
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMERIC = INTEGRAL + REAL + COMPLEX
ALL = ("bool",) + NUMERIC
KINDS = {"b": ("bool",), "i": INTEGRAL, "f": REAL, "c": COMPLEX}

# name, kinds of dtypes that the standard has it for.
UNARY = """
abs ifc; acos fc; acosh fc; asin fc; asinh fc; atan fc; atanh fc; bitwise_invert bi; ceil if;
conj c; cos fc; cosh fc; exp fc; expm1 fc; floor if; imag c; isfinite ifc; isinf ifc;
isnan ifc; log fc; log1p fc; log2 fc; log10 fc; logical_not b; negative ifc; positive ifc;
real c; round ifc; sign ifc; signbit f; sin fc; sinh fc; square ifc; sqrt fc; tan fc; tanh fc;
trunc if
"""
BINARY = """
add ifc; atan2 f; bitwise_and bi; bitwise_left_shift i; bitwise_or bi; bitwise_right_shift i;
bitwise_xor bi; copysign f; divide fc; equal bifc; floor_divide if; greater if;
greater_equal if; hypot f; less if; less_equal if; logaddexp f; logical_and b; logical_or b;
logical_xor b; maximum if; minimum if; multiply ifc; not_equal bifc; pow ifc; remainder if;
subtract ifc
"""

# What is not compared, with the reason.
DIFFERENT = {
    ("sort", "bool"): "the standard has no order of bool",
    ("signature", "from_dlpack"): "array-api-strict has a default of its own for None",
    ("signature", "astype"): "device=None is the standard's; array-api-strict has another",
    ("signature", "expand_dims"): "its axis has a default of 0 in the standard",
}

failures, passed = [], 0


def dtypes_of(kinds):
    return [dtype for kind in kinds for dtype in KINDS[kind]]


def sample(dtype, shape, rng, kind=""):
    """Small numbers of a dtype; of integers also the ends of the range."""
    if dtype == "bool":
        return numpy.asarray(rng.integers(0, 2, shape)).astype(bool)
    if dtype in INTEGRAL:
        info = numpy.iinfo(dtype)
        low = 1 if kind in ("positive", "small") else (-9 if dtype in SIGNED else 0)
        x = numpy.asarray(rng.integers(low, 6 if kind == "small" else 10, shape)).astype(dtype)
        if kind == "" and x.size > 3:
            x.flat[0], x.flat[1] = info.max, info.min
        if kind == "positive" and x.size > 3:
            x.flat[0], x.flat[1] = info.max, info.max // 2
        return x
    x = rng.standard_normal(shape) * 2
    if dtype in COMPLEX:
        x = x + 1j * rng.standard_normal(shape)
    if kind in ("positive", "small"):
        x = numpy.abs(x) + 0.1
    return numpy.asarray(x).astype(dtype).reshape(shape)


def to_ours(x):
    made = ours.asarray(x.tolist(), dtype=getattr(ours, x.dtype.name))
    return ours.reshape(made, x.shape)


def convert(value, make):
    if isinstance(value, numpy.ndarray):
        return make(value)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], numpy.ndarray):
        return type(value)(make(numpy.asarray(item)) for item in value)
    if isinstance(value, str) and value.startswith("dtype:"):
        return getattr(ours if make is to_ours else strict, value[6:])
    return value


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def as_numpy(value):
    """(array, name of its dtype), of an array, dtype or number."""
    if isinstance(value, opyard.Tensor):
        name = value.dtype.name
        return numpy.asarray(value), name
    if hasattr(value, "_array"):
        return value._array, value._array.dtype.name
    return numpy.array(value if isinstance(value, (bool, int, float, complex)) else 0), \
        getattr(value, "name", getattr(getattr(value, "_np_dtype", None), "name",
                                       type(value).__name__))


def compare(got, wanted, tolerance):
    got, wanted = leaves(got), leaves(wanted)
    if len(got) != len(wanted):
        return f"{len(got)} results, not {len(wanted)}"
    for a, b in zip(got, wanted):
        (a, a_type), (b, b_type) = as_numpy(a), as_numpy(b)
        if a_type != b_type:
            return f"dtype {a_type}, not {b_type}"
        if a.shape != b.shape:
            return f"shape {a.shape}, not {b.shape}"
        same = numpy.allclose(a, b, tolerance, tolerance, equal_nan=True) \
            if a.dtype.kind in "fc" else numpy.array_equal(a, b)
        if not same:
            return f"{a.tolist()}, not {b.tolist()}"[:200]
    return ""


def check(name, dtype, /, *args, **kwargs):
    """Both libraries with the same arguments."""
    global passed
    if (name, dtype) in DIFFERENT:
        return
    tolerance = 3e-5 if dtype in ("float32", "complex64") else 1e-10
    label = f"{name} {dtype} {[getattr(a, 'shape', a) for a in args]} {kwargs}"
    results = []
    for library, make in ((ours, to_ours), (strict, strict.asarray)):
        try:
            results.append(getattr(library, name)(
                *(convert(a, make) for a in args),
                **{k: convert(v, make) for k, v in kwargs.items()}))
        except Exception as error:  # told below
            results.append(error)
    got, wanted = results
    if isinstance(wanted, TypeError):
        found = ""  # dtypes for which the standard leaves the result open
    elif isinstance(wanted, Exception):
        found = "" if isinstance(got, Exception) else f"no error; strict: {wanted!r}"
    elif isinstance(got, Exception):
        found = f"{type(got).__name__}: {got}"
    else:
        found = compare(got, wanted, tolerance)
    if found:
        failures.append(f"{label}: {found}")
    else:
        passed += 1


def entries(table):
    for entry in table.replace("\n", " ").split(";"):
        name, kinds = entry.split()
        yield name, dtypes_of(kinds)


SHAPES = ((), (7,), (2, 3), (0, 2))


def elementwise(rng):
    for name, dtypes in entries(UNARY):
        for dtype, shape in itertools.product(dtypes, SHAPES):
            kind = "positive" if name in ("log", "log2", "log10", "sqrt", "acosh") else ""
            x = sample(dtype, shape, rng, kind)
            if name in ("acos", "asin", "atanh") and dtype in REAL:
                x = numpy.clip(x / 8, -0.9, 0.9).astype(dtype)
            check(name, dtype, x + 1 if name == "acosh" and dtype in REAL else x)
        for dtype in set(dtypes) & set(REAL):
            check(name, dtype, numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 0.5,
                                            1e-8, 2.5, 3.5, -0.5, 1e30], dtype=dtype))
    for name, dtypes in entries(BINARY):
        for dtype in dtypes:
            for a, b in (((7,), (7,)), ((2, 3), (3,)), ((), (4,)), ((2, 1), (1, 3))):
                second = "positive" if name in ("floor_divide", "remainder") else ""
                if "shift" in name or name == "pow" and dtype in INTEGRAL:
                    second = "small"
                first = "positive" if name == "pow" and dtype in REAL else ""
                check(name, dtype, sample(dtype, a, rng, first), sample(dtype, b, rng, second))
        for dtype in set(dtypes) & set(REAL):
            special = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 2.0], dtype)
            if name not in ("floor_divide", "remainder"):
                check(name, dtype, special[:, None], special[None, :])
        mixed = [(a, b) for a, b in itertools.permutations(dtypes, 2)
                 if promotes(a, b) and name not in ("bitwise_left_shift", "bitwise_right_shift")]
        for a, b in mixed:
            x, y = sample(a, (4,), rng, "small"), sample(b, (4,), rng, "small")
            check(name, b if b in ("float32", "complex64") else a if a in (
                "float32", "complex64") else a, x, y)
            check(name, "float32" if "32" in a + b else a, x, y[:1].reshape(()))
    for dtype in INTEGRAL + REAL:
        x = sample(dtype, (2, 3), rng)
        check("clip", dtype, x)
        check("clip", dtype, x, 2, 5)
        check("clip", dtype, x, max=3)
        check("clip", dtype, x, sample(dtype, (3,), rng, "small"))


def promotes(a, b):
    def kind(d):
        return "b" if d == "bool" else "i" if d in INTEGRAL else "f"
    return kind(a) == kind(b) and not ("uint64" in (a, b) and set((a, b)) & set(SIGNED))


def dtypes(rng):
    for a in ALL:
        x = sample(a, (3,), rng, "small")
        for b in ALL:
            check("can_cast", a, "dtype:" + a, "dtype:" + b)
            if promotes(a, b):
                check("result_type", a, x, "dtype:" + b)
            if not (a in COMPLEX and b not in COMPLEX + ("bool",)):
                check("astype", b, x, "dtype:" + b)
        for kind in ("bool", "signed integer", "unsigned integer", "integral", "real floating",
                     "complex floating", "numeric"):
            check("isdtype", a, "dtype:" + a, kind)
    for library_name, names in (("finfo", REAL + COMPLEX), ("iinfo", INTEGRAL)):
        for name in names:
            a = getattr(ours, library_name)(getattr(ours, name))
            b = getattr(strict, library_name)(getattr(strict, name))
            fields = ("bits", "max", "min") + (("eps", "smallest_normal")
                                               if library_name == "finfo" else ())
            for field in fields:
                one = numpy.array([getattr(a, field), getattr(b, field)])
                expect(f"{library_name} {name}.{field}", one[0] == one[1], one)


def expect(label, holds, seen=""):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(f"{label}: {seen}")


def creation(rng):
    for args, kwargs in (((5,), {}), ((2, 5), {}), ((0, 1, 0.25), {}), ((5, 0, -2), {}),
                         ((3, 1), {}), ((1.5, 4), {}), ((4,), {"dtype": "dtype:float64"}),
                         ((4,), {"dtype": "dtype:uint16"}), ((-3, 3), {"dtype": "dtype:int8"})):
        default = kwargs or {"dtype": "dtype:float64"} if any(
            isinstance(a, float) for a in args) else kwargs
        check("arange", "", *args, **default)
    for dtype in ALL:
        d = {"dtype": "dtype:" + dtype}
        x = sample(dtype, (2, 3), rng)
        for shape in (3, (2, 3), (), (0, 2)):
            for name in ("zeros", "ones"):
                check(name, dtype, shape, **d)
            check("full", dtype, shape, 1, **d)
            expect(f"empty {dtype}", tuple(ours.empty(shape, dtype=getattr(ours, dtype)).shape)
                   == (shape if isinstance(shape, tuple) else (shape,)))
        for name in ("zeros_like", "ones_like"):
            check(name, dtype, x)
            check(name, dtype, x, dtype="dtype:int16")
        check("full_like", dtype, x, 1)
        for k in (-1, 0, 2, 9):
            check("eye", dtype, 3, 4, k=k, **d)
            check("tril", dtype, x, k=k)
            check("triu", dtype, x, k=k)
        check("meshgrid", dtype, x[0], x[:, 0])
        check("meshgrid", dtype, x[0], x[:, 0], x[1], indexing="ij")
        check("asarray", dtype, x)
        check("asarray", dtype, x, copy=True)
    for dtype in REAL:
        for num, endpoint in ((5, True), (5, False), (1, True), (0, True)):
            check("linspace", dtype, -1, 3, num, endpoint=endpoint, dtype="dtype:" + dtype)
    check("asarray", "", [[1, 2], [3, 4]])
    check("asarray", "", [True, False])
    check("asarray", "", [1, 2], dtype="dtype:uint64")
    check("full", "", (2,), True)
    check("tril", "", numpy.zeros(3))


def manipulation(rng):
    for dtype in ALL:
        x, row = sample(dtype, (2, 3, 4), rng), sample(dtype, (5,), rng)
        point = sample(dtype, (), rng)
        check("broadcast_arrays", dtype, x, x[0, 0], point)
        check("broadcast_to", dtype, row, (3, 5))
        for axis in (0, -1, 1):
            check("concat", dtype, [x, x], axis=axis)
            check("stack", dtype, [x, x], axis=axis)
            check("unstack", dtype, x, axis=axis)
            check("expand_dims", dtype, x, axis=axis)
            check("flip", dtype, x, axis=axis)
            check("roll", dtype, x, 2, axis=axis)
            check("repeat", dtype, x, 2, axis=axis)
            check("take", dtype, x, numpy.array([1, 0]), axis=axis)
        check("concat", dtype, [x, row], axis=None)
        check("flip", dtype, x)
        check("flip", dtype, x, axis=(0, 2))
        check("roll", dtype, x, -3)
        check("roll", dtype, x, (1, -1), axis=(0, 2))
        check("squeeze", dtype, x[:1], 0)
        check("squeeze", dtype, x, 0)
        check("squeeze", dtype, x[:, :1, :1], (1, 2))
        check("permute_dims", dtype, x, (2, 0, 1))
        check("moveaxis", dtype, x, 0, -1)
        check("moveaxis", dtype, x, (0, 1), (1, 2))
        for shape in ((6, 4), (-1,), (3, -1, 2)):
            check("reshape", dtype, x, shape)
            check("reshape", dtype, x, shape, copy=True)
        check("tile", dtype, row, (2,))
        check("tile", dtype, x, (2, 1))
        check("repeat", dtype, row, numpy.array([1, 0, 2, 1, 3]))
        check("expand_dims", dtype, x, axis=5)
        check("concat", dtype, [x, x], axis=7)
    for a, b in itertools.permutations(INTEGRAL, 2):
        if promotes(a, b):
            check("concat", a, [sample(a, (2,), rng), sample(b, (3,), rng)])


def searching(rng):
    for dtype in ALL:
        x = sample(dtype, (4, 5), rng)
        check("nonzero", dtype, x)
        check("nonzero", dtype, sample(dtype, (), rng))
        check("where", dtype, x != 0, x, sample(dtype, (5,), rng))
        for name in ("unique_counts", "unique_inverse", "unique_values", "unique_all"):
            check(name, dtype, sample(dtype, (12,), rng, "" if dtype in INTEGRAL else "small"))
            check(name, dtype, sample(dtype, (2, 3), rng))
        if dtype in COMPLEX + ("bool",):
            continue
        for axis in (0, -1):
            for keepdims in (False, True):
                check("argmax", dtype, x, axis=axis, keepdims=keepdims)
                check("argmin", dtype, x, axis=axis, keepdims=keepdims)
            for descending in (False, True):
                check("sort", dtype, x, axis=axis, descending=descending)
                check("argsort", dtype, x, axis=axis, descending=descending)
        check("argmax", dtype, x)
        check("argmin", dtype, x, keepdims=True)
        ladder = numpy.sort(sample(dtype, (7,), rng))
        for side in ("left", "right"):
            check("searchsorted", dtype, ladder, sample(dtype, (5,), rng), side=side)
        check("searchsorted", dtype, ladder[::-1], sample(dtype, (5,), rng),
              sorter=numpy.arange(7)[::-1])
        check("take", dtype, x[0], numpy.array([3, 0, 0]))
    for dtype in REAL:
        check("unique_all", dtype, numpy.array([numpy.nan, 1, numpy.nan, 0.0, 1], dtype))


def statistical(rng):
    axes = (None, 0, -1, (0, 2), ())
    for dtype in ALL:
        x = sample(dtype, (2, 3, 4), rng, "" if dtype in INTEGRAL else "small")
        for axis, keepdims in itertools.product(axes, (False, True)):
            more = {"axis": axis, "keepdims": keepdims}
            check("all", dtype, x, **more)
            check("any", dtype, x, **more)
            if dtype == "bool":
                continue
            check("sum", dtype, x, **more)
            if axis != ():
                check("prod", dtype, x, **more)
            if dtype in INTEGRAL + REAL:
                check("max", dtype, x, **more)
                check("min", dtype, x, **more)
            if dtype in REAL + COMPLEX and axis != ():
                check("mean", dtype, x, **more)
            if dtype in REAL and axis != ():
                for correction in (0.0, 1):
                    check("var", dtype, x, correction=correction, **more)
                    check("std", dtype, x, correction=correction, **more)
        if dtype != "bool":
            for initial in (False, True):
                check("cumulative_sum", dtype, x, axis=1, include_initial=initial)
                check("cumulative_sum", dtype, x[0, 0], include_initial=initial)
            check("cumulative_sum", dtype, x)
            check("sum", "float64", sample(dtype, (2, 3), rng, "small"), dtype="dtype:complex128" if dtype in COMPLEX
                  else "dtype:float64")
        check("all", dtype, sample(dtype, (0, 2), rng), axis=0)
    check("sum", "int8", numpy.zeros((0, 3), "int8"), axis=0)
    check("mean", "", numpy.arange(3))


def linear(rng):
    for dtype in NUMERIC:
        def make(*shape):
            return sample(dtype, shape, rng, "small")
        for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)),
                     ((5, 2, 3), (3, 2)), ((1, 2, 3), (5, 3, 2)), ((2, 3), (2, 3)), ((), (3,))):
            check("matmul", dtype, make(*a), make(*b))
        check("matrix_transpose", dtype, make(2, 3, 4))
        check("matrix_transpose", dtype, make(2))
        for a, b, axis in (((3,), (3,), -1), ((2, 3), (3,), -1), ((2, 3), (2, 3), -2),
                           ((2, 1, 3), (4, 3), -1)):
            check("vecdot", dtype, make(*a), make(*b), axis=axis)
        check("tensordot", dtype, make(2, 3, 4), make(3, 4, 5))
        check("tensordot", dtype, make(2, 3), make(4, 5), axes=0)
        check("tensordot", dtype, make(2, 3, 4), make(4, 2), axes=((0, 2), (1, 0)))
        check("tensordot", dtype, make(2, 3), make(2, 3), axes=1)


def signatures(rng):
    """Names, kinds and defaults of parameters as array-api-strict has them."""
    for name in ours.__all__:
        function = getattr(ours, name)
        if not inspect.isfunction(function) or not hasattr(strict, name) \
                or name == "__array_namespace_info__" or ("signature", name) in DIFFERENT:
            continue
        a, b = (inspect.signature(f).parameters.values()
                for f in (function, getattr(strict, name)))
        a, b = ([(p.name, p.kind.name, type(p.default).__name__, str(p.default))
                 for p in side if p.name != "_device"] for side in (a, b))
        # A later standard: numbers beside arrays, and what astype() and others gained.
        expect(f"signature of {name}", simple(a) == simple(b), f"{simple(a)}, not {simple(b)}")


def simple(parameters):
    return [(name, kind, "" if "object" in default or "Device" in default else default)
            for name, kind, _, default in parameters]


def inspection(rng):
    info = ours.__array_namespace_info__()
    theirs = strict.__array_namespace_info__()
    expect("default_dtypes", sorted(info.default_dtypes()) == sorted(theirs.default_dtypes()))
    expect("capabilities", set(info.capabilities()) <= set(theirs.capabilities()) | {
        "max dimensions"}, info.capabilities())
    for kind in (None, "bool", "integral", "numeric", ("bool", "real floating")):
        expect(f"dtypes {kind}", sorted(info.dtypes(kind=kind)) == sorted(
            theirs.dtypes(kind=kind)), sorted(info.dtypes(kind=kind)))
    expect("devices", info.default_device() in info.devices())
    for name in ("e", "pi", "newaxis", "inf"):
        expect(name, getattr(ours, name) == getattr(strict, name))
    missing = [name for name in dir(strict) if not name.startswith("_") and callable(
        getattr(strict, name)) and "flags" not in name.lower() and not hasattr(ours, name)]
    later = {"Device", "ModuleType", "count_nonzero", "diff", "nextafter", "reciprocal",
             "take_along_axis"}
    expect("every function is there", not set(missing) - later, sorted(set(missing) - later))


def exchange(rng):
    """DLPack both ways with NumPy of today, which speaks the versioned form."""
    for dtype in ALL:
        array = sample(dtype, (2, 3), rng)
        x = ours.from_dlpack(array)
        expect(f"from_dlpack {dtype}", numpy.array_equal(numpy.asarray(x), array)
               and x.data_ptr() == array.ctypes.data)
        back = numpy.from_dlpack(x)
        expect(f"to numpy {dtype}", back.ctypes.data == array.ctypes.data)
        expect(f"copy {dtype}", numpy.from_dlpack(x, copy=True).ctypes.data != x.data_ptr())
        array.flags.writeable = False
        y = opyard.from_dlpack(array)  # what may only be read is copied
        expect(f"read-only {dtype}", y.data_ptr() != array.ctypes.data
               and numpy.array_equal(numpy.asarray(y), array))


def main(names):
    groups = (elementwise, dtypes, creation, manipulation, searching, statistical, linear,
              signatures, inspection, exchange)
    for group in groups:
        if names and group.__name__ not in names:
            continue
        before, bad = passed, len(failures)
        group(numpy.random.default_rng(7))
        print(f"{group.__name__}: {passed - before} agree, {len(failures) - bad} do not")
    for failure in failures:
        print("FAIL", failure)
    print(f"array_api: {passed} agree with array-api-strict {strict.__version__}, "
          f"{len(failures)} do not")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
