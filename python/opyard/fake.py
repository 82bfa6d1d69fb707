# SPDX-License-Identifier: Apache-2.0
"""Fake tensors: shapes, dtypes and devices without data."""
from . import _C
from ._C import Tensor


class FakeTensorMode:
    """with FakeTensorMode() as mode: what operators make is fake."""

    def __init__(self, *, allow_non_fake_inputs=False):
        self._mode = _C.fake_mode(allow_non_fake_inputs)
        self._guards = []

    def __enter__(self):
        self._guards.append(_C.fake_enter(self._mode))
        return self

    def __exit__(self, *exception):
        _C.fake_leave(self._guards.pop())

    def from_tensor(self, tensor):
        """A fake tensor of the same shape, dtype and device."""
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected a Tensor, got {type(tensor).__name__}")
        return _C.fake_from(self._mode, tensor)


def is_fake(tensor):
    return _C.is_fake(tensor)
