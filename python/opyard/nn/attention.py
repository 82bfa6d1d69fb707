# SPDX-License-Identifier: Apache-2.0
"""Attention as a module."""
from . import functional as F
from . import init
from .linear import Linear, empty_parameter
from .module import Module


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
        for name in ("bias_k", "bias_v"):
            self.register_parameter(name, empty_parameter(1, 1, embed_dim, **where)
                                    if add_bias_kv else None)
        self.add_zero_attn = add_zero_attn
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, **where)
        self._reset_parameters()

    def _reset_parameters(self):
        for name, parameter in self.named_parameters(recurse=False):
            if name.startswith("bias_"):
                init.xavier_normal_(parameter)
            elif name != "in_proj_bias":
                init.xavier_uniform_(parameter)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True, is_causal=False):
        return F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask,
            need_weights, attn_mask, not self._one_weight, self.q_proj_weight,
            self.k_proj_weight, self.v_proj_weight, average_attn_weights=average_attn_weights,
            is_causal=is_causal, batch_first=self.batch_first)
