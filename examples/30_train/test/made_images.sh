#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# made_images.sh PROGRAM MAKE_IMAGES: on a set made for it, with each optimizer: the loss
# goes down; a training that stops in the middle of an epoch and goes on gives the same
# losses and the same checkpoint as one that does not stop.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder" 200
cd "$folder"
failed=0
fail() { echo "FAIL: $*"; failed=1; }

for optimizer in sgd adam adamw; do
  train() {
    "$program" --data . --optimizer $optimizer --batch 16 --epochs 4 "$@" >out 2>&1 ||
      { cat out; fail "$optimizer: $*"; }
  }
  # 13 batches an epoch, the last of 8 samples; it stops in the second one.
  train --checkpoint whole.safetensors --losses whole.txt
  train --checkpoint part.safetensors --losses first.txt --steps 20
  train --checkpoint part.safetensors --losses second.txt --resume part.safetensors --want 90
  cat first.txt second.txt >parts.txt
  [ "$(wc -l <whole.txt)" -eq 52 ] || fail "$optimizer: not 52 steps"
  cmp whole.txt parts.txt || fail "$optimizer: losses after going on"
  cmp whole.safetensors part.safetensors || fail "$optimizer: checkpoint after going on"
  awk 'NR <= 10 { a += $2 } NR > 42 { b += $2 }
       END { printf "mean of ten losses: %.4f, then %.4f\n", a / 10, b / 10; exit !(b < a / 2) }' \
    whole.txt || fail "$optimizer: the loss does not go down"
  grep -h accuracy out
done

# A checkpoint is of one training alone, and another seed gives another one.
refused() {
  if "$program" --data . --resume whole.safetensors "$@" >out 2>&1; then fail "not refused: $*"; fi
  grep -q "$want" out || { cat out; fail "another message: $*"; }
}
want='another optimizer'
refused --batch 16 --optimizer sgd
refused --batch 8 --optimizer adamw
refused --batch 16 --optimizer adamw --limit 100
"$program" --data . --optimizer adamw --batch 16 --epochs 4 --seed 2 --losses other.txt >out
if cmp -s whole.txt other.txt; then fail "the seed makes no difference"; fi

# Compressed files are the same images.
mkdir packed
for file in *-ubyte; do gzip -c "$file" >"packed/$file.gz"; done
if "$program" --data packed --optimizer adamw --batch 16 --epochs 4 --losses packed.txt >out 2>&1
then cmp whole.txt packed.txt || fail "compressed images"
else grep -q 'cannot open' out || { cat out; fail "compressed images"; }
fi
exit $failed
