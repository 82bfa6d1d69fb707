# SPDX-License-Identifier: Apache-2.0
"""Optimisers and schedules as in torch.optim, over the operators."""
from . import lr_scheduler  # noqa: F401
from .adam import Adagrad, Adam, AdamW, RMSprop  # noqa: F401
from .optimizer import Optimizer  # noqa: F401
from .sgd import SGD  # noqa: F401
