# SPDX-License-Identifier: Apache-2.0
"""Pools, borders, and images of other sizes as modules."""
from . import functional as F
from .activation import REQUIRED, Function, function_module
from .conv import as_tuple
from .module import Module


class _MaxPool(Function):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, "
                f"padding={self.padding}, dilation={self.dilation}, "
                f"ceil_mode={self.ceil_mode}")


class _AvgPool(_MaxPool):
    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, "
                f"padding={self.padding}")


class _LPPool(Function):
    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}, ceil_mode={self.ceil_mode}")


_MAX = dict(
    kernel_size=REQUIRED, stride=None, padding=0, dilation=1, return_indices=False,
    ceil_mode=False)
_AVG = dict(
    kernel_size=REQUIRED, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
_AVG_DIVIDED = dict(_AVG, divisor_override=None)
_LP = dict(norm_type=REQUIRED, kernel_size=REQUIRED, stride=None, ceil_mode=False)
_SIZE = dict(output_size=REQUIRED)
MaxPool1d = function_module("MaxPool1d", F.max_pool1d, base=_MaxPool, **_MAX)
MaxPool2d = function_module("MaxPool2d", F.max_pool2d, base=_MaxPool, **_MAX)
MaxPool3d = function_module("MaxPool3d", F.max_pool3d, base=_MaxPool, **_MAX)
AvgPool2d = function_module("AvgPool2d", F.avg_pool2d, base=_AvgPool, **_AVG_DIVIDED)
AvgPool3d = function_module("AvgPool3d", F.avg_pool3d, base=_AvgPool, **_AVG_DIVIDED)
LPPool1d = function_module("LPPool1d", F.lp_pool1d, base=_LPPool, **_LP)
LPPool2d = function_module("LPPool2d", F.lp_pool2d, base=_LPPool, **_LP)
AdaptiveAvgPool1d = function_module("AdaptiveAvgPool1d", F.adaptive_avg_pool1d, **_SIZE)
AdaptiveAvgPool2d = function_module("AdaptiveAvgPool2d", F.adaptive_avg_pool2d, **_SIZE)
AdaptiveAvgPool3d = function_module("AdaptiveAvgPool3d", F.adaptive_avg_pool3d, **_SIZE)
_ADAPTIVE_MAX = dict(_SIZE, return_indices=False)
_SHOWN = ("output_size",)
AdaptiveMaxPool1d = function_module("AdaptiveMaxPool1d", F.adaptive_max_pool1d, shown=_SHOWN,
                                    **_ADAPTIVE_MAX)
AdaptiveMaxPool2d = function_module("AdaptiveMaxPool2d", F.adaptive_max_pool2d, shown=_SHOWN,
                                    **_ADAPTIVE_MAX)
AdaptiveMaxPool3d = function_module("AdaptiveMaxPool3d", F.adaptive_max_pool3d, shown=_SHOWN,
                                    **_ADAPTIVE_MAX)


class AvgPool1d(function_module("AvgPool1d", F.avg_pool1d, base=_AvgPool, **_AVG)):
    """avg_pool1d as a module; prints its numbers as tuples."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True):
        super().__init__(as_tuple(kernel_size, 1),
                         as_tuple(kernel_size if stride is None else stride, 1),
                         as_tuple(padding, 1), ceil_mode, count_include_pad)


class _MaxUnpool(Module):
    _dims, _function = 2, staticmethod(F.max_unpool2d)

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = as_tuple(kernel_size, self._dims)
        self.stride = as_tuple(kernel_size if stride is None else stride, self._dims)
        self.padding = as_tuple(padding, self._dims)

    def forward(self, input, indices, output_size=None):
        return self._function(input, indices, self.kernel_size, self.stride, self.padding,
                              output_size)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, "
                f"padding={self.padding}")


class MaxUnpool1d(_MaxUnpool):
    _dims, _function = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    pass


class MaxUnpool3d(_MaxUnpool):
    _dims, _function = 3, staticmethod(F.max_unpool3d)


# ------------------------------------------------------------------ borders


class _FractionalMaxPool(Module):
    """Maxima of windows that lie at random places, so that the output has any size or any
    share of the input's."""

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                 _random_samples=None):
        super().__init__()
        name = type(self).__name__
        self.kernel_size = as_tuple(kernel_size, self._dims)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size, self.output_ratio = (
            None if value is None else as_tuple(value, self._dims)
            for value in (output_size, output_ratio))
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if not all(0 < share < 1 for share in self.output_ratio or ()):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input):
        return self._function(input, self.kernel_size, self.output_size, self.output_ratio,
                              self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    _dims, _function = 2, staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    _dims, _function = 3, staticmethod(F.fractional_max_pool3d)


class _Pad(Module):
    _mode, _dims = "constant", 1

    def __init__(self, padding):
        super().__init__()
        self.padding = as_tuple(padding, 2 * self._dims)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


def _pads(name, base, mode="constant", dims=(1, 2, 3)):
    return [type(f"{name}{d}d", (base,),
                 {"_dims": d, "_mode": mode, "__module__": "opyard.nn"}) for d in dims]


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("ConstantPad", _ConstantPad)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads("ZeroPad", _ZeroPad)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("ReflectionPad", _Pad, "reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("ReplicationPad", _Pad,
                                                             "replicate")
CircularPad1d, CircularPad2d, CircularPad3d = _pads("CircularPad", _Pad, "circular")

PixelShuffle = function_module("PixelShuffle", F.pixel_shuffle, upscale_factor=REQUIRED)
PixelUnshuffle = function_module("PixelUnshuffle", F.pixel_unshuffle,
                                 downscale_factor=REQUIRED)
ChannelShuffle = function_module("ChannelShuffle", F.channel_shuffle, groups=REQUIRED)


class Upsample(Module):
    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None,
                 recompute_scale_factor=None):
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        if isinstance(scale_factor, (tuple, list)):
            scale_factor = tuple(float(factor) for factor in scale_factor)
        self.scale_factor = float(scale_factor) if isinstance(scale_factor, int) \
            else scale_factor
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input):
        return F.interpolate(input, self.size, self.scale_factor, self.mode,
                             self.align_corners, self.recompute_scale_factor)

    def extra_repr(self):
        by = f"scale_factor={self.scale_factor}" if self.scale_factor is not None \
            else f"size={self.size}"
        return f"{by}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, "bilinear", True)
