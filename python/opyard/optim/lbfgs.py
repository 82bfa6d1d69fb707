# SPDX-License-Identifier: Apache-2.0
"""L-BFGS: steps by the curvature that the last gradients show."""
from collections import namedtuple

import opyard

from .. import enable_grad, no_grad
from .optimizer import Optimizer, check_range

# A place on the line that is searched: how far, the value, the gradient, and its slope.
_Point = namedtuple("_Point", "at value grad slope")


def _cubic_minimum(a, b, low=None, high=None):
    """Where the cubic through two points with their slopes is least, within bounds."""
    if a.at > b.at:
        a, b = b, a
    low, high = (a.at, b.at) if low is None else (low, high)
    width = b.at - a.at
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.at - b.at) if width else 0.0
    square = d1 * d1 - a.slope * b.slope
    if not width or square < 0:
        return (low + high) / 2.0
    d2 = square**0.5
    divisor = b.slope - a.slope + 2 * d2
    if divisor == 0:
        return (low + high) / 2.0
    return min(max(b.at - width * (b.slope + d2 - d1) / divisor, low), high)


class _StrongWolfe:
    """Searches a line for a point that is low enough and flat enough: Wolfe's strong
    conditions, by a bracket that cubic interpolation narrows (Nocedal and Wright, 3.5)."""

    def __init__(self, evaluate, start, length, lower=1e-4, flatter=0.9,
                 tolerance_change=1e-9, max_steps=25):
        self.evaluate, self.start, self.length = evaluate, start, length
        self.lower, self.flatter = lower, flatter
        self.tolerance_change, self.max_steps = tolerance_change, max_steps
        self.evaluations = 0

    def _try(self, at):
        self.evaluations += 1
        return self.evaluate(at)

    def _too_high(self, point):
        start = self.start
        return point.value > start.value + self.lower * point.at * start.slope

    def _flat(self, point):
        return abs(point.slope) <= -self.flatter * self.start.slope

    def search(self, at):
        before, point, steps = self.start, self._try(at), 0
        while steps < self.max_steps:
            if self._too_high(point) or steps > 1 and point.value >= before.value:
                return self._narrow(before, point, steps)
            if self._flat(point):
                return point
            if point.slope >= 0:
                return self._narrow(before, point, steps)
            following = _cubic_minimum(before, point, point.at + 0.01 * (point.at - before.at),
                                       point.at * 10)
            before, point, steps = point, self._try(following), steps + 1
        return self.start if self.start.value <= point.value else point

    def _narrow(self, low, high, steps):
        """|low| is the better end of the bracket."""
        low, high = (low, high) if low.value <= high.value else (high, low)
        hesitant = False
        while steps < self.max_steps:
            if abs(high.at - low.at) * self.length < self.tolerance_change:
                break
            at, hesitant = self._inside(low, high, hesitant)
            point, steps = self._try(at), steps + 1
            if self._too_high(point) or point.value >= low.value:
                low, high = (low, point) if low.value <= point.value else (point, low)
                continue
            if self._flat(point):
                return point
            low, high = point, low if point.slope * (high.at - low.at) >= 0 else high
        return low

    @staticmethod
    def _inside(low, high, hesitant):
        """The next place, and whether it hardly narrows the bracket: the second time, it is
        moved a tenth away from the end."""
        at = _cubic_minimum(low, high)
        least, most = sorted((low.at, high.at))
        margin = 0.1 * (most - least)
        if min(most - at, at - least) >= margin:
            return at, False
        if hesitant or at >= most or at <= least:
            near_most = abs(at - most) < abs(at - least)
            return most - margin if near_most else least + margin, False
        return at, True


class LBFGS(Optimizer):
    """step(closure) minimises for up to max_iter iterations; closure computes the loss anew,
    with its gradients. All parameters are in one group."""

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7,
                 tolerance_change=1e-9, history_size=100, line_search_fn=None):
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(
            lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
            tolerance_change=tolerance_change, history_size=history_size,
            line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError(
                "LBFGS doesn't support per-parameter options (parameter groups)")

    def _check(self, group):
        check_range(group["lr"], "learning rate")

    # ------------------------------------------------------- all parameters as one vector

    def _parameters(self):
        return self.param_groups[0]["params"]

    def _gradient(self):
        return opyard.cat([
            opyard.zeros_like(p.detach()).reshape(-1) if p.grad is None else p.grad.reshape(-1)
            for p in self._parameters()])

    def _move(self, direction, length):
        parameters = self._parameters()
        parts = direction.split([p.numel() for p in parameters])
        for parameter, part in zip(parameters, parts):
            parameter.add_(part.view_as(parameter), alpha=length)

    # ------------------------------------------------------------------------- direction

    def _remember(self, state, grad):
        """What the last step tells of the curvature, if it is positive."""
        change, step = grad.sub(state["prev_flat_grad"]), state["d"].mul(state["t"])
        curvature = change.dot(step)
        if curvature.item() <= 1e-10:
            return
        if len(state["old_dirs"]) == self.param_groups[0]["history_size"]:
            for name in ("old_dirs", "old_stps", "ro"):
                state[name].pop(0)
        state["old_dirs"].append(change)
        state["old_stps"].append(step)
        state["ro"].append(1.0 / curvature)
        state["H_diag"] = curvature / change.dot(change)

    def _direction(self, state, grad):
        """Minus the gradient times the inverse Hessian that is remembered: two loops."""
        past = list(zip(state["old_dirs"], state["old_stps"], state["ro"]))
        direction, factors = grad.neg(), []
        for change, step, inverse in reversed(past):
            factor = step.dot(direction) * inverse
            direction.sub_(change * factor)
            factors.append(factor)
        direction.mul_(state["H_diag"])
        for (change, step, inverse), factor in zip(past, reversed(factors)):
            direction.add_(step * (factor - change.dot(direction) * inverse))
        return direction

    # ----------------------------------------------------------------------------- steps

    def _search(self, closure, direction, start, length):
        """The point that the line search finds; the parameters move there."""
        parameters = self._parameters()
        kept = [p.detach().clone() for p in parameters]

        def evaluate(at):
            self._move(direction, at)
            value, grad = self._evaluate(closure)
            for parameter, data in zip(parameters, kept):
                parameter.copy_(data)
            return _Point(at, value, grad, grad.dot(direction).item())

        search = _StrongWolfe(evaluate, start, direction.abs().max().item())
        found = search.search(length)
        self._move(direction, found.at)
        return found, search.evaluations

    def _evaluate(self, closure):
        with enable_grad():
            loss = closure()
        return float(loss), self._gradient()

    def _iterate(self, closure, state, loss, grad, is_last):
        """One iteration: the new loss and gradient, and how often the loss was computed;
        None where it would not go down any more."""
        group = self.param_groups[0]
        state["n_iter"] += 1
        first = state["n_iter"] == 1
        if first:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
        else:
            self._remember(state, grad)
        state["d"] = self._direction(state, grad)
        state["prev_flat_grad"], state["prev_loss"] = grad.clone(), loss
        state["t"] = min(1.0, 1.0 / grad.abs().sum().item()) * group["lr"] if first \
            else group["lr"]
        slope = grad.dot(state["d"]).item()
        if slope > -group["tolerance_change"]:
            return None
        if group["line_search_fn"] is None:
            self._move(state["d"], state["t"])
            # After the last iteration nothing asks for the loss.
            return (loss, grad, 0) if is_last else (*self._evaluate(closure), 1)
        if group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        found, count = self._search(closure, state["d"], _Point(0, loss, grad, slope),
                                    state["t"])
        state["t"] = found.at
        return found.value, found.grad, count

    def _minimise(self, closure, state, loss, grad):
        group, evaluations = self.param_groups[0], 1
        for iteration in range(1, group["max_iter"] + 1):
            before = loss
            found = self._iterate(closure, state, loss, grad, iteration == group["max_iter"])
            if found is None:
                return
            loss, grad, count = found
            evaluations += count
            state["func_evals"] += count
            if evaluations >= group["max_eval"] or self._is_flat(grad):
                return
            moved = state["d"].mul(state["t"]).abs().max().item()
            if min(moved, abs(loss - before)) <= group["tolerance_change"]:
                return

    def _is_flat(self, grad):
        return grad.abs().max().item() <= self.param_groups[0]["tolerance_grad"]

    def step(self, closure):
        """Gives back the loss before the first iteration."""
        state = self.state[self._parameters()[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        with enable_grad():
            first = closure()
        state["func_evals"] += 1
        with no_grad():
            grad = self._gradient()
            if not self._is_flat(grad):
                self._minimise(closure, state, float(first), grad)
        return first
