# SPDX-License-Identifier: Apache-2.0
"""An operator with a gradient of its own: composed of a Function that has a backward."""
import opyard as torch
from opyard.library import Library


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x * x * grad


lib = Library("powers", "DEF")
lib.define("cube(Tensor x) -> Tensor")
lib.impl("cube", lambda x: Cube.apply(x), "CompositeImplicitAutograd")

x = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
y = torch.ops.powers.cube(x)
print(y.tolist(), y.requires_grad)
y.sum().backward()
print(x.grad)

# The gradient of the gradient: backward is recorded, too, if it is asked for.
z = torch.ops.powers.cube(x)
first, = torch.autograd.grad(z.sum(), x, create_graph=True)
second, = torch.autograd.grad(first.sum(), x)
print(first.tolist(), second)

# Without grad mode nothing is recorded.
with torch.no_grad():
    print(torch.ops.powers.cube(x).requires_grad)


# An error in a backward arrives as it was raised.
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError("no gradient here")


lib.define("wrong(Tensor x) -> Tensor")
lib.impl("wrong", lambda x: Wrong.apply(x), "CompositeImplicitAutograd")
try:
    torch.ops.powers.wrong(x).sum().backward()
except ArithmeticError as error:
    print(type(error).__name__, error)
