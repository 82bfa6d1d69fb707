#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# analyze.sh BUILD: clang over every file that the folder BUILD is made of, as its
# compile_commands.json has them: all of them for warnings (with -Werror), and what is in
# src and tools by the static analyser. Each finding of either is an error.
#
# A line that says "NOLINT: why" is not reported, nor is the line below such a comment.
# max-nodes: what the analyser finds, it finds early, and without a limit a file of many
# branches takes minutes.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: analyze.sh BUILD}
root=$PWD
export root
[ -f "$build/compile_commands.json" ] || { echo "analyze: no build in $build" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# What gcc was told to include and define is all that clang needs to know.
sed -n 's/^ *"command": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" |
  sed 's/\\\\\\"/\\"/g' | awk '
    {
      file = $NF
      if (file !~ /\.c$/ || seen[file]++) next
      flags = ""
      for (i = 2; i <= NF; i++) {
        if ($i ~ /^-(D|I|O|W|std=|march=)/) flags = flags " " $i
        if ($i == "-isystem") flags = flags " " $i " " $(i + 1)
      }
      name = substr(file, length(ENVIRON["root"]) + 2)
      print "-fsyntax-only -Wno-pass-failed" flags " " file
      if (name ~ /^(src|tools)\//)
        print "--analyze -Xclang -analyzer-output=text -w -Xclang -analyzer-config" \
          " -Xclang max-nodes=20000" flags " " file
    }' >"$work/jobs"
[ -s "$work/jobs" ] || { echo "analyze: nothing to do in $build" >&2; exit 2; }

# One shell a line: the flags have quotes. A report is kept together by a file of its own.
nl -ba -nrz -w5 "$work/jobs" | tr '\t' ' ' | tr '\n' '\0' |
  xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" sh -c '
    number=${2%% *}
    eval "clang-14 ${2#* }" >"$1/$number.found" 2>&1 ||
      : >"$1/$number.failed"' sh "$work" || true

# A finding with the path that leads to it, unless its line says that it is none.
awk '
  function said(file, line, text, n, i) {
    while ((getline text < file) > 0) {
      n++
      if ((n == line || n == line - 1) && text ~ /NOLINT: [a-z]/) i = 1
      if (n >= line) break
    }
    close(file)
    return i
  }
  /^[^ ]*:[0-9]+:[0-9]+: (warning|error|fatal error): / {
    split($0, part, ":")
    shown = !said(part[1], part[2])
    found += shown
  }
  /^[0-9]+ (warning|error)s? generated/ { next }
  shown { print }
  END { exit found > 0 }
' "$work"/*.found /dev/null || status=1
for failed in "$work"/*.failed; do
  if [ -f "$failed" ]; then
    cat "${failed%.failed}.found"
    status=1
  fi
done
sort "$work/jobs" | awk '{ count[$1]++ }
  END { printf "%d files compiled, %d analysed\n", count["-fsyntax-only"], count["--analyze"] }'
exit "${status:-0}"
