# SPDX-License-Identifier: Apache-2.0
"""__torch_function__: which functions classes are asked for, in which order, and with what.
Names, types, results and messages are those that PyTorch 1.13 has for the same programs; where
it has two names for one sign (div and __truediv__), either."""
import threading
import unittest

import opyard
from opyard import Tensor

LOG: list = []


def name_of(func):
    """ "add", "__rsub__", "shape.__get__"."""
    owner = getattr(func, "__self__", None)
    name = getattr(func, "__name__", "")
    return f"{owner.__name__}.{name}" if name in ("__get__", "__set__") else name


class Logged(Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        LOG.append((name_of(func), [t.__name__ for t in types],
                    [type(a).__name__ for a in args], kwargs))
        return super().__torch_function__(func, types, args, kwargs)


class Derived(Logged):
    pass


class Plain(Tensor):
    """Says nothing, so that its results are of it."""


class Other:
    """No tensor at all."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        LOG.append((name_of(func), [t.__name__ for t in types],
                    [type(a).__name__ for a in args], kwargs))
        return "answered"


class Declines:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def set_item(x):
    x[0] = 1


def set_grad(x):
    x.grad = None


def add_to(x):
    x += 1
    return x


class OverridesTest(unittest.TestCase):
    def setUp(self):
        self.x = opyard.ones(2, 2).as_subclass(Logged)
        self.y = opyard.ones(2, 2).as_subclass(Derived)
        self.t, self.u = opyard.ones(2, 2), Other()
        LOG.clear()

    def check(self, rows, types):
        for call, name, args, result in rows:
            LOG.clear()
            with self.subTest(name):
                got = call()
                self.assertEqual((LOG[0][0], LOG[0][1], LOG[0][2]), (name, types, args))
                self.assertEqual(type(got).__name__, result)

    def test_signs(self):
        x, t, both = self.x, self.t, ["Logged", "int"]
        self.check([
            (lambda: x + t, "add", ["Logged", "Tensor"], "Logged"),
            (lambda: t + x, "add", ["Tensor", "Logged"], "Logged"),
            (lambda: 1 + x, "add", both, "Logged"),
            (lambda: x - 1, "sub", both, "Logged"),
            (lambda: 1 - x, "__rsub__", both, "Logged"),
            (lambda: 3 * x, "mul", both, "Logged"),
            (lambda: x / 2, "div", both, "Logged"),
            (lambda: 1 / x, "__rtruediv__", both, "Logged"),
            (lambda: x // 2, "__floordiv__", both, "Logged"),
            (lambda: 1 // x, "__rfloordiv__", both, "Logged"),
            (lambda: x % 2, "remainder", both, "Logged"),
            (lambda: 5 % x, "__rmod__", both, "Logged"),
            (lambda: x**2, "pow", both, "Logged"),
            (lambda: 2**x, "__rpow__", both, "Logged"),
            (lambda: x @ x, "matmul", ["Logged", "Logged"], "Logged"),
            (lambda: -x, "neg", ["Logged"], "Logged"),
            (lambda: abs(x), "abs", ["Logged"], "Logged"),
            (lambda: x == t, "eq", ["Logged", "Tensor"], "Logged"),
            (lambda: x < 1, "lt", both, "Logged"),
            (lambda: 1 < x, "gt", both, "Logged"),
            (lambda: add_to(x), "add_", both, "Logged"),
        ], ["Logged"])
        self.assertEqual((self.x - 1).tolist(), [[1, 1], [1, 1]])
        self.assertEqual((3 - self.x).tolist(), [[1, 1], [1, 1]])

    def test_functions_and_methods(self):
        x, t = self.x, self.t
        self.check([
            (lambda: opyard.add(x, t), "add", ["Logged", "Tensor"], "Logged"),
            (lambda: opyard.add(t, other=x), "add", ["Tensor"], "Logged"),
            (lambda: t.add(x), "add", ["Tensor", "Logged"], "Logged"),
            (lambda: opyard.cat([t, x]), "cat", ["list"], "Logged"),
            (lambda: opyard.zeros_like(x), "zeros_like", ["Logged"], "Logged"),
            (lambda: x.view(4), "view", ["Logged", "int"], "Logged"),
            (lambda: x.unbind()[1], "unbind", ["Logged"], "Logged"),
            (lambda: x.max(0).values, "max", ["Logged", "int"], "Logged"),
            (lambda: x.size(0), "size", ["Logged", "int"], "int"),
            (lambda: x.dim(), "dim", ["Logged"], "int"),
            (lambda: x.numel(), "numel", ["Logged"], "int"),
            (lambda: x.tolist(), "tolist", ["Logged"], "list"),
            (lambda: len(x), "__len__", ["Logged"], "int"),
            (lambda: x[0], "__getitem__", ["Logged", "int"], "Logged"),
            (lambda: t[x > 0], "gt", ["Logged", "int"], "Logged"),
            (lambda: set_item(x), "__setitem__", ["Logged", "int", "int"], "NoneType"),
        ], ["Logged"])
        LOG.clear()
        x.sum(0, keepdim=True)
        self.assertEqual(LOG[0][3], {"keepdim": True})
        opyard.add(t, other=x)
        self.assertEqual(list(LOG[1][3]), ["other"])
        self.assertEqual([type(row) for row in x], [Logged, Logged])
        self.assertEqual((bool(x.sum() > 0), float(x.sum()), int(x.sum())), (True, 4.0, 4))

    def test_attributes(self):
        x = self.x
        self.check([
            (lambda: x.shape, "shape.__get__", ["Logged"], "Size"),
            (lambda: x.dtype, "dtype.__get__", ["Logged"], "dtype"),
            (lambda: x.device, "device.__get__", ["Logged"], "device"),
            (lambda: x.grad, "grad.__get__", ["Logged"], "NoneType"),
            (lambda: x.is_leaf, "is_leaf.__get__", ["Logged"], "bool"),
            (lambda: x.T, "T.__get__", ["Logged"], "Logged"),
            (lambda: set_grad(x), "grad.__set__", ["Logged", "NoneType"], "NoneType"),
        ], ["Logged"])
        LOG.clear()
        x.mine = 3
        self.assertEqual((x.mine, x.__dict__, LOG), (3, {"mine": 3}, []))

    def test_other_classes(self):
        t, u, pair = self.t, self.u, ["Tensor", "Other"]
        self.check([
            (lambda: t + u, "add", pair, "str"), (lambda: u + t, "add", pair, "str"),
            (lambda: t - u, "sub", pair, "str"), (lambda: u - t, "__rsub__", pair, "str"),
            (lambda: t == u, "eq", pair, "str"), (lambda: t @ u, "matmul", pair, "str"),
            (lambda: u @ t, "__rmatmul__", pair, "str"),
            (lambda: opyard.mm(u, t), "mm", ["Other", "Tensor"], "str"),
            (lambda: opyard.cat((t, u)), "cat", ["tuple"], "str"),
            (lambda: t.add(u), "add", pair, "str"),
        ], ["Other"])
        self.assertEqual(t[u], "answered")

    def test_order(self):
        """Subclasses before what they extend, else from left to right; each type once."""
        x, y, u = self.x, self.y, self.u
        for call, types in ((lambda: x + y, ["Derived", "Logged"]),
                            (lambda: y + x, ["Derived", "Logged"]),
                            (lambda: opyard.cat([x, x, y, x]), ["Derived", "Logged"]),
                            (lambda: opyard.add(x, u), ["Logged", "Other"]),
                            (lambda: opyard.add(u, x), ["Other", "Logged"])):
            LOG.clear()
            call()
            self.assertEqual(LOG[0][1], types)
        self.assertIs(type(x + y), Derived)
        # Logged knows nothing of Other: the next one is asked.
        self.assertEqual(opyard.add(x, u), "answered")

    def test_nobody_answers(self):
        n, t = Declines(), self.t
        text = ("no implementation found for 'torch.{}' on types that implement "
                "__torch_function__: [{}]")
        declines = f"<class '{__name__}.Declines'>"
        for call, name, types in (
                (lambda: opyard.add(t, n), "add", declines),
                (lambda: opyard.add(n, n), "add", declines),
                (lambda: t.add(n), "Tensor.add", declines),
                (lambda: opyard.add(self.x, n), "add",
                 f"<class '{__name__}.Logged'>, {declines}")):
            with self.assertRaises(TypeError) as caught:
                call()
            self.assertEqual(str(caught.exception), text.format(name, types))
        with self.assertRaisesRegex(TypeError, r"unsupported operand type\(s\) for \+"):
            t + n

    def test_turned_off(self):
        off = opyard._C.DisableTorchFunctionSubclass
        with off():
            self.assertIs(type(self.x + 1), Tensor)
            with off():
                self.assertRaises(TypeError, opyard.add, self.t, self.u)
            self.assertFalse(opyard._C._is_torch_function_enabled())
            # Of this thread alone.
            seen = []
            thread = threading.Thread(
                target=lambda: seen.append(opyard._C._is_torch_function_enabled()))
            thread.start()
            thread.join()
            self.assertEqual(seen, [True])
        self.assertTrue(opyard._C._is_torch_function_enabled())
        self.assertEqual(LOG, [])

        class Off(Logged):
            __torch_function__ = opyard._C._disabled_torch_function_impl

        z = opyard.ones(2).as_subclass(Off)
        self.assertEqual((type(z + 1), LOG), (Tensor, []))
        self.assertIs(type(opyard.nn.Parameter(self.t) * 2), Tensor)
        impl = opyard._C._disabled_torch_function_impl
        self.assertEqual(impl(opyard.add, (), (self.x, 1), {"alpha": 2}).tolist(), [[3, 3]] * 2)
        with self.assertRaisesRegex(RuntimeError, "number of sizes provided"):
            impl(opyard.broadcast_to, (), (self.x, (3,)))
        self.assertTrue(opyard._C._is_torch_function_enabled())

    def test_results_are_of_the_class(self):
        p = opyard.ones(2, 2).as_subclass(Plain)
        for result in (p + 1, p.sum(), p[0], p.T, opyard.exp(p), opyard.stack([p, p]),
                       p.max(0).indices, next(iter(p)), p.reshape(4)):
            self.assertIs(type(result), Plain)
        self.assertRaises(TypeError, opyard.add, p, self.x)  # neither extends the other
        x = opyard.ones(2, requires_grad=True)
        (x.as_subclass(Plain) * 3).sum().backward()
        self.assertEqual((type(x.grad), x.grad.tolist()), (Tensor, [3, 3]))

    def test_exceptions_pass(self):
        class Fails(Other):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                raise KeyError("mine")

        for call in (lambda: self.t + Fails(), lambda: opyard.add(self.t, Fails()),
                     lambda: self.t[Fails()], lambda: opyard.cat([self.t, Fails()])):
            self.assertRaisesRegex(KeyError, "mine", call)

    def test_a_list_that_shrinks(self):
        values = []

        class Meta(type):
            def __getattribute__(cls, name):
                if name == "__torch_function__":
                    values.clear()
                return super().__getattribute__(name)

        class Odd(metaclass=Meta):
            pass

        values += [Odd(), Odd(), self.t]
        self.assertRaises((TypeError, RuntimeError), opyard.cat, values)


if __name__ == "__main__":
    unittest.main()
