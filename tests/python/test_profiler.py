# SPDX-License-Identifier: Apache-2.0
"""opyard.profile and record_function."""
import json
import os
import tempfile
import threading
import unittest

import opyard


def work():
    x = opyard.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    with opyard.record_function("forward"):
        y = (x @ x).sum()
    y.backward()


class Profile(unittest.TestCase):
    def test_obs_10_key_averages(self):
        with opyard.profile(record_shapes=True, profile_memory=True) as p:
            work()
            work()
        rows = {row.key: row for row in p.key_averages()}
        self.assertEqual(rows["forward"].count, 2)
        self.assertEqual(rows["MmBackward0"].count, 2)
        self.assertGreater(rows["forward"].cpu_time_total, rows["forward"].self_cpu_time_total)
        self.assertGreater(rows["aten::mm"].cpu_memory_usage, 0)
        by_shape = p.key_averages(group_by_input_shape=True)
        self.assertIn([[2, 2], [2, 2]], [r.input_shapes for r in by_shape if r.key == "aten::mm"])
        table = by_shape.table(sort_by="cpu_time_total", row_limit=2)
        self.assertIn("Input Shapes", table)
        self.assertEqual(len(table.splitlines()), 3 + 2 + 2)
        self.assertIn("Self CPU time total: ", p.table(top_level_events_only=True))
        with self.assertRaisesRegex(ValueError, "to sort a profile by, got 'speed'"):
            p.key_averages().table(sort_by="speed")

    def test_obs_10_events(self):
        with opyard.profile(record_shapes=True) as p:
            work()
        events = p.events()
        mm = next(e for e in events if e.name == "aten::mm")
        self.assertEqual(mm.input_shapes, [[2, 2], [2, 2]])
        self.assertEqual(mm.input_types, ["float", "float"])
        self.assertEqual(mm.full_name, "aten::mm")
        parents = []
        while mm.parent is not None:
            mm = events[mm.parent]
            parents.append(mm.name)
        self.assertEqual(parents[-1], "forward")
        self.assertEqual(p.dropped, 0)

    def test_obs_10_threads(self):
        for this_thread in (False, True):
            with opyard.profile(this_thread=this_thread) as p:
                threads = [threading.Thread(target=work) for _ in range(3)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()
                work()
            count = sum(e.name == "forward" for e in p.events())
            self.assertEqual(count, 1 if this_thread else 4)

    def test_obs_11_chrome_trace(self):
        with opyard.profile() as p:
            work()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            p.export_chrome_trace(path)
            with open(path) as file:
                names = {e["name"] for e in json.load(file)["traceEvents"]}
            self.assertLessEqual({"forward", "aten::mm", "MmBackward0", "fwdbwd"}, names)
            p.export_chrome_trace(path, form="array")
            with open(path) as file:
                self.assertIsInstance(json.load(file), list)
            with self.assertRaises(OSError):
                p.export_chrome_trace(os.path.join(folder, "none", "t.json"))
            with self.assertRaises(ValueError):
                p.export_chrome_trace(path, form="xml")

    def test_obs_10_life(self):
        p = opyard.profile()
        with self.assertRaisesRegex(RuntimeError, "finish running"):
            p.events()
        self.assertEqual(str(p), "<unfinished opyard.profile>")
        with p:
            with self.assertRaisesRegex(RuntimeError, "not reentrant"):
                p.start()
            with opyard.profile() as inner:
                work()
        self.assertEqual([r.count for r in inner.key_averages() if r.key == "forward"], [1])
        self.assertEqual([r.count for r in p.key_averages() if r.key == "forward"], [1])
        with opyard.profile(enabled=False) as off:
            work()
        with self.assertRaises(RuntimeError):
            off.table()
        with self.assertRaises(ValueError):
            opyard.profile(max_events=-1).start()
        with self.assertRaises(TypeError):
            opyard.record_function(3).__enter__()

    def test_obs_10_decorator(self):
        @opyard.record_function("labelled")
        def f(n):
            """What it does."""
            return f(n - 1) + 1 if n else 0

        with opyard.profile() as p:
            self.assertEqual(f(2), 2)
        self.assertEqual(f.__doc__, "What it does.")
        self.assertEqual([r.count for r in p.key_averages()], [3])

    def test_obs_10_flops(self):
        """As many as PyTorch 1.13 counts for the same calls."""
        a, b, c = (opyard.ones(*size) for size in ((3, 4), (4, 5), (3, 5)))
        batch, images = opyard.ones(2, 3, 4), opyard.ones(2, 4, 8, 9)
        rows = [("mm", lambda: opyard.mm(a, b), 120),
                ("addmm", lambda: opyard.addmm(c, a, b), 120),
                ("bmm", lambda: opyard.bmm(batch, opyard.ones(2, 4, 5)), 240),
                ("baddbmm", lambda: opyard.baddbmm(c, batch, opyard.ones(2, 4, 5)), 240),
                ("mm", lambda: opyard.mm(opyard.ones(0, 3), opyard.ones(3, 2)), 0),
                ("mul", lambda: a * a, 12),
                ("mul", lambda: a * 2, 12),
                ("add", lambda: opyard.ones(4) + a, 4),
                ("sub", lambda: a - a, 0),
                ("conv2d", lambda: opyard.nn.functional.conv2d(
                    images, opyard.ones(6, 2, 3, 3), stride=2, padding=1, groups=2), 8640)]
        for name, call, expected in rows:
            with self.subTest(name), opyard.profile(with_flops=True) as p:
                call()
            found = [e.flops for e in p.events() if e.name == "aten::" + name]
            self.assertEqual(found, [expected], name)
            self.assertEqual(p.events()[0].input_shapes, [])
        with opyard.profile() as p:
            a @ b
        self.assertEqual([e.flops for e in p.events() if e.name == "aten::mm"], [0])
        self.assertNotIn("FLOPs", p.table())

    def test_obs_10_flops_table(self):
        """The unit is that of the least number; where there is none stands "--"."""
        x = opyard.ones(100, 20)
        with opyard.profile(with_flops=True) as p:
            x * x
            x * x
            x @ opyard.ones(20, 100)
        table = p.key_averages().table(sort_by="flops")
        lines = table.splitlines()
        self.assertTrue(lines[1].endswith("# of Calls  Total KFLOPs  "), lines[1])
        self.assertEqual([line.split()[-1] for line in lines[3:5]], ["400.000", "4.000"])
        self.assertEqual({line.split()[-1] for line in lines[5:-2]}, {"--"})
        self.assertEqual(len({len(line) for line in lines[:-1]}), 1)

    def test_obs_10_stacks(self):
        def inner(x):
            return x * 2

        def outer(x):
            return inner(x)

        line = inner.__code__.co_firstlineno + 1
        # The second one is so large that it runs without the lock of the interpreter.
        for size in (1, 10000):
            x = opyard.ones(size)
            with opyard.profile(with_stack=True) as p:
                outer(x)
            mul = next(e for e in p.events() if e.name == "aten::mul")
            here = f"{__file__}({line + 3}): outer"
            self.assertEqual(mul.stack[:2], [f"{__file__}({line}): inner", here])
            self.assertIn(": test_obs_10_stacks", mul.stack[2])
            self.assertTrue(all("+0x" in name or name.startswith("0x")
                                for name in mul.native_stack), mul.native_stack)
        with opyard.profile() as p:
            outer(x)
        self.assertEqual([e.stack for e in p.events() if e.name == "aten::mul"], [[]])

    def test_obs_10_stacks_of_threads(self):
        def step():
            with self.assertRaisesRegex(ValueError, "mine"):
                try:
                    raise ValueError("mine")
                finally:
                    opyard.ones(2) * 2  # while an exception is under way

        with opyard.profile(with_stack=True) as p:
            threads = [threading.Thread(target=step) for _ in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        found = [e.stack for e in p.events() if e.name == "aten::mul"]
        self.assertEqual([stack[0].endswith(": step") for stack in found], [True] * 3)
        self.assertEqual([": run" in stack[1] for stack in found], [True] * 3)

    def test_obs_10_stacks_grouped(self):
        x = opyard.ones(2)
        with opyard.profile(with_stack=True) as p:
            for _ in range(3):
                x * 2
            x * 3
        rows = [r for r in p.key_averages(group_by_stack_n=1) if r.key == "aten::mul"]
        self.assertEqual([r.count for r in rows], [3, 1])
        self.assertEqual([len(r.stack) for r in rows], [1, 1])
        self.assertEqual([r.count for r in p.key_averages() if r.key == "aten::mul"], [4])
        lines = p.key_averages(group_by_stack_n=2).table().splitlines()
        self.assertTrue(lines[1].rstrip().endswith("Source Location"))
        self.assertTrue(lines[3].rstrip().endswith(": test_obs_10_stacks_grouped"))
        self.assertIn(": ", lines[4][-80:])
        self.assertEqual(lines[4][:80].strip(), "")

    def test_obs_10_export_stacks(self):
        with opyard.profile(with_stack=True) as p:
            for _ in range(50):
                opyard.ones(300, 300) @ opyard.ones(300, 300)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stacks.txt")
            p.export_stacks(path)
            with open(path) as file:
                lines = [line.rstrip("\n").rsplit(" ", 1) for line in file]
            places = [place for place, _ in lines]
            self.assertEqual(len(set(places)), len(places))
            self.assertTrue(all(int(us) > 0 for _, us in lines))
            mm = [place for place in places if place.endswith(";aten::matmul;aten::mm")]
            self.assertEqual(len(mm), 1)
            self.assertIn(":_test_obs_10_export_stacks;", mm[0])
            self.assertNotIn(" ", mm[0])
            with self.assertRaisesRegex(ValueError, "metric should be one of"):
                p.export_stacks(path, "count")
        with opyard.profile() as p:
            work()
        with self.assertRaisesRegex(RuntimeError, "with_stack=True"):
            p.export_stacks("unused")

    def test_obs_11_trace_of_stacks(self):
        """The lines of Python, and what is no JSON in their names."""
        code = compile("def f(x):\n    return x * 2\n", 'a "b"\\c\n\udcff.py', "exec")
        names = {}
        exec(code, names)
        with opyard.profile(with_stack=True, with_flops=True) as p:
            names["f"](opyard.ones(3))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            p.export_chrome_trace(path)
            with open(path) as file:
                events = json.load(file)["traceEvents"]
        mul = next(e for e in events if e["name"] == "aten::mul")
        stack = mul["args"]["Call stack"].split(";")
        self.assertEqual(stack[0], "a ?b??c ?udcff.py(2): f")
        self.assertIn(": test_obs_11_trace_of_stacks", stack[1])
        self.assertEqual(mul["args"]["Flops"], 3)


if __name__ == "__main__":
    unittest.main()
