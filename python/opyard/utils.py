# SPDX-License-Identifier: Apache-2.0
"""opyard.utils.checkpoint."""
import sys

from . import _checkpoint as checkpoint

sys.modules[__name__ + ".checkpoint"] = checkpoint
