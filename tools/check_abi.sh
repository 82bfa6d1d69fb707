#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What plugins are built against (opyard/abi.h) is what was recorded when it was released:
# every layout, every number of an enum, every function in a table with its arguments.
# A change prints what it is and fails. A new member at the end of a table is one too:
# raise OY_ABI_MINOR, add its row to tests/plugin/test_layout.c, and record it.
#
#   sh tools/check_abi.sh            # compare
#   sh tools/check_abi.sh --record   # write tests/data/abi-x86_64.xml again
#
# Needs abidw and abidiff (Debian: abigail-tools); the library need not be built.
set -eu
cd "$(dirname "$0")/.."
recorded=tests/data/abi-x86_64.xml
include=${OPYARD_ABI_INCLUDE:-include}
[ "$(uname -m)" = x86_64 ] || { echo "abi: recorded for x86_64 alone, nothing compared"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each type that the header freezes, where the debugging information keeps it.
cat >"$work/abi.c" <<'C'
#include "opyard/abi.h"
extern const oy_api frozen_api;
const oy_api frozen_api = {0};
extern const oy_plugin frozen_plugin;
const oy_plugin frozen_plugin = {0};
extern const oy_plugin_scope frozen_scope;
const oy_plugin_scope frozen_scope = {0};
extern const oy_device_hooks frozen_hooks;
const oy_device_hooks frozen_hooks = {0};
extern const oy_tensor_api frozen_tensors;
const oy_tensor_api frozen_tensors = {0};
extern const oy_object frozen_object;
const oy_object frozen_object = {0};
extern const oy_kernel frozen_kernel;
const oy_kernel frozen_kernel = {0};
extern const oy_value frozen_value;
const oy_value frozen_value = {0};
extern const oy_status frozen_status;
const oy_status frozen_status = 0;
C
${CC:-cc} -std=gnu17 -g -O0 -fPIC -shared -I "$include" -fdebug-prefix-map="$work"=. \
  -fdebug-prefix-map="$PWD"=. -o "$work/abi.so" "$work/abi.c"
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-write-default-sizes \
  --out-file "$work/abi.xml" "$work/abi.so"
if [ "${1:-}" = --record ]; then
  cp "$work/abi.xml" "$recorded"
  echo "abi: recorded in $recorded"
  exit 0
fi
# Bits 0 and 1 of its status: it could not compare.
status=0
abidiff --no-show-locs --no-corpus-path "$recorded" "$work/abi.xml" >"$work/report" ||
  status=$?
[ $status = 0 ] && { echo "abi: as recorded in $recorded"; exit 0; }
cat "$work/report"
echo "abi: opyard/abi.h is not what was recorded in $recorded"
echo "     (plugins that are out there were built against that; see tools/check_abi.sh)"
exit 1
