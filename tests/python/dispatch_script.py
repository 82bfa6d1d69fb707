# SPDX-License-Identifier: Apache-2.0
"""Prints what torch._C's dispatcher functions say of registrations made through them; run
with PyTorch's torch._C and with the shim, the lines are to be the same. Registrations are
those of PyTorch's test_dispatch.py (reference, section 10.1)."""
import itertools
import re

KEYS = ("Undefined", "CPU", "CUDA", "XLA", "AutogradOther", "AutogradCPU", "AutogradCUDA",
        "AutogradXLA", "FPGA")

# Each set: steps as (method, arguments); "_" before a method: an IMPL library of "_".
SETS = {
    "def": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo"),
            ("impl_t_t", "foo", "CPU"), ("impl_t_t", "foo", "Autograd"),
            ("impl_t_t", "foo", "AutogradCPU")],
    "mismatch": [("def_", "foo(Tensor x, Tensor y) -> Tensor"), ("impl_t_t", "foo")],
    "inference": [("def_name_t_t", "foo"), ("impl_t_t", "foo", "CPU"),
                  ("impl_t_t", "foo", "Autograd"), ("impl_t_t", "foo", "AutogradCPU")],
    "schema": [("def_schema_t_t", "foo(Tensor x) -> Tensor", "CPU")],
    "only def": [("def_", "foo(Tensor x, Tensor y) -> Tensor")],
    "only impl": [("impl_t_t", "foo"), ("impl_t_t", "foo", "CPU"),
                  ("impl_t_t", "foo", "Autograd"), ("impl_t_t", "foo", "AutogradCPU")],
    "table": [("def_name_t_t", "foo"), ("impl_t_t", "foo", "CPU"), ("impl_t_t", "foo", "XLA"),
              ("impl_t_t", "foo", "Autograd"), ("impl_t_t", "foo", "AutogradCPU")],
    "cpu math": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "CPU"),
                 ("impl_t_t", "foo", "CompositeImplicitAutograd")],
    "math": [("def_", "foo(Tensor x) -> Tensor"),
             ("impl_t_t", "foo", "CompositeImplicitAutograd")],
    "autograd": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "Autograd")],
    "cpu autograd math": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "CPU"),
                          ("impl_t_t", "foo", "Autograd"),
                          ("impl_t_t", "foo", "CompositeImplicitAutograd")],
    "ambiguous": [("def_", "foo(Tensor x) -> Tensor"),
                  ("impl_t_t", "foo", "CompositeImplicitAutograd"),
                  ("impl_t_t", "foo", "FPGA")],
    "default": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "CPU"),
                ("impl_t_t", "foo", "CompositeExplicitAutograd")],
    "autograd default": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "CPU"),
                         ("impl_t_t", "foo", "Autograd"),
                         ("impl_t_t", "foo", "CompositeExplicitAutograd")],
    "all four": [("def_", "foo(Tensor x) -> Tensor"), ("impl_t_t", "foo", "CPU"),
                 ("impl_t_t", "foo", "Autograd"),
                 ("impl_t_t", "foo", "CompositeImplicitAutograd"),
                 ("impl_t_t", "foo", "CompositeExplicitAutograd")],
    "two defs": [("def_", "foo(Tensor x) -> Tensor"), ("def_", "foo(Tensor x) -> Tensor")],
    "alias kind": [("def_", "foo(Tensor x) -> Tensor", "PURE_FUNCTION")],
    "legacy": [("def_", "foo(Tensor x) -> Tensor", "PURE_FUNCTION"),
               ("def_legacy", "foo(Tensor x) -> Tensor")],
    "legacy alone": [("def_legacy", "foo(Tensor x) -> Tensor")],
    "two kinds": [("def_", "foo(Tensor x) -> Tensor", "PURE_FUNCTION"),
                  ("def_", "foo(Tensor x) -> Tensor", "CONSERVATIVE")],
    "two fallbacks": [("_fallback_fallthrough", "XLA"), ("_fallback_fallthrough", "XLA")],
    "fallback": [("def_", "foo(Tensor x) -> Tensor"), ("_fallback_fallthrough", "XLA"),
                 ("impl_t_t", "foo", "CPU")],
    "fallthrough autograd": [("def_", "foo(Tensor x) -> Tensor"),
                             ("impl_t_t", "foo", "CompositeImplicitAutograd"),
                             ("impl_t_t", "foo", "CPU")],
}
# Two kernels for one key: the order is part of the result.
ORDERED = {"overwrite": [("def_", "foo(Tensor x) -> Tensor"),
                         ("impl_t_t", "foo", "", "fn1"), ("impl_t_t", "foo", "", "fn2")]}

# With these PyTorch 1.13 has a table that breaks its own invariants: not compared.
BROKEN = {"all four"}


def table_of(torch_c, name):
    """The lines of KEYS; what the framework itself registers is not told apart."""
    lines = torch_c._dispatch_dump_table(name).splitlines()
    lines = [line for line in lines if line.partition(":")[0] in KEYS]
    return [re.sub(r": (fallthrough )?registered at (?!/dev/null).*\[backend fallback\]",
                   ": registered in the framework [backend fallback]", line)
            for line in lines]


class Run:
    """One order of doing and one of undoing, in a namespace of its own."""

    def __init__(self, torch_c, number, steps):
        self.c, self.ns, self.steps = torch_c, f"__test{number}__", steps
        self.name = f"{self.ns}::foo"

    def apply(self, step):
        method, *arguments = step
        wild = method.startswith("_")
        module = self.c._dispatch_library("IMPL" if wild else "FRAGMENT",
                                          "_" if wild else self.ns, "")
        getattr(module, method.lstrip("_") if wild else method)(*arguments)
        return module  # what it registered goes with it

    def face(self):
        self.c._dispatch_check_invariants(self.name)
        text = [self.c._dispatch_dump(self.name)] + table_of(self.c, self.name)
        return "\n".join(text).replace(self.ns, "test")

    def go(self, forth, back, note):
        modules, active = {}, set()
        before = self.face()
        note(frozenset(), before)
        for i in forth:
            try:
                modules[i] = self.apply(self.steps[i])
            except RuntimeError as error:
                text = str(error).replace(self.ns, "test")
                failed = True
            else:
                failed = False
            if failed:
                yield text
                assert self.face() == before, "a registration failed and left a trace"
                continue
            active.add(i)
            before = self.face()
            note(frozenset(active), before)
        for i in back:
            if i in modules:
                del modules[i]
                active.discard(i)
                note(frozenset(active), self.face())


def commute(torch_c, steps, numbers, all_orders=True):
    """Every order of doing, and every order of undoing: faces by the set in effect, and
    errors."""
    faces, errors = {}, set()

    def note(active, face):
        assert faces.setdefault(active, face) == face, (
            f"two faces of {sorted(active)}:\n{faces[active]}\n---\n{face}")

    first = tuple(range(len(steps)))
    orders = list(itertools.permutations(first)) if all_orders else [first]
    pairs = [(o, first[::-1]) for o in orders]
    if all_orders:
        pairs += [(first, o) for o in orders]
    for forth, back in pairs:
        errors.update(Run(torch_c, next(numbers), steps).go(forth, back, note))
    return faces, errors


def report(torch_c):
    """All lines."""
    numbers = itertools.count()
    for group in (SETS, ORDERED):
        for name, steps in group.items():
            if name in BROKEN:
                continue
            faces, errors = commute(torch_c, steps, numbers, group is SETS)
            yield f"# {name}"
            for active in sorted(faces, key=sorted):
                yield f"## {sorted(active)}\n{faces[active]}"
            yield from (f"! {error}" for error in sorted(errors))
    yield from facts(torch_c)


def facts(c):
    module = c._dispatch_library("FRAGMENT", "facts", "")
    module.def_("foo(Tensor x) -> Tensor").impl_t_t("foo", "CPU")
    yield f"has {c._dispatch_has_kernel('facts::foo')} {c._dispatch_has_kernel('facts::no')}"
    for key in ("CPU", "CUDA", "Autograd", "CompositeImplicitAutograd"):
        yield f"{key} {c._dispatch_has_kernel_for_dispatch_key('facts::foo', key)}"
    for key in ("CPU", "CUDA", "AutogradCPU"):
        yield f"{key} {c._dispatch_has_computed_kernel_for_dispatch_key('facts::foo', key)}"
    names = c._dispatch_get_registrations_for_dispatch_key("CPU")
    yield f"registered {'facts::foo' in names}"
    c._dispatch_check_all_invariants()
    c._dispatch_print_registrations_for_dispatch_key("FPGA")
    try:
        c._dispatch_print_registrations_for_dispatch_key("invalid_key")
    except RuntimeError as error:
        yield str(error).partition("\n")[0]
    for key, alias in (("CPU", "CompositeExplicitAutograd"), ("AutogradCPU", "Autograd"),
                       ("CPU", "Autograd"), ("CPU", "CompositeImplicitAutograd")):
        value = c._dispatch_is_included_in_alias(
            c._dispatch_key_parse(key), c._dispatch_key_parse(alias))
        yield f"{key} in {alias} {value}"
    key = c.DispatchKey
    both = c.DispatchKeySet(key.CPU) | c.DispatchKeySet(key.AutogradCUDA)
    yield c._dispatch_keyset_to_string(both)
    yield str(both.has(key.CUDA))
    yield str((both - c.DispatchKeySet(key.CPU)).has(key.CPU))
    yield c._dispatch_key_name(both.highestPriorityTypeId())
    del module
    yield f"gone {c._dispatch_has_kernel('facts::foo')}"


if __name__ == "__main__":
    import sys

    if sys.argv[1:] == ["torch"]:
        import torch

        which = torch._C
    else:
        import torch_c_shim as which
    for line in report(which):
        print(line)
