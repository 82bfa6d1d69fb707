# SPDX-License-Identifier: Apache-2.0
"""Relatives of Adam."""
import math

import opyard

from .adam import check_adam
from .optimizer import Optimizer, check_range, descent, zeros_of


class Adadelta(Optimizer):
    """Zeiler: divides by the root of a running mean of squared gradients and multiplies by
    that of squared steps, so that a step has the parameter's unit."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *,
                 capturable=False, maximize=False, differentiable=False):
        super().__init__(params, dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay,
                                      maximize=maximize, capturable=capturable,
                                      foreach=foreach, differentiable=differentiable))

    def _check(self, group):
        for name, what in (("lr", "learning rate"), ("eps", "epsilon value"),
                           ("weight_decay", "weight_decay value")):
            check_range(group[name], what)
        if not 0.0 <= group["rho"] <= 1.0:
            raise ValueError(f"Invalid rho value: {group['rho']}")

    def _update(self, parameter, grad, state, group):
        if not state:
            state["step"] = opyard.tensor(0.0)
            state["square_avg"], state["acc_delta"] = zeros_of(parameter), zeros_of(parameter)
        state["step"].add_(1)
        grad = descent(grad, parameter, group)
        rho, eps, squares, steps = (group["rho"], group["eps"], state["square_avg"],
                                    state["acc_delta"])
        squares.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = steps.add(eps).sqrt_().div_(squares.add(eps).sqrt_()).mul_(grad)
        steps.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        parameter.add_(delta, alpha=-group["lr"])


class _Moments(Optimizer):
    """Keeps "exp_avg", the running mean of gradients, and a second quantity beside it."""

    _second = "exp_avg_sq"

    def _check(self, group):
        check_adam(group)

    def _next(self, parameter, grad, state, group):
        """The step's number and the gradient, whose mean has been brought up to date."""
        if not state:
            state["step"] = opyard.tensor(0.0)
            state["exp_avg"], state[self._second] = zeros_of(parameter), zeros_of(parameter)
        state["step"].add_(1)
        if group.get("decoupled_weight_decay"):
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            grad = -grad if group["maximize"] else grad
        else:
            grad = descent(grad, parameter, group)
        beta1 = group["betas"][0]
        state["exp_avg"].mul_(beta1).add_(grad, alpha=1 - beta1)
        return state["step"].item(), grad


class Adamax(_Moments):
    """Adam with the largest gradient, which fades, in place of the mean square."""

    _second = "exp_inf"

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 foreach=None, *, maximize=False, differentiable=False, capturable=False):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      foreach=foreach, maximize=maximize,
                                      differentiable=differentiable, capturable=capturable))

    def _update(self, parameter, grad, state, group):
        step, grad = self._next(parameter, grad, state, group)
        (beta1, beta2), largest = group["betas"], state["exp_inf"]
        opyard.maximum(largest.mul_(beta2), grad.abs().add_(group["eps"]), out=largest)
        parameter.addcdiv_(state["exp_avg"], largest, value=-group["lr"] / (1 - beta1**step))


class NAdam(_Moments):
    """Adam with Nesterov's momentum, which grows from step to step."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 momentum_decay=4e-3, decoupled_weight_decay=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False):
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
            momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
            maximize=maximize, foreach=foreach, capturable=capturable,
            differentiable=differentiable))

    def _check(self, group):
        check_adam(group)
        check_range(group["momentum_decay"], "momentum_decay value")

    def _update(self, parameter, grad, state, group):
        step, grad = self._next(parameter, grad, state, group)
        (beta1, beta2), lr, decay = group["betas"], group["lr"], group["momentum_decay"]
        momentum, following = (beta1 * (1 - 0.5 * 0.96 ** (at * decay)) for at in (step, step + 1))
        product = state.setdefault("mu_product", opyard.tensor(1.0)).mul_(momentum).item()
        square = state["exp_avg_sq"]
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2**step).sqrt_().add_(group["eps"])
        parameter.addcdiv_(grad, root, value=-lr * (1 - momentum) / (1 - product))
        parameter.addcdiv_(state["exp_avg"], root,
                           value=-lr * following / (1 - product * following))


class RAdam(_Moments):
    """Adam that divides by the root of the squares only once their mean is of enough steps
    to have a bounded variance, and less so at first."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False,
                 capturable=False, differentiable=False):
        super().__init__(params, dict(
            lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize,
            foreach=foreach, capturable=capturable,
            decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable))

    def _update(self, parameter, grad, state, group):
        step, grad = self._next(parameter, grad, state, group)
        (beta1, beta2), square = group["betas"], state["exp_avg_sq"]
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        unbiased = 1 - beta2**step
        # The length of a mean over a window that would weigh like the running mean.
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / unbiased
        rate = -group["lr"] / (1 - beta1**step)
        if length <= 5:
            parameter.add_(state["exp_avg"], alpha=rate)
            return
        rectified = math.sqrt((length - 4) * (length - 2) * longest
                              / ((longest - 4) * (longest - 2) * length))
        root = square.sqrt().add_(group["eps"])
        parameter.addcdiv_(state["exp_avg"], root, value=rate * rectified * math.sqrt(unbiased))
