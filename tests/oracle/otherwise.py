# SPDX-License-Identifier: Apache-2.0
"""Results that may differ from PyTorch 1.13's, and what has to hold of them instead.

Two kinds, each with its reason: what defines a result does not define it entirely (which
of equal elements an index names), or 2.6, which opyard follows, does it otherwise than
the 1.13 that runs here. A rule sees a call whose result compared as different; it gives
None if the result is right nevertheless, else why not.
"""
import math
from decimal import Decimal, localcontext

import torch

import compare
import measured
from measured import argument as _argument, as_torch as _torch


def _same(a, b):
    """Equal, a NaN to a NaN."""
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


# ----------------------------------------------------------------- which of equal ones

def _picks(source, indices, values, dim):
    """Whether the |indices| along |dim| name the |values|."""
    if source.dim() == 0:
        return _same(source, values)
    if indices.dim() < source.dim():
        indices, values = indices.unsqueeze(dim), values.unsqueeze(dim)
    return _same(source.gather(dim, indices), values)


def _distinct(indices, dim):
    if indices.dim() == 0 or indices.shape[dim] < 2:
        return True
    ordered = indices.sort(dim)[0]
    n = indices.shape[dim] - 1
    return bool((ordered.narrow(dim, 1, n) != ordered.narrow(dim, 0, n)).all())


def _ties(position):
    """Of equal elements PyTorch's selection and unstable sorts take any."""
    def rule(call, got, tolerance):
        dim = _argument(call, position, "dim", -1)
        dim = dim if isinstance(dim, int) and not isinstance(dim, bool) else -1
        many = isinstance(got, (list, tuple))
        if many and (why := compare.results(got[0], call.result[0], tolerance)):
            return why
        indices, want = (got[1], call.result[1]) if many else (got, call.result)
        if (why := compare.results(indices, want, tolerance, values=False)):
            return why
        source, at = _argument(call, 0, "input"), _torch(indices)
        values = _torch(got[0]) if many else source.gather(dim, want)
        if not _picks(source, at, values, dim):
            return "indices that do not name the values"
        whole = call.name.split("::")[-1].split(".")[0] in ("sort", "argsort", "topk")
        return "an index twice" if whole and not _distinct(at, dim) else None
    return rule


# ------------------------------------------------------------------- 2.6 does otherwise

def _shift(call, got, tolerance):
    """1.13 shifts in C by any amount, which C leaves undefined from the width on and below
    0; since 2.0 it has a result: nothing is left, of a shift to the right the sign."""
    source, amounts = call.result, _argument(call, 1, "other")
    if (why := compare.results(got, source, tolerance, values=False)):
        return why
    width = 8 * source.element_size()
    defined = (torch.as_tensor(amounts) >= 0) & (torch.as_tensor(amounts) < width)
    same = (_torch(got) == source) | ~defined
    return None if bool(same.all()) else "another value of a shift within the width"


def _rows(t, dim):
    return t.movedim(dim, 0).reshape(t.shape[dim], -1).tolist()


def _unique_slices(dim_at, sorts):
    """1.13 exchanges the dimension with the first one where 2.0 moves it there: slices come
    in another order, and lie in memory in another one."""
    def rule(call, got, tolerance):
        dim = _argument(call, dim_at, "dim")
        if not isinstance(dim, int):
            return "another result without a dimension"
        source = _argument(call, 0, "input")
        parts = [_torch(g) for g in (got if isinstance(got, (list, tuple)) else [got])]
        wanted = call.result if isinstance(call.result, (list, tuple)) else [call.result]
        if [p.shape for p in parts] != [w.shape for w in wanted]:
            return "another shape"
        if [p.dtype for p in parts] != [w.dtype for w in wanted]:
            return "another dtype"
        ours, theirs = _rows(parts[0], dim), _rows(wanted[0], dim)
        if ours != (sorted(theirs) if sorts else theirs):
            return "other slices"
        n = source.shape[dim]
        inverse = [p for p in parts[1:2] if p.shape == (n,) and n > 0]
        if inverse and not _same(parts[0].index_select(dim, inverse[0]), source):
            return "an inverse that does not give the input"
        counts = parts[2] if len(parts) > 2 and parts[2].numel() else None
        if inverse and counts is not None and counts.tolist() != torch.bincount(
                inverse[0], minlength=len(ours)).tolist():
            return "other counts"
        if not inverse and counts is not None and counts.sum() != n:
            return "counts that are not of the input"
        return None
    return rule


def _slices_of_all(call, got, tolerance):
    """1.13 lists unsorted elements in the order of a hash table, and gives an inverse with
    the counts, asked or not; since 2.1 they are sorted here, too."""
    source, ours = _argument(call, 0, "self"), [_torch(g) for g in got]
    wants_inverse, wants_counts = _argument(call, 2, "return_inverse", False), \
        _argument(call, 3, "return_counts", False)
    if ours[0].dtype != source.dtype or not _same(ours[0], call.result[0].sort()[0]):
        return "other elements"
    places = ours[1] if wants_inverse else torch.searchsorted(ours[0].float(), source.float())
    if wants_inverse and not _same(ours[0][places], source):
        return "an inverse that does not give the input"
    if not wants_inverse and ours[1].numel():
        return "an inverse that nobody asked for"
    if wants_counts and ours[2].tolist() != [int((source == v).sum()) for v in ours[0]]:
        return "other counts"
    return None if wants_counts or not ours[2].numel() else "counts that nobody asked for"


def _steps(call, got, tolerance):
    """1.13 rounds the step between integers, or to a half, before it multiplies."""
    ours, n = _torch(got), _argument(call, 2, "steps")
    if (why := compare.results(got, call.result, tolerance, values=False)):
        return why
    start, end = (float(_argument(call, i, name)) for i, name in ((0, "start"), (1, "end")))
    if not ours.dtype.is_floating_point:
        start, end = int(start), int(end)
    step = (end - start) / max(n - 1, 1)
    exact = torch.tensor([start + step * i if i < n // 2 else end - step * (n - 1 - i)
                          for i in range(n)], dtype=torch.float64)
    if ours.dtype.is_floating_point:
        return compare.results(got, exact.to(ours.dtype), tolerance)
    # What is an integer but for rounding may be cut to the one below.
    near = torch.stack([(exact - 1e-9).trunc(), (exact + 1e-9).trunc()])
    return None if bool((near == ours).any(0).all()) else "not the steps, cut to integers"


def _truth(call, got, tolerance):
    """1.13 writes truth into complex tensors as 1+1j."""
    same = call.result.real.bool() == (_torch(got).real != 0)
    return None if bool(same.all()) and not bool(_torch(got).imag.any()) else "another truth"


def _any_imaginary(call, got, tolerance):
    """1.13 drops the imaginary part before it asks whether a number is 0."""
    return None if _same(_torch(got), _argument(call, 0, "self") != 0) else "another truth"


def _strides_of_input(call, got, tolerance):
    """1.13's prelu gives contiguous results; since 2.0 the iterator lays them out."""
    if _torch(got).stride() != torch.empty_like(_argument(call, 0, "self")).stride():
        return "strides that are not the input's"
    return compare._values(got, call.result, tolerance)


def _nan_stays(call, got, tolerance):
    """1.13's softshrink makes 0 of NaN; since 2.6 it stays."""
    ours, source = _torch(got), _argument(call, 0, "self")
    want = torch.where(source.isnan(), source, call.result)
    return compare.results(got, want, tolerance) if bool(ours.isnan().any()) else "no NaN"


def _rank_0(call, got, tolerance):
    """1.13's aminmax gives a rank to numbers; since 2.0 they stay numbers."""
    if _argument(call, 0, "self").dim() > 0:
        return "another shape"
    wanted = [w.reshape(()) for w in call.result]
    return compare.results([*got], wanted, tolerance)


def _phases(call, got, tolerance):
    """Eigenvectors are defined up to their signs, complex ones up to their phases."""
    if (why := compare.results(got[0], call.result[0], tolerance)) or \
            (why := compare.results(got[1], call.result[1], tolerance, values=False)):
        return why
    values, ours = _torch(got[0]), _torch(got[1])
    theirs = call.result[1]
    matrix = (theirs * call.result[0].unsqueeze(-2).to(theirs.dtype)) @ theirs.mH
    room = 200 * torch.finfo(ours.dtype).eps * max(1.0, float(values.abs().max()))
    if float((matrix @ ours - ours * values.unsqueeze(-2).to(ours.dtype)).abs().max()) > room:
        return "no eigenvectors"
    one = torch.eye(ours.shape[-1], dtype=ours.dtype)
    return None if float((ours.mH @ ours - one).abs().max()) < room else "not orthonormal"


def _where_other(call, got, tolerance, wanted):
    """Where PyTorch has another value, what |wanted| says of the two arguments."""
    ours, theirs = _torch(got), call.result
    if (why := compare.results(got, theirs, tolerance, values=False)):
        return why
    differ = ~torch.isclose(ours, theirs, equal_nan=True)
    first, second = (torch.as_tensor(_argument(call, i, name)).double().expand(ours.shape)
                     for i, name in ((0, "self"), (1, "other")))
    for a, b, value in zip(*(t[differ].tolist() for t in (first, second, ours.double()))):
        want = wanted(a, b)
        if not want or not math.isclose(value, want[0], rel_tol=1e-5):
            return f"{value} of {a} and {b}"
    return None


def _zeta(call, got, tolerance):
    """Of great orders 1.13, and 2.6, add what is 0 times a product that overflowed; the
    sum itself is its first few terms (DLMF 25.11.1)."""
    return _where_other(call, got, tolerance, lambda s, q: s > 100 and q > 0 and [
        sum((q + k) ** -s if (q + k) > 1 or s < 300 else math.inf if q + k < 1 else 1.0
            for k in range(20))])


def _gamma_limits(upper):
    """Of great orders 1.13, and 2.6, subtract infinite logarithms; the step at x = a is so
    steep there that the result is 0 or 1 (DLMF 8.11.7, 8.11.12). Of orders next to 0 the
    lower function is 1, as it is of 0 itself."""
    def limit(a, x):
        if 0 < a < 1e-300 and x > 0:
            return [float(not upper)]
        if a < 1e30 or not 0 <= x < math.inf or 0.5 * a < x < 2 * a:
            return None
        return [float((x > a) != upper)]
    return lambda call, got, tolerance: _where_other(call, got, tolerance, limit)


def _weights(call, got, tolerance):
    """Weights in float32 have that precision, in a result of float64, too. Divided by no
    degrees of freedom a complex number is NaN in 1.13, infinite since 2.1."""
    def wide(args, kwargs):
        return args, {k: v.double() if isinstance(v, torch.Tensor) and v.is_floating_point()
                      else v for k, v in kwargs.items()}
    ours, exact = _torch(got), call.again(wide)
    if compare.results(got, call.result, tolerance, values=False):
        return "another form"
    if not bool(exact.isfinite().any()):
        return None if not bool(ours.isfinite().any()) else "finite"
    return None if torch.allclose(ours, exact.to(ours.dtype), rtol=1e-6) else "another value"


def _power_series(x, order):
    """J of |order| at x (DLMF 10.2.2), in as many digits as cancel."""
    half, term, total = Decimal(x) / 2, Decimal(1), Decimal(0)
    for k in range(1, order + 1):
        term *= half / k
    for k in range(1, 400):
        total += term
        term *= -half * half / (k * (k + order))
    return float(total)


def _y1(x):
    """DLMF 10.8.1 with n = 1."""
    gamma = Decimal("0.577215664901532860606512090082402431042159335939923598805767")
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
    half = Decimal(x) / 2
    total, term, psi = Decimal(0), half, 1 - 2 * gamma
    for k in range(1, 400):
        total += term * psi
        term *= -half * half / (k * (k + 1))
        psi += Decimal(1) / k + Decimal(1) / (k + 1)
    j1 = Decimal(0)
    term = half
    for k in range(1, 400):
        j1 += term
        term *= -half * half / (k * (k + 1))
    return float((-1 / half + 2 * half.ln() * j1 - total) / pi)


def _airy(x):
    """DLMF 9.4.1."""
    x = Decimal(x)
    f, g, even, odd = Decimal(1), x, Decimal(0), Decimal(0)
    for k in range(1, 200):
        even, odd = even + f, odd + g
        f *= x ** 3 / ((3 * k - 1) * (3 * k))
        g *= x ** 3 / ((3 * k) * (3 * k + 1))
    return float(Decimal("0.355028053887817239260063186004183176397979174199178") * even -
                 Decimal("0.258819403792806798405183560189203963479091138354934") * odd)


def _by_series(function):
    """1.13's formulas, and 2.6's, have six digits in double, and divide by what underflows:
    the series in exact arithmetic is the measure."""
    def rule(call, got, tolerance):
        ours, theirs, x = _torch(got), call.result, _argument(call, 0, "self")
        if (why := compare.results(got, theirs, tolerance, values=False)):
            return why
        differ = ~torch.isclose(ours, theirs, equal_nan=True)
        with localcontext() as context:
            context.prec = 50
            for at, value in zip(x.expand(ours.shape)[differ].tolist(),
                                 ours[differ].tolist()):
                if not abs(at) < 40 or not math.isclose(value, function(at), rel_tol=1e-6,
                                                        abs_tol=1e-9):
                    return f"{value} at {at}, which is {function(at) if at < 40 else at}"
        return None
    return rule


def _beginnings(call, got, tolerance):
    """Of states and steps that a sequence does not reach 1.13, and 2.6, leave the
    probability uninitialised; here it is 0."""
    if (why := compare.results(got[0], call.result[0], tolerance)) or \
            (why := compare.results(got[1], call.result[1], tolerance, values=False)):
        return why
    ours, theirs = _torch(got[1]), call.result[1]
    reached = ours > -math.inf
    return None if torch.allclose(ours[reached], theirs[reached], rtol=1e-5, atol=1e-5) \
        else "another probability"


def _anew(call, got, tolerance):
    """1.13 shrinks an empty `out` again where one dimension alone is transformed."""
    return compare.results(got, call.again(lambda args, kwargs: (args, kwargs)), tolerance)


RULES = {
    "_ctc_loss": _beginnings, "fft_ihfft2": _anew, "fft_ihfftn": _anew,
    "special_zeta": _zeta, "igamma": _gamma_limits(False), "igammac": _gamma_limits(True),
    "cov": _weights, "special_airy_ai": _by_series(_airy),
    "special_bessel_j0": _by_series(lambda x: _power_series(x, 0)),
    "special_bessel_j1": _by_series(lambda x: _power_series(x, 1)),
    "special_bessel_y1": _by_series(_y1),
    "_unique2": _slices_of_all, "linspace": _steps, "ne": _truth, "ne_": _truth,
    "not_equal_": _truth, "_to_copy": _any_imaginary, "bool": _any_imaginary,
    "prelu": _strides_of_input, "softshrink": _nan_stays, "aminmax": _rank_0,
    "linalg_eigh": _phases, "_linalg_eigh": _phases,
    "topk": _ties(2), "kthvalue": _ties(2), "mode": _ties(1), "median": _ties(1),
    "nanmedian": _ties(1), "sort": _ties(1), "argsort": _ties(1),
    "bitwise_left_shift": _shift, "bitwise_right_shift": _shift,
    "bitwise_left_shift_": _shift, "bitwise_right_shift_": _shift,
    "__lshift__": _shift, "__rshift__": _shift, "__ilshift__": _shift, "__irshift__": _shift,
    "unique_dim": _unique_slices(1, True),
    "unique_dim_consecutive": _unique_slices(1, False),
    "unique_consecutive": _unique_slices(3, False),
}


# Called boxed, as under a mode, these return their first argument in 1.13, without one `out`.
WITHOUT_OUT = ("fft_hfft2", "fft_hfftn", "fft_ihfft2", "fft_ihfftn")


def returned(name, result, kwargs):
    """What a call that gave |result| gives where no mode is around it."""
    lost = name in WITHOUT_OUT and kwargs.get("out") is not None
    return kwargs["out"] if lost else result


def why_not(call, got, tolerance, why):
    """|why| the result differs, or None if it is right nevertheless."""
    name = call.name.split("::")[-1].split(".")[0]
    if name in RULES:
        why = RULES[name](call, got, tolerance)
    if why and call.wide is not None:
        why = measured.half(call, got, tolerance) and why
    if why and call.again is not None:
        for good in (measured.without_modes, measured.in_double, measured.one_by_one):
            try:
                if good(call, got, tolerance):
                    return None
            except Exception:  # noqa: BLE001  no such call
                pass
    return why


# --------------------------------------------------------------------------------- texts

# (1.13's, 2.6's) of what both refuse.
TEXTS = (
    ("matrix or a vector expected", "diag(): Supports 1D or 2D tensors. Got "),
    ("Expected `weight` to be a scalar or 1D tensor, but got ndim",
     "Expected `weight` to be a scalar or 1D tensor, but got: ndim"),
    ("invalid multinomial distribution (encountering probability entry",
     "probability tensor contains either `inf`, `nan` or element < 0"),
    ("pad should be at most half of kernel size",
     "pad should be at most half of effective kernel size"),
    # 1.13 asks max_pool2d first where a gradient is wanted, 2.6 always itself.
    ("stride should not be zero", "max_pool1d() stride must be greater than zero, but got 0"),
    ("stride should not be zero", "max_pool1d() kernel_size must be greater than zero, but got"),
    ("dilation should be greater than zero, but got dilation",
     "max_pool1d() dilation must be greater than zero, but got 0"),
)


def text(theirs, ours):
    return any(old in theirs and new in ours for old, new in TEXTS)

