# SPDX-License-Identifier: Apache-2.0
"""Results that are right in another measure than PyTorch 1.13's own: its call once more in
more precision, element by element, or without the modes that saw the first one.
"""
import numpy as np
import torch

import compare
from opyard import Tensor, interop

HALVES = (torch.float16, torch.bfloat16)


def as_torch(value):
    return compare.resolved(interop.to_torch(value)) if isinstance(value, Tensor) else value


def argument(call, position, name, default=None):
    if len(call.args) > position:
        return as_torch(call.args[position])
    return as_torch(call.kwargs.get(name, default))


# ---------------------------------------------------------------------------- halves

def _is_half(value):
    if isinstance(value, (list, tuple)):
        return any(_is_half(v) for v in value)
    if isinstance(value, torch.dtype):
        return value in HALVES
    return isinstance(value, torch.Tensor) and value.dtype in HALVES


def _widened(value):
    if isinstance(value, (list, tuple)):
        return type(value)(_widened(v) for v in value) if type(value) in (list, tuple) \
            else value
    if isinstance(value, torch.Tensor) and value.dtype in HALVES:
        return value.float()
    return torch.float32 if value in HALVES else value


def widened(args, kwargs):
    """The arguments in float32, before the call writes to any; None without a half."""
    if "out" in kwargs:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    if not _is_half(args) and not _is_half(list(kwargs.values())):
        return None
    try:
        return _widened(tuple(args)), {k: _widened(v) for k, v in kwargs.items()}
    except Exception:  # noqa: BLE001  not to be widened
        return None


def _narrowed(value, like):
    if isinstance(like, (list, tuple)):
        return [_narrowed(v, w) for v, w in zip(value, like)]
    if isinstance(like, torch.Tensor):
        return torch.empty_like(like).copy_(value)
    return value


def half(call, got, tolerance):
    """Sums that 1.13 rounds to a half at each step are kept in float32 by 2.6, as here: what
    PyTorch gives in float32, rounded once, is as good a measure."""
    if call.wide is None or not _is_half(call.result):
        return "different"
    try:
        want = _narrowed(call.wide(), call.result)
    except Exception:  # noqa: BLE001  no such call in float32
        return "different"
    return compare.results(got, want, tolerance)


# ------------------------------------------------------------------------- accuracy

DOUBLE = {torch.float16: torch.float64, torch.bfloat16: torch.float64,
          torch.float32: torch.float64, torch.complex32: torch.complex128,
          torch.complex64: torch.complex128}


def _doubled(value, integers):
    if isinstance(value, (list, tuple)):
        return type(value)(_doubled(v, integers) for v in value) \
            if type(value) in (list, tuple) else value
    if isinstance(value, torch.Tensor):
        whole = not value.is_floating_point() and not value.is_complex()
        return value.double() if integers and whole else value.to(
            DOUBLE.get(value.dtype, value.dtype))
    return DOUBLE.get(value, value) if isinstance(value, torch.dtype) else value


def cloned(args):
    """Of a call that writes its first argument."""
    return tuple(a.clone() if isinstance(a, torch.Tensor) and i == 0 else a
                 for i, a in enumerate(args))


def _flat(value):
    return [t for v in value for t in _flat(v)] if isinstance(value, (list, tuple)) else [value]


def _as_far(ours, theirs, exact, tolerance):
    """Whether each element is right in the precision of the result, or no further from the
    value in double precision than PyTorch's elements are."""
    if ours.shape != theirs.shape or ours.shape != exact.shape:
        return False
    narrow, kind = exact.to(theirs.dtype), DOUBLE.get(theirs.dtype, theirs.dtype)
    wide = [t.resolve_conj().to(kind) for t in (ours, theirs, narrow)]
    good = torch.isclose(wide[0], wide[2], rtol=max(1e-5, tolerance[0]),
                         atol=tolerance[1], equal_nan=True)
    if theirs.dtype in HALVES:
        good |= (wide[0] - wide[2]).abs() <= 0.008 * wide[2].abs()
    off = (wide[1] - exact).abs()
    off = off[off.isfinite()]
    room = 2 * float(off.max()) if off.numel() else 0.0
    return bool((good | ((wide[0] - exact).abs() <= room)).all())


def in_double(call, got, tolerance):
    """Single precision, and halves, are measured against the same call in double."""
    ours, theirs = [as_torch(g) for g in _flat(got)], _flat(call.result)
    if compare.results(got, call.result, tolerance, values=False):
        return False
    if not any(isinstance(t, torch.Tensor) and t.dtype in DOUBLE for t in theirs):
        return False

    def change(args, kwargs):
        whole = not any(isinstance(t, torch.Tensor) and t.dtype in DOUBLE
                        for t in _flat([args, list(kwargs.values())]))
        return _doubled(tuple(args), whole), {k: _doubled(v, whole) for k, v in kwargs.items()
                                              if k != "out"}

    exact = _flat(call.again(change))
    return len(exact) == len(theirs) and all(
        not isinstance(t, torch.Tensor) or torch.equal(o, t) or
        (t.dtype in DOUBLE and _as_far(o, t, e, tolerance))
        for o, t, e in zip(ours, theirs, exact))


# ------------------------------------------------------------- vectors of complex numbers

# Those that 1.13 computes by other formulas for many elements than for one: the former
# make NaN where infinities meet. Since 2.1 each is computed as one is.
BY_ELEMENT = {"div", "true_divide", "reciprocal", "rsqrt", "sigmoid", "pow", "abs",
              "float_power", "__rpow__", "rsub", "__rdiv__"}
# Those that it never computes one by one, by NumPy's functions, which are C's: Sleef's
# give NaN where a quotient overflows, and infinity for the greatest numbers. Quotients of
# complex numbers are NumPy's since 2.1 (c10/util/complex.h says so); before they were NaN
# wherever the square of the divisor is 0 or infinite.
BY_NUMPY = {"acos": np.arccos, "asin": np.arcsin, "atan": np.arctan, "exp": np.exp,
            "log1p": np.log1p, "abs": np.abs, "arccos": np.arccos, "arcsin": np.arcsin,
            "arctan": np.arctan, "fmod": np.fmod, "remainder": np.remainder,
            "floor_divide": np.floor_divide, "__rmod__": lambda a, b: np.remainder(b, a),
            "div": np.divide, "true_divide": np.divide, "__rdiv__": lambda a, b: b / a,
            "reciprocal": lambda a: 1 / a, "rsqrt": lambda a: 1 / np.sqrt(a)}
# And those where it takes the other side of a branch cut than C: finite numbers, too.
BRANCHES = {"atan", "arctan"}
# What NumPy and Python have, and PyTorch for a number as exponent: anything to the power of
# 0 is 1. A tensor of zeros goes through the logarithm instead, which is infinite or NaN.
EXPONENT = {"pow": 1, "float_power": 1, "__rpow__": 0}


def _by(function, call, got, tolerance):
    with np.errstate(all="ignore"):
        operands = [np.asarray(as_torch(a)) for a in call.args[:2]]
        want = torch.from_numpy(np.asarray(function(*operands)))
    return compare._values(got, want.to(call.result.dtype), tolerance) is None


def one_by_one(call, got, tolerance):
    name = call.name.split("::")[-1].split(".")[0]
    name = name if name.endswith("__") else name.rstrip("_")
    ours, theirs = as_torch(got), call.result
    if not isinstance(theirs, torch.Tensor) or ours.shape != theirs.shape or \
            ours.dtype != theirs.dtype:
        return False
    differ = ~torch.isclose(ours, theirs, equal_nan=True)
    if bool(torch.isfinite(theirs[differ]).any()) and name not in BRANCHES:
        return False
    if name in BY_NUMPY and _by(BY_NUMPY[name], call, got, tolerance):
        return True
    if name in EXPONENT and theirs.is_complex():
        exponents = torch.as_tensor(as_torch(call.args[EXPONENT[name]])).expand(theirs.shape)
        differ &= ~((exponents == 0) & (ours == 1))
    if name not in BY_ELEMENT or int(differ.sum()) > 400:
        return False
    for at in torch.nonzero(differ).tolist():
        def one(value):
            if isinstance(value, torch.Tensor):
                return value.expand(theirs.shape)[tuple(at)].clone().reshape(1)
            return value
        want = call.again(lambda args, kwargs: (tuple(one(a) for a in args), {
            k: one(v) for k, v in kwargs.items() if k != "out"}))
        if compare._values(ours[tuple(at)].reshape(1), want, tolerance) is not None:
            return False
    return True


def without_modes(call, got, tolerance):
    return compare.results(got, call.again(), tolerance) is None
