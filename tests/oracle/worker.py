# SPDX-License-Identifier: Apache-2.0
"""Compares one entry of op_db; as a program, those whose numbers come on stdin.

A process of its own, so that a crash is one entry's failure and not the end.
"""
import json
import os
import random
import sys
import time
import warnings

import samples  # first: it gives torch.testing what it wants

import numpy
import torch

import check
import forward
import gradients
from capture import Call, Capture

REASONS_KEPT = 4


class Tally:
    """Counts of one entry, with the reasons, most frequent first when shown."""

    def __init__(self):
        self.counts = {check.PASSED: 0, check.FAILED: 0, check.UNSUPPORTED: 0}
        self.f32 = dict(self.counts)
        self.errors = {"same text": 0, "other type": 0, "other text": 0, "failed": 0,
                       "not supported": 0}
        self.reasons = {}

    def note(self, verdict, reason, where):
        key = (verdict, reason)
        found = self.reasons.setdefault(key, [0, where, reason])
        found[0] += 1

    def add(self, verdict, reason, dtype, where):
        self.counts[verdict] += 1
        if dtype is torch.float32:
            self.f32[verdict] += 1
        if verdict != check.PASSED:
            self.note(verdict, reason, where)

    def add_error(self, verdict, how, where):
        kind = how.split(":")[0] if verdict == check.PASSED else verdict
        self.errors[kind] += 1
        if kind != "same text":
            self.note(f"error inputs, {verdict}", how, where)

    def as_json(self, verbose):
        ranked = sorted(self.reasons.items(), key=lambda item: -item[1][0])
        kept = ranked if verbose else ranked[:REASONS_KEPT]
        return {"counts": self.counts, "f32": self.f32, "errors": self.errors,
                "reasons": [[key[0], n, where, reason] for key, (n, where, reason) in kept]}


def _describe(value):
    if isinstance(value, torch.Tensor):
        strides = "" if value.is_contiguous() else f" strides {list(value.stride())}"
        return f"{str(value.dtype)[6:]}{list(value.shape)}{strides}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_describe(v) for v in value) + "]"
    return repr(value)


def _where(kind, dtype, x, args, kwargs):
    words = [_describe(x)] + [_describe(a) for a in args]
    words += [f"{k}={_describe(v)}" for k, v in kwargs.items()]
    return f"{kind} {str(dtype)[6:]}: ({', '.join(words)})"


def seed(number=0):
    """Every generator that op_db's samples come from."""
    torch.manual_seed(number)
    random.seed(number)
    numpy.random.seed(number)


class Entry:
    def __init__(self, op, judge):
        self.op, self.judge, self.tally = op, judge, Tally()

    def compare(self, function, dtype, kind, x, args, kwargs):
        """Counts the sample and gives PyTorch's result; None if it refuses the sample."""
        where = _where(kind, dtype, x, args, kwargs)
        try:
            with Capture(self.judge) as capture:
                result = function(x, *args, **kwargs)
        except Exception:  # noqa: BLE001  not a sample that PyTorch takes
            return None
        self.tally.add(*check.sample(capture.calls), dtype, where)
        return result

    def in_place(self, dtype, x, args, kwargs):
        function = self.op.get_inplace()
        if function and isinstance(x, torch.Tensor) and x.layout == torch.strided:
            self.compare(function, dtype, "in place", x.clone(), args, kwargs)

    def out(self, dtype, result, x, args, kwargs):
        if not self.op.supports_out or "out" in kwargs:
            return
        results = result if isinstance(result, (list, tuple)) else [result]
        if not all(isinstance(r, torch.Tensor) and r.layout == torch.strided for r in results):
            return
        for made in (torch.zeros_like, lambda r: r.new_empty(0)):
            out = [made(r) for r in results]
            given = dict(kwargs, out=tuple(out) if isinstance(result, tuple) else out[0])
            self.compare(self.op.op, dtype, "out=", x, args, given)

    def run_dtype(self, dtype):
        self.judge.tolerance = samples.tolerance(self.op, dtype)
        seed()
        variants = 1000 if dtype is torch.float32 else 4
        for i, (x, args, kwargs, broadcasts) in enumerate(samples.samples(self.op, dtype)):
            result = self.compare(self.op.op, dtype, "sample", x, args, kwargs)
            if result is None or i >= variants:
                continue
            if not broadcasts:
                self.in_place(dtype, x, args, kwargs)
            self.out(dtype, result, x, args, kwargs)
        for x, args, kwargs in samples.extra(self.op, dtype):
            self.compare(self.op.op, dtype, "extra", x, args, kwargs)

    def error_call(self, x, args, kwargs, calls, error):
        """The call that raised |error|: PyTorch's parser raises before it is captured."""
        for call in calls:
            if call.error is error:
                return call
        builtin = not hasattr(self.op.op, "__code__")
        return Call(self.op.op.__name__, (x, *args), kwargs) if builtin else None

    def run_error(self, x, args, kwargs, regex):
        capture = Capture(self.judge)
        try:
            with capture:
                self.op.op(x, *args, **kwargs)
        except Exception as error:  # noqa: BLE001  this is what is compared
            call = self.error_call(x, args, kwargs, capture.calls, error)
            verdict = (check.error_input(call, error, regex) if call else
                       (check.UNSUPPORTED, "raised by PyTorch's Python code"))
            where = _where("error input", getattr(x, "dtype", "torch."), x, args, kwargs)
            self.tally.add_error(*verdict, where)

    def run_derivatives(self, module, wanted):
        """What |module| says of the samples, of the dtypes that have derivatives."""
        for dtype in module.dtypes(self.op):
            if wanted is not None and str(dtype)[6:] not in wanted:
                continue
            tolerance = samples.tolerance(self.op, dtype)
            seed()
            try:
                for sample, verdict in module.verdicts(self.op, dtype, tolerance):
                    where = _where("sample", dtype, sample.input, sample.args, sample.kwargs)
                    self.tally.add(*verdict, dtype, where)
            except Exception as error:  # noqa: BLE001  op_db cannot make its samples
                self.tally.note("samples", repr(error)[:200], str(dtype))

    def run(self, wanted):
        for dtype in samples.dtypes(self.op):
            if wanted is None or str(dtype)[6:] in wanted:
                try:
                    self.run_dtype(dtype)
                except Exception as error:  # noqa: BLE001  op_db cannot make its samples
                    self.tally.note("samples", repr(error)[:200], str(dtype))
        if wanted is None:
            try:
                for x, args, kwargs, regex in samples.errors(self.op):
                    self.run_error(x, args, kwargs, regex)
            except Exception as error:  # noqa: BLE001
                self.tally.note("samples", repr(error)[:200], "error inputs")


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    wanted = sys.argv[1].split(",") if sys.argv[1] else None
    # What a kernel prints goes to stderr, not between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        index = int(line)
        op, start = samples.op_db[index], time.monotonic()
        judge = check.Judge()
        entry = Entry(op, judge)
        if "gradients" in sys.argv:
            entry.run_derivatives(gradients, wanted)
        elif "forward" in sys.argv:
            entry.run_derivatives(forward, wanted)
        else:
            with torch.no_grad():
                entry.run(wanted)
        seconds = round(time.monotonic() - start, 2)
        answer = {"seconds": seconds, "entry": samples.entry_name(op), "index": index, "aten": judge.counts}
        answer.update(entry.tally.as_json("verbose" in sys.argv))
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
