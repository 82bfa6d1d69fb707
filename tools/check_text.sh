#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that people read: no trailing blanks, no tabs in C, lines and files of a size that
# one can hold in the head, a licence line on top. Files that opgen made are left alone.
set -eu
cd "$(dirname "$0")/.."

# What is checked in; or, in an unpacked archive, what lies there.
if ! files=$(git ls-files --cached --others --exclude-standard 2>/dev/null); then
  files=$(find . -path ./build -prune -o -type f -print | sed 's|^\./||')
fi
echo "$files" | grep -E '\.(c|h|cpp|S|def|sh|cmake|md|1|json|oy|in)$|^yard$|^\.ci/run$|CMakeLists.txt$' |
  grep -v -e '/corpus/' | sort |
  while read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done |
  xargs awk '
    function fail(text) { print text; found = 1 }
    function finish() {
      if (name == "") return
      if (name ~ /^tests\/.*_rows\.def$/) lines = 0  # what PyTorch gave, one after another
      if (lines > 1000) fail(name ": " lines " lines, 1000 at most")
      else if (lines > 600 && name !~ /\.md$/) print "note: " name " has " lines " lines"
      if (!licence && name !~ /\.(md|json|oy|1)$/) fail(name ": no SPDX line in the first three")
    }
    FNR == 1 { finish(); name = FILENAME; lines = 0; licence = 0 }
    { lines = FNR }
    FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { licence = 1 }
    /[ \t]$/ { fail(name ":" FNR ": trailing blank") }
    /\t/ && name ~ /\.(c|h|S|def)$/ { fail(name ":" FNR ": tab") }
    length($0) > 100 && name ~ /\.(c|h)$/ && !/https?:/ { fail(name ":" FNR ": " length($0) " columns, 100 at most") }
    END { finish(); exit found }'
