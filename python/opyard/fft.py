# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms: the operators aten::fft_*, by the names of torch.fft."""
from ._namespace import functions

__getattr__, __dir__ = functions(__name__, "fft")
