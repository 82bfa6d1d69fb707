#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_totals.sh BUILD: what the last run of ctest in BUILD came to, one line for the
# cases inside the programs and one for the programs, and the same into BUILD/totals.txt.
# Exit status 1 unless something passed and nothing failed.
set -eu
build=$1
report=$build/ctest.xml
log=$build/Testing/Temporary/LastTest.log
[ -f "$report" ] || { echo "test_totals.sh: no $report" >&2; exit 1; }
# cmocka ends each program with "[  PASSED  ] 12 test(s)."; the report cuts that off.
cases=$(sed -n 's/.*\[  PASSED  \] \([0-9]*\) test(s).*/\1/p' "$log" |
  awk '{ sum += $1 } END { print sum + 0 }')
awk -v cases="$cases" '
  /<testcase / {
    if (/status="run"/) passed++
    else if (/status="fail"/) failed++
    else skipped++
  }
  END {
    printf "%d cases passed inside the programs", cases
    if (skipped) printf "; %d programs skipped", skipped
    printf "\n%d passed, %d failed\n", passed, failed
    exit !(passed > 0 && failed == 0)
  }' "$report" >"$build/totals.txt" || { cat "$build/totals.txt"; exit 1; }
cat "$build/totals.txt"
