# SPDX-License-Identifier: Apache-2.0
"""opyard.ops.<namespace>.<name>.<overload>, made of the registry as it is at the time."""
from . import _C


class Ops:
    """The registry, by namespace."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if not _C.op_names(name + "::"):
            raise AttributeError(f"no namespace '{name}'")
        return _C.namespace(name)

    def refresh(self):
        """Nothing to do: every access asks the registry."""

    def __dir__(self):
        return sorted({name.partition("::")[0] for name in _C.op_names("")})

    def __iter__(self):
        return iter(dir(self))


ops = Ops()
# Asked for at every operator function that is used for the first time.
ops.__dict__["aten"] = _C.namespace("aten")
