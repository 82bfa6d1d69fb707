#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of operators at each CPU capability. A level that the machine does not have
# is the next lower one, which is tested twice then.
set -eu
build=$2
for level in default avx2 avx512; do
  for test in ops/test_ops_elementwise ops/test_ops_pointwise ops/test_ops_rests \
    ops/test_ops_umath ops/test_ops_golden ops/test_ops_fft_rows ops/test_ops_reduction \
    ops/test_ops_reduction_rows ops/test_ops_expanded ops/test_ops_complex_parts \
    ops/test_ops_short_rows ops/test_ops_short_reductions ops/test_ops_short_moves \
    ops/test_ops_matrix_vectors ops/test_ops_domain ops/test_ops_softmax ops/test_ops_norm \
    ops/test_ops_matrix ops/test_ops_order ops/test_ops_sort_lines \
    tensor/test_tensor_convert; do
    program=$build/tests/$test log=$build/tests/$test.$level.log
    [ -x "$program" ] || continue
    echo "== $level: $test"
    (cd "$build/tests/ops" && OPYARD_CPU_CAPABILITY=$level "$program" >"$log" 2>&1) || {
      cat "$log"
      exit 1
    }
  done
done
