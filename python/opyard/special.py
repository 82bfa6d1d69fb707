# SPDX-License-Identifier: Apache-2.0
"""Special functions: the operators aten::special_*, by the names of torch.special."""
from ._namespace import functions

__getattr__, __dir__ = functions(__name__, "special")
