# SPDX-License-Identifier: Apache-2.0
"""What type checkers have to take as it is here; mypy reads it (./yard oracle stubs), and it
runs like any other program."""
import opyard
from opyard import Tensor


def loss(x: Tensor, w: Tensor, scale: float = 1.0) -> Tensor:
    y = opyard.add(x, w, alpha=2) * scale
    return opyard.sum(y, [0], keepdim=True).mean()


def shapes(x: Tensor) -> list[tuple[int, ...]]:
    parts: list[Tensor] = opyard.split(x, 1)
    values, indices = x.max(1)
    return [part.shape for part in parts] + [values.view(-1).shape, indices.shape]


x = opyard.zeros(2, 3, dtype=opyard.float32)
w = opyard.tensor([[1.0, 1.0, 1.0]] * 2, requires_grad=True)
total = loss(x, w)
total.backward()
print(total.item(), shapes(x), w.dtype is opyard.float32, opyard.where(x > 0, x, w).shape)
