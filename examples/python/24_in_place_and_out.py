# SPDX-License-Identifier: Apache-2.0
"""Operators that write to their arguments: (a!) in the schema says which."""
import opyard as torch

lib = torch.library.Library("writes", "DEF")


@torch.library.define(lib, "scale_(Tensor(a!) self, float by) -> Tensor(a!)")
def scale_(x, by):
    return x.mul_(by)


def scale_out(x, by, *, out):
    return out.copy_(x * by)


lib.define("scale.out(Tensor self, float by, *, Tensor(a!) out) -> Tensor(a!)")
lib.impl("scale.out", scale_out, "CompositeImplicitAutograd")


@torch.library.define(lib, "split(Tensor self, int[] at) -> Tensor[]")
def split(x, at):
    edges = [0] + at + [x.shape[0]]
    return [x[begin:end] for begin, end in zip(edges, edges[1:])]


x = torch.tensor([1.0, 2.0, 3.0])
y = torch.ops.writes.scale_(x, 2.0)
print(x, y.data_ptr() == x.data_ptr())

out = torch.zeros([3])
z = torch.ops.writes.scale.out(x, 0.5, out=out)
print(out, z is out)

print(list(torch.ops.writes.split(torch.tensor([1, 2, 3, 4, 5]), [1, 3])))
parts = torch.ops.writes.split(x, [])
parts[0].add_(1)  # a view
print(x)

# Optional arguments are None where nothing is given.
lib.define("bias(Tensor x, Tensor? b=None, str? how=None) -> Tensor")
lib.impl("bias", lambda x, b=None, how=None: x if b is None else
         x - b if how == "minus" else x + b, "CompositeImplicitAutograd")
b = torch.tensor([1.0, 1.0, 1.0])
print(torch.ops.writes.bias(x))
print(torch.ops.writes.bias(x, b))
print(torch.ops.writes.bias(x, b, "minus"))
