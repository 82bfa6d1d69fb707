#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .npy and safetensors files that test_files.c reads, into the folder that
is named (tests/data/tensor), with numpy and safetensors themselves. The elements are
((i * 7919 + 13) % 97 - 48) / 4, in row-major order."""
import struct
import sys

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file
from numpy.lib import format as npy


def ruled(shape, dtype):
    count = int(np.prod(shape, dtype=int))
    v = [((i * 7919 + 13) % 97 - 48) / 4 for i in range(2 * count)]
    if np.dtype(dtype).kind == "c":
        a = np.array([complex(v[2 * i], v[2 * i + 1]) for i in range(count)])
    else:
        a = np.array(v[:count])
    if np.dtype(dtype).kind == "b":
        a = a > 0
    if np.dtype(dtype).kind in "iu":
        a = a.astype("int64")
    return a.astype(dtype).reshape(shape)


def main():
    folder = sys.argv[1]
    for name in ("b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 c8 c16").split():
        np.save(f"{folder}/{name}.npy", ruled((2, 3), name))
    np.save(f"{folder}/big_f4.npy", ruled((2, 3), ">f4"))
    np.save(f"{folder}/big_c16.npy", ruled((3,), ">c16"))
    np.save(f"{folder}/fortran.npy", np.asfortranarray(ruled((2, 3, 4), "f8")))
    np.save(f"{folder}/scalar.npy", ruled((), "f4"))
    np.save(f"{folder}/empty.npy", ruled((0, 3), "i4"))
    for version in ((2, 0), (3, 0)):
        with open(f"{folder}/version{version[0]}.npy", "wb") as out:
            npy.write_array(out, ruled((5,), "f4"), version=version)
    np.save(f"{folder}/text.npy", np.array(["a", "bc"]))
    np.save(f"{folder}/records.npy", np.zeros(2, dtype=[("a", "f4"), ("b", "i4")]))
    kinds = {"BOOL": "b1", "U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "U32": "u4",
             "I32": "i4", "U64": "u8", "I64": "i8", "F16": "f2", "F32": "f4", "F64": "f8",
             "C64": "c8", "BF16": ml_dtypes.bfloat16, "F8_E4M3": ml_dtypes.float8_e4m3fn,
             "F8_E5M2": ml_dtypes.float8_e5m2}
    tensors = {}
    for name, dtype in kinds.items():
        kind = np.dtype(dtype).kind
        tensors[name] = (ruled((3, 2), "f8").astype(dtype) if kind == "V"
                         else ruled((3, 2), dtype))
    tensors["scalar"] = ruled((), "f4")
    tensors["nothing"] = ruled((0, 7), "f8")
    tensors['quote " and \u00e9'] = ruled((3,), "f4")
    save_file(tensors, f"{folder}/all.safetensors",
              metadata={"format": "np", "note": "two\nlines"})


main()
