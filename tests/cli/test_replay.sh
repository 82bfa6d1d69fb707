# SPDX-License-Identifier: Apache-2.0
# opyard replay, diff and lint on registry files, good and bad.
. "$1/tests/cli/lib.sh"
DATA=$SRC/tests/data/torch-2.6-registry.txt.gz

if [ -f "$DATA" ]; then
  expect 0 replay "$DATA"
  has out 'operators      1765 equal, 0 different'
  has out 'cells        231215 equal, 0 different'
  has out 'states         1765 equal, 0 different'
  expect 0 replay "$DATA" --shuffle 7
  has out 'cells        231215 equal, 0 different'
  json 0 replay "$DATA"
  gzip -dc "$DATA" >"$TMP/plain"
  expect 0 diff "$DATA" "$TMP/plain"
  has out '0 operators added, 0 removed, 0 changed; 0 cells changed'
  # One cell that is wrong is one difference, and names the operator.
  sed '0,/^table\t.*\[autograd kernel\]/s/\[autograd kernel\]/[kernel]/' "$TMP/plain" >"$TMP/wrong"
  expect 1 replay "$TMP/wrong"
  has out 'cell Autograd'
  has out 'operators      1764 equal, 1 different'
  json 1 replay "$TMP/wrong"
  expect 1 diff "$TMP/plain" "$TMP/wrong"
  has out '1 changed'
  json 1 diff "$TMP/plain" "$TMP/wrong"
  # PyTorch's own registry has one of each, and kernels that Python replaced.
  expect 1 lint "$DATA"
  has out 'RegisterCompositeImplicitAutograd.cpp:6913: error: ambiguous: aten::var.dim'
  has out 'VariableType_1.cpp:16915: warning: unreachable: aten::linalg_lu_factor.out'
  has out '1765 operators: 1 errors, 1 warnings, 298 notes'
  head -c 20000 "$DATA" >"$TMP/cut.gz"
  expect 2 replay "$TMP/cut.gz"
  has err 'expected more gzip data, found the end of the file'
fi

t=$(printf '\t')
good="op a::b
schema a::b(Tensor x) -> Tensor
debug registered at f.c:1
alias FROM_SCHEMA
impl${t}CPU${t}active${t}boxed${t}registered at f.c:2${t}(none)
table${t}registered at f.c:2 [kernel]${t}CPU"
printf '%s\n' "$good" >"$TMP/good"
expect 0 replay "$TMP/good"
has out 'operators         1 equal, 0 different'
expect 0 replay "$TMP/good" --shuffle 3
expect 2 replay "$TMP/good" --shuffle x
has err 'expected a number above 0'
printf '%s,CUDA\n' "$good" >"$TMP/more"
expect 1 replay "$TMP/more"
has out 'a::b, cell CUDA'
has out 'expected  registered at f.c:2 [kernel]'

# bad LINE:COLUMN EXPECTED TEXT
bad() {
  printf '%s\n' "$3" >"$TMP/bad"
  expect 2 replay "$TMP/bad"
  has err "bad:$1: expected $2, found "
}
bad 1:1 '`fallback`, `op` or a comment' 'nonsense'
bad 1:4 'an operator name `ns::base[.overload]`' 'op noname'
bad 3:1 '`schema` of the operator before' "op a::b

op a::c"
bad 1:10 'a runtime key' "fallback${t}Nonsense${t}kernel${t}x"
bad 1:14 '`kernel` or `fallthrough`' "fallback${t}CPU${t}what${t}x"
bad 1:13 'a tab and another field' "fallback${t}CPU"
bad 3:10 '`active` or `inactive`' "op a::b
schema (none)
impl${t}CPU${t}maybe${t}boxed${t}x${t}(none)"
bad 3:10 '`active` for the first kernel of a key' "op a::b
schema (none)
impl${t}CPU${t}inactive${t}boxed${t}x${t}(none)"
bad 4:13 'a key that is in no row yet' "op a::b
schema (none)
table${t}x [kernel]${t}CPU
table${t}y [k]${t}CPU,CPU"
bad 3:4 'an operator that the file does not have yet' "op a::b
schema (none)
op a::b
schema (none)"
bad 3:1 '`fallback`, `op`, `schema`, `debug`, `alias`, `impl` or `table`' "op a::b
schema (none)
what is this"
bad 3:7 'FROM_SCHEMA, CONSERVATIVE, PURE_FUNCTION or INTERNAL_SPECIAL_CASE' "op a::b
schema a::b() -> ()
alias SOMETHING"
# What parses may still not register: the schema of another operator, a kernel
# that does not fit.
printf '%s\n' "$good" | sed 's/(Tensor x)/(Tensor x/' >"$TMP/bad"
expect 2 replay "$TMP/bad"
has err 'while registering'
printf 'op a::b\nschema (none)\000\n' >"$TMP/bad"
expect 2 replay "$TMP/bad"
has err 'expected text, found a NUL byte'
head -c 5000 /dev/urandom >"$TMP/noise"
expect 2 replay "$TMP/noise"
has err 'expected '

# lint: each kind of finding, with its place.
printf '%s\n' "op a::d
schema (none)
impl${t}CPU${t}active${t}boxed${t}registered at d.c:7${t}(none)
table${t}registered at d.c:7 [kernel]${t}CPU
op a::s
schema a::s() -> ()
debug registered at s.c:1
alias FROM_SCHEMA
impl${t}CPU${t}active${t}boxed${t}registered at s.c:3${t}(none)
impl${t}CPU${t}inactive${t}boxed${t}registered at s.c:2${t}(none)
impl${t}Autograd${t}active${t}boxed${t}registered at s.c:4${t}(none)
table${t}registered at s.c:3 [kernel]${t}CPU
op a::m
schema a::m() -> ()
debug registered at m.c:1
alias FROM_SCHEMA
impl${t}CUDA${t}active${t}boxed${t}registered at m.c:2${t}(none)
table${t}registered at m.c:2 [kernel]${t}CUDA
table${t}ambiguous_autogradother [ambiguous autogradother]${t}AutogradOther" >"$TMP/lint"
expect 1 lint "$TMP/lint" --all
has out 'd.c:7: error: dangling: a::d at CPU'
has out 's.c:2: note: shadowed: a::s at CPU: a newer kernel hides it, registered at s.c:3'
has out 's.c:4: warning: unreachable: a::s at Autograd'
has out 'm.c:1: error: ambiguous: a::m at AutogradOther'
has out 'm.c:1: note: missing: a::m at CPU: no kernel for CPU'
has out '2 errors, 1 warnings, 3 notes'
expect 1 lint "$TMP/lint"
lacks out 'shadowed'
json 1 lint "$TMP/lint"
expect 0 lint "$TMP/good"
finish
