# SPDX-License-Identifier: Apache-2.0
"""Modules as in torch.nn: the parts that networks are made of."""
from . import functional, init, utils  # noqa: F401
from .activation import *  # noqa: F401,F403
from .adaptive_softmax import AdaptiveLogSoftmaxWithLoss  # noqa: F401
from .attention import MultiheadAttention  # noqa: F401
from .containers import (ModuleDict, ModuleList, ParameterDict,  # noqa: F401
                         ParameterList, Sequential)
from .conv import (Conv1d, Conv2d, Conv3d, ConvTranspose1d,  # noqa: F401
                   ConvTranspose2d, ConvTranspose3d, Fold, Unfold)
from .lazy import *  # noqa: F401,F403
from .linear import (Bilinear, Embedding, EmbeddingBag, Flatten,  # noqa: F401
                     Identity, Linear, Unflatten)
from .loss import *  # noqa: F401,F403
from .module import Module  # noqa: F401
from .norm import (BatchNorm1d, BatchNorm2d, BatchNorm3d, CrossMapLRN2d,  # noqa: F401
                   GroupNorm, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm,
                   LocalResponseNorm, RMSNorm)
from .parameter import (Buffer, Parameter, UninitializedBuffer,  # noqa: F401
                        UninitializedParameter)
from .pool import *  # noqa: F401,F403
from .rnn import *  # noqa: F401,F403
from .transformer import (Transformer, TransformerDecoder,  # noqa: F401
                          TransformerDecoderLayer, TransformerEncoder,
                          TransformerEncoderLayer)
