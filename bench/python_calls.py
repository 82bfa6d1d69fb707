# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs: opyard beside PyTorch and NumPy, on tensors of one element.

    PYTHONPATH=build/python /usr/bin/python3 bench/python_calls.py [--check]

Nanoseconds: the least of many short runs, taken in turns, so that what else the machine does
counts as little as can be. With --check, an exit status of 1 if a + b takes more than 100 ns,
or is not 10 times as fast as PyTorch's and 2.5 times as fast as NumPy's; then the import, in
new processes: at most 15 ms and 10 MB.
"""
import re
import subprocess
import sys
import timeit

import opyard

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

ROWS = ("a + b", "a * 2.0", "a.sum()", "a.sum(0)", "M.add(a, b)", "M.sum(a, 0)", "a.add_(b)",
        "a[0]", "a[0:1]", "a.view(1, 1)", "a.t()", "a.max(0)", "M.zeros(2)", "a.shape", "a.dtype",
        "a.item()", "g * g")
RUNS, CALLS = 400, 500


def sides():
    found = {"opyard": opyard}
    if torch:
        torch.set_num_threads(1)
        found["torch"] = torch
    if numpy:
        found["numpy"] = numpy
    return found


def scope_of(library):
    if library is numpy:
        return {"M": numpy, "a": numpy.ones(1, numpy.float32), "b": numpy.ones(1, numpy.float32)}
    return {"M": library, "a": library.tensor([1.0]), "b": library.tensor([2.0]),
            "g": library.tensor([1.0], requires_grad=True)}


def measure(row):
    """The least time of each side, None where it has no such call."""
    timers = {}
    for name, library in sides().items():
        scope = scope_of(library)
        try:
            eval(row, scope)
        except Exception:
            continue
        timers[name] = timeit.Timer(row, globals=scope)
    least = {}
    for _ in range(RUNS):
        for name, timer in timers.items():
            time = timer.timeit(CALLS) / CALLS * 1e9
            least[name] = min(time, least.get(name, time))
    return least


def import_cost(module):
    """Milliseconds of the processor and megabytes that an import adds to Python, the least
    of 15."""
    program = ("import time\n"
               "def now(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
               f"m, t = now(), time.process_time()\nimport {module}\n"
               "print((time.process_time() - t) * 1e3, (now() - m) / 1e6)")
    runs = [[float(x) for x in subprocess.run([sys.executable, "-c", program], check=True,
                                              capture_output=True, text=True).stdout.split()]
            for _ in range(15)]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def main():
    names, failed = list(sides()), []
    print("| ns a call | " + " | ".join(names) + " |\n|---|" + "--:|" * len(names))
    for row in ROWS:
        least = measure(row)
        print(f"| `{row}` | " + " | ".join(
            f"{least[name]:.0f}" if name in least else "" for name in names) + " |", flush=True)
        if row == "a + b":
            ours = least["opyard"]
            failed += [f"a + b: {ours:.0f} ns"] * (ours > 100)
            for name, factor in (("torch", 10), ("numpy", 2.5)):
                if name in least and least[name] < factor * ours:
                    failed.append(f"a + b: {least[name] / ours:.1f} times as fast as {name}")
    for name in ("opyard", "numpy"):
        if name in names:
            time, memory = import_cost(name)
            print(f"import {name}: {time:.1f} ms, {memory:.1f} MB")
            if name == "opyard":
                failed += [f"import: {time:.1f} ms, {memory:.1f} MB"] * (time > 15 or memory > 10)
    for line in failed:
        print("missed:", line)
    sys.exit(bool(failed) and "--check" in sys.argv)


main()
