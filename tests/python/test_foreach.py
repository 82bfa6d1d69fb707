# SPDX-License-Identifier: Apache-2.0
"""Operators on lists of tensors, in place and with gradients; images without aliasing and
gradients of samples as users call them; gamma and Dirichlet numbers by their moments;
functions that are made of operators."""
import math
import unittest

import opyard
from opyard import func

F = opyard.nn.functional


def near(what, got, want, tolerance=1e-12):
    got = _flat(got.tolist() if isinstance(got, opyard.Tensor) else got)
    want = _flat(want)
    good = len(got) == len(want) and all(
        abs(a - b) <= tolerance * (1 + abs(b)) for a, b in zip(got, want))
    if not good:
        raise AssertionError(f"{what}: {got[:20]}, not {want[:20]}")


def _flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in _flat(part)]
    return [value]


def lists():
    return [opyard.tensor([1.0, -2.0]).double(), opyard.tensor(3.0).double()]


def leaves():
    return [t.requires_grad_(True) for t in lists()]


class Lists(unittest.TestCase):
    def test_in_place(self):
        a = lists()
        versions = [t._version for t in a]
        self.assertIsNone(opyard._foreach_add_(a, 2))
        near("add_", [t.tolist() for t in a], [[3, 0], 5])
        self.assertEqual([t._version for t in a], [v + 1 for v in versions])
        opyard._foreach_mul_(a, [2, 0.5])
        near("mul_ by numbers", [t.tolist() for t in a], [[6, 0], 2.5])
        opyard._foreach_sub_(a, lists(), alpha=2)
        near("sub_ of a list", [t.tolist() for t in a], [[4, 4], -3.5])
        opyard._foreach_mul_(a, opyard.tensor(2.0))
        near("mul_ by a tensor", [t.tolist() for t in a], [[8, 8], -7])
        opyard._foreach_abs_(a)
        near("abs_", [t.tolist() for t in a], [[8, 8], 7])
        opyard._foreach_addcmul_(a, lists(), lists(), 0.5)
        near("addcmul_", [t.tolist() for t in a], [[8.5, 10], 11.5])
        opyard._foreach_minimum_(a, 9)
        near("minimum_", [t.tolist() for t in a], [[8.5, 9], 9])
        opyard._foreach_lerp_(a, lists(), 0.5)
        near("lerp_", [t.tolist() for t in a], [[4.75, 3.5], 6])
        opyard._foreach_pow_(a, 2)
        near("pow_", [t.tolist() for t in a], [[22.5625, 12.25], 36])
        opyard._foreach_copy_(a, lists())
        near("copy_", [t.tolist() for t in a], [[1, -2], 3])
        opyard._foreach_zero_(a)
        near("zero_", [t.tolist() for t in a], [[0, 0], 0])
        with self.assertRaisesRegex(RuntimeError, "leaf"):
            opyard._foreach_exp_(leaves())

    def test_gradients(self):
        a, b = leaves(), leaves()
        total = sum(t.sum() for t in opyard._foreach_mul(a, b))
        total.backward()
        near("mul", [t.grad.tolist() for t in a], [t.tolist() for t in b])
        # At a tie the two share the gradient; a clamp would keep it.
        a, b = leaves(), lists()
        sum(t.sum() for t in opyard._foreach_maximum(a, b)).backward()
        near("maximum of equals", [t.grad.tolist() for t in a], [[0.5, 0.5], 0.5])
        a = leaves()
        sum(t.sum() for t in opyard._foreach_minimum(a, 1.0)).backward()
        near("minimum with a number", [t.grad.tolist() for t in a], [[0.5, 1], 0])
        a = leaves()
        sum(t.sum() for t in opyard._foreach_norm(a)).backward()
        root = math.sqrt(5)
        near("norm", [t.grad.tolist() for t in a], [[1 / root, -2 / root], 1])
        a = leaves()
        copies = [t * 1 for t in a]
        opyard._foreach_exp_(copies)
        sum(t.sum() for t in copies).backward()
        near("exp_ of what is no leaf", [t.grad.tolist() for t in a],
             [[math.exp(1), math.exp(-2)], math.exp(3)])
        for f in (opyard._foreach_sigmoid, opyard._foreach_sinh,
                  lambda t: opyard._foreach_pow(t, [2, 3]),
                  lambda t: opyard._foreach_addcdiv(t, t, t, [1, 2]),
                  lambda t: opyard._foreach_div(t, opyard.tensor(2.0).double())):
            x = opyard.tensor([0.3, -0.7]).double().requires_grad_(True)
            self.assertTrue(opyard.autograd.gradcheck(
                lambda x: opyard.stack(list(f([x * x + 1, x + 2]))), (x,)))

    def test_transforms(self):
        x = opyard.tensor([[1.0, 2.0], [3.0, 4.0]])
        got = func.vmap(lambda row: opyard._foreach_add([row, row * 2], 1)[1])(x)
        near("vmap", got, [[3, 5], [7, 9]])
        _, tangent = func.jvp(lambda t: opyard._foreach_mul([t, t], [2, 3])[1], (x,),
                              (opyard.ones_like(x),))
        near("jvp", tangent, [[3, 3], [3, 3]])
        meta = opyard._foreach_exp([opyard.empty(2, 3, device="meta")])
        self.assertEqual((tuple(meta[0].shape), meta[0].device.type), ((2, 3), "meta"))

    def test_samples(self):
        x = opyard.tensor([[1.0, 2.0, 4.0], [0.0, 1.0, 5.0]])
        near("one gradient", opyard.gradient(x, dim=1)[0], [[1, 1.5, 2], [1, 2.5, 4]])
        near("two", opyard.gradient(x, spacing=2.0)[0], [[-0.5, -0.5, 0.5]] * 2)
        places = opyard.tensor([0.0, 1.0, 3.0])
        near("at places", opyard.gradient(x, spacing=(places,), dim=(1,))[0][0],
             [1, 1, 1], 1e-6)
        image = opyard.arange(16.0).reshape(1, 1, 4, 4)
        small = F.interpolate(image, size=(2, 2), mode="bilinear", antialias=True)
        near("without aliasing", small, [[[[25 / 7, 36 / 7], [69 / 7, 80 / 7]]]], 1e-6)
        with self.assertRaisesRegex(ValueError, "Anti-alias option is only supported for "
                                    "bilinear and bicubic modes"):
            F.interpolate(image, size=(2, 2), mode="nearest", antialias=True)

    def test_random_numbers(self):
        opyard.manual_seed(3)
        for shape in (0.3, 1.0, 7.5):
            x = opyard._standard_gamma(opyard.full([200000], shape).double())
            # The mean and the variance of a gamma number are its shape.
            near("mean", x.mean(), shape, 0.02)
            near("variance", x.var(), shape, 0.05)
        alpha = opyard.tensor([0.5, 2.0, 4.5]).double()
        x = opyard._sample_dirichlet(alpha.expand(100000, 3))
        near("adds up", x.sum(1), [1.0] * 100000)
        near("means", x.mean(0), [0.5 / 7, 2 / 7, 4.5 / 7], 0.01)
        near("variances", x.var(0), [a * (7 - a) / 392 for a in (0.5, 2, 4.5)], 0.01)
        # The mean moves with the shape as fast as the shape does.
        shape = opyard.full([200000], 2.0).double().requires_grad_(True)
        opyard._standard_gamma(shape).mean().backward()
        near("gradient", shape.grad.sum(), 1.0, 0.02)
        opyard.manual_seed(5)
        first = opyard._standard_gamma(alpha)
        opyard.manual_seed(5)
        near("the seed decides", opyard._standard_gamma(alpha), first.tolist(), 0)

    def test_more_functions(self):
        x = opyard.tensor([[[1.0, 3.0, 2.0, 4.0]]])
        values, places = F.max_pool1d_with_indices(x, 2)
        near("unpooled", F.max_unpool1d(values, places, 2), [[[0, 3, 0, 4]]])
        cube = opyard.arange(16.0).reshape(1, 1, 2, 2, 4)
        values, places = F.max_pool3d(cube, 2, return_indices=True)
        near("unpooled cube", F.max_unpool3d(values, places, 2).sum(), 13.0 + 15.0)
        with self.assertRaisesRegex(ValueError, "must be between"):
            F.max_unpool1d(values[0, 0], places[0, 0], 2, output_size=(9,))
        y = opyard.tensor([-1.0, 2.0])
        near("elu_", F.elu_(y), [math.exp(-1) - 1, 2], 1e-6)
        near("threshold_", F.threshold_(y, 0, 5), [5, 2])
        self.assertTrue(opyard.is_signed(y))
        self.assertFalse(opyard.is_signed(y.to(opyard.uint8)))
        image = opyard.rand(1, 2, 8, 8)
        values, places = F.fractional_max_pool2d(image, 2, output_ratio=0.5, return_indices=True)
        self.assertEqual(tuple(values.shape), (1, 2, 4, 4))
        near("taken from places", image.flatten(2).gather(2, places.flatten(2)),
             values.flatten(2).tolist())

    def test_low_rank(self):
        opyard.manual_seed(2)
        for rows, columns in ((9, 5), (4, 12)):
            a = opyard.randn(rows, 2).double() @ opyard.randn(2, columns).double()
            u, s, v = opyard.svd_lowrank(a, q=3)
            near("product", u @ opyard.diag(s) @ v.mH, a.tolist(), 1e-10)
            near("values", s[:2], opyard.linalg.svdvals(a)[:2].tolist(), 1e-10)
            u, s, v = opyard.pca_lowrank(a, q=3)
            near("centred", u @ opyard.diag(s) @ v.mH, (a - a.mean(0)).tolist(), 1e-10)
        eye = opyard.eye(2)
        near("several matrices", opyard.chain_matmul(eye, 2 * eye, 3 * eye), [[6, 0], [0, 6]])
        factors, pivots = opyard.lu(opyard.tensor([[0.0, 2.0], [4.0, 8.0]]))
        near("factors", factors, [[4, 8], [0, 2]])
        near("pivots", pivots, [2, 2])
        near("as a method", opyard.eye(2).lu()[0], [[1, 0], [0, 1]])
        with self.assertRaisesRegex(ValueError, "not greater than min"):
            opyard.pca_lowrank(opyard.ones(2, 3), q=3)

    def test_settings(self):
        for mode, name in enumerate(("default", "warn", "error")):
            opyard.set_deterministic_debug_mode(name)
            self.assertEqual(opyard.get_deterministic_debug_mode(), mode)
            self.assertEqual(opyard.are_deterministic_algorithms_enabled(), mode > 0)
        opyard.use_deterministic_algorithms(False)
        self.assertEqual(opyard.get_deterministic_debug_mode(), 0)
        opyard.set_float32_matmul_precision("high")
        self.assertEqual(opyard.get_float32_matmul_precision(), "high")
        with self.assertRaisesRegex(RuntimeError, "expected one of `default`"):
            opyard.set_deterministic_debug_mode("often")


if __name__ == "__main__":
    unittest.main()
