# SPDX-License-Identifier: Apache-2.0
"""Operators with arguments that do not fit: exceptions, and nothing else."""
import random
import unittest
import warnings

import opyard

ODD = (None, "a", [], (), object(), 2 ** 70, -1, 0, 1, 3, 1.5, float("nan"), True, 2j, [1, 2],
       (1, "a"), [None], {}, b"x", [[1]], range(3), opyard.float32, opyard.device("cpu"),
       opyard.contiguous_format, opyard.Generator())


def tensors():
    x = opyard.arange(6.0).view(2, 3)
    return [x, x[0], x.t(), opyard.tensor(1), opyard.tensor([True, False]), opyard.zeros(0, 3),
            opyard.ones(2, 3, requires_grad=True), opyard.empty(2, device="meta"), [x, x]]


class HostileTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_calls(self):
        rng, names = random.Random(3), opyard._C.op_names("aten::")
        keywords = ("dim", "out", "dtype", "keepdim", "other", "generator", "input", "size")
        done = refused = 0
        for _ in range(4000):
            pool = tensors()
            args = [rng.choice(pool)] + [rng.choice([*pool, *ODD, 1, 0, [0], [1, 1]])
                                         for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]
            named = {name: rng.choice([*pool, *ODD])
                     for name in rng.sample(keywords, rng.choice((0, 0, 0, 1)))}
            try:
                opyard._C.packet(rng.choice(names))(*args, **named)
                done += 1
            except Exception as error:
                refused += bool(str(error))
        self.assertGreater(done, 100)
        self.assertGreater(refused, 1000)
        self.assertEqual((opyard.ones(2) + 1).tolist(), [2, 2])

    def test_keys(self):
        rng = random.Random(4)
        for _ in range(2000):
            pool = [*tensors(), *ODD, slice(None), slice(1, None, 2), Ellipsis]
            x, key = rng.choice(tensors()[:6]), tuple(rng.choice(pool) for _ in range(2))
            try:
                x[rng.choice((key, key[0]))]
                x[key[0]] = rng.choice(pool)
            except Exception as error:
                self.assertTrue(str(error))

    def test_objects_that_answer_oddly(self):
        class Index:
            def __index__(self):
                raise ZeroDivisionError("mine")

        x = opyard.ones(2, 3)
        for call in (lambda: x[Index()], lambda: x[Index():], lambda: x.sum(Index()),
                     lambda: x.view([Index()]), lambda: opyard.zeros(2, Index())):
            self.assertRaises(ZeroDivisionError, call)
        self.assertRaises(RuntimeError, opyard.Tensor._make_subclass, int, x)
        self.assertRaises(AttributeError, lambda: opyard.ops.aten.nothing)
        self.assertRaises(TypeError, opyard.add, *[x] * 200)


if __name__ == "__main__":
    unittest.main()
