# SPDX-License-Identifier: Apache-2.0
"""autocast: mixed precision by region."""
from . import _C
from ._grad_mode import _Mode


class autocast(_Mode):
    """with opyard.autocast("cpu", dtype=opyard.bfloat16): listed operators cast first."""

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        self._options = (device_type, dtype, bool(enabled),
                         True if cache_enabled is None else bool(cache_enabled))
        self._guards = []

    def __enter__(self):
        self._guards.append(_C.autocast_enter(*self._options))
        return self

    def __exit__(self, *exception):
        _C.autocast_leave(self._guards.pop())

    def _again(self):
        return autocast(*self._options)
