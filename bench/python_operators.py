# SPDX-License-Identifier: Apache-2.0
"""Whether any operator is slower than PyTorch's: expressions in both libraries, by size.

    PYTHONPATH=build/python /usr/bin/python3 bench/python_operators.py
        [--rows nn|wide|dtypes|shapes|short] [--only TEXT] [--sizes 1,10000,1000000] [--threads 1,2]
        [--above 1.0] [--seconds 0.1] [--cpu]

Each expression is text that both libraries take, in v, w (vectors of n numbers), m, k (about
square matrices of n numbers), b (of three dimensions), i (indices), x (an image of n numbers)
and others made by `scope_of`; with `--rows nn` those of nn_operators.py, with `--rows wide`
those of wide_operators.py, with `--rows dtypes` those of dtype_operators.py, with `--rows
shapes` those of shape_operators.py, with `--rows short` those of short_operators.py. Both are timed in turns, there and back, in one process; a
row is the median of the turns' ratios, opyard's time to PyTorch's, so that 1 and more is slower.
Prints rows from --above on, slowest first, and how many there were.
"""
import argparse
import ctypes
import math
import statistics
import sys
import time

import torch

import dtype_operators
import nn_operators
import opyard
import shape_operators
import short_operators
import wide_operators
from same_values import same_values

POINTWISE = """
abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad erf erfc erfinv exp exp2 expm1 floor
frac lgamma digamma log log10 log1p log2 logit neg reciprocal relu round rsqrt sigmoid sign sin
sinh sqrt square tan tanh trunc isnan isfinite signbit logical_not
""".split()
BINARY = """
add sub mul div atan2 maximum minimum fmod remainder pow eq lt ge logical_and copysign hypot
logaddexp floor_divide xlogy
""".split()
REDUCED = "sum mean prod amax amin var std logsumexp argmax any".split()

ROWS = (
    [f"M.{op}(v)" for op in POINTWISE]
    + [f"own.{op}_()" for op in ("neg", "relu", "sigmoid")]
    + [f"M.{op}(v, w)" for op in BINARY]
    + [f"M.{op}(m, r)" for op in ("add", "mul", "lt", "maximum")]
    + ["M.add(m, c)", "M.add(m, m.t())", "m.t().contiguous()", "m.t().exp()", "M.mul(v, 2.5)",
       "M.add(v, w, alpha=2)", "M.clamp(v, 0.2, 0.7)", "y.log()", "y.sqrt()", "y.sin()",
       "y / y", "y.angle()", "M.where(z, v, w)", "M.lerp(v, w, 0.3)",
       "M.addcmul(v, w, w)", "M.addcdiv(v, w, w)", "v.masked_fill(z, 0.0)", "v.double()",
       "v.half()", "v.bfloat16()", "v.long()", "v.clone()", "h.float()", "h + h", "h.exp()",
       "f + f", "f.exp()", "l + l", "l * 3", "M.bitwise_and(l, l)", "l // 3", "l.float()",
       "y + y", "y * y", "y.abs()", "y.exp()", "d.exp()", "d + d", "M.full((n,), 2.0)",
       "M.zeros(n)", "M.arange(n)", "M.linspace(0, 1, n)", "M.eye(s)", "own.fill_(1.0)"]
    + [f"M.{op}({args})" for op in REDUCED if op not in ("any", "logsumexp", "prod", "amax",
                                                          "amin") for args in ("v",)]
    + [f"M.{op}(m, {dim})" for op in REDUCED for dim in (0, 1)]
    + ["M.any(z)", "M.all(z)", "v.max()", "v.min()", "m.max(1)", "m.min(0)", "M.norm(v)",
       "M.linalg.vector_norm(m, dim=1)", "M.count_nonzero(v)", "l.sum()", "h.sum()", "d.sum()",
       "y.sum()", "M.median(v)", "m.median(1)", "M.cumsum(v, 0)", "M.cumsum(m, 0)",
       "M.cumsum(m, 1)", "M.cumprod(m, 1)", "M.logcumsumexp(m, 1)", "m.cummax(1)"]
    + ["M.nn.functional.softmax(m, 1)", "M.nn.functional.softmax(m, 0)",
       "M.nn.functional.log_softmax(m, 1)", "M.nn.functional.layer_norm(m, (s,))",
       "M.nn.functional.layer_norm(m, (s,), e, e)", "M.nn.functional.gelu(sv)",
       "M.nn.functional.silu(sv)", "M.nn.functional.elu(sv)", "M.nn.functional.softplus(sv)",
       "M.nn.functional.leaky_relu(sv)", "M.nn.functional.hardswish(sv)",
       "M.nn.functional.hardtanh(sv)", "M.nn.functional.mish(sv)", "M.nn.functional.glu(g)",
       "M.nn.functional.mse_loss(v, w)", "M.nn.functional.l1_loss(v, w)",
       "M.nn.functional.cross_entropy(m, t)",
       "M.nn.functional.binary_cross_entropy(u, o)",
       "M.nn.functional.dropout(v, 0.5)", "M.nn.functional.embedding(i, m)",
       "M.nn.functional.one_hot(t, s)", "M.nn.functional.normalize(m)",
       "M.nn.functional.linear(m, k, e)"]
    + ["M.nn.functional.conv2d(x, p, padding=1)", "M.nn.functional.conv2d(x, q)",
       "M.nn.functional.conv2d(x, p1, padding=1, groups=8)",
       "M.nn.functional.conv_transpose2d(x, p)", "M.nn.functional.conv1d(x1, j)",
       "M.nn.functional.max_pool2d(x, 2)", "M.nn.functional.max_pool2d(x, 3, 1, 1)",
       "M.nn.functional.avg_pool2d(x, 2)", "M.nn.functional.adaptive_avg_pool2d(x, 1)",
       "M.nn.functional.batch_norm(x, a, a1, training=True)",
       "M.nn.functional.batch_norm(x, a, a1)", "M.nn.functional.group_norm(x, 4)",
       "M.nn.functional.interpolate(x, scale_factor=2)",
       "M.nn.functional.interpolate(x, scale_factor=2, mode='bilinear')",
       "M.nn.functional.pad(x, (1, 1, 1, 1))",
       "M.nn.functional.pad(x, (1, 1, 1, 1), mode='reflect')",
       "M.nn.functional.unfold(x, 3)", "M.nn.functional.pixel_shuffle(x, 2)"]
    + ["M.mm(m, k)", "M.mm(m, k.t())", "M.mm(m.t(), k)", "M.mv(m, e)", "M.dot(v, w)",
       "M.outer(e, e)", "M.bmm(b, b)", "M.matmul(b, b[0])", "M.addmm(m, m, k)",
       "M.einsum('ij,kj->ik', m, k)", "M.mm(dm, dm)", "M.mm(ym, ym)",
       "M.cdist(small, small)"]
    + ["M.sort(v)", "M.sort(m, 1)", "M.argsort(v)", "M.topk(v, min(n, 10))", "M.topk(m, 1)",
       "M.unique(i)", "M.nonzero(z)", "M.masked_select(v, z)", "v[i]", "v[z]", "m[t]",
       "M.index_select(m, 0, t)", "M.index_select(m, 1, t)", "M.gather(m, 1, ti)",
       "v.scatter(0, i, w)", "v.scatter_add(0, i, w)", "v.index_add(0, i, w)",
       "v.index_fill(0, i, 1.0)", "v.index_put((i,), w)", "M.take(v, i)",
       "M.searchsorted(sorted_, w)", "M.bincount(i)", "M.histc(v, 10)"]
    + ["M.cat((v, w))", "M.cat((m, m), 1)", "M.stack((v, w))", "M.stack((v, w), 1)",
       "M.flip(v, (0,))", "M.flip(m, (0, 1))", "M.roll(v, 1)", "M.roll(m, 1, 1)",
       "v.repeat(2)", "m.repeat(2, 2)", "M.repeat_interleave(v, 2)", "M.tril(m)",
       "M.diag(e)", "m.permute(1, 0).reshape(-1)", "b.permute(2, 0, 1).contiguous()",
       "M.chunk(v, 2)", "v.view(-1)", "m.t()", "v[None]", "m[0]", "v[1:]", "v[::2]",
       "m.expand(2, s, s)", "M.split(v, max(n // 2, 1))", "M.unbind(small)", "m.diagonal()",
       "M.kron(small, small)", "M.tensordot(m, k, 1)", "M.cross(tri, tri)"]
    + ["M.linalg.inv(lm)", "M.linalg.solve(lm, lm)", "M.linalg.cholesky(pd)",
       "M.linalg.qr(lm)", "M.linalg.svd(lm)", "M.linalg.eigh(pd)", "M.linalg.det(lm)",
       "M.fft.fft(v)", "M.fft.rfft(v)", "M.fft.fft2(m)", "M.fft.ifft(y)"]
    # What everyday programs do with other dtypes,
    + [f"{x} {op} {x}" for x in ("d", "h", "f", "l", "i32", "i8") for op in ("*", "<")]
    + [f"{x} / {x}" for x in ("d", "f", "i32", "l")]
    + ["i32 // i32", "i32 % 3", "i8 // 3", "v + l", "v + 1", "1 / v", "v ** 2", "2 ** v", "-v",
       "z & z", "~z", "v > 0.5", "l == 3", "l << 1"]
    + [f"{x}.{op}()" for x in ("d", "f", "i32", "i8") for op in ("sum", "max")]
    + [f"{x}.float()" for x in ("d", "f", "i32", "i8", "z")]
    + [f"v.{op}()" for op in ("int", "char", "short", "bool")]
    + [f"M.{op}({x})" for op in ("abs", "neg", "sqrt", "relu") for x in ("d", "f")]
    + ["f.mean()", "d.argmax()", "M.where(z, v, 0.0)", "M.clamp(f, 0.2, 0.7)", "M.sort(i32)",
       "M.cumsum(l, 0)"]
    # in place and into outputs,
    + [f"own.{op}" for op in ("add_(w)", "mul_(1.0)", "clamp_(0, 1)", "zero_()", "copy_(v)",
                              "copy_(d)", "lerp_(w, 0.1)", "masked_fill_(z, 0.5)")]
    + ["M.add(v, w, out=own)", "M.exp(v, out=own)", "M.sum(m, 1, out=e)"]
    # with steps, expanded, permuted,
    + ["v2[::2] + w", "M.exp(v2[::2])", "v2[::2].sum()", "v2[::2].max()", "m[:, ::2] + 1",
       "m[:, ::2].sum(0)", "m[:, ::2].sum(1)", "m[:, 1:] - m[:, :-1]", "m[:, : s // 2] + 1",
       "c.expand(s, s).contiguous()", "r.expand(s, s).sum()", "m.t() + m.t()", "m.t() * r",
       "m.t().sum()", "m.t().sum(0)", "m.t().sum(1)", "dm.t().contiguous()", "dm + dm.t()",
       "ym.mH.contiguous()", "y.imag.sum()", "y.real.contiguous()", "M.complex(v, w)",
       "b.transpose(0, 1).contiguous()", "b.sum((0, 2))", "x.sum((0, 2, 3))",
       "x.permute(0, 2, 3, 1).contiguous()", "m.unfold(1, min(s, 3), 1).sum()"]
    # and what there was no row of.
    + ["M.topk(m, min(s, 5), 1)", "M.kthvalue(v, n // 2 + 1)", "M.quantile(v[:100000], 0.3)",
       "M.unique(l)", "M.unique_consecutive(l)", "M.isin(i, t)", "M.bucketize(v, bounds)",
       "M.bincount(l)", "M.scatter_reduce(v, 0, i, w, 'sum')",
       "M.scatter_reduce(m, 1, ti, m, 'mean')", "M.scatter_add(m, 0, ti, m)",
       "m.index_add(0, t, m)", "m.index_copy(0, t, m)", "v.masked_scatter(z, w)",
       "M.take_along_dim(m, ti, 1)", "M.diff(m)", "M.nan_to_num(v)", "M.nansum(v)",
       "M.var_mean(v)", "M.aminmax(v)", "M.amax(v)", "M.trapezoid(v)", "M.isclose(v, w)",
       "M.allclose(v, v)", "M.equal(v, v)", "M.heaviside(v, w)", "M.tile(v, (3,))",
       "M.triu(m)", "M.flip(m, (1,))", "M.rot90(m)", "M.stack([m] * 4, 2)",
       "M.meshgrid(e, e, indexing='ij')", "M.block_diag(small, small)", "M.dist(v, w)",
       "M.baddbmm(b, b, b)", "M.addr(m, e, e)", "M.einsum('i,i->', v, w)", "M.sgn(y)",
       "M.nextafter(v, w)", "M.frexp(v)", "M.gcd(l, l)", "M.polar(v, w)",
       "M.special.entr(v)", "M.multinomial(u[:1000], 10)", "M.fft.irfft(y)",
       "M.fft.fft(ym, dim=0)", "M.polygamma(1, v)", "M.polygamma(2, v)", "M.special.i1(v)",
       "M.special.i0e(v)", "M.igamma(v, w)", "M.special.zeta(w, v)", "M.histogram(v, 10)",
       "M.poisson(v)", "M.multinomial(u[:1000], 100, replacement=True)"]
    + ["M.rand(n)", "M.randn(n)", "M.randint(0, 10, (n,))", "own.bernoulli_(0.5)",
       "M.randperm(n)", "own.exponential_()"]
)


def scope_of(library, n):
    """The variables of the expressions. Values are the same in both libraries."""
    s = max(math.isqrt(n), 1)
    torch.manual_seed(0)
    small = min(s, 300)
    side = max(math.isqrt(n // 8), 3)
    first = {
        "v": torch.rand(n), "sv": torch.randn(n), "own": torch.rand(n),
        "w": torch.rand(n) + 0.1, "m": torch.rand(s, s),
        "k": torch.rand(s, s), "r": torch.rand(s), "c": torch.rand(s, 1), "e": torch.rand(s),
        "b": torch.rand(max(s // 32, 1), min(s, 32), min(s, 32)), "z": torch.rand(n) > 0.5,
        "h": torch.rand(n).half(), "f": torch.rand(n).bfloat16(), "l": torch.randint(1, 9, (n,)),
        "y": torch.complex(torch.rand(n), torch.rand(n)), "d": torch.rand(n).double(),
        "i": torch.randint(0, n if n < s * s else s, (n,)), "t": torch.randint(0, s, (s,)),
        "ti": torch.randint(0, s, (s, s)), "u": torch.rand(n) * 0.9 + 0.05, "o": torch.rand(n),
        "g": torch.rand(2 * n), "x": torch.rand(1, 8, side, side), "p": torch.rand(8, 8, 3, 3),
        "q": torch.rand(16, 8, 1, 1), "p1": torch.rand(8, 1, 3, 3),
        "x1": torch.rand(1, 8, n // 8 + 3),
        "j": torch.rand(8, 8, 3), "a": torch.zeros(8), "a1": torch.ones(8),
        "dm": torch.rand(s, s).double(), "ym": torch.complex(torch.rand(s, s), torch.rand(s, s)),
        "small": torch.rand(min(s, 60), min(s, 60)), "sorted_": torch.rand(n).sort()[0],
        "lm": torch.rand(small, small) + torch.eye(small) * small,
        "tri": torch.rand(max(n // 3, 1), 3), "i32": torch.randint(1, 9, (n,)).int(),
        "i8": torch.randint(1, 9, (n,)).char(), "v2": torch.rand(2 * n),
        "bounds": torch.rand(100).sort()[0],
    }
    first["pd"] = first["lm"] @ first["lm"].t()
    if library is not torch:
        first = {name: same_values(library, value) for name, value in first.items()}
    return dict(first, M=library, n=n, s=s)


# Elapsed time; --cpu: processor time, which says nothing of threads, but is disturbed less
# by what else runs.
clock = time.perf_counter


# PyTorch's threads spin for less than this after a call, by default. They would take the
# processor from what is measured next; told to sleep at once, each of its calls would wake them.
SPIN_SECONDS = 0.01


def rest(code, scope):
    """Lets threads of the turn before fall asleep, and wakes those of this one."""
    if torch.get_num_threads() > 1:
        time.sleep(SPIN_SECONDS)
        eval(code, scope)


def timed(code, scope, calls):
    start = clock()
    for _ in range(calls):
        eval(code, scope)
    return clock() - start


def measure(row, scopes, seconds):
    """opyard's time of a call, and the median ratio to PyTorch's; or the exception."""
    try:
        if row.startswith("backward: "):
            recorded = [nn_operators.recorded(row[10:], scope) for scope in scopes]
            scopes, row = [scope for scope, _ in recorded], recorded[0][1]
        code = compile(row, row, "eval")
        for scope in scopes:
            timed(code, scope, 2)
    except Exception as error:
        return error
    rest(code, scopes[0])
    one = max(sum(timed(code, scope, 1) for scope in scopes), 1e-7)
    calls = max(int(seconds / 15 / one), 1)
    runs = []
    rest(code, scopes[0])
    for _ in range(max(min(int(seconds / one / 2), 8), 3)):
        # There and back: what follows itself finds its memory in the caches.
        there = [timed(code, scope, calls) for scope in scopes]
        back = [timed(code, scope, calls) for scope in scopes[:0:-1]]
        rest(code, scopes[0])
        back.append(timed(code, scopes[0], calls))
        runs.append([a + b for a, b in zip(there, back[::-1])])
    return (statistics.median(run[0] for run in runs) / calls / 2,
            statistics.median(run[0] / run[1] for run in runs))


def set_threads(threads):
    """Threads of both libraries, and of the BLAS that both call."""
    torch.set_num_threads(threads)
    opyard.set_num_threads(threads)
    try:
        ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads(threads)
    except (OSError, AttributeError):
        pass  # another BLAS


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with this text")
    parser.add_argument("--rows", choices=("all", "nn", "wide", "dtypes", "shapes", "short"),
                        default="all",
                        help="nn: neural networks, linear algebra, and their gradients; "
                             "wide: outputs, expanded operands, every dtype; "
                             "dtypes: more operators of every dtype; "
                             "shapes: the sizes that programs have; short: many rows of "
                             "a few elements")
    parser.add_argument("--sizes", help="numbers of elements")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--cpu", action="store_true",
                        help="measure processor time, with one thread")
    parser.add_argument("--above", type=float, default=1.0, help="ratios from here on")
    parser.add_argument("--seconds", type=float, default=0.1, help="of each row, at least")
    options = parser.parse_args()
    if options.cpu:
        global clock
        clock, options.threads = time.process_time, "1"
    found, errors = [], set()
    neural = options.rows == "nn"
    more = {"nn": nn_operators, "wide": wide_operators,
            "dtypes": dtype_operators, "shapes": shape_operators,
            "short": short_operators}.get(options.rows)
    sizes = options.sizes or {"nn": "256,32768,802816", "wide": "1000,1000000",
                              "dtypes": "1000,1000000", "shapes": "0", "short": "0"}.get(
        options.rows, "1,1000,100000,1000000")
    for threads in map(int, options.threads.split(",")):
        set_threads(threads)
        for at, n in enumerate(map(int, sizes.split(","))):
            scopes = [more.scope_of(torch, library, n) if more else scope_of(library, n)
                      for library in (opyard, torch)]
            for row in more.ROWS if more else ROWS:
                if options.only not in row or neural and at and row in nn_operators.FIXED:
                    continue
                result = measure(row, scopes, options.seconds)
                if isinstance(result, Exception):
                    errors.add(f"{row}: {str(result).splitlines()[0][:100]}")
                else:
                    found.append((result[1], result[0], threads, n, row))
    if not found:
        sys.exit(f"no row has '{options.only}'")
    found.sort(reverse=True)
    print("  ratio        time threads        n")
    for ratio, seconds, threads, n, row in found:
        if ratio >= options.above:
            print(f"{ratio:7.2f} {seconds * 1e6:9.1f}us {threads:7} {n:8}  {row}")
    slower = sum(row[0] >= 1 for row in found)
    for key in sorted({row[2:4] for row in found}):
        ratios = [row[0] for row in found if row[2:4] == key]
        counts = ", ".join(f"{sum(ratio >= bound for ratio in ratios)} from {bound} on"
                           for bound in (1.0, 1.2, 2.0))
        print(f"{key[0]} threads, n = {key[1]}: {len(ratios)} rows, median "
              f"{statistics.median(ratios):.3f}, {counts}")
    print(f"{len(found)} rows, {slower} slower than PyTorch; "
          f"median ratio {statistics.median(row[0] for row in found):.3f}")
    for error in sorted(errors):
        print(f"not measured: {error}")


if __name__ == "__main__":
    sys.exit(main())
