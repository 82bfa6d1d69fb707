# SPDX-License-Identifier: Apache-2.0
"""Rows of python_operators.py for neural networks (--rows nn) and batched linear algebra.

A size is about the number of elements of an image: 256, 32768 and 802816 are
(batch, channels, side, side) of (1, 4, 8, 8), (2, 16, 32, 32) and (4, 64, 56, 56). A row
that starts with "backward: " times `backward` of what the expression gives, with its
graph kept, for all of its floating tensors.
"""
import math

from same_values import same_values

F = "M.nn.functional."

CONVOLUTIONS = [
    "conv1d(x1, k1, b, padding=1)", "conv2d(x, k2, b, padding=1)", "conv2d(x, k2)",
    "conv3d(x3, k3, b, padding=1)", "conv2d(x, kp, b)", "conv2d(x, k5, b, padding=2)",
    "conv2d(x, k2, b, stride=2, padding=1)", "conv2d(x, kp, stride=2)",
    "conv2d(x, kg, b, padding=1, groups=4)", "conv2d(x, kd, b, padding=1, groups=c)",
    "conv2d(x, kd, stride=2, padding=1, groups=c)", "conv1d(x1, kd1, padding=1, groups=c)",
    "conv2d(x, k2, b, padding=2, dilation=2)", "conv_transpose2d(x, k2, b)",
    "conv_transpose2d(x, k22, b, stride=2)", "conv_transpose1d(x1, k1)",
    "conv_transpose2d(x, kd, groups=c)",
]
POOLS = [
    "max_pool1d(x1, 2)", "max_pool2d(x, 2)", "max_pool2d(x, 3, 2, 1)", "max_pool3d(x3, 2)",
    "avg_pool1d(x1, 2)", "avg_pool2d(x, 2)", "avg_pool2d(x, 3, 1, 1)", "avg_pool3d(x3, 2)",
    "adaptive_avg_pool1d(x1, 4)", "adaptive_avg_pool2d(x, 1)", "adaptive_avg_pool2d(x, 5)",
    "adaptive_avg_pool3d(x3, 2)", "adaptive_max_pool2d(x, 2)", "lp_pool2d(x, 2, 2)",
]
IMAGES = [
    "interpolate(x, scale_factor=2)", "interpolate(x, scale_factor=0.5)",
    "interpolate(x, scale_factor=2, mode='bilinear')",
    "interpolate(x, scale_factor=2, mode='bilinear', align_corners=True)",
    "interpolate(x, scale_factor=2, mode='bicubic')",
    "interpolate(x, scale_factor=0.5, mode='area')",
    "interpolate(x1, scale_factor=2, mode='linear')",
    "interpolate(x3, scale_factor=2, mode='trilinear')",
    "pad(x, (1, 1, 1, 1))", "pad(x, (1, 1, 1, 1), mode='reflect')",
    "pad(x, (1, 1, 1, 1), mode='replicate')", "pad(x, (1, 1, 1, 1), mode='circular')",
    "unfold(x, 3, padding=1)", "fold(cols, (side, side), 3, padding=1)",
    "grid_sample(x, grid, align_corners=False)",
    "grid_sample(x, grid, mode='nearest', align_corners=False)",
    "pixel_shuffle(x, 2)", "pixel_unshuffle(x, 2)",
]
NORMS = [
    "softmax(m, 1)", "softmax(m, 0)", "softmax(x, 1)", "log_softmax(m, 1)",
    "log_softmax(m, 0)", "log_softmax(x, 1)", "layer_norm(m, (s,), ws, bs)",
    "layer_norm(x, (c, side, side))", "group_norm(x, 4, w, b)", "instance_norm(x)",
    "batch_norm(x, rm, rv, w, b, training=True)", "batch_norm(m, rms, rvs, ws, bs, training=True)",
    "normalize(m)",
]
EVAL_NORMS = ["batch_norm(x, rm, rv, w, b)", "batch_norm(m, rms, rvs, ws, bs)"]
LOSSES = [
    "cross_entropy(m, t)", "cross_entropy(m, t, label_smoothing=0.1)", "cross_entropy(x, tx)",
    "nll_loss(m, t)", "mse_loss(m, m2)", "l1_loss(m, m2)", "smooth_l1_loss(m, m2)",
    "huber_loss(m, m2)", "binary_cross_entropy(p, p2)",
    "binary_cross_entropy_with_logits(m, p2)", "kl_div(m, p2, reduction='batchmean')",
    "cosine_embedding_loss(m, m2, sign)", "cosine_similarity(m, m2)",
    "triplet_margin_loss(m, m2, p)", "hinge_embedding_loss(m, m2)",
    "multi_margin_loss(m, t)", "soft_margin_loss(m, m2)", "poisson_nll_loss(m, m2)",
]
OTHERS = [
    "embedding(i, m)", "embedding_bag(i2, m)", "embedding_bag(i2, m, mode='sum')",
    "embedding_bag(i2, m, mode='max')", "dropout(x, 0.5)", "dropout(x, 0.5, False)",
    "dropout2d(x, 0.5)", "linear(m, m2, ws)", "linear(q, wq)", "gelu(x)", "silu(x)",
    "relu(x)", "leaky_relu(x)", "elu(x)", "softplus(x)", "hardswish(x)", "prelu(x, w)",
]
ATTENTION = [
    "M.softmax(q @ k.transpose(-2, -1) / 4.0, -1) @ v",
    "M.bmm(q.flatten(0, 1), k.flatten(0, 1).transpose(1, 2))",
    "q.transpose(1, 2).reshape(batch, -1, 4 * 16)",
    "q.permute(2, 0, 1, 3).contiguous()",
]
PRODUCTS = [
    "M.mm(m, m2)", "M.mm(m, m2.t())", "M.mm(m.t(), m2)", "M.mv(m, ws)", "M.mv(m.t(), ws)",
    "M.dot(u, u)", "M.outer(ws, ws)", "M.bmm(bm, bm)", "M.matmul(bm, bm[0])",
    "M.matmul(bm, bm[0, 0])", "M.addmm(m, m, m2)", "M.addmm(ws, m, m2)", "M.addmv(ws, m, ws)",
    "M.addr(m, ws, ws)", "M.baddbmm(bm, bm, bm)", "M.einsum('ij,kj->ik', m, m2)",
    "M.einsum('bij,bjk->bik', bm, bm)", "M.einsum('bij,bij->b', bm, bm)",
]
LINALG = [f"M.linalg.{op}({matrix})" for matrix in ("l8", "l200")
          for op in ("inv", "det", "slogdet", "qr", "svd", "eigvals", "svdvals", "pinv")]
LINALG += [f"M.linalg.{op}({matrix})" for matrix in ("s8", "s200")
           for op in ("cholesky", "eigh", "eigvalsh")]
LINALG += [f"M.linalg.{op}({matrix}, {matrix})" for matrix in ("l8", "l200")
           for op in ("solve",)]
LINALG += ["M.linalg.lu_factor(l8)", "M.linalg.lu_factor(l200)",
           "M.linalg.solve_triangular(t8, l8, upper=True)",
           "M.linalg.solve_triangular(t200, l200, upper=True)",
           "M.linalg.matrix_norm(l200)", "M.linalg.matrix_exp(l8)",
           "M.linalg.lstsq(l8, l8)", "M.linalg.lstsq(l200, l200)"]
# What is not differentiable, or computes nothing.
NO_BACKWARD = ["dropout(x, 0.5, False)", "soft_margin_loss(m, m2)"]

FORWARD = ([F + row for row in CONVOLUTIONS + POOLS + IMAGES + NORMS + EVAL_NORMS + LOSSES
            + OTHERS] + ATTENTION + PRODUCTS)
BACKWARD = ([F + row for row in CONVOLUTIONS + POOLS + IMAGES + NORMS + EVAL_NORMS + LOSSES
             + OTHERS if row not in NO_BACKWARD] + ATTENTION + PRODUCTS)
# Their matrices have a size of their own: measured at the first size alone.
FIXED = LINALG + ["backward: " + row for row in LINALG
                  if not any(op in row for op in ("eigvals(", "lstsq", "eigvalsh",
                                                  "slogdet", "matrix_exp"))]
ROWS = FORWARD + ["backward: " + row for row in BACKWARD] + FIXED


def scope_of(torch, library, n):
    """The variables of the expressions. Values are the same in both libraries."""
    torch.manual_seed(0)
    c = 4 if n < 4096 else 16 if n < 200000 else 64
    batch = {4: 1, 16: 2, 64: 4}[c]
    side = max(math.isqrt(n // (batch * c)) // 2 * 2, 8)
    edge = max(round((n / (batch * c)) ** (1 / 3)) // 2 * 2, 4)
    length, s = side * side, math.isqrt(n)
    words = max(n // (batch * 64), 4)

    def normal(*sizes):
        return torch.randn(*sizes)

    def weights(*sizes):
        return torch.randn(*sizes) / math.sqrt(math.prod(sizes[1:]))

    l8, l200 = normal(64, 8, 8) + 4 * torch.eye(8), normal(200, 200) + 20 * torch.eye(200)
    first = {
        "x": normal(batch, c, side, side), "x1": normal(batch, c, length),
        "x3": normal(batch, c, edge, edge, edge), "k1": weights(c, c, 3),
        "k2": weights(c, c, 3, 3), "k3": weights(c, c, 3, 3, 3), "kp": weights(c, c, 1, 1),
        "k5": weights(c, c, 5, 5), "kg": weights(c, c // 4, 3, 3),
        "kd": weights(c, 1, 3, 3), "kd1": weights(c, 1, 3), "k22": weights(c, c, 2, 2),
        "w": torch.rand(c) + 0.5, "b": normal(c), "rm": normal(c), "rv": torch.rand(c) + 0.5,
        "rms": normal(s), "rvs": torch.rand(s) + 0.5, "ws": normal(s), "bs": normal(s),
        "cols": normal(batch, c * 9, side * side),
        "grid": torch.rand(batch, side, side, 2) * 2 - 1,
        "m": normal(s, s), "m2": normal(s, s), "p": torch.rand(s, s) * 0.9 + 0.05,
        "p2": torch.rand(s, s) * 0.9 + 0.05, "t": torch.randint(0, s, (s,)),
        "tx": torch.randint(0, c, (batch, side, side)), "u": normal(n),
        "sign": torch.randint(0, 2, (s,)) * 2 - 1, "i": torch.randint(0, s, (s,)),
        "i2": torch.randint(0, s, (s // 4, 4)),
        "q": normal(batch, 4, min(words, 512), 16), "k": normal(batch, 4, min(words, 512), 16),
        "v": normal(batch, 4, min(words, 512), 16), "wq": weights(16, 16),
        "bm": normal(max(n // 1024, 1), 32, 32), "l8": l8, "l200": l200,
        "s8": l8 @ l8.mT, "s200": l200 @ l200.mT, "t8": l8.triu(), "t200": l200.triu(),
    }
    if library is not torch:
        first = {name: same_values(library, value) for name, value in first.items()}
    return dict(first, M=library, n=n, s=s, c=c, batch=batch, side=side)


def recorded(row, scope):
    """The scope and code that time the backward of |row|."""
    code = compile(row, row, "eval")
    leaves = {name: value.clone().requires_grad_() for name, value in scope.items()
              if name in code.co_names and getattr(value, "requires_grad", None) is False
              and value.is_floating_point() and name not in ("rm", "rv", "rms", "rvs")}
    y = eval(code, dict(scope, **leaves))
    y = [part for part in (y if isinstance(y, (tuple, list)) else [y])
         if part.requires_grad]
    y = sum((part.sum() for part in y[1:]), y[0].sum()) if len(y) > 1 else y[0]
    grad = y.detach().clone().fill_(1.0)
    return {"y": y, "grad": grad}, "y.backward(grad, retain_graph=True)"
