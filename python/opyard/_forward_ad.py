# SPDX-License-Identifier: Apache-2.0
"""Forward-mode gradients (torch.autograd.forward_ad): dual tensors carry a tangent."""
from collections import namedtuple

from . import _C
from ._grad_mode import _Mode

__all__ = ["UnpackedDualTensor", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual", "dual_level"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])

_current_level = -1


def enter_dual_level():
    """Opens the level, which is 0: levels do not nest."""
    global _current_level
    _current_level = _C.dual_level_enter()
    return _current_level


def exit_dual_level(*, level=None):
    """Closes it: all tangents go."""
    global _current_level
    level = _current_level if level is None else level
    if level != _current_level:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that "
                           "was created. This is not supported.")
    _C.dual_level_exit(level)
    _current_level = level - 1


def _check(tensor, what):
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected {what} to be floating point or complex, but got: "
                         f"{tensor.dtype}")


def make_dual(tensor, tangent, *, level=None):
    """A tensor that shares its elements with |tensor| and carries |tangent|."""
    level = _current_level if level is None else level
    if level < 0:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level "
                           "exists, make sure to enter_dual_level() first.")
    _check(tensor, "primal")
    _check(tangent, "tangent")
    return _C.make_dual(tensor, tangent, level)


def unpack_dual(tensor, *, level=None):
    """The primal and the tangent, which is None if there is none."""
    level = _current_level if level is None else level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*_C.unpack_dual(tensor, level))


def refuse(args):
    """Of custom functions, which have no rule for tangents."""
    if _current_level >= 0 and any(isinstance(item, _C.Tensor)
                                   and unpack_dual(item).tangent is not None for item in args):
        raise NotImplementedError("You must implement the jvp function for custom "
                                  "autograd.Function to use it with forward mode AD.")


class dual_level(_Mode):
    """with dual_level(): a level is open."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exception):
        exit_dual_level()
