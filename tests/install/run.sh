#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SOURCE BUILD: installs BUILD into a folder of its own, then builds a project that
# knows nothing but the installed files: by find_package and by pkg-config, C and C++.
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/tests/install/project" "$work/project"
cmake -S "$work/project" -B "$work/out" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/out" >/dev/null
for program in use_c use_cpp use_dispatch use_static; do
  "$work/out/$program"
done
"$work/out/use_backend" "$work/out/libnpu_backend.so" # ROB-07
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name opyard.pc)")
export PKG_CONFIG_PATH
for package in opyard opyard-dispatch; do
  # shellcheck disable=SC2046
  ${CC:-cc} -std=c11 "$work/project/use.c" -o "$work/by_pkg_config" \
    $(pkg-config --cflags --libs $package) \
    -Wl,-rpath,"$(pkg-config --variable=libdir $package)"
  "$work/by_pkg_config"
done
"$work/prefix/bin/opyard" --version
find "$work/prefix" -path '*/gdb/auto-load/*/libopyard.so.*-gdb.py' | grep -q .
