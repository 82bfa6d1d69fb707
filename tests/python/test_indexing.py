# SPDX-License-Identifier: Apache-2.0
"""Indexing: what NumPy's does, where PyTorch's is the same; gradients; texts."""
import random
import unittest

import opyard

try:
    import numpy
except ImportError:
    numpy = None


def key_of(rng, shape):
    """A random key of numbers, slices, None, Ellipsis and at most one list or mask."""
    items, used_list, covered = [], False, rng.randint(0, len(shape))
    for size in shape[:covered]:
        kind = rng.choice("islnb" if not used_list else "isn")
        if kind == "i":
            items.append(rng.randrange(-size, size))
        elif kind == "s":
            bounds = [rng.choice([None, *range(-size - 1, size + 2)]) for _ in "ab"]
            items.append(slice(*bounds, rng.choice([None, 1, 2, 3])))
        elif kind == "n":
            items += [None, slice(None)]
        elif kind == "l":
            used_list = True
            items.append([rng.randrange(-size, size) for _ in range(rng.randint(1, 4))])
        else:
            used_list = True
            items.append([bool(rng.getrandbits(1)) for _ in range(size)])
    # Numbers beside lists go by NumPy's rule in NumPy, by PyTorch's here: not compared.
    if used_list:
        items = [slice(None) if isinstance(item, int) else item for item in items]
        items = [item for item in items if item is not None]
    if rng.random() < 0.3:
        anywhere = covered == len(shape) and not used_list
        items.insert(rng.randint(0, len(items)) if anywhere else len(items), Ellipsis)
    return tuple(items)


@unittest.skipUnless(numpy, "needs NumPy")
class RandomKeysTest(unittest.TestCase):
    def cases(self, count):
        rng = random.Random(5)
        for _ in range(count):
            shape = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
            yield rng, numpy.arange(float(numpy.prod(shape))).reshape(shape)

    def test_get(self):
        for rng, array in self.cases(2000):
            key = key_of(rng, array.shape)
            with self.subTest(shape=array.shape, key=key):
                got = opyard.tensor(array)[key]
                self.assertEqual(got.shape, array[key].shape)
                self.assertEqual(got.tolist(), array[key].tolist())

    def test_set(self):
        for rng, array in self.cases(1000):
            key, x = key_of(rng, array.shape), opyard.tensor(array)
            value = rng.choice([7.0, numpy.arange(float(array[key].size)).reshape(
                array[key].shape)])
            if any(isinstance(item, list) and not isinstance(item[0], bool) for item in key):
                value = 7.0  # a place that is written twice has either value
            with self.subTest(shape=array.shape, key=key):
                x[key] = value if isinstance(value, float) else opyard.tensor(value)
                array[key] = value
                self.assertEqual(x.tolist(), array.tolist())


class IndexTest(unittest.TestCase):
    def setUp(self):
        self.x = opyard.arange(12.0).view(3, 4)

    def test_views_share_memory(self):
        for key in (0, slice(1, 2), None, Ellipsis, (0, 1), (slice(None), 1), ()):
            self.assertTrue(self.x[key].is_alias_of(self.x), key)
        for key in ([0], opyard.tensor([0]), self.x > 1, True):
            self.assertFalse(self.x[key].is_alias_of(self.x), key)

    def test_masks(self):
        mask = self.x > 8
        self.assertEqual(self.x[mask].tolist(), [9, 10, 11])
        self.x[mask] = 0
        self.assertEqual(self.x.sum().item(), sum(range(9)))
        self.assertEqual(self.x[opyard.tensor(False)].shape, (0, 3, 4))

    def test_masks_take_a_number_of_any_dtype(self):
        x = self.x.clone()
        x[x > 8] = opyard.tensor(5)
        self.assertEqual(x.flatten().tolist()[8:], [8, 5, 5, 5])
        x[:, opyard.tensor([False, True, False, True])] = opyard.tensor([[True]])
        self.assertEqual(x.tolist(), [[0, 1, 2, 1], [4, 1, 6, 1], [8, 1, 5, 1]])
        with self.assertRaisesRegex(RuntimeError, "source and destination dtypes match"):
            x[[0]] = opyard.tensor(5)
        with self.assertRaisesRegex(RuntimeError, "without overflow"):
            x.byte()[x > 0] = opyard.tensor(300)
        for make in (lambda y: y.scatter(0, opyard.tensor([[0]]), 300),
                     lambda y: y.index_fill(0, opyard.tensor([0]), 300)):
            with self.assertRaisesRegex(RuntimeError, "type uint8_t without overflow"):
                make(x.byte())

    def test_what_an_operator_wrote_is_written_back_to_itself(self):
        for order in ((0, 3, 2, 1), (2, 1, 3, 0), (1, 0, 3, 2)):
            for key in (2, slice(None, None, 2), Ellipsis, (None, 0), slice(None, -1)):
                x = opyard.zeros(3, 3, 3, 1).permute(order)
                y = x.clone()
                if order[0] == 3 and key == 2:
                    continue
                x[key] += 1
                y[key] = 1
                self.assertEqual(x.tolist(), y.tolist(), (order, key))

    def test_nothing_is_chosen(self):
        x = self.x.clone()
        x[False] = opyard.zeros(7)
        self.assertEqual(x[3:, [9]].shape, (0, 1))  # indices are not read
        x[3:, [9]] = 1
        self.assertEqual(x.tolist(), self.x.tolist())
        with self.assertRaisesRegex(IndexError, "for dimension with size 0"):
            x[3:][[0]]

    def test_texts(self):
        x = self.x
        for error, text, call in (
                (IndexError, "index 3 is out of bounds for dimension 0 with size 3",
                 lambda: x[3]),
                (IndexError, "too many indices for tensor of dimension 2", lambda: x[0, 0, 0]),
                (ValueError, "step must be greater than zero", lambda: x[::-1]),
                (IndexError, "only integers, slices", lambda: x[1.5]),
                (IndexError, "invalid index of a 0-dim tensor", lambda: opyard.tensor(1)[0]),
                (IndexError, r"broadcast together with shapes \[2\], \[3\], \[2\]$",
                 lambda: opyard.zeros(2, 2, 2)[[0, 1], [0, 0, 0], [0, 1]]),
                (TypeError, "does not support deleting", lambda: x.__delitem__(0)),
                (TypeError, "can't assign a str to a torch.FloatTensor",
                 lambda: x.__setitem__(0, "a"))):
            with self.subTest(text=text):
                self.assertRaisesRegex(error, text, call)

    def test_gradients(self):
        w = opyard.tensor([1.0, 2.0, 3.0], requires_grad=True)
        (w[[0, 0, 2]] * opyard.tensor([1.0, 2.0, 4.0])).sum().backward()
        self.assertEqual(w.grad.tolist(), [3, 0, 4])
        y = w * 2
        y[0] = w[2]
        w.grad = None
        y.sum().backward()
        self.assertEqual(w.grad.tolist(), [0, 2, 3])


if __name__ == "__main__":
    unittest.main()
