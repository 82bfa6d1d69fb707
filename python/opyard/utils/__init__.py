# SPDX-License-Identifier: Apache-2.0
"""Data to train on, checkpoints of graphs, and DLPack under PyTorch's name for it."""
import os
import sys

from .. import _checkpoint as checkpoint
from . import data, dlpack  # noqa: F401

sys.modules[__name__ + ".checkpoint"] = checkpoint

# Where find_package(opyard) of CMake finds an installed wheel.
cmake_prefix_path = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
