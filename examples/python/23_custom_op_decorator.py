# SPDX-License-Identifier: Apache-2.0
"""An operator made of a function, and what it does to shapes, gradients and batches: with
register_fake a program is known before it runs. For opyard alone. (The same script runs with
PyTorch from 2.5 on, but for the fake mode, which has another name.)"""
import opyard
from opyard.library import custom_op, opcheck
from opyard.modes import FakeTensorMode, is_fake


@custom_op("lesson::scale", mutates_args=())
def scale(x: opyard.Tensor, factor: float = 2.0) -> opyard.Tensor:
    return x * factor


print(scale(opyard.tensor([1.0, 2.0])), opyard.ops.lesson.scale(opyard.tensor([3.0]), 10.0))

# Fake tensors have a shape, a dtype and a device, and no data.
mode = FakeTensorMode()
fake = mode.from_tensor(opyard.ones([4, 5]))
try:
    scale(fake)
except RuntimeError as error:
    print(str(error).partition(".")[0])


@scale.register_fake
def _(x, factor=2.0):
    return opyard.empty_like(x)


result = scale(fake)
print(is_fake(result), tuple(result.shape), result.device)


# The formula for backward, and what it needs of the call.
def setup_context(ctx, inputs, output):
    _x, ctx.factor = inputs


def backward(ctx, grad):
    return grad * ctx.factor, None


scale.register_autograd(backward, setup_context=setup_context)
x = opyard.tensor([1.0, 2.0], requires_grad=True)
scale(x, 3.0).sum().backward()
print(x.grad)


# A kernel for one backend.
@scale.register_kernel("cpu")
def _(x, factor=2.0):
    return x * factor + 0


# Whether what was registered is true of the operator.
print(opcheck(scale, (x, 3.0)))
