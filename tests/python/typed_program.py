# SPDX-License-Identifier: Apache-2.0
"""What type checkers have to take as it is here; mypy reads it (./yard oracle stubs), and it
runs like any other program."""
from typing import Any

import opyard
from opyard import Tensor


def loss(x: Tensor, w: Tensor, scale: float = 1.0) -> Tensor:
    y = opyard.add(x, w, alpha=2) * scale
    return opyard.sum(y, [0], keepdim=True).mean()


def shapes(x: Tensor) -> list[tuple[int, ...]]:
    parts: list[Tensor] = opyard.split(x, 1)
    values, indices = x.max(1)
    return [part.shape for part in parts] + [values.view(-1).shape, indices.shape]


class Net(opyard.nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = opyard.nn.Sequential(opyard.nn.Linear(3, width), opyard.nn.ReLU(inplace=True))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Logged(Tensor):
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_dispatch__(func, types, args, kwargs)


logged: Logged = opyard.zeros(2).as_subclass(Logged)
made: Logged = Tensor._make_wrapper_subclass(Logged, (2,), dtype=opyard.float32)
x = opyard.zeros(2, 3, dtype=opyard.float32)
w = opyard.tensor([[1.0, 1.0, 1.0]] * 2, requires_grad=True)
total = loss(x, w)
total.backward()
net = Net(4).double().eval()
names: list[str] = [name for name, parameter in net.named_parameters() if parameter.ndim > 1]
print(names, net.training)
print(total.item(), shapes(x), w.dtype is opyard.float32, opyard.where(x > 0, x, w).shape,
      x.where(x > 0, w).shape)
