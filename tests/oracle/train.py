# SPDX-License-Identifier: Apache-2.0
"""Trains examples/30_train and the same network in PyTorch side by side, and compares the
losses step by step and the parameters at the end.

    ./yard oracle train [--steps N] [--verbose]

Both begin with the parameters that the C program draws, and take the same images of
Fashion-MNIST in the order of the file. Rounding differs, and a training makes differences
grow: a loss may be off by LOSS of itself, a parameter by PARAMETER of the largest of its
tensor. Where one rounding decides which way a training takes, PyTorch's own goes another way
when its parameters begin a rounding or a few apart (NUDGES): then ours has to be no further from
PyTorch's than twice what those are, and its first ten losses within FIRST.
"""
import argparse
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

import torch
import torch.nn.functional as F

DATA = "/usr/share/datasets/fashion-mnist"
BATCH = 32
LOSS, PARAMETER, FIRST = 1e-4, 2e-3, 1e-5
NUDGES = [k * 2**-24 for k in (-4, -3, -2, -1, 1, 2, 3, 4)]
NAMES = ["conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "linear.weight",
         "linear.bias"]
# The learning rates, and what else each optimizer is given.
OPTIMIZERS = {"sgd": (torch.optim.SGD, dict(lr=0.05, momentum=0.9)),
              "adam": (torch.optim.Adam, dict(lr=0.002)),
              "adamw": (torch.optim.AdamW, dict(lr=0.002))}


def arguments():
    parser = argparse.ArgumentParser(prog="./yard oracle train", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/examples/30_train/train")
    parser.add_argument("--steps", type=int, default=50, metavar="N")
    parser.add_argument("--verbose", action="store_true", help="every loss")
    return parser.parse_args()


def read_parameters(path):
    """The float32 tensors of a safetensors file."""
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), bytearray(file.read())
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(data, dtype=torch.float32, offset=e["data_offsets"][0],
                                   count=(e["data_offsets"][1] - e["data_offsets"][0]) // 4)
            .reshape(e["shape"]).clone() for name, e in header.items() if e["dtype"] == "F32"}


def read_images(count):
    with gzip.open(os.path.join(DATA, "train-images-idx3-ubyte.gz")) as file:
        _, _, rows, columns = struct.unpack(">4I", file.read(16))
        pixels = bytearray(file.read(count * rows * columns))
    with gzip.open(os.path.join(DATA, "train-labels-idx1-ubyte.gz")) as file:
        labels = bytearray(file.read(8 + count)[8:])
    images = torch.frombuffer(pixels, dtype=torch.uint8).reshape(count, 1, rows, columns)
    return (images.float() / 255 - 0.286) / 0.353, torch.tensor(list(labels))


def run_program(options, optimizer, folder):
    """The losses, the parameters at the begin and at the end."""
    begin, end, losses = (os.path.join(folder, optimizer + name)
                          for name in (".begin", ".end", ".losses"))
    lr = OPTIMIZERS[optimizer][1]["lr"]
    common = [options.program, "--data", DATA, "--in-order", "--batch", str(BATCH),
              "--limit", str(options.steps * BATCH), "--optimizer", optimizer,
              "--lr", str(lr)]
    for more in (["--steps", "0", "--checkpoint", begin],
                 ["--resume", begin, "--checkpoint", end, "--losses", losses]):
        subprocess.run(common + more, check=True, stdout=subprocess.DEVNULL)
    with open(losses) as file:
        numbers = [float(line.split()[1]) for line in file]
    return numbers, read_parameters(begin), read_parameters(end)


def run_torch(optimizer, parameters, images, labels):
    p = [parameters[name].clone().requires_grad_() for name in NAMES]
    method, options = OPTIMIZERS[optimizer]
    rule = method(p, **options)
    losses = []
    for x, y in zip(images.split(BATCH), labels.split(BATCH)):
        x = F.max_pool2d(F.relu(F.conv2d(x, p[0], p[1], padding=1)), 2)
        x = F.max_pool2d(F.relu(F.conv2d(x, p[2], p[3], padding=1)), 2)
        loss = F.cross_entropy(F.linear(x.flatten(1), p[4], p[5]), y)
        rule.zero_grad(set_to_none=True)
        loss.backward()
        rule.step()
        losses.append(loss.item())
    return losses, [item.detach() for item in p]


def distances(run, other):
    """Of the losses, of the first ten of them, of the parameters, from those of |other|."""
    off = [abs(a - b) / abs(b) for a, b in zip(run[0], other[0])]
    apart = max(((a - b).abs().max() / b.abs().max()).item() for a, b in zip(run[1], other[1]))
    return max(off), max(off[:10]), apart


def limits(optimizer, begin, theirs, images, labels):
    """Twice as far as PyTorch's trainings from parameters so far apart are from it."""
    others = [run_torch(optimizer, {name: (p.double() * (1 + nudge)).float()
                                    for name, p in begin.items()}, images, labels)
              for nudge in NUDGES]
    found = [distances(other, theirs) for other in others]
    return 2 * max(off for off, _, _ in found), 2 * max(apart for _, _, apart in found)


def compare(optimizer, options, folder, images, labels):
    losses, begin, end = run_program(options, optimizer, folder)
    theirs = run_torch(optimizer, begin, images, labels)
    if options.verbose:
        for step, pair in enumerate(zip(losses, theirs[0]), 1):
            print("%s step %3d: opyard %.7f, PyTorch %.7f" % ((optimizer, step) + pair))
    off, first, apart = distances((losses, [end[name] for name in NAMES]), theirs)
    loss, parameter = LOSS, PARAMETER
    if off > loss or apart > parameter:
        loss, parameter = limits(optimizer, begin, theirs, images, labels)
    good = (len(losses) == len(theirs[0]) == options.steps and off <= loss
            and apart <= parameter and first <= FIRST)
    print("%-6s %d steps, loss %.4f to %.4f; losses within %.1e of PyTorch's, the first ten "
          "%.1e, parameters %.1e: %s, at most %.1e, %.1e and %.1e"
          % (optimizer, len(losses), losses[0], losses[-1], off, first, apart,
             "passed" if good else "FAILED", loss, FIRST, parameter))
    return good


def main():
    options = arguments()
    images, labels = read_images(options.steps * BATCH)
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(name, options, folder, images, labels) for name in OPTIMIZERS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
