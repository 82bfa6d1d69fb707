# SPDX-License-Identifier: Apache-2.0
"""Nested tuples, lists and dicts of tensors as flat lists, and back."""
from . import _C


class Leaf:
    """Where a value is in a structure."""

    def __repr__(self):
        return "*"


LEAF = Leaf()


def is_named(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def tensors_of(value):
    """The tensors in tuples, lists and dicts, in order."""
    if isinstance(value, _C.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [tensor for item in value for tensor in tensors_of(item)]


def flatten(value):
    """The values, and the structure that unflatten() puts them into."""
    leaves = []
    return leaves, _flatten(value, leaves)


def _flatten(value, leaves):
    if isinstance(value, dict):
        return type(value), list(value), [_flatten(item, leaves) for item in value.values()]
    if type(value) in (tuple, list) or is_named(value):
        return type(value), None, [_flatten(item, leaves) for item in value]
    leaves.append(value)
    return LEAF


def unflatten(leaves, structure):
    return _unflatten(iter(leaves), structure)


def _unflatten(leaves, structure):
    if structure is LEAF:
        return next(leaves)
    kind, keys, parts = structure
    values = [_unflatten(leaves, part) for part in parts]
    if keys is not None:
        return dict(zip(keys, values))
    return kind(values) if kind in (tuple, list) else kind(*values)


def spread(prefix, structure, where):
    """One value of |prefix| for each leaf: a value for a branch goes for all of it."""
    if structure is LEAF:
        if isinstance(prefix, (tuple, list, dict)):
            raise ValueError(f"{where}: expected one value for a leaf, got {prefix}")
        return [prefix]
    kind, keys, parts = structure
    if not isinstance(prefix, (tuple, list, dict)):
        return [item for part in parts for item in spread(prefix, part, where)]
    values = list(prefix.values()) if isinstance(prefix, dict) else list(prefix)
    if len(values) != len(parts) or isinstance(prefix, dict) != (keys is not None):
        raise ValueError(f"{where}: {prefix} is not compatible with the structure of inputs")
    return [item for one, part in zip(values, parts) for item in spread(one, part, where)]
