# SPDX-License-Identifier: Apache-2.0
"""The stubs have every operator of the registry, with its arguments; and nothing else is
said to be one. mypy reads them in ./yard oracle stubs."""
import ast
import os
import pathlib
import re
import sys
import unittest

import opyard

PACKAGE = pathlib.Path(opyard._C.__file__).parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))


@unittest.skipUnless((PACKAGE / "__init__.pyi").exists(), "the stubs are not built")
class StubsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
        cls.functions, cls.methods = {}, {}
        for node in cls.tree.body:
            if isinstance(node, ast.FunctionDef):
                cls.functions.setdefault(node.name, []).append(node)
            if isinstance(node, ast.ClassDef) and node.name == "Tensor":
                for item in node.body:
                    if isinstance(item, ast.FunctionDef):
                        cls.methods.setdefault(item.name, []).append(item)

    @staticmethod
    def arguments(node):
        return {a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                + [node.args.vararg] * (node.args.vararg is not None)}

    def schemas(self):
        for op in opyard._C.ops():
            if not op.name.startswith("aten::"):
                continue
            base = op.name[6:].partition(".")[0]
            inside = op.schema[op.schema.index("(") + 1:op.schema.rindex(") ->")]
            names = re.findall(r"[\w\])?!]+ (\w+)(?=[,=]|$)", re.sub(r"=[^,]*", "", inside))
            yield base, [name for name in names if name]

    def test_every_operator_is_there(self):
        seen = 0
        for base, names in self.schemas():
            if base == "random":  # the module's name, as in torch
                continue
            if base.startswith("_") or not isinstance(vars(opyard).get(base, 0),
                                                      (int, type(len), type(ast.parse))):
                continue
            if base in vars(opyard):
                continue  # the package's own function of that name
            wanted = {("input" if n == "self" else "from_" if n == "from" else n)
                      for n in names}
            self.assertIn(base, self.functions)
            self.assertTrue(any(wanted <= self.arguments(node)
                                for node in self.functions[base]), (base, wanted))
            seen += 1
        self.assertGreater(seen, 1000)

    def test_methods(self):
        for name in ("add", "add_", "sum", "view", "t", "masked_fill", "index_select",
                     "__add__", "__getitem__", "__len__", "item", "backward"):
            self.assertIn(name, self.methods)
        self.assertNotIn("zeros", self.methods)

    def test_overloads_are_marked(self):
        for table in (self.functions, self.methods):
            for name, nodes in table.items():
                marks = [any(isinstance(d, ast.Name) and d.id == "overload"
                             for d in node.decorator_list) for node in nodes]
                self.assertEqual(all(marks), len(nodes) > 1, name)

    def test_types_of_schemas(self):
        import stubs

        for text, wanted in (("SymInt[2]?", "builtins.int | Sequence[builtins.int] | None"),
                             ("Tensor(a!)", "Tensor"), ("Tensor?[]", "Sequence[Tensor | None]"),
                             ("Scalar", "Number"), ("Generator?", "Any | None")):
            self.assertEqual(stubs.type_of(text), wanted)
        made = stubs.Schema('aten::f.o(Tensor self, str m="a, b", *, int? k=None) -> '
                            "(Tensor values, Tensor[] rest)")
        self.assertEqual(made.parameters(True),
                         "self, m: builtins.str = ..., *, k: builtins.int | None = ...")
        self.assertEqual(made.result, "tuple[Tensor, list[Tensor]]")

    def test_the_typed_program_runs(self):
        path = pathlib.Path(__file__).with_name("typed_program.py")
        with open(os.devnull, "w") as nothing:
            exec(compile(path.read_text(), str(path), "exec"),
                 {"__name__": "typed", "print": lambda *a: nothing.write(str(a))})


if __name__ == "__main__":
    unittest.main()
