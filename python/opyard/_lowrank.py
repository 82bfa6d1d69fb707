# SPDX-License-Identifier: Apache-2.0
"""Singular vectors of matrices of low rank, by random projections (Halko, Martinsson and
Tropp, "Finding structure with randomness", 2009, algorithms 4.4 and 5.1)."""
from ._ops import ops

aten = ops.aten


def _basis(a, q, niter):
    """Orthonormal columns that span nearly what the columns of |a| do."""
    start = aten.randn([a.shape[-1], q], dtype=a.dtype, device=a.device)
    basis = aten.linalg_qr(aten.matmul(a, start))[0]
    for _ in range(niter):
        back = aten.linalg_qr(aten.matmul(a.mH, basis))[0]
        basis = aten.linalg_qr(aten.matmul(a, back))[0]
    return basis


def svd_lowrank(A, q=6, niter=2, M=None):
    """U, S and V of A, or of A - M, with q singular values."""
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    a = A if M is None else aten.sub(A, M)
    if a.shape[-2] < a.shape[-1]:
        basis = _basis(a.mH, q, niter)
        u, s, vh = aten.linalg_svd(aten.matmul(a, basis), False)
        return u, s, aten.matmul(basis, vh.mH)
    basis = _basis(a, q, niter)
    u, s, vh = aten.linalg_svd(aten.matmul(basis.mH, a), False)
    return aten.matmul(basis, u), s, vh.mH


def pca_lowrank(A, q=None, center=True, niter=2):
    """svd_lowrank of A without the means of its columns."""
    least = min(A.shape[-2:])
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than "
                         f"min(m, n)={least}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    mean = aten.mean(A, [-2], True) if center else None
    return svd_lowrank(A, q, niter, mean)


def lu(A, pivot=True, get_infos=False, out=None):
    """The factors in one matrix, and the rows that were swapped."""
    results = tuple(aten._lu_with_info(A, pivot, not get_infos))[:3 if get_infos else 2]
    if out is None:
        return results
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(results):
        raise TypeError(f"expected tuple of {len(results)} elements but got {len(out)}")
    for to, result in zip(out, results):
        to.resize_as_(result).copy_(result)
    return out
