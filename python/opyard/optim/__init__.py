# SPDX-License-Identifier: Apache-2.0
"""Optimisers and schedules as in torch.optim, over the operators."""
from . import lr_scheduler  # noqa: F401
from .adam import Adagrad, Adam, AdamW, RMSprop  # noqa: F401
from .adaptive import Adadelta, Adamax, NAdam, RAdam  # noqa: F401
from .lbfgs import LBFGS  # noqa: F401
from .optimizer import Optimizer  # noqa: F401
from .sgd import ASGD, SGD, Rprop  # noqa: F401
