# SPDX-License-Identifier: Apache-2.0
"""opyard.library.Library: definitions, kernels, fallbacks, and what becomes of them."""
import gc
import subprocess
import sys
import traceback
import unittest
import warnings
import weakref

import opyard
from opyard import dispatch, library
from opyard.library import Library, _scoped_library, fallthrough_kernel


def ones(*sizes):
    return opyard.ones(list(sizes))


class DefineTest(unittest.TestCase):
    def test_reg_22_define_gives_the_name(self):
        with _scoped_library("t", "DEF") as lib:
            self.assertEqual(lib.define("f(Tensor x) -> Tensor"), "f")
            self.assertEqual(lib.define("f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"),
                             "f.out")
            self.assertEqual(opyard.ops.t.f.overloads(), ["default", "out"])

    def test_reg_24_place_and_alias_kind(self):
        with _scoped_library("t", "FRAGMENT") as lib:
            lib.define("f(Tensor x) -> Tensor", "PURE_FUNCTION")
            line = sys._getframe().f_lineno - 1
            self.assertEqual(dispatch.dump_state("t::f"), (
                "name: t::f\nschema: t::f(Tensor x) -> Tensor\n"
                f"debug: registered at {__file__}:{line}\n"
                "alias analysis kind: PURE_FUNCTION\n"))

    def test_reg_22_tags(self):
        with _scoped_library("t", "DEF") as lib:
            lib.define("f() -> ()", tags=("core", "pointwise"))
            self.assertEqual(opyard.ops.t.f.default.tags, "core pointwise")

    def test_reg_01_02_03_errors(self):
        with _scoped_library("t", "DEF") as lib, _scoped_library("t", "IMPL", "CPU") as impl:
            lib.define("f(Tensor x) -> Tensor")
            for error, text, call in (
                    (ValueError, r"\('Unsupported kind: ', 'FOO'\)",
                     lambda: Library("t", "FOO")),
                    (ValueError, r"\('prim', ' is a reserved namespace. Please try creating a "
                     r"library with another name.'\)", lambda: Library("prim", "DEF")),
                    (RuntimeError, "Only a single TORCH_LIBRARY can be used to register the "
                     "namespace t; ", lambda: Library("t", "DEF")),
                    (RuntimeError, r"Tried to register an operator \(t::f\(Tensor x\) -> Tensor"
                     r"\) with the same name and overload name multiple times.",
                     lambda: lib.define("f(Tensor x) -> Tensor")),
                    (RuntimeError, "Cannot define an operator inside of a TORCH_LIBRARY_IMPL "
                     "block.", lambda: impl.define("g() -> ()")),
                    (RuntimeError, r"Explicitly provided namespace \(u\) in schema string does "
                     "not match", lambda: lib.define("u::g() -> ()")),
                    (RuntimeError, "Invalid alias_analysis type FOO",
                     lambda: lib.define("g() -> ()", "FOO")),
                    (RuntimeError, "could not parse dispatch key: Foo",
                     lambda: lib.impl("f", ones, "Foo")),
                    (TypeError, "Input function is required to be a callable but found type "
                     "<class 'int'>", lambda: lib.impl("f", 5)),
                    (RuntimeError, "impl should be passed either a name or an OpOverload object "
                     "as the first argument", lambda: lib.impl(5, ones)),
                    (RuntimeError, r"Explicitly provided dispatch key \(CUDA\) is inconsistent "
                     "with the dispatch key of the enclosing",
                     lambda: impl.impl("f", ones, "CUDA")),
                    (RuntimeError, "We should not register a meta kernel directly to the "
                     "operator 'matmul', because it has a CompositeImplicitAutograd kernel",
                     lambda: Library("aten", "IMPL", "Meta").impl("matmul", ones))):
                with self.subTest(text=text):
                    before = dispatch.dump_state("t::f")
                    self.assertRaisesRegex(error, text, call)
                    self.assertEqual(dispatch.dump_state("t::f"), before)

    def test_reg_22_one_kernel_from_python(self):
        with _scoped_library("t", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", lambda x: x + 1, "CPU")
            with self.assertRaisesRegex(RuntimeError, (
                    "This is not allowed since there's already a kernel registered from python "
                    "overriding f's behavior for CPU dispatch key and t namespace.")):
                lib.impl("f", lambda x: x + 2, "CPU")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lib.impl("f", lambda x: x + 3, "CPU", allow_override=True)
            self.assertEqual(opyard.ops.t.f(ones(1)).tolist(), [4])


class KernelTest(unittest.TestCase):
    """What kernels get, and what they may give. PyTorch does the same."""

    def setUp(self):
        self.lib = Library("k", "DEF")

    def tearDown(self):
        self.lib._destroy()

    def kernel(self, schema, fn, key="CompositeExplicitAutograd", **more):
        self.lib.impl(self.lib.define(schema), fn, key, **more)
        return getattr(opyard.ops.k, schema.partition("(")[0])

    def test_reg_22_defaults_are_left_out(self):
        seen = []

        def f(*args, **kwargs):
            seen.append((args[1:], kwargs))
            return args[0].clone()

        op = self.kernel("f(Tensor x, int a=1, int[2] l=0, *, float b=2.0, str? s=None, "
                         "bool c=False) -> Tensor", f)
        x = ones(1)
        op(x)
        op(x, 1, [0, 0], b=2.0, s=None, c=False)
        op(x, 1, [0, 1])
        op(x, 2, b=3.0, s="q", c=True)
        self.assertEqual(seen, [((), {}), ((), {}), ((1, [0, 1]), {}),
                                ((2,), {"b": 3.0, "s": "q", "c": True})])

    def test_reg_22_types_of_arguments(self):
        seen = []
        op = self.kernel(
            "f(Tensor? t, ScalarType? d, Device v, Layout l, MemoryFormat m, Scalar s, "
            "float[] fs, bool[] bs, str[] ss, Tensor?[] ts, int? q) -> ()",
            lambda *args: seen.append(args))
        x = ones(1)
        op(None, opyard.float16, opyard.device("cpu"), opyard.strided, opyard.channels_last,
           2.5, [1.0], [True], ["a", "b"], [None, x], 7)
        args = seen[0]
        self.assertEqual(args[:9], (None, opyard.float16, opyard.device("cpu"), opyard.strided,
                                    opyard.channels_last, 2.5, [1.0], [True], ["a", "b"]))
        self.assertIsNone(args[9][0])
        self.assertTrue(args[9][1].is_same(x))
        self.assertEqual(args[10], 7)

    def check_results(self, schema, good, bad):
        given = []
        op = self.kernel(schema, lambda *args: given[0])
        for value, wanted in good:
            given[:] = [value]
            self.assertEqual(op(), wanted, (schema, value))
        for value, error, text in bad:
            given[:] = [value]
            with self.subTest(schema=schema, value=repr(value)):
                self.assertRaisesRegex(error, text, op)

    def test_reg_22_results(self):
        x = ones(2)
        self.check_results("a() -> Tensor", [(None, None)],
                           [(5, RuntimeError, "Unable to cast 5 to Tensor"),
                            ([x], RuntimeError, "Unable to cast .* to Tensor")])
        self.check_results("b() -> int", [(5, 5), (True, 1), (opyard.tensor(2), 2)],
                           [(5.5, RuntimeError, "Unable to cast 5.5 to int"),
                            ("a", RuntimeError, "Unable to cast 'a' to int"),
                            (x, RuntimeError, "Unable to cast"),
                            (2**70, OverflowError, "")])
        self.check_results("c() -> int[]", [([1], [1]), ((1, 2), [1, 2]), ([], [])],
                           [(5, RuntimeError, "Unable to cast 5 to"),
                            ([1.5], RuntimeError, "Unable to cast")])
        self.check_results("d() -> float", [(1, 1.0), (2.5, 2.5)],
                           [("a", RuntimeError, "Unable to cast 'a' to float")])
        self.check_results("e() -> int?", [(None, None), (3, 3)], [])
        self.check_results("g() -> str", [("a", "a")], [(5, RuntimeError, "Unable to cast")])
        self.check_results("h() -> bool", [(True, True)],
                           [("a", RuntimeError, "Unable to cast")])
        none = "Expected PythonKernelHolder for k::i to return None but it returned something"
        self.check_results("i() -> ()", [(None, None)],
                           [(5, RuntimeError, none), ((), RuntimeError, none)])

    def test_reg_22_several_results(self):
        x = ones(2)
        self.check_results(
            "a() -> (Tensor, int)", [], [
                (5, TypeError, "Object of type 'int' is not an instance of 'sequence'"),
                (None, TypeError, "Object of type 'NoneType' is not an instance"),
                ((x, "a"), RuntimeError, "Unable to cast 'a' to int"),
                ((x,), RuntimeError, "to return 2 values but it returned 1 instead"),
                ((x, 1, 2), RuntimeError, "to return 2 values but it returned 3 instead")])
        op = self.kernel("b() -> (Tensor, int, Tensor[])", lambda: [x, 3, (x, x)])
        first, second, third = op()
        self.assertTrue(first.is_same(x))
        self.assertEqual((second, len(third)), (3, 2))

    def test_reg_22_in_place_and_out(self):
        add = self.kernel("add_(Tensor(a!) self, int n) -> Tensor(a!)", lambda x, n: x.add_(n))
        x = ones(2)
        self.assertIs(add(x, 2), x)
        self.assertEqual(x.tolist(), [3, 3])
        fill = self.kernel("fill(Tensor x, *, Tensor(a!) out) -> Tensor(a!)",
                           lambda x, *, out: out.copy_(x))
        out = opyard.zeros([2])
        self.assertIs(fill(x, out=out), out)
        self.assertEqual(out.tolist(), [3, 3])

    def test_reg_22_exceptions_are_the_same_object(self):
        class Own(Exception):
            pass

        raised = Own("here")

        def f(x):
            raise raised

        def outer(x):
            return opyard.ops.k.f(x)

        op = self.kernel("f(Tensor x) -> Tensor", f)
        self.assertRaises(Own, op, ones(1))
        nested = self.kernel("g(Tensor x) -> Tensor", outer)
        for call in (op, nested):
            try:
                call(ones(1))
            except Own as caught:
                self.assertIs(caught, raised)
            else:
                self.fail("nothing was raised")
        names = [frame.name for frame in traceback.extract_tb(raised.__traceback__)]
        self.assertEqual((names[-1], "outer" in names), ("f", True))
        for kind in (KeyboardInterrupt, SystemExit, MemoryError, NotImplementedError):
            def interrupted(kind=kind):
                raise kind("x")

            op = self.kernel(f"h{kind.__name__}() -> ()", interrupted)
            self.assertRaises(kind, op)

    def test_reg_22_an_exception_that_was_handled_is_gone(self):
        def quiet(x):
            try:
                opyard.ops.k.f(x)
            except ZeroDivisionError:
                pass
            return opyard.mm(x, x)  # fails in C

        self.kernel("f(Tensor x) -> Tensor", lambda x: 1 / 0)
        op = self.kernel("g(Tensor x) -> Tensor", quiet)
        self.assertRaisesRegex(RuntimeError, "must be a matrix", op, ones(2))

    def test_reg_22_exceptions_hold_nothing_afterwards(self):
        class Canary:
            pass

        canary = Canary()
        gone = weakref.ref(canary)

        def f(x):
            held = canary
            raise ValueError(held)

        op = self.kernel("f(Tensor x) -> Tensor", f)
        try:
            op(ones(1))
        except ValueError:
            pass
        del canary, f, op
        self.lib._destroy()
        gc.collect()
        self.assertIsNone(gone())

    def test_reg_22_with_keyset(self):
        seen = []

        def f(keys, x):
            seen.append(keys)
            below = dispatch.full_after("AutogradCPU")
            return dispatch.redispatch("k::f", keys & below, x)

        op = self.kernel("f(Tensor x) -> Tensor", lambda x: x + 1)
        self.lib.impl("f", f, "Autograd", with_keyset=True)
        x = ones(1)
        x.requires_grad = True
        self.assertEqual(op(x).tolist(), [2])
        self.assertEqual(seen[0].highestPriorityTypeId(), dispatch.DispatchKey.AutogradCPU)
        self.assertTrue(seen[0].has("CPU"))

    def test_reg_22_fallthrough(self):
        op = self.kernel("f(Tensor x) -> Tensor", lambda x: x + 1, "CPU")
        self.lib.impl("f", fallthrough_kernel, "AutogradCPU")
        self.assertTrue(dispatch.kernel_is_fallthrough("k::f", "AutogradCPU"))
        self.assertEqual(op(ones(1)).tolist(), [2])
        self.assertRaises(NotImplementedError, fallthrough_kernel)

    def test_reg_22_a_kernel_that_removes_itself(self):
        def f(x):
            self.lib._destroy()
            gc.collect()
            return x + 1

        op = self.kernel("f(Tensor x) -> Tensor", f).default
        del f
        self.assertEqual(op(ones(1)).tolist(), [2])
        self.assertRaises(LookupError, op, ones(1))

    def test_reg_22_override_of_a_builtin(self):
        x = opyard.tensor([-1.0, 2.0])
        with _scoped_library("aten", "IMPL") as lib:
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                lib.impl("relu", lambda x: x * 10, "CPU")
            self.assertEqual(opyard.relu(x).tolist(), [-10, 20])
        self.assertEqual(opyard.relu(x).tolist(), [0, 2])

    def test_reg_22_override_of_a_part(self):
        # clone is empty and copy_, as in PyTorch, however short the way for small tensors.
        self.assertEqual(ones(2).clone().tolist(), [1, 1])
        with _scoped_library("aten", "IMPL") as lib:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lib.impl("copy_", lambda x, y, non_blocking=False: x.fill_(7.0), "CPU",
                         allow_override=True)
            self.assertEqual(ones(2).clone().tolist(), [7, 7])
        self.assertEqual(ones(2).clone().tolist(), [1, 1])


class LifeTest(unittest.TestCase):
    def test_reg_22_gone_with_the_object(self):
        lib = Library("l", "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x, "CPU")
        op = opyard.ops.l.f.default
        del lib
        gc.collect()
        self.assertEqual(dispatch.dump_state("l::f"), "")
        self.assertNotIn("l::f", dispatch.op_names())
        self.assertRaises(LookupError, op, ones(1))
        self.assertRaises(AttributeError, lambda: opyard.ops.l.f)
        Library("l", "DEF")  # the namespace is free

    def test_reg_22_destroyed_twice(self):
        lib = Library("l", "DEF")
        lib._destroy()
        lib._destroy()
        self.assertRaisesRegex(RuntimeError, "the library was destroyed", lib.define, "f() -> ()")

    def test_reg_08_the_next_newest_becomes_active(self):
        with _scoped_library("l", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", lambda x: x + 1, "CPU")
            with _scoped_library("l", "IMPL") as other:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    other.impl("f", lambda x: x + 2, "CPU", allow_override=True)
                self.assertEqual([r.active for r in dispatch.registrations("l::f")],
                                 [True, False])
                self.assertEqual(opyard.ops.l.f(ones(1)).tolist(), [3])
            self.assertEqual(opyard.ops.l.f(ones(1)).tolist(), [2])

    def test_reg_14_impl_before_def(self):
        with _scoped_library("l", "FRAGMENT") as lib:
            lib.impl("f", lambda x: x + 1, "CPU")
            self.assertEqual(len(dispatch.find_dangling_impls()), 1)
            self.assertIn("name: l::f\nschema: (none)\nCPU: registered at",
                          dispatch.find_dangling_impls()[0])
            lib.define("f(Tensor x) -> Tensor")
            self.assertEqual(dispatch.find_dangling_impls(), [])
            self.assertEqual(opyard.ops.l.f(ones(1)).tolist(), [2])

    def test_reg_11_fallback(self):
        seen = []

        def f(op, *args, **kwargs):
            seen.append(op.name)
            with dispatch.exclude("TESTING_ONLY_GenericMode"):
                return op(*args, **kwargs)

        with _scoped_library("_", "IMPL") as lib:
            lib.fallback(f, "TESTING_ONLY_GenericMode")
            with dispatch.include("TESTING_ONLY_GenericMode"):
                self.assertEqual((ones(1) + ones(1)).tolist(), [2])
            with _scoped_library("_", "IMPL") as other:
                self.assertRaisesRegex(
                    RuntimeError, "Tried to register multiple backend fallbacks for the same "
                    "dispatch key TESTING_ONLY_GenericMode; previous registration",
                    other.fallback, f, "TESTING_ONLY_GenericMode")
        self.assertEqual(seen, ["aten::ones", "aten::ones", "aten::add.Tensor"])
        with _scoped_library("l", "IMPL") as lib:
            self.assertRaisesRegex(
                RuntimeError, 'Fallback can only be registered using libary fragment on the '
                'global namespace "_" but it is l', lib.fallback, f, "CPU")

    def test_reg_22_with_keyset_fallback(self):
        seen = []

        def f(keys, op, *args, **kwargs):
            seen.append((type(keys), op.name))
            return dispatch.redispatch(
                op, keys & dispatch.full_after("TESTING_ONLY_GenericMode"), *args, **kwargs)

        with _scoped_library("_", "IMPL", "TESTING_ONLY_GenericMode") as lib:
            lib.fallback(f, with_keyset=True)
            with dispatch.include("TESTING_ONLY_GenericMode"):
                opyard.relu(ones(1))
        self.assertIn((dispatch.DispatchKeySet, "aten::relu"), seen)

    def run_script(self, text):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_reg_22_exit_of_the_interpreter(self):
        text = """
import atexit, opyard
from opyard.library import Library
lib = Library("e", "DEF")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", lambda x: x + 1, "CPU")
op = opyard.ops.e.f.default
class Late:
    def __del__(self):
        try:
            op(x)
        except BaseException as error:
            print("late", type(error).__name__)
x = opyard.ones([1])
late = Late()
keep = [lib, late]; keep.append(keep)
atexit.register(lambda: print("at exit", op(x).tolist()))
"""
        lines = self.run_script(text).splitlines()
        self.assertEqual(lines[0], "at exit [2.0]")

    def test_reg_22_exit_with_threads_in_kernels(self):
        text = """
import threading, time, opyard
from opyard.library import Library
lib = Library("e", "DEF")
lib.define("f(Tensor x) -> Tensor")
lib.impl("f", lambda x: x + 1, "CPU")
op, x = opyard.ops.e.f.default, opyard.ones([1])
def work():
    while True:
        op(x)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("done")
"""
        self.assertEqual(self.run_script(text), "done\n")


class LeakTest(unittest.TestCase):
    def test_reg_22_nothing_leaks(self):
        x = ones(1000)

        def everything():
            with _scoped_library("leak", "DEF") as lib, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lib.m.define("f(Tensor x, int n=1) -> (Tensor, Tensor)")
                lib.m.impl("f", lambda x, n=1: (x + n, x), "CPU")
                dispatch.call_boxed("leak::f", x)
                dispatch.explain("leak::f", x)
                lib.m.define("bad(Tensor x) -> (Tensor, Tensor)")
                lib.m.impl("bad", lambda x: (x + 1, 5), "CPU")
                lib.m.define("raises(Tensor x) -> Tensor")
                lib.m.impl("raises", lambda x: 1 / 0, "CPU", with_keyset=False)
                for wrong in (lambda: dispatch.call_boxed("leak::bad", x),
                              lambda: dispatch.call_boxed("leak::raises", x),
                              lambda: dispatch.call_boxed("leak::f", x, "a"),
                              lambda: lib.m.define("f(Tensor"),
                              lambda: lib.m.impl("f", 5, "CPU"),
                              lambda: lib.m.impl("other::f", print, "CPU"),
                              lambda: dispatch.has_kernel("leak::f", "Nothing")):
                    try:
                        wrong()
                    except (TypeError, RuntimeError, ZeroDivisionError):
                        pass
                    else:
                        self.fail("nothing was raised")

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        for _ in range(50):
            everything()
        gc.collect()
        before = resident()
        for _ in range(300):
            everything()
        gc.collect()
        self.assertLess(resident() - before, 300000)


class FunctionsTest(unittest.TestCase):
    def test_reg_22_define_and_impl(self):
        with _scoped_library("fn", "FRAGMENT") as lib:
            library.define("fn::f", "(Tensor x) -> Tensor", lib=lib)

            @library.impl("fn::f", "cpu", lib=lib)
            def f(x):
                return x * 3

            self.assertEqual(opyard.ops.fn.f(ones(1)).tolist(), [3])
            self.assertTrue(dispatch.has_kernel("fn::f", "CPU"))
            library.define("fn::g", "(Tensor x) -> Tensor", lib=lib)
            library.impl("fn::g", "default", lambda x: x * 4, lib=lib)
            self.assertTrue(dispatch.has_kernel("fn::g", "CompositeExplicitAutograd"))

            @library.define(lib, "h(Tensor x) -> Tensor")
            def h(x):
                return x * 5

            self.assertEqual(opyard.ops.fn.h(ones(1)).tolist(), [5])

            @library.impl(lib, "h", "CPU")
            def other(x):
                return x * 6

            self.assertEqual(opyard.ops.fn.h(ones(1)).tolist(), [6])

    def test_reg_22_errors(self):
        for error, text, call in (
                (ValueError, 'expected schema to look like e.g. "\\(Tensor x\\) -> Tensor" but '
                 'got "f\\(x\\)"', lambda: library.define("fn::f", "f(x)")),
                (ValueError, 'Expected `qualname` to be of the form "namespace::name", but got '
                 'f. ', lambda: library.define("f", "() -> ()")),
                (ValueError, "expected qualname to be instance of str, got <class 'int'>",
                 lambda: library.define(5, "() -> ()")),
                (RuntimeError, "device type at start of device string: nowhere",
                 lambda: library.impl("fn::f", "nowhere", ones)),
                (ValueError, r"register_fake\(5\): got unexpected type for op: <class 'int'>",
                 lambda: library.register_fake(5)),
                (ValueError, r"register_kernel\(5\): got unexpected type for op",
                 lambda: library.register_kernel(5, "cpu"))):
            with self.subTest(text=text):
                self.assertRaisesRegex(error, text, call)

    def test_reg_22_c_functions(self):
        import ctypes

        address = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: None)
        pointer = ctypes.cast(address, ctypes.c_void_p).value
        with _scoped_library("fn", "DEF") as lib:
            lib.define("f(Tensor x, Tensor y) -> Tensor")
            with self.assertRaisesRegex(
                    RuntimeError, "reason: The number of arguments is different. 2 vs 1."):
                lib.impl("f", library.CFunction(pointer, "(Tensor) -> Tensor"), "CPU")
            lib.impl("f", library.CFunction(pointer, "(Tensor, Tensor) -> Tensor"), "CPU")
            self.assertEqual(dispatch.registrations("fn::f")[0].signature,
                             "(Tensor _0, Tensor _1) -> Tensor _0")
            self.assertRaises(ValueError, lib.impl, "f", library.CFunction(0), "CUDA")


if __name__ == "__main__":
    unittest.main()
