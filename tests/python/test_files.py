# SPDX-License-Identifier: Apache-2.0
"""opyard.save and load: what comes back, what other readers see, what hostile files do."""
import io
import json
import os
import struct
import tempfile
import unittest

import opyard
from opyard import nn, optim


def file_of(header, data=b""):
    """A safetensors file from its parts: the length of the header, the header, the data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file.safetensors")

    def back(self, value, **kwargs):
        opyard.save(value, self.path, **kwargs)
        return opyard.load(self.path)

    def test_tensors(self):
        for tensor in (opyard.tensor([[1.5, -2.0]]), opyard.tensor(3), opyard.tensor([]),
                       opyard.tensor([True, False]), opyard.arange(6).reshape(2, 3).t(),
                       opyard.tensor([1.0], dtype=opyard.bfloat16),
                       opyard.tensor([1 + 2j])):
            with self.subTest(tensor=tensor):
                got = self.back(tensor)
                self.assertIs(got.dtype, tensor.dtype)
                self.assertEqual(tuple(got.shape), tuple(tensor.shape))
                self.assertEqual(got.tolist(), tensor.tolist())

    def test_flat_dicts_are_plain_files(self):
        opyard.save({"b": opyard.tensor([1.0]), "a": opyard.tensor([2, 3])}, self.path,
                    metadata={"format": "pt"})
        with open(self.path, "rb") as file:
            size, = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(size))
            data = file.read()
        self.assertEqual(header["__metadata__"], {"format": "pt"})
        self.assertEqual(header["a"], {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]})
        self.assertEqual(data, struct.pack("<qqf", 2, 3, 1.0))
        self.assertEqual(opyard.files.load_metadata(self.path), {"format": "pt"})

    def test_checkpoints(self):
        net = nn.Linear(2, 1)
        adam = optim.Adam(net.parameters())
        net(opyard.ones(3, 2)).sum().backward()
        adam.step()
        saved = {"epoch": 3, "loss": 0.25, "model": net.state_dict(), "done": False,
                 "optimizer": adam.state_dict(), "names": ["a", None], "at": (1, "b"),
                 "dtype": opyard.float16, "inf": float("inf"), 7: {True: 1}}
        got = self.back(saved)
        self.assertEqual({k: v for k, v in got.items() if k not in ("model", "optimizer")},
                         {k: v for k, v in saved.items() if k not in ("model", "optimizer")})
        other = nn.Linear(2, 1)
        other.load_state_dict(got["model"])
        self.assertEqual(other.weight.tolist(), net.weight.tolist())
        resumed = optim.Adam(other.parameters())
        resumed.load_state_dict(got["optimizer"])
        for step, model in ((adam, net), (resumed, other)):
            step.zero_grad()
            model(opyard.ones(3, 2)).sum().backward()
            step.step()
        self.assertEqual(other.weight.tolist(), net.weight.tolist())

    def test_one_tensor_twice(self):
        x = opyard.ones(1)
        a, b = self.back([x, x])
        a.fill_(5.0)
        self.assertEqual(b.item(), 5.0)

    def test_writing_leaves_the_file(self):
        got = self.back({"x": opyard.ones(4)})
        got["x"].zero_()
        self.assertEqual(opyard.load(self.path)["x"].tolist(), [1.0] * 4)

    def test_file_objects(self):
        file = io.BytesIO()
        opyard.save({"x": opyard.arange(3)}, file)
        file.seek(0)
        self.assertEqual(opyard.load(file)["x"].tolist(), [0, 1, 2])

    def test_refusals(self):
        opyard.save(opyard.ones(1), self.path)
        for value in (object(), {"a": [{1, 2}]}, {(1, 2): 3}, lambda: 0, b"bytes"):
            with self.assertRaisesRegex(TypeError, "cannot save a"):
                opyard.save(value, self.path)
        self.assertEqual(opyard.load(self.path).tolist(), [1.0])
        self.assertRaises(OSError, opyard.load, self.path + ".none")
        self.assertRaises(OSError, opyard.save, opyard.ones(1), "/nowhere/at/all")

    def test_hostile_files(self):
        one = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        tree = lambda text: {"t": one, "__metadata__": {"opyard.tree": text}}  # noqa: E731
        files = [
            b"", b"\0" * 8, b"\xff" * 64, file_of(b"{"), file_of(b"[]"), file_of({"x": 3}),
            file_of({"x": one}), file_of({"x": one}, b"\0" * 5),
            file_of({"x": dict(one, shape=[-1])}, b"\0" * 4),
            file_of({"x": dict(one, shape=[2**62, 2**62])}, b"\0" * 4),
            file_of({"x": dict(one, dtype="F33")}, b"\0" * 4),
            file_of({"x": dict(one, data_offsets=[4, 0])}, b"\0" * 4),
            file_of({"x": one, "y": one}, b"\0" * 4),
            file_of({"x": one, "__metadata__": {"a": 1}}, b"\0" * 4),
            struct.pack("<Q", 2**63) + b"{}", b"\x80\x04\x95" + b"cos\nsystem\n",
        ]
        for text in ("", "{", "3", "[]", "{}", '{"tensor":"none"}', '{"tensor":3}',
                     '{"dict":[[[],{"value":1}]]}', '{"dict":[1]}', '{"list":{}}',
                     '{"value":[]}', '{"run":"code"}', '{"dtype":"Tensor"}',
                     '{"list":[' * 30000 + "]}" * 30000):
            files.append(file_of(tree(text), b"\0" * 4))
        for content in files:
            with open(self.path, "wb") as file:
                file.write(content)
            with self.subTest(content=content[:60]):
                self.assertRaises((RuntimeError, NotImplementedError), opyard.load, self.path)


if __name__ == "__main__":
    unittest.main()
