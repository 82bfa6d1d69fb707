# SPDX-License-Identifier: Apache-2.0
"""An operator of one's own: a schema, kernels for it, and calls as of any other."""
import opyard as torch
from opyard.library import Library

lib = Library("lesson", "DEF")

# Names, types and defaults are in the schema; arguments after * are given by name.
print(lib.define("clip(Tensor x, float low=0., *, float high=1.) -> Tensor"))
print(lib.define("minmax(Tensor x) -> (Tensor, Tensor)"))


def clip(x, low=0.0, *, high=1.0):
    # What equals its default is not handed over, so the function has the defaults, too.
    return torch.where(x < low, torch.full_like(x, low),
                       torch.where(x > high, torch.full_like(x, high), x))


lib.impl("clip", clip, "CPU")
lib.impl("minmax", lambda x: (x.min(), x.max()), "CPU")

x = torch.tensor([-2.0, 0.5, 3.0])
print(torch.ops.lesson.clip(x))
print(torch.ops.lesson.clip(x, -1.0))
print(torch.ops.lesson.clip(x, -1.0, high=2.0))
print(torch.ops.lesson.clip.default(x, low=0.25))
print(torch.ops.lesson.minmax(x))

# An operator without a kernel for a backend says so.
try:
    torch.ops.lesson.clip(torch.empty([3], device="meta"))
except NotImplementedError as error:
    print(str(error).partition(" ")[0] in ("Could", "lesson::clip:"))

# A kernel may give what the schema says, and nothing else.
lib.define("wrong(Tensor x) -> Tensor")
lib.impl("wrong", lambda x: 5, "CPU")
try:
    torch.ops.lesson.wrong(x)
except RuntimeError as error:
    print(error)

# Exceptions come through as they were raised.
lib.define("check(Tensor x) -> ()")


def check(x):
    if x.shape[0] > 2:
        raise KeyError("too long")


lib.impl("check", check, "CPU")
print(torch.ops.lesson.check(x[:2]))
try:
    torch.ops.lesson.check(x)
except KeyError as error:
    print("KeyError", error)
