# SPDX-License-Identifier: Apache-2.0
# ROB-07, PU1-04: the two simulated vendors and a project of `opyard new-backend`, each built
# against the installed package alone, tested and certified.
set -eu
source=$1
build=$2
[ -x "$build/opyard" ] && [ -e "$build/libopyard.so" ] || exit 77
# A library that a sanitizer is in serves only programs that it is in, too.
grep -q '^OY_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" && exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null 2>"$work/log" || {
  cat "$work/log"
  exit 77 # something that is installed was not built
}
PATH=$work/prefix/bin:$PATH

# project FOLDER NAME: builds it in $work/NAME.
project() {
  cmake -S "$1" -B "$work/$2" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
  cmake --build "$work/$2" >/dev/null
}
project "$source/examples/40_vendor_north" north
project "$source/examples/41_vendor_south" south
cc -std=c11 -D_GNU_SOURCE -Wall -Werror -I"$work/prefix/include" \
  "$source/tests/plugin/vendors/both.c" -o "$work/both" \
  -L"$(dirname "$(find "$work/prefix" -name libopyard.so)")" -lopyard \
  -Wl,-rpath,"$(dirname "$(find "$work/prefix" -name libopyard.so)")"
"$work/both" "$work/north/vendor_north.so" "$work/south/vendor_south.so"
for vendor in north south; do
  for op in neg add.Tensor sum mul.Tensor mm; do
    opyard certify "$work/$vendor/vendor_$vendor.so" --ops $op | tail -1
  done
  opyard certify "$work/$vendor/vendor_$vendor.so" --ops add.Tensor --json |
    grep -q '"certified": true'
done

# What new-backend writes works as it is.
opyard new-backend acme --dir "$work/acme" >/dev/null
project "$work/acme" acme_build
"$work/acme_build/test_acme" "$work/acme_build/acme.so"
opyard certify "$work/acme_build/acme.so" --ops add.Tensor | tail -1
if opyard new-backend acme --dir "$work/acme" 2>"$work/err"; then exit 1; fi
grep -q "expected a folder that is empty or not there" "$work/err"
if opyard new-backend Cuda 2>"$work/err"; then exit 1; fi
grep -q "expected a name" "$work/err"
if opyard certify "$work/none.so" 2>"$work/err"; then exit 1; fi
