# SPDX-License-Identifier: Apache-2.0
"""Python kernels and threads: calls while others register, kernels that let the GIL go."""
import threading
import time
import unittest
import warnings

import opyard
from opyard import dispatch
from opyard.library import Library, _scoped_library


def run_all(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # noqa: B036  shown in the main thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


class ThreadTest(unittest.TestCase):
    def test_reg_17_calls_from_many_threads(self):
        x = opyard.ones([1])
        with _scoped_library("th", "DEF") as lib:
            lib.define("f(Tensor x, int n) -> Tensor")
            lib.impl("f", lambda x, n: x + n, "CPU")
            op = opyard.ops.th.f.default

            def work(n):
                for _ in range(200):
                    self.assertEqual(op(x, n).item(), 1 + n)

            run_all(*[lambda n=n: work(n) for n in range(6)])

    def test_reg_17_kernels_run_side_by_side(self):
        inside, met = threading.Barrier(2, timeout=20), []

        def kernel(x):
            met.append(inside.wait())  # needs the other thread to get here, too
            return x + 1

        with _scoped_library("th", "DEF") as lib:
            lib.define("f(Tensor x) -> Tensor")
            lib.impl("f", kernel, "CPU")
            op = opyard.ops.th.f.default
            run_all(*[lambda: op(opyard.ones([1]))] * 2)
        self.assertEqual(sorted(met), [0, 1])

    def test_reg_17_registering_while_calling(self):
        x, stop = opyard.ones([1]), threading.Event()
        base = Library("th", "DEF")
        base.define("f(Tensor x) -> Tensor")
        base.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
        op = opyard.ops.th.f.default
        seen = set()

        def call():
            while not stop.is_set():
                seen.add(op(x).item())

        def register(step):
            for _ in range(60):
                with Library_scope() as lib:
                    lib.impl("f", lambda x: x + step, "CPU", allow_override=True)
                    time.sleep(0.0005)

        class Library_scope:  # noqa: N801
            def __enter__(self):
                self.lib = Library("th", "IMPL")
                return self.lib

            def __exit__(self, *exception):
                self.lib._destroy()

        def registering():
            run_all(lambda: register(10), lambda: register(20))
            stop.set()

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run_all(call, call, registering)
        self.assertLessEqual(seen, {2, 11, 21})
        self.assertEqual(op(x).item(), 2)
        dispatch.check_invariants("th::f")
        base._destroy()

    def test_reg_17_exceptions_stay_with_their_thread(self):
        def kernel(x, n):
            raise ValueError(n)

        with _scoped_library("th", "DEF") as lib:
            lib.define("f(Tensor x, int n) -> Tensor")
            lib.impl("f", kernel, "CPU")
            op, x = opyard.ops.th.f.default, opyard.ones([1])

            def work(n):
                for _ in range(100):
                    try:
                        op(x, n)
                    except ValueError as error:
                        self.assertEqual(error.args, (n,))

            run_all(*[lambda n=n: work(n) for n in range(4)])

    def test_reg_17_state_goes_when_the_last_call_has_left(self):
        entered, leave, gone = threading.Event(), threading.Event(), []

        class Kernel:
            def __call__(self, x):
                entered.set()
                leave.wait(20)
                return x + 1

            def __del__(self):
                gone.append(True)

        lib = Library("th", "DEF")
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", Kernel(), "CPU")
        op, results = opyard.ops.th.f.default, []
        thread = threading.Thread(target=lambda: results.append(op(opyard.ones([1])).item()))
        thread.start()
        entered.wait(20)
        lib._destroy()
        self.assertEqual(gone, [])
        leave.set()
        thread.join()
        with _scoped_library("th", "DEF"):
            pass  # the next change of the registry frees what no call can see
        self.assertEqual((results, gone), ([2], [True]))


if __name__ == "__main__":
    unittest.main()
