#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fashion_mnist.sh PROGRAM: ten epochs over 512 images of the real set.
set -eu
data=/usr/share/datasets/fashion-mnist
if [ ! -f $data/train-images-idx3-ubyte.gz ]; then
  echo "skipped: $data is not there (apt-get install dataset-fashion-mnist)"
  exit 77
fi
# A program without zlib reads unpacked files alone.
if ! "$1" --steps 0 --limit 8 >/dev/null 2>&1; then
  echo "skipped: the program was built without zlib"
  exit 77
fi
# Guessing gives 10 %.
"$1" --limit 512 --epochs 10 --want 65
