#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wheel of this build: packed twice to the same bytes, true about itself, installed by
# pip in an environment of each Python at hand, and found by CMake from there.
set -eu
source=$1
build=$2
if [ ! -f "$build/python/opyard/_C.abi3.so" ] || [ ! -x "$build/opgen" ]; then
  echo "skipped: the extension is not built here (no python3-dev, or a sanitizer)"
  exit 77
fi
python=/usr/bin/python3
[ -x "$python" ] || python=python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$source/tools/wheel.sh" "$build" "$work/first"
sh "$source/tools/wheel.sh" "$build" "$work/second" >/dev/null
cmp "$work"/first/*.whl "$work"/second/*.whl
PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/python/check_wheel.py" "$work"/first/*.whl

# find_package(opyard) of what is in the wheel.
mkdir "$work/site" "$work/project"
(cd "$work/site" && "$python" -m zipfile -e "$work"/first/*.whl .)
chmod +x "$work/site/opyard/bin/opgen"
cp "$source/tests/install/project/use.c" "$work/project/"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(use C)
find_package(opyard CONFIG REQUIRED)
add_executable(use use.c)
target_link_libraries(use PRIVATE opyard::opyard)
CMAKE
prefix=$(PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 "$python" -c \
  'import opyard.utils; print(opyard.utils.cmake_prefix_path)')
cmake -S "$work/project" -B "$work/out" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/out" >/dev/null
"$work/out/use"
