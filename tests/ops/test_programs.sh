#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of tests/ops/programs print what PyTorch prints for the same calls.
set -u
source=$1
build=$2
[ -x "$build/opyard" ] || exit 77
status=0
for program in "$source"/tests/ops/programs/*.oy; do
  "$build/opyard" run "$program" | diff -u "${program%.oy}.txt" - || status=1
done
exit $status
