# SPDX-License-Identifier: Apache-2.0
"""Modules whose functions are the operators of a prefix: opyard.linalg.svd is linalg_svd."""
from . import _C


def functions(module, prefix):
    """The __getattr__ and __dir__ of |module|: a name is the operator aten::prefix_name."""
    known = {}

    def find(name):
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        if name not in known:
            found = _C.packet(f"aten::{prefix}_{name}")
            if found is None:
                raise AttributeError(f"module '{module}' has no attribute '{name}' (no "
                                     f"operator aten::{prefix}_{name})")
            known[name] = found
        return known[name]

    def names():
        start = f"aten::{prefix}_"
        return sorted({name[len(start):] for name in _C.op_names(start)})

    return find, names
