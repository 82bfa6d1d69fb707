# SPDX-License-Identifier: Apache-2.0
"""First and second derivatives of op_db's samples, in PyTorch and in opyard.

Each function that PyTorch calls is called in opyard with the tensors that came of the
same calls before, so a sample of several calls is compared as a whole.
"""
import operator
import unittest

import torch
from torch.autograd.gradcheck import GradcheckError
from torch.overrides import TorchFunctionMode

from opyard import _C, Tensor, interop, ops
from opyard.autograd import gradgradcheck

import check
import compare
from convert import Converter, NotSupported

# Memory that nobody wrote.
UNWRITTEN = ("empty", "empty_like", "new_empty", "new_empty_strided", "resize_", "resize_as_")
# Attributes that are operators.
ATTRIBUTES = {"T": "numpy_T", "mT": "mT", "H": "matrix_H", "mH": "mH", "real": "real",
              "imag": "imag"}
# Of tensors that no gradient reaches; what chance gives has to be the same in both.
MAKERS = {"tensor", "as_tensor", "randn", "rand", "result_type"}
SINGLE = (torch.float32,)
# In what PyTorch says of vectors whose phase is free.
PHASE = "in the complex case are specified up to multiplication by e^{i phi}"
ROUNDING = 2.0 ** -24
SHAKEN = torch.Generator().manual_seed(0)  # so that samples do not depend on what failed


# 1.13's gradient reads memory that nobody wrote; the tests have differences instead.
WRONG = ("as_strided_scatter",)
# Results that are defined up to their signs: the weights take on ours.
SIGNS = ("linalg.eigh", "symeig")


def _attention(query, key, value, mask=None, dropout_p=0.0, need_attn_weights=False,
               is_causal=False):
    """2.6's, which gives the weights, too, has another name."""
    return ops.aten._scaled_dot_product_attention_math(query, key, value, mask, dropout_p,
                                                       is_causal)


def _symeig(matrix, eigenvectors=False, upper=True):
    """Gone since 2.0, whose message of 1.13 says what to write instead."""
    found = ops.aten.linalg_eigh(matrix, "U" if upper else "L")
    return found if eigenvectors else found[:1]


def _frobenius_norm(x, dim=(), keepdim=False):
    """What torch.norm of 2.6 calls."""
    return ops.aten.linalg_vector_norm(x, 2, list(dim) or None, keepdim)


# What 2.6 writes otherwise than 1.13, and what is Python's.
FUNCTIONS = {"__getitem__": operator.getitem, "_scaled_dot_product_attention": _attention,
             "symeig": _symeig, "frobenius_norm": _frobenius_norm}


def dtypes(op):
    if op.name in WRONG + UNWRITTEN or not op.supports_autograd:
        return []
    wanted = (torch.float32, torch.float64, torch.complex128)
    return [d for d in wanted if d in op.supported_backward_dtypes("cpu")]


class _Ours(Exception):
    """opyard failed where PyTorch did not."""


class _ByChance(Exception):
    """PyTorch drew random numbers, of which opyard has others."""


def _flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return [value]


class Shadow(TorchFunctionMode):
    """with Shadow(converter): every call in PyTorch is made in opyard, too."""

    def __init__(self, converter):
        super().__init__()
        self.converter, self.pairs, self.calls, self.weights = converter, {}, [], []

    def pair(self, theirs, ours):
        self.pairs[id(theirs)] = (theirs, ours)

    def ours(self, value):
        if isinstance(value, torch.Tensor):
            if id(value) not in self.pairs:
                self.pair(value, self.converter.tensor(value.detach()))
            return self.pairs[id(value)][1]
        if isinstance(value, list) or type(value) is tuple:
            return type(value)(self.ours(item) for item in value)
        if isinstance(value, slice):
            return slice(*map(self.ours, (value.start, value.stop, value.step)))
        return value if value is Ellipsis else self.converter.value(value)

    def run(self, name, args, kwargs):
        packet = FUNCTIONS.get(name) or check.packet_of(name)
        if packet is None:
            raise NotSupported(f"missing aten::{name}")
        args, kwargs = self.ours(args), {k: self.ours(v) for k, v in kwargs.items()}
        if name == "__rmod__":  # the other way round, which no operator is called by
            args = args[::-1]
        self.calls.append((packet, args, kwargs))
        try:
            return packet(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            raise _Ours(f"{name}: {check._short(error)}") from error

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", repr(func))
        if name == "__get__":
            name = ATTRIBUTES.get(getattr(func.__self__, "__name__", ""), name)
        if name in check.QUESTIONS or name in MAKERS:
            return func(*args, **kwargs)
        got = self.run(name, args, kwargs)
        before = torch.get_rng_state()
        result = func(*args, **kwargs)
        if not torch.equal(before, torch.get_rng_state()):
            raise _ByChance
        for theirs, ours in zip(_flat(result), _flat(got)):
            if isinstance(theirs, torch.Tensor) and isinstance(ours, Tensor):
                self.pair(theirs, ours)
        return result


class _Sample:
    """A sample with leaves of its own."""

    def __init__(self, sample):
        self.leaves = []
        self.input, self.args = self._take(sample.input), self._take(sample.args)
        self.kwargs = {k: self._take(v) for k, v in sample.kwargs.items()}
        self.process = sample.output_process_fn_grad

    def _take(self, value):
        if isinstance(value, torch.Tensor):
            wanted, value = value.requires_grad, value.detach()
            if wanted:
                self.leaves.append(value.requires_grad_())
            return value
        if type(value) in (list, tuple):
            return type(value)(self._take(v) for v in value)
        return value


def _called(op, shadow, sample, process):
    if op.name == "__getitem__":  # which PyTorch does not hand to every mode
        return shadow.__torch_function__(torch.Tensor.__getitem__, (),
                                         (sample.input, *sample.args))
    with shadow:
        result = op.op(sample.input, *sample.args, **sample.kwargs)
        return sample.process(result) if process else result


def _random_like(t):
    return torch.randn(t.shape, dtype=t.dtype)


def _is_single(value):
    return any(isinstance(t, torch.Tensor) and t.dtype in SINGLE for t in _flat(value))


def _infinite(want, got):
    """A complex number divided by 0 is NaN in 1.13, infinite since 2.1."""
    if not want.is_complex() or got.shape != tuple(want.shape):
        return want
    made = interop.to_torch(got.detach())
    return torch.where(want.isnan() & made.isinf(), made, want)


def _differ(theirs, ours, tolerance, what):
    """What of |ours| is not |theirs|; None and zeros are the same."""
    for i, (want, got) in enumerate(zip(theirs, ours)):
        if want is None and got is None:
            continue
        if want is None:
            want = torch.zeros(got.shape, dtype=getattr(torch, got.dtype.name))
        if got is None:
            if bool((want == 0).all()):
                continue
            return f"{what} {i} is None, PyTorch has one"
        want = _infinite(want.detach(), got)
        if (why := compare._values(got, want, tolerance)
                if got.shape == tuple(want.shape) else f"shape {list(got.shape)}, PyTorch "
                f"{list(want.shape)}"):
            return f"{what} {i}: {why}"
    return None


def _gradients(outputs, inputs, weights, create):
    try:
        return _C.gradients(outputs, inputs, weights, create, create, True)
    except NotImplementedError as error:
        raise NotSupported(check._short(error)) from error
    except Exception as error:  # noqa: BLE001
        raise _Ours(f"gradient: {check._short(error)}") from error


def _second(shadow, leaves, first, our_first, tolerance):
    """The derivatives of the gradients themselves, also by what they were weighted with."""
    at = [i for i, g in enumerate(first) if g is not None and g.requires_grad]
    if not at:
        return None, [], []
    weights = [_random_like(first[i]) for i in at]
    try:
        want = torch.autograd.grad([first[i] for i in at], leaves, weights,
                                   allow_unused=True)
    except Exception:  # noqa: BLE001  PyTorch has no second derivative
        return None, [], []
    lost = [i for i in at if our_first[i] is None or not our_first[i].requires_grad]
    # A gradient that does not depend on anything any more has none of its own.
    kept = [(i, w) for i, w in zip(at, weights) if i not in lost]
    if not kept:
        got = [None] * len(leaves)
    else:
        got = _gradients([our_first[i] for i, _ in kept], [shadow.ours(v) for v in leaves],
                         [shadow.converter.tensor(w) for _, w in kept], False)
    why = _differ(want, got, tolerance, "second derivative")
    return why, list(zip(at, weights)), list(zip(want, got))


def _doubled(value, shake, to=torch.float64):
    """In double, or in |to|, moved by up to |shake| of itself."""
    if isinstance(value, torch.Tensor) and value.dtype in SINGLE:
        made = value.detach().double()
        if shake:
            some = torch.rand(made.shape, dtype=torch.float64, generator=SHAKEN)
            made = made * (1 + shake * (2 * some - 1))
        return made.to(to).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(_doubled(v, shake, to) for v in value) \
            if type(value) in (list, tuple) else value
    return to if isinstance(value, torch.dtype) and value in SINGLE else value


class _DrawnInSingle(TorchFunctionMode):
    """What chance gives to a call in single precision, in double."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if getattr(func, "__name__", "") in ("randn", "rand") and \
                kwargs.get("dtype") is torch.float64:
            return func(*args, **dict(kwargs, dtype=torch.float32)).double()
        return func(*args, **kwargs)


def _in_double(op, sample, weights, second, shake=0.0, to=torch.float64):
    """What PyTorch gives for the derivatives of the same sample in double precision, or in
    single precision of inputs that differ by a rounding: what those of its own steps make."""
    wide = _Sample.__new__(_Sample)
    wide.leaves = []
    for name in ("input", "args", "kwargs"):
        value = getattr(sample, name)
        setattr(wide, name, {k: wide._take(_doubled(v, shake, to)) for k, v in value.items()}
                if name == "kwargs" else wide._take(_doubled(value, shake, to)))
    with _DrawnInSingle():
        result = op.op(wide.input, *wide.args, **wide.kwargs)
    outputs = [r for r in _flat(result) if isinstance(r, torch.Tensor) and r.requires_grad]
    weights = [w.detach().to(to).requires_grad_() for w in weights]
    first = torch.autograd.grad(outputs, wide.leaves, weights, create_graph=True,
                                allow_unused=True)
    if not second:
        return first
    leaves = wide.leaves + ([] if op.name in SIGNS else weights)
    return torch.autograd.grad([first[i] for i, _ in second], leaves,
                               [w.to(to) for _, w in second], allow_unused=True)


def _as_near(pairs, exact, shaken):
    """Whether ours is no further from the derivative in double precision than PyTorch's, or
    than what the roundings of the inputs make of that."""
    for i, ((theirs, ours), value) in enumerate(zip(pairs, exact)):
        if theirs is None or ours is None or value is None:
            if any(g is not None and bool((_number(g) != 0).any()) for g in (theirs, ours)):
                return False
            continue
        value, theirs, ours = value.detach().double(), _number(theirs), _number(ours)
        others = [theirs] + [s[i].detach().double() for s in shaken]
        room = 2 * max(float((o - value).abs().max()) for o in others) if value.numel() else 0
        if not bool(((ours - value).abs() <= room + 1e-5 * value.abs()).all()):
            return False
    return True


def _number(gradient):
    made = gradient.detach() if isinstance(gradient, torch.Tensor) else \
        interop.to_torch(gradient)
    return made.double()


def _refuses_its_own(op, dtype):
    """Whether PyTorch's tests expect its second derivatives to differ from differences."""
    return any(getattr(skip, "test_name", None) == "test_fn_gradgrad"
               and (skip.dtypes is None or dtype in skip.dtypes)
               and unittest.expectedFailure in skip.decorators for skip in op.skips or ())


def _as_differences_say(op, sample, shadow):
    """Of a sample whose second derivatives PyTorch's own gradgradcheck refuses: whether ours
    are what differences of its first ones say."""
    dtype = sample.leaves[0].dtype
    if not _refuses_its_own(op, dtype) or len(shadow.calls) != 1 or len(sample.leaves) != 1:
        return False
    try:
        torch.autograd.gradgradcheck(lambda x: op.op(x, *sample.args, **sample.kwargs),
                                     [sample.input])
        return False
    except GradcheckError:
        pass
    packet, args, kwargs = shadow.calls[0]
    leaf = shadow.ours(sample.leaves[0])
    if args[0] is not leaf:
        return False
    try:
        return gradgradcheck(lambda x: packet(x, *args[1:], **kwargs), [leaf])
    except RuntimeError:
        return False


def _as_steps_say(op, sample, shadow, second, pairs):
    """Of a sample of one call in double, whose first derivatives agree: whether ours, and not
    PyTorch's, are what small steps make of these, to the digits that such steps give.
    PyTorch's vector_norm takes some powers with fewer digits."""
    leaf = sample.leaves[0]
    if leaf.dtype != torch.float64 or len(shadow.calls) != 1 or len(second) != 1:
        return False
    packet, args, kwargs = shadow.calls[0]
    if args[0] is not shadow.ours(leaf) or pairs[0][1] is None:
        return False
    weight = second[0][1]

    def along(x):
        ours = Converter().tensor(x)
        ours.requires_grad = True
        made = packet(ours, *args[1:], **kwargs)
        first = _gradients([made], [ours], [shadow.weights[0]], False)[0]
        return float((interop.to_torch(first) * weight).sum())

    theirs, ours = (_number(g).flatten() for g in pairs[0])
    for i in torch.nonzero(~torch.isclose(ours, theirs, rtol=1e-9, atol=1e-9)).flatten():
        x = leaf.detach().clone()
        step = 1e-4 * (abs(float(x.view(-1)[i])) + 1e-2)
        found = []
        for k in (-2, -1, 1, 2):
            moved = x.clone()
            moved.view(-1)[i] += k * step
            found.append(along(moved))
        value = (found[0] - 8 * found[1] + 8 * found[2] - found[3]) / (12 * step)
        off, theirs_off = abs(float(ours[i]) - value), abs(float(theirs[i]) - value)
        if off > 1e-8 * abs(value) or theirs_off < 10 * off:
            return False
    return True


def _as_signed(op, theirs, ours, weight):
    """The weights of columns that have the other sign here, with the other sign."""
    if op.name not in SIGNS or theirs.dim() < 2 or theirs.is_complex():
        return weight
    products = (theirs.detach() * interop.to_torch(ours.detach())).sum(-2, keepdim=True)
    return weight * products.sign()


def _verdict(op, sample, tolerance, process=False):
    shadow = Shadow(Converter())
    for leaf in sample.leaves:
        ours = shadow.converter.tensor(leaf.detach())
        ours.requires_grad = True
        shadow.pair(leaf, ours)
    try:
        result = _called(op, shadow, sample, process)
    except _ByChance:
        return None
    outputs = [r for r in _flat(result) if isinstance(r, torch.Tensor) and r.requires_grad]
    if not outputs:
        return None
    if any(r.layout != torch.strided for r in outputs):
        raise NotSupported("gives a sparse tensor")
    if any(id(r) not in shadow.pairs for r in outputs):
        raise NotSupported("made by a slice, which PyTorch hands to no mode")
    weights = [_random_like(r).requires_grad_() for r in outputs]
    for r, w in zip(outputs, weights):
        ours = shadow.converter.tensor(_as_signed(op, r, shadow.ours(r), w.detach()))
        ours.requires_grad = True
        shadow.weights.append(ours)
        shadow.pair(w, ours)
    first = torch.autograd.grad(outputs, sample.leaves, weights, create_graph=True,
                                allow_unused=True)
    lost = [i for i, r in enumerate(outputs) if not shadow.ours(r).requires_grad]
    if lost:
        return check.FAILED, f"result {lost[0]} has no gradient"
    leaves = [shadow.ours(v) for v in sample.leaves]
    our_first = _gradients([shadow.ours(r) for r in outputs], leaves,
                           [shadow.ours(w) for w in weights], True)
    why, second, pairs = _differ(first, our_first, tolerance, "gradient"), [], []
    if not why and op.supports_gradgrad:
        leaves = sample.leaves + ([] if op.name in SIGNS else weights)
        why, second, pairs = _second(shadow, leaves, first, our_first, tolerance)
    if why and all(t.dtype in SINGLE for t in sample.leaves):
        exact = _in_double(op, sample, weights, second)
        shaken = [_in_double(op, sample, weights, second, ROUNDING, to)
                  for to, times in ((torch.float64, 4), (torch.float32, 16))
                  for _ in range(times)]
        if _as_near(pairs if second else list(zip(first, our_first)), exact, shaken):
            why = None
    if why and second and (_as_differences_say(op, sample, shadow)
                           or _as_steps_say(op, sample, shadow, second, pairs)):
        why = None
    return (check.FAILED, why) if why else (check.PASSED, "")


def verdicts(op, dtype, tolerance):
    """(sample, (verdict, reason)) of each sample that PyTorch can differentiate."""
    for sample in op.sample_inputs("cpu", dtype, requires_grad=True):
        sample = _Sample(sample)
        if not sample.leaves:
            continue
        # Also where a tensor in single precision meets others in double.
        single = _is_single([sample.input, sample.args, list(sample.kwargs.values())])
        least = 2e-5 if single else 1e-9
        room = max(tolerance[0], least), max(tolerance[1], least)
        try:
            try:
                verdict = _verdict(op, sample, room)
            except RuntimeError as error:
                if PHASE not in str(error):
                    raise
                # So PyTorch's tests make of it what is defined.
                verdict = _verdict(op, sample, room, process=True)
        except NotSupported as reason:
            verdict = check.UNSUPPORTED, str(reason)
        except _Ours as reason:
            verdict = check.FAILED, str(reason)
        except Exception:  # noqa: BLE001  not a sample that PyTorch takes
            continue
        if verdict:
            yield sample, verdict
