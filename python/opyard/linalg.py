# SPDX-License-Identifier: Apache-2.0
"""Matrices: factors, norms, equations: the operators aten::linalg_*, by the names of torch.linalg."""
from ._namespace import functions

__getattr__, __dir__ = functions(__name__, "linalg")
