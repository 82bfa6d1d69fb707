# SPDX-License-Identifier: Apache-2.0
"""Libraries: one owns a namespace, others put kernels in. Kernels of operators that are
there already are changed in the same way."""
import opyard as torch
from opyard.library import Library

owner = Library("shapes", "DEF")
owner.define("area(Tensor sides) -> Tensor")
owner.impl("area", lambda sides: sides[0] * sides[1], "CompositeImplicitAutograd")

# An overload: the same name, other arguments.
owner.define("area.triangle(Tensor sides, float height) -> Tensor")
owner.impl("area.triangle", lambda sides, height: sides[0] * height / 2,
           "CompositeImplicitAutograd")

sides = torch.tensor([3.0, 4.0])
print(torch.ops.shapes.area(sides))
print(torch.ops.shapes.area.triangle(sides, 5.0))
print(sorted(torch.ops.shapes.area.overloads()))

# A second owner is refused, and so is a definition from an IMPL library.
for make in (lambda: Library("shapes", "DEF"),
             lambda: Library("shapes", "IMPL").define("other() -> ()")):
    try:
        make()
    except RuntimeError as error:
        print(str(error).partition(";")[0].partition("  ")[0])

# Kernels of a composed operator are given for one backend: it comes before the composed one.
override = Library("shapes", "IMPL", "CPU")
override.impl("area", lambda sides: sides[0] * sides[1] + 100)
print(torch.ops.shapes.area(sides))

# One kernel for each key from Python.
try:
    override.impl("area", lambda sides: sides)
except RuntimeError as error:
    print(error)

# An operator that is composed needs no formula for its gradient.
x = torch.tensor([2.0, 5.0], requires_grad=True)
torch.ops.shapes.area.triangle(x, 4.0).backward()
print(x.grad)

# Operators that came with the library are changed in the same way.
aten = Library("aten", "IMPL")
aten.impl("neg", lambda x: x * 10, "CPU")
print(torch.neg(sides))
