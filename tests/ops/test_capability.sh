#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of operators at each CPU capability. A level that the machine does not have
# is the next lower one, which is tested twice then.
set -eu
build=$2
for level in default avx2 avx512; do
  for test in elementwise pointwise umath golden; do
    program=$build/tests/ops/test_ops_$test
    [ -x "$program" ] || continue
    echo "== $level: $test"
    (cd "$build/tests/ops" && OPYARD_CPU_CAPABILITY=$level "$program" >"$build/tests/ops/$test.$level.log" 2>&1) || {
      cat "$build/tests/ops/$test.$level.log"
      exit 1
    }
  done
done
