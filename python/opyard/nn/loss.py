# SPDX-License-Identifier: Apache-2.0
"""Losses and distances as modules."""
import warnings

from . import functional as F
from .activation import Function, function_module


class _Loss(Function):
    """Its tensors are weights by element or class; they are buffers."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("weight", "pos_weight"):
            if name in self._options:
                self.register_buffer(name, self.__dict__.pop(name))

    def forward(self, *tensors):
        return self._function(*tensors, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self):
        return ""


def _loss(name, function, /, **options):
    options.setdefault("reduction", "mean")
    return function_module(name, function, base=_Loss, **options)


L1Loss = _loss("L1Loss", F.l1_loss)
MSELoss = _loss("MSELoss", F.mse_loss)
KLDivLoss = _loss("KLDivLoss", F.kl_div, reduction="mean", log_target=False)
SmoothL1Loss = _loss("SmoothL1Loss", F.smooth_l1_loss, reduction="mean", beta=1.0)
HuberLoss = _loss("HuberLoss", F.huber_loss, reduction="mean", delta=1.0)
PoissonNLLLoss = _loss("PoissonNLLLoss", F.poisson_nll_loss,
                       log_input=True, full=False, eps=1e-8)
HingeEmbeddingLoss = _loss("HingeEmbeddingLoss", F.hinge_embedding_loss, margin=1.0)
MarginRankingLoss = _loss("MarginRankingLoss", F.margin_ranking_loss, margin=0.0)
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", F.cosine_embedding_loss, margin=0.0)
SoftMarginLoss = _loss("SoftMarginLoss", F.soft_margin_loss)
MultiLabelMarginLoss = _loss("MultiLabelMarginLoss", F.multilabel_margin_loss)
TripletMarginLoss = _loss("TripletMarginLoss", F.triplet_margin_loss,
                          margin=1.0, p=2.0, eps=1e-6, swap=False)
TripletMarginWithDistanceLoss = _loss(
    "TripletMarginWithDistanceLoss", F.triplet_margin_with_distance_loss,
    distance_function=None, margin=1.0, swap=False, reduction="mean")
GaussianNLLLoss = _loss(
    "GaussianNLLLoss", F.gaussian_nll_loss, full=False, eps=1e-6, reduction="mean")
NLLLoss = _loss("NLLLoss", F.nll_loss, weight=None, ignore_index=-100)


class NLLLoss2d(NLLLoss):
    """The name that NLLLoss had for images."""

    def __init__(self, *args, **kwargs):
        warnings.warn("NLLLoss2d has been deprecated. Please use NLLLoss instead as a drop-in "
                      "replacement and see "
                      "https://pytorch.org/docs/master/nn.html#torch.nn.NLLLoss for more "
                      "details.", stacklevel=2)
        super().__init__(*args, **kwargs)


CrossEntropyLoss = _loss(
    "CrossEntropyLoss", F.cross_entropy, weight=None, ignore_index=-100, reduction="mean",
    label_smoothing=0.0)
BCELoss = _loss("BCELoss", F.binary_cross_entropy, weight=None)
BCEWithLogitsLoss = _loss(
    "BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, weight=None, reduction="mean",
    pos_weight=None)
MultiLabelSoftMarginLoss = _loss("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss,
                                 weight=None)
MultiMarginLoss = _loss("MultiMarginLoss", F.multi_margin_loss,
                        p=1, margin=1.0, weight=None)
CTCLoss = _loss("CTCLoss", F.ctc_loss, blank=0, reduction="mean", zero_infinity=False)
CosineSimilarity = function_module("CosineSimilarity", F.cosine_similarity, base=_Loss,
                                   dim=1, eps=1e-8)
PairwiseDistance = function_module("PairwiseDistance", F.pairwise_distance, base=_Loss,
                                   p=2.0, eps=1e-6, keepdim=False)
