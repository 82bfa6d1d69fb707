# SPDX-License-Identifier: Apache-2.0
"""First and second derivatives of op_db's samples, in PyTorch and in opyard.

Each function that PyTorch calls is called in opyard with the tensors that came of the
same calls before, so a sample of several calls is compared as a whole.
"""
import torch
from torch.overrides import TorchFunctionMode

from opyard import _C, Tensor, interop

import check
import compare
from convert import Converter, NotSupported

# Results differ by chance.
RANDOM = ("dropout", "rrelu", "bernoulli", "normal", "uniform", "rand", "multinomial",
          "poisson", "cauchy", "exponential", "geometric", "empty")
SAMPLES = 40  # of one dtype
# Attributes that are operators.
ATTRIBUTES = {"T": "numpy_T", "mT": "mT", "H": "matrix_H", "mH": "mH", "real": "real",
              "imag": "imag"}
# Of tensors that no gradient reaches; what chance gives has to be the same in both.
MAKERS = {"tensor", "as_tensor", "randn", "rand", "result_type"}
SINGLE = (torch.float32,)


# 1.13's gradient reads memory that nobody wrote; the tests have differences instead.
WRONG = ("as_strided_scatter",)
# Results that are defined up to their signs: the weights take on ours.
SIGNS = ("linalg.eigh",)


def dtypes(op):
    if op.name in WRONG or not op.supports_autograd or any(word in op.name for word in RANDOM):
        return []
    wanted = (torch.float32, torch.float64, torch.complex128)
    return [d for d in wanted if d in op.supported_backward_dtypes("cpu")]


class _Ours(Exception):
    """opyard failed where PyTorch did not."""


def _flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return [value]


class Shadow(TorchFunctionMode):
    """with Shadow(converter): every call in PyTorch is made in opyard, too."""

    def __init__(self, converter):
        super().__init__()
        self.converter, self.pairs = converter, {}

    def pair(self, theirs, ours):
        self.pairs[id(theirs)] = (theirs, ours)

    def ours(self, value):
        if isinstance(value, torch.Tensor):
            if id(value) not in self.pairs:
                self.pair(value, self.converter.tensor(value.detach()))
            return self.pairs[id(value)][1]
        if isinstance(value, (list, tuple)):
            return [self.ours(item) for item in value]
        return self.converter.value(value)

    def index(self, value):
        if isinstance(value, tuple):
            return tuple(self.index(item) for item in value)
        return value if isinstance(value, (slice, type(...), type(None))) else self.ours(value)

    def run(self, name, args, kwargs):
        if name == "__getitem__" and not isinstance(args[1], torch.Tensor):
            return self.ours(args[0])[self.index(args[1])]
        packet = check.packet_of(name)
        if packet is None:
            raise NotSupported(f"missing aten::{name}")
        args, kwargs = self.ours(args), {k: self.ours(v) for k, v in kwargs.items()}
        if name == "__rmod__":  # the other way round, which no operator is called by
            args = args[::-1]
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
        result = func(*args, **kwargs)
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

    def _take(self, value):
        if isinstance(value, torch.Tensor):
            wanted, value = value.requires_grad, value.detach()
            if wanted:
                self.leaves.append(value.requires_grad_())
            return value
        if type(value) in (list, tuple):
            return type(value)(self._take(v) for v in value)
        return value


def _random_like(t):
    return torch.randn(t.shape, dtype=t.dtype)


def _is_single(value):
    return any(isinstance(t, torch.Tensor) and t.dtype in SINGLE for t in _flat(value))


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
        if (why := compare._values(got, want.detach(), tolerance)
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


def _doubled(value):
    if isinstance(value, torch.Tensor):
        made = value.detach().to(torch.float64 if value.dtype in SINGLE else value.dtype)
        return made.requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(_doubled(v) for v in value) if type(value) in (list, tuple) \
            else value
    return torch.float64 if isinstance(value, torch.dtype) and value in SINGLE else value


def _in_double(op, sample, weights, second):
    """What PyTorch gives for the derivatives of the same sample in double precision."""
    wide = _Sample.__new__(_Sample)
    wide.leaves = []
    for name in ("input", "args", "kwargs"):
        value = getattr(sample, name)
        setattr(wide, name, {k: wide._take(_doubled(v)) for k, v in value.items()}
                if name == "kwargs" else wide._take(_doubled(value)))
    result = op.op(wide.input, *wide.args, **wide.kwargs)
    outputs = [r for r in _flat(result) if isinstance(r, torch.Tensor) and r.requires_grad]
    weights = [w.detach().double().requires_grad_() for w in weights]
    first = torch.autograd.grad(outputs, wide.leaves, weights, create_graph=True,
                                allow_unused=True)
    if not second:
        return first
    leaves = wide.leaves + ([] if op.name in SIGNS else weights)
    return torch.autograd.grad([first[i] for i, _ in second], leaves,
                               [w.double() for _, w in second], allow_unused=True)


def _as_near(pairs, exact):
    """Whether ours is no further from the derivative in double precision than PyTorch's."""
    for (theirs, ours), value in zip(pairs, exact):
        if theirs is None or ours is None or value is None:
            if any(g is not None and bool((_number(g) != 0).any()) for g in (theirs, ours)):
                return False
            continue
        value, theirs, ours = value.detach().double(), _number(theirs), _number(ours)
        room = 2 * float((theirs - value).abs().max()) if value.numel() else 0.0
        if not bool(((ours - value).abs() <= room + 1e-5 * value.abs()).all()):
            return False
    return True


def _number(gradient):
    made = gradient.detach() if isinstance(gradient, torch.Tensor) else \
        interop.to_torch(gradient)
    return made.double()


def _as_signed(op, theirs, ours, weight):
    """The weights of columns that have the other sign here, with the other sign."""
    if op.name not in SIGNS or theirs.dim() < 2 or theirs.is_complex():
        return weight
    products = (theirs.detach() * interop.to_torch(ours.detach())).sum(-2, keepdim=True)
    return weight * products.sign()


def _verdict(op, sample, tolerance):
    shadow = Shadow(Converter())
    for leaf in sample.leaves:
        ours = shadow.converter.tensor(leaf.detach())
        ours.requires_grad = True
        shadow.pair(leaf, ours)
    with shadow:
        result = op.op(sample.input, *sample.args, **sample.kwargs)
    outputs = [r for r in _flat(result) if isinstance(r, torch.Tensor) and r.requires_grad]
    if not outputs:
        return None
    weights = [_random_like(r).requires_grad_() for r in outputs]
    for r, w in zip(outputs, weights):
        ours = shadow.converter.tensor(_as_signed(op, r, shadow.ours(r), w.detach()))
        ours.requires_grad = True
        shadow.pair(w, ours)
    first = torch.autograd.grad(outputs, sample.leaves, weights, create_graph=True,
                                allow_unused=True)
    if any(id(r) not in shadow.pairs for r in outputs):
        raise NotSupported("made by a slice, which PyTorch hands to no mode")
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
        if _as_near(pairs if second else list(zip(first, our_first)), exact):
            why = None
    return (check.FAILED, why) if why else (check.PASSED, "")


def verdicts(op, dtype, tolerance):
    """(sample, (verdict, reason)) of each sample that PyTorch can differentiate."""
    for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=True)):
        if i >= SAMPLES:
            return
        sample = _Sample(sample)
        if not sample.leaves:
            continue
        # Also where a tensor in single precision meets others in double.
        single = _is_single([sample.input, sample.args, list(sample.kwargs.values())])
        least = 2e-5 if single else 1e-9
        room = max(tolerance[0], least), max(tolerance[1], least)
        try:
            verdict = _verdict(op, sample, room)
        except NotSupported as reason:
            verdict = check.UNSUPPORTED, str(reason)
        except _Ours as reason:
            verdict = check.FAILED, str(reason)
        except Exception:  # noqa: BLE001  not a sample that PyTorch takes
            continue
        if verdict:
            yield sample, verdict
