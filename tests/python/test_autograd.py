# SPDX-License-Identifier: Apache-2.0
"""Gradients from Python: backward, custom functions, hooks, modes, transforms."""
import copy
import pickle
import unittest
import weakref

import opyard
from opyard import func


def leaf(*numbers):
    return opyard.tensor(list(numbers), requires_grad=True)


class Cube(opyard.autograd.Function):
    @staticmethod
    def forward(ctx, x, times):
        ctx.save_for_backward(x)
        ctx.times = times
        return times * x ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return ctx.times * 3 * x ** 2 * grad, None


class BackwardTest(unittest.TestCase):
    def test_backward(self):
        w = leaf(1.0, 2.0)
        (w ** 2).sum().backward()
        self.assertEqual(w.grad.tolist(), [2, 4])
        self.assertIs(w.grad, w.grad)
        (w * 3).backward(opyard.tensor([1.0, 10.0]))
        self.assertEqual(w.grad.tolist(), [5, 34])
        y = (w ** 2).sum()
        y.backward(retain_graph=True)
        y.backward()
        self.assertRaisesRegex(RuntimeError, "second time", y.backward)
        self.assertRaisesRegex(RuntimeError, "only for scalar outputs", (w * 2).backward)

    def test_complex_numbers(self):
        # PyTorch's gradients; a number's conjugate is in the number's own dtype.
        c = opyard.tensor([1 + 2j, 3 - 4j])
        for step, want in ((lambda x: x.mul_(1j), [6, 28]), (lambda x: x * 1j, [6, 28]),
                           (lambda x: x / 1j, [6, 28]), (lambda x: 1j * x.conj(), [6, 28]),
                           (lambda x: x * 2.0, [-24, -112])):
            w = opyard.tensor([1.0, 2.0], requires_grad=True)
            y = step(c * w)
            (y * y).real.sum().backward()
            self.assertEqual(w.grad.tolist(), want)

    def test_inputs(self):
        a, b = leaf(2.0), leaf(3.0)
        (a * b).backward(inputs=[a])
        self.assertEqual((a.grad.tolist(), b.grad), ([3], None))

    def test_grad(self):
        w = leaf(2.0)
        first, = opyard.autograd.grad((w ** 3).sum(), w, create_graph=True)
        second, = opyard.autograd.grad(first.sum(), w)
        self.assertEqual((first.item(), second.item()), (12, 12))
        self.assertIsNone(opyard.autograd.grad((w * 1).sum(), leaf(1.0), allow_unused=True)[0])

    def test_graph(self):
        w = leaf(1.0)
        node = (w * 2 + 1).grad_fn
        self.assertEqual(node.name(), "AddBackward0")
        (mul, number), (none, _) = node.next_functions
        self.assertEqual((mul.name(), number, none), ("MulBackward0", 0, None))
        self.assertTrue(mul.next_functions[0][0].variable.is_same(w))
        y = w * 2
        y.detach_()
        self.assertEqual((y.requires_grad, y.grad_fn, y.is_leaf), (False, None, True))

    def test_modes(self):
        w = leaf(1.0)
        for make, want in ((opyard.no_grad, False), (opyard.enable_grad, True),
                           (lambda: opyard.set_grad_enabled(False), False)):
            with make():
                self.assertEqual((w * 2).requires_grad, want)
            self.assertTrue((w * 2).requires_grad)

        @opyard.no_grad()
        def numbers():
            yield (w * 2).requires_grad

        self.assertEqual(list(numbers()), [False])
        with opyard.inference_mode():
            self.assertTrue((w * 2).is_inference())
        with opyard.autocast("cpu", dtype=opyard.bfloat16):
            self.assertIs((opyard.ones(2, 2) @ opyard.ones(2, 2)).dtype, opyard.bfloat16)


class FunctionTest(unittest.TestCase):
    def test_custom(self):
        w = leaf(1.0, 2.0)
        y = Cube.apply(w, 2)
        self.assertEqual(y.grad_fn.name(), "CubeBackward")
        y.sum().backward()
        self.assertEqual(w.grad.tolist(), [6, 24])
        x = opyard.tensor([1.0, 2.0], dtype=opyard.float64, requires_grad=True)
        self.assertTrue(opyard.autograd.gradcheck(lambda t: Cube.apply(t, 2), x))
        self.assertTrue(opyard.autograd.gradgradcheck(lambda t: Cube.apply(t, 2), x))

    def test_singular_determinants(self):
        # Rank 1 and 2 of 3, 1 of 2; PyTorch's second derivatives of complex ones are wrong.
        row, other = [1, -2, 0.5], [0.25, 1, -1]
        for rows in ([row, [2 * v for v in row], [-v for v in row]],
                     [row, other, [a - b for a, b in zip(row, other)]],
                     [[1, -2], [0.5, -1]]):
            turned = [[v * (1 + 2j) * 1j ** j for j, v in enumerate(r)] for r in rows]
            for values in (rows, turned):
                dtype = opyard.complex128 if values is turned else opyard.float64
                x = opyard.tensor(values, dtype=dtype, requires_grad=True)
                self.assertTrue(opyard.autograd.gradcheck(opyard.linalg.det, x))
                self.assertTrue(opyard.autograd.gradgradcheck(opyard.linalg.det, x))

    def test_wrong(self):
        class Wrong(Cube):
            @staticmethod
            def backward(ctx, grad):
                return grad, None, grad

        class Raises(Cube):
            @staticmethod
            def backward(ctx, grad):
                raise KeyError("mine")

        w = leaf(1.0)
        self.assertRaisesRegex(RuntimeError, "incorrect number of gradients .expected 2, got 3",
                               Wrong.apply(w, 1).sum().backward)
        self.assertRaises(KeyError, Raises.apply(w, 1).sum().backward)
        x = opyard.tensor([1.0], dtype=opyard.float64, requires_grad=True)
        self.assertRaises(opyard.autograd.GradcheckError, opyard.autograd.gradcheck,
                          lambda t: t.detach() * t, x)

    def test_in_place(self):
        class AddOne(opyard.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.add_(1)

            @staticmethod
            @opyard.autograd.function.once_differentiable
            def backward(ctx, grad):
                return grad * 5

        w = leaf(1.0)
        y = w * 2
        z = AddOne.apply(y)
        self.assertIs(z, y)
        z.sum().backward()
        self.assertEqual((z.item(), w.grad.item()), (3, 10))

    def test_needs_input_grad(self):
        seen = []

        class Two(opyard.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                seen.append(ctx.needs_input_grad)
                return a + b, a - b

            @staticmethod
            def backward(ctx, first, second):
                return first + second, None

        w = leaf(1.0)
        total, _ = Two.apply(w, opyard.tensor([2.0]))
        total.sum().backward()
        self.assertEqual((seen, w.grad.item()), ([(True, False)], 1))


class HookTest(unittest.TestCase):
    def test_hooks(self):
        w = leaf(1.0)
        handle = w.register_hook(lambda grad: grad * 3)
        (w * 2).sum().backward()
        self.assertEqual(w.grad.item(), 6)
        handle.remove()
        (w * 2).sum().backward()
        self.assertEqual(w.grad.item(), 8)
        seen = []
        w.register_post_accumulate_grad_hook(seen.append)
        (w * 2).sum().backward()
        self.assertIs(seen[0], w)
        y = w * 2
        y.retain_grad()
        (y * 5).sum().backward()
        self.assertEqual(y.grad.item(), 5)

    def test_a_hook_goes_with_its_tensor(self):
        class Hook:
            def __call__(self, grad):
                pass

        hook, w = Hook(), leaf(1.0)
        gone = weakref.ref(hook)
        w.register_hook(hook)
        del hook
        self.assertIsNotNone(gone())
        del w
        self.assertIsNone(gone())

    def test_saved_tensors(self):
        w, packed = leaf(2.0), []

        def pack(tensor):
            packed.append(tensor.item())
            return tensor.item()

        with opyard.autograd.graph.saved_tensors_hooks(pack, lambda n: opyard.tensor([n * 10])):
            y = (w ** 2).sum()
        y.backward()
        self.assertEqual((packed, w.grad.item()), ([2.0], 40))
        with opyard.autograd.graph.disable_saved_tensors_hooks("not here"):
            self.assertRaisesRegex(
                RuntimeError, "not here",
                opyard.autograd.graph.saved_tensors_hooks(pack, pack).__enter__)

    def test_anomaly(self):
        w = leaf(-1.0)
        with opyard.autograd.detect_anomaly():
            y = w.sqrt().sum()
            self.assertRaisesRegex(RuntimeError, "SqrtBackward0.* returned nan", y.backward)

    def test_anomaly_mode_is_put_back(self):
        def state():
            return opyard.is_anomaly_enabled(), opyard.is_anomaly_check_nan_enabled()

        self.assertEqual(state(), (False, True))
        with opyard.autograd.detect_anomaly(check_nan=False):
            self.assertEqual(state(), (True, False))
            with opyard.autograd.set_detect_anomaly(False):
                self.assertEqual(state(), (False, True))
            self.assertEqual(state(), (True, False))
            leaf(-1.0).sqrt().sum().backward()  # NaN, and no error
        self.assertEqual(state(), (False, True))
        opyard.set_anomaly_enabled(True, check_nan=False)
        self.assertEqual(state(), (True, False))
        opyard.set_anomaly_enabled(False)
        self.assertEqual(state(), (False, True))

    def test_retains_grad(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        self.assertEqual((x.retains_grad, y.retains_grad), (False, False))
        x.retain_grad(), y.retain_grad()
        self.assertEqual((x.retains_grad, y.retains_grad), (False, True))
        y.mul_(2)
        self.assertTrue(y.retains_grad)
        self.assertFalse(y.detach().retains_grad or y[0].retains_grad)

    def test_checkpoint(self):
        from opyard.utils.checkpoint import checkpoint

        calls, w = [], leaf(2.0)

        def part(x):
            calls.append(opyard.is_grad_enabled())
            return x ** 3

        checkpoint(part, w).sum().backward()
        self.assertEqual((calls, w.grad.item()), ([False, True], 12))


class TransformTest(unittest.TestCase):
    def test_grad(self):
        x = opyard.tensor([1.0, 2.0])
        self.assertEqual(func.grad(lambda t: (t ** 3).sum())(x).tolist(), [3, 12])
        second = func.grad(func.grad(lambda t: t ** 3))
        self.assertEqual(second(opyard.tensor(2.0)).item(), 12)
        self.assertEqual(opyard.vmap(second)(x).tolist(), [6, 12])
        gradients, (value, aux) = func.grad_and_value(
            lambda t: ((t["a"] * t["b"]).sum(), "aux"), has_aux=True)({"a": x, "b": x + 1})
        self.assertEqual(gradients["a"].tolist(), [2, 3])
        self.assertEqual((value.item(), aux), (8, "aux"))

    def test_jacobians(self):
        x = opyard.tensor([1.0, 2.0])
        self.assertEqual(func.jacrev(lambda t: t ** 2)(x).tolist(), [[2, 0], [0, 4]])
        self.assertEqual(func.hessian(lambda t: (t ** 3).sum())(x).tolist(), [[6, 0], [0, 12]])
        value, pull = func.vjp(lambda t: t ** 2, x)
        self.assertEqual(pull(opyard.tensor([1.0, 10.0]))[0].tolist(), [2, 40])
        _, tangent = func.jvp(lambda t: t ** 2, (x,), (opyard.tensor([1.0, 10.0]),))
        self.assertEqual(tangent.tolist(), [2, 40])

    def test_writes_to_parts_of_new_tensors(self):
        """Operators that are made of views, inside grad, before anything needs a gradient."""
        x = opyard.tensor([[[1.0, 2.0, 3.0, 4.0]]])
        parts = {"narrow": lambda y: y.narrow(2, 1, 4), "movedim": lambda y: y.movedim(2, 0)[1:5],
                 "reshape": lambda y: y.reshape(-1)[1:5], "flatten": lambda y: y.flatten()[1:5]}
        for name, part in parts.items():
            def written(t):
                y = t.new_zeros(1, 1, 6)
                part(y).copy_(t.sum())
                return y.sum()
            self.assertEqual(func.grad(written)(x).tolist(), [[[4.0] * 4]], name)
        pad = opyard.nn.functional.pad
        circular = func.grad(lambda t: pad(t, (1, 1), mode="circular").pow(2).sum())(x)
        self.assertEqual(circular.tolist(), [[[4.0, 4.0, 6.0, 16.0]]])

    def test_functionalize(self):
        def program(t, *, k=1.0):
            y = t.clone()
            y[0].mul_(k)
            y.view(-1)[1:].add_(t.sum())
            return {"y": y, "n": 3, "part": y.view(-1)[:2]}

        x = opyard.arange(6.0).reshape(2, 3)
        want = [[0.0, 18.0, 21.0], [18.0, 19.0, 20.0]]
        for remove in ("mutations", "mutations_and_views"):
            made = func.functionalize(program, remove=remove)(x, k=3.0)
            self.assertEqual((made["y"].tolist(), made["n"], made["part"].tolist()),
                             (want, 3, want[0][:2]))
        written = opyard.ones(2)
        self.assertEqual(func.functionalize(lambda t: t.add_(1))(written).tolist(), [2, 2])
        self.assertEqual(written.tolist(), [2, 2])
        with self.assertRaisesRegex(RuntimeError, "received invalid argument for remove=x"):
            func.functionalize(program, remove="x")
        with self.assertRaises(ZeroDivisionError):
            func.functionalize(lambda t: 1 / 0)(x)

    def test_stacked_models(self):
        models = [opyard.nn.Linear(2, 1) for _ in range(3)]
        params, buffers = func.stack_module_state(models)
        self.assertEqual((tuple(params["weight"].shape), buffers), ((3, 1, 2), {}))
        self.assertTrue(params["weight"].requires_grad and params["weight"].is_leaf)
        x = opyard.tensor([1.0, 2.0])
        made = func.vmap(lambda p: func.functional_call(models[0], p, (x,)))(params)
        self.assertEqual(made.tolist(), [m(x).tolist() for m in models])
        with self.assertRaisesRegex(RuntimeError, "same training/eval mode"):
            func.stack_module_state([models[0], opyard.nn.Linear(2, 1).eval()])
        value, times = func.linearize(lambda t: t ** 2, x)
        self.assertEqual((value.tolist(), times(opyard.ones(2)).tolist()), ([1, 4], [2, 4]))

    def test_functional_modules(self):
        shared = opyard.nn.Linear(2, 2)
        model = opyard.nn.Sequential(shared, opyard.nn.Tanh(), shared)
        f, params = func.make_functional(model)
        x = opyard.rand(3, 2)
        self.assertEqual((f.param_names, len(params)), (("0.weight", "0.bias"), 2))
        self.assertEqual(f(params, x).tolist(), model(x).tolist())
        self.assertIsNot(params[0], shared.weight)
        grads = func.grad(lambda p: f(p, x).sum())(params)
        model(x).sum().backward()
        self.assertEqual(grads[0].tolist(), shared.weight.grad.tolist())
        norm = opyard.nn.BatchNorm1d(2).eval()
        with self.assertRaisesRegex(RuntimeError, r"make_functional\(model\): `model` has buffers"):
            func.make_functional(norm)
        f, params, buffers = func.make_functional_with_buffers(norm, True)
        self.assertEqual(f.buffer_names, ("running_mean", "running_var", "num_batches_tracked"))
        self.assertFalse(any(p.requires_grad for p in params))
        self.assertEqual(f(params, buffers, x).tolist(), norm(x).tolist())

    def test_ensembles(self):
        models = [opyard.nn.Linear(2, 1) for _ in range(3)]
        f, params, buffers = func.combine_state_for_ensemble(models)
        self.assertEqual((tuple(params[0].shape), buffers), ((3, 1, 2), ()))
        x = opyard.rand(4, 2)
        made = func.vmap(f, in_dims=(0, 0, None))(params, buffers, x)
        for a, b in zip(made.flatten().tolist(),
                        opyard.stack([m(x) for m in models]).flatten().tolist()):
            self.assertAlmostEqual(a, b, places=6)
        for text, given in (("at least one model, got 0.", []),
                            ("all models to be of the same class.",
                             [models[0], opyard.nn.ReLU()])):
            with self.assertRaisesRegex(RuntimeError, "combine_state_for_ensemble: Expected "
                                                      + text):
                func.combine_state_for_ensemble(given)

    def test_forward_mode(self):
        forward_ad = opyard.autograd.forward_ad
        x, t = opyard.tensor([1.0, 2.0]), opyard.tensor([3.0, 4.0])
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, t)
            primal, tangent = forward_ad.unpack_dual(dual ** 3)
            self.assertEqual((primal.tolist(), tangent.tolist()), ([1, 8], [9, 48]))
            self.assertIsNone(forward_ad.unpack_dual(primal).tangent)
            self.assertRaisesRegex(RuntimeError, "Nested", forward_ad.enter_dual_level)
            self.assertRaisesRegex(ValueError, "got: torch.int64", forward_ad.make_dual,
                                   opyard.tensor([1]), t)
            self.assertRaisesRegex(NotImplementedError, "jvp function", Cube.apply, dual, 2)
        self.assertIsNone(forward_ad.unpack_dual(dual).tangent)
        self.assertRaisesRegex(RuntimeError, "no level exists", forward_ad.make_dual, x, t)
        self.assertRaises(RuntimeError, forward_ad.exit_dual_level)

    def test_vmap(self):
        a = opyard.arange(6.0).view(3, 2)
        self.assertEqual(opyard.vmap(lambda r: r.sum())(a).tolist(), [1, 5, 9])
        self.assertEqual(opyard.vmap(lambda r, s: r * s, in_dims=(0, None))(
            a, opyard.tensor(2.0)).tolist(), (a * 2).tolist())
        self.assertEqual(opyard.vmap(lambda r: r, in_dims=1, out_dims=1)(a).tolist(), a.tolist())
        self.assertEqual(opyard.vmap(lambda r: {"x": r + 1}, chunk_size=2)(a)["x"].tolist(),
                         (a + 1).tolist())
        self.assertRaisesRegex(ValueError, "got no inputs", opyard.vmap(lambda: 1))
        self.assertRaisesRegex(ZeroDivisionError, "", opyard.vmap(lambda r: 1 / 0), a)
        self.assertEqual(opyard.vmap(lambda r: r.sum())(a).tolist(), [1, 5, 9])

    def test_fake(self):
        with opyard.fake.FakeTensorMode() as mode:
            x = opyard.ones(2, 3, device="cuda:0") @ opyard.ones(3, 4, device="cuda:0")
            self.assertEqual((x.shape, str(x.device)), ((2, 4), "cuda:0"))
            self.assertTrue(opyard.fake.is_fake(mode.from_tensor(x)))


class ObjectTest(unittest.TestCase):
    def test_copies(self):
        w = leaf(1.0, 2.0)
        w.mark = [1]
        (w * 2).sum().backward()
        other = copy.deepcopy(w)
        self.assertEqual((other.tolist(), other.grad.tolist(), other.mark), ([1, 2], [2, 2], [1]))
        self.assertIsNot(other.mark, w.mark)
        self.assertFalse(other.is_alias_of(w))
        self.assertRaises(RuntimeError, copy.deepcopy, w * 2)
        for x in (w, opyard.zeros(0, 3), opyard.tensor([True]), opyard.tensor([1.5]).half(),
                  opyard.arange(6).view(2, 3).t()):
            y = pickle.loads(pickle.dumps(x))
            self.assertEqual((y.tolist(), y.dtype, y.shape, y.requires_grad),
                             (x.tolist(), x.dtype, x.shape, x.requires_grad))
        for constant in (opyard.Size([1, 2]), opyard.device("cuda:1")):
            self.assertEqual(pickle.loads(pickle.dumps(constant)), constant)

    def test_subclasses(self):
        class Parameter(opyard.Tensor):
            def __new__(cls, data):
                return opyard.Tensor._make_subclass(cls, data, True)

        p = Parameter(opyard.tensor([1.0]))
        self.assertIsInstance(p, Parameter)
        self.assertTrue(p.requires_grad and p.is_leaf)
        self.assertIsInstance(copy.deepcopy(p), Parameter)
        self.assertEqual((p + 1).tolist(), [2])
        gone = weakref.ref(p)
        del p
        self.assertIsNone(gone())


if __name__ == "__main__":
    unittest.main()
