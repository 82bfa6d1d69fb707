#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The probes that docs/probes.md names are in the library, and no others, where it was built
# with sys/sdt.h.
set -eu
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
library=$(find "$2" -maxdepth 1 -name 'libopyard.so.*.*.*' -type f | head -n 1)
[ -n "$library" ] || { echo "skipped: no libopyard.so in $2"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readelf -n "$library" | awk '/Provider: opyard/ {mine = 1}
  /Name:/ && mine {print "opyard:" $2; mine = 0}' | sort -u >"$work/built"
if [ ! -s "$work/built" ]; then
  echo "skipped: built without sys/sdt.h (systemtap-sdt-dev)"
  exit 77
fi
# shellcheck disable=SC2016  # backquotes of Markdown
sed -n 's/^| `\(opyard:[a-z_]*\)`.*/\1/p' "$1/docs/probes.md" | sort -u >"$work/named"
diff "$work/named" "$work/built"
echo "$(wc -l <"$work/built") probes, as docs/probes.md names them"
