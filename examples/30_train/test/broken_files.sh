#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# broken_files.sh PROGRAM MAKE_IMAGES: files that are not what they say are refused, with
# the reason.
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" "$folder" 40
cd "$folder"
mkdir whole
mv ./*-ubyte whole
failed=0

# Spoils copies of the files by what stdin says, and looks for the text.
refused() {
  want=$1
  cp whole/* .
  sh -eu
  status=0
  "$program" --data . >out 2>&1 || status=$?
  if [ $status -ne 1 ] || ! grep -q "$want" out; then
    echo "FAIL: expected '$want', status 1; got status $status and:"
    cat out
    failed=1
  fi
}
images=train-images-idx3-ubyte
labels=train-labels-idx1-ubyte
export images labels

refused 'cannot open' <<'X'
rm "$labels"
X
refused 'expected a header' <<'X'
printf 'abc' >"$images"
X
refused 'expected a header' <<'X'
: >"$images"
X
refused 'expected bytes in 3 dimensions' <<'X'
cp "$labels" "$images"
X
refused 'size 0: expected 1 to' <<'X'
printf '\377' | dd of="$images" bs=1 seek=4 conv=notrunc 2>/dev/null
X
refused 'size 1: expected 1 to' <<'X'
printf '\0' | dd of="$images" bs=1 seek=11 conv=notrunc 2>/dev/null
X
refused 'there are fewer' <<'X'
dd if="whole/$images" of="$images" bs=1 count=1000 2>/dev/null
X
refused 'and then the end' <<'X'
printf 'x' >>"$images"
X
refused 'images but' <<'X'
{ head -c 7 "whole/$labels"; printf '\47'; tail -c 39 "whole/$labels"; } >"$labels"
X
refused 'expected one below 10' <<'X'
printf '\12' | dd of="$labels" bs=1 seek=20 conv=notrunc 2>/dev/null
X

# Compressed ones, where the program can read them. The last bytes are the sum and the size.
rm -f ./*-ubyte
gzip whole/*
cp whole/*.gz .
if "$program" --data . >out 2>&1; then
  refused 'there are fewer' <<'X'
head -c 900 "whole/$images.gz" >"$images.gz"
X
  refused 'expected' <<'X'
{ head -c -8 "whole/$images.gz"; printf '12345678'; } >"$images.gz"
X
else
  grep -q 'cannot open' out || { cat out; failed=1; }
  echo "without compressed files: the program was built without zlib"
fi

# Checkpoints as well.
gunzip whole/*
rm -f ./*.gz
cp whole/* .
"$program" --data . --checkpoint good.safetensors >out
spoiled() {
  status=0
  "$program" --data . --resume "$1" >out 2>&1 || status=$?
  if [ $status -ne 1 ]; then echo "FAIL: $1: status $status"; failed=1; fi
}
head -c 100 good.safetensors >short.safetensors
spoiled short.safetensors
sed 's/conv1.bias/conv9.bias/' good.safetensors >named.safetensors
spoiled named.safetensors
sed 's/"batch":"0"/"batch":"x"/' good.safetensors >lost.safetensors
spoiled lost.safetensors
sed 's/"batch":"0"/"batch":"9"/' good.safetensors >far.safetensors
spoiled far.safetensors
spoiled nowhere.safetensors
exit $failed
