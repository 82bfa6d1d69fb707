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
        for value in values:
            self.append(value)
        return self


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
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value
