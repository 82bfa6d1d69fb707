# SPDX-License-Identifier: Apache-2.0
"""Trains examples/30_train and the same network in PyTorch side by side, and compares the
losses step by step and the parameters at the end.

    ./yard oracle train [--steps N] [--verbose]

Both begin with the parameters that the C program draws, and take the same images of
Fashion-MNIST in the order of the file. Rounding differs, and a training makes differences
grow: a loss may be off by LOSS of itself, a parameter by PARAMETER of the largest of its
tensor.
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
LOSS, PARAMETER = 1e-4, 2e-3
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
    p = [parameters[name].requires_grad_() for name in NAMES]
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
    return losses, p


def compare(optimizer, options, folder, images, labels):
    ours, begin, end = run_program(options, optimizer, folder)
    theirs, parameters = run_torch(optimizer, begin, images, labels)
    if options.verbose:
        for step, pair in enumerate(zip(ours, theirs), 1):
            print("%s step %3d: opyard %.7f, PyTorch %.7f" % ((optimizer, step) + pair))
    off = [abs(a - b) / abs(b) for a, b in zip(ours, theirs)]
    apart = max(((end[name] - p.detach()).abs().max() / p.detach().abs().max()).item()
                for name, p in zip(NAMES, parameters))
    good = (len(ours) == len(theirs) == options.steps and max(off) <= LOSS
            and apart <= PARAMETER)
    print("%-6s %d steps, loss %.4f to %.4f; losses within %.1e of PyTorch's, the first ten "
          "%.1e, parameters %.1e: %s"
          % (optimizer, len(ours), ours[0], ours[-1], max(off), max(off[:10]), apart,
             "passed" if good else "FAILED, at most %g and %g" % (LOSS, PARAMETER)))
    return good


def main():
    options = arguments()
    images, labels = read_images(options.steps * BATCH)
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(name, options, folder, images, labels) for name in OPTIMIZERS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
