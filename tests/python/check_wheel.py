# SPDX-License-Identifier: Apache-2.0
"""check_wheel.py WHEEL [PYTHON...]: whether a wheel says the truth about itself, and whether
it works in a fresh environment of each Python: installed by pip, offline, with all symbols
bound at once, it runs the first program."""
import base64
import email
import glob
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "examples/python/00_gradient.py"
EXPECTED = "x.grad is None and w.grad is tensor([1., 1.])\n"


def check_record(file):
    """Every file is listed, with its hash and size, and nothing else is."""
    record = next(name for name in file.namelist() if name.endswith(".dist-info/RECORD"))
    listed = set()
    for line in file.read(record).decode().splitlines():
        name, digest, size = line.rsplit(",", 2)
        listed.add(name)
        if name == record:
            continue
        data = file.read(name)
        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if digest != "sha256=" + wanted or int(size) != len(data):
            sys.exit(f"check_wheel: RECORD is wrong about {name}")
    if listed != set(file.namelist()):
        sys.exit(f"check_wheel: RECORD and wheel differ in {listed ^ set(file.namelist())}")


def check_metadata(path, file):
    folder = next(name for name in file.namelist() if ".dist-info/" in name).split("/")[0]
    about = email.message_from_bytes(file.read(f"{folder}/METADATA"))
    tags = email.message_from_bytes(file.read(f"{folder}/WHEEL"))
    name, version, *tag = path.stem.split("-")
    if (about["Name"], about["Version"], tags["Tag"]) != (name, version, "-".join(tag)):
        sys.exit(f"check_wheel: {path.name} has other words inside")
    if about["Requires-Dist"] is not None:
        sys.exit("check_wheel: opyard needs nothing, and the wheel says it does")


def check_content(file):
    names = set(file.namelist())
    for name in ("opyard/_C.abi3.so", "opyard/__init__.pyi", "opyard/py.typed",
                 "opyard/nn/__init__.py", "opyard/lib/libopyard.so.0",
                 "opyard/include/opyard/opyard.h", "opyard/include/opyard/ops.h",
                 "opyard/lib/cmake/opyard/opyardConfig.cmake", "opyard/bin/opgen"):
        if name not in names:
            sys.exit(f"check_wheel: {name} is not in the wheel")
    if any("__pycache__" in name for name in names):
        sys.exit("check_wheel: compiled files are in the wheel")


def pythons():
    """One of each version from 3.10 on that is at hand and can make environments."""
    names = [shutil.which(f"python3.{minor}") for minor in range(10, 20)]
    names += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")))
    names.append("/usr/bin/python3")
    found = {}
    ask = ("import ensurepip, sys, sysconfig, venv; "
           "print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)")
    for name in filter(None, names):
        got = subprocess.run([name, "-c", ask], capture_output=True, text=True)
        version = tuple(map(int, got.stdout.split())) if got.returncode == 0 else (0, 0, 0)
        if version[:2] >= (3, 10) and not version[2]:
            found.setdefault(version[:2], name)
    return [found[version] for version in sorted(found)]


def check_in(python, wheel, folder):
    env = dict(os.environ, LD_BIND_NOW="1", PYTHONDONTWRITEBYTECODE="1")
    for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "PYTHONHOME"):
        env.pop(name, None)

    def run(*command):
        got = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env)
        if got.returncode:
            sys.exit(f"check_wheel: {python}: {' '.join(command)}\n{got.stdout}{got.stderr}")
        return got.stdout

    inside = os.path.join(folder, "bin", "python")
    run(python, "-m", "venv", folder)
    run(inside, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check",
        str(wheel.resolve()))
    run(inside, "-m", "pip", "check")
    start = time.monotonic()
    got = run(inside, str(PROGRAM))
    took = time.monotonic() - start
    if got != EXPECTED:
        sys.exit(f"check_wheel: {python}: expected {EXPECTED!r}, got {got!r}")
    version = run(inside, "-c", "import sys, opyard, opyard.nn, opyard.array_api; "
                                "print(sys.version.split()[0])").strip()
    print(f"Python {version}: installed, ran the first program in {took:.2f} s")


# Of a build without the interpreter's lock, as the pip of a Python that knows of them has it.
TAGS = """
import sys
from pip._vendor.packaging import tags
interpreter, abi, platform = sys.argv[1].split("-")
for build in ("cp313", "cp313t"):
    takes = tags.cpython_tags((3, 13), abis=[build], platforms=[platform])
    print(build, any(str(tag) == sys.argv[1] for tag in takes))
"""


def check_free_threaded(python, wheel):
    """Such builds have no limited API: their pip does not take the wheel, others' does."""
    tag = "-".join(wheel.stem.split("-")[2:])
    got = subprocess.run([python, "-c", TAGS, tag], capture_output=True, text=True)
    if got.stdout.split() != ["cp313", "True", "cp313t", "False"]:
        sys.exit(f"check_wheel: {python}: {tag} is taken by {got.stdout!r}{got.stderr}")
    print("a build without the interpreter's lock would not take the wheel")


def knows_free_threaded(python):
    ask = "import sys, pip; print(sys.version_info >= (3, 13))"
    return subprocess.run([python, "-c", ask], capture_output=True,
                          text=True).stdout.strip() == "True"


def main(path, *chosen):
    path = pathlib.Path(path)
    with zipfile.ZipFile(path) as file:
        check_record(file)
        check_metadata(path, file)
        check_content(file)
    if not re.fullmatch(r"opyard-[0-9.]+-cp310-abi3-manylinux_2_\d+_\w+\.whl", path.name):
        sys.exit(f"check_wheel: {path.name} is no name for this wheel")
    found = chosen or pythons()
    if not found:
        print("skipped: no Python with venv and pip (python3-venv) to install the wheel in")
    for python in found:
        with tempfile.TemporaryDirectory() as folder:
            check_in(python, path, folder)
        if knows_free_threaded(python):
            check_free_threaded(python, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
