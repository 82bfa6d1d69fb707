# SPDX-License-Identifier: Apache-2.0
"""torch.utils.dlpack's two functions."""
from .. import _C
from ..exchange import from_dlpack  # noqa: F401


def to_dlpack(tensor):
    """An unversioned capsule; unlike __dlpack__(), also of tensors that need a gradient."""
    return _C.dlpack_capsule(tensor.detach(), False, False)
