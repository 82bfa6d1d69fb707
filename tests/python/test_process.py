# SPDX-License-Identifier: Apache-2.0
"""The package in a process: what its import costs, threads, signals, interpreters."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import opyard


def run(program, *options):
    return subprocess.run([sys.executable, *options, "-c", program], capture_output=True,
                          text=True, timeout=120, check=False)


def settled_copy(folder):
    """The package and its library as they lie on a disk: of files that were just written, as a
    linker writes them, the kernel maps megabytes that nobody touches."""
    package = pathlib.Path(opyard.__file__).parent
    with open("/proc/self/maps", encoding="ascii") as maps:
        library = next(pathlib.Path(line.split()[-1]) for line in maps if "/libopyard.so" in line)
    copy = folder / "a" / "b" / "opyard"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.pyi"))
    place = copy / os.path.relpath(library.parent, package)
    place.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, place / "libopyard.so.0")
    for path in (copy / "_C.abi3.so", place / "libopyard.so.0"):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return copy.parent


class ImportTest(unittest.TestCase):
    def test_what_is_imported(self):
        late = ("numpy", "torch", "ctypes", "inspect", "opyard.autograd", "opyard.func")
        shown = run(f"import opyard, sys; print([m for m in {late} if m in sys.modules])")
        self.assertEqual((shown.stdout, shown.stderr), ("[]\n", ""))

    def test_memory(self):
        program = ("import sys\n"
                   "def now(): return int(open('/proc/self/statm').read().split()[1]) * 4096\n"
                   "before = now()\nimport opyard\nprint(now() - before)")
        with tempfile.TemporaryDirectory() as folder:
            packages = settled_copy(pathlib.Path(folder))
            program = f"import sys\nsys.path.insert(0, {str(packages)!r})\n" + program
            self.assertLess(int(run(program).stdout), 10_000_000)

    def test_warnings_are_errors(self):
        self.assertEqual(run("import opyard; opyard.zeros(2) + 1", "-W", "error").stderr, "")

    @unittest.skipIf(sys.version_info >= (3, 13), "the module for interpreters is another")
    def test_second_interpreter(self):
        program = ("import opyard, _xxsubinterpreters as s\n"
                   "i = s.create()\n"
                   "try:\n    s.run_string(i, 'import opyard')\n"
                   "except s.RunFailedError as e:\n    print(e)\n"
                   "print(opyard.ones(2).sum().item())")
        shown = run(program)
        # From 3.12 on Python itself says it of extensions with one lock.
        self.assertRegex(shown.stdout, "ImportError.*(use one interpreter, or processes"
                         "|does not support loading in subinterpreters)")
        self.assertTrue(shown.stdout.endswith("2.0\n"), shown)


class ThreadTest(unittest.TestCase):
    def test_calls_at_once(self):
        failures = []

        def work(seed):
            w = opyard.tensor([1.0, 2.0, 3.0], requires_grad=True)
            for i in range(300):
                w.grad = None
                (opyard.add(w, seed)[1:] * w.sum()).sum().backward()
                # y = (w1 + w2 + 2s)(w0 + w1 + w2): d/dw0 = w1 + w2 + 2s
                if w.grad[0].item() != 5 + 2 * seed:
                    failures.append((seed, i, w.grad))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_long_calls_let_others_run(self):
        x, ticks, done = opyard.rand(600, 600), [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.0005)

        thread = threading.Thread(target=tick)
        thread.start()
        time.sleep(0.01)
        before = len(ticks)
        end = time.perf_counter() + 0.3
        while time.perf_counter() < end:
            x @ x
        during = len(ticks) - before
        done.set()
        thread.join()
        self.assertGreater(during, 5)

    def test_interrupt(self):
        program = ("import opyard, os, signal, threading\n"
                   "def work(x):\n"
                   "    for _ in range(10**9):\n        y = x @ x\n"
                   "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                   "try:\n    work(opyard.rand(300, 300))\n"
                   "except KeyboardInterrupt: print('interrupted')")
        self.assertEqual(run(program).stdout, "interrupted\n")


class RegistryTest(unittest.TestCase):
    def test_methods_are_the_registry(self):
        x = opyard.ones(2)
        self.assertEqual(x.add.__self__ is x and x.add(1).tolist(), [2, 2])
        self.assertIn("add.Tensor(Tensor self", opyard.add.__doc__)
        self.assertEqual(opyard.add.__name__, "add")
        self.assertIn("Tensor", opyard.ops.aten.add.overloads())
        self.assertEqual(opyard.ops.aten.add.Tensor, opyard.ops.aten.add.Tensor)
        self.assertFalse(hasattr(opyard.ops, "nowhere"))
        self.assertFalse(hasattr(x, "nothing"))

    def test_names_of_results(self):
        best = opyard.tensor([[1.0, 3.0], [4.0, 2.0]]).max(1)
        self.assertEqual((best.values.tolist(), best.indices.tolist()), ([3, 4], [1, 0]))
        values, indices = best
        self.assertIs(values, best[0])
        self.assertIs(type(best), type(opyard.max(opyard.ones(1, 1), 0)))


if __name__ == "__main__":
    unittest.main()
