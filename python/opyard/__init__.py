# SPDX-License-Identifier: Apache-2.0
"""opyard from Python: tensors, and every operator of the registry by its name.

    import opyard
    x = opyard.tensor([[1., 2.], [3., 4.]])
    opyard.add(x, 1)                        # the overload that takes the arguments
    opyard.ops.aten.add.Tensor(x, x)        # that one
    x.sum(0), x @ x, x[0]                   # the same operators as methods

Names, arguments, results and errors are those of torch wherever both have the thing. What is
not needed at once is imported when it is asked for.
"""
from . import _C
from ._C import (
    ArgumentError, DtypeError, Generator, Size, Tensor, can_cast, device, dtype, from_buffer,
    get_default_dtype, get_num_threads, is_inference_mode_enabled, layout, memory_format,
    promote_types, result_type, set_default_dtype, set_num_threads)
from ._ops import ops
from . import _tensor  # noqa: F401  the methods of Tensor
from ._create import as_tensor, asarray, frombuffer, full, tensor
from ._create import complex_ as complex
from ._grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .exchange import from_dlpack

__version__ = _C.__version__
# opyard.float32, opyard.strided, opyard.channels_last
globals().update({_name: _value for _name, _value in vars(_C).items()
                  if isinstance(_value, (dtype, layout, memory_format))})
half, float, double = _C.float16, _C.float32, _C.float64
short, int, long = _C.int16, _C.int32, _C.int64
cfloat, cdouble = _C.complex64, _C.complex128
pi, e, inf, nan = 3.141592653589793, 2.718281828459045, 1e400, 1e400 - 1e400
newaxis = None

# What is imported when it is asked for: the module, by name.
_LAZY = {name: module for module, names in {
    "_functions": (
        "allclose atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes "
        "broadcast_tensors cartesian_prod cdist chain_matmul einsum equal finfo get_autocast_cpu_dtype "
        "get_autocast_dtype get_autocast_gpu_dtype get_printoptions get_rng_state iinfo "
        "initial_seed is_autocast_cpu_enabled is_autocast_enabled is_complex "
        "is_floating_point is_grad_enabled is_inference is_nonzero is_signed is_storage "
        "is_tensor manual_seed meshgrid nonzero norm numel printoptions seed "
        "set_default_tensor_type set_printoptions set_rng_state split std_mean stft "
        "tensordot typename unique unique_consecutive where"),
    "_amp": "autocast",
    "autograd": "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled",
    "_lowrank": "lu pca_lowrank svd_lowrank",
    "_settings": (
        "are_deterministic_algorithms_enabled get_deterministic_debug_mode "
        "get_float32_matmul_precision is_deterministic_algorithms_warn_only_enabled "
        "set_deterministic_debug_mode set_float32_matmul_precision "
        "use_deterministic_algorithms"),
    "_vmap": "vmap",
    "interop": "from_numpy from_torch to_torch",
    "files": "load save",
    "profiler": "profile record_function",
    "modes": "DispatchMode TensorHandler",
}.items() for name in names.split()}
_MODULES = ("array_api", "autograd", "dispatch", "fake", "fft", "files", "func", "interop",
            "library", "linalg", "modes", "nn", "optim", "profiler", "random", "special", "utils")


def __getattr__(name):
    """What is imported late; then operators of the namespace aten as functions: opyard.add."""
    if name == "default_generator":
        found = _C.default_generator()
    elif name in _LAZY or name in _MODULES:
        import importlib

        found = importlib.import_module("." + _LAZY.get(name, name), __name__)
        found = getattr(found, name) if name in _LAZY else found
    elif name.startswith("__"):
        raise AttributeError(f"module 'opyard' has no attribute '{name}'")
    else:
        found = _C.packet("aten::" + name)
        if found is None:
            raise AttributeError(
                f"module 'opyard' has no attribute '{name}' (no operator aten::{name})")
    globals()[name] = found
    return found


def __dir__():
    names = {name[6:] for name in _C.op_names("aten::")}
    return sorted(names | set(globals()) | set(_LAZY) | set(_MODULES) | {"default_generator"})
