# SPDX-License-Identifier: Apache-2.0
"""Modules and parameters in a row or by name."""
from collections import OrderedDict

from .module import Module, describe, indent
from .parameter import Parameter


def _position(index, size):
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


class _Row(Module):
    """Children named "0", "1", ...: what Sequential and ModuleList share."""

    def _set_all(self, modules):
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        values = list(self._modules.values())
        if isinstance(index, slice):
            return self._of(list(self._modules.items())[index])
        return values[_position(index, len(values))]

    def __setitem__(self, index, module):
        names = list(self._modules)
        setattr(self, names[_position(index, len(names))], module)

    def __delitem__(self, index):
        values = list(self._modules.values())
        del values[index]
        self._set_all(values)

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        values = list(self._modules.values())
        values.insert(index, module)
        self._set_all(values)
        return self

    def pop(self, index):
        module = self[index]
        del self[index]
        return module


class Sequential(_Row):
    """Each module gets what the one before it gives."""

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self._set_all(args)

    def _of(self, items):
        return type(self)(OrderedDict(items))

    def __delitem__(self, index):
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [names[index]]:
            del self._modules[name]
        if all(name.isdecimal() for name in names):
            self._set_all(list(self._modules.values()))

    def _repeated(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return list(self) * times

    def __add__(self, other):
        return Sequential(*self).__iadd__(other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError("add operator supports only objects of Sequential class, but "
                             f"{type(other)} is given.")
        return self.extend(list(other))

    def __mul__(self, times):
        return Sequential(*self._repeated(times))

    __rmul__ = __mul__

    def __imul__(self, times):
        return self.extend(self._repeated(times)[len(self):])

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Row):
    def __init__(self, modules=None):
        super().__init__()
        self._set_all(modules or ())

    def _of(self, items):
        return type(self)([module for _, module in items])

    def __add__(self, modules):
        return ModuleList(list(self) + list(modules))

    def __iadd__(self, modules):
        return self.extend(modules)

    def __repr__(self):
        """Neighbours that print alike are one line."""
        runs = []
        for i, text in enumerate(repr(module) for module in self):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        return describe(self, [
            f"({a}): {indent(text)}" if a == b else f"({a}-{b}): {b - a + 1} x {indent(text)}"
            for a, b, text in runs])


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def update(self, modules):
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module


def _shown(parameters, kind):
    """Lines of an extra_repr(); kind: what to say of a parameter's dtype."""
    return "\n".join(
        f"  ({name}): Parameter containing: [{kind(value)} of size "
        f"{'x'.join(str(size) for size in value.shape)}]" for name, value in parameters.items())


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        self.extend(values or ())

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        values = list(self._parameters.values())
        if isinstance(index, slice):
            return type(self)(values[index])
        return values[_position(index, len(values))]

    def __setitem__(self, index, value):
        setattr(self, str(_position(index, len(self))), _as_parameter(value))

    def append(self, value):
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extend(self, values):
        if not hasattr(values, "__iter__"):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend

    def extra_repr(self):
        return _shown(self._parameters, lambda value: value.dtype)


def _as_parameter(value):
    return value if isinstance(value, Parameter) else Parameter(value)


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return self._parameters[key]

    def __setitem__(self, key, value):
        self._parameters[key] = _as_parameter(value)

    def __delitem__(self, key):
        del self._parameters[key]

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters)

    def __contains__(self, key):
        return key in self._parameters

    def keys(self):
        return self._parameters.keys()

    def items(self):
        return self._parameters.items()

    def values(self):
        return self._parameters.values()

    def update(self, parameters):
        if not hasattr(parameters, "__iter__"):
            raise TypeError("ParametersDict.update should be called with an iterable of "
                            f"key/value pairs, but got {type(parameters).__name__}")
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value

    def __reversed__(self):
        return reversed(self._parameters)

    def copy(self):
        return ParameterDict(self._parameters)

    def fromkeys(self, keys, default=None):
        return ParameterDict((key, default) for key in keys)

    def get(self, key, default=None):
        return self._parameters.get(key, default)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key):
        return self._parameters.pop(key)

    def popitem(self):
        return self._parameters.popitem()

    def clear(self):
        self._parameters.clear()

    def __or__(self, other):
        return self.copy().__ior__(other)

    def __ior__(self, other):
        self.update(other)
        return self

    def extra_repr(self):
        return _shown(self._parameters, lambda value: value.type())
