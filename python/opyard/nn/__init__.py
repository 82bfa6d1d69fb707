# SPDX-License-Identifier: Apache-2.0
"""Modules as in torch.nn: the parts that networks are made of."""
from . import functional, init, utils  # noqa: F401
from .activation import *  # noqa: F401,F403
from .attention import MultiheadAttention, TransformerEncoderLayer  # noqa: F401
from .containers import (ModuleDict, ModuleList, ParameterDict,  # noqa: F401
                         ParameterList, Sequential)
from .conv import (Conv1d, Conv2d, Conv3d, ConvTranspose1d,  # noqa: F401
                   ConvTranspose2d, ConvTranspose3d, Fold, Unfold)
from .linear import (Bilinear, Embedding, Flatten, Identity, Linear,  # noqa: F401
                     Unflatten)
from .loss import *  # noqa: F401,F403
from .module import Module  # noqa: F401
from .norm import (BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm,  # noqa: F401
                   InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm,
                   LocalResponseNorm, RMSNorm)
from .parameter import Buffer, Parameter  # noqa: F401
from .pool import *  # noqa: F401,F403
from .rnn import *  # noqa: F401,F403
