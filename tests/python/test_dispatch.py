# SPDX-License-Identifier: Apache-2.0
"""opyard.dispatch: keys, sets, dumps as data, questions, guards, trace, explain."""
import contextlib
import io
import pickle
import threading
import unittest

import opyard
from opyard import dispatch
from opyard.dispatch import DispatchKey, DispatchKeySet
from opyard.library import _scoped_library


class KeyTest(unittest.TestCase):
    def test_key_names(self):
        self.assertIs(DispatchKey.CPU, DispatchKey("CPU"))
        self.assertEqual((repr(DispatchKey.AutogradCUDA), DispatchKey.CPU.name),
                         ("DispatchKey.AutogradCUDA", "CPU"))
        self.assertTrue(DispatchKey.Autograd.is_alias)
        self.assertFalse(DispatchKey.CPU.is_alias)
        self.assertTrue(DispatchKey.CPU.is_runtime)
        self.assertIs(DispatchKey("CatchAll"), DispatchKey.CompositeImplicitAutograd)
        self.assertIs(pickle.loads(pickle.dumps(DispatchKey.CPU)), DispatchKey.CPU)
        self.assertRaises(AttributeError, lambda: DispatchKey.Nothing)
        self.assertRaises(TypeError, DispatchKey, 2.5)
        self.assertIn("CPU", [key.name for key in DispatchKey])

    def test_key_03_raw_words(self):
        # The words that PyTorch 2.6 has (reference, sections 1.2 and 1.3).
        self.assertEqual(DispatchKeySet("PythonDispatcher").raw_repr(), 0x1000000000000000)
        self.assertEqual(DispatchKeySet("CPU").raw_repr(), 1 << 15 | 1)
        self.assertEqual(DispatchKeySet.from_raw_repr(1 << 15 | 2), DispatchKeySet("CUDA"))

    def test_key_04_operations(self):
        both = DispatchKeySet("CPU") | DispatchKeySet("AutogradCUDA")
        # Two words cannot tell {CPU, AutogradCUDA} from {CUDA, AutogradCPU}.
        self.assertEqual(both, DispatchKeySet(["CUDA", "AutogradCPU"]))
        self.assertEqual(repr(both), "DispatchKeySet(CPU, CUDA, AutogradCPU, AutogradCUDA)")
        self.assertEqual([key.name for key in both],
                         ["CPU", "CUDA", "AutogradCPU", "AutogradCUDA"])
        self.assertEqual(len(both), 4)
        self.assertEqual(both.highestPriorityTypeId(), DispatchKey.AutogradCUDA)
        self.assertEqual(both.highest_backend_key(), DispatchKey.CUDA)
        self.assertTrue(both.has("CUDA") and "AutogradCPU" in both)
        self.assertFalse(both.has("XLA"))
        less = both - DispatchKeySet("AutogradCPU")
        self.assertEqual(less, DispatchKeySet(["CPU", "CUDA"]))  # backends stay
        self.assertEqual(both.remove("CPU").remove("AutogradCPU").backends, both.backends)
        self.assertEqual(less.remove_backend("CUDA"), DispatchKeySet("CPU"))
        self.assertEqual(DispatchKeySet("CPU").add("CUDA"), less)
        self.assertEqual(both & DispatchKeySet("CPU"), DispatchKeySet("CPU"))
        self.assertEqual(both ^ both, DispatchKeySet())
        self.assertFalse(DispatchKeySet())
        self.assertTrue(DispatchKeySet().empty())
        self.assertEqual(DispatchKeySet("Autograd"), DispatchKeySet())  # an alias
        self.assertEqual(len({both, DispatchKeySet(["CUDA", "AutogradCPU"])}), 1)
        self.assertEqual(pickle.loads(pickle.dumps(both)), both)
        with self.assertRaises(AttributeError):
            both.backends = 0

    def test_key_06_named_and_expanded(self):
        self.assertTrue(dispatch.named_set("autograd").has("AutogradOther"))
        self.assertRaises(ValueError, dispatch.named_set, "nothing")
        self.assertTrue(dispatch.expand("Autograd").has("AutogradOther"))
        self.assertTrue(dispatch.is_included_in_alias("CPU", "CompositeExplicitAutograd"))
        self.assertFalse(dispatch.is_included_in_alias("CPU", "Autograd"))
        below = dispatch.full_after("AutogradCPU")
        self.assertTrue(below.has("CPU") and below.has("PythonDispatcher"))
        self.assertFalse(below.has("AutogradCPU"))

    def test_pu1_04_backends(self):
        name = dispatch.register_backend("Npu")
        self.assertEqual(name, "Npu")
        self.assertIn("Npu", dispatch.backends())
        self.assertEqual(DispatchKey.AutogradNpu.name, "AutogradNpu")
        self.assertEqual(dispatch.register_backend("Npu"), "Npu")
        self.assertRaises(RuntimeError, dispatch.register_backend, "no name")


class DumpTest(unittest.TestCase):
    def test_obs_02_data(self):
        with _scoped_library("d", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", lambda x: x, "CPU")
            lib.impl("f", lambda x: x, "CompositeExplicitAutograd")
            rows = dispatch.registrations("d::f")
            self.assertEqual([(r.key, r.alias, r.flags, r.signature) for r in rows],
                             [("CPU", False, ("boxed",), "(none)"),
                              ("CompositeExplicitAutograd", True, ("boxed",), "(none)")])
            table = dispatch.table("d::f")
            self.assertEqual((table["CPU"].provenance, table["CUDA"].provenance),
                             ("kernel", "default backend kernel"))
            self.assertIn(__file__, table["CPU"].place)
            self.assertTrue(dispatch.dump_extractor("d::f").startswith("0" * 63 + "1 "))
        self.assertEqual((dispatch.dump_state("d::f"), dispatch.dump_table("d::f")), ("", ""))
        self.assertEqual(len(dispatch.table("aten::add.Tensor")),
                         len(dispatch.dump_table("aten::add.Tensor").splitlines()))
        self.assertEqual(dispatch.dump_state(opyard.ops.aten.relu.default),
                         dispatch.dump_state("aten::relu"))

    def test_obs_03_registrations_for_a_key(self):
        with _scoped_library("d", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", lambda x: x, "FPGA")
            self.assertEqual(dispatch.get_registrations_for_dispatch_key("FPGA"), ["d::f"])
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                dispatch.print_registrations_for_dispatch_key("FPGA")
            self.assertEqual(printed.getvalue(), "d::f\n")
        everything = dispatch.get_registrations_for_dispatch_key()
        self.assertLess(set(dispatch.get_registrations_for_dispatch_key("CPU")), set(everything))
        self.assertEqual(everything, dispatch.op_names())
        self.assertRaisesRegex(RuntimeError, "could not parse dispatch key: invalid_key",
                               dispatch.print_registrations_for_dispatch_key, "invalid_key")

    def test_obs_04_invariants_and_questions(self):
        dispatch.check_invariants()
        dispatch.check_invariants("aten::add.Tensor")
        dispatch.check_invariants("no::such")
        self.assertEqual(dispatch.find_dangling_impls(), [])
        self.assertTrue(dispatch.has_kernel("aten::add.Tensor"))
        self.assertFalse(dispatch.has_kernel("no::such"))
        self.assertFalse(dispatch.has_kernel("no::such", "CPU"))
        self.assertTrue(dispatch.has_schema("aten::relu"))
        self.assertTrue(dispatch.has_kernel_for_any("aten::relu", ["CUDA", "CPU"]))
        self.assertTrue(dispatch.has_computed_kernel_for("aten::relu", "AutogradCPU"))
        self.assertRaisesRegex(RuntimeError, "Alias keys do not have runtime kernel "
                               "registrations.", dispatch.has_computed_kernel_for, "aten::relu",
                               "Autograd")
        self.assertTrue(dispatch.has_fallback("BackendSelect"))
        before = dispatch.generation()
        with _scoped_library("d", "DEF") as lib:
            lib.define("f() -> ()")
        self.assertGreater(dispatch.generation(), before)

    def test_misuse(self):
        for call in (lambda: dispatch.dump_state(5), lambda: dispatch.has_kernel("aten::relu", 2.5),
                     lambda: dispatch.keys(5), lambda: dispatch.call_boxed("no::such"),
                     lambda: dispatch.redispatch("aten::relu", 5, X),
                     lambda: dispatch.call_boxed("aten::relu"),
                     lambda: dispatch.call_boxed("aten::relu", "a"),
                     lambda: dispatch.call_boxed("aten::relu", X, X),
                     lambda: dispatch.call_boxed("aten::relu", X, no=1),
                     lambda: dispatch.explain("no::such", X),
                     lambda: dispatch.tls_set_included("Autograd", True)):
            self.assertRaises((TypeError, AttributeError, LookupError, RuntimeError), call)


X = opyard.tensor([-1.0, 2.0])


class CallTest(unittest.TestCase):
    def test_call_boxed_and_redispatch(self):
        self.assertEqual(dispatch.call_boxed("aten::add.Tensor", X, X, alpha=2).tolist(), [-3, 6])
        keys = DispatchKeySet("CPU")
        self.assertEqual(dispatch.redispatch("aten::relu", keys, X).tolist(), [0, 2])
        values, indices = dispatch.call_boxed("aten::sort", X)
        self.assertEqual((values.tolist(), indices.tolist()), ([-1, 2], [0, 1]))
        self.assertEqual(dispatch.call_for_key("aten::relu", "CPU", X).tolist(), [0, 2])
        self.assertRaisesRegex(
            NotImplementedError, "Could not run 'aten::relu' with arguments from the 'CUDA' "
            "backend.", dispatch.redispatch, "aten::relu", DispatchKeySet("CUDA"), X)

    def test_call_tls(self):
        self.assertEqual(repr(dispatch.tls_included()),
                         "DispatchKeySet(BackendSelect, ADInplaceOrView)")
        self.assertTrue(dispatch.tls_is_excluded("AutocastCPU"))
        before = dispatch.tls_included(), dispatch.tls_excluded()
        with dispatch.include("Tracer"), dispatch.exclude("CPU"):
            self.assertTrue(dispatch.tls_is_included("Tracer"))
            self.assertTrue(dispatch.tls_is_excluded("CPU"))
            with dispatch.force(DispatchKeySet(), DispatchKeySet("CUDA")):
                self.assertEqual((dispatch.tls_included(), dispatch.tls_is_excluded("CPU")),
                                 (DispatchKeySet(), False))
        self.assertEqual((dispatch.tls_included(), dispatch.tls_excluded()), before)
        with dispatch.preserve():
            dispatch.tls_set_included("Tracer", True)
            dispatch.tls_set_excluded("CUDA", True)
        self.assertEqual((dispatch.tls_included(), dispatch.tls_excluded()), before)
        seen = []
        with dispatch.include("Tracer"):
            thread = threading.Thread(
                target=lambda: seen.append(dispatch.tls_is_included("Tracer")))
            thread.start()
            thread.join()
        self.assertEqual(seen, [False])
        guard = dispatch.include("Tracer")
        with guard, guard:
            pass
        self.assertFalse(dispatch.tls_is_included("Tracer"))

    def test_obs_01_trace(self):
        x = opyard.tensor([1.0])
        x.requires_grad = True
        with dispatch.trace() as lines:
            with dispatch.trace() as inner:
                opyard.relu(x)
            opyard.neg(X)
        opyard.relu(x)
        self.assertRegex(inner[0], r"^ \[call(Boxed)?\] op=\[aten::relu\], key=\[AutogradCPU\]$")
        self.assertRegex(inner[1], r"^  \[redispatch(Boxed)?\] op=\[aten::relu\], key=\[CPU\]$")
        self.assertEqual((len(inner), len(lines)), (2, 1))
        self.assertRegex(lines[0], r"op=\[aten::neg\], key=\[CPU\]$")


class ExplainTest(unittest.TestCase):
    def test_obs_12_explain(self):
        x = opyard.tensor([1.0])
        x.requires_grad = True
        found = dispatch.explain("aten::add.Tensor", x, X)
        self.assertEqual((found.op, found.slot, found.chosen.provenance),
                         ("aten::add.Tensor", "AutogradCPU", "autograd kernel"))
        self.assertEqual([name for name, _ in found.argument_keys], ["self", "other"])
        self.assertTrue(found.argument_keys[0][1].has("AutogradCPU"))
        self.assertFalse(found.argument_keys[1][1].has("AutogradCPU"))
        self.assertEqual([s.key for s in found.steps if s.verdict == "next"], ["CPU"])
        self.assertIn("argument self:", repr(found))
        self.assertIn("chosen", repr(found))
        html = found._repr_html_()
        self.assertEqual(html.count("<table>"), 2)
        self.assertIn("<b>AutogradCPU</b>", html)
        with dispatch.below_autograd():
            self.assertEqual(dispatch.explain("aten::add.Tensor", x, X).slot, "CPU")

    def test_obs_12_by_function(self):
        found = dispatch.explain(opyard.ops.aten.add, X, X)
        self.assertEqual((found.op, found.slot), ("aten::add.Tensor", "CPU"))
        self.assertEqual(dispatch.explain("aten::cat", [X, X]).slot, "CPU")

    def test_obs_12_nothing_runs(self):
        with _scoped_library("d", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", lambda x: self.fail("called"), "CPU")
            found = dispatch.explain("d::f", X)
            self.assertIn(__file__, found.chosen.kernel)
        with _scoped_library("d", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            self.assertIsNone(dispatch.explain("d::f", X).chosen)


if __name__ == "__main__":
    unittest.main()
