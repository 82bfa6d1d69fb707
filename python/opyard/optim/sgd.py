# SPDX-License-Identifier: Apache-2.0
from .optimizer import Optimizer, check_range


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
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad.add(parameter, alpha=group["weight_decay"])
        momentum = group["momentum"]
        if momentum:
            kept = state.get("momentum_buffer")
            if kept is None:
                kept = state["momentum_buffer"] = grad.detach().clone()
            else:
                kept.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(kept, alpha=momentum) if group["nesterov"] else kept
        parameter.add_(grad, alpha=-group["lr"])
