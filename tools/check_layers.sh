#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Includes point down:
#
#   base <- dispatch <- tensor <- ops <- {layers, backends, plan, observe} <- init <- tools
#
# No backend includes another one, no layer a backend, and ops neither. A public header has
# the rank of the part that it shows. opgen, which makes what ops is built from, sees the
# dispatcher alone; examples see public headers alone; nobody climbs with "../".
# --self-test: each kind of breach is found in a tree made for it.
set -eu

# check ROOT: prints the breaches in a tree, exit status 1 if there are any.
check() {
  (cd "$1" && grep -rn --include='*.[chS]' '^ *# *include ["<]' \
    src include tools/opgen examples 2>/dev/null || true) | awk '
    # The part that a file belongs to, or that an include leads to; "" for the system.
    function part_of(path, words) {
      split(path, words, "/")
      if (words[1] == "src") return words[2]
      if (words[1] == "tools" || words[1] == "examples") return words[1]
      if (words[1] == "include") { words[1] = words[2]; words[2] = words[3] }
      if (words[1] == "opyard") return words[2] in shows ? shows[words[2]] : "dispatch"
      return words[1] in rank ? words[1] : ""
    }
    function backend_of(path) {
      sub(/^src\//, "", path)
      split(path, name, "/")
      return name[2]
    }
    BEGIN {
      rank["base"] = 1; rank["dispatch"] = 2; rank["tensor"] = 3; rank["plugin"] = rank["ops"] = 4
      rank["layers"] = rank["backends"] = rank["plan"] = rank["observe"] = 5
      rank["init"] = 6; rank["tools"] = 2; rank["examples"] = 6
      # Public headers; one that is not named here belongs to dispatch.
      shows["base.h"] = shows["status.h"] = shows["status.def"] = shows["allocator.h"] = shows["threads.h"] = "base"
      shows["tensor.h"] = shows["memory.h"] = shows["files.h"] = shows["dlpack.h"] = shows["device.h"] = shows["stream.h"] = "tensor"; shows["plugin.h"] = "plugin"; shows["ops.h"] = "ops"; shows["autograd.h"] = shows["forward.h"] = shows["autocast.h"] = shows["gradcheck.h"] = shows["function.h"] = shows["checkpoint.h"] = shows["saved_hooks.h"] = shows["mode.h"] = shows["fake.h"] = shows["vmap.h"] = shows["optim.h"] = "layers"
      shows["fallback.h"] = "layers"
      shows["defaults.h"] = "tensor"
      shows["graph.h"] = "layers"
      shows["observe.h"] = shows["profiler.h"] = "observe"
      shows["functionalize.h"] = "layers"
      shows["opyard.h"] = "init"
    }
    {
      match($0, /^[^:]*:[0-9]*:/)
      where = substr($0, 1, RLENGTH - 1)
      file = where
      sub(/:[0-9]*$/, "", file)
      included = substr($0, RLENGTH + 1)
      sub(/^ *# *include ["<]/, "", included)
      sub(/[">].*/, "", included)
      from = part_of(file)
      to = part_of(included)
      why = ""
      if (included ~ /^\.\.\//) why = "the path is not from the top"
      else if (to == "" || from == "") next
      else if (file ~ /^include\// && included !~ /^opyard\//) why = "a public header shows private things"
      else if (from == "examples" && included !~ /^opyard\//) why = "an example sees public headers alone"
      else if (rank[to] > rank[from]) why = from " is below " to
      else if (rank[to] == 5 && rank[from] == 5 && from != to && included !~ /^opyard\//)
        why = from " and " to " stand side by side"
      else if (from == "backends" && to == "backends" && backend_of(file) != backend_of("src/" included))
        why = "one backend does not see another"
      if (why != "") { print where ": " included ": " why; found = 1 }
    }
    END { exit found }'
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  passed=0
  try() {  # try RESULT FILE INCLUDE: what the checker says of a tree with that one line
    mkdir -p "$tree/$(dirname "$2")"
    printf '#include "%s"\n' "$3" >"$tree/$2"
    result=allowed
    check "$tree" >/dev/null || result=breach
    [ "$result" = "$1" ] || { echo "$2 includes $3: $result, expected $1"; exit 1; }
    rm "$tree/$2"
    passed=$((passed + 1))
  }
  try breach src/base/a.c dispatch/key.h
  try breach src/dispatch/a.c tensor/tensor.h
  try breach src/dispatch/a.c opyard/tensor.h
  try breach src/ops/a.c backends/cpu/cpu.h
  try breach src/ops/a.c layers/autograd/node.h
  try breach src/backends/cpu/a.c backends/null/null.h
  try breach src/layers/autograd/a.c backends/cpu/cpu.h
  try breach src/ops/a.c ../tensor/impl.h
  try breach include/opyard/a.h dispatch/op.h
  try breach include/opyard/key.h opyard/tensor.h
  try breach tools/opgen/a.c tensor/impl.h
  try breach examples/00_a/a.c dispatch/op.h
  try allowed src/ops/a.c base/memory.h
  try allowed src/ops/a.c opyard/key.h
  try allowed src/backends/cpu/a.c backends/cpu/loops.h
  try allowed src/init/init.c backends/cpu/cpu.h
  try allowed tools/opgen/a.c dispatch/schema_type.h
  try allowed examples/00_a/a.c opyard/opyard.h
  echo "$passed passed, 0 failed"
}

case ${1:-} in
  --self-test) self_test ;;
  *) check "$(dirname "$0")/.." ;;
esac
