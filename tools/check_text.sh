#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that people read: no trailing blanks, no tabs in C, a licence line, a size
# that one can hold in the head, and the format of .clang-format.
set -eu
cd "$(dirname "$0")/.."
status=0
fail() { echo "$*"; status=1; }

files=$(git ls-files '*.c' '*.h' '*.def' '*.S' '*.sh' '*.cmake' yard 2>/dev/null || true)
[ -n "$files" ] || files=$(find include src tools tests bench examples -name '*.[ch]')
for file in $files; do
  [ -f "$file" ] || continue
  case $file in */gen/*) continue ;; esac
  if grep -nE '[[:blank:]]$' "$file" /dev/null; then fail "$file: trailing blanks"; fi
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
    fail "$file: no SPDX line"
  lines=$(wc -l <"$file")
  if [ "$lines" -gt 1000 ]; then fail "$file: $lines lines, 1000 at most"; fi
  if [ "$lines" -gt 600 ]; then echo "note: $file has $lines lines"; fi
done
exit $status
