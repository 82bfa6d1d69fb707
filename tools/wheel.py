# SPDX-License-Identifier: Apache-2.0
"""Packs an installed opyard into a wheel, with the standard library alone.

    python3 tools/wheel.py PREFIX OUT     (tools/wheel.sh installs first)

PREFIX holds what the component python installs: opyard/ with the extension, the modules and,
in its lib/, include/ and bin/, the library, its headers, CMake files and opgen. The same
files give the same bytes: names are sorted, times are SOURCE_DATE_EPOCH or 1980.
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "PyTorch's dispatcher, tensors and operators as a small, fast C library"
# The extension is built on the limited API of Python 3.11, and needs nothing that 3.10 has
# not; tests/python/test_wheel.sh loads it there.
PYTHON_TAG, LEAST_PYTHON = "cp310-abi3", ">=3.10"


def version():
    found = re.search(r"project\(opyard VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found[1]


def platform_tag(prefix):
    """manylinux of the newest glibc that a binary asks for; pip checks that it is there."""
    versions = {(2, 17)}
    for path in sorted(prefix.rglob("*")):
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
            found = re.findall(rb"GLIBC_(\d+)\.(\d+)\0", path.read_bytes())
            versions.update((int(major), int(minor)) for major, minor in found)
    major, minor = max(versions)
    return f"manylinux_{major}_{minor}_{os.uname().machine}"


def metadata():
    return (f"Metadata-Version: 2.1\nName: opyard\nVersion: {version()}\nSummary: {SUMMARY}\n"
            f"License: Apache-2.0\nRequires-Python: {LEAST_PYTHON}\n"
            "Classifier: License :: OSI Approved :: Apache Software License\n"
            "Classifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Programming Language :: C\n"
            "Classifier: Programming Language :: Python :: 3\n"
            "Classifier: Typing :: Typed\n"
            "Description-Content-Type: text/markdown\n\n"
            + (ROOT / "README.md").read_text())


def wheel_text(tag):
    return ("Wheel-Version: 1.0\nGenerator: opyard\nRoot-Is-Purelib: false\n"
            f"Tag: {tag}\n")


def digest(data):
    text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={text}"


def collect(prefix, tag):
    """Everything by its name in the wheel: (bytes, whether it can be run)."""
    content = {}
    for path in prefix.rglob("*"):
        if path.is_symlink() or (path.is_file() and "__pycache__" not in path.parts):
            data = path.resolve().read_bytes()
            content[path.relative_to(prefix).as_posix()] = (data, os.access(path, os.X_OK))
    info = f"opyard-{version()}.dist-info"
    content[f"{info}/METADATA"] = (metadata().encode(), False)
    content[f"{info}/WHEEL"] = (wheel_text(tag).encode(), False)
    content[f"{info}/licenses/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), False)
    record = f"{info}/RECORD"
    rows = [f"{name},{digest(data)},{len(data)}" for name, (data, _) in sorted(content.items())]
    content[record] = ("\n".join(rows + [f"{record},,"]).encode() + b"\n", False)
    return content


def write(path, content):
    at = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    # What describes the wheel comes last, as installers like it.
    names = sorted(content, key=lambda name: (".dist-info/" in name, name))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name in names:
            data, runs = content[name]
            entry = zipfile.ZipInfo(name, at)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            file.writestr(entry, data)


def main(prefix, out):
    prefix, out = pathlib.Path(prefix), pathlib.Path(out)
    if not (prefix / "opyard" / "_C.abi3.so").is_file():
        sys.exit(f"wheel: {prefix} has no opyard/_C.abi3.so; install the component python there")
    tag = f"{PYTHON_TAG}-{platform_tag(prefix)}"
    content = collect(prefix, tag)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"opyard-{version()}-{tag}.whl"
    write(path, content)
    unpacked = sum(len(data) for data, _ in content.values())
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {unpacked / 1e6:.1f} MB unpacked, "
          f"{len(content)} files")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: wheel.py PREFIX OUT")
    main(*sys.argv[1:])
