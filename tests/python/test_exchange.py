# SPDX-License-Identifier: Apache-2.0
"""ten_15: DLPack both ways and in both forms, and __array__; with NumPy where it is there,
and with structures read by hand where it is not."""
import ctypes
import gc
import unittest

import opyard

try:
    import numpy
except ImportError:
    numpy = None

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


def read(capsule):
    """The structure, borrowed, and the name of a capsule."""
    name = api.PyCapsule_GetName(capsule)
    pointer = api.PyCapsule_GetPointer(capsule, name)
    kind = Versioned if name == b"dltensor_versioned" else DLTensor
    return ctypes.cast(pointer, ctypes.POINTER(kind)).contents, name


class Producer:
    """An array of another library, which gives what it is told to."""

    def __init__(self, tensor, is_old=False):
        self.tensor, self.is_old, self.asked = tensor, is_old, None

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **asked):
        if self.is_old and set(asked) - {"stream"}:
            raise TypeError("unexpected keyword argument")
        self.asked = asked
        return self.tensor.__dlpack__(**asked)


class DlpackTest(unittest.TestCase):
    def test_ten_15_legacy_capsule(self):
        x = opyard.arange(6, dtype=opyard.int32).reshape(2, 3).t()
        capsule = x[1:].__dlpack__()
        tensor, name = read(capsule)
        self.assertEqual(name, b"dltensor")
        self.assertEqual((tensor.device_type, tensor.device_id, tensor.ndim), (1, 0, 2))
        self.assertEqual((tensor.code, tensor.bits, tensor.lanes), (0, 32, 1))
        self.assertEqual((tensor.shape[:2], tensor.strides[:2]), ([2, 2], [1, 3]))
        self.assertEqual((tensor.data, tensor.byte_offset), (x.data_ptr() + 4, 0))

    def test_ten_15_versioned_capsule(self):
        x = opyard.ones(1, 4)
        for asked, name in (((1, 0), b"dltensor_versioned"), ((2, 3), b"dltensor_versioned"),
                            ((0, 8), b"dltensor"), (None, b"dltensor")):
            self.assertEqual(read(x.__dlpack__(max_version=asked))[1], name)
        head, _ = read(capsule := x.__dlpack__(max_version=(1, 0)))
        self.assertEqual((head.major, head.flags), (1, 0))
        self.assertEqual(head.tensor.data, x.data_ptr())
        self.assertEqual(head.tensor.strides[0], 1)  # of a dimension of size 1
        head, _ = read(capsule := x.__dlpack__(max_version=(1, 0), copy=True))
        self.assertEqual(head.flags, 2)
        self.assertNotEqual(head.tensor.data, x.data_ptr())
        del capsule

    def test_ten_15_types(self):
        for dtype, code, bits in (("bool", 6, 8), ("uint8", 1, 8), ("int8", 0, 8),
                                  ("float16", 2, 16), ("bfloat16", 4, 16), ("float64", 2, 64),
                                  ("complex64", 5, 64), ("complex128", 5, 128)):
            x = opyard.zeros(2, dtype=getattr(opyard, dtype))
            capsule = x.__dlpack__()
            tensor, _ = read(capsule)
            self.assertEqual((tensor.code, tensor.bits), (code, bits))
            self.assertIs(opyard.from_dlpack(capsule).dtype, x.dtype)

    def test_ten_15_a_capsule_is_taken_once(self):
        for version in (None, (1, 0)):
            x = opyard.ones(3)
            capsule = x.__dlpack__(max_version=version)
            y = opyard.from_dlpack(capsule)
            self.assertTrue(api.PyCapsule_GetName(capsule).startswith(b"used_dltensor"))
            self.assertEqual(y.data_ptr(), x.data_ptr())
            with self.assertRaisesRegex(RuntimeError, "can be consumed only once"):
                opyard.from_dlpack(capsule)
            del x, capsule
            gc.collect()
            self.assertEqual(y.tolist(), [1.0] * 3)
        self.assertRaises(RuntimeError, opyard.from_dlpack, object())

    def test_ten_15_memory_is_shared(self):
        x = opyard.zeros(2, 2)
        for is_old in (False, True):
            producer = Producer(x, is_old)
            y = opyard.from_dlpack(producer)
            y.fill_(7.0)
            self.assertEqual(x.tolist(), [[7.0, 7.0]] * 2)
            copied = opyard.from_dlpack(producer, copy=True)
            self.assertNotEqual(copied.data_ptr(), x.data_ptr())
            if not is_old:
                self.assertEqual(producer.asked, {"max_version": (1, 1), "copy": True})
        self.assertEqual(opyard.from_dlpack(x, copy=False).data_ptr(), x.data_ptr())
        self.assertEqual(opyard.from_dlpack(x, device="cpu").data_ptr(), x.data_ptr())

    def test_ten_15_refusals(self):
        x = opyard.ones(2)
        self.assertEqual(x.__dlpack_device__(), (1, 0))
        for asked, error in (({"stream": 1}, ValueError), ({"stream": "a"}, TypeError),
                             ({"dl_device": (2, 0)}, BufferError)):
            self.assertRaises(error, lambda: x.__dlpack__(**asked))
        x.__dlpack__(stream=-1, dl_device=(1, 0))
        x.requires_grad = True
        for call in (x.__dlpack__, lambda: x.__dlpack__(copy=True)):
            with self.assertRaisesRegex(
                    (RuntimeError, BufferError),
                    r"Can't export tensors that require gradient, use tensor.detach\(\)"):
                call()
        capsule = opyard.utils.dlpack.to_dlpack(x)
        self.assertEqual(opyard.utils.dlpack.from_dlpack(capsule).data_ptr(), x.data_ptr())


@unittest.skipIf(numpy is None, "NumPy is not installed")
class NumpyTest(unittest.TestCase):
    def test_without_copies(self):
        x = opyard.arange(6, dtype=opyard.float32).reshape(2, 3)
        for array in (numpy.asarray(x), numpy.from_dlpack(x), numpy.array(x, copy=False)):
            self.assertEqual(array.__array_interface__["data"][0], x.data_ptr())
            self.assertEqual(array.tolist(), x.tolist())
        self.assertEqual(numpy.asarray(x.t()).strides, (4, 12))
        array = numpy.arange(6.0).reshape(2, 3)[:, ::2]
        for y in (opyard.from_dlpack(array), opyard.from_numpy(array)):
            y.select(0, 0).select(0, 0).fill_(5.0)
            self.assertEqual((array[0, 0], y.stride()), (5.0, (3, 2)))
            array[0, 0] = 0.0

    def test_array(self):
        x = opyard.tensor([1.5, 2.5])
        self.assertEqual(numpy.asarray(x, dtype="int64").tolist(), [1, 2])
        self.assertEqual(x.__array__("float64").dtype, numpy.float64)
        self.assertIs(x.__array__().dtype.type, numpy.float32)
        x.requires_grad = True
        self.assertRaises(RuntimeError, x.__array__)
        self.assertRaises(TypeError, opyard.zeros(1, dtype=opyard.bfloat16).__array__)
        self.assertEqual(numpy.asarray(opyard.tensor(3.0)).shape, ())

    def test_lazy_bits(self):
        x = opyard.tensor([1 + 2j, 3 - 4j])
        y = x.conj()
        self.assertTrue(y.is_conj() and y.imag.is_neg() and not y.is_neg())
        self.assertEqual(y.data_ptr(), x.data_ptr())
        self.assertEqual((y.tolist(), y.imag.tolist()), ([1 - 2j, 3 + 4j], [-2, 4]))
        for lazy, bit, how in (y, "conjugate", "conj"), (y.imag, "negative", "neg"):
            text = (f"Can't call numpy.. on Tensor that has {bit} bit set. Use "
                    f"tensor.resolve_{how}...numpy.. instead.")
            self.assertRaisesRegex(RuntimeError, text, lazy.numpy)
            self.assertEqual(lazy.numpy(force=True).tolist(), lazy.tolist())
            self.assertRaises(BufferError, memoryview, lazy)
        zeros = opyard.ops.aten._efficientzerotensor([2])
        self.assertEqual((zeros.tolist(), zeros.data_ptr()), ([0, 0], 0))
        self.assertRaises(BufferError, memoryview, zeros)


if __name__ == "__main__":
    unittest.main()
