# SPDX-License-Identifier: Apache-2.0
"""Operators of random shapes, layouts and dtypes beside PyTorch's: what no table has thought of.

    PYTHONPATH=build/python /usr/bin/python3 bench/random_operators.py
        [--seed 1] [--seconds 60] [--threads 1] [--only FAMILY] [--above 1.05] [--itself]

Makes up expressions (families: pointwise, pairs, reduced, moved, products, neural) of up to a
million elements, with many small dimensions and dimensions of 1, permuted, narrowed and with
steps, and times them as python_operators.py does. What is slower at first is measured three
times again; prints rows that stay above --above, slowest first, with the operands' dtypes and
shapes, and how many expressions there were. With --itself PyTorch takes opyard's place too:
what is printed then is the noise of the machine, and no less of it is in the other figures.
"""
import argparse
import random
import statistics
import time
import warnings

import torch

import opyard
import python_operators
from same_values import same_values

SIZES = (1, 2, 3, 4, 5, 7, 8, 10, 12, 16, 20, 28, 32, 50, 64, 100, 128, 200, 256, 500, 1000)
SIDES = (1, 2, 3, 4, 5, 8, 10, 12, 16, 20, 32, 50, 64, 100, 128, 200, 500, 1000, 3000)
DTYPES = ([torch.float32] * 6 + [torch.float64, torch.int64, torch.bfloat16] * 2
          + [torch.uint8, torch.bool, torch.int32, torch.complex64, torch.float16])
UNARY = ("abs neg exp sqrt sigmoid tanh relu sign floor cos log1p reciprocal square isnan "
         "logical_not clone contiguous").split()
SUMS = "sum mean amax amin std var".split()
REDUCED = SUMS + ("prod any all argmax nansum softmax log_softmax cumsum cumprod sort median max "
                  "min logsumexp count_nonzero").split()


def pick(*choices):
    return random.choice(choices)


def numbers(shape, dtype):
    if dtype is torch.bool:
        return torch.rand(shape) > 0.5
    if dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    if dtype.is_floating_point:
        return torch.randn(shape).to(dtype)
    return torch.randint(1, 100, shape).to(dtype)


def shape_of(most=1e6):
    """Some dimensions, few of them great, in any order."""
    total, shape = 10 ** random.uniform(2, 6), []
    left = min(total, most)
    for _ in range(pick(0, 1, 1, 2, 2, 3, 4)):
        size = random.choice([size for size in SIZES if size <= left])
        shape.append(size)
        left /= size
    shape.append(max(1, int(left)))
    random.shuffle(shape)
    return shape


def laid(text, tensor):
    """An expression of |text| that changes how |tensor| lies, or does not."""
    dim, chance = random.randrange(tensor.dim()), random.random()
    if chance < 0.2 and tensor.dim() > 1:
        order = list(range(tensor.dim()))
        random.shuffle(order)
        return f"{text}.permute{tuple(order)}"
    if chance < 0.35 and tensor.shape[dim] > 3:
        return f"{text}.narrow({dim}, 1, {tensor.shape[dim] - 2})"
    if chance < 0.5 and tensor.shape[dim] > 3:
        return f"{text}[{':, ' * dim}::2]"
    return text


def operand(most=1e6, dtypes=DTYPES):
    """A tensor, an expression of it, and what that is."""
    a = numbers(shape_of(most), random.choice(dtypes))
    text = laid("a", a)
    return a, text, eval(text, {"a": a})


def pointwise():
    a, text, _ = operand()
    if random.random() < 0.3:
        return {"a": a}, f"F.{pick('gelu', 'silu', 'softplus', 'leaky_relu', 'elu')}({text})"
    return {"a": a}, f"{text}.{random.choice(UNARY)}()"


def spread(view):
    """A shape that broadcasts to that of |view|."""
    shape = [size if random.random() < 0.6 else 1 for size in view.shape]
    return shape[random.randrange(len(shape)):] if random.random() < 0.3 else shape


def pairs():
    a, text, view = operand()
    dtype = a.dtype if random.random() < 0.85 else random.choice(DTYPES)
    b, other = numbers(spread(view), dtype), "b"
    if random.random() < 0.3:
        order = list(range(view.dim()))
        random.shuffle(order)
        b = numbers([view.shape[d] for d in order], dtype)
        other = f"b.permute{tuple(order.index(d) for d in range(view.dim()))}"
    op = pick("+", "-", "*", "/", ">", "==", "maximum", "pow", "where", "addcmul")
    names = {"a": a, "b": b}
    if op == "where":
        return {**names, "c": numbers(list(view.shape), torch.bool)}, f"M.where(c, {text}, {other})"
    if op == "addcmul":
        return {**names, "c": numbers(spread(view), dtype)}, f"M.addcmul({text}, {other}, c)"
    if len(op) > 2:
        return names, f"M.{op}({text}, {other})"
    return names, f"{text} {op} {other}"


def reduced():
    a, text, view = operand()
    op, dim = random.choice(REDUCED), random.randrange(view.dim())
    if op in SUMS and view.dim() > 1 and random.random() < 0.4:
        dim = tuple(sorted(random.sample(range(view.dim()), random.randint(2, view.dim()))))
    return {"a": a}, pick(f"{text}.{op}({dim})", f"{text}.{op}({dim})", f"{text}.norm(2, {dim})")


def moved():
    a, text, view = operand(3e5)
    dim, shape = random.randrange(view.dim()), list(view.shape)
    names = {"a": a, "i": torch.randint(0, view.shape[dim], (max(1, view.shape[dim] // 2),)),
             "j": torch.randint(0, view.shape[dim], shape), "b": numbers(shape, a.dtype),
             "c": numbers(shape, torch.bool),
             "k": torch.randint(0, view.numel(), (view.numel() // 2 + 1,)),
             "w": torch.randn(1000, pick(1, 2, 3, 4, 8, 16, 64)),
             "n": torch.randint(0, 1000, shape_of(3e4))}
    return names, pick(
        f"M.cat(({text}, b), {dim})", f"M.stack(({text}, b), {dim})",
        f"{text}.index_select({dim}, i)", f"{text}.gather({dim}, j)",
        f"{text}.scatter({dim}, j, b)", f"{text}.scatter_add({dim}, j, b)",
        f"{text}.masked_fill(c, 1)", f"{text}.masked_select(c)", f"{text}.flip({dim})",
        f"{text}.roll(1, {dim})", f"{text}.diff(dim={dim})", f"{text}.take(k)",
        f"{text}.repeat_interleave(2, {dim})", f"{text}.nonzero()", f"F.pad({text}, (1, 1))",
        f"{text}.to(M.{str(random.choice(DTYPES))[6:]})", f"{text}.topk(1, {dim})",
        "F.embedding(n, w)", "F.one_hot(n % 10, 10)")


def product_sides(most):
    while True:
        n, k, m = (random.choice(SIDES) for _ in range(3))
        if n * k * m <= most and max(n * k, k * m, n * m) <= 1e6:
            return n, k, m


def products():
    n, k, m = product_sides(10 ** random.uniform(2, 7))
    batch = pick(1, 2, 3, 8, 20, 64, 300)
    while batch * max(n * k, k * m, n * m) > 1e6:
        batch = (batch + 1) // 2
    dtype = pick(*[torch.float32] * 4, torch.float64, torch.bfloat16, torch.complex64)
    names = {"a": numbers([batch, n, k], dtype), "b": numbers([batch, k, m], dtype),
             "c": numbers([batch, n, m], dtype), "d": numbers([batch, m, k], dtype),
             "e": numbers([batch, k, n], dtype), "v": numbers([k], dtype)}
    return names, pick(
        "a @ b", "a @ d.mT", "e.mT @ b", "a @ v", "a[0] @ b[0]", "a[0] @ d[0].t()", "a @ b[0]",
        "M.baddbmm(c, a, b)", "M.addmm(c[0], a[0], b[0])", "F.linear(a, d[0])",
        "M.einsum('bij,bkj->bik', a, d)", "M.einsum('bij,bij->bi', a, a)", "M.dot(v, v)",
        "M.tensordot(a[0], b[0], 1)", "(a @ b).softmax(-1) @ d", "M.outer(v, v)")


def neural():
    batch, maps = pick(1, 2, 4, 16), pick(1, 2, 3, 4, 8, 16, 17, 32)
    high, wide = pick(1, 4, 5, 7, 8, 14, 16, 28, 31), pick(1, 4, 5, 7, 8, 14, 28, 32, 100)
    dtype = pick(*[torch.float32] * 6, torch.float64, torch.bfloat16)
    k, step, out = pick(1, 2, 3, 5), pick(1, 1, 2), pick(1, 3, 8, 16, 32)
    rows, across = pick(1, 8, 100, 3000), pick(2, 3, 10, 50)
    names = {"x": numbers([batch, maps, high, wide], dtype), "g": numbers([maps], dtype),
             "k": numbers([out, maps, k, pick(k, k, 1, 3)], dtype),
             "d": numbers([maps, 1, k, k], dtype), "q": numbers([maps, out, k, k], dtype),
             "p": torch.rand(batch, high, wide, 2).to(dtype) * 2 - 1,
             "y": numbers([rows, across], dtype), "z": numbers([rows, across], dtype),
             "t": torch.randint(0, across, (rows,)),
             "u": numbers([batch * 30, pick(1, 2, 3, 4, 8), high], torch.float32)}
    pad = f"stride={step}, padding={pick(0, k // 2)}"
    return names, pick(
        f"F.conv2d(x, k, {pad})", f"F.conv2d(x, d, {pad}, groups={maps})",
        f"F.conv_transpose2d(x, q, stride={step})", f"F.max_pool2d(x, {k}, {pad})",
        f"F.avg_pool2d(x, {k}, {pad})", "F.adaptive_avg_pool2d(x, 2)",
        "F.adaptive_max_pool2d(x, 2)", f"F.unfold(x, {k}, {pad})", "F.instance_norm(x)",
        f"F.interpolate(x, scale_factor=2, mode='{pick('nearest', 'bilinear', 'bicubic')}')",
        "F.batch_norm(x, None, None, g, g, True)", f"F.layer_norm(x, ({wide},))",
        f"F.grid_sample(x, p, '{pick('bilinear', 'nearest')}', align_corners=False)",
        "F.prelu(x, g)", "F.mse_loss(y, z)", "F.smooth_l1_loss(y, z)", "F.cross_entropy(y, t)",
        "F.cosine_similarity(y, z, dim=1)", "F.normalize(y)", "M.fft.fft(u)", "M.fft.rfft(u)",
        "M.fft.fft2(u)", "M.linalg.det(u @ u.mT)", "M.linalg.qr(u)", "M.linalg.inv(u @ u.mT + 9)",
        "M.cov(z.t())", "M.cdist(y, z[:100])", "y.cummax(1)", "M.logsumexp(y, 1)")


FAMILIES = {made.__name__: made for made in (pointwise, pairs, reduced, moved, products, neural)}


def operands_of(library, names):
    """The same values for |library|; for PyTorch in memory of their own, laid out alike."""
    if library is torch:
        return {name: value.clone() for name, value in names.items()}
    return {name: same_values(library, value) for name, value in names.items()}


def measured(families, libraries, seconds):
    """An expression with its ratio, time and operands; None where PyTorch refuses it."""
    names, row = random.choice(families)()
    used = {name: value for name, value in names.items()
            if name in set("".join(c if c.isalnum() else " " for c in row).split())}
    scopes = [{"M": library, "F": library.nn.functional, **operands_of(library, used)}
              for library in libraries]
    first = python_operators.measure(row, scopes, seconds)
    if isinstance(first, Exception):
        return None
    if first[1] <= 1.03:
        return first[1], first[0], row, used
    again = [python_operators.measure(row, scopes, 8 * seconds) for _ in range(3)]
    return statistics.median(one[1] for one in again), again[0][0], row, used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=FAMILIES)
    parser.add_argument("--above", type=float, default=1.05)
    parser.add_argument("--itself", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    python_operators.set_threads(options.threads)
    families = [FAMILIES[options.only]] if options.only else list(FAMILIES.values())
    libraries = (torch if options.itself else opyard, torch)
    end, count, slow = time.time() + options.seconds, 0, []
    while time.time() < end:
        row = measured(families, libraries, 0.01)
        count += row is not None
        if row and row[0] > options.above:
            slow.append(row)
    for ratio, taken, text, names in sorted(slow, key=lambda row: -row[0]):
        shown = ", ".join(f"{name} {str(value.dtype)[6:]} {tuple(value.shape)}"
                          for name, value in names.items())
        print(f"{ratio:7.2f} {taken * 1e6:9.1f}us  {text}  ({shown})")
    print(f"seed {options.seed}, {options.threads} threads: {count} expressions, {len(slow)} above "
          f"{options.above}")


if __name__ == "__main__":
    main()
