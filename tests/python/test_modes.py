# SPDX-License-Identifier: Apache-2.0
"""opyard.modes: handlers of threads and of tensors, fake tensors."""
import threading
import unittest

import opyard
from opyard import dispatch, library
from opyard.modes import (DispatchMode, FakeTensorMode, TensorHandler, TorchDispatchMode,
                          current_mode, entry_state, is_fake, without_handlers)


def ones(*sizes):
    return opyard.ones(list(sizes))


class Log(DispatchMode):
    def __init__(self, name="", into=None):
        super().__init__()
        self.name, self.calls = name, [] if into is None else into

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls.append(self.name + func.name)
        return func(*args, **(kwargs or {}))


class ModeTest(unittest.TestCase):
    def test_py_01_calls_as_in_torch(self):
        seen = []

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                seen.append((func, types, len(args), kwargs))
                return func(*args, **kwargs)

        x = ones(2)
        with Mode() as mode:
            self.assertIs(current_mode(), mode)
            y = opyard.add(x, x, alpha=3)
        self.assertIsNone(current_mode())
        self.assertEqual(y.tolist(), [4, 4])
        self.assertEqual(seen, [(opyard.ops.aten.add.Tensor, (), 2, {"alpha": 3})])
        self.assertIs(seen[0][0], opyard.ops.aten.add.Tensor)

    # What PyTorch 1.13's __torch_dispatch__ sees: its parser makes tensors of numbers first.
    def test_py_01_numbers_are_tensors(self):
        x, out = ones(2), ones(2)
        for call, name in (
                (lambda: opyard.add(x, 1, out=out), "aten::add.out"),
                (lambda: opyard.sub(1, x, out=out), "aten::sub.out"),
                (lambda: opyard.mul(x, 2.5), "aten::mul.Tensor"),
                (lambda: opyard.div(x, 2, rounding_mode="floor"), "aten::div.Tensor_mode"),
                (lambda: opyard.div(x, 2, rounding_mode="floor", out=out),
                 "aten::div.out_mode"),
                (lambda: opyard.floor_divide(x, 2, out=out), "aten::floor_divide.out"),
                (lambda: out.copy_(3), "aten::copy_"),
                (lambda: opyard.pow(x, 2, out=out), "aten::pow.Tensor_Scalar_out"),
                (lambda: opyard.fmod(x, 2, out=out), "aten::fmod.Scalar_out")):
            calls = []
            with Log(into=calls):
                call()
            self.assertEqual(calls[0], name)
        self.assertEqual(out.tolist(), [1, 1])

    def test_py_01_inner_modes_see_calls_first(self):
        calls = []
        x = ones(1)
        with Log("outer ", calls), Log("inner ", calls):
            opyard.relu(x)
        self.assertEqual(calls, ["inner aten::relu", "outer aten::relu"])
        opyard.relu(x)
        self.assertEqual(len(calls), 2)

    def test_py_01_one_mode_twice_and_by_two_threads(self):
        mode, x = Log(), ones(1)
        with mode, mode:
            opyard.relu(x)
        self.assertEqual(len(mode.calls), 2)

        def work():
            with mode:
                for _ in range(50):
                    opyard.relu(x)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(mode.calls), 202)
        self.assertIsNone(current_mode())

    def test_py_01_exceptions_end_the_mode(self):
        class Bad(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                raise KeyError("mine")

        with self.assertRaises(KeyError):
            with Bad():
                ones(1)
        self.assertEqual(ones(1).tolist(), [1])

    def test_py_01_popped_out_of_order(self):
        outer, inner = Log(), Log()
        outer.__enter__()
        inner.__enter__()
        self.assertRaisesRegex(RuntimeError, "modes are popped in reverse order",
                               outer.__exit__, None, None, None)
        inner.__exit__(None, None, None)
        outer.__exit__(None, None, None)
        self.assertIsNone(current_mode())

    def test_py_01_not_implemented(self):
        class No(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return NotImplemented

            def __repr__(self):
                return "<No>"

        with No():
            with self.assertRaisesRegex(TypeError, (
                    "Multiple dispatch failed for 'aten::relu'; all __torch_dispatch__ handlers "
                    "returned NotImplemented:\n\n  - mode object <No>\n\nFor more information, "
                    "try re-running with TORCH_LOGS=not_implemented")):
                opyard.relu(X)

    def test_py_01_names(self):
        self.assertIs(opyard.DispatchMode, DispatchMode)
        self.assertIs(TorchDispatchMode, DispatchMode)

    def test_py_01_dispatch_method(self):
        class Other(DispatchMode):
            def __dispatch__(self, func, types, args, kwargs):
                return func(*args, **kwargs) + 1

        with Other():
            y = opyard.relu(X)
        self.assertEqual(y.tolist(), [3])
        with self.assertRaisesRegex(NotImplementedError, "needs a method __torch_dispatch__"):
            with DispatchMode():
                opyard.relu(X)

    def test_py_04_results(self):
        class Gives(DispatchMode):
            def __init__(self, value):
                super().__init__()
                self.value = value

            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return self.value

        for value, error, text in ((5, RuntimeError, "Unable to cast 5 to Tensor"),
                                   ((X, X), RuntimeError, "Unable to cast")):
            with self.assertRaisesRegex(error, text):
                with Gives(value):
                    opyard.relu(X)
        with self.assertRaisesRegex(RuntimeError, "to return 2 values but it returned 3"):
            with Gives((X, X, X)):
                opyard.sort(X)
        with self.assertRaisesRegex(TypeError, "is not an instance of 'sequence'"):
            with Gives(5):
                opyard.sort(X)

    def test_py_01_autograd_has_run(self):
        x = opyard.tensor([2.0])
        x.requires_grad = True
        seen = []

        class Mode(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                seen.append((func.name, args[0].requires_grad if args else None))
                return func(*args, **kwargs)

        with Mode():
            (x * x).sum().backward()
        self.assertEqual(x.grad.tolist(), [4])
        self.assertEqual(seen[0][0], "aten::mul.Tensor")
        self.assertGreater(len(seen), 2)  # the backward, too

    def test_py_02_sets_at_entry(self):
        x = opyard.tensor([2.0])
        x.requires_grad = True
        results = []

        class Mode(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                inside = func(*args, **kwargs)
                with entry_state():
                    results.append((inside.requires_grad, (args[0] * 2).requires_grad))
                return inside

        with Mode():
            opyard.relu(x)
        self.assertEqual(results[0], (False, True))
        with self.assertRaisesRegex(
                RuntimeError, "Accessing torch dispatch state outside of '__torch_dispatch__' is "
                "not allowed."):
            with entry_state():
                pass

    def test_py_01_rules_for_a_class(self):
        class Mode(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **kwargs)

        with library._scoped_library("aten", "FRAGMENT") as lib:
            @library.register_torch_dispatch("aten::relu", Mode, lib=lib)
            def _(mode, func, types, args, kwargs):
                return args[0] * 100

            with Mode():
                self.assertEqual(opyard.relu(X).tolist(), [200])
            with Log():
                self.assertEqual(opyard.relu(X).tolist(), [2])
        with Mode():
            self.assertEqual(opyard.relu(X).tolist(), [2])


X = opyard.tensor([2.0])


class Handler(TensorHandler):
    calls: list = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        type(self).calls.append((type(self).__name__, func.name, types))
        with without_handlers():
            return func(*args, **(kwargs or {}))


class Extended(Handler):
    pass


class TensorTest(unittest.TestCase):
    def setUp(self):
        Handler.calls.clear()

    def test_py_01_a_tensor_with_a_handler(self):
        handler = Handler()
        x = handler.attach(ones(2))
        self.assertIs(TensorHandler.of(x), handler)
        self.assertIsNone(TensorHandler.of(ones(2)))
        self.assertEqual((x + ones(2)).tolist(), [2, 2])
        self.assertEqual(Handler.calls, [("Handler", "aten::add.Tensor", (Handler,))])
        self.assertRaisesRegex(RuntimeError, "the tensor has a handler", handler.attach, x)

    def test_py_01_subclasses_first(self):
        x, y = Handler().attach(ones(1)), Extended().attach(ones(1))
        opyard.add(x, y)
        opyard.add(y, x)
        self.assertEqual([call[0] for call in Handler.calls], ["Extended"] * 2)
        self.assertEqual(Handler.calls[0][2], (Handler, Extended))

    def test_py_01_modes_before_tensors(self):
        log = Log("mode ")
        x = Handler().attach(ones(1))
        with log:
            opyard.relu(x)
        self.assertEqual((log.calls, len(Handler.calls)), (["mode aten::relu"], 1))

    def test_py_03_no_endless_recursion(self):
        class Again(TensorHandler):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                return func(*args, **kwargs)

        x = Again().attach(ones(1))
        self.assertRaisesRegex((RuntimeError, RecursionError), "maximum recursion depth",
                               opyard.relu, x)

    def test_py_03_handlers_off(self):
        x = Handler().attach(ones(1))
        with without_handlers():
            opyard.relu(x)
        self.assertEqual(Handler.calls, [])

    def test_py_01_what_is_no_handler(self):
        self.assertRaises(TypeError, TensorHandler().attach, X)
        self.assertRaises(TypeError, Handler().attach, 5)


class FakeTest(unittest.TestCase):
    def test_meta_03_mode(self):
        with FakeTensorMode():
            x = opyard.ones([2, 3])
            y = opyard.mm(x, x.t())
        self.assertTrue(is_fake(y))
        self.assertEqual((y.shape, str(y.device), y.dtype), ((2, 2), "cpu", opyard.float32))
        self.assertFalse(is_fake(opyard.ones([1])))
        self.assertRaisesRegex(RuntimeError, "Please convert all Tensors to FakeTensors first",
                               opyard.add, y, opyard.ones([2, 2]))
        self.assertRaisesRegex(RuntimeError, "Mixing fake modes NYI", opyard.add, y,
                               FakeTensorMode().from_tensor(opyard.ones([2, 2])))
        loose = FakeTensorMode(allow_non_fake_inputs=True)
        self.assertEqual(
            opyard.add(loose.from_tensor(opyard.ones([2])), opyard.ones([2])).shape, (2,))

    def test_meta_03_misuse(self):
        self.assertRaises(TypeError, FakeTensorMode().from_tensor, 5)
        self.assertFalse(is_fake(None))


class GuardTest(unittest.TestCase):
    def test_below_autograd(self):
        x = opyard.tensor([2.0])
        x.requires_grad = True
        with dispatch.below_autograd():
            self.assertFalse((x * x).requires_grad)
        self.assertTrue((x * x).requires_grad)


if __name__ == "__main__":
    unittest.main()
