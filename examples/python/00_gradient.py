# SPDX-License-Identifier: Apache-2.0
"""A gradient: w asks for one, x does not."""
import opyard as torch

x = torch.tensor([1.0, 2.0])
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = torch.add(x, w)
s = torch.sum(y)
s.backward()
print("x.grad is", x.grad, "and w.grad is", w.grad)
