# SPDX-License-Identifier: Apache-2.0
"""Runs each line of snippets.txt under PyTorch and under opyard, and compares what it prints
or raises.

    ./yard oracle snippets [--verbose] [WORD ...]      lines that have one of the words

A line passes if both print the same, or both raise: opyard's exception must be of the type
of PyTorch's, and have its text where it ends ("text" counts lines with another one). What
differs on purpose, or because PyTorch here is 1.13 and opyard is as 2.6, is in
snippets_known.txt with the reason.
"""
import os
import sys
import warnings

import functorch
import numpy
import torch

import opyard

HERE = os.path.dirname(os.path.abspath(__file__))


def names(library):
    arange = library.arange
    x = arange(12.0).view(3, 4)
    return {
        "torch": library, "np": numpy, "ad": library.autograd.forward_ad,
        "func": functorch if library is torch else library.func, "x": x, "i": arange(6).view(2, 3),
        "y": x.to(library.float64), "v": arange(5.0),
        "c": library.tensor([1 + 2j, 3 - 1j]),
        "b": (x % 2 == 0) & (x >= 0), "s": library.tensor(2.5),
        "w": library.tensor([1.0, 2.0], requires_grad=True)}


def outcome(line, library):
    """The text, and the exception or None."""
    scope = names(library)
    *statements, last = line.split("; ")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for statement in statements:
                exec(statement, scope)
            try:
                code = compile(last, "<line>", "eval")
            except SyntaxError:
                exec(last, scope)
                return "done", None
            return repr(eval(code, scope)), None
    except Exception as error:
        return str(error), error


def plain(text):
    """Without addresses, and names of the library."""
    return text.replace("opyard", "torch").split(" object at 0x")[0].strip()


def verdict(line):
    """"same", "text" or "other", and both texts."""
    (want, want_error), (got, got_error) = outcome(line, torch), outcome(line, opyard)
    if (want_error is None) != (got_error is None):
        return "other", want, got
    if want_error is None:
        return ("same" if plain(want) == plain(got) else "other"), want, got
    if not isinstance(got_error, type(want_error)):
        return "other", f"{type(want_error).__name__}: {want}", f"{type(got_error).__name__}: {got}"
    first = plain(want).split("\n")[0]
    return ("same" if first == plain(got).split("\n")[0] else "text"), want, got


def known():
    """Lines that differ, and why."""
    found, reason = {}, ""
    with open(os.path.join(HERE, "snippets_known.txt"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("# "):
                reason = line[2:]
            elif line:
                found[line] = reason
    return found


def main():
    verbose = "--verbose" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    with open(os.path.join(HERE, "snippets.txt"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and line[0] != "#"]
    lines = [line for line in lines if not words or any(word in line for word in words)]
    allowed, counts, bad = known(), {"same": 0, "text": 0, "other": 0, "known": 0}, 0
    for line in lines:
        kind, want, got = verdict(line)
        if kind == "other" and line in allowed:
            kind = "known"
        counts[kind] += 1
        if kind == "same" and line in allowed:
            print(f"agrees now, strike it from snippets_known.txt: {line}")
            bad += 1
        if kind == "other" or verbose and kind in ("text", "known"):
            print(f"{kind}: {line}\n  PyTorch: {want}\n  opyard:  {got}")
        bad += kind == "other"
    print(f"{len(lines)} lines: {counts['same']} the same, {counts['text']} the same exception "
          f"with another text, {counts['known']} known to differ, {counts['other']} differ")
    sys.exit(bad != 0)


main()
