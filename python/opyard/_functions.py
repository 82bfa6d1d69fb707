# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that are no operators, or take more than their operators do."""
import contextlib
import math

from . import _C
from ._C import Tensor, Size
from ._create import as_dtype
from ._ops import ops

aten = ops.aten


# --------------------------------------------------------------------- questions

def is_tensor(obj):
    return isinstance(obj, Tensor)


def numel(input):
    return input.numel()


def is_floating_point(input):
    return input.dtype.is_floating_point


def is_complex(input):
    return input.dtype.is_complex


def is_signed(input):
    return input.dtype.is_signed


def is_nonzero(input):
    return bool(input)


def is_storage(obj):
    return False


def is_grad_enabled():
    return _C.grad_mode()


def is_inference(input):
    return input.is_inference()


def equal(input, other):
    return bool(aten.equal(input, other))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(aten.allclose(input, other, rtol, atol, equal_nan))


def broadcast_shapes(*shapes):
    """The shape that all of these broadcast to."""
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    result = [1] * max((len(shape) for shape in shapes), default=0)
    for shape in shapes:
        for i, size in enumerate(reversed(shape), 1):
            if size < 0:
                raise RuntimeError(
                    f"Trying to create tensor with negative dimension ({size}): ({size})")
            if size == 1 or size == result[-i]:
                continue
            if result[-i] != 1:
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single "
                                   "shape")
            result[-i] = size
    return Size(result)


# ------------------------------------------------------------------------ numbers

class _Info:
    def __new__(cls, type=None):
        """What was made for a dtype before: nothing of it can change."""
        made = cls._made.get(type)
        return cls._make(type) if made is None else made

    @classmethod
    def _of(cls, given, dtype, **numbers):
        made = object.__new__(cls)
        made.__dict__.update(numbers, dtype=dtype.name)
        if isinstance(given, _C.dtype):
            cls._made[given] = made
        return made

    def __reduce__(self):
        return type(self), (getattr(_C, self.dtype),)

    def __setattr__(self, name, value):
        raise AttributeError(f"attribute '{name}' of 'torch.{type(self).__name__}' objects is not "
                             "writable")

    def _show(self, names):
        shown = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{type(self).__name__}({shown}, dtype={self.dtype})"


_FLOATS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


class finfo(_Info):
    """Limits of a floating point dtype: bits, eps, max, min, tiny, smallest_normal,
    resolution."""

    _made = {}

    @classmethod
    def _make(cls, given):
        type = _C.get_default_dtype() if given is None else as_dtype(given)
        type = {"complex64": _C.float32, "complex128": _C.float64}.get(type.name, type)
        if type.name not in _FLOATS:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'")
        exponent, mantissa = _FLOATS[type.name]
        bias = 2 ** (exponent - 1) - 1
        largest = (2 - 2.0 ** -mantissa) * 2.0 ** bias
        smallest = 2.0 ** (1 - bias)
        digits = math.floor(mantissa * math.log10(2))
        return cls._of(given, type, bits=1 + exponent + mantissa, eps=2.0 ** -mantissa,
                       max=largest, min=-largest, tiny=smallest, smallest_normal=smallest,
                       resolution=10.0 ** -digits)

    def __repr__(self):
        return self._show(("resolution", "min", "max", "eps", "smallest_normal", "tiny"))


class iinfo(_Info):
    """Limits of an integer dtype: bits, max, min."""

    _made = {}

    @classmethod
    def _make(cls, given):
        if given is None:
            raise TypeError('iinfo() missing 1 required positional arguments: "type"')
        type = as_dtype(given)
        if type.is_floating_point or type.is_complex or type is _C.bool:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to "
                            "handle 'torch.iinfo'")
        bits = 8 * type.itemsize
        low = -2 ** (bits - 1) if type.is_signed else 0
        return cls._of(given, type, bits=bits, min=low, max=low + 2 ** bits - 1)

    def __repr__(self):
        return self._show(("min", "max"))


def set_default_tensor_type(kind):
    """By the name of a class: "torch.DoubleTensor"."""
    names = {"torch.FloatTensor": _C.float32, "torch.DoubleTensor": _C.float64,
             "torch.HalfTensor": _C.float16, "torch.BFloat16Tensor": _C.bfloat16}
    if kind not in names:
        raise TypeError("only floating-point types are supported as the default type")
    _C.set_default_dtype(names[kind])


# ----------------------------------------------------------------------- printing

_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80),
             "full": (4, 2**62, 3, 80)}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None,
                     profile=None, sci_mode=None):
    """How tensors are printed, as numpy.set_printoptions."""
    if isinstance(precision, dict):
        return set_printoptions(**precision)
    now = _C.get_printoptions()
    values = [now[name] for name in ("precision", "threshold", "edgeitems", "linewidth")]
    if profile is not None:
        values = list(_PROFILES[profile])
    for i, value in enumerate((precision, threshold, edgeitems, linewidth)):
        if value is not None:
            values[i] = min(int(value), 2**62) if value != math.inf else 2**62
    _C.set_printoptions(*values, -1 if sci_mode is None else int(sci_mode))


def get_printoptions():
    return _C.get_printoptions()


@contextlib.contextmanager
def printoptions(**kwargs):
    """with opyard.printoptions(precision=2): ..."""
    before = _C.get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


# ------------------------------------------------------------- operators, called as PyTorch's

def nonzero(input, *, out=None, as_tuple=False):
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if input.dim() == 0:
            return aten.nonzero(input.unsqueeze(0)).unbind(1)
        return aten.nonzero(input).unbind(1)
    return aten.nonzero(input) if out is None else aten.nonzero(input, out=out)


def where(condition, input=None, other=None, *, out=None):
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if out is not None:
        return aten.where(condition, input, other, out=out)
    return aten.where(condition, input, other)


def split(tensor, split_size_or_sections, dim=0):
    if isinstance(split_size_or_sections, (list, tuple)):
        return aten.split_with_sizes(tensor, list(split_size_or_sections), dim)
    return aten.split(tensor, int(split_size_or_sections), dim)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements, or along |dim|."""
    if isinstance(dim, int):
        dim = [dim]
    if p == "nuc":
        over = () if dim is None else (list(dim),)
        return aten.nuclear_norm(input, *over, keepdim, **({} if out is None else {"out": out}))
    order = 2 if p in ("fro", None) else p
    made = aten.linalg_vector_norm(input, order, None if dim is None else list(dim),
                                   keepdim, dtype=dtype)
    return made if out is None else out.resize_(made.shape).copy_(made)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is None:
        values, inverse, counts = aten._unique2(input, sorted, return_inverse, return_counts)
    else:
        values, inverse, counts = aten.unique_dim(input, dim, sorted, return_inverse,
                                                  return_counts)
    return _unique_results(values, inverse, counts, return_inverse, return_counts)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    values, inverse, counts = aten.unique_consecutive(input, return_inverse, return_counts, dim)
    return _unique_results(values, inverse, counts, return_inverse, return_counts)


def _unique_results(values, inverse, counts, return_inverse, return_counts):
    wanted = (values,) + (inverse,) * return_inverse + (counts,) * return_counts
    return wanted if len(wanted) > 1 else values


def _listed(args):
    """f(a, b) and f([a, b]) alike."""
    return list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)


def einsum(equation, *operands):
    return aten.einsum(equation, _listed(operands))


def chain_matmul(*matrices, out=None):
    if out is None:
        return aten.chain_matmul(_listed(matrices))
    return aten.chain_matmul(_listed(matrices), out=out)


def meshgrid(*tensors, indexing="ij"):
    return aten.meshgrid(_listed(tensors), indexing=indexing)


def broadcast_tensors(*tensors):
    return aten.broadcast_tensors(_listed(tensors))


def cartesian_prod(*tensors):
    return aten.cartesian_prod(_listed(tensors))


def block_diag(*tensors):
    return aten.block_diag(_listed(tensors))


def _at_least(dims):
    def function(*tensors):
        packet = getattr(aten, f"atleast_{dims}d")
        return packet(_listed(tensors)) if len(tensors) != 1 or isinstance(
            tensors[0], (list, tuple)) else packet(tensors[0])

    return function


atleast_1d, atleast_2d, atleast_3d = _at_least(1), _at_least(2), _at_least(3)


# When distances come of products, as the operator has them.
_CDIST_MODES = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1,
                "donot_use_mm_for_euclid_dist": 2}


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return aten.cdist(x1, x2, p, _CDIST_MODES[compute_mode])


def tensordot(a, b, dims=2, out=None):
    if isinstance(dims, Tensor):
        dims = dims.item() if dims.numel() == 1 else dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        dims = list(range(-dims, 0)), list(range(dims))
    first, second = ([one] if isinstance(one, int) else list(one) for one in dims)
    return aten.tensordot(a, b, first, second) if out is None else aten.tensordot(
        a, b, first, second, out=out)


def std_mean(input, dim=None, *args, **kwargs):
    return aten.std_mean(input, *([] if dim is None else [dim]), *args, **kwargs)


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True,
         pad_mode="reflect", normalized=False, onesided=None, return_complex=None):
    """Fourier transforms of pieces of a signal, the first around its first element."""
    if return_complex is None and not input.is_complex() and (
            window is None or not window.is_complex()):
        raise RuntimeError("stft requires the return_complex parameter be given for real "
                           "inputs, and will further require that return_complex=True in a "
                           "future PyTorch release.")
    return aten.stft.center(input, n_fft, hop_length, win_length, window, center, pad_mode,
                            normalized, onesided, return_complex)


def scalar_tensor(s, **options):
    return aten.scalar_tensor(s, **options)


def manual_seed(seed):
    return _C.manual_seed(int(seed))


def seed():
    number = _C.default_generator().seed()
    _C.manual_seed(number)
    return number


def initial_seed():
    return _C.default_generator().initial_seed()


def get_rng_state():
    return _C.default_generator().get_state()


def set_rng_state(new_state):
    _C.default_generator().set_state(new_state)


def is_autocast_enabled(device_type="cuda"):
    return _C.autocast_state(device_type)[0]


def get_autocast_dtype(device_type):
    return _C.autocast_state(device_type)[1]


def is_autocast_cpu_enabled():
    return is_autocast_enabled("cpu")


def get_autocast_cpu_dtype():
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype():
    return get_autocast_dtype("cuda")


def typename(obj):
    if isinstance(obj, Tensor):
        return obj.type()
    return f"{type(obj).__module__}.{type(obj).__name__}"
