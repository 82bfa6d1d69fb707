#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What gdb shows of opyard's values (tools/gdb/opyard-gdb.py), in batch mode, and that it
# loads the file by itself beside the library.
set -u
command -v gdb >/dev/null || { echo "skipped: gdb is not installed"; exit 77; }
grep -q '^OY_SANITIZE:[A-Z]*=.' "$2/CMakeCache.txt" &&
  { echo "skipped: a sanitizer build knows lines alone"; exit 77; }
program=$2/tests/gdb/test_gdb_printed
[ -x "$program" ] || { echo "skipped: no $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failures=0

cat >"$work/commands" <<END
set pagination off
set width 0
set debuginfod enabled off
source $1/tools/gdb/opyard-gdb.py
break stop_here
run
print g_plain
print g_turned
print g_leaf
print g_made
print g_meta
print g_scalar
print g_flags
print g_none
print *g_plain
print (oy_tensor *)0
print g_op
print g_keys
print g_values
print g_ints
print g_text
print g_device
opyard-graph g_made
opyard-graph g_plain
python gdb.execute("opyard-graph 3") if False else None
END
gdb -nx -batch -x "$work/commands" "$program" >"$work/out" 2>&1 </dev/null
if grep -q 'ptrace: Operation not permitted\|Could not trace' "$work/out"; then
  echo "skipped: processes may not be traced here"
  exit 77
fi
if ! grep -q 'Breakpoint 1, ' "$work/out"; then
  cat "$work/out"
  echo "gdb did not stop where it should"
  exit 1
fi

has() {
  checks=$((checks + 1))
  grep -qF -- "$1" "$work/out" && return
  failures=$((failures + 1))
  echo "FAIL: gdb did not print: $1"
}
has ' tensor([[1, 2.5], [3, 4]], float32, cpu)'
has ' tensor([[1, 4], [2, 5], [3, 6]], int64, cpu, strides [1, 3])'
has ' tensor([1, 2], float64, cpu, requires grad)'
has ' tensor(5, float64, cpu, requires grad)'
has ' tensor(no data, sizes [5, 7], float32, meta)'
has ' tensor(7, int64, cpu)'
has ' tensor([True, False], bool, cpu)'
has '(oy_tensor *) 0x0 NULL'
has 'aten::add.Tensor'
has '{CPU, ADInplaceOrView, AutogradCPU, AutocastCPU}'
has '= {42, "mean", tensor([[1, 2.5], [3, 4]], float32, cpu), [3, -1, 4]}'
has '= [3, -1, 4]'
has '= "some text"'
has '1 SumBackward0'
has '  2 MulBackward0'
has '    3 AccumulateGrad'
has '    3 AccumulateGrad (above)'
has 'no history'
[ "$failures" -eq 0 ] || cat "$work/out"
echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ] || exit 1

# As a program with the shared library finds it.
library=$(find "$2" -maxdepth 1 -name 'libopyard.so.*.*.*' -type f | head -n 1)
[ -n "$library" ] && [ -e "$library-gdb.py" ] || exit 0
gdb -nx -batch -iex "add-auto-load-safe-path $2:$1" -ex 'info auto-load python-scripts' \
  "$library" >"$work/out" 2>&1
grep -q 'Yes .*-gdb.py' "$work/out" && exit 0
cat "$work/out"
echo "gdb did not load $library-gdb.py by itself"
exit 1
