# SPDX-License-Identifier: Apache-2.0
# opyard run, trace and demo: programs, good and bad.
. "$1/tests/cli/lib.sh"

# program STATUS: the program comes on stdin.
program() {
  cat >"$TMP/p.oy"
  expect "$1" run "$TMP/p.oy"
}

program 0 <<'END'
x = tensor([1, 2], dtype=float32)
w = tensor([3, 4], dtype=float32, requires_grad=True)
y = add(x, w)          # a comment
s = sum(y)
backward(s)
gx = grad(x)
gw = grad(w)
print(gx, gw)
END
has out 'None tensor([1., 1.])'
expect 0 run "$TMP/p.oy" --trace
has err '[callBoxed] op=[aten::add.Tensor], key=[AutogradCPU]'
has err 'op=[aten::add.Tensor], key=[CPU]'
json 0 run "$TMP/p.oy"
json 0 run "$TMP/p.oy" --trace
expect 0 trace "$TMP/p.oy"
has out 'y = add(x, w)'
has out 'op=[aten::sum], key=[AutogradCPU]'
json 0 trace "$TMP/p.oy"

program 0 <<'END'
x = tensor([[1, 2], [3, 4]])
y = add(x, x, alpha=2)
END
has out 'tensor([[ 3,  6],'
program 0 <<'END'
x = tensor([1.5, 2])
y = aten::add.Tensor(x, x)
z = add.Tensor(
  y,   # lines may break here
  x)
END
has out 'tensor([4.5000, 6.0000])'
program 0 <<'END'
a = [1, 2.5, True, None, 'text', float32]
print(a)
END
has out "[1, 2.5, True, None, 'text', 6]"
printf 'a = 1+2j\n' | "$OPYARD" run - >"$TMP/out" 2>"$TMP/err"
has out '(1+2j)'
: >"$TMP/empty.oy"
expect 0 run "$TMP/empty.oy"

# bad STATUS LINE:COLUMN TEXT: the program is on stdin.
bad() {
  program "$1"
  has err "p.oy:$2: $3"
}
printf 'x = \n' >"$TMP/p.oy"
expect 2 run "$TMP/p.oy"
has err 'p.oy:1:5: expected a value, found the end of the line'
bad 2 1:11 'expected `,` or `)`, found `2`' <<'END'
x = add(1 2)
END
bad 2 2:1 'expected a value, found the end of the program' <<'END'
x = tensor([1,
END
bad 2 1:10 'expected a closing `"`' <<'END'
x = "text
END
bad 2 1:5 'expected an integer of 64 bits, found 99999999999999999999' <<'END'
x = 99999999999999999999
END
bad 2 1:1 'expected a name or an operator, found `3`' <<'END'
3 = x
END
bad 2 1:7 'expected the end of a number, found `a`' <<'END'
x = 12abc
END
bad 2 1:12 'expected a keyword argument `name=value` after one' <<'END'
f(alpha=1, 2)
END
bad 2 2:9 'expected a name that was assigned before' <<'END'
x = tensor([1])
y = add(z, x)
END
bad 2 1:5 'expected an operator' <<'END'
y = no_such_operator(1)
END
bad 2 2:5 'expected an operator' <<'END'
x = tensor([1])
y = ad(x, x)
END
has err 'nearest: aten::add'
bad 2 1:21 'expected a list of 2, found one of 1' <<'END'
x = tensor([[1, 2], [3]])
END
bad 2 1:13 'expected a number or a bool, found a string' <<'END'
x = tensor(['a'])
END
bad 2 1:23 'expected a dtype such as float32' <<'END'
x = tensor([1], dtype=floaty)
END
bad 2 2:1 'expected as many names as results' <<'END'
x = tensor([1])
a, b = add(x, x)
END
bad 2 2:5 'expected arguments that an overload of add takes' <<'END'
x = tensor([1])
y = add(x, x, x, x)
END
bad 2 1:1 'expected a name or an operator, found' <<'END'
[1, 2]
END
printf 'x = \001\n' >"$TMP/p.oy"
expect 2 run "$TMP/p.oy"
has err 'found byte 0x01'
head -c 5000 /dev/urandom >"$TMP/p.oy"
expect 2 run "$TMP/p.oy"
has err 'expected '
i=0
while [ $i -lt 40 ]; do printf '['; i=$((i + 1)); done >"$TMP/deep"
{ printf 'x = '; cat "$TMP/deep"; } >"$TMP/p.oy"
expect 2 run "$TMP/p.oy"
has err 'expected lists at most 32 deep'

# A kernel that fails is no mistake of the program's text.
program 3 <<'END'
x = tensor([1, 2])
y = tensor([1, 2, 3])
z = add(x, y)
END
has err 'p.oy:3:5: '

# The demo: two screens of at most 24 lines and 100 columns.
expect 0 demo
has out 'x.grad is None and w.grad is tensor([1., 1.])'
has out 'autograd_matmul_f32 -> cuda_matmul_f32'
has out 'quantized_cpu_matmul_i8'
checks=$((checks + 1))
awk '/^2\. matmul/ { if (NR > 26) bad = 1; start = NR } length > 100 { bad = 1 }
     END { exit bad || !start || NR - start >= 24 }' "$TMP/out" || fail 'it does not fit'
json 0 demo

for example in "$SRC"/examples/programs/*.oy; do
  [ -f "$example" ] && expect 0 run "$example"
done
finish
