#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generate.sh OPGEN FOLDER: writes what is made from src/ops/ops.def, and checked in,
# below FOLDER (the repository for `./yard gen`, another one for `./yard gen-check`).
set -eu
opgen=$1
folder=$2
mkdir -p "$folder/include/opyard" "$folder/src/ops/gen"
"$opgen" --name ops \
  --tensor-type oy_tensor --include opyard/tensor.h --header-name opyard/ops.h \
  --calls-header "$folder/include/opyard/ops.h" \
  --calls-source "$folder/src/ops/gen/ops_calls.c" \
  --trampolines "$folder/src/ops/gen/ops_trampolines.c" \
  src/ops/ops.def
