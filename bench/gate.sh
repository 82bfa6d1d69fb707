#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gate that CI watches: instructions and bytes, which do not vary, against the
# limits of gate.txt. Exit status 1 if a row is above its limit or has grown. A limit
# that was met once holds for good, with every compiler.
#
#   gate.sh BUILD [--update]     BUILD: a folder built with the preset "release"
#
# Needs valgrind, and what a build needs. --update writes what was measured into
# gate.txt, as the figures that later runs may not be above of; but for rows that fail.
set -eu

build=${1:?usage: gate.sh BUILD [--update]}
update=${2:-}
rows=$(dirname "$0")/gate.txt
program=$build/bench/bench_dispatch
tensor=$build/bench/gate_tensor
start=$build/bench/bench_start_shared

for needed in "$program" "$tensor" "$start" "$build/bench/libbench_calls.so"; do
  [ -e "$needed" ] || { echo "gate: $needed is missing; build it first" >&2; exit 2; }
done
command -v valgrind >/dev/null || { echo "gate: valgrind is not installed" >&2; exit 2; }
library=$(find "$build" -maxdepth 1 -name 'libopyard-dispatch.so*' -type f | head -n 1)
[ -n "$library" ] || { echo "gate: no libopyard-dispatch.so in $build" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# count NAME PROGRAM [ARGUMENT]: one profile for each row that counts instructions, less
# the empty loop; rows of bytes are printed.
count() {
  profile=$work/$1
  shift
  valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$profile" \
    "$@" >>"$work/measured" 2>"$work/log" ||
    { cat "$work/log" >&2; echo "gate: $* failed" >&2; exit 2; }
  for part in "$profile".*; do
    awk '/^desc: Trigger: Client Request: / { name = $5 }
         /^(summary|totals): / { sum = $2 }
         END { if (name != "") print name, sum }' "$part"
  done | awk '$1 == "empty" { empty = $2 }
     { name[NR] = $1; sum[NR] = $2 }
     END {
       for (i = 1; i <= NR; i++)
         if (name[i] != "empty") printf "%s %.0f\n", name[i], (sum[i] - empty) / 1000
     }' >>"$work/measured"
}
count dispatch "$program" --gate
count tensor "$tensor"

valgrind --tool=callgrind --callgrind-out-file=/dev/null "$start" 2>&1 >/dev/null |
  awk '/Collected/ { print "start", $NF }' >>"$work/measured"
echo "start_kilobytes $("$start")" >>"$work/measured"
size -A "$library" | awk '$1 == ".text" { print "text_bytes", $2 }' >>"$work/measured"

compiler=$(strings -a "$program" | sed -n 's/^GCC: .* \([0-9.]*\)$/gcc \1/p' | head -n 1)
[ -n "$compiler" ] || compiler=unknown

awk -v update="$update" -v compiler="$compiler" -v out="$work/rows" '
  FNR == NR { measured[$1] = $2; next }
  /^# compiler: / {
    same = $0 == "# compiler: " compiler
    print "# compiler: " compiler >out
    next
  }
  /^#/ || NF < 4 { print >out; next }
  FNR > 1 && !titled {
    printf "%-18s %9s %9s %9s %9s\n", "row", "measured", "reached", "must", "stretch"
    titled = 1
  }
  {
    name = $1; must = $2; stretch = $3; reached = $4; slack = NF > 4 ? $5 : 3
    verdict = ""
    failed = 0
    if (!(name in measured)) {
      verdict = "MISSING"; failed = 1; value = "-"
    } else {
      value = measured[name] + 0
      # A limit that was not met when the row was recorded is a known shortfall, told
      # each time; the row still may not grow.
      if (must != "-" && value > must + 0 && (reached == "-" || reached + 0 <= must + 0)) {
        verdict = "ABOVE THE LIMIT"; failed = 1
      } else if (must != "-" && value > must + 0 && value <= reached * (1 + slack / 100))
        verdict = "above must, as recorded"
      else if (reached != "-" && value > reached * (1 + slack / 100)) {
        verdict = same ? "GREW" : "grew, with another compiler"
        if (same && update == "") bad = 1
      }
      else if (reached != "-" && value < reached * (1 - slack / 100))
        verdict = "better: --update"
      else if (stretch != "-" && value <= stretch + 0) verdict = "stretch"
    }
    printf "%-18s %9s %9s %9s %9s  %s\n", name, value, reached, must, stretch, verdict
    bad = bad || failed
    printf "%-18s %9s %8s %8s", name, must, stretch, failed ? reached : value >out
    if (NF > 4) printf " %8s", slack >out
    print "" >out
  }
  END { exit bad }' "$work/measured" "$rows" && status=0 || status=1

if [ "$update" = --update ]; then
  cp "$work/rows" "$rows"
  echo "gate: wrote $rows"
fi
[ $status = 0 ] || echo "gate: FAILED" >&2
exit $status
