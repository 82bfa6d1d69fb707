#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_shared_library.sh SOURCE BUILD: operators in shared objects (REG-18), a second copy
# of one, and of opyard itself, in a process (REG-19), in an archive (REG-20), and left out
# when compiling (REG-21). Threads that outlive opyard itself.
set -u
source=$1
build=$2
here=$source/tests/dispatch/shared_library
cc=${CC:-cc}
flags="-std=gnu17 -O1 -Wall -Wextra -Werror -I$source/include -I$here"
shared=$build/libopyard-dispatch.so
archive=$build/libopyard-dispatch.a

if [ ! -e "$shared" ] || [ ! -e "$archive" ]; then
  echo "skipped: no libraries in $build"
  exit 77
fi
if nm -D "$shared" | grep -q -E '__(a|t|ub)san_'; then
  echo "skipped: the library needs a sanitizer's run time"
  exit 77
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
check() { # check NAME COMMAND...: the command must succeed
  name=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    echo "ok    $name"
  else
    echo "FAIL  $name: $*"
    cat "$work/out"
    failed=1
  fi
}

# shellcheck disable=SC2086  # the flags are words
{
  $cc $flags -fPIC -shared "$here/plugin.c" -o "$work/plugin.so" "$shared" &&
    $cc $flags "$here/host.c" -o "$work/host" "$shared" -ldl -Wl,-rpath,"$build" &&
    cp "$work/plugin.so" "$work/copy.so"
} || exit 1
export LD_LIBRARY_PATH="$build"

check REG_18_dlopen_and_dlclose "$work/host" "$work/plugin.so"
cp "$work/out" "$work/first"
check REG_18_no_load_errors test ! -s "$work/first"

# Another copy of the same library: refused with both places, and the process lives.
check REG_19_second_copy_of_a_library "$work/host" "$work/plugin.so" "$work/copy.so"
cp "$work/out" "$work/copies"
check REG_19_error_names_both grep -q \
  'Previous registration of TORCH_LIBRARY was registered at .*plugin.c:[0-9]*; latest' \
  "$work/copies"

# opyard twice: once in the program, once below the plugin. Two registries that do not know
# of each other must not pass for one.
# shellcheck disable=SC2086
$cc $flags "$here/host.c" -o "$work/host_static" "$archive" -ldl -lpthread -lm || exit 1
"$work/host_static" "$work/plugin.so" >"$work/twice" 2>&1
check REG_19_second_copy_of_opyard grep -qi 'second copy\|two copies\|another copy' \
  "$work/twice"

# In an archive: the linker takes the object because a function in it is called.
# shellcheck disable=SC2086
{
  $cc $flags -DOY_NO_CONSTRUCTORS -c "$here/plugin.c" -o "$work/plugin.o" &&
    ar rcs "$work/libplugin.a" "$work/plugin.o" &&
    $cc $flags "$here/static_host.c" "$work/libplugin.a" "$archive" -lpthread -lm \
      -o "$work/static_host"
} || exit 1
check REG_20_static_archive "$work/static_host"
check REG_20_registered test "$(cat "$work/out")" = "plug::twice
plug::unwanted"

# Selected: what is not wanted is not in the object, neither kernel nor schema.
# shellcheck disable=SC2086
{
  $cc $flags -DOY_NO_CONSTRUCTORS -DOY_SELECT_OPS -DOY_SELECT_plug_twice=1 \
    -Wno-unused-function -c "$here/plugin.c" -o "$work/selected.o" &&
    $cc $flags "$here/static_host.c" "$work/selected.o" "$archive" -lpthread -lm \
      -o "$work/selected"
} || exit 1
check REG_21_selective_build "$work/selected"
check REG_21_registered test "$(cat "$work/out")" = "plug::twice"
check REG_21_kernel_is_gone sh -c "! nm '$work/selected.o' | grep -q unwanted_kernel"
check REG_21_schema_is_gone sh -c "! grep -q 'unwanted(Tensor' '$work/selected.o'"
check REG_21_kernel_was_there sh -c "nm '$work/plugin.o' | grep -q unwanted_kernel"

# shellcheck disable=SC2086
$cc $flags "$here/unload.c" -o "$work/unload" -ldl -lpthread || exit 1
for library in "$shared" "$build/libopyard.so"; do
  [ -e "$library" ] || continue
  check "unload_before_a_thread_ends_${library##*/}" "$work/unload" "$library"
done

exit $failed
