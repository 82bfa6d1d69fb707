# SPDX-License-Identifier: Apache-2.0
"""Functions of each element, of one array and of two; what they give of special values."""
import math

import numpy
from hypothesis import assume, given, strategies as st

from common import (COMPLEX, INTEGRAL, REAL, SIGNED, arrays, call, dtypes_of, numbers, ours,
                    to_ours, two_arrays)

# name, kinds of dtypes, largest number (0: the whole range).
UNARY = """
abs ifc 0; acos fc 50; acosh fc 50; asin fc 50; asinh fc 50; atan fc 50; atanh fc 50;
bitwise_invert bi 0; ceil if 0; conj c 0; cos fc 50; cosh fc 50; exp fc 50; expm1 fc 50;
floor if 0; imag c 0; isfinite ifc 0; isinf ifc 0; isnan ifc 0; log fc 0; log1p fc 50;
log2 fc 0; log10 fc 0; logical_not b 0; negative ifc 0; positive ifc 0; real c 0;
round ifc 0; sign ifc 0; signbit f 0; sin fc 50; sinh fc 50; sqrt fc 0; square ifc 0;
tan fc 50; tanh fc 50; trunc if 0
"""
BINARY = """
add ifc 0; atan2 f 0; bitwise_and bi 0; bitwise_or bi 0; bitwise_xor bi 0; copysign f 0;
divide fc 0; equal bifc 0; floor_divide if 1000; greater if 0; greater_equal if 0; hypot f 0;
less if 0; less_equal if 0; logaddexp f 50; logical_and b 0; logical_or b 0; logical_xor b 0;
maximum if 0; minimum if 0; multiply ifc 0; not_equal bifc 0; remainder if 1000;
subtract ifc 0
"""
EXACT_SIGNS = ("abs", "ceil", "floor", "negative", "positive", "round", "trunc", "sqrt", "square",
               "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p",
               "copysign", "atan2", "multiply", "divide", "add", "subtract")
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5,
           2.0, 3.0, -3.0, 100.0, 1e-4]


def entries(table):
    for entry in table.replace("\n", " ").split(";"):
        name, kinds, limit = entry.split()
        yield name, dtypes_of(kinds), int(limit) or None


def one_array(name, dtypes, limit):
    @given(arrays(dtypes, nan=True, limit=limit))
    def test(x):
        if x.dtype.kind == "c":  # infinite parts are implementation-defined in many
            assume(numpy.isfinite(x).all())
            if name in ("acosh", "acos", "asin", "atanh", "atan", "asinh", "sqrt", "log",
                        "log2", "log10", "log1p", "sign"):
                assume((abs(x.real) > 1e-3).all() and (abs(x.imag) > 1e-3).all())
        if name == "abs" and x.dtype.name in SIGNED and x.size:
            assume(x.min() > numpy.iinfo(x.dtype).min)
        if name == "square" and x.dtype.kind in "iu":
            assume(x.size == 0 or max(abs(int(x.max())), abs(int(x.min()))) ** 2
                   <= numpy.iinfo(x.dtype).max)
        loose = 2e-4 if x.dtype.name in ("float32", "complex64") else 1e-9
        call(name, x, relative=loose, absolute=loose * 1e-2 if x.dtype.kind == "c" else 0,
             signs=name in EXACT_SIGNS)
    return test


def two(name, dtypes, limit):
    @given(two_arrays(dtypes, limit=limit))
    def test(pair):
        a, b = pair
        if a.dtype.kind == "c":
            assume(numpy.isfinite(a).all() and numpy.isfinite(b).all())
            if name == "divide":
                assume((abs(b) > 1e-3).all())
        if name in ("floor_divide", "remainder"):
            assume((b != 0).all() and numpy.isfinite(a).all() and numpy.isfinite(b).all())
            if a.dtype.kind == "f":  # rounding may change the quotient by one
                assume((a == numpy.round(a)).all() and (b == numpy.round(b)).all())
        call(name, a, b, relative=2e-4 if "32" in a.dtype.name + b.dtype.name else None,
             absolute=1e-30, signs=name in EXACT_SIGNS)
    return test


for _name, _dtypes, _limit in entries(UNARY):
    globals()["test_" + _name] = one_array(_name, _dtypes, _limit)
for _name, _dtypes, _limit in entries(BINARY):
    globals()["test_" + _name] = two(_name, _dtypes, _limit)


def shift(name):
    @given(two_arrays(INTEGRAL), st.data())
    def test(pair, data):
        a, b = pair
        b = (b.astype("uint64") % numpy.uint64(8)).astype(b.dtype)  # beyond: undefined in C
        call(name, a, b)
    return test


test_bitwise_left_shift = shift("bitwise_left_shift")
test_bitwise_right_shift = shift("bitwise_right_shift")


@given(two_arrays(INTEGRAL, limit=7))
def test_pow_of_integers(pair):
    a, b = pair
    call("pow", a, numpy.abs(b).astype(b.dtype))


@given(two_arrays(REAL + COMPLEX, nan=False, limit=8))
def test_pow(pair):
    a, b = pair
    if a.dtype.kind == "c":
        assume((abs(a) > 1e-2).all())
    call("pow", a, b, relative=1e-3 if "32" in a.dtype.name + b.dtype.name or "64" in (
        a.dtype.name[7:], b.dtype.name[7:]) else 1e-8, absolute=1e-5)


@given(arrays(INTEGRAL + REAL, nan=False), st.data())
def test_clip(x, data):
    limits = st.none() | numbers(x.dtype.name, nan=False) | arrays(x.dtype.name, x.shape, nan=False)
    low, high = data.draw(limits), data.draw(limits)
    if low is not None and high is not None:
        assume((numpy.asarray(low) <= numpy.asarray(high)).all())
    call("clip", x, low, high)


# ---------------------------------------------------------------- special values


def test_special_cases_of_one():
    for name, dtypes, _ in entries(UNARY):
        for dtype in set(dtypes) & set(REAL):
            call(name, numpy.array(SPECIAL, dtype=dtype), signs=name in EXACT_SIGNS)


def test_special_cases_of_two():
    x = numpy.array(SPECIAL)
    for name in [name for name, dtypes, _ in entries(BINARY) if "float32" in dtypes] + ["pow"]:
        for dtype in REAL:
            grid = x.astype(dtype)
            if name in ("floor_divide", "remainder"):
                continue
            call(name, grid[:, None], grid[None, :],
                 signs=name in EXACT_SIGNS or name == "pow", relative=1e-5)


# x1 // x2 and x1 % x2: rows of the standard, but for those where its notes
# allow several.
INF, NAN = math.inf, math.nan
DIVISIONS = {
    "floor_divide": [
        (NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, NAN), (-INF, INF, NAN), (0.0, 0.0, NAN),
        (-0.0, 0.0, NAN), (0.0, 2.0, 0.0), (0.0, INF, 0.0), (-0.0, 2.0, -0.0),
        (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0), (3.0, 0.0, INF), (3.0, -0.0, -INF),
        (-3.0, 0.0, -INF), (-3.0, -0.0, INF), (3.0, INF, 0.0), (-3.0, -INF, 0.0),
        (7.0, 2.0, 3.0), (-7.0, -2.0, 3.0), (-7.0, 2.0, -4.0), (7.0, -2.0, -4.0)],
    "remainder": [
        (NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, INF, NAN), (INF, -INF, NAN), (0.0, 0.0, NAN),
        (0.0, -0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0),
        (-0.0, -2.0, -0.0), (3.0, 0.0, NAN), (3.0, -0.0, NAN), (-3.0, 0.0, NAN),
        (-3.0, -0.0, NAN), (INF, 2.0, NAN), (INF, -2.0, NAN), (-INF, 2.0, NAN),
        (-INF, -2.0, NAN), (3.0, INF, 3.0), (3.0, -INF, -INF), (-3.0, INF, INF),
        (-3.0, -INF, -3.0), (4.0, 2.0, 0.0), (-4.0, 2.0, 0.0), (4.0, -2.0, -0.0),
        (7.0, -2.0, -1.0), (-7.0, 2.0, 1.0)],
}


def is_same(got, wanted):
    return math.isnan(got) if math.isnan(wanted) else (
        got == wanted and math.copysign(1, got) == math.copysign(1, wanted))


def test_special_cases_of_division():
    wrong = []
    for name, rows in DIVISIONS.items():
        for dtype in REAL:
            for a, b, wanted in rows:
                got = float(getattr(ours, name)(to_ours(numpy.array(a, dtype)),
                                                to_ours(numpy.array(b, dtype))))
                if not is_same(got, wanted):
                    wrong.append((name, dtype, a, b, got, wanted))
    assert not wrong, wrong
