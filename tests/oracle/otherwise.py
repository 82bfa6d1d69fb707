# SPDX-License-Identifier: Apache-2.0
"""Results that may differ from PyTorch 1.13's, and what has to hold of them instead.

Two kinds, each with its reason: what defines a result does not define it entirely (which
of equal elements an index names), or 2.6, which opyard follows, does it otherwise than
the 1.13 that runs here. A rule sees a call whose result compared as different; it gives
None if the result is right nevertheless, else why not.
"""
import torch

import compare
from opyard import Tensor, interop

HALVES = (torch.float16, torch.bfloat16)


def _torch(value):
    return interop.to_torch(value) if isinstance(value, Tensor) else value


def _argument(call, position, name, default=None):
    if len(call.args) > position:
        return _torch(call.args[position])
    return _torch(call.kwargs.get(name, default))


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


RULES = {
    "topk": _ties(2), "kthvalue": _ties(2), "mode": _ties(1), "median": _ties(1),
    "nanmedian": _ties(1), "sort": _ties(1), "argsort": _ties(1),
    "bitwise_left_shift": _shift, "bitwise_right_shift": _shift,
    "bitwise_left_shift_": _shift, "bitwise_right_shift_": _shift,
    "__lshift__": _shift, "__rshift__": _shift, "__ilshift__": _shift, "__irshift__": _shift,
    "unique_dim": _unique_slices(1, True),
    "unique_dim_consecutive": _unique_slices(1, False),
    "unique_consecutive": _unique_slices(3, False),
}


# ---------------------------------------------------------------------------- halves

def _is_half(value):
    if isinstance(value, (list, tuple)):
        return any(_is_half(v) for v in value)
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


def _half(call, got, tolerance):
    """Sums that 1.13 rounds to a half at each step are kept in float32 by 2.6, as here: what
    PyTorch gives in float32, rounded once, is as good a measure."""
    if call.wide is None or not _is_half(call.result):
        return "different"
    try:
        want = _narrowed(call.wide(), call.result)
    except Exception:  # noqa: BLE001  no such call in float32
        return "different"
    return compare.results(got, want, tolerance)


def why_not(call, got, tolerance, why):
    """|why| the result differs, or None if it is right nevertheless."""
    name = call.name.split("::")[-1].split(".")[0]
    if name in RULES:
        why = RULES[name](call, got, tolerance)
    if why and call.wide is not None:
        why = _half(call, got, tolerance) and why
    return why
