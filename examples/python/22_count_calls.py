# SPDX-License-Identifier: Apache-2.0
"""A mode sees every operator call of its thread below autograd: here they are counted, and
some are changed."""
import opyard as torch
from opyard.modes import TorchDispatchMode


class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = {}

    def of(self, *operators):
        return [self.calls.get(op, 0) for op in operators], sum(self.calls.values())

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls[func] = self.calls.get(func, 0) + 1
        return func(*args, **(kwargs or {}))


class Double(TorchDispatchMode):
    """What relu gives, twice."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func is torch.ops.aten.relu.default:
            return torch.add(result, result)
        return result


x = torch.tensor([[1.0, -2.0], [3.0, 4.0]])

with Count() as count:
    y = torch.relu(torch.mm(x, x))
    z = torch.add(y, y, alpha=3)
    torch.relu(z)
print(y)
aten = torch.ops.aten
print(count.of(aten.relu.default, aten.mm.default, aten.add.Tensor))

# The inner mode sees a call first; what it calls itself goes to the outer one.
with Count() as outer:
    with Double():
        doubled = torch.relu(x)
print(doubled)
print(outer.of(aten.relu.default, aten.add.Tensor))

# Outside of `with`, nothing is seen.
torch.relu(x)
print(outer.of(aten.relu.default, aten.add.Tensor))


class Refuse(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise ValueError("not here")


try:
    with Refuse():
        torch.relu(x)
except ValueError as error:
    print("ValueError:", error)
print(torch.relu(x))
