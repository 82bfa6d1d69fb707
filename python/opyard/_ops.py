# SPDX-License-Identifier: Apache-2.0
"""opyard.ops.<namespace>.<name>.<overload>, made of the registry as it is at the time."""
from . import _C

# Overloads in the order in which they are tried: the plain ones come before those that
# take fewer arguments for more, so that "Tensor" wins over "Scalar" as in PyTorch.
_FIRST = ("", "Tensor", "default", "self", "dim", "Scalar", "int")


def _order(overload):
    if overload in _FIRST:
        return (_FIRST.index(overload), overload)
    return (len(_FIRST) + ("out" in overload), overload)


class Packet:
    """All overloads of a name; calling it picks the one that takes the arguments."""

    def __init__(self, name, overloads):
        self.__name__ = name
        self._overloads = dict(sorted(overloads.items(), key=lambda item: _order(item[0])))
        self._ops = tuple(self._overloads.values())

    def __call__(self, *args, **kwargs):
        return _C.call_overloaded(self._ops, args, kwargs)

    def __getattr__(self, overload):
        try:
            return self._overloads["" if overload == "default" else overload]
        except KeyError:
            raise AttributeError(f"{self.__name__} has no overload '{overload}'") from None

    def overloads(self):
        return [overload or "default" for overload in self._overloads]

    def __repr__(self):
        return f"<operator {self.__name__}: {', '.join(self.overloads())}>"


class Namespace:
    def __init__(self, name, packets):
        self.__name__ = name
        self._packets = {
            base: Packet(f"{name}::{base}", overloads) for base, overloads in packets.items()
        }

    def __getattr__(self, name):
        try:
            return self._packets[name]
        except KeyError:
            raise AttributeError(f"no operator {self.__name__}::{name}") from None

    def __contains__(self, name):
        return name in self._packets

    def __iter__(self):
        return iter(self._packets)

    def __dir__(self):
        return sorted(self._packets)


class Ops:
    """The registry. Read on first use; refresh() reads what was registered since."""

    def __init__(self):
        self._namespaces = None

    def refresh(self):
        found = {}
        for op in _C.ops():
            namespace, _, rest = op.name.partition("::")
            base, _, overload = rest.partition(".")
            found.setdefault(namespace, {}).setdefault(base, {})[overload] = op
        self._namespaces = {name: Namespace(name, packets) for name, packets in found.items()}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if self._namespaces is None:
            self.refresh()
        try:
            return self._namespaces[name]
        except KeyError:
            raise AttributeError(f"no namespace '{name}'") from None


ops = Ops()
