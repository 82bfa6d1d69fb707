#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh [--check]: brings the C files that people write into the form of
# .clang-format, or only names those that are not. One version of the tool, since each
# version formats a little differently; generated files keep the form opgen gives them.
set -eu
cd "$(dirname "$0")/.."
tool=clang-format-14
files=$(find include src tools tests bench examples python -name '*.[ch]' 2>/dev/null |
  grep -v -e '/corpus/' | sort)
if [ "${1:-}" != --check ]; then
  echo "$files" | xargs $tool -i
  exit
fi
# --dry-run says each place; the names are what one wants to read.
bad=$(echo "$files" | xargs $tool --dry-run 2>&1 | sed -n 's/:[0-9]*:[0-9]*: warning.*//p' | sort -u)
[ -z "$bad" ] && exit
echo "$bad"
echo "$(echo "$bad" | wc -l) files are not in the form of .clang-format: ./yard fmt" >&2
exit 1
