# SPDX-License-Identifier: Apache-2.0
"""Where a call goes, and why: the dispatcher to be looked at. For opyard alone."""
import opyard
from opyard import dispatch
from opyard.library import Library

x = opyard.tensor([1.0, -2.0], requires_grad=True)

# Which kernel would run, the candidates it beat, and what comes after it.
why = dispatch.explain(opyard.ops.aten.relu.default, x)
print(why.op, why.slot, why.chosen.provenance)
print([step.key for step in why.steps if step.verdict == "next"])

# The same call below autograd.
with dispatch.below_autograd():
    print(dispatch.explain(opyard.ops.aten.relu.default, x).slot)

# What really happens, line by line.
with dispatch.trace() as lines:
    opyard.relu(x)
print(len(lines), lines[-1].endswith("key=[CPU]"))

# Registrations and tables, as PyTorch prints them and as data.
lib = Library("look", "DEF")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", lambda x: x + 1, "CPU")
lib.impl("f", lambda x: x + 2, "CompositeExplicitAutograd")
print([(r.key, r.alias) for r in dispatch.registrations("look::f")])
table = dispatch.table("look::f")
print(table["CPU"].provenance, "/", table["CUDA"].provenance)
print(dispatch.keys(x).has("AutogradCPU"), dispatch.has_kernel("look::f", "CUDA"))
dispatch.check_invariants()
print(dispatch.find_dangling_impls())
