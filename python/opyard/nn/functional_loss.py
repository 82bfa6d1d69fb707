# SPDX-License-Identifier: Apache-2.0
"""Losses: of what came and what was wanted, one number or one for each element."""
import warnings

from .._ops import ops

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
    "cross_entropy", "ctc_loss", "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div",
    "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_soft_margin_loss", "nll_loss", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]

_aten = ops.aten
_REDUCTIONS = ("none", "mean", "sum")


def _number(reduction):
    try:
        return _REDUCTIONS.index(reduction)
    except ValueError:
        raise ValueError(f"{reduction} is not a valid value for reduction") from None


def _reduce(loss, reduction):
    _number(reduction)
    return loss if reduction == "none" else getattr(_aten, reduction)(loss)


def _warn_of_broadcast(input, target):
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}). This will likely lead to incorrect results due to "
            "broadcasting. Please ensure they have the same size.", stacklevel=3)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
             zero_infinity=False):
    """Of all ways to read the targets from sequences of classes."""
    return _aten.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                          _number(reduction), zero_infinity)


def mse_loss(input, target, reduction="mean"):
    _warn_of_broadcast(input, target)
    return _aten.mse_loss(*_aten.broadcast_tensors([input, target]), _number(reduction))


def l1_loss(input, target, reduction="mean"):
    _warn_of_broadcast(input, target)
    return _aten.l1_loss(*_aten.broadcast_tensors([input, target]), _number(reduction))


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    _warn_of_broadcast(input, target)
    input, target = _aten.broadcast_tensors([input, target])
    if beta == 0.0:
        return _aten.l1_loss(input, target, _number(reduction))
    return _aten.smooth_l1_loss(input, target, _number(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0):
    _warn_of_broadcast(input, target)
    return _aten.huber_loss(*_aten.broadcast_tensors([input, target]), _number(reduction), delta)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    return _aten.nll_loss_nd(input, target, weight, _number(reduction), ignore_index)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean",
                  label_smoothing=0.0):
    return _aten.cross_entropy_loss(input, target, weight, _number(reduction), ignore_index,
                                    label_smoothing)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    if tuple(target.shape) != tuple(input.shape):
        raise ValueError(
            f"Using a target size ({tuple(target.shape)}) that is different to the input size "
            f"({tuple(input.shape)}) is deprecated. Please ensure they have the same size.")
    if weight is not None:
        weight = _aten.expand(weight, list(target.shape))
    return _aten.binary_cross_entropy(input, target, weight, _number(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean",
                                     pos_weight=None):
    if tuple(target.shape) != tuple(input.shape):
        raise ValueError(f"Target size ({tuple(target.shape)}) must be the same as input size "
                         f"({tuple(input.shape)})")
    return _aten.binary_cross_entropy_with_logits(input, target, weight, pos_weight,
                                                  _number(reduction))


def kl_div(input, target, reduction="mean", log_target=False):
    if reduction == "batchmean":
        loss = _aten.kl_div(input, target, 2, log_target=log_target)
        return _aten.div(loss, input.shape[0]) if input.ndim else loss
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the "
                      "support size.'batchmean' divides only by the batch size, and aligns "
                      "with the KL div math definition.", stacklevel=2)
    return _aten.kl_div(input, target, _number(reduction), log_target=log_target)


def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
    return _aten.poisson_nll_loss(input, target, log_input, full, eps, _number(reduction))


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """Half of log(var) + (input - target)**2 / var, with log(2 pi) if full."""
    import math

    import opyard

    if isinstance(var, (int, float)):
        var = _aten.full_like(input.detach(), var)
    elif tuple(var.shape) != tuple(input.shape):
        if tuple(var.shape) == tuple(input.shape[:-1]):
            var = _aten.unsqueeze(var, -1)
        elif not (var.ndim == input.ndim and var.shape[-1] == 1
                  and tuple(var.shape[:-1]) == tuple(input.shape[:-1])):
            raise ValueError("var is of incorrect size")
    if bool(_aten.any(_aten.lt(var, 0)).item()):
        raise ValueError("var has negative entry/entries")
    with opyard.no_grad():
        low = _aten.clamp_min_(_aten.clone(var.detach()), eps)
        change = _aten.sub(low, var)
    var = _aten.add(var, change)
    square = _aten.square(_aten.sub(input, target))
    loss = _aten.mul(_aten.add(_aten.log(var), _aten.div(square, var)), 0.5)
    if full:
        loss = _aten.add(loss, 0.5 * math.log(2 * math.pi))
    return _reduce(loss, reduction)


def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
    return _aten.hinge_embedding_loss(input, target, margin, _number(reduction))


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
    return _aten.margin_ranking_loss(input1, input2, target, margin, _number(reduction))


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
    return _aten.cosine_embedding_loss(input1, input2, target, margin, _number(reduction))


def soft_margin_loss(input, target, reduction="mean"):
    return _aten.soft_margin_loss(input, target, _number(reduction))


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, reduction="mean"):
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    return _aten.multi_margin_loss(input, target, p, margin, weight, _number(reduction))


def multilabel_margin_loss(input, target, reduction="mean"):
    return _aten.multilabel_margin_loss(input, target, _number(reduction))


def multilabel_soft_margin_loss(input, target, weight=None, reduction="mean"):
    positive = _aten.mul(target, _aten.log_sigmoid(input))
    negative = _aten.mul(_aten.rsub(target, 1), _aten.log_sigmoid(_aten.neg(input)))
    loss = _aten.neg(_aten.add(positive, negative))
    if weight is not None:
        loss = _aten.mul(loss, weight)
    return _reduce(_aten.mean(loss, [-1]), reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
                        reduction="mean"):
    return _aten.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,
                                     _number(reduction))


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None,
                                      margin=1.0, swap=False, reduction="mean"):
    distance = distance_function or _aten.pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _aten.minimum(far, distance(positive, negative))
    loss = _aten.clamp_min(_aten.add(_aten.sub(near, far), margin), 0)
    return _reduce(loss, reduction)
