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


if __name__ == "__main__":
    unittest.main()
