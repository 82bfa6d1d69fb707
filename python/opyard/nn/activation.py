# SPDX-License-Identifier: Apache-2.0
"""Functions without parameters as modules, PReLU, and dropout."""
import inspect

import opyard

from . import functional as F
from .module import Module
from .parameter import Parameter


def _text(name, value):
    return f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"


class Function(Module):
    """A module that calls _function with the arguments it was made with, whose names and
    defaults are _options. Printed are those in _shown: all, if it is None; "inplace" only
    where it is true; those in _plain without their names."""

    _function = None
    _options = {}
    _shown = None
    _plain = ()

    def __init__(self, *args, **kwargs):
        super().__init__()
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def forward(self, input):
        return self._function(input, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self):
        parts = []
        for name in self._options if self._shown is None else self._shown:
            value = getattr(self, name)
            if name in self._plain:
                parts.append(str(value))
            elif name != "inplace" or value:
                parts.append(_text(name, value))
        return ", ".join(parts)


REQUIRED = inspect.Parameter.empty


def function_module(name, function, /, shown=None, plain=(), base=Function, **options):
    """A class over |function|, made and called with |options|."""
    signature = inspect.Signature([
        inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value)
        for key, value in options.items()])
    return type(name, (base,), {
        "_function": staticmethod(function), "_options": options, "_shown": shown,
        "_plain": plain, "__signature__": signature, "__module__": "opyard.nn",
        "__doc__": f"{function.__name__} as a module.",
    })


ReLU = function_module("ReLU", F.relu, inplace=False)
SELU = function_module("SELU", F.selu, inplace=False)
SiLU = function_module("SiLU", F.silu, inplace=False)
Mish = function_module("Mish", F.mish, inplace=False)
Hardswish = function_module("Hardswish", F.hardswish, shown=(), inplace=False)
Hardsigmoid = function_module("Hardsigmoid", F.hardsigmoid, shown=(), inplace=False)
Sigmoid = function_module("Sigmoid", F.sigmoid)
Tanh = function_module("Tanh", F.tanh)
Tanhshrink = function_module("Tanhshrink", F.tanhshrink)
Softsign = function_module("Softsign", F.softsign)
LogSigmoid = function_module("LogSigmoid", F.logsigmoid)
GELU = function_module("GELU", F.gelu, approximate="none")
GLU = function_module("GLU", F.glu, dim=-1)
ELU = function_module("ELU", F.elu, alpha=1.0, inplace=False)
CELU = function_module("CELU", F.celu, alpha=1.0, inplace=False)
LeakyReLU = function_module("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
Threshold = function_module("Threshold", F.threshold,
                            threshold=REQUIRED, value=REQUIRED, inplace=False)
Hardtanh = function_module("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
Hardshrink = function_module("Hardshrink", F.hardshrink, lambd=0.5, plain=("lambd",))
Softshrink = function_module("Softshrink", F.softshrink, lambd=0.5, plain=("lambd",))
Softplus = function_module("Softplus", F.softplus, beta=1.0, threshold=20.0)
Softmax = function_module("Softmax", F.softmax, dim=None)
Softmin = function_module("Softmin", F.softmin, dim=None)
LogSoftmax = function_module("LogSoftmax", F.log_softmax, dim=None)


class ReLU6(Hardtanh):
    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Softmax2d(Module):
    """softmax over the channels of [N, C, H, W] or [C, H, W]"""

    def forward(self, input):
        if input.ndim not in (3, 4):
            raise ValueError("Softmax2d: expected input to be 3D or 4D, got "
                             f"{input.ndim}D instead")
        return F.softmax(input, -3)


class PReLU(Module):
    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(opyard.full((num_parameters,), float(init), device=device,
                                            dtype=dtype))

    def forward(self, input):
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self):
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" * self.inplace)


# ------------------------------------------------------------------ dropout


class _Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return self._function(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    _function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    _function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    _function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    _function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    _function = staticmethod(F.feature_alpha_dropout)
