# SPDX-License-Identifier: Apache-2.0
"""Optimisers that scale each element's step by the gradients that it had."""
import math

import opyard

from .optimizer import Optimizer, check_range, descent, zeros_of


def check_adam(group):
    check_range(group["lr"], "learning rate")
    check_range(group["eps"], "epsilon value")
    for i, beta in enumerate(group["betas"]):
        check_range(beta, f"beta parameter at index {i}", 0.0, 1.0)
    check_range(group["weight_decay"], "weight_decay value")


class Adam(Optimizer):
    """Kingma and Ba: running means of the gradient and of its square. Weight decay is added
    to the gradient."""

    _decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
                 amsgrad=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False, fused=None):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                                      amsgrad=amsgrad, maximize=maximize, foreach=foreach,
                                      capturable=capturable, differentiable=differentiable,
                                      fused=fused))

    def _check(self, group):
        check_adam(group)

    def _start(self, parameter, state, group):
        state["step"] = opyard.tensor(0.0)
        state["exp_avg"], state["exp_avg_sq"] = zeros_of(parameter), zeros_of(parameter)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_of(parameter)

    def _update(self, parameter, grad, state, group):
        if not state:
            self._start(parameter, state, group)
        state["step"].add_(1)
        step, (beta1, beta2), lr = state["step"].item(), group["betas"], group["lr"]
        if group["maximize"]:
            grad = -grad
        if self._decoupled:
            parameter.mul_(1 - lr * group["weight_decay"])
        elif group["weight_decay"]:
            grad = grad.add(parameter, alpha=group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.mul_(beta1).add_(grad, alpha=1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = opyard.maximum(largest, square, out=largest)
        # What the running means lack because they began at zero.
        scale = math.sqrt(1 - beta2**step)
        root = square.sqrt().div_(scale).add_(group["eps"])
        parameter.addcdiv_(mean, root, value=-lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter by itself."""

    _decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2,
                 amsgrad=False, **ways):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **ways)


class Adagrad(Optimizer):
    """Divides by the root of the sum of all squares so far."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0,
                 eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None):
        super().__init__(params, dict(
            lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, foreach=foreach,
            maximize=maximize, differentiable=differentiable, fused=fused))
        for group in self.param_groups:
            for parameter in group["params"]:
                self._start(parameter, self.state[parameter], group)

    def _start(self, parameter, state, group):
        state["step"] = opyard.tensor(0.0)
        state["sum"] = opyard.full_like(parameter.detach(),
                                        group["initial_accumulator_value"])

    def _check(self, group):
        for name, what in (("lr", "learning rate"), ("lr_decay", "lr_decay value"),
                           ("weight_decay", "weight_decay value"), ("eps", "epsilon value"),
                           ("initial_accumulator_value", "initial_accumulator_value value")):
            check_range(group[name], what)

    def _update(self, parameter, grad, state, group):
        if not state:
            self._start(parameter, state, group)
        state["step"].add_(1)
        grad = descent(grad, parameter, group)
        rate = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        parameter.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-rate)


class RMSprop(Optimizer):
    """Divides by the root of a running mean of squares."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0,
                 centered=False, capturable=False, foreach=None, maximize=False,
                 differentiable=False):
        super().__init__(params, dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps,
                                      centered=centered, weight_decay=weight_decay,
                                      capturable=capturable, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable))

    def _check(self, group):
        for name, what in (("lr", "learning rate"), ("eps", "epsilon value"),
                           ("momentum", "momentum value"),
                           ("weight_decay", "weight_decay value"), ("alpha", "alpha value")):
            check_range(group[name], what)

    def _start(self, parameter, state, group):
        state["step"], state["square_avg"] = opyard.tensor(0.0), zeros_of(parameter)
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_of(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros_of(parameter)

    def _update(self, parameter, grad, state, group):
        if not state:
            self._start(parameter, state, group)
        state["step"].add_(1)
        alpha, square = group["alpha"], state["square_avg"]
        grad = descent(grad, parameter, group)
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.mul_(alpha).add_(grad, alpha=1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root.add_(group["eps"])
        if group["momentum"] > 0:
            kept = state["momentum_buffer"]
            kept.mul_(group["momentum"]).addcdiv_(grad, root)
            parameter.add_(kept, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, root, value=-group["lr"])
