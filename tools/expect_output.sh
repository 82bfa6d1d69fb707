#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# expect_output.sh FILE COMMAND...: runs COMMAND, shows what it prints, and fails when it
# fails or when FILE exists and is not what it printed.
set -u
expected=$1
shift
actual=$(mktemp) || exit 1
trap 'rm -f "$actual"' EXIT
"$@" >"$actual"
status=$?
cat "$actual"
[ "$status" -eq 0 ] || { echo "exit status $status: $*" >&2; exit "$status"; }
[ -f "$expected" ] || exit 0
diff -u "$expected" "$actual"
