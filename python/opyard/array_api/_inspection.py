# SPDX-License-Identifier: Apache-2.0
"""What the namespace says of itself."""
from .. import _C
from ._core import ALL, DEFAULT_COMPLEX, DEFAULT_INTEGRAL, DEFAULT_REAL
from ._dtypes import isdtype


class NamespaceInfo:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True}

    def default_device(self):
        return _C.device("cpu")

    def devices(self):
        return [_C.device("cpu")]

    def default_dtypes(self, *, device=None):
        return {"real floating": DEFAULT_REAL, "complex floating": DEFAULT_COMPLEX,
                "integral": DEFAULT_INTEGRAL, "indexing": DEFAULT_INTEGRAL}

    def dtypes(self, *, device=None, kind=None):
        """By name; |kind| as isdtype() has it."""
        return {dtype.name: dtype for dtype in ALL if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__():
    return NamespaceInfo()
