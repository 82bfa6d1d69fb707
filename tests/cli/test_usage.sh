# SPDX-License-Identifier: Apache-2.0
# Usage, help, version, exit codes, colour.
. "$1/tests/cli/lib.sh"

expect 2
has err "usage: opyard VERB"
expect 2 nonsense
has err "expected a verb, found \`nonsense\`"
expect 0 help
has out "Exit status: 0 good; 1 a difference or finding; 2 bad usage or bad input;"
expect 0 --help
verbs="demo run trace ops keys table state explain schema replay dump diff lint report doctor
  new-backend certify"
for verb in $verbs; do
  has out "  $verb "
done
for verb in $verbs; do
  expect 0 help $verb
  has out "usage: opyard $verb"
  has out "3 a call or a write failed"
  expect 0 $verb --help
  expect 2 $verb --no-such-option
  has err "found --no-such-option"
done
expect 2 help nonsense
expect 0 version
has out "opyard 0."
json 0 version
expect 0 --version

# Too few and too many arguments.
expect 2 table
has err "expected at least 1 argument, found 0"
expect 2 table a b
has err "expected at most 1 argument, found 2"
expect 2 diff one
expect 2 run
expect 2 keys extra
expect 2 schema
has err "expected --check FILE or one schema, found neither"
expect 2 schema --check
has err "--check expects a value"

# A file that is not there, a folder.
expect 2 run "$TMP/none.oy"
has err "cannot open: No such file or directory"
expect 2 replay "$TMP"
has err "cannot read"

# Nothing but text goes to a file, whatever NO_COLOR says.
NO_COLOR='' "$OPYARD" keys >"$TMP/out" 2>"$TMP/err"
lacks out "$(printf '\033')"

# A terminal has colour, unless NO_COLOR is set.
# Not everywhere is one to be had: a bare chroot has no pseudo-terminals.
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  checks=$((checks + 2))
  NO_COLOR='' script -qec "$OPYARD keys" /dev/null >"$TMP/out" 2>/dev/null </dev/null
  grep -q "$(printf '\033')" "$TMP/out" || fail 'no colour on a terminal'
  NO_COLOR=1 script -qec "$OPYARD keys" /dev/null >"$TMP/out" 2>/dev/null </dev/null
  grep -q "$(printf '\033')" "$TMP/out" && fail 'colour although NO_COLOR is set'
fi

# What cannot be written is an error.
checks=$((checks + 1))
if [ -w /dev/full ]; then
  "$OPYARD" keys >/dev/full 2>"$TMP/err"
  [ $? -eq 3 ] || fail "keys > /dev/full: expected exit status 3"
fi

expect 0 keys
has out "AutogradCPU"
has out "CompositeImplicitAutograd"
lacks out "TraceRedispatch"
json 0 keys
finish
