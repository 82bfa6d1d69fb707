# SPDX-License-Identifier: Apache-2.0
import math

import opyard

from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


def empty_parameter(*sizes, device=None, dtype=None):
    return Parameter(opyard.empty(sizes, device=device, dtype=dtype))


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Module):
    """input @ weight.T + bias"""

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty_parameter(out_features, in_features, device=device, dtype=dtype)
        if bias:
            self.bias = empty_parameter(out_features, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.layer_default_(self.weight, self.bias)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Bilinear(Module):
    """For each output, input1 @ weight[k] @ input2 + bias[k]"""

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None,
                 dtype=None):
        super().__init__()
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = empty_parameter(out_features, in1_features, in2_features, device=device,
                                      dtype=dtype)
        self.bias = empty_parameter(out_features, device=device, dtype=dtype) if bias else None
        if not bias:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self):
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Table(Module):
    """Rows of numbers, of which |padding_idx| begins as zeros."""

    _padding = "Padding_idx"

    def __init__(self, num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                 scale_grad_by_freq, sparse, weight, freeze, device, dtype):
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertionError(f"{self._padding} must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if weight is None:
            self.weight = Parameter(opyard.empty((num_embeddings, embedding_dim),
                                                 device=device, dtype=dtype), not freeze)
            self.reset_parameters()
        else:
            if tuple(weight.shape) != (num_embeddings, embedding_dim):
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, not freeze)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, **kwargs):
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        made = cls(rows, columns, _weight=embeddings, **kwargs)
        made.weight.requires_grad_(not freeze)
        return made

    def reset_parameters(self):
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with opyard.no_grad():
                self.weight.select(0, self.padding_idx).fill_(0)

    def _repr_of(self, *options):
        """The sizes, then the options that are not their defaults."""
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}"] + [
            f"{name}={getattr(self, name)}" for name, default in options
            if getattr(self, name) != default])


class Embedding(_Table):
    """Rows of a table by their numbers. Gradients are dense."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None,
                 norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None,
                 _freeze=False, device=None, dtype=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                         scale_grad_by_freq, sparse, _weight, _freeze, device, dtype)

    def forward(self, input):
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm,
                           self.norm_type, self.scale_grad_by_freq, self.sparse)

    def extra_repr(self):
        return self._repr_of(("padding_idx", None), ("max_norm", None), ("norm_type", 2.0),
                             ("scale_grad_by_freq", False), ("sparse", False))


class EmbeddingBag(_Table):
    """Sums, means or maxima of rows of a table, by bags of numbers."""

    _padding = "padding_idx"

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, mode="mean", sparse=False, _weight=None,
                 include_last_offset=False, padding_idx=None, device=None, dtype=None):
        super().__init__(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type,
                         scale_grad_by_freq, sparse, _weight, False, device, dtype)
        self.mode, self.include_last_offset = mode, include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        return F.embedding_bag(input, self.weight, offsets, self.max_norm, self.norm_type,
                               self.scale_grad_by_freq, self.mode, self.sparse,
                               per_sample_weights, self.include_last_offset, self.padding_idx)

    def extra_repr(self):
        return self._repr_of(("max_norm", None), ("norm_type", 2.0),
                             ("scale_grad_by_freq", False), ("mode", None),
                             ("padding_idx", None))
