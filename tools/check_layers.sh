#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point down: base <- dispatch <- tensor <- ops <- {layers, backends} <- tools.
# No backend includes another one, no layer a backend, and ops neither.
# --self-test: each kind of breach is found in a tree made for it.
set -eu

# rank FILE-OR-INCLUDE: a number, greater is higher; empty if it is none of ours.
check() {
  root=$1
  (cd "$root" && grep -rn --include='*.[chS]' '^#include "' src 2>/dev/null || true) |
    awk -F: '
      function layer(path) {
        sub(/^src\//, "", path)
        split(path, part, "/")
        return part[1]
      }
      function second(path) {
        sub(/^src\//, "", path)
        split(path, part, "/")
        return part[2]
      }
      BEGIN {
        rank["base"] = 1; rank["dispatch"] = 2; rank["tensor"] = 3; rank["ops"] = 4
        rank["layers"] = 5; rank["backends"] = 5; rank["plan"] = 5; rank["observe"] = 5
      }
      {
        from = layer($1)
        included = $3
        sub(/^#include "/, "", included)
        sub(/".*/, "", included)
        to = layer(included)
        if (!(from in rank) || !(to in rank)) next
        bad = rank[to] > rank[from]
        if (rank[to] == 5 && rank[from] == 5 && from != to) bad = 1
        if (from == "backends" && to == "backends" && second($1) != second(included)) bad = 1
        if (bad) { print $1 ":" $2 ": " from " must not include " included; found = 1 }
      }
      END { exit found }'
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree/src/base" "$tree/src/dispatch" "$tree/src/ops" "$tree/src/backends/cpu" \
    "$tree/src/backends/null" "$tree/src/layers/autograd"
  breach() {
    printf '#include "%s"\n' "$2" >"$tree/src/$1"
    if check "$tree" >/dev/null; then echo "not found: $1 includes $2"; exit 1; fi
    rm "$tree/src/$1"
  }
  breach base/a.c dispatch/key.h
  breach dispatch/a.c tensor/tensor.h
  breach ops/a.c backends/cpu/cpu.h
  breach ops/a.c layers/autograd/node.h
  breach backends/cpu/a.c backends/null/null.h
  breach layers/autograd/a.c backends/cpu/cpu.h
  printf '#include "base/memory.h"\n#include "opyard/key.h"\n' >"$tree/src/ops/a.c"
  check "$tree"
  echo "6 passed, 0 failed"
}

case ${1:-} in
  --self-test) self_test ;;
  *) check "$(dirname "$0")/.." ;;
esac
