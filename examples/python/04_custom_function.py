# SPDX-License-Identifier: Apache-2.0
"""A function with a backward of its own, and graphs that are looked into."""
import opyard as torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


class ScaledClamp(torch.autograd.Function):
    """Lets gradients pass only where the input was within the bounds; the scale is no
    tensor, and so has no gradient."""

    @staticmethod
    def forward(ctx, x, low, high, scale):
        ctx.inside = (x >= low) & (x <= high)
        ctx.scale = scale
        return x.clamp(low, high) * scale

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.inside * ctx.scale, None, None, None


x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = Cube.apply(x)
print("y:", y.detach())
y.sum().backward()
print("x.grad:", x.grad)

(first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print("second derivative:", second)

z = torch.tensor([-5.0, 0.5, 5.0], requires_grad=True)
ScaledClamp.apply(z, -1.0, 1.0, 10.0).sum().backward()
print("z.grad:", z.grad)

print("gradcheck:", torch.autograd.gradcheck(
    Cube.apply, (torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True),)))

a = torch.ones(2, requires_grad=True)
handle = a.register_hook(lambda grad: grad * 100)
(a * 2).sum().backward()
handle.remove()
print("with a hook:", a.grad)
