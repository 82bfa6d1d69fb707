# SPDX-License-Identifier: Apache-2.0
# What the tests of the command line share: run the command, compare, count.
# Sourced with the paths of the source and of the build as $1 and $2.
set -u
# shellcheck disable=SC2034  # for those that source this
SRC=$1
OPYARD=${OPYARD:-$2/opyard}
[ -x "$OPYARD" ] || { echo "no $OPYARD"; exit 77; }
PYTHON=/usr/bin/python3
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
NO_COLOR=1
export NO_COLOR
checks=0
failures=0

fail() {
  failures=$((failures + 1))
  echo "FAIL: $*"
  [ -s "$TMP/out" ] && sed 's/^/  out: /' "$TMP/out" | head -20
  [ -s "$TMP/err" ] && sed 's/^/  err: /' "$TMP/err" | head -20
}

# expect STATUS ARGUMENT...: runs the command; output in $TMP/out and $TMP/err.
expect() {
  wanted=$1
  shift
  checks=$((checks + 1))
  "$OPYARD" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
  got=$?
  [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted: opyard $*"
}

# has FILE TEXT: the text, no pattern, is in what was printed to out or err.
has() {
  checks=$((checks + 1))
  grep -qF -- "$2" "$TMP/$1" || fail "expected in $1: $2"
}

lacks() {
  checks=$((checks + 1))
  if grep -qF -- "$2" "$TMP/$1"; then fail "expected not in $1: $2"; fi
}

# json STATUS ARGUMENT...: what is printed is JSON.
json() {
  expect "$@" --json
  checks=$((checks + 1))
  [ -x "$PYTHON" ] || return 0
  "$PYTHON" -m json.tool "$TMP/out" >/dev/null || fail "no JSON: opyard $2 --json"
}

finish() {
  echo "$checks checks, $failures failures"
  [ "$failures" -eq 0 ]
}
