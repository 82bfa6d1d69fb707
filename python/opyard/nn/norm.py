# SPDX-License-Identifier: Apache-2.0
"""Layers that shift and scale by mean and variance."""
import opyard

from . import functional as F
from . import init
from .linear import empty_parameter
from .module import Module


class _Affine(Module):
    """Adds weight and bias of a size where they are wanted."""

    def _add_affine(self, size, weight, bias, device, dtype):
        for name, wanted in (("weight", weight), ("bias", bias)):
            parameter = empty_parameter(*size, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, parameter)

    def reset_parameters(self):
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class _Running(_Affine):
    """Normalises each channel, with statistics that run along in training."""

    _dims = ()

    def __init__(self, num_features, eps, momentum, affine, track_running_stats, device, dtype):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._add_affine((num_features,), affine, affine, device, dtype)
        for name, make in (("running_mean", opyard.zeros), ("running_var", opyard.ones)):
            self.register_buffer(name, make((num_features,), device=device, dtype=dtype)
                                 if track_running_stats else None)
        self.register_buffer("num_batches_tracked",
                             opyard.tensor(0, dtype=opyard.int64, device=device)
                             if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input(self, input):
        if input.ndim not in self._dims:
            wanted = " or ".join(f"{n}D" for n in self._dims)
            raise ValueError(f"expected {wanted} input (got {input.ndim}D input)")

    def extra_repr(self):
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, track_running_stats={self.track_running_stats}")


class _BatchNorm(_Running):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def _share(self):
        """How much of the running statistics this batch replaces; without momentum they
        are the mean of all batches."""
        if not (self.training and self.track_running_stats):
            return self.momentum or 0.0
        self.num_batches_tracked.add_(1)
        if self.momentum is None:
            return 1.0 / self.num_batches_tracked.item()
        return self.momentum

    def forward(self, input):
        self._check_input(input)
        share = self._share()
        of_batch = self.training or self.running_mean is None
        kept = not self.training or self.track_running_stats
        return F.batch_norm(
            input, self.running_mean if kept else None, self.running_var if kept else None,
            self.weight, self.bias, of_batch, share, self.eps)


class BatchNorm1d(_BatchNorm):
    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    _dims = (5,)


class _InstanceNorm(_Running):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False,
                 track_running_stats=False, device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input):
        self._check_input(input)
        alone = input.ndim == self._dims[0]  # no batch
        result = F.instance_norm(
            input.unsqueeze(0) if alone else input, self.running_mean, self.running_var,
            self.weight, self.bias, self.training or not self.track_running_stats,
            self.momentum or 0.0, self.eps)
        return result.squeeze(0) if alone else result


class InstanceNorm1d(_InstanceNorm):
    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    _dims = (4, 5)


def _as_shape(size):
    return (size,) if isinstance(size, int) else tuple(size)


class LayerNorm(_Affine):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._add_affine(self.normalized_shape, elementwise_affine, elementwise_affine and bias,
                         device, dtype)
        self.reset_parameters()

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


class RMSNorm(_Affine):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None,
                 dtype=None):
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._add_affine(self.normalized_shape, elementwise_affine, False, device, dtype)
        self.reset_parameters()

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


class GroupNorm(_Affine):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        self._add_affine((num_channels,), affine, affine, device, dtype)
        self.reset_parameters()

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class LocalResponseNorm(Module):
    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(LocalResponseNorm):
    """LocalResponseNorm of images, over as many channels to the left as to the right. In
    PyTorch's running sum the first channel stays in all later windows, and so it does here;
    gradients are those of what is computed, where PyTorch's are of other windows."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__(size, alpha, beta, k)

    def forward(self, input):
        if input.ndim != 4:
            raise AssertionError(f"expected 4D input (got {input.ndim}D input)")
        half, squares = (self.size - 1) // 2, input.square()
        windows = F.pad(squares, (0, 0, 0, 0, half, half)).unfold(1, 2 * half + 1, 1).sum(-1)
        later = opyard.arange(input.shape[1], device=input.device).gt(half).view(-1, 1, 1)
        windows = windows + squares[:, :1] * later
        return input * (windows * (self.alpha / self.size) + self.k).pow(-self.beta)
