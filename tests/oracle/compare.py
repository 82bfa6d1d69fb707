# SPDX-License-Identifier: Apache-2.0
"""Whether a result of opyard's is PyTorch's: what differs, in words, or None."""
import math

import torch
from torch.testing._comparison import default_tolerances

from opyard import Tensor, dtype as oy_dtype, interop


def resolved(t):
    """In what PyTorch calls, its own operators do not see the bits of a tensor."""
    return t.resolve_conj().resolve_neg() if t.is_conj() or t.is_neg() else t


def _values(got, want, tolerance):
    got = interop.to_torch(got) if isinstance(got, Tensor) else got
    got, want = resolved(got), resolved(want)
    rtol, atol = default_tolerances(want.dtype)
    rtol, atol = max(rtol, tolerance[0]), max(atol, tolerance[1])
    # Halves are widened: PyTorch does not compare all of them.
    wide = {torch.float16: torch.float32, torch.bfloat16: torch.float32,
            torch.complex32: torch.complex64}.get(want.dtype, want.dtype)
    if wide is not want.dtype:
        got, want = got.to(wide), want.to(wide)
    if torch.equal(got, want):
        return None
    close = torch.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    if want.is_complex() and not bool(close.all()):
        # An infinite part says nothing of the other one.
        parts = torch.isclose(torch.view_as_real(got.resolve_conj()),
                              torch.view_as_real(want), rtol=rtol, atol=atol, equal_nan=True)
        close = close | parts.all(-1)
    if bool(close.all()):
        return None
    at = tuple(int(i) for i in torch.nonzero(~close)[0]) if close.ndim else ()
    return (f"value at {list(at)}: {got[at].item()!r}, PyTorch {want[at].item()!r} "
            f"({int((~close).sum())} of {want.numel()} differ)")


def _strides(got, want):
    """Only of dimensions with more than one element, in tensors that have elements."""
    if want.numel() == 0:
        return None
    pairs = zip(want.shape, got.stride(), want.stride())
    if all(g == w for size, g, w in pairs if size > 1):
        return None
    return f"strides {got.stride()}, PyTorch {want.stride()}"


def tensors(got, want, tolerance=(0, 0), values=True):
    if not isinstance(got, Tensor):
        return f"a {type(got).__name__} and no Tensor"
    if f"torch.{got.dtype.name}" != str(want.dtype):
        return f"dtype {got.dtype.name}, PyTorch {str(want.dtype)[6:]}"
    if got.shape != tuple(want.shape):
        return f"shape {list(got.shape)}, PyTorch {list(want.shape)}"
    if want.layout != torch.strided:
        return "PyTorch gives a sparse tensor"
    return _strides(got, want) or (_values(got, want, tolerance) if values else None)


# PyTorch's numbers of dtypes, as its operators give them.
SCALAR_TYPES = ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
                "complex32", "complex64", "complex128", "bool", "qint8", "quint8", "qint32",
                "bfloat16")


def _number(got, want, tolerance):
    if isinstance(want, complex) and isinstance(got, complex) and want != got:
        # A NaN or an infinity in one part says nothing of the other one.
        return _number(got.real, want.real, tolerance) or \
            _number(got.imag, want.imag, tolerance)
    if isinstance(got, oy_dtype):
        return None if SCALAR_TYPES.index(got.name) == want else f"{got.name}, PyTorch {want}"
    if isinstance(want, bool) or isinstance(got, bool) or isinstance(want, int):
        same = got == want and isinstance(got, bool) == isinstance(want, bool)
    elif isinstance(got, (int, float, complex)):
        same = got == want or abs(got - want) <= tolerance[1] + 1e-6 * abs(want)
        same = same or (isinstance(want, float) and math.isnan(want) and math.isnan(got))
    else:
        same = False
    return None if same else f"{got!r}, PyTorch {want!r}"


def results(got, want, tolerance=(0, 0), values=True):
    """|want| is what PyTorch gave: a tensor, a number, a sequence of these, a dtype."""
    if isinstance(want, torch.Tensor):
        return tensors(got, want, tolerance, values)
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return f"{type(got).__name__}, PyTorch {len(want)} results"
        for i, (g, w) in enumerate(zip(got, want)):
            if (why := results(g, w, tolerance, values)):
                return f"result {i}: {why}"
        return None
    if want is None:
        return None if got is None else f"{type(got).__name__}, PyTorch None"
    if isinstance(want, torch.dtype):
        name = got.name if isinstance(got, oy_dtype) else repr(got)
        return None if f"torch.{name}" == str(want) else f"{name}, PyTorch {want}"
    if isinstance(want, (bool, int, float, complex)):
        return _number(got, want, tolerance)
    return f"PyTorch gives a {type(want).__name__}"


def _flat(result):
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in _flat(part)]
    return [result]


def aliases(got, want, pairs):
    """Views: each result shares its storage with the same arguments as PyTorch's."""
    for i, (g, w) in enumerate(zip(_flat(got), _flat(want))):
        if not isinstance(w, torch.Tensor) or not isinstance(g, Tensor) or not w.numel():
            continue
        for argument, ours, _, _ in pairs:
            shares = w.storage()._cdata == argument.storage()._cdata
            if shares != g.is_alias_of(ours):
                return f"result {i} is {'no view' if shares else 'a view'}, unlike PyTorch's"
            if shares and g.storage_offset() != w.storage_offset():
                return f"offset {g.storage_offset()}, PyTorch {w.storage_offset()}"
    return None


def mutations(pairs, tolerance=(0, 0), values=True, counted=True):
    """Arguments that one of both wrote are the same afterwards.

    Not |counted|: PyTorch, below the layer that counts writes, wrote any of them.
    """
    for argument, ours, before, our_before in pairs:
        theirs_changed = not counted or argument._version != before
        if not theirs_changed and ours._version == our_before:
            continue
        if (why := tensors(ours, argument, tolerance, values)):
            whose = "written" if theirs_changed else "PyTorch leaves alone this"
            return f"{whose} argument: {why}"
    return None
