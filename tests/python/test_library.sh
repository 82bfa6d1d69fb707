#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Registration, modes and introspection from Python; 77, which is "skipped", where the
# extension is not built.
set -eu
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if [ ! -f "$2/python/opyard/_C.abi3.so" ]; then
  echo "skipped: the extension is not built here (no python3-dev, or a sanitizer)"
  exit 77
fi
for name in library custom_op library_threads modes subclass dispatch permutations; do
  PYTHONPATH="$2/python" PYTHONDONTWRITEBYTECODE=1 "$python" "$1/tests/python/test_$name.py"
done
