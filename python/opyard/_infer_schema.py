# SPDX-License-Identifier: Apache-2.0
"""Schemas from type annotations, by the rules of torch.library.infer_schema."""
import collections.abc
import inspect
import numbers
import types
import typing

from . import _C

_UNKNOWN = "unknown"

# Python's type, the schema's; whether T[], T?[] and T[]? are taken.
_BASES = (
    (_C.Tensor, "Tensor", True, True, False),
    (int, "SymInt", True, False, True),
    (float, "float", True, False, True),
    (bool, "bool", True, False, True),
    (str, "str", False, False, False),
    (typing.Union[int, float, bool], "Scalar", True, False, False),
    (_C.dtype, "ScalarType", False, False, False),
    (_C.device, "Device", False, False, False),
)


def _sequences(element):
    return (typing.Sequence[element], typing.List[element],
            collections.abc.Sequence[element], list[element])


def _parameter_types():
    found = {}
    for base, text, lists, optional_lists, lists_optional in _BASES:
        found[base] = text
        found[typing.Optional[base]] = f"{text}?"
        if lists:
            found.update({s: f"{text}[]" for s in _sequences(base)})
        if optional_lists:
            found.update({s: f"{text}?[]" for s in _sequences(typing.Optional[base])})
        if lists_optional:
            found.update({typing.Optional[s]: f"{text}[]?" for s in _sequences(base)})
    found[numbers.Number] = "Scalar"
    return found


SUPPORTED_PARAM_TYPES = _parameter_types()
SUPPORTED_RETURN_TYPES = {
    _C.Tensor: "Tensor", typing.List[_C.Tensor]: "Tensor[]", list[_C.Tensor]: "Tensor[]",
    int: "SymInt", float: "float", bool: "bool",
    typing.Union[int, float, bool]: "Scalar", numbers.Number: "Scalar",
}


class _Inference:
    """One function whose schema is wanted."""

    def __init__(self, function, mutates_args):
        self._globals = getattr(function, "__globals__", {})
        self._signature = inspect.signature(function)
        self._mutates = mutates_args
        self._texts = []

    def fail(self, what):
        raise ValueError(
            f"infer_schema(func): {what} Got func with signature {self._signature})")

    def _type_of(self, annotation):
        """Annotations that are text, by `from __future__ import annotations`, as types; and
        X | None as Optional[X]."""
        if isinstance(annotation, str):
            try:
                annotation = eval(annotation, self._globals)  # noqa: S307  the caller's code
            except Exception:
                self.fail(f"Unsupported type annotation {annotation}. It is not a type.")
        if isinstance(annotation, types.UnionType):
            annotation = typing.Union[annotation.__args__]
        return annotation

    def _unsupported(self, name, annotation):
        valid = f"The valid types are: {SUPPORTED_PARAM_TYPES.keys()}."
        start = f"Parameter {name} has unsupported type {annotation}. "
        if typing.get_origin(annotation) is not tuple:
            self.fail(start + valid)
        elements = [a for a in typing.get_args(annotation) if a is not Ellipsis]
        suggestion = typing.List[elements[0]] if len(set(elements)) == 1 else None
        example = "\n\n"
        if suggestion in SUPPORTED_PARAM_TYPES:
            example = f"For example, {suggestion}.\n\n"
        self.fail(f"{start}We do not support Tuple inputs in schema. As a workaround, please "
                  f"try to use List instead. {example}{valid}")

    def _default(self, name, value):
        if value is None or isinstance(value, (int, float, bool)):
            return str(value)
        if isinstance(value, (str, _C.device)):
            return f'"{value}"'
        if isinstance(value, _C.dtype):
            return value.name
        return self.fail(
            f"Parameter {name} has an unsupported default value type {type(value)}. Please "
            "file an issue on GitHub so we can prioritize this.")

    def _written(self, index, name, text):
        """The type with the sign that it is written to, if it is."""
        is_tensor = text.startswith("Tensor")
        if isinstance(self._mutates, str):
            if self._mutates != _UNKNOWN:
                raise ValueError(
                    "mutates_args must either be a sequence of the names of the arguments that "
                    "are mutated or the string 'unknown'. ")
            written = is_tensor
        else:
            written = name in self._mutates
            if written and not is_tensor:
                self.fail(f"Parameter {name} is in mutable_args but only Tensors or "
                          "collections of Tensors can be mutated")
        return f"Tensor(a{index}!){text[len('Tensor'):]}" if written else text

    def _parameter(self, index, name, parameter):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            self.fail("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind == parameter.KEYWORD_ONLY and "*" not in self._texts:
            self._texts.append("*")
        if parameter.annotation is parameter.empty:
            self.fail(f"Parameter {name} must have a type annotation.")
        annotation = self._type_of(parameter.annotation)
        text = _lookup(SUPPORTED_PARAM_TYPES, annotation)
        if text is None:
            self._unsupported(name, annotation)
        text = f"{self._written(index, name, text)} {name}"
        if parameter.default is not parameter.empty:
            text += f"={self._default(name, parameter.default)}"
        self._texts.append(text)

    def _result(self):
        annotation = self._type_of(self._signature.return_annotation)
        if annotation is None:
            return "()"
        if annotation is inspect.Signature.empty:
            self.fail("No return type annotation was provided. Please add one.")
        parts = [annotation]
        if typing.get_origin(annotation) is tuple:
            parts = typing.get_args(annotation)
        texts = [_lookup(SUPPORTED_RETURN_TYPES, part) for part in parts]
        if None in texts:
            self.fail(f"Return has unsupported type {annotation}. The valid types are: "
                      f"{SUPPORTED_RETURN_TYPES}.")
        if parts[0] is annotation:
            return texts[0]
        # Doubled for one: a tuple of one element.
        return f"(({texts[0]}))" if len(texts) == 1 else f"({', '.join(texts)})"

    def schema(self):
        for index, (name, parameter) in enumerate(self._signature.parameters.items()):
            self._parameter(index, name, parameter)
        if not isinstance(self._mutates, str):
            missing = set(self._mutates) - set(self._signature.parameters)
            if missing:
                self.fail(
                    f"{missing} in mutates_args were not found in the custom op's signature. "
                    "mutates_args should contain the names of all args that the custom op "
                    'mutates, or just the string "unknown" if you don\'t know.')
        return f"({', '.join(self._texts)}) -> {self._result()}"


def _lookup(table, annotation):
    try:
        return table.get(annotation)
    except TypeError:  # not hashable
        return None


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """The schema of a function with annotations: "(Tensor x, float s=1.0) -> Tensor"."""
    schema = _Inference(prototype_function, mutates_args).schema()
    return schema if op_name is None else op_name + schema
