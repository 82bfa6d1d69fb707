# SPDX-License-Identifier: Apache-2.0
"""Rows of python_operators.py of many short rows: --rows short.

Points, channels and classes: 300,000 elements in rows of a few, of several dtypes. What it costs
to begin with a row is most of what it costs. Sizes do not depend on --sizes.
"""
from same_values import same_values

LENGTHS = (2, 3, 4, 5, 8, 12, 16, 24, 32)
DTYPES = {"f": "float32", "d": "float64", "b": "bfloat16", "l": "int64", "u": "uint8",
          "c": "complex64"}

REDUCED = [f"x.{op}({dim})" for dim in (0, 1)
           for op in "sum mean amax argmax max prod any std norm".split()]
REDUCED = [row.replace("norm(", "norm(2, ") for row in REDUCED]
SPREAD = ["x + c", "x / c", "x * w", "x > c", "M.where(z, c, x)", "x - x.mean(1, keepdim=True)"]
PRODUCTS = ["x @ q", "x @ q.t()", "x @ v", "q @ x.t()", "x.t() @ x", "x @ k"]
MOVED = ["x.flip(1)", "x.roll(1, 1)", "x.diff(dim=1)", "x.t().contiguous()", "x.gather(1, i)",
         "x.repeat_interleave(2, 1)", "M.cat((x, x), 1)", "x[:, 1:].contiguous()"]
SCANNED = ["x.cumsum(1)", "x.cumprod(1)", "x.cummax(1)", "M.logcumsumexp(x, 1)",
           "x.sort(1)", "x.topk(1, 1)", "x.kthvalue(1, 1)"]
NORMED = ["x.softmax(1)", "x.log_softmax(1)", "x.softmax(0)", "M.logsumexp(x, 1)",
          "F.layer_norm(x, (n,), w, w)", "F.normalize(x)"]
BACKWARD = ["x.softmax(1)", "x.log_softmax(1)", "F.layer_norm(x, (n,), w, w)", "x.amax(1)",
            "x.norm(2, 1)", "F.normalize(x)"]
ALL = (REDUCED + SPREAD + PRODUCTS + MOVED + SCANNED + NORMED
       + [f"backward: {row}" for row in BACKWARD])


def named(row, n, letter):
    """The row with the variables of one length and dtype."""
    names = {name: f"{name}{n}{letter}" for name in "xcwzqvki"}
    names["n"] = str(n)
    out, at = [], 0
    while at < len(row):
        alone = not (at and (row[at - 1].isalnum() or row[at - 1] in "._")) and \
            not (at + 1 < len(row) and (row[at + 1].isalnum() or row[at + 1] == "_"))
        out.append(names.get(row[at], row[at]) if alone else row[at])
        at += 1
    return "".join(out)


ROWS = [named(row, n, letter) for letter in DTYPES for n in LENGTHS for row in ALL]


def scope_of(torch, library, n):
    """The variables of the expressions. Values are the same in both libraries."""
    del n
    torch.manual_seed(0)
    first = {}
    for letter, dtype in DTYPES.items():
        kind = getattr(torch, dtype)
        for n in LENGTHS:
            rows = 300000 // n
            made = {"x": torch.randn(rows, n) * 3, "c": torch.rand(rows, 1) + 1,
                    "w": torch.rand(n) + 1, "q": torch.randn(n, n), "v": torch.randn(n),
                    "k": torch.randn(n, 64)}
            for name, value in made.items():
                first[f"{name}{n}{letter}"] = value.to(kind)
            first[f"z{n}{letter}"] = torch.rand(rows, n) > 0.5
            first[f"i{n}{letter}"] = torch.randint(0, n, (rows, n))
    if library is not torch:
        first = {name: same_values(library, value) for name, value in first.items()}
    return dict(first, M=library, F=library.nn.functional)
