# SPDX-License-Identifier: Apache-2.0
"""Runs captured calls through opyard and says how each compares."""
import re

import opyard
from opyard import _C, ops

import compare
import otherwise

_KNOWN = {op.name: op for op in _C.ops()}

PASSED, FAILED, UNSUPPORTED = "passed", "failed", "not supported"

# Python's names of operators.
SIGNS = {"__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub",
         "__rsub__": "rsub", "__isub__": "sub_", "__mul__": "mul", "__rmul__": "mul",
         "__imul__": "mul_", "__truediv__": "div", "__div__": "div", "__idiv__": "div_",
         "__itruediv__": "div_", "__mod__": "remainder", "__rmod__": "remainder",
         "__imod__": "remainder_", "__pow__": "pow", "__ipow__": "pow_",
         "__floordiv__": "floor_divide", "__matmul__": "matmul", "__neg__": "neg",
         "__pos__": "positive", "__invert__": "bitwise_not", "__eq__": "eq", "__ne__": "ne",
         "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__abs__": "abs"}
# Questions that are no operators, and what has one in its dispatch trace alone.
QUESTIONS = {"__get__", "size", "dim", "stride", "numel", "is_floating_point", "is_complex",
             "data_ptr", "storage_offset", "is_contiguous", "tolist", "__len__", "__bool__",
             "__hash__", "get_device", "ndimension", "nelement", "element_size", "is_conj",
             "is_neg", "__repr__", "__set__", "requires_grad_", "is_signed", "__index__",
             "promote_types", "get_default_dtype", "is_grad_enabled", "can_cast"}

MISFIT = ("no overload takes these arguments", "cannot be a", "takes ", "unexpected keyword",
          "must be tuple of Tensors, not", "received an invalid combination of arguments")


def _short(error):
    text = str(error).strip()
    return f"{type(error).__name__}: {text.splitlines()[0] if text else ''}"[:300]


# What is more than its operator in Python, by opyard's own Python.
FUNCTIONS = {"result_type": opyard.result_type, "nonzero": opyard.nonzero}
# Methods that give the tensor itself where there is nothing to convert.
FUNCTIONS.update((name, getattr(opyard.Tensor, name)) for name in (
    "bfloat16", "bool", "byte", "cdouble", "cfloat", "chalf", "char", "double", "float", "half",
    "int", "long", "short"))


def packet_of(name):
    name = SIGNS.get(name, name)
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    return getattr(ops.aten, name) if name in ops.aten else None


def compare_call(function, call, tolerance):
    """(verdict, reason) of |function| beside the result that |call| has."""
    try:
        return _run(function, call, tolerance)
    except Exception as error:  # noqa: BLE001  the comparison itself
        return FAILED, f"not comparable: {error!r}"


def _run(function, call, tolerance):
    """(verdict, reason) of one call that PyTorch could make."""
    try:
        got = function(*call.args, **call.kwargs)
    except NotImplementedError as error:
        return UNSUPPORTED, _short(error)
    except TypeError as error:
        fits = not any(text in str(error) for text in MISFIT)
        return (FAILED if fits else UNSUPPORTED), _short(error)
    except Exception as error:  # noqa: BLE001  every failure is a finding
        return FAILED, _short(error)
    # New memory holds anything.
    values = not (call.valueless or "empty" in call.name or "resize" in call.name)
    pairs = call.converter.pairs
    why = compare.results(got, call.result, tolerance, values)
    differs = why is not None
    if differs:
        why = otherwise.why_not(call, got, tolerance, why)
    why = why or compare.aliases(got, call.result, pairs)
    # What a call wrote that may have another result is that result.
    if not why and not differs and call.writes is not False:
        why = compare.mutations(pairs, tolerance, values, counted=call.writes is None)
    return (FAILED, why) if why else (PASSED, "")


def by_name(call, tolerance):
    packet = packet_of(call.name)
    if packet is None:
        return UNSUPPORTED, f"missing aten::{call.name}"
    if call.unsupported:
        return UNSUPPORTED, call.unsupported
    return compare_call(packet, call, tolerance)


def _worst(verdicts):
    for wanted in (FAILED, UNSUPPORTED):
        for verdict, reason in verdicts:
            if verdict == wanted:
                return verdict, reason
    return PASSED, ""


class Judge:
    """Compares the calls of one sample; counts those below CompositeImplicitAutograd."""

    def __init__(self):
        self.tolerance = (0, 0)
        self.counts = {}  # by operator

    @staticmethod
    def has(name):
        return name in _KNOWN

    def inner(self, call):
        if call.unsupported:
            verdict = UNSUPPORTED, call.unsupported
        else:
            verdict = compare_call(_KNOWN[call.name], call, self.tolerance)
        counts = self.counts.setdefault(call.name, {PASSED: 0, FAILED: 0, UNSUPPORTED: 0})
        counts[verdict[0]] += 1
        return verdict

    def outer(self, call):
        """By name; or, where no operator has it, by those that PyTorch makes it of."""
        if call.name in QUESTIONS and not call.trace:
            return None
        verdict, reason = by_name(call, self.tolerance)
        if verdict != UNSUPPORTED:
            return verdict, f"{call.name}: {reason}" if reason else ""
        if not call.trace or packet_of(call.name) is not None:
            return verdict, f"{call.name}: {reason}"
        parts = _worst([part.verdict for part in call.trace])
        return parts[0], parts[1] and f"{call.name}, by its parts: {parts[1]}"


def sample(calls):
    """The verdict on all calls of one sample."""
    verdicts = [call.verdict for call in calls if call.verdict]
    return _worst(verdicts) if verdicts else (UNSUPPORTED, "no operator is called")


def error_input(call, error, regex):
    """PyTorch raised |error| in |call|: so must opyard. (verdict, how)"""
    packet = packet_of(call.name)
    if packet is None:
        return UNSUPPORTED, f"missing aten::{call.name}"
    if call.unsupported:
        return UNSUPPORTED, call.unsupported
    if "descriptor '" in str(error):
        return UNSUPPORTED, "raised by Python for a number's method"
    # PyTorch may refuse with another reason where a gradient is asked for.
    for theirs, ours, *_ in call.converter.pairs:
        if theirs.requires_grad:
            ours.requires_grad_()
    try:
        packet(*call.args, **call.kwargs)
    except Exception as raised:  # noqa: BLE001
        return _same_meaning(raised, error, regex)
    return FAILED, f"no error; PyTorch: {_short(error)}"


def _same_meaning(raised, error, regex):
    theirs, ours = str(error).splitlines()[0], str(raised)
    if any(text in ours for text in MISFIT) and isinstance(error, TypeError):
        return PASSED, "same text"
    if theirs.rstrip(".") in ours or re.search(regex, ours) or otherwise.text(theirs, ours):
        if isinstance(raised, type(error)):
            return PASSED, "same text"
        return PASSED, f"other type: {type(raised).__name__}, PyTorch {_short(error)}"
    return PASSED, f"other text: {_short(raised)} | PyTorch {_short(error)}"
