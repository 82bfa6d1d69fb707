# SPDX-License-Identifier: Apache-2.0
"""Attention: of given heads, and with the projections around it."""
import math
import warnings

import opyard

from .._ops import ops

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]

_aten = ops.aten


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, scale=None, enable_gqa=False):
    return _aten.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)


def _assert(condition, text):
    """AssertionError with PyTorch's text, also where Python runs without its own."""
    if not condition:
        raise AssertionError(text)


def _check_dims(query, key, value, key_padding_mask, attn_mask):
    _assert(query.ndim in (2, 3), "query should be unbatched 2D or batched 3D tensor but "
            f"received {query.ndim}-D query tensor")
    batched = query.ndim == 3
    call = "batched (3-D)" if batched else "unbatched (2-D)"
    n = query.ndim
    _assert(key.ndim == n and value.ndim == n,
            f"For {call} `query`, expected `key` and `value` to be {n}-D but found "
            f"{key.ndim}-D and {value.ndim}-D tensors respectively")
    if key_padding_mask is not None:
        found = key_padding_mask.ndim
        _assert(found == n - 1, f"For {call} `query`, expected `key_padding_mask` to be `None` "
                f"or {n - 1}-D but found {found}-D tensor instead")
    if attn_mask is not None:
        found = attn_mask.ndim
        _assert(found in (2, 3), f"For {call} `query`, expected `attn_mask` to be `None`, 2-D or "
                f"3-D but found {found}-D tensor instead")


def _as_mask(mask, name):
    """One of bools, where True means not to look, or one that is added to the scores."""
    if mask is None:
        return None
    _assert(mask.dtype.is_floating_point or mask.dtype in (opyard.uint8, opyard.bool),
            f"Only float, byte, and bool types are supported for {name}, not {mask.dtype}")
    if mask.dtype is opyard.uint8:
        warnings.warn(f"Byte tensor for {name} in nn.MultiheadAttention is deprecated. Use bool "
                      "tensor instead.", stacklevel=4)
        return mask.to(dtype=opyard.bool)
    return mask


def _as_scores(mask, dtype):
    if mask is None or mask.dtype is not opyard.bool:
        return mask
    zeros = _aten.zeros(list(mask.shape), dtype=dtype, device=mask.device)
    return _aten.masked_fill(zeros, mask, -math.inf)


def _joined_mask(attn_mask, key_padding_mask, query, source, num_heads):
    """Both masks as scores to add, of four dimensions; query is [N, length, E]."""
    batch, target = query.shape[0], query.shape[1]
    mask = _as_scores(_as_mask(attn_mask, "attn_mask"), query.dtype)
    if mask is not None:
        wanted = (target, source) if mask.ndim == 2 else (batch * num_heads, target, source)
        if tuple(mask.shape) != wanted:
            raise RuntimeError(f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but "
                               f"should be {wanted}.")
        leading = [batch, num_heads] if mask.ndim == 3 else [1, 1]
        mask = _aten.reshape(mask, leading + [target, source])
    padding = _as_scores(_as_mask(key_padding_mask, "key_padding_mask"), query.dtype)
    if padding is None:
        return mask
    _assert(tuple(padding.shape) == (batch, source), "expecting key_padding_mask shape of "
            f"{(batch, source)}, but got {padding.shape}")
    padding = _aten.reshape(padding, [batch, 1, 1, source])
    return padding if mask is None else mask + padding


def _check_sizes(query, key, value, embed_dim, num_heads, separate):
    _assert(query.shape[-1] == embed_dim, f"was expecting embedding dimension of {embed_dim}, "
            f"but got {query.shape[-1]}")
    _assert(embed_dim % num_heads == 0,
            f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if separate:
        _assert(key.shape[:-1] == value.shape[:-1], "key's sequence and batch dims "
                f"{key.shape[:-1]} do not match value's {value.shape[:-1]}")
    else:
        _assert(key.shape == value.shape,
                f"key shape {key.shape} does not match value shape {value.shape}")


def _weights(separate, in_proj, q_proj, k_proj, v_proj):
    """Those of query, key and value."""
    given = {"q_proj_weight": q_proj, "k_proj_weight": k_proj, "v_proj_weight": v_proj} \
        if separate else {"in_proj_weight": in_proj}
    for name, weight in given.items():
        _assert(weight is not None,
                f"use_separate_proj_weight is {separate} but {name} is None")
    return tuple(given.values()) if separate else in_proj.chunk(3)


def _heads(x, num_heads):
    """[N, length, E] as [N, heads, length, E / heads]"""
    return x.reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


def _given_heads(x, name, batch, num_heads, head_dim):
    """A static key or value, [N * heads, length, E / heads]."""
    for d, wanted in ((0, batch * num_heads), (2, head_dim)):
        _assert(x.shape[d] == wanted,
                f"expecting {name}.size({d}) of {wanted}, but got {x.shape[d]}")
    return x.reshape(batch, num_heads, -1, head_dim)


def _projected(inputs, weights, bias, bias_kv):
    """Query, key and value, the latter two with one more place at the end if they have a
    learned one."""
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    found = [_aten.linear(x, weight, b) for x, weight, b in zip(inputs, weights, biases)]
    for i, place in enumerate(bias_kv):
        if place is not None:
            x = found[i + 1]
            found[i + 1] = _aten.cat([x, place.reshape(1, 1, -1).expand(x.shape[0], 1, -1)], 1)
    return found


def _attend(query, key, value, mask, dropout_p, need_weights):
    if not need_weights:
        return scaled_dot_product_attention(query, key, value, mask, dropout_p), None
    scores = query.mul(1.0 / math.sqrt(query.shape[-1])) @ key.transpose(-2, -1)
    weights = _aten.softmax(scores if mask is None else scores + mask, -1)
    return _aten.dropout(weights, dropout_p, dropout_p > 0) @ value, weights


def _attention_of_batches(
        inputs, num_heads, weights, in_bias, bias_kv, add_zero_attn, dropout_p, out_weight,
        out_bias, key_padding_mask, need_weights, attn_mask, static_kv, average_attn_weights):
    """multi_head_attention_forward() of [N, length, E], without its checks."""
    query, (batch, target, embed_dim) = inputs[0], inputs[0].shape
    query, key, value = (_heads(x, num_heads)
                         for x in _projected(inputs, weights, in_bias, bias_kv))
    if static_kv[0] is not None:
        key = _given_heads(static_kv[0], "static_k", batch, num_heads, query.shape[-1])
    if static_kv[1] is not None:
        value = _given_heads(static_kv[1], "static_v", batch, num_heads, query.shape[-1])
    added = bias_kv[0] is not None
    mask = _joined_mask(attn_mask, key_padding_mask, inputs[0], key.shape[2] - added, num_heads)
    if add_zero_attn:
        key, value = (_aten.pad(x, [0, 0, 0, 1]) for x in (key, value))
        added += 1
    if mask is not None and added:  # what was added is seen by all
        mask = _aten.pad(mask, [0, int(added)])
    heads, found = _attend(query, key, value, mask, dropout_p, need_weights)
    output = _aten.linear(heads.transpose(1, 2).reshape(batch, target, embed_dim), out_weight,
                          out_bias)
    if found is not None and average_attn_weights:
        found = found.mean(1)
    return output, found


def multi_head_attention_forward(
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k,
        bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
        key_padding_mask=None, need_weights=True, attn_mask=None,
        use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
        v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
        is_causal=False, batch_first=False):
    """Attention of [length, N, E] or, without a batch, [length, E], and its weights. The
    last argument is not PyTorch's: [N, length, E] need no transposing."""
    _check_dims(query, key, value, key_padding_mask, attn_mask)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    weights = _weights(use_separate_proj_weight, in_proj_weight, q_proj_weight, k_proj_weight,
                       v_proj_weight)
    has_bias = bias_k is not None and bias_v is not None
    for name, bias, static in (("key", bias_k, static_k), ("value", bias_v, static_v)):
        _assert(has_bias or bias is None, "")
        _assert(bias is None or static is None, f"bias cannot be added to static {name}.")
    alone = query.ndim == 2
    inputs = [x.unsqueeze(0) if alone else x if batch_first else x.transpose(0, 1)
              for x in (query, key, value)]
    if alone and attn_mask is not None and attn_mask.ndim == 3:
        wanted = (num_heads, query.shape[0], key.shape[0])
        _assert(tuple(attn_mask.shape) == wanted,
                f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    if alone and key_padding_mask is not None:
        key_padding_mask = key_padding_mask.unsqueeze(0)
    output, found = _attention_of_batches(
        inputs, num_heads, weights, in_proj_bias, (bias_k, bias_v), add_zero_attn,
        dropout_p if training else 0.0, out_proj_weight, out_proj_bias, key_padding_mask,
        need_weights, attn_mask, (static_k, static_v), average_attn_weights)
    if alone:
        return output.squeeze(0), None if found is None else found.squeeze(0)
    return output if batch_first else output.transpose(0, 1), found
