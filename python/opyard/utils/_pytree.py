# SPDX-License-Identifier: Apache-2.0
"""Nested tuples, lists and dicts, under PyTorch's names for what handlers use."""
from .._tree import flatten as tree_flatten
from .._tree import unflatten as tree_unflatten

__all__ = ["tree_flatten", "tree_map", "tree_map_only", "tree_unflatten"]


def tree_map(function, tree):
    """The structure of |tree| with what |function| makes of each leaf."""
    leaves, structure = tree_flatten(tree)
    return tree_unflatten([function(leaf) for leaf in leaves], structure)


def tree_map_only(kind, function, tree):
    """The same for leaves that are instances of |kind|; others stay."""
    return tree_map(lambda leaf: function(leaf) if isinstance(leaf, kind) else leaf, tree)
