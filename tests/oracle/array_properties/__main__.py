# SPDX-License-Identifier: Apache-2.0
"""Properties of opyard.array_api for arrays that hypothesis draws: those that the standard's own
tests (data-apis/array-api-tests) check, by function. What a result should be comes from
array-api-strict, NumPy or the standard.

    ./yard oracle array-api properties [--examples N] [--verbose] [NAME...]
"""
import argparse
import inspect
import sys
import traceback
import warnings

from hypothesis import HealthCheck, settings

import creation
import elementwise
import extensions
import linear
import manipulation
import objects
import reductions

MODULES = (elementwise, objects, creation, manipulation, reductions, linear, extensions)


def tests_of(module, names):
    for name, test in inspect.getmembers(module):
        if name.startswith("test_") and callable(test) and (
                not names or name[5:] in names or module.__name__ in names):
            yield name, test


def run(test, examples):
    """An empty text, or what failed."""
    try:
        if hasattr(test, "hypothesis"):
            test = settings(max_examples=examples, deadline=None, database=None,
                            derandomize=True, print_blob=False,
                            suppress_health_check=list(HealthCheck))(test)
        test()
        return ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        lines = traceback.format_exception(error)
        return "".join(lines[-6:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    passed, failures = 0, []
    for module in MODULES:
        before = passed, len(failures)
        for name, test in tests_of(module, options.names):
            found = run(test, options.examples)
            if found:
                failures.append((f"{module.__name__}.{name}", found))
            else:
                passed += 1
        print(f"{module.__name__}: {passed - before[0]} properties hold, "
              f"{len(failures) - before[1]} do not", flush=True)
    for name, found in failures:
        print("FAIL", name, "\n   ", found if options.verbose else "\n    ".join(
            found.strip().splitlines()[-8:]))
    print(f"array_properties: {passed} hold with {options.examples} examples each, "
          f"{len(failures)} do not")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
