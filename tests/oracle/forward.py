# SPDX-License-Identifier: Apache-2.0
"""Forward mode: tangents of op_db's samples, in PyTorch and in opyard.

As for gradients, each function that PyTorch calls is called in opyard with the tensors that
came of the same calls before. What is compared are the tangents of the results, in double
precision, where PyTorch has them.
"""
import torch
import torch.autograd.forward_ad as theirs_ad

import opyard

import check
import gradients
from convert import Converter, NotSupported

SAMPLES = 20  # of one dtype

ours_ad = opyard.autograd.forward_ad

# 1.13 gives 0 for complex numbers, whatever they are; so matmul and vecdot of vectors differ, too.
# Its tangents of cholesky_inverse are off by some 5e-6: differences of small steps, and its own
# gradient's gradient, are ours to 1e-12. Norms of order 3.5 at 0 have a tangent of 0 there and NaN
# here, which is what PyTorch's gradient of the gradient is, too.
WRONG_COMPLEX = ("dot", "vdot")

# Entries whose results are drawn, or are memory that nobody wrote.
RANDOM = ("dropout", "rrelu", "bernoulli", "normal", "uniform", "rand", "multinomial",
          "poisson", "cauchy", "exponential", "geometric", "empty")


def dtypes(op):
    if not op.supports_forward_ad or any(word in op.name for word in RANDOM):
        return []
    wanted = [torch.float64] + [torch.complex128] * (op.name not in WRONG_COMPLEX)
    return [d for d in wanted if d in op.supported_backward_dtypes("cpu")]


def _dual(shadow, value, again):
    """|value| with its leaves dual, in both; |again| has those that were made."""
    if isinstance(value, torch.Tensor) and value.requires_grad:
        if id(value) not in again:
            plain = value.detach()
            tangent = gradients._random_like(plain)
            made = theirs_ad.make_dual(plain, tangent)
            convert = shadow.converter.tensor
            shadow.pair(made, ours_ad.make_dual(convert(plain), convert(tangent)))
            again[id(value)] = made
        return again[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_dual(shadow, v, again) for v in value)
    return value


def _tangents(shadow, result):
    """Those of the results, theirs and ours."""
    theirs, ours = [], []
    for r in gradients._flat(result):
        if not isinstance(r, torch.Tensor):
            continue
        want = theirs_ad.unpack_dual(r).tangent
        if want is None:
            continue
        if id(r) not in shadow.pairs:
            raise NotSupported("made by a slice, which PyTorch hands to no mode")
        theirs.append(want.detach())
        ours.append(ours_ad.unpack_dual(shadow.ours(r)).tangent)
    return theirs, ours


def _call(op, sample, x, args, kwargs):
    """With what PyTorch's own tests do so that there is one tangent: arguments are made
    Hermitian, or triangular; of results what is defined but for signs is taken."""
    result = op.gradcheck_wrapper(op.op, x, *args, **kwargs)
    return sample.output_process_fn_grad(result)


def _verdict(op, sample, tolerance):
    shadow, again = gradients.Shadow(Converter()), {}
    with theirs_ad.dual_level(), ours_ad.dual_level():
        x, args = _dual(shadow, sample.input, again), _dual(shadow, sample.args, again)
        kwargs = {k: _dual(shadow, v, again) for k, v in sample.kwargs.items()}
        if not again:
            return None
        try:
            with shadow:
                result = _call(op, sample, x, args, kwargs)
        except gradients._Ours as error:
            # What PyTorch itself refuses is no sample.
            _call(op, sample, x, args, kwargs)
            if isinstance(error.__cause__, NotImplementedError):
                raise NotSupported(str(error)) from error
            raise
        theirs, ours = _tangents(shadow, result)
        if not theirs:
            return None
        why = gradients._differ(theirs, ours, tolerance, "tangent")
        return (check.FAILED, why) if why else (check.PASSED, "")


def verdicts(op, dtype, tolerance):
    """(sample, (verdict, reason)) of each sample that has tangents in PyTorch."""
    for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=True)):
        if i >= SAMPLES:
            return
        single = gradients._is_single([sample.input, sample.args,
                                       list(sample.kwargs.values())])
        least = 2e-5 if single else 1e-9
        room = max(tolerance[0], least), max(tolerance[1], least)
        try:
            verdict = _verdict(op, sample, room)
        except NotSupported as reason:
            verdict = check.UNSUPPORTED, str(reason)
        except gradients._Ours as reason:
            verdict = check.FAILED, str(reason)
        except Exception:  # noqa: BLE001  not a sample that PyTorch takes
            continue
        if verdict:
            yield sample, verdict
