# SPDX-License-Identifier: Apache-2.0
"""opyard.array_api where it differs from opyard itself; numbers by hand. All functions are
compared with array-api-strict by ./yard oracle array-api."""
import inspect
import unittest

import opyard

xp = opyard.tensor([0]).__array_namespace__()


class ArrayApiTest(unittest.TestCase):
    def test_namespace(self):
        self.assertIs(xp, opyard.array_api)
        self.assertEqual(xp.__array_api_version__, "2023.12")
        self.assertRaises(ValueError, opyard.ones(1).__array_namespace__, api_version="1999.01")
        self.assertEqual([name for name in xp.__all__ if not hasattr(xp, name)], [])
        self.assertIs(xp.ones(1).to_device("cpu").dtype, xp.float32)

    def test_promotion(self):
        for a, b, wanted in (("uint8", "int8", "int16"), ("uint16", "int8", "int32"),
                             ("uint32", "int64", "int64"), ("uint8", "uint64", "uint64"),
                             ("float32", "float64", "float64"),
                             ("float64", "complex64", "complex128")):
            got = xp.add(xp.ones(2, dtype=getattr(xp, a)), xp.ones((), dtype=getattr(xp, b)))
            self.assertIs(got.dtype, getattr(xp, wanted), (a, b))
            self.assertEqual(got.tolist(), [2, 2])
        self.assertRaises(TypeError, xp.result_type, xp.uint64, xp.int8)
        self.assertIs(xp.result_type(xp.float32, 1, 2j), xp.complex64)

    def test_numbers_above_two_to_the_63(self):
        large, top = 2**63 + 5, 2**64 - 1
        x = xp.asarray([large, 3, top], dtype=xp.uint64)
        y = xp.asarray([2, 2**63, 10], dtype=xp.uint64)

        def numbers(z):
            return memoryview(z).tolist()

        self.assertEqual(numbers(xp.sort(x)), [3, large, top])
        self.assertEqual(numbers(xp.floor_divide(x, y)), [large // 2, 0, top // 10])
        self.assertEqual(numbers(xp.remainder(x, y)), [large % 2, 3, top % 10])
        self.assertEqual(numbers(xp.bitwise_right_shift(x, xp.asarray([1, 0, 63],
                                                                      dtype=xp.uint64))),
                         [large >> 1, 3, 1])
        self.assertEqual(xp.less(x, y).tolist(), [False, True, False])
        self.assertEqual(int(xp.argmax(x).item()), 2)
        self.assertEqual(numbers(xp.add(x, x)), [10, 6, 2**64 - 2])
        self.assertEqual(numbers(xp.clip(x, 5, large + 1)), [large, 5, large + 1])
        self.assertEqual(numbers(xp.clip(x, min=large + 1)), [large + 1, large + 1, top])

    def test_numbers_above_two_to_the_63_come_and_go(self):
        """As PyTorch has them since it has uint64: in lists, as an element, as a number."""
        large = 2**63 + 5
        x = opyard.tensor([[large, 1], [-1, 2**64 - 1]], dtype=opyard.uint64)
        self.assertEqual(x.tolist(), [[large, 1], [2**64 - 1, 2**64 - 1]])
        self.assertEqual(x[0, 0].item(), large)
        self.assertEqual((int(x[0, 0]), float(x[0, 0]), bool(x[0, 0])), (large, 2.0**63, True))
        self.assertEqual(x[1, 1].__index__(), 2**64 - 1)
        self.assertEqual(opyard.tensor(large, dtype=opyard.uint64).tolist(), large)
        x[0] = large + 1
        x[1, 0] = 2**64 - 1
        x[:, 1:] = 7
        self.assertEqual(x.tolist(), [[large + 1, 7], [2**64 - 1, 7]])
        self.assertEqual(x.t()[::2].tolist(), [[large + 1, 2**64 - 1]])
        x[opyard.tensor([True, False])] = large
        self.assertEqual(x.tolist(), [[large, large], [2**64 - 1, 7]])
        x.fill_(opyard.tensor(large + 2, dtype=opyard.uint64))
        self.assertEqual(x.tolist(), [[large + 2, large + 2]] * 2)
        for call in (lambda: opyard.tensor([2**64], dtype=opyard.uint64),
                     lambda: opyard.tensor([large], dtype=opyard.int64),
                     lambda: opyard.tensor(large), lambda: x.__setitem__(0, 2**64),
                     lambda: xp.zeros(2, dtype=xp.int64).__setitem__(0, large)):
            self.assertRaises(OverflowError, call)

    def test_remainders_have_the_sign_of_what_divides(self):
        for dtype in (xp.float32, xp.float64):
            x1 = xp.asarray([0.0, -0.0, 0.0, -0.0, 4.0, -4.0, 7.0, 3.0, -3.0], dtype=dtype)
            x2 = xp.asarray([2.0, 2.0, -2.0, -2.0, -2.0, 2.0, -2.0, xp.inf, xp.inf], dtype=dtype)
            got = xp.remainder(x1, x2)
            self.assertEqual(got.tolist(), [0, 0, 0, 0, 0, 0, -1, 3, xp.inf])
            self.assertEqual(xp.signbit(got).tolist(), [False, False, True, True, True, False,
                                                        True, False, False])

    def test_linear_algebra(self):
        x = xp.asarray([[4.0, 2.0], [2.0, 5.0]])
        self.assertEqual(xp.linalg.cholesky(x).tolist(), [[2, 0], [1, 2]])
        self.assertEqual(xp.linalg.slogdet(x)._fields, ("sign", "logabsdet"))
        self.assertEqual([round(v, 4) for v in xp.linalg.eigh(x).eigenvalues.tolist()],
                         [2.4384, 6.5616])  # (9 -+ sqrt(17)) / 2
        self.assertIs(xp.linalg.trace(xp.ones((3, 2, 2), dtype=xp.uint8)).dtype, xp.uint64)
        # One vector if it has one axis; otherwise matrices, whatever the shapes look like.
        stack = xp.stack([xp.eye(2), 2 * xp.eye(2)])
        self.assertEqual(xp.linalg.solve(stack, xp.asarray([2.0, 4.0])).tolist(),
                         [[2, 4], [1, 2]])
        self.assertEqual(xp.linalg.solve(stack, xp.asarray([[2.0, 4.0], [6.0, 8.0]])).tolist(),
                         [[[2, 4], [6, 8]], [[1, 2], [3, 4]]])
        self.assertEqual(xp.linalg.vector_norm(xp.asarray([3.0, -4.0]), axis=()).tolist(), [3, 4])
        self.assertRaises(ValueError, xp.linalg.cross, xp.ones(2), xp.ones(2))

    def test_fourier(self):
        self.assertEqual(xp.fft.fftfreq(4).tolist(), [0, 0.25, -0.5, -0.25])
        self.assertEqual(xp.fft.fft(xp.asarray([1, 2, 3, 4], dtype=xp.complex64)).tolist(),
                         [10, -2 + 2j, -2, -2 - 2j])
        self.assertEqual(xp.fft.fftshift(xp.arange(5, dtype=xp.uint16)).tolist(),
                         [3, 4, 0, 1, 2])
        self.assertEqual(xp.fft.irfft(xp.asarray([4, 0, 0], dtype=xp.complex64), n=4).tolist(),
                         [1, 1, 1, 1])

    def test_sums_are_wide(self):
        x = xp.asarray([200, 100], dtype=xp.uint8)
        self.assertIs(xp.sum(x).dtype, xp.uint64)
        self.assertEqual(memoryview(xp.sum(x)).tolist(), 300)
        self.assertEqual(xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=()).tolist(),
                         [[1, 2], [3, 4]])

    def test_unique_all(self):
        got = xp.unique_all(xp.asarray([[3, 1], [1, 7]]))
        self.assertEqual([part.tolist() for part in got],
                         [[1, 3, 7], [1, 0, 3], [[1, 0], [0, 2]], [2, 1, 1]])
        self.assertEqual(got._fields, ("values", "indices", "inverse_indices", "counts"))

    def test_errors(self):
        x = xp.ones((2, 3))
        for call, error in ((lambda: xp.squeeze(x, 0), ValueError),
                            (lambda: xp.sum(x, axis=2), IndexError),
                            (lambda: xp.flip(x, axis=(0, 0)), ValueError),
                            (lambda: xp.nonzero(xp.asarray(1)), ValueError),
                            (lambda: xp.mean(xp.asarray([1])), TypeError),
                            (lambda: xp.cumulative_sum(x), ValueError),
                            (lambda: xp.matrix_transpose(xp.ones(2)), ValueError),
                            (lambda: xp.take(x, xp.asarray([0])), ValueError),
                            (lambda: xp.reshape(x.t(), (6,), copy=False), ValueError),
                            (lambda: xp.asarray([1], copy=False), ValueError),
                            (lambda: xp.isdtype(xp.int8, "none"), ValueError),
                            (lambda: xp.astype(xp.asarray([1j]), xp.int8), TypeError),
                            (lambda: xp.finfo(xp.int8), TypeError)):
            self.assertRaises(error, call)

    def test_arguments_by_position_have_no_names(self):
        self.assertEqual(str(inspect.signature(xp.add)), "(x1, x2, /)")
        self.assertRaises(TypeError, lambda: xp.add(x1=1, x2=2))
        self.assertRaises(TypeError, lambda: xp.sum(xp.ones(2), 0))


if __name__ == "__main__":
    unittest.main()
