# SPDX-License-Identifier: Apache-2.0
"""Convolutions and transposed convolutions of one to three dimensions."""
from . import functional as F
from . import init
from .linear import empty_parameter
from .module import Module

_PADDINGS = ("zeros", "reflect", "replicate", "circular")


def as_tuple(value, count):
    """|count| numbers of one, or of as many."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


class _Conv(Module):
    _dims = 0
    _transposed = False

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation,
                 groups, bias, padding_mode, device, dtype, output_padding=0):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode not in _PADDINGS:
            raise ValueError(f"padding_mode must be one of {set(_PADDINGS)}, "
                             f"but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.padding_mode = padding_mode
        for name, value in (("kernel_size", kernel_size), ("stride", stride),
                            ("dilation", dilation), ("output_padding", output_padding)):
            setattr(self, name, as_tuple(value, self._dims))
        self.padding = padding if isinstance(padding, str) else as_tuple(padding, self._dims)
        if isinstance(padding, str):
            self._check_named_padding()
        self.weight = empty_parameter(*self._weight_shape(), device=device, dtype=dtype)
        if bias:
            self.bias = empty_parameter(out_channels, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self):
        channels = (self.in_channels, self.out_channels // self.groups) if self._transposed \
            else (self.out_channels, self.in_channels // self.groups)
        return (*channels, *self.kernel_size)

    def _check_named_padding(self):
        if self.padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of "
                             "{'valid', 'same'}")
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")

    def reset_parameters(self):
        init.layer_default_(self.weight, self.bias)

    def _padded(self, input):
        """For padding modes that the operator has not: the input with its border, and the
        padding that is left to do."""
        if self.padding_mode == "zeros":
            return input, self.padding
        sides = []
        for d in reversed(range(self._dims)):
            if self.padding == "valid":
                sides += [0, 0]
            elif self.padding == "same":
                total = self.dilation[d] * (self.kernel_size[d] - 1)
                sides += [total // 2, total - total // 2]
            else:
                sides += [self.padding[d]] * 2
        return F.pad(input, sides, mode=self.padding_mode), (0,) * self._dims

    def forward(self, input):
        input, padding = self._padded(input)
        return self._op(input, self.weight, self.bias, self.stride, padding, self.dilation,
                        self.groups)

    def extra_repr(self):
        text = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}")
        zeros, ones = (0,) * self._dims, (1,) * self._dims
        for name, default in (("padding", zeros), ("dilation", ones),
                              ("output_padding", zeros), ("groups", 1)):
            value = getattr(self, name)
            if value != default:
                text += f", {name}={value}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _PlainConv(_Conv):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation,
                         groups, bias, padding_mode, device, dtype)


class Conv1d(_PlainConv):
    _dims, _op = 1, staticmethod(F.conv1d)


class Conv2d(_PlainConv):
    _dims, _op = 2, staticmethod(F.conv2d)


class Conv3d(_PlainConv):
    _dims, _op = 3, staticmethod(F.conv3d)


class _TransposedConv(_Conv):
    _transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros",
                 device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError('Only "zeros" padding mode is supported for '
                             f"{type(self).__name__}")
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation,
                         groups, bias, padding_mode, device, dtype, output_padding)

    def _output_padding(self, input, output_size):
        """What has to be added on one side for the result to have that size."""
        sizes = list(output_size)[-self._dims:]
        added = []
        for d in range(self._dims):
            least = (input.shape[input.ndim - self._dims + d] - 1) * self.stride[d] \
                - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1
            if not least <= sizes[d] < least + max(self.stride[d], self.dilation[d]):
                raise ValueError(
                    f"requested an output size of {sizes}, but dimension {d} can only be "
                    f"from {least} to {least + max(self.stride[d], self.dilation[d]) - 1}")
            added.append(sizes[d] - least)
        return tuple(added)

    def forward(self, input, output_size=None):
        added = self.output_padding if output_size is None \
            else self._output_padding(input, output_size)
        return self._op(input, self.weight, self.bias, self.stride, self.padding, added,
                        self.groups, self.dilation)


class ConvTranspose1d(_TransposedConv):
    _dims, _op = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_TransposedConv):
    _dims, _op = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_TransposedConv):
    _dims, _op = 3, staticmethod(F.conv_transpose3d)


class _Columns(Module):
    """Unfold and Fold keep the same four numbers."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
                f"padding={self.padding}, stride={self.stride}")


class Unfold(_Columns):
    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(_Columns):
    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding,
                      self.stride)

    def extra_repr(self):
        return f"output_size={self.output_size}, " + super().extra_repr()
