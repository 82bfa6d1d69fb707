# SPDX-License-Identifier: Apache-2.0
"""Modules that learn the sizes of their parameters from their first input."""
import inspect
import warnings

import opyard

from . import conv, norm
from .linear import Linear
from .parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
           "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
           "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear"]


class LazyModuleMixin:
    """Mixed into a module before its class: at the first call, initialize_parameters() gets
    the inputs, and then the module is of the class cls_to_become."""

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        warnings.warn("Lazy modules are a new feature under heavy development so changes to the "
                      "API or functionality can happen at any moment.", stacklevel=3)

    def initialize_parameters(self, *args, **kwargs):
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def __call__(self, *args, **kwargs):
        if self.has_uninitialized_params() or self.cls_to_become is not None:
            self.initialize_parameters(*args, **kwargs)
            if self.has_uninitialized_params():
                raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
            if self.cls_to_become is not None:
                self.__class__ = self.cls_to_become
                return self(*args, **kwargs)
        return super().__call__(*args, **kwargs)


class _Lazy(LazyModuleMixin):
    """The lazy modules here: |_size| is the attribute that the first input tells."""

    _size = "in_channels"

    def _lazy_parameters(self, device, dtype, **wanted):
        for name, is_wanted in wanted.items():
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype)
                    if is_wanted else None)

    def reset_parameters(self):
        if getattr(self, self._size) != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def _size_of(self, input):
        raise NotImplementedError

    def _shapes(self):
        """The shapes of the parameters and buffers, by name."""
        raise NotImplementedError

    def initialize_parameters(self, input, *args, **kwargs):
        fresh = self.has_uninitialized_params()
        setattr(self, self._size, self._size_of(input))
        with opyard.no_grad():
            for name, shape in self._shapes().items():
                if is_lazy(getattr(self, name)):
                    getattr(self, name).materialize(shape)
            if fresh:  # and not loaded from a state_dict
                self.reset_parameters()


class LazyLinear(_Lazy, Linear):
    """A Linear that takes in_features from its first input."""

    cls_to_become, _size = Linear, "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, bias=False)
        self.out_features = out_features
        self._lazy_parameters(device, dtype, weight=True, bias=bias)

    def _size_of(self, input):
        return input.shape[-1]

    def _shapes(self):
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class _LazyConv(_Lazy):
    def __init_subclass__(cls):
        parameters = inspect.signature(cls.cls_to_become).parameters.values()
        cls.__signature__ = inspect.Signature(list(parameters)[1:])

    def __init__(self, *args, **kwargs):
        options = dict(self.__signature__.bind(*args, **kwargs).arguments)
        has_bias, device, dtype = (options.pop(name, default) for name, default in (
            ("bias", True), ("device", None), ("dtype", None)))
        out_channels = options.pop("out_channels")
        super().__init__(0, 0, bias=False, **options)
        self.out_channels = out_channels
        self._lazy_parameters(device, dtype, weight=True, bias=has_bias)

    def _size_of(self, input):
        if input.ndim not in (self._dims + 1, self._dims + 2):
            raise RuntimeError(
                f"Expected {self._dims + 1}D (unbatched) or {self._dims + 2}D (batched) input "
                f"to {type(self).__name__}, but got input of size: {input.shape}")
        channels = input.shape[-1 - self._dims]
        if channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        return channels

    def _shapes(self):
        return {"weight": self._weight_shape(), "bias": (self.out_channels,)}


class _LazyNorm(_Lazy):
    _size = "num_features"

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True,
                 device=None, dtype=None):
        super().__init__(0, eps, momentum, False, False)
        self.affine, self.track_running_stats = affine, track_running_stats
        self._lazy_parameters(device, dtype, weight=affine, bias=affine)
        if track_running_stats:
            for name in ("running_mean", "running_var"):
                setattr(self, name, UninitializedBuffer(device=device, dtype=dtype))
            self.num_batches_tracked = opyard.tensor(0, dtype=opyard.int64, device=device)

    def _size_of(self, input):
        self._check_input(input)
        alone = isinstance(self, norm._InstanceNorm) and input.ndim == self._dims[0]
        return input.shape[0 if alone else 1]

    def _shapes(self):
        names = ("weight", "bias", "running_mean", "running_var")
        return dict.fromkeys(names, (self.num_features,))


def _lazy(module, name, parts):
    base = getattr(module, name)
    return type(f"Lazy{name}", (parts, base), {
        "cls_to_become": base, "__module__": "opyard.nn",
        "__doc__": f"A {name} that takes its first argument from its first input."})


(LazyConv1d, LazyConv2d, LazyConv3d, LazyConvTranspose1d, LazyConvTranspose2d,
 LazyConvTranspose3d) = (_lazy(conv, f"{kind}{d}d", _LazyConv)
                         for kind in ("Conv", "ConvTranspose") for d in (1, 2, 3))
(LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d, LazyInstanceNorm1d, LazyInstanceNorm2d,
 LazyInstanceNorm3d) = (_lazy(norm, f"{kind}{d}d", _LazyNorm)
                        for kind in ("BatchNorm", "InstanceNorm") for d in (1, 2, 3))
