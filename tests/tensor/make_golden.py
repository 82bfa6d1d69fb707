#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch and NumPy give for conversions and for printing, into the folder
that is named (tests/data/tensor), for test_convert.c and test_print.c to compare with.
Needs torch and numpy; Debian 12 has torch 1.13 and numpy 1.24."""
import sys
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")

NAMES = {torch.uint8: "uint8", torch.int8: "int8", torch.int16: "int16",
         torch.int32: "int32", torch.int64: "int64", torch.float16: "float16",
         torch.bfloat16: "bfloat16", torch.float32: "float32", torch.float64: "float64",
         torch.complex32: "complex32", torch.complex64: "complex64",
         torch.complex128: "complex128", torch.bool: "bool"}
UNSIGNED = ["uint16", "uint32", "uint64"]

INTS = [0, 1, 2, 3, 5, 7, 100, 127]
EDGES = {"int8": [-1, -128], "uint8": [128, 255],
         "int16": [-1, -128, 255, 300, 32767, -32768, 2049, 2051],
         "int32": [-1, 255, 65504, 65505, 65519, 65520, 70000, 2**24 + 1, 2**24 + 3,
                   2**31 - 1, -2**31],
         "int64": [-1, 2049, 65520, 2**24 + 1, 2**31, 2**40 + 12345, 2**53 + 1,
                   2**53 + 3, 2**63 - 1, -2**63],
         "uint16": [256, 32768, 65535], "uint32": [2**16, 2**31, 2**32 - 1],
         "uint64": [2**32, 2**53 + 1, 2**63, 2**63 + 1025, 2**64 - 1]}
FLOATS = [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, -2.75, 3.999, 100.25, -127.9, 0.1, 1e-3,
          6.1e-5, 5.9e-8, 2.9e-8, 3e-8, 1e-7]
WIDE = [2049.0, 2051.0, 4098.5, 65504.0, 65519.9, 65520.0, 1e6, -1e9, 1e-20, 1e20, 3e9,
        1.0000001, 1.00048828125, 1.00146484375, float("inf"), -float("inf"),
        float("nan")]


def hexed(a):
    return a.tobytes().hex()


def values_of(name):
    if name == "bool":
        return [False, True, True]
    if "int" in name:
        return INTS + EDGES[name]
    if name.startswith("complex"):
        return [complex(x, y) for x in (0.0, 1.5, -2.25, 100.0) for y in (0.0, 0.5, -3.0)]
    return FLOATS + (WIDE if name != "float16" else [2049.0, 65504.0, float("inf"),
                                                     float("nan")])


def torch_bytes(t):
    if t.dtype == torch.bfloat16:
        return t.view(torch.int16).numpy()
    if t.dtype == torch.complex32:
        return t.view(torch.float16).numpy()
    return t.numpy()


def fits(values, to):
    """Casts of floats that no integer holds are not defined; they are left out, except
    for what int32 and int64 make of them."""
    if to in ("int32", "int64", "bool") or not ("int" in to):
        return values
    return [v for v in values if isinstance(v, complex) or (v == v and abs(v) < 2**31)]


def conversions(out):
    for source, name in NAMES.items():
        for target, to in NAMES.items():
            values = values_of(name)
            if not ("int" in name or name == "bool"):
                values = fits(values, to)
            a = torch.tensor(values, dtype=torch.complex64 if name == "complex32"
                             else source)
            a = a.to(source)
            b = a.to(target)
            if name.startswith("complex") and to == "bool":
                b = a.to(torch.complex64) != 0  # the cast of 1.13 forgets one part
            out.write(f"{name} {to} {hexed(torch_bytes(a))} {hexed(torch_bytes(b))}\n")
    numpy_names = UNSIGNED + ["int8", "uint8", "int16", "int32", "int64", "bool",
                              "float16", "float32", "float64"]
    for name in numpy_names:
        for to in numpy_names:
            if name not in UNSIGNED and to not in UNSIGNED:
                continue
            values = values_of(name)
            if name.startswith("float"):
                values = [v for v in values if v == v and 0 <= v < 2**16]
            a = np.array(values, dtype=name)
            if to == "float16":  # NumPy rounds once, PyTorch by way of float32
                b = a.astype("float32").astype(to)
            else:
                b = a.astype(to)
            out.write(f"{name} {to} {hexed(a)} {hexed(b)}\n")


def ruled(count, dtype, modulus, scale):
    """The numbers that test_print.c makes by the same rule."""
    step = 2 if dtype.is_complex else 1
    v = [((i * 7919 + 13) % modulus - modulus // 2) * scale for i in range(step * count)]
    if dtype.is_complex:
        return torch.tensor([complex(v[2 * i], v[2 * i + 1]) for i in range(count)],
                            dtype=torch.complex128).to(dtype)
    if dtype == torch.bool:
        return torch.tensor([x > 0 for x in v])
    if not dtype.is_floating_point:
        return torch.tensor([int(x) for x in v]).to(dtype)
    return torch.tensor(v, dtype=torch.float64).to(dtype)


def write(out, t, how):
    dims = ",".join(map(str, t.shape)) or "-"
    strides = ",".join(map(str, t.stride())) or "-"
    out.write(f"{NAMES[t.dtype]} {dims} {strides} {t.storage_offset()} {how}\n{str(t)}\n.\n")


def prints(out):
    shapes = [(), (1,), (3,), (2, 3), (2, 1, 3), (2, 2, 2, 2), (40,), (1, 1, 1, 1, 1, 7),
              (1001,), (8, 8, 20), (3, 400), (1200, 1)]
    rules = [(7, 1.0), (2003, 1.0), (2003, 0.001), (2003, 0.25), (97, 1e-6), (97, 1e5),
             (11, 1e9), (5, 1.1e30)]
    torch_types = [t for t in NAMES if t != torch.complex32]
    for shape in shapes:
        for dtype in torch_types:
            for modulus, scale in rules if dtype.is_floating_point else rules[:5]:
                count = 1
                for size in shape:
                    count *= size
                if count > 100 and (modulus, scale) != rules[3] and dtype != torch.float32:
                    continue
                write(out, ruled(count, dtype, modulus, scale).reshape(shape),
                      f"rule {modulus} {scale!r}")
    made = []
    inf, nan = float("inf"), float("nan")
    lists = [[0.0], [-0.0], [0.0, 0.0], [nan], [inf, -inf, nan], [1.0, nan, -inf],
             [1.5, nan, inf], [1e-5], [1e-4], [0.00012, 1.0], [1e8], [1e8 + 8, 1.0],
             [99999999.0, 100000.0], [1000.0, 1.0], [1001.0, 1.0], [1000.5, 1.0],
             [0.5, 500.0], [0.5, 501.0], [1e-45], [3.4e38], [1.0, 2.0, 0.5],
             [-1.0, 10.0, 0.0], [1e-3, 0.0], [123456.0], [1234567.5], [0.1, 0.01, -0.001],
             [65504.0, 1.0], [1e3, nan, 1e-3]]
    for values in lists:
        made += [torch.tensor(values), torch.tensor(values, dtype=torch.float64),
                 torch.tensor(values[0]), torch.tensor([values, values])]
    for values in ([0j, 1 + 1j], [1.5 + 2j], [-1 - 0.5j, 2e5 + 1e-6j], [complex(nan, inf)],
                   [complex(inf, -inf), 1], [complex(0, -0.0)], [1e10 + 1j] * 9):
        made += [torch.tensor(values), torch.tensor(values[0]),
                 torch.tensor(values, dtype=torch.complex128)]
    for shape in ((0,), (0, 3), (2, 0), (1, 0, 4)):
        for dtype in NAMES:
            made.append(torch.empty(shape, dtype=dtype))
    made += [torch.arange(24.0).reshape(2, 3, 4).transpose(0, 2),
             torch.arange(3.0).expand(4, 3), torch.arange(3.0).expand(400, 3),
             torch.arange(200).reshape(4, 50).t()[3:17:2],
             torch.tensor([2**63 - 1, -2**63]), torch.arange(1000, dtype=torch.int16)]
    # The length of the last line decides where the dtype goes.
    for n in range(8, 20):
        made.append(torch.full((n,), 1, dtype=torch.int32))
        made.append(torch.full((n,), 100, dtype=torch.int16))
        made.append(torch.full((2, n), 0.25, dtype=torch.float64))
    for t in made:
        flat = torch.as_strided(t, (t.storage().size(),), (1,), 0) if t.numel() else t
        write(out, t, "hex " + (hexed(torch_bytes(flat)) or "-"))


def main():
    folder = sys.argv[1]
    with open(f"{folder}/conversions.txt", "w", encoding="ascii") as out:
        conversions(out)
    with open(f"{folder}/prints.txt", "w", encoding="ascii") as out:
        prints(out)


main()
