# SPDX-License-Identifier: Apache-2.0
"""What gdb shows of opyard: tensors with their numbers, key sets by name, boxed values,
operators, nodes of graphs.

    (gdb) print x
    $1 = (oy_tensor *) 0x7f... tensor([[1, 2], [3, 4]], float32, cpu, requires grad)
    (gdb) print x->keys
    $2 = {CPU, AutogradCPU, ADInplaceOrView}
    (gdb) opyard-graph x

gdb loads this file by itself with libopyard.so where it is installed below a folder that
gdb trusts (`info auto-load python-scripts` says whether it did). Else:

    (gdb) add-auto-load-safe-path PREFIX           before the program starts, or
    (gdb) source PREFIX/share/opyard/opyard-gdb.py

Reads memory alone: works on core files, and never calls into the program. Needs the
library's debugging information.
"""
import gdb

ELEMENTS = 64  # of a tensor that are shown
DEPTH = 200    # of a graph

# Numbers of element types are frozen (opyard/dtypes.def): name, C type, how many of it.
DTYPES = {
    0: ("uint8", "unsigned char", 1), 1: ("int8", "signed char", 1),
    2: ("int16", "short", 1), 3: ("int32", "int", 1), 4: ("int64", "long", 1),
    5: ("float16", None, 1), 6: ("float32", "float", 1), 7: ("float64", "double", 1),
    8: ("complex32", None, 1), 9: ("complex64", "float", 2),
    10: ("complex128", "double", 2), 11: ("bool", "_Bool", 1), 12: ("qint8", None, 1),
    13: ("quint8", None, 1), 14: ("qint32", None, 1), 15: ("bfloat16", None, 1),
    23: ("float8_e5m2", None, 1), 24: ("float8_e4m3fn", None, 1),
    25: ("float8_e5m2fnuz", None, 1), 26: ("float8_e4m3fnuz", None, 1),
    27: ("uint16", "unsigned short", 1), 28: ("uint32", "unsigned int", 1),
    29: ("uint64", "unsigned long", 1),
}
CONTIGUOUS = 1  # of oyi_tensor.flags
OBJECT_STATIC = 1


def pointer_to(name):
    return gdb.lookup_type(name).pointer()


def symbol(name):
    """The value of a variable that is static in some file; None without debug info."""
    found = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return found.value() if found else None


def text_at(value, size=None):
    return value.string(errors="replace") if size is None else \
        value.string(errors="replace", length=size)


# ----------------------------------------------------------------------- key sets

def functionality_name(bit):
    names = symbol("g_functionality_names")
    return text_at(names[bit]) if names is not None and int(names[bit]) else f"bit {bit}"


def backend_names(bit):
    """Of the six keys of a backend, Dense first."""
    records = symbol("g_records")
    if records is None or not int(records[bit]):
        return None
    names = records[bit].dereference()["key_names"]
    return [text_at(names[i]) for i in range(6)]


PER_BACKEND = (1, 6, 9, 10, 11, 23)  # Dense Quantized Sparse SparseCsr NestedTensor Autograd


def key_names(keys):
    """Keys of a set in words, as the library prints them."""
    functionality, backends = int(keys["functionality"]), int(keys["backends"])
    found = []
    for bit in range(1, 64):
        if not functionality >> bit & 1:
            continue
        mine = [b for b in range(64) if backends >> b & 1]
        if bit not in PER_BACKEND or not mine:
            found.append(functionality_name(bit))
            continue
        for backend in mine:
            names = backend_names(backend)
            found.append(names[PER_BACKEND.index(bit)] if names
                         else f"{functionality_name(bit)} of backend {backend}")
    return found


class KeySet:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "{" + ", ".join(key_names(self.value)) + "}"


# ------------------------------------------------------------------- small values

def device_text(backend, index):
    if backend < 0:
        return "no device"
    names = backend_names(backend)
    name = names[0].lower() if names else f"backend {backend}"
    return name if index < 0 else f"{name}:{index}"


class Device:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return device_text(int(self.value["backend"]), int(self.value["index"]))


class Str:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        data, size = self.value["data"], int(self.value["size"])
        return '"' + text_at(data, size) + '"' if int(data) else "no text"


def list_text(data, count, show=str):
    shown = [show(data[i]) for i in range(min(count, ELEMENTS))]
    return "[" + ", ".join(shown + ["..."] * (count > ELEMENTS)) + "]"


class List:
    """oy_ints, oy_floats, oy_bools, oy_tensors, oy_values."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        data, size = self.value["data"], int(self.value["size"])
        return list_text(data, size) if int(data) else "None"


class Value:
    """A boxed value: by its tag."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        tag, count, to = int(self.value["tag"]), int(self.value["count"]), self.value["as"]
        owned = " (owned)" if int(self.value["owned"]) else ""
        return self.text(tag, count, to) + owned

    def text(self, tag, count, to):
        if tag == 0:
            return "None"
        if tag == 1:
            return object_text(to["object"])
        if tag in (2, 3):
            return str(to["i"] if tag == 2 else to["d"])
        if tag == 4:
            return "True" if int(to["i"]) else "False"
        if tag == 5:
            number = to["complex_data"].dereference()
            return f"({number['re']}, {number['im']})"
        if tag == 6:
            return '"' + text_at(to["chars"], count) + '"'
        if tag == 7:
            return Device(to["device"]).to_string()
        lists = {8: "ints", 9: "floats", 10: "bools"}
        if tag in lists:
            return list_text(to[lists[tag]], count)
        if tag == 11:
            return list_text(to["tensors"], count, object_text)
        if tag in (12, 13):
            return list_text(to["values"], count * (tag - 11))
        return object_text(to["object"])


# ------------------------------------------------------------------------ tensors

def number_text(data, dtype, index):
    name, c_type, parts = DTYPES[dtype]
    at = data.cast(pointer_to(c_type)) + index * parts
    if name == "bool":
        return "True" if int(at.dereference()) else "False"
    if parts == 2:
        return f"({at[0]}, {at[1]})"
    if c_type in ("unsigned char", "signed char"):
        return str(int(at.dereference()))
    return str(at.dereference())


class Budget:
    left = ELEMENTS


def rows_text(data, dtype, sizes, strides, offset, budget):
    """Nested lists of what lies at |offset|, until the budget is used up."""
    if not sizes:
        budget.left -= 1
        return number_text(data, dtype, offset)
    rows = []
    for i in range(sizes[0]):
        if budget.left <= 0:
            rows.append("...")
            break
        rows.append(rows_text(data, dtype, sizes[1:], strides[1:], offset + i * strides[0],
                              budget))
    return "[" + ", ".join(rows) + "]"


def data_text(t, dtype, sizes, strides):
    storage = t["storage"]
    if not int(storage) or not int(storage["data"]):
        return "no data"
    if DTYPES.get(dtype, (None, None, 1))[1] is None:
        return "..."
    data = (storage["data"].cast(pointer_to("char")) + int(t["byte_offset"]))
    try:
        return rows_text(data, dtype, sizes, strides, 0, Budget())
    except gdb.MemoryError:
        return "memory that cannot be read"


def is_tensor(o):
    klass = o["klass"]
    return int(klass) and text_at(klass["name"]) == "Tensor"


def variable_of(t):
    """What autograd hangs on a tensor; None if it is not there, or is another layer's."""
    try:
        return t["meta"].cast(pointer_to("struct oyi_variable")) if int(t["meta"]) else None
    except gdb.error:
        return None


def tensor_text(o):
    t = o.cast(pointer_to("struct oyi_tensor")).dereference()
    dtype, ndim = int(t["header"]["dtype"]), int(t["ndim"])
    sizes = [int(t["sizes"][i]) for i in range(ndim)]
    strides = [int(t["sizes"][int(t["capacity"]) + i]) for i in range(ndim)]
    name = DTYPES.get(dtype, (f"dtype {dtype}",))[0]
    parts = [data_text(t, dtype, sizes, strides)]
    if parts[0] in ("no data", "...") or len(parts[0]) > 300 or 0 in sizes:
        parts.append("sizes " + str(sizes))
    parts += [name, device_text(int(t["backend"]), int(t["device_index"]))]
    if not int(t["flags"]) & CONTIGUOUS:
        parts.append("strides " + str(strides))
    if int(t["header"]["keys"]["functionality"]) >> 23 & 1:
        parts.append("requires grad")
    return "tensor(" + ", ".join(parts) + ")"


def object_text(o):
    """What a pointer to an object points to."""
    if not int(o):
        return "NULL"
    try:
        if is_tensor(o):
            return tensor_text(o)
        if int(o["flags"]) & OBJECT_STATIC and not int(o["keys"]["functionality"]):
            return "None"
        klass = o["klass"]
        return "object of " + (text_at(klass["name"]) if int(klass) else "no class")
    except gdb.MemoryError:
        return "no object"


class Object:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return object_text(self.value.address or self.value)


class ObjectPointer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"({self.value.type}) {int(self.value):#x} {object_text(self.value)}"


class TensorPointer(ObjectPointer):
    """Of the library's own type."""

    def to_string(self):
        o = self.value.cast(pointer_to("struct oy_object"))
        return f"({self.value.type}) {int(self.value):#x} {object_text(o)}"


# --------------------------------------------------------------- operators, nodes

def op_name(op):
    o = op.cast(pointer_to("struct oyi_op")).dereference()
    name = o["name"].address.cast(pointer_to("char"))
    return text_at(name, int(o["name_size"]))


class OpPointer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        head = f"({self.value.type}) {int(self.value):#x}"
        try:
            return f"{head} {op_name(self.value)}" if int(self.value) else "NULL"
        except gdb.MemoryError:
            return f"{head} no operator"


NODE_NAMES = {2: "AccumulateGrad", 3: "CopySlices", 4: "AsStridedBackward0"}


def node_name(node):
    kind = int(node["kind"])
    if kind in NODE_NAMES:
        return NODE_NAMES[kind]
    return text_at(node["formula"]["name"])


def edges_of(node):
    return [node["edges"][i]["node"] for i in range(int(node["edge_count"]))]


class NodePointer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        head = f"({self.value.type}) {int(self.value):#x}"
        if not int(self.value):
            return "NULL"
        try:
            next_ones = [node_name(n) if int(n) else "no gradient"
                         for n in edges_of(self.value)]
            return f"{head} {node_name(self.value)} -> [{', '.join(next_ones)}]"
        except gdb.MemoryError:
            return f"{head} no node"


class GraphCommand(gdb.Command):
    """opyard-graph TENSOR-OR-NODE: the graph that made it, each node once, inputs indented."""

    def __init__(self):
        super().__init__("opyard-graph", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            raise gdb.GdbError("opyard-graph: expected a pointer to a tensor or a node")
        if value.type.strip_typedefs().target().strip_typedefs().tag == "oyi_node":
            self.show(value)
            return
        if not int(value) or not is_tensor(value.cast(pointer_to("struct oy_object"))):
            raise gdb.GdbError("opyard-graph: expected a tensor, got " + object_text(value))
        variable = variable_of(value.cast(pointer_to("struct oyi_tensor")).dereference())
        if variable is None or not int(variable["grad_fn"]):
            print("no history")
        else:
            self.show(variable["grad_fn"])

    @staticmethod
    def show(root):
        seen, waiting = {}, [(root, 0)]
        while waiting and len(seen) < DEPTH:
            node, depth = waiting.pop()
            again = int(node) in seen
            number = seen.setdefault(int(node), len(seen) + 1)
            print("  " * depth + f"{number} {node_name(node)}" + (" (above)" if again else ""))
            if not again:
                waiting += [(n, depth + 1) for n in reversed(edges_of(node)) if int(n)]
        if waiting:
            print("...")


# ------------------------------------------------------------------------- lookup

STRUCTS = {"oy_keyset": KeySet, "oy_device": Device, "oy_str": Str, "oy_value": Value,
           "oy_object": Object, "oy_ints": List, "oy_floats": List, "oy_bools": List,
           "oy_tensors": List, "oy_values": List}
POINTERS = {"oy_object": ObjectPointer, "oyi_tensor": TensorPointer, "oy_op": OpPointer,
            "oyi_op": OpPointer, "oyi_node": NodePointer}


def look_up(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_STRUCT and kind.tag in STRUCTS:
        return STRUCTS[kind.tag](value)
    if kind.code == gdb.TYPE_CODE_PTR:
        target = kind.target().strip_typedefs()
        if target.code == gdb.TYPE_CODE_STRUCT and target.tag in POINTERS:
            return POINTERS[target.tag](value)
    return None


look_up.name = "opyard"


def register(objfile):
    where = objfile if objfile is not None else gdb
    if not any(getattr(p, "name", "") == "opyard" for p in where.pretty_printers):
        where.pretty_printers.append(look_up)
    GraphCommand()


register(gdb.current_objfile())
