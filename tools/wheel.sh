#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wheel.sh BUILD OUT: the wheel of a build, into the folder OUT, stripped of symbols.
set -eu
build=$1
out=$2
python=/usr/bin/python3
[ -x "$python" ] || python=python3
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" --component python --strip >/dev/null
strip --strip-unneeded "$prefix"/opyard/lib/libopyard.so.* "$prefix/opyard/bin/opgen"
PYTHONDONTWRITEBYTECODE=1 "$python" "$(dirname "$0")/wheel.py" "$prefix" "$out"
