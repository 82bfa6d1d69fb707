#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The lessons of examples/python print what PyTorch prints; 77, which is "skipped", where the
# extension is not built.
set -eu
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if [ ! -f "$2/python/opyard/_C.abi3.so" ]; then
  echo "skipped: the extension is not built here (no python3-dev, or a sanitizer)"
  exit 77
fi
PYTHONPATH="$2/python" PYTHONDONTWRITEBYTECODE=1 exec "$python" \
  "$1/tests/oracle/examples.py" --own
