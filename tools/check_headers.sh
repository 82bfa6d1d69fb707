#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C11 and as C++17, without a warning.
set -eu
cd "$(dirname "$0")/.."
warnings="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude"
for header in include/opyard/*.h; do
  name=${header#include/}
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "$name" | gcc -std=c11 $warnings -x c - ||
    { echo "$name does not compile alone as C11"; exit 1; }
  # shellcheck disable=SC2086
  printf '#include "%s"\n' "$name" | g++ -std=c++17 $warnings -x c++ - ||
    { echo "$name does not compile alone as C++17"; exit 1; }
done
