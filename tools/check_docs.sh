#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages that people follow: every link to a file, and every path in backquotes that starts
# at the top of the repository, leads somewhere. README.md has at most 150 lines, the
# README of a folder in src/ at most 40.
set -eu
cd "$(dirname "$0")/.."
status=0
fail() { echo "$*"; status=1; }

for page in README.md CONTRIBUTING.md docs/*.md docs/decisions/*.md src/*/README.md \
  examples/*/README.md; do
  [ -f "$page" ] || continue
  folder=$(dirname "$page")
  # A fenced block may name what is not there.
  text=$(awk '/^ *```/ { inside = !inside; next } !inside' "$page")
  for link in $(echo "$text" | grep -o '](\([^) ]*\))' | sed 's/^](//; s/)$//; s/#.*//' | sort -u); do
    case $link in http://* | https://* | mailto:* | '') continue ;; esac
    [ -e "$folder/$link" ] || fail "$page: link to $link leads nowhere"
  done
  for path in $(echo "$text" | grep -o '`[a-z.]*/[A-Za-z0-9_./-]*`' | tr -d '`' | sort -u); do
    case $path in
      include/* | src/* | tools/* | tests/* | examples/* | docs/* | bench/* | cmake/* | .ci/*)
        [ -e "$path" ] || fail "$page: there is no $path" ;;
    esac
  done
done

limit() {
  lines=$(wc -l <"$1")
  [ "$lines" -le "$2" ] || fail "$1: $lines lines, $2 at most"
}
limit README.md 150
for page in src/*/README.md; do
  if [ -f "$page" ]; then limit "$page" 40; fi
done
exit $status
