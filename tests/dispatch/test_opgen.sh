#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs opgen on small inputs; builds and runs what it made: strict C11, C++17, plain
# and inlined calls, generic and generated trampolines.
set -eu
source=$1
build=$2
opgen=$build/opgen
[ -x "$opgen" ] || { echo "no opgen was built"; exit 77; }
library=$build/libopyard-dispatch.a
[ -f "$library" ] || { echo "no static library"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
data=$source/tests/data/opgen

sanitize=$(sed -n 's/^OY_SANITIZE:[A-Z]*=\(..*\)$/-fsanitize=\1/p' "$build/CMakeCache.txt")
cc="$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt") $sanitize"
strict="-O1 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
        -Wpedantic -Werror -fvisibility=hidden -I$source/include -I$dir"

fail() { echo "FAILED: $*"; exit 1; }
has() { grep -qF -- "$2" "$1" || fail "$1 lacks: $2"; }

# ---- calls that run
"$opgen" --out-dir "$dir" --inline-header "$dir/sample.inline.h" \
  --calls-source "$dir/sample.calls.c" --trampolines "$dir/sample.trampolines.c" \
  "$data/sample.txt" 2>"$dir/messages" || fail "$(cat "$dir/messages")"
has "$dir/messages" "left out: demo::any.number"
sed -n 's/^demo::\([a-z_.A-Z]*(.*\)$/SCHEMA("\1")/p' "$data/sample.txt" |
  grep -v 'any.number' >"$dir/schemas.inc"
for file in sample.gen sample.calls sample.trampolines; do
  $cc -std=c11 $strict -c "$dir/$file.c" -o "$dir/$file.o"
done
run() {
  what=$1
  shift
  $cc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -I"$source/include" -I"$source/src" \
    -I"$dir" "$data/run_calls.c" "$@" "$library" -lpthread -lm -ldl -o "$dir/run"
  [ "$("$dir/run")" = ok ] || fail "$what"
}
run "generic trampolines" "$dir/sample.calls.o"
run "generated trampolines" -DGENERATED_TRAMPOLINES "$dir/sample.gen.o"
run "inline calls" -DOY_INLINE_CALLS -DGENERATED_TRAMPOLINES "$dir/sample.gen.o"

# ---- a kernel of another type does not compile
cat >"$dir/wrong.c" <<'END'
#include "sample.gen.h"
static oy_object* f(const oy_op* op, oy_keyset keys, oy_object* a) {
  (void)op; (void)keys;
  return a;
}
oy_status put(oy_library* m) { return oy_impl_demo_add_Tensor(m, OY_KEY_CPU, f); }
END
! $cc -std=c11 -I"$source/include" -I"$dir" -c "$dir/wrong.c" -o "$dir/wrong.o" 2>/dev/null ||
  fail "a kernel of another type was taken"

# ---- C++, a tensor type of one's own
"$opgen" --name mine --tensor-type my_tensor --calls-header "$dir/mine.gen.h" \
  --calls-source "$dir/mine.c" --inline-header "$dir/mine.inline.h" "$data/sample.txt" 2>&-
if command -v c++ >/dev/null; then
  c++ -std=c++17 -Wall -Wextra -Werror -I"$source/include" -I"$dir" -c "$data/plain.cc" \
    -o "$dir/plain.o"
fi

# ---- calls in parts: each in one of them, wherever its row stands
calls_in() { sed -n 's/^oy_op_handle \(oy_handle_[A-Za-z0-9_]*\) .*/\1/p' "$@" | sort; }
"$opgen" --calls-source "$dir/part.c" --parts 3 "$data/sample.txt" 2>&-
calls_in "$dir/sample.calls.c" >"$dir/whole.list"
calls_in "$dir"/part_[012].c >"$dir/parts.list"
[ -s "$dir/whole.list" ] && cmp "$dir/whole.list" "$dir/parts.list" || fail "parts are not the whole"
sort -r "$data/sample.txt" >"$dir/turned.txt"
"$opgen" --calls-source "$dir/turned.c" --parts 3 "$dir/turned.txt" 2>&-
for k in 0 1 2; do
  calls_in "$dir/part_$k.c" >"$dir/parts.list"
  calls_in "$dir/turned_$k.c" | cmp - "$dir/parts.list" || fail "a call moved to another part"
done
"$opgen" --calls-source "$dir/part.c" --parts 0 "$data/sample.txt" 2>&- &&
  fail "--parts 0 was taken"

# ---- tables, numbers, selections
printf '# wanted\nmul.Tensor\n' >"$dir/list"
"$opgen" --out-dir "$dir" --enum "$dir/enum.h" --select "$dir/list" \
  --select-header "$dir/select.h" "$data/table.def"
has "$dir/table.gen.h" "oy_object* oy_mul_Tensor(oy_object* self, oy_object* other);"
has "$dir/table.gen.h" '// Multiplies `self` with "other".'
has "$dir/enum.h" "OY_OP_relu_,  // aten::relu_"
has "$dir/select.h" "#define OY_SELECT_aten_mul_Tensor 1"
! grep -q relu "$dir/select.h" || fail "relu_ was selected"

# ---- mistakes are told, and no file is touched
! "$opgen" --enum "$dir/none.h" /nowhere 2>/dev/null || fail "a file that is not there"
printf 'OY_OP(A, wrong_id, C, D,\n "f(Tensor x) -> Tensor", "doc")\n' >"$dir/bad.def"
! "$opgen" --enum "$dir/none.h" "$dir/bad.def" 2>"$dir/messages" || fail "a wrong id"
has "$dir/messages" "bad.def:1: expected the id f for aten::f, got wrong_id"
printf 'f(Tensor x) -> Tensor\ng(Tensor x -> Tensor\n' >"$dir/bad.txt"
! "$opgen" --enum "$dir/none.h" "$dir/bad.txt" 2>"$dir/messages" || fail "a bad schema"
has "$dir/messages" "bad.txt:2: "
[ ! -f "$dir/none.h" ] || fail "a file was written"
! "$opgen" --no-such-option x 2>/dev/null || fail "an unknown option"
echo "opgen: all passed"
