# SPDX-License-Identifier: Apache-2.0
"""softmax over very many classes, of which few are frequent."""
from collections import namedtuple

import opyard

from . import functional as F
from .containers import ModuleList, Sequential
from .linear import Linear
from .module import Module

_Result = namedtuple("_ASMoutput", ("output", "loss"))


class AdaptiveLogSoftmaxWithLoss(Module):
    """Grave et al.: the head knows the first classes and, as one class each, the clusters
    of the others; each cluster has a tail, the narrower the rarer its classes are."""

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False,
                 device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        rises = all(a < b for a, b in zip([0] + cutoffs, cutoffs + [n_classes]))
        if not cutoffs or not rises or any(int(c) != c for c in cutoffs):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted "
                             "in an increasing order, where each value is between 1 and "
                             "n_classes-1")
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs, self.div_value, self.head_bias = cutoffs + [n_classes], div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        where = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, head_bias, **where)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            count = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(Sequential(Linear(in_features, width, False, **where),
                                        Linear(width, count, False, **where)))

    def reset_parameters(self):
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()

    def _check(self, input, target):
        if target.ndim == 1 and input.shape[0] != target.shape[0]:
            raise RuntimeError(
                "Input and target should have the same size in the batch dimension.")
        if target.ndim == 1 and input.ndim != 2:
            raise RuntimeError("1D target tensor expects 2D input tensors, but found inputs "
                               "with size", input.shape)
        if target.ndim == 0 and input.ndim != 1:
            raise RuntimeError("0D target tensor expects 1D input tensors, but found inputs "
                               "with size", input.shape)
        if target.ndim > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        low, high = (target.min().item(), target.max().item()) if target.numel() else (0, 0)
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values "
                               f"in range [{low}, {high}] were found. ")

    def forward(self, input, target):
        """The logarithm of each target's probability, and minus their mean."""
        self._check(input, target)
        alone = target.ndim == 0
        if alone:
            input, target = input.unsqueeze(0), target.unsqueeze(0)
        in_head, in_tail = target, opyard.zeros(target.shape, dtype=input.dtype,
                                                device=input.device)
        for i, tail in enumerate(self.tail):
            inside = (target >= self.cutoffs[i]) & (target < self.cutoffs[i + 1])
            rows = inside.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            of_cluster = F.log_softmax(tail(input.index_select(0, rows)), 1)
            places = (target.index_select(0, rows) - self.cutoffs[i]).unsqueeze(1)
            found = of_cluster.gather(1, places).squeeze(1)
            in_tail = in_tail.to(dtype=found.dtype).index_copy(0, rows, found)
            in_head = in_head.index_fill(0, rows, self.shortlist_size + i)
        of_head = F.log_softmax(self.head(input), 1)
        output = in_tail + of_head.gather(1, in_head.unsqueeze(1)).squeeze(1)
        loss = -output.mean()
        return _Result(output.squeeze(0) if alone else output, loss)

    def _full(self, input, head):
        of_head = F.log_softmax(head, 1)
        parts = [of_head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            at = self.shortlist_size + i
            parts.append(F.log_softmax(tail(input), 1) + of_head[:, at:at + 1])
        return opyard.cat(parts, 1)

    def log_prob(self, input):
        """The logarithms of the probabilities of all classes."""
        return self._full(input, self.head(input))

    def predict(self, input):
        """The likeliest classes; tails are asked only for rows whose head says a cluster."""
        head = self.head(input)
        output = head.argmax(1)
        rows = (output >= self.shortlist_size).nonzero().squeeze(1)
        if rows.numel() == 0:
            return output
        full = self._full(input.index_select(0, rows), head.index_select(0, rows))
        return output.index_copy(0, rows, full.argmax(1))
