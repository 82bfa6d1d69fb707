#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What of the package is above the tensor: modules, files, exchange, the array API, ...;
# 77, which is "skipped", where the extension is not built.
set -eu
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if [ ! -f "$2/python/opyard/_C.abi3.so" ]; then
  echo "skipped: the extension is not built here (no python3-dev, or a sanitizer)"
  exit 77
fi
cd "$1/tests/python"
PYTHONPATH="$2/python:." PYTHONDONTWRITEBYTECODE=1 OPYARD_BUILD="$2" \
  exec "$python" -m unittest test_nn test_layers test_optim test_foreach test_files \
  test_exchange test_array_api test_stubs
