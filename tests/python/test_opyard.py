# SPDX-License-Identifier: Apache-2.0
"""The package opyard: tensors, calls by schema, errors, memory that is shared."""
import array
import gc
import math
import pickle
import unittest

import opyard
from opyard import ops

try:
    import numpy
except ImportError:
    numpy = None


class NamespaceTest(unittest.TestCase):
    """Values by hand."""

    def test_lists_of_any_layout(self):
        x = opyard.tensor([[1., 2., 3.], [4., 5., 6.]])
        self.assertEqual(x.t().tolist(), [[1, 4], [2, 5], [3, 6]])
        self.assertEqual(x[:, ::2].double().tolist(), [[1, 3], [4, 6]])
        self.assertEqual(opyard.arange(3).expand(2, 3).tolist(), [[0, 1, 2]] * 2)
        self.assertEqual(opyard.zeros(2, 0).tolist(), [[], []])
        z = opyard.tensor([1 + 2j, 3 - 1j])
        self.assertEqual(z.conj().imag.tolist(), [-2, 1])
        self.assertEqual(z.conj().tolist(), [1 - 2j, 3 + 1j])

    def test_what_is_there_already_is_given_back(self):
        x = opyard.zeros(2, 3)
        self.assertIs(x.to("cpu"), x)
        self.assertIs(x.cpu(), x)
        self.assertIs(x.contiguous(), x)
        self.assertIsNot(x.t().contiguous(), x)
        last = opyard.zeros(2, 3, 4, 5).cpu(memory_format=opyard.channels_last)
        self.assertEqual(last.stride(), (60, 1, 15, 3))
        self.assertIs(last.to(memory_format=opyard.channels_last), last)
        self.assertIs(last.to("cpu", memory_format=opyard.channels_last), last)
        self.assertIs(last.to(memory_format=opyard.preserve_format), last)
        self.assertIs(last.to(memory_format=None), last)
        # No format has it, but its strides suggest one.
        with_gaps = opyard.zeros(2, 4, 4, 5).cpu(memory_format=opyard.channels_last)[:, ::2]
        self.assertIs(with_gaps.to(memory_format=opyard.channels_last), with_gaps)
        self.assertEqual(last.to(memory_format=opyard.contiguous_format).stride(),
                         (60, 20, 5, 1))
        with self.assertRaises(TypeError):
            last.to(memory_format=3)

    def test_limits_of_dtypes(self):
        self.assertEqual(opyard.finfo(opyard.bfloat16).eps, 2.0 ** -7)
        self.assertEqual(opyard.finfo().max, opyard.finfo(opyard.float32).max)
        for info in opyard.finfo(opyard.float16), opyard.iinfo(opyard.int8):
            self.assertEqual(repr(pickle.loads(pickle.dumps(info))), repr(info))
            with self.assertRaises(AttributeError):
                info.max = 3
        self.assertRaises(TypeError, opyard.iinfo)

    def test_generators_of_devices(self):
        first, meta = opyard.random.default_generator(), opyard.random.default_generator("meta")
        self.assertEqual([str(g.device.type) for g in (first, meta)], ["cpu", "meta"])
        meta.manual_seed(5)
        self.assertEqual(opyard.random.default_generator("meta").initial_seed(), 5)
        opyard.manual_seed(3)  # of all devices
        self.assertEqual([g.initial_seed() for g in (first, meta)], [3, 3])
        state = opyard.random.get_rng_state("cpu")
        x = opyard.rand(3)
        opyard.random.set_rng_state(state)
        with opyard.random.fork_rng(["meta"]):
            self.assertEqual(opyard.rand(3).tolist(), x.tolist())
            meta.manual_seed(9)
        self.assertEqual((opyard.rand(3).tolist(), meta.initial_seed()), (x.tolist(), 3))
        opyard.random.set_rng_state(state)
        with opyard.random.fork_rng(enabled=False):
            opyard.rand(3)
        self.assertNotEqual(opyard.rand(3).tolist(), x.tolist())
        own = opyard.Generator("cpu").manual_seed(3)
        self.assertEqual(opyard.rand(3, generator=own).tolist(), x.tolist())
        for device in ("nothing", 3):
            self.assertRaises(RuntimeError, opyard.random.default_generator, device)

    def test_functions_of_a_prefix(self):
        self.assertEqual(opyard.linalg.svdvals(opyard.eye(2) * 3).tolist(), [3, 3])
        self.assertEqual(opyard.linalg.det(opyard.tensor([[2., 0.], [1., 4.]])).item(), 8)
        self.assertEqual(opyard.special.expit(opyard.zeros(1)).tolist(), [0.5])
        self.assertIs(opyard.linalg.svdvals, opyard.linalg.svdvals)
        self.assertIn("svd", dir(opyard.linalg))
        self.assertIn("entr", dir(opyard.special))
        self.assertRaisesRegex(AttributeError, "no operator aten::linalg_nothing", getattr,
                               opyard.linalg, "nothing")
        self.assertRaises(AttributeError, getattr, opyard.fft, "__path__")


class TensorTest(unittest.TestCase):
    def test_functions_of_elements(self):
        a = opyard.tensor([[0.0, 1.0], [2.0, 3.0]])
        whole = opyard.tensor([0, 1, 2])
        for found, wanted in (
                (a.clone().map_(opyard.ones(2), lambda x, y: x + 10 * y), [[10, 11], [12, 13]]),
                (a.clone().map2_(a, a, lambda x, y, z: x + y * z), [[0, 2], [6, 12]]),
                (whole.clone().map_(whole, lambda x, y: (x + y) * 1.5), [0, 3, 6]),
                ((a > 1).map_(a > 2, lambda x, y: not x or y), [[True, True], [False, True]])):
            self.assertEqual(found.tolist(), wanted)
        for error, text, call in (
                (TypeError, "map_: expected torch.FloatTensor for 'other' (got torch.LongTensor)",
                 lambda: a.map_(whole, max)),
                (TypeError, "map2_: expected torch.FloatTensor for argument 'y' (got "
                 "torch.LongTensor)", lambda: a.map2_(a, whole, max)),
                (TypeError, "map_(): argument 'other' (position 1) must be Tensor, not int",
                 lambda: a.map_(3, max)),
                (TypeError, "must be real number, not str", lambda: a.apply_(str)),
                (RuntimeError, "Can't call map_() on Variable that requires grad. Use "
                 "var.detach().map_() instead.",
                 lambda: a.map_(a.clone().requires_grad_(), max))):
            with self.assertRaises(error) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_literals(self):
        for data, dtype, shape in (
                ([[1.0, 2.0], [3.0, 4.0]], opyard.float32, (2, 2)),
                ([1, 2, 3], opyard.int64, (3,)), ([True, False], opyard.bool, (2,)),
                (1 + 2j, opyard.complex64, ()), ([], opyard.float32, (0,)),
                ([1, 2.5], opyard.float32, (2,)), ([[], []], opyard.float32, (2, 0))):
            x = opyard.tensor(data)
            self.assertIs(x.dtype, dtype)
            self.assertEqual(x.shape, shape)
            self.assertEqual(x.tolist(), data)
        self.assertEqual(opyard.tensor([1.5, 2.5], dtype=opyard.int32).tolist(), [1, 2])

    def test_literals_in_other_dtypes(self):
        class Half(float):  # as NumPy's numbers are
            dtype = "float16"
        self.assertIs(opyard.tensor([Half(1.5)]).dtype, opyard.float32)
        self.addCleanup(opyard.set_default_dtype, opyard.float32)
        for default, of_complex in ((opyard.float64, opyard.complex128),
                                    (opyard.float16, opyard.complex64)):
            opyard.set_default_dtype(default)
            for data, dtype in ((2.5, default), ([1, 2.5], default), ([], default),
                                (3, opyard.int64), ([True], opyard.bool),
                                ([1j, 2], of_complex)):
                self.assertIs(opyard.tensor(data).dtype, dtype)
                self.assertEqual(opyard.tensor(data).tolist(), data)

    def test_complex_of_parts(self):
        for n in (1, 3, 4, 37):
            for dtype in (opyard.float16, opyard.float32, opyard.float64):
                a = opyard.arange(4 * n, dtype=dtype)
                for re, im in ((a[:n], a[n:2 * n]), (a[1:n + 1], a[::4]), (a[::2], a[:1]),
                               (a[:1], a[1::2]), (a.reshape(4, n).t(), a[:4])):
                    made = opyard.complex(re, im).to(opyard.complex128)
                    whole = re.double().expand(made.shape), im.double().expand(made.shape)
                    self.assertEqual((made.real.tolist(), made.imag.tolist()),
                                     tuple(part.tolist() for part in whole))

    def test_literals_that_are_none(self):
        for data, error in (([[1], [2, 3]], ValueError), ([1, [2]], TypeError),
                            (["a"], ValueError), ([2**70], OverflowError),
                            ([[1], 2], TypeError), ([None], RuntimeError)):
            self.assertRaises(error, opyard.tensor, data)

    def test_questions(self):
        x = opyard.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        y = ops.aten.as_strided(x.t(), [2, 2], [1, 3], 1)
        self.assertEqual((y.shape, y.stride(), y.storage_offset()), ((2, 2), (1, 3), 1))
        self.assertTrue(y.is_alias_of(x))
        self.assertFalse((x + x).is_alias_of(x))
        self.assertEqual((x.ndim, x.numel(), len(x), x.dim()), (2, 6, 2, 2))
        self.assertEqual(y.data_ptr(), x.data_ptr() + 4)
        self.assertEqual(str(x.device), "cpu")
        self.assertEqual(x.device, "cpu")
        self.assertEqual(x[1, 2].item(), 6.0)
        self.assertRaises(IndexError, lambda: x[2])
        self.assertRaises(RuntimeError, x.item)

    def test_signs(self):
        x = opyard.tensor([1.0, 2.0])
        self.assertEqual((2 - x).tolist(), [1.0, 0.0])
        self.assertEqual((x + 1).tolist(), [2.0, 3.0])
        self.assertEqual((3 * x).tolist(), [3.0, 6.0])
        self.assertEqual((-x).tolist(), [-1.0, -2.0])
        self.assertEqual((x < 2).tolist(), [True, False])
        self.assertEqual((x @ x).item(), 5.0)
        before = x
        x += 1
        self.assertIs(x, before)

    def test_gradients(self):
        w = opyard.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        self.assertEqual(w.grad.tolist(), [2.0, 4.0])
        with opyard.no_grad():
            self.assertFalse((w * w).requires_grad)
        self.assertTrue((w * w).requires_grad)


class CallTest(unittest.TestCase):
    def test_overloads_by_name(self):
        x = opyard.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(ops.aten.add.Tensor(x, x, alpha=2).tolist(), [[3, 6], [9, 12]])
        self.assertEqual(ops.aten.sum.dim_IntList(x, [0], keepdim=True).tolist(), [[4, 6]])
        self.assertEqual(ops.aten.sum.dim_IntList(x, 1).tolist(), [3, 7])
        self.assertEqual(ops.aten.sum.default(self=x).item(), 10)
        self.assertIn("add.Tensor(Tensor self", ops.aten.add.Tensor.schema)

    def test_resolution(self):
        x = opyard.tensor([[1.0, 2.0], [3.0, 4.0]])
        self.assertEqual(opyard.sum(x, 0).tolist(), [4, 6])
        self.assertEqual(opyard.sum(x, axis=(0, 1)).item(), 10)
        self.assertEqual(opyard.add(input=x, other=1).tolist(), [[2, 3], [4, 5]])
        self.assertEqual(x.view(4).tolist(), x.view((4,)).tolist())
        out = opyard.zeros([2, 2])
        self.assertIs(opyard.add(x, x, out=out), out)
        self.assertEqual(out.tolist(), [[2, 4], [6, 8]])

    def test_methods_whose_self_comes_second(self):
        x, more = opyard.tensor([1.0, -2.0]), opyard.tensor([5.0, 6.0])
        positive = x > 0
        self.assertEqual(x.where(positive, more).tolist(), [1, 6])
        self.assertEqual(x.where(other=more, condition=positive).tolist(), [1, 6])
        self.assertEqual(x.where(positive, other=more).tolist(), [1, 6])
        self.assertEqual(x.where(positive, 7).tolist(), [1, 7])
        self.assertEqual(opyard.Tensor.where(x, positive, more).tolist(), [1, 6])
        bound = x.where
        self.assertEqual(bound(positive, more).tolist(), [1, 6])
        for arguments in ((), (positive,), (positive, x, x)):
            self.assertRaises(TypeError, x.where, *arguments)
        quarter_of_the_square_of_pi = 2.4674011
        for found in (x.polygamma(1), x.polygamma(n=1)):
            self.assertAlmostEqual(found[0].item(), quarter_of_the_square_of_pi * 2 / 3, 5)

    def test_norms_and_distances_by_name(self):
        x = opyard.tensor([[3.0, 0.0], [0.0, 4.0]])
        self.assertAlmostEqual(opyard.norm(x, "nuc").item(), 7.0, 5)
        self.assertEqual(x.norm("nuc", (0, 1), keepdim=True).shape, (1, 1))
        for mode in ("use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
            distances = opyard.cdist(x, opyard.zeros(1, 2), compute_mode=mode)
            self.assertEqual(distances.tolist(), [[3], [4]])
        with self.assertRaisesRegex(ValueError, "other is not a valid value for compute_mode"):
            opyard.cdist(x, x, compute_mode="other")

    def test_arguments_of_other_types(self):
        x = opyard.zeros([2], dtype=opyard.float64, device="cpu", layout=opyard.strided)
        self.assertIs(x.dtype, opyard.float64)
        self.assertIs(opyard.ones([1], dtype=opyard.int8).dtype, opyard.int8)
        y = opyard.clone(x, memory_format=opyard.contiguous_format)
        self.assertFalse(y.is_alias_of(x))
        self.assertEqual(opyard.full([2], True).tolist(), [True, True])
        self.assertTrue(math.isnan(opyard.full([], float("nan")).item()))

    def test_errors(self):
        x = opyard.tensor([[1.0, 2.0], [3.0, 4.0]])
        for error, text, call in (
                (TypeError, "argument 'other' .position 2. must be Tensor, not str",
                 lambda: opyard.add(x, "a")),
                # Methods do not count self.
                (TypeError, r"add\(\): argument 'other' .position 1. must be Tensor, not str",
                 lambda: x.add("a")),
                (TypeError, r"logical_and_\(\): argument 'other' .position 1. must be Tensor",
                 lambda: x.logical_and_(2.0)),
                (TypeError, r"got .int, int, Tensor., but expected one of:\n \* .int dim, ",
                 lambda: x.scatter_(0, 3, x)),
                (TypeError, "takes 1 positional argument but 2 were given",
                 lambda: x.logical_and(x, x)),
                (RuntimeError, "^maximum not implemented for complex tensors.$",
                 lambda: opyard.maximum(x, x * 1j)),
                (RuntimeError, "expected scalar type Float but found Double",
                 lambda: opyard.linalg.cross(opyard.ones(3), opyard.ones(3).double())),
                (RuntimeError, "first has size 2 in dim -1 and second has size 3 in dim 0",
                 lambda: opyard.tensordot(x, opyard.ones(3), 1)),
                # Shapes are looked at before dtypes.
                (RuntimeError, "shape mismatch: value tensor of shape .3. cannot be broadcast",
                 lambda: opyard.index_put(x, (opyard.tensor([0]),), opyard.ones(3).int())),
                (TypeError, "missing 2 required positional argument: \"input\", \"other\"",
                 lambda: opyard.add()),
                (TypeError, "argument 'dim' .position 2. must be tuple of ints, not str",
                 lambda: ops.aten.sum.dim_IntList(x, "a")),
                (TypeError, "unexpected keyword argument 'no'",
                 lambda: ops.aten.sum.default(x, no=1)),
                (RuntimeError, "mat2 must be a matrix", lambda: opyard.mm(x, x[0])),
                (TypeError, "expected Tensor as element 1 in argument 0, but got NoneType",
                 lambda: opyard.cat([x, None])),
                (RuntimeError, "must match the size", lambda: x + opyard.tensor([1.0] * 3)),
                (IndexError, "Dimension out of range", lambda: opyard.sum(x, 5)),
                (AttributeError, "no operator aten::nothing", lambda: opyard.nothing),
                (AttributeError, "no overload 'No'", lambda: ops.aten.add.No),
                (OverflowError, "", lambda: opyard.sum(x, 2**70)),
                (RuntimeError, "", lambda: opyard.device("nowhere"))):
            with self.subTest(text=text):
                self.assertRaisesRegex(error, text, call)


class MemoryTest(unittest.TestCase):
    def test_buffers(self):
        numbers = array.array("f", [1, 2, 3])
        x = opyard.from_buffer(numbers)
        x.add_(1)
        self.assertEqual(list(numbers), [2, 3, 4])
        view = memoryview(x)
        self.assertEqual((view.format, view.shape, view.tolist()), ("f", (3,), [2, 3, 4]))
        self.assertRaises(BufferError, numbers.append, 1.0)
        del x, view
        gc.collect()
        numbers.append(1.0)
        self.assertRaises(ValueError, opyard.from_buffer, b"read only")
        self.assertRaises(TypeError, opyard.from_buffer, 5)
        self.assertRaises(BufferError, memoryview, opyard.zeros([1], dtype=opyard.bfloat16))

    @unittest.skipUnless(numpy, "needs NumPy")
    def test_numpy(self):
        for name in ("float32", "float64", "float16", "int8", "uint8", "int16", "int32",
                     "int64", "bool", "complex64", "complex128"):
            a = numpy.arange(6).reshape(2, 3).astype(name).T
            x = opyard.from_numpy(a)
            self.assertEqual((x.dtype.name, x.shape), (name, (3, 2)))
            self.assertEqual(x.tolist(), a.tolist())
            b = numpy.asarray(x)
            self.assertTrue(numpy.shares_memory(a, b))
            self.assertEqual(b.tolist(), a.tolist())
        self.assertEqual(opyard.from_numpy(numpy.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(numpy.asarray(opyard.tensor(2.5)).item(), 2.5)
        self.assertRaises(ValueError, opyard.from_numpy, numpy.arange(3)[::-1])

    def test_nothing_leaks(self):
        def everything():
            x = opyard.tensor([[1.0, 2.0], [3.0, 4.0]])
            memoryview(opyard.from_buffer(array.array("d", [1.0]))).tolist()
            repr(x), x.shape, x.dtype, x.device, x.tolist(), x[0, 1].item(), (x + 1j)
            opyard.sum(x, [0, 1], dtype=opyard.float64)
            opyard.full([2], 1 + 2j)
            for bad in (lambda: opyard.add(x, "a"), lambda: opyard.mm(x, x[0]),
                        lambda: opyard.tensor([1, [2]]), lambda: opyard.sum(x, [0, "a"]),
                        lambda: opyard.device("nowhere"), lambda: opyard.full([2, None], 1)):
                try:
                    bad()
                except (TypeError, ValueError, RuntimeError, NotImplementedError):
                    pass

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * 4096

        def safely():
            try:
                everything()
            except NotImplementedError:
                pass

        for _ in range(300):
            safely()
        gc.collect()
        before = resident()
        for _ in range(3000):
            safely()
        gc.collect()
        self.assertLess(resident() - before, 200000)


if __name__ == "__main__":
    unittest.main()
