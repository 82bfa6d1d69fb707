# SPDX-License-Identifier: Apache-2.0
"""Settings that programs make and that have nothing to change here: operators give the same
bits each time, and products of float32 are never computed in less."""
import warnings

_state = {"deterministic": False, "warn_only": False, "precision": "highest"}
_MODES = ("default", "warn", "error")


def use_deterministic_algorithms(mode, *, warn_only=False):
    _state.update(deterministic=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled():
    return _state["deterministic"]


def is_deterministic_algorithms_warn_only_enabled():
    return _state["warn_only"]


def set_deterministic_debug_mode(debug_mode):
    """"default", "warn" or "error", or 0 to 2."""
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, "
                               f"`warn`, `error`, but got {debug_mode}")
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got "
                           f"{debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode():
    return 0 if not _state["deterministic"] else 1 if _state["warn_only"] else 2


def set_float32_matmul_precision(precision):
    if precision in ("highest", "high", "medium"):
        _state["precision"] = precision
    else:
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                      "setFloat32MatmulPrecision call has no effect.", stacklevel=2)


def get_float32_matmul_precision():
    return _state["precision"]
