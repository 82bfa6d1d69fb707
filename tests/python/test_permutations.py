# SPDX-License-Identifier: Apache-2.0
"""Registrations in every order, through the shim for torch._C: dumps are those that PyTorch
1.13 prints (tests/data/torch-1.13-dispatch.txt.gz, which `dispatch_script.py torch` made),
and the tables those of the reference (section 4.3)."""
import contextlib
import gzip
import io
import itertools
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import dispatch_script  # noqa: E402
import opyard  # noqa: E402
import torch_c_shim  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data",
                    "torch-1.13-dispatch.txt.gz")

MATH, DEFAULT = "[math kernel]", "[default backend kernel]"
KERNEL, AUTOGRAD, FALLBACK = "[kernel]", "[autograd kernel]", "[backend fallback]"
KEYS = ("Undefined", "CPU", "CUDA", "XLA", "AutogradOther", "AutogradCPU", "AutogradCUDA",
        "AutogradXLA")
# Rows of the reference: keys with kernels, then what each of KEYS has; None: nothing.
TABLES = (
    (("CompositeImplicitAutograd", "CPU", "XLA", "Autograd", "AutogradCPU"),
     (MATH, KERNEL, MATH, KERNEL, MATH, KERNEL, MATH, AUTOGRAD)),
    (("CompositeImplicitAutograd", "CPU"),
     (MATH, KERNEL, MATH, MATH, MATH, FALLBACK, MATH, MATH)),
    (("CompositeImplicitAutograd",), (MATH,) * 8),
    (("Autograd",), (None,) * 4 + (AUTOGRAD,) * 4),
    (("CPU", "Autograd", "CompositeImplicitAutograd"),
     (MATH, KERNEL, MATH, MATH, MATH, AUTOGRAD, MATH, MATH)),
    (("CompositeImplicitAutograd", "FPGA"),
     (MATH, MATH, MATH, MATH, "[ambiguous autogradother]", MATH, MATH, MATH)),
    (("CPU", "CompositeExplicitAutograd"),
     (DEFAULT, KERNEL, DEFAULT, DEFAULT) + (FALLBACK,) * 4),
    (("CPU", "Autograd", "CompositeExplicitAutograd"),
     (DEFAULT, KERNEL, DEFAULT, DEFAULT) + (AUTOGRAD,) * 4),
    (("CPU", "Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd"),
     (DEFAULT, KERNEL, DEFAULT, DEFAULT) + (AUTOGRAD,) * 4),
)


class PermutationTest(unittest.TestCase):
    def test_reg_15_reg_16_obs_02_as_pytorch_prints_it(self):
        with gzip.open(DATA, "rt", encoding="utf-8") as file:
            wanted = file.read().splitlines()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            got = "\n".join(dispatch_script.report(torch_c_shim)).splitlines()
        self.assertEqual(printed.getvalue(), "")
        self.assertGreater(len(wanted), 2000)
        for number, pair in enumerate(zip(wanted, got), 1):
            self.assertEqual(*pair, f"line {number}")
        self.assertEqual(len(got), len(wanted))

    def test_reg_15_sets_that_pytorch_cannot_show(self):
        for name in dispatch_script.BROKEN:
            steps = dispatch_script.SETS[name]
            faces, errors = dispatch_script.commute(torch_c_shim, steps, itertools.count(5000))
            self.assertEqual(errors, set())
            self.assertGreater(len(faces), len(steps))

    def test_tab_01_rows_of_the_reference(self):
        for keys, wanted in TABLES:
            module = torch_c_shim._dispatch_library("FRAGMENT", "rows", "")
            module.def_("foo(Tensor x) -> Tensor")
            for key in keys:
                module.impl_t_t("foo", key, f"fn_{key}")
            table = dict(line.split(": ", 1) for line in
                         torch_c_shim._dispatch_dump_table("rows::foo").splitlines())
            for key, cell in zip(KEYS, wanted):
                with self.subTest(keys=keys, key=key):
                    if cell is None:
                        self.assertNotIn(key, table)
                    else:
                        self.assertTrue(table[key].endswith(" " + cell), table[key])
            module.reset()

    def test_reg_22_the_shim_has_what_it_names(self):
        c = torch_c_shim
        x = opyard.ones([1])
        self.assertTrue(c._dispatch_keys(x).has("CPU"))
        self.assertTrue(c._dispatch_key_set(x).startswith("DispatchKeySet(CPU"))
        self.assertTrue(c._dispatch_is_alias_key("Autograd"))
        self.assertEqual(c._dispatch_key_name(c._parse_dispatch_key("CPU")), "CPU")
        self.assertGreaterEqual(c._dispatch_num_backends(), 15)
        self.assertIn("aten::add.Tensor", c._dispatch_get_all_op_names())
        with c._ExcludeDispatchKeyGuard(c.DispatchKeySet("CPU")):
            self.assertTrue(c._dispatch_tls_is_dispatch_key_excluded("CPU"))
        with c._ForceDispatchKeyGuard(c.DispatchKeySet(), c.DispatchKeySet()):
            self.assertEqual(c._dispatch_tls_local_include_set(), c.DispatchKeySet())
        seen = []
        module = c._dispatch_library("DEF", "shim", "")
        self.assertEqual(module.define("f(Tensor x) -> Tensor"), "f")
        module.impl("f", "CPU", lambda x: seen.append(1) or x + 1)
        self.assertEqual(c.dispatch.call_boxed("shim::f", x).tolist(), [2])
        with self.assertRaisesRegex(RuntimeError, "Mismatch in kernel C\\+\\+ signatures"):
            c._dispatch_library("IMPL", "shim", "").impl_t_t("f", "CUDA").impl_tt_t("f", "XLA")


if __name__ == "__main__":
    unittest.main()
