# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/torch-1.13-golden.txt.gz: what PyTorch's operators give for some of
the samples of op_db, for tests/ops/test_golden.c, which needs neither Python nor PyTorch.

    /usr/bin/python3 tests/oracle/golden.py FILE

A line a call of an operator, its fields separated by tabs:

    aten::add.Tensor  rtol atol  argument ...  name=argument ...  ->  result ...

    T float32 2,3 3,1 HEX   a tensor: dtype, sizes, strides ("-" for none), the bytes of
                            its storage from the first element to the last
    I 3   F 0x1p+0   C re im   B 1   N   S text   D cpu     a number, None, a text, a device;
                            I also stands for dtypes, layouts and memory formats
    [I] 1,2   [F] ...   [B] ...    lists; [T] 2 and [] 2: the next two fields are tensors, or
                            any values
"""
import gzip
import sys
import warnings

import samples  # first: it gives torch.testing what it wants
import torch
from torch.utils._python_dispatch import TorchDispatchMode

ELEMENTS_MAX = 40  # of all tensors of a call
CALLS_A_DTYPE = {torch.float32: 3}  # of an operator; others once
DTYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4,
          torch.float16: 5, torch.float32: 6, torch.float64: 7, torch.complex64: 9,
          torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15}
FORMATS = [torch.contiguous_format, torch.preserve_format, torch.channels_last,
           torch.channels_last_3d]


class Unwritable(Exception):
    pass


def numbers(values):
    return ",".join(str(v) for v in values) or "-"


def tensor(t):
    plain = t.layout == torch.strided and not (t.is_conj() or t.is_neg() or t.is_quantized)
    if not plain or t.dtype not in DTYPES or t.numel() > ELEMENTS_MAX:
        raise Unwritable
    extent = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0
    if extent > 2 * ELEMENTS_MAX:
        raise Unwritable
    row = torch.as_strided(t, (extent,), (1,), t.storage_offset()).clone()
    octets = bytes(row.view(torch.uint8).tolist()) if extent else b""
    return " ".join(["T", str(t.dtype)[6:], numbers(t.shape), numbers(t.stride()),
                     octets.hex() or "-"])


def sequence(values):
    kinds = {type(v) for v in values}
    if kinds <= {int} and kinds:
        return ["[I] " + numbers(values)]
    if kinds <= {int, float} and kinds:
        return ["[F] " + numbers(float(v).hex() for v in values)]
    if kinds == {bool}:
        return ["[B] " + numbers(int(v) for v in values)]
    head = "[T]" if any(isinstance(v, torch.Tensor) for v in values) else "[]"
    return [f"{head} {len(values)}"] + [field for v in values for field in fields(v)]


def fields(v):
    """The fields of one value: one, but for lists of tensors."""
    if isinstance(v, torch.Tensor):
        return [tensor(v)]
    if v is None:
        return ["N"]
    if isinstance(v, bool):
        return [f"B {int(v)}"]
    if isinstance(v, int):
        return [f"I {v}"]
    if isinstance(v, float):
        return [f"F {v.hex()}"]
    if isinstance(v, complex):
        return [f"C {v.real.hex()} {v.imag.hex()}"]
    if isinstance(v, str) and "\t" not in v and "\n" not in v:
        return [f"S {v}"]
    if isinstance(v, torch.device):
        return [f"D {v}"]
    if v in DTYPES:
        return [f"I {DTYPES[v]}"]
    if v in FORMATS:
        return [f"I {FORMATS.index(v)}"]
    if v is torch.strided:
        return ["I 0"]
    if isinstance(v, (list, tuple)):
        return sequence(v)
    raise Unwritable


def arguments(args, kwargs):
    found = [field for v in args for field in fields(v)]
    for name, v in kwargs.items():
        first, *rest = fields(v)
        found += [f"{name}={first}", *rest]
    return found


def result(got):
    several = isinstance(got, tuple)
    return [field for v in (got if several else (got,)) for field in fields(v)]


class Recorder(TorchDispatchMode):
    """Keeps the calls that are new: an operator with these dtypes, a few times."""

    def __init__(self):
        super().__init__()
        self.lines, self.seen, self.head = {}, {}, "0 0"

    def wants(self, func, args, kwargs):
        base = func._schema.name.split("::")[1]
        # Decompositions are not unique; what is empty holds anything.
        if func.namespace != "aten" or any(
                word in base for word in ("empty", "_linalg", "eig", "svd", "qr", "lobpcg")):
            return False
        if torch.Tag.nondeterministic_seeded in func.tags:
            return False
        if base in samples.WRONG_IN_COMPLEX and args[0].is_complex():
            return False
        flat = [a for v in (*args, *kwargs.values())
                for a in (v if isinstance(v, (list, tuple)) else (v,))]
        given = [a for a in flat if isinstance(a, torch.Tensor)]
        if sum(a.numel() for a in given) > ELEMENTS_MAX:
            return False
        key = (func, tuple(a.dtype for a in given[:3]))
        most = CALLS_A_DTYPE.get(given[0].dtype if given else None, 1)
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] <= most

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not self.wants(func, args, kwargs):
            return func(*args, **kwargs)
        try:
            before = arguments(args, kwargs)
        except Unwritable:
            before = None
        got = func(*args, **kwargs)
        if before is not None:
            name = func._schema.name
            if func._schema.overload_name:
                name += "." + func._schema.overload_name
            try:
                line = "\t".join([name, self.head, *before, "->", *result(got)])
                self.lines.setdefault(name, []).append(line)
            except Unwritable:
                pass
        return got


def record(op, recorder):
    for dtype in samples.dtypes(op):
        if dtype not in DTYPES:
            continue
        rtol, atol = samples.tolerance(op, dtype)
        recorder.head = f"{rtol:g} {atol:g}"
        torch.manual_seed(0)
        try:
            for x, args, kwargs, _ in samples.samples(op, dtype):
                for out in (False, True):
                    try:
                        with recorder:
                            got = op.op(x, *args, **kwargs)
                    except Exception:  # noqa: BLE001  PyTorch does not take the sample
                        break
                    if not (op.supports_out and isinstance(got, torch.Tensor) and not out):
                        break
                    kwargs = dict(kwargs, out=torch.zeros_like(got))
                inplace = op.get_inplace()
                if inplace and isinstance(x, torch.Tensor):
                    try:
                        with recorder:
                            inplace(x.clone(), *args, **{k: v for k, v in kwargs.items()
                                                         if k != "out"})
                    except Exception:  # noqa: BLE001
                        pass
        except Exception:  # noqa: BLE001  op_db cannot make samples of it here
            pass


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    recorder = Recorder()
    with torch.no_grad():
        for op in samples.op_db:
            record(op, recorder)
    lines = [line for name in sorted(recorder.lines) for line in recorder.lines[name]]
    text = "".join(line + "\n" for line in lines).encode()
    with open(sys.argv[1], "wb") as file:
        file.write(gzip.compress(text, 9, mtime=0))
    print(f"{len(lines)} calls of {len(recorder.lines)} operators")


if __name__ == "__main__":
    main()
