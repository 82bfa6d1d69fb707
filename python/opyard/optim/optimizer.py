# SPDX-License-Identifier: Apache-2.0
"""What all optimisers share: groups of parameters with options, state, state_dict."""
import copy
from collections import defaultdict

import opyard

from .. import enable_grad, no_grad
from .._C import Tensor


class Optimizer:
    """A subclass names its kinds of state and takes one step per parameter, in
    _update(parameter, grad, state, group)."""

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of "
                            f"Tensors or dicts, but got {type(params).__name__}")
        self._check_ways(defaults)
        self.defaults, self.state, self.param_groups = defaults, defaultdict(dict), []
        params = list(params)
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        for group in params if isinstance(params[0], dict) else [{"params": params}]:
            self.add_param_group(group)

    def _check_ways(self, defaults):
        """foreach and fused are ways to compute the same step; here there is one, so that
        they are only kept. What asks for another step is refused."""
        if defaults.get("fused") and defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        for name in ("capturable", "differentiable"):
            if defaults.get(name):
                raise NotImplementedError(f"{type(self).__name__}: expected {name}=False, got "
                                          f"True: steps are neither captured nor recorded")

    def add_param_group(self, param_group):
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        given = group["params"]
        if isinstance(given, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, "
                            "but the ordering of tensors in sets will change between runs. "
                            "Please use a list instead.")
        given = [given] if isinstance(given, Tensor) else list(given)
        given = [item[1] if isinstance(item, tuple) else item for item in given]
        for parameter in given:
            if not isinstance(parameter, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                + type(parameter).__name__)
            if not parameter.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(p) for other in self.param_groups for p in other["params"]}
        if known.intersection(map(id, given)):
            raise ValueError("some parameters appear in more than one parameter group")
        group["params"] = given
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        self._check(group)
        self.param_groups.append(group)

    def _check(self, group):
        """ValueError for options out of range."""

    def _update(self, parameter, grad, state, group):
        raise NotImplementedError

    def step(self, closure=None):
        """Changes each parameter that has a gradient. closure: computes the loss anew, with
        its gradients; step() gives it back."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    grad = parameter.grad
                    if grad is not None:
                        self._update(parameter, grad, self.state[parameter], group)
        return loss

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if set_to_none:
                    parameter.grad = None
                else:
                    grad.detach_().zero_()

    # ------------------------------------------------------------------ state

    def _numbers(self):
        """Each parameter's number, which stands for it in a state_dict."""
        numbers = {}
        for group in self.param_groups:
            for parameter in group["params"]:
                numbers.setdefault(id(parameter), len(numbers))
        return numbers

    def state_dict(self):
        numbers = self._numbers()
        groups = [{**{k: v for k, v in group.items() if k != "params"},
                   "params": [numbers[id(p)] for p in group["params"]]}
                  for group in self.param_groups]
        state = {numbers[id(p)]: dict(entry) for p, entry in self.state.items() if entry}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        groups = copy.deepcopy([{k: v for k, v in group.items()}
                                for group in state_dict["param_groups"]])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(new["params"]) != len(old["params"])
               for new, old in zip(groups, self.param_groups)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match "
                             "the size of optimizer's group")
        parameters = {}
        for new, old in zip(groups, self.param_groups):
            parameters.update(zip(new["params"], old["params"]))
            new["params"] = old["params"]
            for name, default in self.defaults.items():  # what an older one did not save
                new.setdefault(name, default)
        self.param_groups = groups
        self.state = defaultdict(dict)
        for number, entry in state_dict["state"].items():
            parameter = parameters.get(number)
            if parameter is not None:
                self.state[parameter] = {
                    name: _as_state(name, value, parameter) for name, value in entry.items()}

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n"
                            for key in sorted(group) if key != "params")
        return text + ")"


def _as_state(name, value, parameter):
    """A copy of its own, in the parameter's dtype; steps keep theirs."""
    if isinstance(value, list):
        return [_as_state(name, item, parameter) for item in value]
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    if name != "step" and parameter.dtype.is_floating_point:
        return value.detach().to(dtype=parameter.dtype, device=parameter.device, copy=True)
    return value.detach().clone()


def descent(grad, parameter, group):
    """What to step against: the gradient, turned round to maximise, and weight decay."""
    if group["maximize"]:
        grad = -grad
    if group["weight_decay"]:
        grad = grad.add(parameter, alpha=group["weight_decay"])
    return grad


def zeros_of(parameter):
    return opyard.zeros_like(parameter.detach())


def check_range(value, what, low=0.0, high=None):
    if not low <= value or high is not None and not value < high:
        raise ValueError(f"Invalid {what}: {value}")
