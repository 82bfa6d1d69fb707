# SPDX-License-Identifier: Apache-2.0
"""The Python array API standard, 2023.12: what Tensor.__array_namespace__() gives.

Names, arguments and promotion are the standard's, and so differ from opyard's own where
PyTorch does: arrays without dimensions promote like all others, axes are called axis, sums
of small integers are 64 bits wide. The extensions are there: linalg and fft.
"""
import math

from .._C import (complex64, complex128, float32, float64, int8, int16, int32,  # noqa: F401
                  int64, uint8, uint16, uint32, uint64)
from . import (_creation, _dtypes, _elementwise, _linalg, _manipulation,
               _searching, _statistical, fft, linalg)
from ._creation import *  # noqa: F401,F403
from ._dtypes import *  # noqa: F401,F403
from ._elementwise import *  # noqa: F401,F403
from ._inspection import __array_namespace_info__  # noqa: F401
from ._linalg import *  # noqa: F401,F403
from ._manipulation import *  # noqa: F401,F403
from ._searching import *  # noqa: F401,F403
from ._statistical import *  # noqa: F401,F403
from ._core import BOOL as bool

__array_api_version__ = "2023.12"

e, inf, nan, pi = math.e, math.inf, math.nan, math.pi
newaxis = None

__all__ = ["__array_api_version__", "__array_namespace_info__", "bool", "complex64",
           "complex128", "e", "fft", "float32", "float64", "inf", "int8", "int16", "int32", "int64",
           "linalg", "nan", "newaxis", "pi", "uint8", "uint16", "uint32", "uint64"]
for _part in (_creation, _dtypes, _elementwise, _linalg, _manipulation, _searching,
              _statistical):
    __all__ += _part.__all__
