# SPDX-License-Identifier: Apache-2.0
# opyard ops, table, state, explain, dump, lint: opyard's own registry.
. "$1/tests/cli/lib.sh"

expect 0 ops
has out 'aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor'
expect 0 ops 'aten::add*'
lacks out 'aten::sum('
expect 0 ops add.Ten
expect 1 ops no_such_operator_at_all
json 0 ops
json 0 ops add

expect 0 state add.Tensor
has out 'name: aten::add.Tensor'
has out 'alias analysis kind: FROM_SCHEMA'
json 0 state add.Tensor
expect 0 table aten::add.Tensor
has out 'CPU: registered at '
has out ' [kernel]'
json 0 table add.Tensor
expect 2 table aten::ad.Tensor
has err 'nearest: '
expect 2 state 'not a name'
expect 2 table ''

expect 0 explain add.Tensor cpu:f32[2,3]:grad cpu:f32[2,3]
has out 'AutogradCPU'
has out 'chosen'
json 0 explain add.Tensor cpu:f32[2,3]:grad none
json 0 explain add.Tensor cpu:f32:sparse cuda:f16[2]
json 0 explain add.Tensor cpu:i8:quantized keys:CPU,AutogradCPU
expect 2 explain add.Tensor cpu:f32
has err 'expected 2 tensor arguments for aten::add.Tensor, found 1'
expect 2 explain add.Tensor a b c

# bad ARGUMENT COLUMN EXPECTED
bad() {
  expect 2 explain add.Tensor "$1" none
  has err "argument 1:1:$2: expected $3, found "
}
bad nonsense 1 'a device such as cpu, `none` or `keys:`'
flags='a dtype, a shape, grad, quantized, a layout such as sparse, or one of conj neg zero'
flags="$flags named vmap functionalize python"
bad cpu:f33 5 "$flags"
bad 'cpu:f32[2' 10 '`,` or `]`'
bad 'cpu:f32[2,x]' 11 'a size'
bad 'cpu:f32[2]3' 11 'the end of the shape'
bad keys:Nonsense 6 'a runtime key or functionality'
bad keys:CPU, 10 'a runtime key or functionality'
bad '[cpu:f32' 9 '`]` at the end of a list'
bad '' 1 'an argument such as cpu:f32[2,3]'
bad cpu::f32 5 "$flags"

expect 0 dump
has out 'op aten::add.Tensor'
cp "$TMP/out" "$TMP/dump"
expect 0 dump
checks=$((checks + 1))
cmp -s "$TMP/out" "$TMP/dump" || fail 'two dumps differ'
expect 0 diff "$TMP/dump" "$TMP/dump"
sed '/^op aten::add.Tensor$/,/^op /{/^op aten::add.Tensor$/d;/^op /!d;}' "$TMP/dump" >"$TMP/less"
expect 1 diff "$TMP/dump" "$TMP/less"
has out 'aten::add.Tensor'
has out '0 operators added, 1 removed, 0 changed'
expect 1 diff "$TMP/less" "$TMP/dump"
has out '1 operators added'
json 0 dump
json 0 lint
expect 0 lint
has out ' 0 errors'

# The same verbs on PyTorch's registry.
DATA=$SRC/tests/data/torch-2.6-registry.txt.gz
if [ -f "$DATA" ]; then
  expect 0 ops --registry "$DATA"
  checks=$((checks + 1))
  [ "$(wc -l <"$TMP/out")" -eq 1765 ] || fail 'expected 1765 operators'
  expect 0 table add.out --registry "$DATA"
  has out 'CPU: registered at ./build/aten/src/ATen/RegisterCPU.cpp:30477 [kernel]'
  expect 0 state aten::add.out --registry "$DATA"
  has out 'Meta (inactive): registered at ./build/aten/src/ATen/RegisterMeta.cpp:'
  expect 0 explain add.out cpu:f32:grad cpu:f32 cpu:f32 --registry "$DATA"
  has out 'chosen  AutogradCPU: registered at ./torch/csrc/autograd/generated/VariableType_4.cpp:19365 [autograd kernel]'
  json 0 explain add.out cpu:f32 cpu:f32 cpu:f32 --registry "$DATA"
  expect 2 table addd.out --registry "$DATA"
  has err 'nearest: aten::add.out'
  # What is dumped is a registry file again, and the same one.
  expect 0 dump --registry "$DATA"
  cp "$TMP/out" "$TMP/dump"
  expect 0 diff "$DATA" "$TMP/dump"
  expect 0 replay "$TMP/dump"
  json 0 dump --registry "$DATA"
fi
finish
