# SPDX-License-Identifier: Apache-2.0
"""Learning rates that come back: restarts, cycles, and the one cycle of a whole training."""
import math
import types

from .schedule import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine down to eta_min in T_0 epochs, then from the top again, each time
    T_mult times as long. step(epoch) goes to that epoch, which may be a fraction."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def _go_to(self, epoch):
        self.T_cur, self.T_i = epoch, self.T_0
        if epoch >= self.T_0 and self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        elif epoch >= self.T_0:
            # The restarts so far took T_0 * (T_mult^n - 1) / (T_mult - 1) epochs.
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n

    def step(self, epoch=None):
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch) - 1  # the base's step() adds one
        super().step()


class _WithMomentum(LRScheduler):
    """What schedules share that move the momentum, too: Adam's is its first beta."""

    def _check_momentum(self, optimizer):
        if not {"momentum", "betas"}.intersection(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` "
                             "option enabled")

    @staticmethod
    def _set_momentum(group, momentum):
        if "betas" in group:
            group["betas"] = (momentum, *group["betas"][1:])
        else:
            group["momentum"] = momentum

    @staticmethod
    def _for_groups(name, optimizer, value):
        """One value for each group, of one for all or of a list."""
        count = len(optimizer.param_groups)
        if not isinstance(value, (list, tuple)):
            return [value] * count
        if len(value) != count:
            raise ValueError(f"expected {count} values for {name}, got {len(value)}")
        return list(value)


class CyclicLR(_WithMomentum):
    """Up and down between base_lr and max_lr, by iterations; the height of a cycle is
    scaled by its mode or by scale_fn(cycle or iteration). The momentum goes the other way."""

    _MODES = {
        "triangular": ("cycle", lambda self, x: 1.0),
        "triangular2": ("cycle", lambda self, x: 1 / 2.0 ** (x - 1)),
        "exp_range": ("iterations", lambda self, x: self.gamma**x),
    }

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None,
                 mode="triangular", gamma=1.0, scale_fn=None, scale_mode="cycle",
                 cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1):
        base_lrs = self._for_groups("base_lr", optimizer, base_lr)
        starts = last_epoch == -1
        for group, lr in zip(optimizer.param_groups, base_lrs if starts else ()):
            group["lr"] = lr
        self.max_lrs = self._for_groups("max_lr", optimizer, max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in self._MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn = mode, gamma, scale_fn
        self.scale_mode = self._MODES[mode][0] if scale_fn is None else scale_mode
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._check_momentum(optimizer)
            self.base_momentums = self._for_groups("base_momentum", optimizer, base_momentum)
            self.max_momentums = self._for_groups("max_momentum", optimizer, max_momentum)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x):
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return self._MODES[self.mode][1](self, x)

    def get_lr(self):
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        at = 1.0 + self.last_epoch / self.total_size - cycle
        height = at / self.step_ratio if at <= self.step_ratio \
            else (at - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums,
                                        self.max_momentums):
                self._set_momentum(group, high - (high - low) * height * scale)
        return [low + (high - low) * height * scale
                for low, high in zip(self.base_lrs, self.max_lrs)]

    def state_dict(self):
        """Without the function that scales; an object that does is kept."""
        state = super().state_dict()
        if isinstance(self._scale_fn, (types.FunctionType, types.MethodType)):
            del state["_scale_fn"]
        return state


def _cosine(start, end, share):
    return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)


def _line(start, end, share):
    return (end - start) * share + start


class OneCycleLR(_WithMomentum):
    """Up to max_lr in the first pct_start of total_steps, then down to far below where it
    began; with three_phase, first down to there in as many steps as up."""

    _CURVES = {"cos": _cosine, "linear": _line}

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None,
                 pct_start=0.3, anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85,
                 max_momentum=0.95, div_factor=25.0, final_div_factor=1e4, three_phase=False,
                 last_epoch=-1):
        self.total_steps = self._count(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(
                f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in self._CURVES:
            raise ValueError("anneal_strategy must by one of 'cos' or 'linear', instead got "
                             f"{anneal_strategy}")
        self._schedule_phases = self._phases(pct_start, three_phase)
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        starts, groups = last_epoch == -1, optimizer.param_groups
        highest = self._for_groups("max_lr", optimizer, max_lr)
        for group, lr in zip(groups, highest if starts else ()):
            first = lr / div_factor
            group.update(initial_lr=first, max_lr=lr, min_lr=first / final_div_factor)
        if cycle_momentum:
            self._check_momentum(optimizer)
            low = self._for_groups("base_momentum", optimizer, base_momentum)
            high = self._for_groups("max_momentum", optimizer, max_momentum)
            for group, a, b in zip(groups, low if starts else (), high):
                group.update(base_momentum=a, max_momentum=b)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _count(total_steps, epochs, steps_per_epoch):
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError(
                "You must define either total_steps OR (epochs AND steps_per_epoch)")
        numbers = {"epochs": epochs, "steps_per_epoch": steps_per_epoch} \
            if total_steps is None else {"total_steps": total_steps}
        for name, value in numbers.items():
            if value <= 0 or not isinstance(value, int):
                raise ValueError(f"Expected positive integer {name}, but got {value}")
        return math.prod(numbers.values())

    def _phases(self, pct_start, three_phase):
        """(last step, rate at its start and end, momentum at its start and end)"""
        top = float(pct_start * self.total_steps) - 1
        up = (top, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        last = self.total_steps - 1
        if not three_phase:
            return [up, (last, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        return [up, (2 * top, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
                (last, "initial_lr", "min_lr", "max_momentum", "max_momentum")]

    def _phase(self):
        """The phase of this step, and how much of it is over."""
        start = 0.0
        for phase in self._schedule_phases:
            if self.last_epoch <= phase[0]:
                break
            start, before = phase[0], start
        else:
            start = before
        return phase, (self.last_epoch - start) / (phase[0] - start)

    def get_lr(self):
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Tried to step {self.last_epoch + 1} times. The specified number "
                             f"of total steps is {self.total_steps}")
        (_, lr_from, lr_to, momentum_from, momentum_to), share = self._phase()
        curve, rates = self._CURVES[self.anneal_strategy], []
        for group in self.optimizer.param_groups:
            rates.append(curve(group[lr_from], group[lr_to], share))
            if self.cycle_momentum:
                self._set_momentum(group, curve(group[momentum_from], group[momentum_to], share))
        return rates
