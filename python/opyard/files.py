# SPDX-License-Identifier: Apache-2.0
"""save() and load(): safetensors, which is data alone; nothing in a file is ever run.

A dict of names and tensors is a file as every other reader of the format has it. What else
can be saved (dicts in dicts, lists, numbers, texts: a whole checkpoint) is kept as JSON in
the file's metadata, under "opyard.tree", with the names of the tensors in their places:

    {"tensor": name}  {"dict": [[key, node], ...]}  {"list": [...]}  {"tuple": [...]}
    {"value": a number, text, true, false or null}  {"dtype": "float32"}
"""
import json
import os
import tempfile

from . import _C
from ._C import Tensor

_TREE = "opyard.tree"
_PLAIN = (str, bool, int, float, type(None))


# ------------------------------------------------------------------- saving


class _Packer:
    """Tensors by name, as they are come across."""

    def __init__(self):
        self.tensors, self._names = {}, {}

    def _name(self, tensor, path):
        """One tensor that is in two places is saved once."""
        if id(tensor) not in self._names:
            name, number = ".".join(path) or "tensor", 1
            while name in self.tensors or name == "__metadata__":
                name, number = ".".join(path) + f"#{number}", number + 1
            self.tensors[name], self._names[id(tensor)] = tensor, name
        return self._names[id(tensor)]

    def pack(self, value, path):
        if isinstance(value, Tensor):
            return {"tensor": self._name(value, path)}
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, _PLAIN):
                    raise _refusal(key, path, "a key")
            return {"dict": [[key, self.pack(item, path + (str(key),))]
                             for key, item in value.items()]}
        if isinstance(value, (list, tuple)):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self.pack(item, path + (str(i),)) for i, item in enumerate(value)]}
        if isinstance(value, _C.dtype):
            return {"dtype": value.name}
        if isinstance(value, _PLAIN):
            return {"value": value}
        raise _refusal(value, path, "a value")


def _refusal(value, path, what):
    where = ".".join(path) or "what was given"
    return TypeError(f"cannot save {what} of type {type(value).__name__} at {where}: only "
                     "tensors, dicts, lists, tuples, numbers, texts and None can be saved")


def _is_flat(value):
    return isinstance(value, dict) and bool(value) and all(
        isinstance(key, str) and isinstance(item, Tensor) for key, item in value.items())


def save(obj, f, metadata=None):
    """Writes tensors, and dicts, lists and numbers around them, to a path or a binary file.
    |metadata|: texts by name, for other readers. A failure leaves an old file as it was."""
    texts = dict(metadata or {})
    if _is_flat(obj):
        tensors = obj
    else:
        packer = _Packer()
        texts[_TREE] = json.dumps(packer.pack(obj, ()), separators=(",", ":"))
        tensors = packer.tensors
    tensors = {name: tensor.detach() for name, tensor in tensors.items()}
    if not hasattr(f, "write"):
        _C.safetensors_save(os.fspath(f), tensors, texts)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tensors")
        _C.safetensors_save(path, tensors, texts)
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                f.write(block)


# ------------------------------------------------------------------ loading


def _broken(what):
    return RuntimeError(f"expected what opyard.save() writes as \"{_TREE}\", got {what}")


def _unpack_dict(node, tensors):
    made = {}
    for pair in node:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], _PLAIN):
            raise _broken("a dict whose items are no pairs of key and node")
        made[pair[0]] = _unpack(pair[1], tensors)
    return made


def _unpack(node, tensors):
    if not isinstance(node, dict) or len(node) != 1:
        raise _broken(f"a {type(node).__name__} for a node")
    (kind, value), = node.items()
    if kind == "value" and isinstance(value, _PLAIN):
        return value
    if kind == "tensor" and isinstance(value, str) and value in tensors:
        return tensors[value]
    if kind == "dtype" and isinstance(getattr(_C, str(value), None), _C.dtype):
        return getattr(_C, value)
    if isinstance(value, list) and kind in ("dict", "list", "tuple"):
        if kind == "dict":
            return _unpack_dict(value, tensors)
        items = [_unpack(item, tensors) for item in value]
        return items if kind == "list" else tuple(items)
    raise _broken(f"a node of kind {kind!r} that does not fit")


def _read(f):
    if not hasattr(f, "read"):
        return _C.safetensors_load(os.fspath(f))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tensors")
        with open(path, "wb") as file:
            while block := f.read(1 << 20):
                file.write(block)
        return _C.safetensors_load(path)


def load(f, map_location=None, *, weights_only=True):
    """What save() wrote, or any safetensors file as a dict of tensors. They lie on the pages
    of the file until they are written to, which does not change it. RuntimeError for a file
    that is none, OSError for one that cannot be read. A file holds nothing but data, so
    |weights_only| is always true."""
    tensors, metadata = _read(f)
    if map_location is not None:
        tensors = {name: tensor.to(map_location) for name, tensor in tensors.items()}
    if _TREE not in metadata:
        return tensors
    try:
        return _unpack(json.loads(metadata[_TREE]), tensors)
    except json.JSONDecodeError as error:
        raise _broken(f"no JSON: {error}") from None
    except RecursionError:
        raise _broken("nodes in nodes without end") from None


def load_metadata(f):
    """The texts that a file carries beside its tensors."""
    metadata = _read(f)[1]
    metadata.pop(_TREE, None)
    return metadata
