# SPDX-License-Identifier: Apache-2.0
"""Attention, and the encoder layer that is made with it."""
import math

import opyard

from .._ops import ops
from . import functional as F
from . import init
from .activation import Dropout
from .linear import Linear, empty_parameter
from .module import Module
from .norm import LayerNorm

_aten = ops.aten


def _as_bias(mask, dtype):
    """A mask that is added to the scores: where a bool mask is True, nothing is seen."""
    if mask is None or mask.dtype is not opyard.bool:
        return mask
    zeros = _aten.zeros(list(mask.shape), dtype=dtype)
    return _aten.masked_fill(zeros, mask, -math.inf)


class MultiheadAttention(Module):
    """Projects to heads, attends in each, and projects what they give together."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False,
                 add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None,
                 dtype=None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if add_bias_kv or add_zero_attn:
            raise NotImplementedError("MultiheadAttention without add_bias_kv, add_zero_attn")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first, self.head_dim = batch_first, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._one_weight = self.kdim == embed_dim and self.vdim == embed_dim
        where = {"device": device, "dtype": dtype}
        for name, size in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            self.register_parameter(f"{name}_proj_weight", None if self._one_weight
                                    else empty_parameter(embed_dim, size, **where))
        self.register_parameter("in_proj_weight", empty_parameter(
            3 * embed_dim, embed_dim, **where) if self._one_weight else None)
        self.register_parameter("in_proj_bias",
                                empty_parameter(3 * embed_dim, **where) if bias else None)
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, **where)
        self._reset_parameters()

    def _reset_parameters(self):
        for name, parameter in self.named_parameters(recurse=False):
            if name != "in_proj_bias":
                init.xavier_uniform_(parameter)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def _projected(self, *inputs):
        """Query, key and value as [N, heads, length, head_dim]."""
        weights = self.in_proj_weight.chunk(3) if self._one_weight \
            else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        heads = []
        for input, weight, bias in zip(inputs, weights, biases):
            x = F.linear(input, weight, bias)
            x = x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim)
            heads.append(x.transpose(1, 2))
        return heads

    def _mask(self, attn_mask, key_padding_mask, batch, dtype):
        mask = _as_bias(attn_mask, dtype)
        if mask is not None and mask.ndim == 3:
            mask = mask.reshape(batch, self.num_heads, mask.shape[1], mask.shape[2])
        padding = _as_bias(key_padding_mask, dtype)
        if padding is None:
            return mask
        padding = padding.reshape(batch, 1, 1, -1)
        return padding if mask is None else mask + padding

    def _attend(self, query, key, value, mask, need_weights):
        drop = self.dropout if self.training else 0.0
        if not need_weights:
            return F.scaled_dot_product_attention(query, key, value, mask, drop), None
        scores = query.mul(1.0 / math.sqrt(self.head_dim)) @ key.transpose(-2, -1)
        weights = F.softmax(scores if mask is None else scores + mask, -1)
        return F.dropout(weights, drop, drop > 0) @ value, weights

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True, is_causal=False):
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "Need attn_mask if specifying the is_causal hint.")
        alone = query.ndim == 2
        inputs = [x.unsqueeze(0) if alone else x if self.batch_first else x.transpose(0, 1)
                  for x in (query, key, value)]
        if alone and key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
        mask = self._mask(attn_mask, key_padding_mask, inputs[0].shape[0], query.dtype)
        heads, weights = self._attend(*self._projected(*inputs), mask, need_weights)
        batch, length = inputs[0].shape[0], inputs[0].shape[1]
        joined = heads.transpose(1, 2).reshape(batch, length, self.embed_dim)
        output = self.out_proj(joined)
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if alone:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return output if self.batch_first else output.transpose(0, 1), weights


class TransformerEncoderLayer(Module):
    """Attention, then two linear layers; each added to its input and normalised."""

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu,
                 layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True,
                 device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias,
                                            batch_first=batch_first, **where)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = getattr(F, activation) if isinstance(activation, str) else activation

    def _attend(self, x, mask, padding):
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _feed(self, x):
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        if self.norm_first:
            src = src + self._attend(self.norm1(src), src_mask, src_key_padding_mask)
            return src + self._feed(self.norm2(src))
        src = self.norm1(src + self._attend(src, src_mask, src_key_padding_mask))
        return self.norm2(src + self._feed(src))
