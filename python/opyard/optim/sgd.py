# SPDX-License-Identifier: Apache-2.0
"""Optimisers that step by the gradient itself, or by its sign."""
import opyard

from .optimizer import Optimizer, check_range, descent, zeros_of


class SGD(Optimizer):
    """Steps against the gradient, with momentum if wanted."""

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False,
                 *, maximize=False, foreach=None, differentiable=False, fused=None):
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening,
                                      weight_decay=weight_decay, nesterov=nesterov,
                                      maximize=maximize, foreach=foreach,
                                      differentiable=differentiable, fused=fused))

    def _check(self, group):
        check_range(group["lr"], "learning rate")
        check_range(group["momentum"], "momentum value")
        check_range(group["weight_decay"], "weight_decay value")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")

    def _update(self, parameter, grad, state, group):
        grad = descent(grad, parameter, group)
        momentum = group["momentum"]
        if momentum:
            kept = state.get("momentum_buffer")
            if kept is None:
                kept = state["momentum_buffer"] = grad.detach().clone()
            else:
                kept.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(kept, alpha=momentum) if group["nesterov"] else kept
        parameter.add_(grad, alpha=-group["lr"])


class ASGD(Optimizer):
    """Steps that shrink with time, and, from step t0 on, the mean of where they led: "ax"
    in the state."""

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0,
                 foreach=None, maximize=False, differentiable=False, capturable=False):
        super().__init__(params, dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0,
                                      weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable,
                                      capturable=capturable))

    def _check(self, group):
        check_range(group["lr"], "learning rate")
        check_range(group["weight_decay"], "weight_decay value")

    def _update(self, parameter, grad, state, group):
        if not state:
            state["step"], state["mu"] = opyard.tensor(0.0), opyard.tensor(1.0)
            state["eta"], state["ax"] = opyard.tensor(float(group["lr"])), zeros_of(parameter)
        state["step"].add_(1)
        grad = descent(grad, parameter, group)
        step, eta, mu = (state[name].item() for name in ("step", "eta", "mu"))
        lr, lambd, mean = group["lr"], group["lambd"], state["ax"]
        parameter.mul_(1 - lambd * eta).add_(grad, alpha=-eta)
        if mu == 1:
            mean.copy_(parameter)
        else:
            mean.add_(parameter.sub(mean).mul_(mu))
        state["eta"].fill_(lr / (1 + lambd * lr * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))


class Rprop(Optimizer):
    """Steps by the sign of the gradient: longer while it stays, shorter when it turns."""

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        super().__init__(params, dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach,
                                      maximize=maximize, differentiable=differentiable,
                                      capturable=capturable))

    def _check(self, group):
        check_range(group["lr"], "learning rate")
        shorter, longer = group["etas"]
        if not 0.0 < shorter < 1.0 < longer:
            raise ValueError(f"Invalid eta values: {shorter}, {longer}")

    def _update(self, parameter, grad, state, group):
        if not state:
            state["step"], state["prev"] = opyard.tensor(0.0), zeros_of(parameter)
            state["step_size"] = opyard.full_like(grad, group["lr"])
        state["step"].add_(1)
        if group["maximize"]:
            grad = -grad
        shorter, longer = group["etas"]
        kept = grad.mul(state["prev"]).sign()
        turned = kept.lt(0)
        factor = opyard.where(kept.gt(0), longer, opyard.where(turned, shorter, 1.0))
        state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = grad.masked_fill(turned, 0)  # no step where it turned
        parameter.addcmul_(grad.sign(), state["step_size"], value=-1)
        state["prev"].copy_(grad)
