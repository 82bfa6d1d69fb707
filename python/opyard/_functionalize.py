# SPDX-License-Identifier: Apache-2.0
"""torch.func.functionalize: a program without writes, or without views as well."""
import functools

from . import _C, _tree
from ._C import Tensor

_REMOVE = ("mutations", "mutations_and_views")


def functionalize(func, *, remove="mutations"):
    """|func| without in-place and out= operators; what it writes to its arguments is copied
    into them at the end."""
    if remove not in _REMOVE:
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for "
            f"remove={remove}. Valid options are:\n     remove='mutations': all inplace and "
            "out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n     remove='mutations_and_views': In addition to the "
            "above, all aliasing operators {view} will be replaced with their non-aliasing "
            "counterparts, {view}_copy.\n")

    @functools.wraps(func, updated=())
    def wrapped(*args, **kwargs):
        leaves, structure = _tree.flatten((tuple(args), kwargs))
        at = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        made = result = None

        def call(*tensors):
            nonlocal made, result
            given = list(leaves)
            for i, tensor in zip(at, tensors):
                given[i] = tensor
            positional, named = _tree.unflatten(given, structure)
            made, result = _tree.flatten(func(*positional, **named))
            return tuple(leaf for leaf in made if isinstance(leaf, Tensor))

        plain = iter(_C.functionalize_of(call, [leaves[i] for i in at], remove))
        values = [next(plain) if isinstance(leaf, Tensor) else leaf for leaf in made]
        return _tree.unflatten(values, result)

    return wrapped
