# SPDX-License-Identifier: Apache-2.0
"""Tuples with names for operators that have several results: x.max(0).values."""
import operator

_made = {}


def make(name, fields):
    """The type torch.return_types.<name>; the same one for the same name and fields."""
    key = (name, fields)
    if key not in _made:
        members = {field: property(operator.itemgetter(i)) for i, field in enumerate(fields)}
        members |= {"__slots__": (), "__repr__": _repr, "_fields": fields,
                    "__module__": "opyard.return_types", "__reduce__": _reduce}
        _made[key] = type(name, (tuple,), members)
    return _made[key]


def _repr(self):
    items = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
    return f"torch.return_types.{type(self).__name__}(\n{items})"


def _reduce(self):
    return _rebuild, (type(self).__name__, self._fields, tuple(self))


def _rebuild(name, fields, values):
    return make(name, fields)(values)
