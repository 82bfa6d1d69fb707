# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools, borders, and images of other sizes."""
from .._ops import ops

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices", "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices", "affine_grid", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "fold",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "grid_sample", "interpolate", "lp_pool1d",
    "lp_pool2d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d",
    "max_pool2d_with_indices", "max_pool3d", "max_pool3d_with_indices", "max_unpool1d",
    "max_unpool2d", "max_unpool3d", "native_channel_shuffle", "pad", "pixel_shuffle",
    "pixel_unshuffle", "unfold", "upsample", "upsample_bilinear", "upsample_nearest",
]

_aten = ops.aten


def _list(value, count):
    return list(value) if isinstance(value, (tuple, list)) else [value] * count


# ------------------------------------------------------------- convolutions


def _conv(name, dims):
    def function(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        op = getattr(_aten, name)
        if isinstance(padding, str):
            return op.padding(input, weight, bias, _list(stride, dims), padding,
                              _list(dilation, dims), groups)
        return op(input, weight, bias, _list(stride, dims), _list(padding, dims),
                  _list(dilation, dims), groups)

    function.__name__ = function.__qualname__ = name
    return function


def _conv_transpose(name, dims):
    def function(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                 dilation=1):
        return getattr(_aten, name)(
            input, weight, bias, _list(stride, dims), _list(padding, dims),
            _list(output_padding, dims), groups, _list(dilation, dims))

    function.__name__ = function.__qualname__ = name
    return function


conv1d, conv2d, conv3d = _conv("conv1d", 1), _conv("conv2d", 2), _conv("conv3d", 3)
conv_transpose1d = _conv_transpose("conv_transpose1d", 1)
conv_transpose2d = _conv_transpose("conv_transpose2d", 2)
conv_transpose3d = _conv_transpose("conv_transpose3d", 3)


def conv_tbc(input, weight, bias, pad=0):
    return _aten.conv_tbc(input, weight, bias, pad)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    return _aten.im2col(input, *(_list(v, 2) for v in (kernel_size, dilation, padding, stride)))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    return _aten.col2im(input, *(_list(v, 2) for v in (output_size, kernel_size, dilation,
                                                       padding, stride)))


# -------------------------------------------------------------------- pools


def _max_pool(dims):
    name = f"max_pool{dims}d"

    def function(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
                 return_indices=False):
        op = getattr(_aten, name + "_with_indices" if return_indices else name)
        return op(input, _list(kernel_size, dims), [] if stride is None else _list(stride, dims),
                  _list(padding, dims), _list(dilation, dims), ceil_mode)

    function.__name__ = function.__qualname__ = name
    return function


def _avg_pool(dims):
    name = f"avg_pool{dims}d"

    def function(input, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None, *, out=None):
        more = () if dims == 1 else (divisor_override,)
        op = getattr(_aten, name)
        args = (input, _list(kernel_size, dims), [] if stride is None else _list(stride, dims),
                _list(padding, dims), ceil_mode, count_include_pad, *more)
        return op(*args) if out is None else op(*args, out=out)

    function.__name__ = function.__qualname__ = name
    return function


max_pool1d, max_pool2d, max_pool3d = _max_pool(1), _max_pool(2), _max_pool(3)
avg_pool1d, avg_pool2d, avg_pool3d = _avg_pool(1), _avg_pool(2), _avg_pool(3)


def _with_indices(pool):
    def function(*args, **kwargs):
        """The pool, which gives places, too."""
        kwargs["return_indices"] = True
        return pool(*args, **kwargs)

    function.__name__ = function.__qualname__ = pool.__name__ + "_with_indices"
    return function


max_pool1d_with_indices = _with_indices(max_pool1d)
max_pool2d_with_indices = _with_indices(max_pool2d)
max_pool3d_with_indices = _with_indices(max_pool3d)


def _kept(output_size, input, dims):
    """None means the size that there is."""
    sizes = _list(output_size, dims)
    return [input.shape[input.ndim - dims + d] if size is None else size
            for d, size in enumerate(sizes)]


def _adaptive_avg_pool(dims):
    name = f"adaptive_avg_pool{dims}d"

    def function(input, output_size):
        return getattr(_aten, name)(input, _kept(output_size, input, dims))

    function.__name__ = function.__qualname__ = name
    return function


def _adaptive_max_pool(dims):
    name = f"adaptive_max_pool{dims}d"

    def function(input, output_size, return_indices=False):
        values, indices = getattr(_aten, name)(input, _kept(output_size, input, dims))
        return (values, indices) if return_indices else values

    function.__name__ = function.__qualname__ = name
    return function


adaptive_avg_pool1d, adaptive_avg_pool2d = _adaptive_avg_pool(1), _adaptive_avg_pool(2)
adaptive_max_pool1d, adaptive_max_pool2d = _adaptive_max_pool(1), _adaptive_max_pool(2)
adaptive_avg_pool3d, adaptive_max_pool3d = _adaptive_avg_pool(3), _adaptive_max_pool(3)
adaptive_max_pool1d_with_indices = _with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _with_indices(adaptive_max_pool3d)


def _fractional_max_pool(dims):
    name = f"fractional_max_pool{dims}d"

    def function(input, kernel_size, output_size=None, output_ratio=None,
                 return_indices=False, _random_samples=None):
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either "
                             "an output_size or an output_ratio")
        if output_size is None:
            ratio = _list(output_ratio, dims)
            output_size = [int(input.shape[input.ndim - dims + d] * ratio[d])
                           for d in range(dims)]
        if _random_samples is None:
            batch = 1 if input.ndim == dims + 1 else input.shape[0]
            _random_samples = _aten.rand([batch, input.shape[input.ndim - dims - 1], dims],
                                         dtype=input.dtype, device=input.device)
        values, indices = getattr(_aten, name)(
            input, _list(kernel_size, dims), _list(output_size, dims), _random_samples)
        return (values, indices) if return_indices else values

    function.__name__ = function.__qualname__ = name
    return function


fractional_max_pool2d, fractional_max_pool3d = _fractional_max_pool(2), _fractional_max_pool(3)
fractional_max_pool2d_with_indices = _with_indices(fractional_max_pool2d)
fractional_max_pool3d_with_indices = _with_indices(fractional_max_pool3d)


def _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, pool, dims):
    """The p-norm of each window: the mean of powers, times their number."""
    sizes = _list(kernel_size, dims)
    count = 1
    for size in sizes:
        count *= size
    mean = pool(_aten.pow(input, norm_type), sizes, stride, 0, ceil_mode)
    total = _aten.mul(_aten.mul(_aten.sign(mean), _aten.relu(_aten.abs(mean))), count)
    return _aten.pow(total, 1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool1d, 1)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool2d, 2)


def _unpooled_size(input, kernel, stride, padding, output_size):
    """What the pool began with; a size that is given has to be as near to that as the
    stride."""
    dims = len(kernel)
    least = [(input.shape[input.ndim - dims + d] - 1) * stride[d] + kernel[d] - 2 * padding[d]
             for d in range(dims)]
    if output_size is None:
        return least
    sizes = list(output_size)
    if len(sizes) == dims + 2:
        sizes = sizes[2:]
    if len(sizes) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} "
                         f"elements, but it has a length of '{len(sizes)}'")
    for d, size in enumerate(sizes):
        low, high = least[d] - stride[d], least[d] + stride[d]
        if not low < size < high:
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between '
                             f"{low} and {high})")
    return sizes


def _max_unpool(dims):
    def function(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel = _list(kernel_size, dims)
        step = kernel if stride is None else _list(stride, dims)
        border = _list(padding, dims)
        size = _unpooled_size(input, kernel, step, border, output_size)
        if dims == 1:
            wide = _aten.max_unpool2d(_aten.unsqueeze(input, -1), _aten.unsqueeze(indices, -1),
                                      [*size, 1])
            return _aten.squeeze(wide, -1)
        if dims == 2:
            return _aten.max_unpool2d(input, indices, size)
        return _aten.max_unpool3d(input, indices, size, step, border)

    function.__name__ = function.__qualname__ = f"max_unpool{dims}d"
    return function


max_unpool1d, max_unpool2d, max_unpool3d = _max_unpool(1), _max_unpool(2), _max_unpool(3)


# ------------------------------------------------------------------ borders


def pad(input, pad, mode="constant", value=None):
    return _aten.pad(input, list(pad), mode, value)


def pixel_shuffle(input, upscale_factor):
    return _aten.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input, downscale_factor):
    return _aten.pixel_unshuffle(input, downscale_factor)


def channel_shuffle(input, groups):
    return _aten.channel_shuffle(input, groups)


def native_channel_shuffle(input, groups):
    return _aten.native_channel_shuffle(input, groups)


# ------------------------------------------------------------- other sizes

# mode: by the number of dimensions that are scaled, and whether corners can be aligned.
_UPSAMPLE = {
    "nearest": ({1: "upsample_nearest1d", 2: "upsample_nearest2d", 3: "upsample_nearest3d"},
                False),
    "nearest-exact": ({1: "_upsample_nearest_exact1d", 2: "_upsample_nearest_exact2d",
                       3: "_upsample_nearest_exact3d"}, False),
    "linear": ({1: "upsample_linear1d"}, True),
    "bilinear": ({2: "upsample_bilinear2d"}, True),
    "trilinear": ({3: "upsample_trilinear3d"}, True),
    "bicubic": ({2: "upsample_bicubic2d"}, True),
}


def _area(input, size, scale_factor, dims):
    if size is None:
        factors = _list(scale_factor, dims)
        size = [int(input.shape[2 + d] * factors[d]) for d in range(dims)]
    pool = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
    return pool[dims](input, _list(size, dims))


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias=False):
    """The input, sampled at another number of places, by |size| or by |scale_factor|."""
    dims = input.ndim - 2
    if mode != "area" and mode not in _UPSAMPLE:
        raise NotImplementedError(f"interpolate: no mode {mode!r}")
    if antialias and (mode not in ("bilinear", "bicubic") or dims != 2):
        raise ValueError("Anti-alias option is only supported for bilinear and bicubic modes")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if mode == "area":
        return _area(input, size, scale_factor, dims)
    names, aligns = _UPSAMPLE[mode]
    if align_corners is not None and not aligns:
        raise ValueError("align_corners option can only be set with the interpolating modes: "
                         "linear | bilinear | bicubic | trilinear")
    if dims not in names:
        raise NotImplementedError(
            f"Got {input.ndim}D input, but {mode} mode needs "
            + " or ".join(f"{d + 2}D" for d in names) + " input")
    factors = None if scale_factor is None else [float(f) for f in _list(scale_factor, dims)]
    if factors is not None and recompute_scale_factor:
        size = [int(input.shape[2 + d] * factors[d]) for d in range(dims)]
        factors = None
    size = None if size is None else [int(n) for n in _list(size, dims)]
    middle = (bool(align_corners),) if aligns else ()
    name = f"_{names[dims]}_aa" if antialias else names[dims]
    return getattr(_aten, name).vec(input, size, *middle, factors)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "bilinear", True)


_GRID_MODES = ("bilinear", "nearest", "bicubic")
_GRID_PADDINGS = ("zeros", "border", "reflection")


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    if mode not in _GRID_MODES:
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', "
                         f"'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode not in _GRID_PADDINGS:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', "
                         f"'border', or 'reflection', but got: '{padding_mode}'")
    return _aten.grid_sampler(input, grid, _GRID_MODES.index(mode),
                              _GRID_PADDINGS.index(padding_mode), bool(align_corners))


def affine_grid(theta, size, align_corners=None):
    return _aten.affine_grid_generator(theta, list(size), bool(align_corners))
