#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, twice over, as C11 and as C++17, with gcc and, where
# it is there, with clang, without a warning.
set -eu
cd "$(dirname "$0")/.."
# opyard/ops.h as opgen made it, in whichever build has it.
gen=
for build in build/lint build build/release build/asan build/ubsan build/tsan; do
  if [ -f "$build/gen/opyard/ops.h" ]; then gen=$build/gen; break; fi
done
[ -n "$gen" ] || { echo "no opyard/ops.h: make a build first, with ./yard build" >&2; exit 1; }
warnings="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude -I$gen"
status=0

# alone HEADER COMPILER STANDARD LANGUAGE
alone() {
  command -v "$2" >/dev/null 2>&1 || return 0
  # The declaration: a header may hold macros only, and C wants something in a file.
  printf '#include "%s"\n#include "%s"\nextern int oy_alone;\n' "$1" "$1" |
    "$2" "-std=$3" $warnings -x "$4" - ||
    { echo "$1 does not compile alone as $3 with $2"; status=1; }
}

for header in include/opyard/*.h "$gen"/opyard/*.h; do
  name=opyard/${header##*/}
  alone "$name" gcc c11 c
  alone "$name" g++ c++17 c++
  alone "$name" clang-14 c11 c
  alone "$name" clang++-14 c++17 c++
done
exit $status
