# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of examples/python under opyard, and under PyTorch with only the imports
changed; their output has to be the same.

    PYTHONPATH=build/python python3 tests/oracle/examples.py [NAME...]
    ... --own      opyard alone, against the *.expected.txt beside the scripts
    ... --record   writes these files, from PyTorch's output

A script that is for opyard alone says so in its first sentence or two, and is run under
opyard only; its expected output is written by hand.
"""
import glob
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/python")
OWN = "For opyard alone."
# Modules that have another name in PyTorch.
NAMES = {"opyard.modes": "torch.utils._python_dispatch"}
_IMPORT = re.compile(r"^(\s*(?:import|from)\s+)(opyard[\w.]*)", re.MULTILINE)


def for_torch(text):
    """The script with the imports changed."""
    def change(match):
        name = match[2]
        return match[1] + NAMES.get(name, "torch" + name[len("opyard"):])

    return _IMPORT.sub(change, text)


def run(path, text):
    """What the script prints, and how it ended if not well."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(os.path.abspath(p) for p in paths if p))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text], capture_output=True, text=True,
        check=False, cwd=os.path.dirname(os.path.abspath(path)), timeout=240, env=env)
    output = done.stdout
    if done.returncode != 0:
        output += f"--- exit status {done.returncode}\n{done.stderr[-2000:]}"
    return output


def expected(path):
    return os.path.splitext(path)[0] + ".expected.txt"


def difference(wanted, got):
    """The first line that differs; None if none does."""
    wanted, got = wanted.splitlines(), got.splitlines()
    for number in range(max(len(wanted), len(got))):
        one = wanted[number] if number < len(wanted) else "(nothing)"
        other = got[number] if number < len(got) else "(nothing)"
        if one != other:
            return f"line {number + 1}\n    expected {one}\n    got      {other}"
    return None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(path, options):
    """None if all is well; "" if there was nothing to do; else what is wrong."""
    text = read(path)
    alone = OWN in text
    if options == {"--record"}:
        if alone:
            return ""
        with open(expected(path), "w", encoding="utf-8") as file:
            file.write(run(path, for_torch(text)))
        return None
    wanted = read(expected(path)) if alone or "--own" in options else run(path, for_torch(text))
    return difference(wanted, run(path, text))


def main(arguments):
    options = {a for a in arguments if a.startswith("--")}
    names = [a for a in arguments if not a.startswith("--")]
    if not options <= {"--own", "--record"}:
        sys.exit(__doc__)
    failed = 0
    paths = sorted(glob.glob(os.path.join(FOLDER, "*.py")))
    for path in paths:
        name = os.path.basename(path)[:-3]
        if names and name not in names:
            continue
        wrong = check(path, options)
        failed += bool(wrong)
        print(f"{name}: {wrong}" if wrong else f"{name}: {'left out' if wrong == '' else 'ok'}")
    print(f"{failed} of {len(paths)} scripts differ")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
