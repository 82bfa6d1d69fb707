# SPDX-License-Identifier: Apache-2.0
"""The extensions linalg and fft: results that are one alone are compared, decompositions are
put together again."""
import inspect

import numpy
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hn

from common import (ALL, COMPLEX, DTYPE, NUMERIC, REAL, arrays, as_numpy,
                    assert_same, call, keywords, ours, pairs_of, shapes, strict, to_ours)

FLOATING = REAL + COMPLEX
LOOSE = {"relative": 2e-3, "absolute": 2e-3}
stacks = shapes(0, 2, 2)


@st.composite
def matrices(draw, rows=st.integers(1, 4), columns=None, dtypes=FLOATING):
    n = draw(rows)
    m = n if columns is None else draw(columns)
    return draw(arrays(dtypes, draw(stacks) + (n, m), nan=False, limit=4))


@st.composite
def regular(draw):
    """Matrices that are far from singular: their diagonals outweigh the rest."""
    x = draw(matrices())
    return (x / 4 + 6 * numpy.eye(x.shape[-1])).astype(x.dtype)


def adjoint(x):
    return numpy.conj(numpy.swapaxes(x, -1, -2))


@st.composite
def hermitian(draw):
    x = draw(matrices())
    return ((x + adjoint(x)) / 2).astype(x.dtype)


any_matrices = matrices(columns=st.integers(1, 4))


def near(got, wanted, dtype):
    assert got.dtype == numpy.dtype(dtype), (got.dtype, dtype)
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    assert numpy.allclose(got, wanted, 2e-3, 2e-3), (got, wanted)


def real_of(x):
    return numpy.zeros((), x.dtype).real.dtype


@given(regular(), keywords(upper=st.booleans()))
def test_linalg_cholesky(x, kw):
    call("linalg.cholesky", (x @ adjoint(x)).astype(x.dtype), **kw, relative=1e-2,
         absolute=1e-2)


@given(st.data(), st.sampled_from(pairs_of(NUMERIC)))
def test_linalg_cross(data, pair):
    axis = data.draw(st.integers(-2, -1))
    shape = (3, 2) if axis == -2 else data.draw(stacks) + (3,)
    call("linalg.cross", *(data.draw(arrays(d, shape, nan=False, limit=9)) for d in pair),
         axis=axis, **LOOSE)


@given(regular(), st.sampled_from(("det", "inv", "slogdet")))
def test_linalg_of_square(x, name):
    call("linalg." + name, x, **LOOSE)


@given(matrices(st.integers(0, 4), st.integers(0, 4), ALL), st.integers(-4, 4))
def test_linalg_diagonal(x, offset):
    call("linalg.diagonal", x, offset=offset)


@given(st.data(), matrices(st.integers(0, 4), st.integers(0, 4), NUMERIC), st.integers(-4, 4))
def test_linalg_trace(data, x, offset):
    call("linalg.trace", x, offset=offset, **LOOSE)


@given(hermitian())
def test_linalg_eigh(x):
    got = ours.linalg.eigh(to_ours(x))
    assert got._fields == ("eigenvalues", "eigenvectors")
    values, vectors = map(as_numpy, got)
    near(values, numpy.linalg.eigvalsh(x), real_of(x))
    near((vectors * values[..., None, :]) @ adjoint(vectors), x, x.dtype)
    assert_same(ours.linalg.eigvalsh(to_ours(x)), got.eigenvalues, 2e-3, 2e-3)


@given(any_matrices, keywords(full_matrices=st.booleans()))
def test_linalg_svd(x, kw):
    got = ours.linalg.svd(to_ours(x), **kw)
    assert got._fields == ("U", "S", "Vh")
    u, s, v = map(as_numpy, got)
    wanted = numpy.linalg.svd(x, **kw)
    assert [p.shape for p in (u, s, v)] == [p.shape for p in wanted]
    near(s, wanted[1], real_of(x))
    k = s.shape[-1]
    near((u[..., :k] * s[..., None, :]) @ v[..., :k, :], x, x.dtype)
    near(as_numpy(ours.linalg.svdvals(to_ours(x))), wanted[1], real_of(x))


@given(any_matrices, keywords(mode=st.sampled_from(("reduced", "complete"))))
def test_linalg_qr(x, kw):
    got = ours.linalg.qr(to_ours(x), **kw)
    assert got._fields == ("Q", "R")
    q, r = map(as_numpy, got)
    wanted = numpy.linalg.qr(x, **kw)
    assert [q.shape, r.shape] == [p.shape for p in wanted]
    near(q @ r, x, x.dtype)
    assert numpy.allclose(r, numpy.triu(r))
    near(adjoint(q) @ q, numpy.broadcast_to(numpy.eye(q.shape[-1]), q.shape[:-2] + (
        q.shape[-1],) * 2), x.dtype)


@given(any_matrices, keywords(keepdims=st.booleans(), ord=st.sampled_from(
    ("fro", "nuc", 1, 2, -1, -2, float("inf"), -float("inf")))))
def test_linalg_matrix_norm(x, kw):
    assume(x.size)
    call("linalg.matrix_norm", x, **kw, **LOOSE)


@given(regular(), st.integers(-2, 3))
def test_linalg_matrix_power(x, power):
    call("linalg.matrix_power", x, power, relative=1e-2, absolute=1e-2)


@given(any_matrices, keywords(rtol=st.sampled_from((1e-3, 0.25))))
def test_linalg_matrix_rank(x, kw):
    assume(x.size)
    values = numpy.linalg.svd(x, compute_uv=False)
    gap = values / numpy.maximum(values[..., :1], 1e-30)
    assume(((gap > 0.3) | (gap < 1e-9)).all())  # none that rounding decides about
    call("linalg.matrix_rank", x, **kw)


@given(regular())
def test_linalg_pinv(x):
    call("linalg.pinv", x, **LOOSE)


@given(st.data(), st.sampled_from(pairs_of(NUMERIC)))
def test_linalg_outer(data, pair):
    call("linalg.outer", *(data.draw(arrays(d, shapes(1, 1), nan=False, limit=9))
                           for d in pair))


@given(st.data(), regular())
def test_linalg_solve(data, x):
    n = x.shape[-1]
    tail = data.draw(st.sampled_from(((n,), (n, 1), (n, 3))))
    lead = data.draw(st.sampled_from(((), x.shape[:-2]))) if len(tail) == 2 else ()
    b = data.draw(arrays(x.dtype.name, lead + tail, nan=False, limit=4))
    call("linalg.solve", x, b, **LOOSE)


@given(st.data(), arrays(FLOATING, shapes(0), nan=False, limit=9))
def test_linalg_vector_norm(data, x):
    axis = st.none()
    if x.ndim:
        axis |= st.integers(-x.ndim, x.ndim - 1) | hn.valid_tuple_axes(x.ndim, min_size=1)
    kw = data.draw(keywords(axis=axis, keepdims=st.booleans(), ord=st.sampled_from(
        (1, 2, 3, 0, float("inf"), -float("inf"), -1, 0.5))))
    assume(x.size and (kw.get("ord", 2) >= 0 or (abs(x) > 1e-2).all()))
    call("linalg.vector_norm", x, **kw, **LOOSE)


# ------------------------------------------------------------------------------ fft


@st.composite
def signals(draw, dtypes):
    return draw(arrays(dtypes, shapes(1, 3, empty=False), nan=False, limit=9))


norms = st.sampled_from(("backward", "ortho", "forward"))


def along_one(names, dtypes):
    @given(st.data(), signals(dtypes), st.sampled_from(names))
    def test(data, x, name):
        kw = data.draw(keywords(n=st.integers(1, 6), axis=st.integers(-x.ndim, x.ndim - 1),
                                norm=norms))
        if name in ("irfft", "hfft"):
            kw.setdefault("n", 4)  # of one element nothing is left otherwise
        call("fft." + name, x, **kw, **LOOSE)
    return test


def along_several(names, dtypes):
    @given(st.data(), signals(dtypes), st.sampled_from(names))
    def test(data, x, name):
        kw = data.draw(keywords(norm=norms))
        if data.draw(st.booleans()):
            kw["axes"] = data.draw(st.permutations(range(x.ndim)))[:data.draw(
                st.integers(1, x.ndim))]
        if "axes" in kw and data.draw(st.booleans()) or name == "irfftn":
            kw["s"] = [data.draw(st.integers(1, 5)) for _ in kw.get("axes", range(x.ndim))]
            kw.setdefault("axes", list(range(x.ndim)))
        call("fft." + name, x, **kw, **LOOSE)
    return test


test_fft_of_complex = along_one(("fft", "ifft", "irfft", "hfft"), COMPLEX)
test_fft_of_real = along_one(("rfft", "ihfft"), REAL)
test_fftn_of_complex = along_several(("fftn", "ifftn", "irfftn"), COMPLEX)
test_fftn_of_real = along_several(("rfftn",), REAL)


@given(st.integers(1, 9), keywords(d=st.sampled_from((0.5, 2.0, 0.1)), dtype=st.sampled_from(
    REAL).map(lambda name: DTYPE + name)), st.sampled_from(("fftfreq", "rfftfreq")))
def test_fft_frequencies(n, kw, name):
    kw.setdefault("dtype", DTYPE + "float64")  # the default dtypes differ
    call("fft." + name, n, **kw)
    assert getattr(ours.fft, name)(n).dtype is ours.float32


@given(st.data(), arrays(FLOATING, shapes(1)), st.sampled_from(("fftshift", "ifftshift")))
def test_fft_shift(data, x, name):
    call("fft." + name, x, **data.draw(keywords(axes=st.integers(-x.ndim, x.ndim - 1) | st.none(
    ) | hn.valid_tuple_axes(x.ndim, min_size=1))))


def test_signatures():
    """Names, kinds and defaults of parameters; and that no function is missing."""
    for part in ("linalg", "fft"):
        mine, theirs = getattr(ours, part), getattr(strict, part)
        assert set(mine.__all__) >= set(theirs.__all__), part
        for name in theirs.__all__:
            got, wanted = ([(p.name, p.kind, p.default) for p in inspect.signature(
                getattr(library, name)).parameters.values()] for library in (mine, theirs))
            assert got == wanted, (part, name, got, wanted)
