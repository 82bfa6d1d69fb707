# SPDX-License-Identifier: Apache-2.0
"""Layers as functions: PyTorch's names and arguments over the operators.

Each is one operator, found when it is called, and so goes through the dispatcher like any
other call; arguments that PyTorch only keeps for old callers are not here.
"""
import math

import opyard

from .._ops import ops
from .functional_attention import *  # noqa: F401,F403
from .functional_image import *  # noqa: F401,F403
from .functional_loss import *  # noqa: F401,F403

_aten = ops.aten


def _may_be_inplace(name):
    def function(input, inplace=False):
        return getattr(_aten, name + "_" if inplace else name)(input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The operator {name}, or {name}_ if inplace."
    return function


relu = _may_be_inplace("relu")
relu6 = _may_be_inplace("relu6")
selu = _may_be_inplace("selu")
silu = _may_be_inplace("silu")
mish = _may_be_inplace("mish")
hardswish = _may_be_inplace("hardswish")
hardsigmoid = _may_be_inplace("hardsigmoid")


def relu_(input):
    return _aten.relu_(input)


def selu_(input):
    return _aten.selu_(input)


def sigmoid(input):
    return _aten.sigmoid(input)


def tanh(input):
    return _aten.tanh(input)


def tanhshrink(input):
    return _aten.sub(input, _aten.tanh(input))


def softsign(input):
    return _aten.div(input, _aten.add(_aten.abs(input), 1))


def logsigmoid(input, *, out=None):
    return _aten.log_sigmoid(input) if out is None else _aten.log_sigmoid(input, out=out)


def gelu(input, approximate="none", *, out=None):
    if out is None:
        return _aten.gelu(input, approximate=approximate)
    return _aten.gelu(input, approximate=approximate, out=out)


def glu(input, dim=-1):
    return _aten.glu(input, dim)


def elu(input, alpha=1.0, inplace=False):
    return (_aten.elu_ if inplace else _aten.elu)(input, alpha)


def celu(input, alpha=1.0, inplace=False):
    return (_aten.celu_ if inplace else _aten.celu)(input, alpha)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return (_aten.leaky_relu_ if inplace else _aten.leaky_relu)(input, negative_slope)


def elu_(input, alpha=1.0):
    return _aten.elu_(input, alpha)


def celu_(input, alpha=1.0):
    return _aten.celu_(input, alpha)


def leaky_relu_(input, negative_slope=0.01):
    return _aten.leaky_relu_(input, negative_slope)


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    return _aten.rrelu_(input, lower, upper, training)


def threshold_(input, threshold, value):
    return _aten.threshold_(input, threshold, value)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    return _aten.hardtanh_(input, min_val, max_val)


def prelu(input, weight):
    return _aten.prelu(input, weight)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """leaky_relu with slopes drawn for each element, or, outside training, their mean."""
    return (_aten.rrelu_ if inplace else _aten.rrelu)(input, lower, upper, training)


def threshold(input, threshold, value, inplace=False):
    return (_aten.threshold_ if inplace else _aten.threshold)(input, threshold, value)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return (_aten.hardtanh_ if inplace else _aten.hardtanh)(input, min_val, max_val)


def hardshrink(input, lambd=0.5, *, out=None):
    if out is None:
        return _aten.hardshrink(input, lambd)
    return _aten.hardshrink(input, lambd, out=out)


def softshrink(input, lambd=0.5, *, out=None):
    if out is None:
        return _aten.softshrink(input, lambd)
    return _aten.softshrink(input, lambd, out=out)


def softplus(input, beta=1, threshold=20, *, out=None):
    if out is None:
        return _aten.softplus(input, beta, threshold)
    return _aten.softplus(input, beta, threshold, out=out)


def _softmax_dim(name, ndim):
    """What was meant before dim had to be said."""
    import warnings

    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. "
                  "Change the call to include dim=X as an argument.", stacklevel=3)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        dim = _softmax_dim("softmax", input.ndim)
    return _aten.softmax(input, dim, dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return softmax(_aten.neg(input), dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    if dim is None:
        dim = _softmax_dim("log_softmax", input.ndim)
    return _aten.log_softmax(input, dim, dtype)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the categories that logits weigh; hard: one-hot, with the gradient of
    the soft sample."""
    noise = _aten.neg(_aten.log(_aten.exponential_(_aten.empty_like(logits.detach()))))
    soft = softmax(_aten.div(_aten.add(logits, noise), tau), dim)
    if not hard:
        return soft
    index = _aten.argmax(soft, dim, True)
    one_hot = _aten.scatter(_aten.zeros_like(logits.detach()), dim, index, 1.0)
    return _aten.add(_aten.sub(one_hot, soft.detach()), soft)


# ------------------------------------------------------------------- linear


def linear(input, weight, bias=None, *, out=None):
    if out is None:
        return _aten.linear(input, weight, bias)
    return _aten.linear(input, weight, bias, out=out)


def bilinear(input1, input2, weight, bias=None):
    result = _aten.einsum("...i,kij,...j->...k", [input1, weight, input2])
    return result if bias is None else _aten.add(result, bias)


def one_hot(tensor, num_classes=-1):
    return _aten.one_hot(tensor, num_classes)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0,
              scale_grad_by_freq=False, sparse=False):
    if padding_idx is not None:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        input = input.contiguous()
        with opyard.no_grad():
            _aten.embedding_renorm_(weight, input, max_norm, norm_type)
    return _aten.embedding(weight, input, -1 if padding_idx is None else padding_idx,
                           scale_grad_by_freq, sparse)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2,
                  scale_grad_by_freq=False, mode="mean", sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Sums, means or maxima of rows of weight, a bag of numbers each."""
    if weight.dtype == opyard.long and input.is_floating_point():
        import warnings

        warnings.warn("Argument order of nn.functional.embedding_bag was changed. Usage "
                      "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
                      "`embedding_bag(input, weight, ...)`.", stacklevel=2)
        input, weight = weight, input
    modes = ("sum", "mean", "max")
    if mode not in modes:
        raise ValueError("mode has to be one of sum, mean or max")
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated "
                             "is a mini-batch of fixed length sequences. However, found "
                             f"offsets of type {type(offsets)}")
        offsets = _aten.arange(0, input.numel(), input.shape[1])
        input = _aten.reshape(input, [-1])
        if per_sample_weights is not None:
            per_sample_weights = _aten.reshape(per_sample_weights, [-1])
    elif input.ndim != 1 or offsets is None:
        raise ValueError("input has to be 1D, with offsets, or 2D, "
                         f"but got Tensor of dimension {input.ndim}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
            f"supported for mode='sum' (got mode='{mode}').")
    if max_norm is not None:
        with opyard.no_grad():
            _aten.embedding_renorm_(weight, input, max_norm, norm_type)
    return _aten.embedding_bag.padding_idx(
        weight, input, offsets, scale_grad_by_freq, modes.index(mode), sparse,
        per_sample_weights, include_last_offset, padding_idx)[0]


# ------------------------------------------------------------------ dropout


def _check_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    _check_probability(p)
    return (_aten.dropout_ if inplace else _aten.dropout)(input, p, training)


def _feature_dropout(input, p=0.5, training=True, inplace=False):
    _check_probability(p)
    return (_aten.feature_dropout_ if inplace else _aten.feature_dropout)(input, p, training)


dropout2d = dropout3d = _feature_dropout


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Whole channels; without a batch the first dimension is the channels'."""
    _check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError("dropout1d: Expected 2D or 3D input, but received a "
                           f"{input.ndim}D input.")
    if input.ndim == 3:
        return _feature_dropout(input, p, training, inplace)
    return _aten.squeeze(_feature_dropout(_aten.unsqueeze(input, 0), p, training, inplace), 0)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Keeps the mean and deviation of what selu gives: dropped elements become the value
    that it saturates at."""
    _check_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        return _aten.mul(input, 0)
    saturated = -1.7580993408473766
    a = 1 / math.sqrt((1 - p) * (1 + p * saturated**2))
    kept = _aten.bernoulli_(_aten.empty_like(input.detach()), 1 - p)
    changed = _aten.where(kept.to(dtype=opyard.bool), input, saturated)
    result = _aten.add(_aten.mul(changed, a), -a * saturated * p)
    return input.copy_(result) if inplace else result


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout of whole channels."""
    _check_probability(p)
    op = _aten.feature_alpha_dropout_ if inplace else _aten.feature_alpha_dropout
    return op(input, p, training)


# -------------------------------------------------------------------- norms


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _aten.layer_norm(input, list(normalized_shape), weight, bias, eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    return _aten.rms_norm(input, list(normalized_shape), weight, eps)


def _check_batch_size(size):
    if math.prod([size[0], *size[2:]]) == 1:
        raise ValueError("Expected more than 1 value per channel when training, "
                         f"got input size {size}")


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received "
                           f"{input.ndim}")
    groups = [input.shape[0] * input.shape[1] // num_groups, num_groups]
    _check_batch_size(groups + list(input.shape[2:]))
    return _aten.group_norm(input, num_groups, weight, bias, eps)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
               momentum=0.1, eps=1e-5):
    if training:
        _check_batch_size(input.shape)
    return _aten.batch_norm(input, weight, bias, running_mean, running_var, training,
                            momentum, eps, False)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats=True, momentum=0.1, eps=1e-5):
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError("Expected more than 1 spatial element when training, "
                         f"got input size {input.shape}")
    return _aten.instance_norm(input, weight, bias, running_mean, running_var,
                               use_input_stats, momentum, eps, False)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """input / (k + alpha * mean of squares over |size| neighbouring channels) ** beta"""
    if input.ndim < 3:
        raise ValueError("Expected 3D or higher dimensionality input (got "
                         f"{input.ndim} dimensions)")
    if input.numel() == 0:
        return input
    sizes, border = input.shape, [size // 2, (size - 1) // 2]
    squares = _aten.mul(input, input)
    if input.ndim == 3:
        padded = _aten.pad(_aten.unsqueeze(squares, 1), [0, 0] + border)
        mean = _aten.squeeze(_aten.avg_pool2d(padded, [size, 1], [1, 1]), 1)
    else:
        planes = _aten.view(squares, [sizes[0], 1, sizes[1], sizes[2], -1])
        padded = _aten.pad(planes, [0, 0, 0, 0] + border)
        pooled = _aten.avg_pool3d(padded, [size, 1, 1], [1, 1, 1])
        mean = _aten.view(_aten.squeeze(pooled, 1), list(sizes))
    return _aten.div(input, _aten.pow(_aten.add(_aten.mul(mean, alpha), k), beta))


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    size = _aten.linalg_vector_norm(input, p, [dim] if isinstance(dim, int) else dim, True)
    size = _aten.expand_as(_aten.clamp_min(size, eps), input)
    return _aten.div(input, size) if out is None else _aten.div(input, size, out=out)


# ---------------------------------------------------------------- distances


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    return _aten.cosine_similarity(x1, x2, dim, eps)


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return _aten.pairwise_distance(x1, x2, p, eps, keepdim)


def pdist(input, p=2):
    return _aten.pdist(input, p)
