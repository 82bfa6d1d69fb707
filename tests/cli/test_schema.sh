# SPDX-License-Identifier: Apache-2.0
# opyard schema: the schemas of PyTorch, and malformed ones.
. "$1/tests/cli/lib.sh"
DATA=$SRC/tests/data/torch-2.6-schemas.txt.gz

expect 0 schema 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor'
has out 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor'
json 0 schema 'a::f(Tensor(a!) x) -> Tensor(a!)'
expect 2 schema 'a::f(Tensor x -> Tensor'
has err 'expected ) but found'
has err '<--- HERE'
expect 2 schema 'a::f(double x) -> Tensor'
has err 'Use `float` instead of `double`'
expect 2 schema ''

if [ -f "$DATA" ]; then
  expect 0 schema --check "$DATA"
  has out '4409 schemas: 4409 parse, 4401 print back as they came, 8 but for the order'
  json 0 schema --check "$DATA"
  gzip -dc "$DATA" >"$TMP/plain"
  expect 0 schema --check "$TMP/plain"
  head -c 3000 "$DATA" >"$TMP/cut.gz"
  expect 2 schema --check "$TMP/cut.gz"
  has err 'expected more gzip data, found the end of the file'
fi

printf 'a::f(Tensor x) -> Tensor\n\n# comment\na::g(Tensor x -> Tensor\na::h(float x=1) -> ()\n' >"$TMP/some"
expect 1 schema --check "$TMP/some"
has out '1 do not parse'
has out 'line 4 does not parse'
json 1 schema --check "$TMP/some"
head -c 4000 /dev/urandom >"$TMP/noise"
expect 1 schema --check "$TMP/noise"
: >"$TMP/empty"
expect 0 schema --check "$TMP/empty"
has out '0 schemas'
finish
