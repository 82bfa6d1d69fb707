# SPDX-License-Identifier: Apache-2.0
"""Schemas of operators as objects, and what registration asks of them."""
from typing import Any, NamedTuple

from . import _C


class Argument(NamedTuple):
    name: str
    type: str  # "Tensor", "int[]?", ...
    kwarg_only: bool
    is_write: bool
    is_alias: bool
    has_default: bool
    default: Any

    @property
    def is_tensor(self):
        return self.type in ("Tensor", "Tensor?")

    @property
    def is_tensor_list(self):
        return self.type in ("Tensor[]", "Tensor?[]", "Tensor[]?")


class Schema:
    """str(schema) is its text; arguments and returns are lists of Argument."""

    def __init__(self, parts):
        self.text, self.name, arguments, returns, self.is_mutable, self.is_functional = parts
        self.arguments = [Argument(*a) for a in arguments]
        self.returns = [Argument(*a) for a in returns]

    @classmethod
    def of(cls, op):
        """Of an operator or its name; LookupError if there is no such operator."""
        return cls(_C.op_schema(op))

    @classmethod
    def parse(cls, text):
        return cls(_C.parse_schema(text))

    def __str__(self):
        return self.text

    def is_plain_function(self):
        """Writes nothing, gives something, and what it gives is no view of an argument."""
        return (not self.is_mutable and len(self.returns) > 0 and
                not any(a.is_alias for a in (*self.arguments, *self.returns)))

    def has_kwarg_only_tensors(self):
        return any(a.kwarg_only and (a.is_tensor or a.is_tensor_list) for a in self.arguments)

    def has_tensors(self):
        return any(a.is_tensor or a.is_tensor_list for a in self.arguments)

    def fill_defaults(self, args, kwargs):
        """Arguments with those that were left out because they are the default."""
        args, kwargs = list(args), dict(kwargs)
        for i, argument in enumerate(self.arguments):
            if argument.kwarg_only:
                kwargs.setdefault(argument.name, argument.default)
            elif i >= len(args):
                args.append(argument.default)
        return tuple(args), kwargs
