# SPDX-License-Identifier: Apache-2.0
"""Writes opyard/__init__.pyi and opyard/nn/__init__.pyi: every operator of the registry as a
typed function and, where its first argument is a tensor called self, as a method; and what
else the package has, as it is found there.

    python3 tools/stubs.py FOLDER OUT [OUT_NN]    FOLDER holds the package opyard
"""
import inspect
import keyword
import re
import sys
import types

HEAD = '''# Made by tools/stubs.py from the operator table; not to be edited.
# mypy: disable-error-code="overload-overlap,overload-cannot-match,misc,override,no-redef"
import builtins
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

from . import (array_api as array_api, fft as fft, files as files, linalg as linalg, nn as nn,
               optim as optim, random as random, special as special, utils as utils)

Number = builtins.bool | builtins.int | builtins.float | builtins.complex
_Class = TypeVar("_Class", bound="Tensor")

'''

# What classes of tensors are made with.
SUBCLASS = '''
    def as_subclass(self, cls: builtins.type[_Class]) -> _Class: ...
    @staticmethod
    def _make_subclass(cls: builtins.type[_Class], data: Tensor,
                       require_grad: builtins.bool = False) -> _Class: ...
    @staticmethod
    def _make_wrapper_subclass(
        cls: builtins.type[_Class], size: Sequence[builtins.int], *,
        strides: Sequence[builtins.int] | None = None,
        storage_offset: builtins.int | None = None, memory_format: Any = None,
        dtype: dtype_ | None = None, layout: Any = None,
        device: device_ | builtins.str | None = None, pin_memory: builtins.bool = False,
        requires_grad: builtins.bool = False) -> _Class: ...
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = ..., kwargs: Any = ...
                           ) -> Any: ...
'''

TYPES = {
    "Tensor": "Tensor", "int": "builtins.int", "SymInt": "builtins.int",
    "float": "builtins.float", "bool": "builtins.bool", "Scalar": "Number",
    "complex": "builtins.complex", "str": "builtins.str", "ScalarType": "dtype_",
    "Device": "device_ | builtins.str", "Layout": "layout_", "MemoryFormat": "memory_format",
    "Dimname": "builtins.str",
}

# Types of attributes that no schema tells.
ATTRIBUTES = {
    "shape": "tuple[builtins.int, ...]", "dtype": "dtype_", "device": "device_",
    "layout": "layout_",
    "ndim": "builtins.int", "requires_grad": "builtins.bool", "is_leaf": "builtins.bool",
    "grad": "Tensor | None", "T": "Tensor", "mT": "Tensor", "H": "Tensor", "mH": "Tensor",
    "data": "Tensor", "itemsize": "builtins.int", "nbytes": "builtins.int",
    "name": "builtins.str", "value": "builtins.int", "_version": "builtins.int",
    "is_floating_point": "builtins.bool", "is_complex": "builtins.bool",
    "retains_grad": "builtins.bool",
}
RESULTS = {
    "numel": "builtins.int", "dim": "builtins.int", "data_ptr": "builtins.int",
    "is_contiguous": "builtins.bool", "storage_offset": "builtins.int",
    "stride": "Any", "backward": "None", "tolist": "Any", "item": "Any",
}
# What an attribute is that is no operator alone.
OWN = (types.FunctionType, types.MethodDescriptorType, types.GetSetDescriptorType,
       types.MemberDescriptorType, property, classmethod, staticmethod)
SELF_IS_SECOND = ("where", "polygamma")  # in their schemas; methods all the same
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
ARITHMETIC = tuple(f"__{i}{name}__" for name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift") for i in ("", "r", "i"))


# ------------------------------------------------------------------ schemas


def split(text):
    """At commas that are in no brackets and no quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        quoted ^= c == '"'
        if quoted:
            continue
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def type_of(text, is_result=False):
    """Python's type for one of a schema's, "SymInt[2]?" or "Tensor(a!)[]"."""
    text = re.sub(r"\([^)]*\)", "", text)
    if text.endswith("?"):
        return type_of(text[:-1], is_result) + " | None"
    found = re.fullmatch(r"(.*)\[(\d*)\]", text)
    if not found:
        return TYPES.get(text, "Any")
    element, size = type_of(found[1], is_result), found[2]
    if is_result:
        return f"list[{element}]"
    several = f"Sequence[{element}]"
    return f"{element} | {several}" if size and found[1] != "Tensor" else several


class Argument:
    def __init__(self, text):
        head, _, default = text.partition("=")
        kind, _, self.name = head.strip().rpartition(" ")
        self.type, self.has_default = type_of(kind), bool(default)
        self.is_tensor = re.sub(r"\(.*\)", "", kind) == "Tensor"
        self.is_out = "!" in kind

    def text(self, name=None):
        name = name or self.name
        name += "_" if keyword.iskeyword(name) else ""
        return f"{name}: {self.type}" + (" = ..." if self.has_default else "")


class Schema:
    def __init__(self, text):
        name, arguments, results = re.fullmatch(r"([^(]*)\((.*)\) -> (.*)", text).groups()
        self.namespace, _, rest = name.partition("::")
        self.base, _, self.overload = rest.partition(".")
        self.positional, self.keywords, target = [], [], None
        for part in split(arguments):
            if part == "*":
                target = self.keywords
            else:
                (self.positional if target is None else target).append(Argument(part))
        self.result = self._result(results)

    @staticmethod
    def _result(text):
        if not text.startswith("("):
            return type_of(re.sub(r" \w+$", "", text), True)
        parts = [type_of(re.sub(r" \w+$", "", part), True) for part in split(text[1:-1])]
        return f"tuple[{', '.join(parts)}]" if parts else "None"

    def is_method(self):
        at = 1 if self.base in SELF_IS_SECOND else 0
        return len(self.positional) > at and self.positional[at].name == "self" \
            and self.positional[at].is_tensor

    def takes_sizes(self):
        """Whether numbers may stand for the list that is its last argument by position."""
        return bool(self.positional) and self.positional[-1].name in (
            "size", "shape", "dims", "repeats") and not self.positional[-1].has_default

    def parameters(self, as_method, by_numbers=False):
        """Outputs come last and by name; PyTorch calls self input in functions."""
        texts = ["self"] if as_method else []
        for i, argument in enumerate(self.positional):
            if argument.name == "self" and as_method:
                continue
            if by_numbers and i + 1 == len(self.positional):
                texts.append(f"*{argument.name}: builtins.int")
            else:
                texts.append(argument.text("input" if argument.name == "self" else None))
        if self.keywords and not by_numbers:
            texts.append("*")
        texts += [argument.text() for argument in self.keywords]
        if any(argument.name == "pin_memory" for argument in self.keywords):
            texts.append("requires_grad: builtins.bool = ...")  # all that make tensors
        return ", ".join(texts)


def definitions(name, schemas, as_method, indent=""):
    """The overloads of a name, each once."""
    signatures = list(dict.fromkeys(
        f"def {name}({schema.parameters(as_method, by_numbers)}) -> {schema.result}: ..."
        for by_numbers in (False, True) for schema in schemas
        if schema.takes_sizes() or not by_numbers))
    mark = f"{indent}@overload\n" if len(signatures) > 1 else ""
    return "".join(f"{mark}{indent}{signature}\n" for signature in signatures)


# ------------------------------------------------------- what is not an operator


def is_public(name):
    return not name.startswith("_") and not keyword.iskeyword(name)


def plain_function(name, value, indent=""):
    """Parameters by their names, without types; Any where they cannot be known."""
    result = RESULTS.get(name, "Any")
    try:
        parameters = inspect.signature(value).parameters.values()
    except (ValueError, TypeError):
        first = "self, " if indent else ""
        return f"{indent}def {name}({first}*args: Any, **kwargs: Any) -> {result}: ...\n"
    texts = []
    for i, p in enumerate(parameters):
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        if p.kind is p.KEYWORD_ONLY and not any(t.startswith("*") for t in texts):
            texts.append("*")
        is_self = indent and i == 0
        texts.append(stars + p.name + ("" if is_self else ": Any")
                     + (" = ..." if p.default is not p.empty else ""))
        if p.kind is p.POSITIONAL_ONLY and (
                i + 1 == len(parameters)
                or list(parameters)[i + 1].kind is not p.POSITIONAL_ONLY):
            texts.append("/")
    return f"{indent}def {name}({', '.join(texts)}) -> {result}: ...\n"


def is_own(name, value, operators):
    """Whether an attribute of Tensor is more than the operator of that name."""
    return name not in operators or isinstance(value, OWN) or name in RESULTS


def class_body(cls, operators, is_tensor):
    """Attributes, methods, and for tensors the operators and signs."""
    text = ""
    for name in sorted(set(dir(cls)) - set(dir(object))):
        value = inspect.getattr_static(cls, name)
        if not is_public(name) and name not in ("__len__", "__iter__", "__getitem__",
                                                "__setitem__", "__enter__", "__exit__",
                                                "__call__"):
            continue
        if is_tensor and not is_own(name, value, operators):
            continue
        if isinstance(value, (property, types.GetSetDescriptorType,
                              types.MemberDescriptorType)):
            text += f"    {name}: {ATTRIBUTES.get(name, 'Any')}\n"
        elif callable(value) or isinstance(value, (classmethod, staticmethod)):
            found = getattr(cls, name)
            mark = "    @classmethod\n" if isinstance(value, classmethod) else \
                "    @staticmethod\n" if isinstance(value, staticmethod) else ""
            if mark:
                text += f"{mark}    def {name}(*args: Any, **kwargs: Any) -> Any: ...\n"
            else:
                text += plain_function(name, found, "    ")
    return text


def tensor_class(cls, operators):
    body = class_body(cls, operators, True).splitlines(keepends=True)
    text = "class Tensor:\n" + "".join(
        line for line in body if "def as_subclass(" not in line) + SUBCLASS.lstrip("\n")
    for name in COMPARISONS + ARITHMETIC:
        if hasattr(cls, name):
            text += f"    def {name}(self, other: Any) -> Tensor: ...\n"
    for name in ("__neg__", "__abs__", "__invert__", "__pos__"):
        if hasattr(cls, name):
            text += f"    def {name}(self) -> Tensor: ...\n"
    for name, kind in (("bool", "bool"), ("int", "int"), ("float", "float"),
                       ("complex", "complex"), ("index", "int")):
        if hasattr(cls, f"__{name}__"):
            text += f"    def __{name}__(self) -> builtins.{kind}: ...\n"
    for name, schemas in operators.items():
        methods = [schema for schema in schemas if schema.is_method()]
        own = name in dir(cls) and is_own(name, inspect.getattr_static(cls, name), operators)
        if methods and is_public(name) and not own:
            text += definitions(name, methods, True, "    ")
    return text + "\n"


def constant(value):
    return isinstance(value, (int, float, str, bool, tuple))


def rest_of_package(package, operators):
    text = ""
    for name, value in sorted(vars(package).items()):
        if not is_public(name) or name == "Tensor":
            continue
        if inspect.ismodule(value):
            if value.__name__.startswith("opyard.") and name not in (
                    "array_api", "fft", "files", "linalg", "nn", "optim", "random", "special",
                    "utils", "exchange", "interop"):
                text += f"from . import {name} as {name}\n"
        elif inspect.isclass(value):
            base = "(RuntimeError, ValueError)" if issubclass(value, Exception) else ""
            body = "" if base else class_body(value, {}, False)
            if isinstance(value.__init__, types.FunctionType):
                body = constructor(value) + body + \
                    "    def __getattr__(self, name: builtins.str) -> Any: ...\n"
            text += f"class {name}{base}:\n{body or '    ...'}\n"
        elif callable(value) and name not in operators:
            text += plain_function(name, value)
        elif not callable(value):
            kind = type(value).__name__
            kind = kind if isinstance(getattr(package, kind, None), type) else \
                f"builtins.{kind}" if constant(value) else "Any"
            text += f"{name}: {kind}\n"
    return text


# ------------------------------------------------------------------ modules

HEAD_NN = '''# Made by tools/stubs.py; not to be edited.
from collections.abc import Iterator
from typing import Any

from typing_extensions import Self

from .. import Tensor
from . import functional as functional, init as init, utils as utils

'''
RESULTS_NN = {
    "parameters": "Iterator[Parameter]", "buffers": "Iterator[Tensor]",
    "modules": "Iterator[Module]", "children": "Iterator[Module]",
    "named_parameters": "Iterator[tuple[str, Parameter]]",
    "named_buffers": "Iterator[tuple[str, Tensor]]",
    "named_modules": "Iterator[tuple[str, Module]]",
    "named_children": "Iterator[tuple[str, Module]]",
    "state_dict": "dict[str, Any]", "extra_repr": "str", "__len__": "int", "__repr__": "str",
    "zero_grad": "None", "register_parameter": "None", "register_buffer": "None",
    "add_module": "None", "register_module": "None", "get_submodule": "Module",
    "get_parameter": "Parameter", "get_buffer": "Tensor", "reset_parameters": "None",
    "reset_running_stats": "None",
} | dict.fromkeys(("train", "eval", "to", "cpu", "float", "double", "half", "bfloat16", "type",
                   "apply", "requires_grad_"), "Self")


def methods_of(cls, base):
    """What the class has that its base in the stubs has not."""
    text = ""
    for name in sorted(set(dir(cls)) - set(dir(base))):
        value = inspect.getattr_static(cls, name)
        public = is_public(name) or name in ("__len__", "__iter__", "__getitem__",
                                             "__setitem__", "__delitem__", "__contains__",
                                             "__call__")
        if public and isinstance(value, types.FunctionType):
            line = plain_function(name, value, "    ")
            text += line.replace("-> Any", f"-> {RESULTS_NN.get(name, 'Any')}")
        elif public and isinstance(value, classmethod):
            text += f"    @classmethod\n    def {name}(cls, *args: Any, **kwargs: Any) -> Self: ...\n"
    return text


class Signed:
    """Something with a signature, for plain_function()."""

    def __init__(self, parameters):
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.__signature__ = inspect.Signature([own] + parameters)

    def __call__(self):
        pass


def constructor(cls):
    """As the class is called; parts that are made of a table know it by __signature__."""
    parameters = list(inspect.signature(cls).parameters.values())
    return plain_function("__init__", Signed(parameters), "    ").replace("-> Any", "-> None")


def nn_text(nn):
    classes = {name: value for name, value in vars(nn).items()
               if inspect.isclass(value) and is_public(name)
               and issubclass(value, (nn.Module, nn.Parameter, nn.Buffer))}
    text = HEAD_NN
    # A class comes after the one that it derives from.
    for name, cls in sorted(classes.items(), key=lambda item: (len(item[1].__mro__), item[0])):
        base = next((b for b in cls.__mro__[1:] if b in classes.values()), None)
        if cls in (nn.Parameter, nn.Buffer):
            text += (f"class {name}(Tensor):\n"
                     "    def __init__(self, data: Any = ..., **kwargs: Any) -> None: ...\n\n")
            continue
        if base is None:
            body = "    training: bool\n    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n" \
                + methods_of(cls, object) + "    def __getattr__(self, name: str) -> Any: ...\n"
            text += f"class {name}:\n{body}\n"
        else:
            text += f"class {name}({base.__name__}):\n{constructor(cls)}{methods_of(cls, base)}\n"
    return text


def main(folder, out, out_nn=None):
    sys.path.insert(0, folder)
    import opyard

    for name in opyard._LAZY:  # so that the package has them
        getattr(opyard, name)
    if out_nn is not None:
        with open(out_nn, "w", encoding="utf-8") as file:
            file.write(nn_text(opyard.nn))
    operators = {}
    for op in opyard._C.ops():
        schema = Schema(op.schema)
        if schema.namespace == "aten":
            operators.setdefault(schema.base, []).append(schema)
    text = HEAD + rest_of_package(opyard, operators)
    # Tensor's attributes of these names hide them from its methods.
    text += "\ndtype_ = dtype\ndevice_ = device\nlayout_ = layout\n\n" + tensor_class(opyard.Tensor, operators)
    for name, schemas in operators.items():
        if name == "random":  # the module's name
            continue
        if is_public(name) and not inspect.isclass(vars(opyard).get(name)) \
                and not isinstance(vars(opyard).get(name), opyard.dtype):
            text += definitions(name, schemas, False)
    with open(out, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: stubs.py FOLDER OUT [OUT_NN]")
    main(*sys.argv[1:])
