# SPDX-License-Identifier: Apache-2.0
"""What training does to parameters and gradients as a whole."""
import math
import sys

import opyard

from .._C import Tensor
from .._ops import ops
from . import packed as rnn

sys.modules[f"{__name__}.rnn"] = rnn

_aten = ops.aten


def _grads(parameters):
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    grads = [parameter.grad for parameter in parameters]
    return [grad for grad in grads if grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False):
    """The norm of the norms."""
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not tensors:
        return opyard.tensor(0.0)
    norm_type = float(norm_type)
    norms = _aten.stack([_aten.linalg_vector_norm(t.detach(), norm_type) for t in tensors])
    total = _aten.linalg_vector_norm(norms, norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from "
                           "`parameters` is non-finite, so it cannot be clipped.")
    return total


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales all gradients down, so that their norm as one vector is at most max_norm;
    gives the norm that they had."""
    grads = _grads(parameters)
    with opyard.no_grad():
        total = get_total_norm(grads, norm_type, error_if_nonfinite)
        factor = _aten.clamp_max(_aten.reciprocal(total + 1e-6) * float(max_norm), 1.0)
        for grad in grads:
            grad.mul_(factor)
    return total


def clip_grad_value_(parameters, clip_value):
    with opyard.no_grad():
        for grad in _grads(parameters):
            grad.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters):
    return _aten.cat([_aten.reshape(parameter, [-1]) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Copies parts of the vector into the parameters, in their order."""
    at = 0
    with opyard.no_grad():
        for parameter in parameters:
            count = parameter.numel()
            part = _aten.slice(vec, 0, at, at + count)
            parameter.copy_(_aten.reshape(part, list(parameter.shape)))
            at += count
