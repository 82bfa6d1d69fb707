# SPDX-License-Identifier: Apache-2.0
"""Calls op_db's samples by the names that Python programs use: as a function of opyard, as a
method, and in place.

    ./yard oracle names [NAME ...]

`ops` compares what the dispatcher is called with; what stands before it in Python (order of
arguments, words for numbers, defaults) is compared here. Entries whose function is op_db's own
are left out, and so are names that PyTorch has and opyard has not, which are listed.
"""
import sys
import warnings

import samples  # first: it gives torch.testing what it wants

import torch

import check
import opyard
from capture import Call
from worker import seed

DTYPES = (torch.float32, torch.int64, torch.complex64, torch.bool)
SAMPLES = 60
LEFT_OUT = {"stft": "of real numbers it needs return_complex since 2.0",
            "unique": "sorted=False leaves the order open"}


def found(root, path):
    for part in path.split("."):
        root = getattr(root, part, None)
    return root


def ways(op):
    """(what it is called as, PyTorch's, opyard's or None)"""
    if found(torch, op.name) is op.op:
        yield "function", op.op, found(opyard, op.name)
    for way, variant in (("method", op.method_variant), ("in place", op.inplace_variant)):
        name = getattr(variant, "__name__", "<")
        if hasattr(torch.Tensor, name) and not name.startswith("__"):
            yield way, variant, getattr(opyard.Tensor, name, None)


def is_by_chance(function, x, args, kwargs):
    """Whether two calls differ: random, or memory that nobody wrote."""
    results = []
    for number in (0, 1):
        seed(number)
        made = function(x.clone() if isinstance(x, torch.Tensor) else x, *args, **kwargs)
        results.append(made[0] if isinstance(made, (list, tuple)) and made else made)
    a, b = results
    return isinstance(a, torch.Tensor) and not torch.equal(a.nan_to_num(), b.nan_to_num())


def _again(function, change, args, kwargs):
    args, kwargs = change(args, kwargs)
    return function(*args, **kwargs)


def verdict(way, theirs, ours, x, args, kwargs, tolerance):
    """None where PyTorch refuses the sample."""
    if way == "in place":
        x = x.clone()
    try:
        by_chance = is_by_chance(theirs, x, args, kwargs)
        call = Call(theirs.__name__, (x, *args), kwargs)
        call.valueless = by_chance
        call.result = theirs(x, *args, **kwargs)
        if way != "in place":
            call.again = lambda change: _again(theirs, change, (x, *args), kwargs)
    except Exception:  # noqa: BLE001  not a sample that PyTorch takes
        return None
    if call.unsupported:
        return check.UNSUPPORTED, call.unsupported
    if ours is None:
        return check.UNSUPPORTED, "no such name"
    return check.compare_call(ours, call, tolerance)


def entry(op, counts, reasons):
    for dtype in DTYPES:
        if dtype not in op.supported_dtypes("cpu"):
            continue
        seed()
        tolerance = samples.tolerance(op, dtype)
        for number, (x, args, kwargs, broadcasts) in enumerate(samples.samples(op, dtype)):
            for way, theirs, ours in ways(op) if number < SAMPLES else ():
                if way == "function" or isinstance(x, torch.Tensor) and not (
                        way == "in place" and broadcasts):
                    result = verdict(way, theirs, ours, x, args, kwargs, tolerance)
                    if result:
                        counts[result[0]] += 1
                    if result and result[0] != check.PASSED:
                        reasons.setdefault((result[0], op.name, way), result[1])


def main(names):
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    counts = {check.PASSED: 0, check.FAILED: 0, check.UNSUPPORTED: 0}
    reasons = {}
    with torch.no_grad():
        for op in samples.op_db:
            if (names and op.name not in names) or op.name in LEFT_OUT:
                continue
            try:
                entry(op, counts, reasons)
            except Exception as error:  # noqa: BLE001  op_db cannot make its samples
                print(f"{op.name}: no samples, {error!r}"[:200])
    for (kind, name, way), reason in reasons.items():
        print(f"{kind}: {name}, {way}: {reason}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts[check.FAILED] or not counts[check.PASSED] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
