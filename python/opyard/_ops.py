# SPDX-License-Identifier: Apache-2.0
"""opyard.ops.<namespace>.<name>.<overload>, made of the registry as it is at the time."""
from . import _C


class Namespace:
    """The operators of one namespace. Nothing is kept: what goes is gone at once."""

    def __init__(self, name):
        self.__name__ = name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name not in _SIGNS:
            raise AttributeError(name)
        packet = _C.packet(f"{self.__name__}::{name}")
        if packet is None:
            raise AttributeError(f"no operator {self.__name__}::{name}")
        return packet

    def __contains__(self, name):
        return _C.packet(f"{self.__name__}::{name}") is not None

    def __iter__(self):
        skip = len(self.__name__) + 2
        return iter([name[skip:] for name in _C.op_names(self.__name__ + "::")])

    def __dir__(self):
        return sorted(self)

    def __repr__(self):
        return f"<namespace {self.__name__} of operators>"


# Operators of aten that are called so: __lshift__.
_SIGNS = frozenset(
    f"__{before}{name}__" for name in ("lshift", "rshift", "and", "or", "xor")
    for before in ("", "i"))


class Ops:
    """The registry, by namespace."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not _C.op_names(name + "::"):
            raise AttributeError(f"no namespace '{name}'")
        return Namespace(name)

    def refresh(self):
        """Nothing to do: every access asks the registry."""

    def __dir__(self):
        return sorted({name.partition("::")[0] for name in _C.op_names("")})

    def __iter__(self):
        return iter(dir(self))


ops = Ops()
# Asked for at every operator function that is used for the first time.
ops.__dict__["aten"] = Namespace("aten")
