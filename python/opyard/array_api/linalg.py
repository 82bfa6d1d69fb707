# SPDX-License-Identifier: Apache-2.0
"""The standard's extension for linear algebra: opyard's operators by its names, arguments and
promotion. Of an array with more than two axes each matrix of the last two is taken."""
import collections

from ._core import aten, cast, computed, normal_axes, to_common
from ._linalg import matmul, matrix_transpose, tensordot, vecdot
from ._statistical import sum as _sum

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet",
    "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]

EighResult = collections.namedtuple("EighResult", ("eigenvalues", "eigenvectors"))
QRResult = collections.namedtuple("QRResult", ("Q", "R"))
SlogdetResult = collections.namedtuple("SlogdetResult", ("sign", "logabsdet"))
SVDResult = collections.namedtuple("SVDResult", ("U", "S", "Vh"))


def cholesky(x, /, *, upper=False):
    return aten.linalg_cholesky(x, upper=upper)


def cross(x1, x2, /, *, axis=-1):
    (x1, x2), dtype = to_common(x1, x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross() expects axes of 3 elements, got {x1.shape[axis]} and "
                         f"{x2.shape[axis]}")
    x1, x2 = aten.broadcast_tensors([computed(x1), computed(x2)])
    return cast(aten.linalg_cross(x1, x2, dim=axis), dtype)


def det(x, /):
    return aten.linalg_det(x)


def diagonal(x, /, *, offset=0):
    return aten.diagonal(x, offset, -2, -1)


def eigh(x, /):
    return EighResult(*aten.linalg_eigh(x))


def eigvalsh(x, /):
    return aten.linalg_eigvalsh(x)


def inv(x, /):
    return aten.linalg_inv(x)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return aten.linalg_matrix_norm(x, ord, [-2, -1], keepdims)


def matrix_power(x, n, /):
    return aten.linalg_matrix_power(x, n)


def _relative(function, x, rtol):
    """A number, or an array with one for each matrix."""
    if rtol is None or isinstance(rtol, (int, float)):
        return function.atol_rtol_float(x, rtol=rtol)
    return function.atol_rtol_tensor(x, rtol=rtol)


def matrix_rank(x, /, *, rtol=None):
    return _relative(aten.linalg_matrix_rank, x, rtol)


def pinv(x, /, *, rtol=None):
    return _relative(aten.linalg_pinv, x, rtol)


def outer(x1, x2, /):
    (x1, x2), dtype = to_common(x1, x2)
    return cast(aten.outer(computed(x1), computed(x2)), dtype)


def qr(x, /, *, mode="reduced"):
    return QRResult(*aten.linalg_qr(x, mode))


def slogdet(x, /):
    return SlogdetResult(*aten.linalg_slogdet(x))


def solve(x1, x2, /):
    """x2 is one vector if it has one axis, and matrices otherwise: operators guess from the
    shapes, and so the axes before the last two are made the same here."""
    (x1, x2), _ = to_common(x1, x2)
    if x2.ndim == 1:
        return aten.squeeze(solve(x1, aten.unsqueeze(x2, -1)), -1)
    stack = aten.broadcast_tensors([aten.empty(list(x.shape[:-2])) for x in (x1, x2)])[0].shape
    return aten.linalg_solve(*(aten.expand(x, list(stack + x.shape[-2:])) for x in (x1, x2)))


def svd(x, /, *, full_matrices=True):
    return SVDResult(*aten.linalg_svd(x, full_matrices))


def svdvals(x, /):
    return aten.linalg_svdvals(x)


def trace(x, /, *, offset=0, dtype=None):
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    if axis == ():  # no axes, which are all of them to the operator
        return aten.linalg_vector_norm(aten.unsqueeze(x, -1), ord, [-1])
    dims = None if axis is None else list(normal_axes(axis, x.ndim))
    return aten.linalg_vector_norm(x, ord, dims, keepdims)
