# SPDX-License-Identifier: Apache-2.0
"""What all schedules share."""
from .optimizer import Optimizer


class LRScheduler:
    """step() after the optimiser's, once an epoch. A subclass says in get_lr() what the
    rates of the groups are in epoch last_epoch; base_lrs are those of the beginning."""

    def __init__(self, optimizer, last_epoch=-1):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError("param 'initial_lr' is not specified in param_groups[%d] when "
                               "resuming an optimizer" % i)
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._last_lr = []
        self.step()

    def get_lr(self):
        raise NotImplementedError

    def get_last_lr(self):
        return self._last_lr

    def _lrs(self):
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self):
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr
        self._last_lr = self._lrs()

    def state_dict(self):
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        self.__dict__.update(state_dict)


class SchedulesState:
    """state_dict() of a schedule that is made of the schedules in _schedulers."""

    def state_dict(self):
        kept = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        kept["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return kept

    def load_state_dict(self, state_dict):
        states = state_dict["_schedulers"]
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, states):
            scheduler.load_state_dict(state)
