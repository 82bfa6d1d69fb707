# SPDX-License-Identifier: Apache-2.0
"""custom_op, its kernels and rules, infer_schema, opcheck, fake implementations."""
import typing
import unittest
from typing import List, Optional, Sequence, Tuple

import opyard
from opyard import _C, dispatch, library
from opyard.library import _scoped_library, custom_op, infer_schema, opcheck
from opyard.modes import FakeTensorMode, is_fake

Tensor = opyard.Tensor


def leaf(*data):
    x = opyard.tensor(list(data))
    x.requires_grad = True
    return x


class InferSchemaTest(unittest.TestCase):
    def test_reg_22_types(self):
        def f(a: Tensor, b: Optional[Tensor], c: List[Tensor], d: Sequence[Optional[Tensor]],
              e: int, f: List[int], g: Optional[Sequence[int]], h: float, i: bool, j: str,
              k: typing.Union[int, float, bool], l: opyard.dtype, m: opyard.device) -> Tensor:
            pass

        self.assertEqual(infer_schema(f, mutates_args=()), (
            "(Tensor a, Tensor? b, Tensor[] c, Tensor?[] d, SymInt e, SymInt[] f, SymInt[]? g, "
            "float h, bool i, str j, Scalar k, ScalarType l, Device m) -> Tensor"))

    def test_reg_22_defaults_and_keywords(self):
        def f(x: Tensor, n: int = 3, s: float = 2.5, *, name: str = "a", t: bool = True,
              d: opyard.dtype = opyard.float32, o: Optional[int] = None) -> Tensor:
            pass

        self.assertEqual(infer_schema(f, mutates_args=(), op_name="f"), (
            'f(Tensor x, SymInt n=3, float s=2.5, *, str name="a", bool t=True, '
            "ScalarType d=float32, SymInt? o=None) -> Tensor"))

    def test_reg_22_results(self):
        def none(x: Tensor) -> None:
            pass

        def pair(x: Tensor) -> Tuple[Tensor, int]:
            pass

        def one(x: Tensor) -> Tuple[Tensor]:
            pass

        def many(x: Tensor) -> List[Tensor]:
            pass

        def text(x: "Tensor") -> "list[Tensor]":
            pass

        for function, wanted in ((none, "()"), (pair, "(Tensor, SymInt)"),
                                 (one, "((Tensor))"), (many, "Tensor[]"), (text, "Tensor[]")):
            self.assertEqual(infer_schema(function, mutates_args=()), f"(Tensor x) -> {wanted}")

    def test_reg_22_writes(self):
        def f(x: Tensor, y: Tensor, z: List[Tensor]) -> None:
            pass

        self.assertEqual(infer_schema(f, mutates_args={"y"}),
                         "(Tensor x, Tensor(a1!) y, Tensor[] z) -> ()")
        self.assertEqual(infer_schema(f, mutates_args="unknown"),
                         "(Tensor(a0!) x, Tensor(a1!) y, Tensor(a2!)[] z) -> ()")
        self.assertEqual(infer_schema(f, mutates_args=["z"]),
                         "(Tensor x, Tensor y, Tensor(a2!)[] z) -> ()")

    def test_reg_22_errors(self):
        def bare(x) -> Tensor:
            pass

        def no_result(x: Tensor):
            pass

        def star(*x: Tensor) -> Tensor:
            pass

        def a_tuple(x: Tuple[int, int]) -> Tensor:
            pass

        def a_dict(x: dict) -> Tensor:
            pass

        def result(x: Tensor) -> str:
            pass

        def default(x: Tensor, y: Optional[Tensor] = object()) -> Tensor:
            pass

        def fine(x: Tensor, n: int) -> Tensor:
            pass

        def unknown(x: "Nothing") -> Tensor:  # noqa: F821
            pass

        for function, mutates, text in (
                (bare, (), "Parameter x must have a type annotation. Got func with signature"),
                (no_result, (), "No return type annotation was provided. Please add one."),
                (star, (), "We do not support positional-only args, varargs, or varkwargs."),
                (a_tuple, (), "We do not support Tuple inputs in schema. As a workaround, please "
                 "try to use List instead. For example, typing.List\\[int\\]."),
                (a_dict, (), "Parameter x has unsupported type <class 'dict'>. The valid types"),
                (result, (), "Return has unsupported type <class 'str'>. The valid types are"),
                (default, (), "Parameter y has an unsupported default value type <class "
                 "'object'>"),
                (fine, ("z",), "{'z'} in mutates_args were not found in the custom op's "),
                (fine, ("n",), "Parameter n is in mutable_args but only Tensors or "),
                (fine, "all", "mutates_args must either be a sequence of the names"),
                (unknown, (), "Unsupported type annotation Nothing. It is not a type.")):
            with self.subTest(text=text):
                self.assertRaisesRegex(ValueError, text, infer_schema, function,
                                       mutates_args=mutates)


class CustomOpTest(unittest.TestCase):
    def make(self, schema=None):
        @custom_op("co::scale", mutates_args=())
        def scale(x: Tensor, factor: float = 2.0) -> Tensor:
            return x * factor

        self.addCleanup(scale._destroy)
        return scale

    def test_reg_22_call(self):
        scale = self.make()
        self.assertEqual(repr(scale), "<CustomOpDef(co::scale)>")
        self.assertEqual(scale(opyard.tensor([1.0, 2.0])).tolist(), [2, 4])
        self.assertEqual(opyard.ops.co.scale(opyard.tensor([1.0]), 3.0).tolist(), [3])
        self.assertEqual(scale(opyard.tensor([1.0]), factor=5.0).tolist(), [5])

    def test_reg_22_again_as_in_a_notebook(self):
        self.make()
        scale = self.make()
        self.assertEqual(scale(opyard.tensor([1.0])).tolist(), [2])

    def test_reg_22_kernel_for_a_device(self):
        scale = self.make()

        @scale.register_kernel("cpu")
        def _(x, factor=2.0):
            return x * factor + 1

        x = opyard.tensor([1.0])
        self.assertEqual(scale(x).tolist(), [3])
        with scale.set_kernel_enabled("cpu", False):
            self.assertEqual(scale(x).tolist(), [2])
        self.assertEqual(scale(x).tolist(), [3])
        library.register_kernel("co::scale", "cpu", lambda x, factor=2.0: x * 7)
        self.assertEqual(scale(x).tolist(), [7])

    def test_reg_22_autograd(self):
        scale = self.make()
        self.assertRaisesRegex(
            RuntimeError, "Trying to backward through co::scale but no autograd formula was "
            "registered. Please use register_autograd to add one.",
            lambda: scale(leaf(1.0)).sum().backward())
        seen = []

        def setup(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], None, output)
            ctx.factor = inputs[1]

        def backward(ctx, grad):
            seen.append((ctx.needs_input_grad, [t if t is None else t.tolist() for t in ctx.saved_tensors]))
            return grad * ctx.factor, None

        scale.register_autograd(backward, setup_context=setup)
        x = leaf(1.0, 2.0)
        y = scale(x, 3.0)
        self.assertIn("co_scaleBackward", repr(y))
        (y * opyard.tensor([1.0, 10.0])).sum().backward()
        self.assertEqual(x.grad.tolist(), [3, 30])
        self.assertEqual(seen, [((True, False), [[1, 2], None, [3, 6]])])
        self.assertFalse(scale(opyard.tensor([1.0])).requires_grad)
        with opyard.no_grad():
            self.assertFalse(scale(x).requires_grad)

    def test_reg_22_second_gradient(self):
        @custom_op("co::cube", mutates_args=())
        def cube(x: Tensor) -> Tensor:
            return x * x * x

        self.addCleanup(cube._destroy)
        cube.register_autograd(lambda ctx, g: 3 * ctx.saved_tensors[0] * ctx.saved_tensors[0] * g,
                               setup_context=lambda ctx, inputs, output:
                               ctx.save_for_backward(inputs[0]))
        x = leaf(2.0)
        grad, = _C.gradients([cube(x)], [x], [opyard.ones([1])], create_graph=True)
        self.assertEqual(grad.tolist(), [12])
        second, = _C.gradients([grad], [x], [opyard.ones([1])])
        self.assertEqual(second.tolist(), [12])

    def test_reg_22_autograd_of_lists_and_several_results(self):
        with _scoped_library("co", "FRAGMENT") as lib:
            lib.define("mix(Tensor[] xs, int n, Tensor? y=None) -> (Tensor, Tensor[])")
            lib.impl("mix", lambda xs, n, y=None: (xs[0] + xs[1], [x * n for x in xs]), "CPU")
            seen = []

            def backward(ctx, first, rest):
                seen.append(ctx.needs_input_grad)
                return [first + rest[0] * 2, first + rest[1] * 2], None, None

            library.register_autograd("co::mix", backward, lib=lib)
            a, b = leaf(1.0), leaf(10.0)
            first, rest = opyard.ops.co.mix([a, b], 2)
            (first * 5 + rest[0] + rest[1] * 3).sum().backward()
            self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([7], [11]))
            self.assertEqual(seen, [([True, True], False, False)])

    def test_reg_22_autograd_errors(self):
        with _scoped_library("co", "FRAGMENT") as lib:
            lib.define("w(Tensor(a!) x) -> ()")
            lib.define("k(*, Tensor x) -> Tensor")
            self.assertRaisesRegex(
                RuntimeError, "Cannot register autograd formula for non-functional operator "
                "co::w with schema co::w", library.register_autograd, "co::w", None, lib=lib)
            self.assertRaisesRegex(
                NotImplementedError, "register_autograd with kwarg-only Tensor args. In the "
                "original definition", library.register_autograd, "co::k", None, lib=lib)
        scale = self.make()
        scale.register_autograd(lambda ctx, g: (g, None, g))
        self.assertRaisesRegex(
            RuntimeError, r"returned an incorrect number of gradients \(expected 2, got 3\)",
            lambda: scale(leaf(1.0)).sum().backward())
        scale.register_autograd(lambda ctx, g: 1 / 0)
        self.assertRaises(ZeroDivisionError, lambda: scale(leaf(1.0)).sum().backward())

    def test_reg_22_writes(self):
        @custom_op("co::fill", mutates_args={"x"})
        def fill(x: Tensor, value: float) -> None:
            opyard.ops.aten.fill_.Scalar(x, value)

        self.addCleanup(fill._destroy)
        x = opyard.ones([2])
        before = x._version
        self.assertIsNone(fill(x, 3.0))
        self.assertEqual(x.tolist(), [3, 3])
        self.assertGreater(x._version, before)
        self.assertRaisesRegex(
            RuntimeError, "Cannot register autograd formula for non-functional operator "
            r"<CustomOpDef\(co::fill\)> with schema", fill.register_autograd, None)

    def test_reg_22_errors(self):
        def same(x: Tensor) -> Tensor:
            return x

        def view(x: Tensor) -> Tensor:
            return x.view(-1)

        for fn in (same, view):
            op = custom_op("co::alias", fn, mutates_args=())
            self.assertRaisesRegex(
                RuntimeError, r"The output of this custom operator \(1\) must not also be an "
                r"input to this custom operator and \(2\) may not alias any inputs", op,
                opyard.ones([2]))
            op._destroy()

        def keyword(*, x: Tensor) -> Tensor:
            return x

        self.assertRaisesRegex(NotImplementedError, "custom_op with kwarg-only Tensor args. "
                               "Please make your tensors not kwarg-only.", custom_op, "co::k",
                               keyword, mutates_args=())
        self.assertRaisesRegex(ValueError, "Attempted to create a custom op with `mutates_args="
                               r"\(\)`", custom_op, "co::k", same, mutates_args=(),
                               schema="(Tensor(a!) x) -> ()")
        self.assertRaisesRegex(ValueError, 'of the form "namespace::name"', custom_op, "scale",
                               same, mutates_args=())

    def test_reg_22_vmap(self):
        scale = self.make()
        seen = []

        @scale.register_vmap
        def _(info, in_dims, x, factor=2.0):
            seen.append((info.batch_size, info.randomness, in_dims, x.shape))
            return x * factor, in_dims[0]

        level = _C.layer_enter(3, "same")
        try:
            x = opyard.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
            y = scale(_C.layer_wrap(x, 1, level))
            self.assertEqual(y.shape, (2,))
            value, dim = _C.layer_unwrap(y, level)
            self.assertEqual((value.tolist(), dim), ([[2, 4, 6], [8, 10, 12]], 1))
        finally:
            _C.layer_leave(level)
        self.assertEqual(seen, [(3, "same", (1,), (2, 3))])
        y = opyard.vmap(scale, in_dims=1, out_dims=1)(x)
        self.assertEqual(y.tolist(), [[2, 4, 6], [8, 10, 12]])
        self.assertEqual(seen[1], (3, "error", (1,), (2, 3)))
        self.assertEqual(scale(x).tolist(), y.tolist())  # outside of vmap the rule is not asked
        scale.register_vmap(lambda info, in_dims, x, factor=2.0: x)
        level = _C.layer_enter(3)
        try:
            self.assertRaisesRegex(RuntimeError, "Expected the vmap staticmethod to have two "
                                   "returns", scale, _C.layer_wrap(x, 1, level))
        finally:
            _C.layer_leave(level)


class FakeTest(unittest.TestCase):
    def test_reg_23_rules(self):
        with _scoped_library("fk", "FRAGMENT") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.define("m(Tensor x) -> Tensor")
            lib.define("c(Tensor x) -> Tensor")
            lib.impl("m", lambda x: x, "Meta")
            lib.impl("c", lambda x: x, "CompositeImplicitAutograd")

            def fake(x):
                return opyard.empty([x.shape[0] * 2], device=x.device)

            library.register_fake("fk::f", fake, lib=lib)
            x = opyard.empty([3], device="meta")
            self.assertEqual(opyard.ops.fk.f(x).shape, (6,))
            for name, text in (
                    ("f", r"register_fake\(...\): the operator fk::f already has an fake impl "
                     rf"registered at .*test_custom_op.py:\d+\."),
                    ("m", "the operator fk::m already has an DispatchKey::Meta implementation "
                     "via a pre-existing torch.library or TORCH_LIBRARY registration."),
                    ("c", "the operator fk::c already has an implementation for this device "
                     "type via a pre-existing registration to DispatchKey::CompositeImplicit")):
                self.assertRaisesRegex(RuntimeError, text, library.register_fake, f"fk::{name}",
                                       fake, lib=lib)
        with _scoped_library("fk", "FRAGMENT") as lib:  # free again
            lib.define("f(Tensor x) -> Tensor")
            library.register_fake("fk::f", fake, lib=lib)

    def test_reg_23_fake_mode(self):
        @custom_op("fk::twice", mutates_args=())
        def twice(x: Tensor) -> Tensor:
            return opyard.cat([x, x])

        self.addCleanup(twice._destroy)
        mode = FakeTensorMode()
        x = mode.from_tensor(opyard.ones([3]))
        self.assertRaisesRegex(
            RuntimeError, r"There was no fake impl registered for <CustomOpDef\(fk::twice\)>. "
            "This is necessary for torch.compile/export/fx tracing to work. Please use "
            "`twice.register_fake` to add an fake impl.", twice, x)

        @twice.register_fake
        def _(x):
            self.assertIsNotNone(library.get_ctx())
            return x.new_empty([2 * x.shape[0]]) if hasattr(x, "new_empty") else \
                opyard.empty([2 * x.shape[0]], device=x.device)

        y = twice(x)
        self.assertTrue(is_fake(y))
        self.assertEqual((y.shape, str(y.device)), ((6,), "cpu"))
        self.assertRaises(RuntimeError, library.get_ctx)

    def test_reg_23_data_dependent(self):
        with _scoped_library("fk", "FRAGMENT") as lib:
            lib.define("nz(Tensor x) -> Tensor")
            library.register_fake(
                "fk::nz", lambda x: opyard.empty([library.get_ctx().new_dynamic_size()]), lib=lib)
            self.assertRaisesRegex(RuntimeError, "DynamicOutputShapeException: fk::nz",
                                   opyard.ops.fk.nz, opyard.empty([3], device="meta"))


class OpcheckTest(unittest.TestCase):
    def setUp(self):
        self.lib = library.Library("oc", "DEF")
        self.addCleanup(self.lib._destroy)

    def op(self, schema, fn, fake, key="CPU"):
        name = self.lib.define(schema)
        self.lib.impl(name, fn, key)
        if fake:
            library.register_fake(f"oc::{name}", fake, lib=self.lib)
        return getattr(opyard.ops.oc, name).default

    def failure(self, op, args, test):
        result = opcheck(op, args, raise_exception=False)
        self.assertEqual({k for k, v in result.items() if v != "SUCCESS"}, {test})
        with self.assertRaises(Exception) as caught:
            opcheck(op, args, test_utils=test)
        self.assertIn(f"opcheck(op, ...): {test} failed with ", str(caught.exception))
        return str(result[test])

    def test_reg_22_all_is_well(self):
        op = self.op("f(Tensor x) -> Tensor", lambda x: x + 1, lambda x: opyard.empty_like(x))
        self.assertEqual(opcheck(op, (opyard.ones([2]),)), {
            "test_schema": "SUCCESS", "test_autograd_registration": "SUCCESS",
            "test_faketensor": "SUCCESS"})

    def test_reg_22_schema(self):
        def write(x):
            x.add_(1)
            return x + 1

        like = lambda x: opyard.empty_like(x)  # noqa: E731
        op = self.op("w(Tensor x) -> Tensor", write, like)
        self.assertEqual(self.failure(op, (opyard.ones([2]),), "test_schema"),
                         "Argument x is not defined as mutable but was mutated")
        op = self.op("a(Tensor x) -> Tensor", lambda x: x.view(-1), like)
        self.assertEqual(self.failure(op, (opyard.ones([2]),), "test_schema"),
                         "Argument x is not defined to alias output but was aliasing")

    def test_reg_22_fake(self):
        op = self.op("f(Tensor x) -> Tensor", lambda x: opyard.cat([x, x]),
                     lambda x: opyard.empty_like(x))
        self.assertIn("shape: expected (4,), got (2,)",
                      self.failure(op, (opyard.ones([2]),), "test_faketensor"))

    def test_reg_22_autograd_registration(self):
        def f(x):
            with dispatch.force(dispatch.DispatchKeySet("ADInplaceOrView"),
                                dispatch.DispatchKeySet()):
                return x * 2  # records history below autograd

        op = self.op("f(Tensor x) -> Tensor", f, lambda x: opyard.empty_like(x))
        self.assertIn("at least one output of this operator has requires_grad=True but the "
                      "operator does not have an autograd kernel",
                      self.failure(op, (leaf(1.0),), "test_autograd_registration"))

    def test_reg_22_unknown_test(self):
        self.assertRaisesRegex(ValueError, "expected test_utils to be subset of", opcheck,
                               "aten::relu", (opyard.ones([1]),), test_utils="test_nothing")


if __name__ == "__main__":
    unittest.main()
