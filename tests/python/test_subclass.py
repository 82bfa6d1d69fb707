# SPDX-License-Identifier: Apache-2.0
"""Classes of tensors with __torch_dispatch__. Expected: what PyTorch 1.13 does with the same
programs, but for how often it calls detach."""
import copy
import gc
import threading
import unittest
import weakref

import opyard
from opyard import Tensor
from opyard.modes import DispatchMode, without_handlers
from opyard.utils._pytree import tree_map, tree_map_only


class Wrapper(Tensor):
    """Holds a tensor, and has none of its own."""

    __torch_function__ = opyard._C._disabled_torch_function_impl
    calls: list = []

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        return Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(),
            dtype=elem.dtype, layout=elem.layout, device=elem.device,
            requires_grad=requires_grad)

    def __init__(self, elem, requires_grad=False):
        self.elem = elem

    def __repr__(self):
        return f"Wrapper({self.elem})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Wrapper.calls.append((str(func), types))
        args, kwargs = tree_map_only(Wrapper, lambda t: t.elem, (args, kwargs or {}))
        return tree_map_only(Tensor, cls, func(*args, **kwargs))


class Slots(Wrapper):
    __slots__ = ["elem"]


class Logged(Tensor):
    """Has data of its own."""

    calls: list = []

    __torch_function__ = opyard._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        Logged.calls.append((cls.__name__, str(func)))
        return super().__torch_dispatch__(func, types, args, kwargs)


class Derived(Logged):
    pass


class Declines(Tensor):
    __torch_function__ = opyard._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


class Plain(Tensor):
    pass


class WrapperTest(unittest.TestCase):
    def setUp(self):
        Wrapper.calls.clear()
        self.x = Wrapper(opyard.tensor([1., 2.]), requires_grad=True)

    def names(self):
        return [name for name, _ in Wrapper.calls]

    def test_py_01_what_it_says_of_itself(self):
        x = self.x
        self.assertEqual((x.shape, x.stride(), str(x.device), x.dtype, x.requires_grad,
                          x.is_leaf, x.data_ptr(), repr(x)),
                         ((2,), (1,), "cpu", opyard.float32, True, True, 0,
                          "Wrapper(tensor([1., 2.]))"))
        self.assertEqual(Wrapper.calls, [])
        y = Wrapper(opyard.zeros(6).view(2, 3).t()[1:])
        self.assertEqual((y.shape, y.stride(), y.storage_offset()), ((2, 2), (1, 3), 1))

    def test_py_01_calls_and_gradients(self):
        x = self.x
        y = (x * 2).sum()
        self.assertIs(type(y), Wrapper)
        self.assertEqual(Wrapper.calls, [("aten.mul.Tensor", (Wrapper,)),
                                         ("aten.sum.default", (Wrapper,))])
        y.backward()
        self.assertIs(type(x.grad), Wrapper)
        self.assertEqual(x.grad.elem.tolist(), [2, 2])
        self.assertEqual([n for n in self.names()[2:] if n != "aten.detach.default"],
                         ["aten.ones_like.default", "aten.expand.default",
                          "aten.mul.Tensor"])

    def test_py_01_numbers(self):
        y = Wrapper(opyard.tensor(6.))
        self.assertEqual((y.item(), float(y), bool(y)), (6, 6, True))
        self.assertEqual(self.names(), ["aten._local_scalar_dense.default"] * 3)
        self.assertRaisesRegex(RuntimeError, "tolist.. is not supported for tensor subclasses",
                               y.tolist)
        self.assertRaisesRegex(RuntimeError, "numpy.. is not supported for tensor subclasses",
                               y.numpy)
        self.assertRaisesRegex(BufferError, "has a handler", memoryview, y)

    def test_py_01_index_write_iterate(self):
        x = self.x.detach()
        self.assertEqual([c.elem.item() for c in x], [1, 2])
        self.assertEqual((x[0].elem.item(), x[:1].elem.tolist()), (1, [1]))
        y = x.add_(1)
        self.assertIs(y, x)
        self.assertEqual(x.elem.tolist(), [2, 3])
        self.assertIs(type(x.data), Wrapper)
        self.assertEqual(copy.deepcopy(x).elem.tolist(), [2, 3])

    def test_py_01_one_tensor_is_one_object(self):
        for kind in (Wrapper, Slots):
            x = kind(opyard.ones(3), requires_grad=True)
            x.note = "kept"
            node = (x * x).grad_fn
            alive = weakref.ref(x)
            del x
            gc.collect()
            self.assertIsNone(alive())
            # The graph has the tensor: the object is made again, with all that it had.
            seen = node.next_functions[0][0].variable
            self.assertIs(type(seen), kind)
            self.assertEqual((seen.note, seen.elem.tolist()), ("kept", [1, 1, 1]))
            self.assertIs(node.next_functions[0][0].variable, seen)

    def test_py_01_objects_go(self):
        freed = []

        class Note:
            def __del__(self):
                freed.append(1)

        for kind in (Wrapper, Slots):
            for _ in range(10):
                x = kind(opyard.ones(3), requires_grad=True)
                x.note = Note()
                (x * x).sum().backward()
                del x
        gc.collect()
        self.assertEqual(len(freed), 20)

    def test_py_01_threads(self):
        def work():
            x = Wrapper(opyard.ones(5000), requires_grad=True)
            for _ in range(20):
                (x * x).sum().backward()
            found.append(x.grad.elem[0].item())

        found = []
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [40.0] * 4)

    def test_py_01_modes_see_calls_first(self):
        order = []

        class Mode(DispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                order.append((str(func), types))
                return func(*args, **(kwargs or {}))

        with Mode():
            self.x.detach().exp()
        # In its handler the mode is off: what the class calls it does not see.
        self.assertEqual(order, [("aten.detach.default", (Wrapper,)),
                                 ("aten.exp.default", (Wrapper,))])
        self.assertEqual(self.names()[-1], "aten.exp.default")

    def test_py_01_parameters(self):
        p = opyard.nn.Parameter(Wrapper(opyard.ones(2)))
        self.assertIs(type(p), Wrapper)
        self.assertIsInstance(p, opyard.nn.Parameter)
        self.assertTrue(p.requires_grad)
        module = opyard.nn.Module()
        module.p = p
        self.assertEqual(list(dict(module.named_parameters())), ["p"])
        self.assertNotIsInstance(Wrapper(opyard.ones(2)), opyard.nn.Parameter)

    def test_py_03_no_data_to_compute_with(self):
        with without_handlers():
            self.assertRaisesRegex(RuntimeError, "expected tensors with data", opyard.exp,
                                   self.x)

    def test_py_01_misuse(self):
        make = Tensor._make_wrapper_subclass
        self.assertRaisesRegex(TypeError, "Plain must define __torch_dispatch__", make, Plain,
                               (2,))
        self.assertRaisesRegex(TypeError, "cls must be a type", make, 3, (2,))
        self.assertRaises(RuntimeError, make, int, (2,))
        self.assertRaises(RuntimeError, make, Wrapper, (-2,))
        self.assertRaises(RuntimeError, make, Wrapper, (2,), strides=(1, 1))
        self.assertRaises((RuntimeError, OverflowError), make, Wrapper, (2**62, 2**62))
        self.assertRaises(RuntimeError, make, Wrapper, (2,), storage_offset=-1)
        self.assertRaises(TypeError, make, Wrapper, (2,), dtype=3)
        self.assertRaises(NotImplementedError, make, Wrapper, (2,), dispatch_device=True)
        again = ("Creating a new Tensor subclass {} but the raw Tensor object is already "
                 "associated to a python object of type Wrapper")
        self.assertRaisesRegex(RuntimeError, again.format("Wrapper"), Tensor._make_subclass,
                               Wrapper, self.x)
        self.assertRaisesRegex(RuntimeError, again.format("Plain"), self.x.as_subclass, Plain)


class DataTest(unittest.TestCase):
    def setUp(self):
        Logged.calls.clear()

    def test_py_01_super_runs_the_call(self):
        x = Tensor._make_subclass(Logged, opyard.ones(2))
        self.assertEqual((x + 1).tolist(), [2, 2])
        self.assertEqual(Logged.calls, [("Logged", "aten.add.Tensor")])
        self.assertIs(x.add_(1), x)
        self.assertEqual(opyard.cat([x, x]).shape, (4,))
        self.assertEqual(Logged.calls[-1], ("Logged", "aten.cat.default"))
        self.assertEqual(repr(x), "Logged([2., 2.])")

    def test_py_01_subclasses_first(self):
        x, y = (Tensor._make_subclass(c, opyard.ones(1)) for c in (Logged, Derived))
        opyard.add(x, y)
        opyard.add(y, x)
        self.assertEqual([name for name, _ in Logged.calls], ["Derived", "Derived"])

    def test_py_01_not_implemented(self):
        x = Tensor._make_subclass(Declines, opyard.ones(2))
        self.assertRaisesRegex(
            TypeError, "Multiple dispatch failed for 'aten::add.Tensor'; all "
            r"__torch_dispatch__ handlers returned NotImplemented:\n\n  - tensor subclass "
            "<class '.*Declines'>", opyard.add, x, 1)
        y = Tensor._make_subclass(Logged, opyard.ones(2))
        self.assertEqual((x + y).tolist(), [2, 2])  # the other one is asked

    def test_py_03_disabled(self):
        disabled = opyard._C._disabled_torch_dispatch_impl
        self.assertIs(Tensor.__torch_dispatch__, disabled)

        class Off(Logged):
            __torch_dispatch__ = disabled

        x = Tensor._make_subclass(Off, opyard.ones(2))
        self.assertEqual(((x + 1).tolist(), Logged.calls), ([2, 2], []))
        y = Tensor._make_subclass(Logged, opyard.ones(2))
        self.assertEqual(disabled(opyard.ops.aten.add.Tensor, (), (y, 2)).tolist(), [3, 3])
        self.assertEqual(Logged.calls, [])
        self.assertRaises(TypeError, disabled)

    def test_py_01_classes_without_the_method(self):
        x = opyard.tensor([1., 2.], requires_grad=True)
        y = (x * 2).as_subclass(Plain)
        self.assertEqual((type(y), y.grad_fn.name()), (Plain, "AliasBackward0"))
        y.sum().backward()
        self.assertEqual((x.grad.tolist(), repr(y.detach().as_subclass(Plain))),
                         ([2, 2], "Plain([2., 4.])"))
        self.assertRaisesRegex(RuntimeError, "does not inherit from Tensor", x.as_subclass, int)
        self.assertRaises(TypeError, x.as_subclass, 3)

    def test_tree_map(self):
        self.assertEqual(tree_map(lambda n: n + 1, {"a": [1, (2,)]}), {"a": [2, (3,)]})


if __name__ == "__main__":
    unittest.main()
