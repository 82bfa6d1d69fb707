# SPDX-License-Identifier: Apache-2.0
"""Sequences of several lengths, as in torch.nn.utils.rnn: padded to the longest, or packed
step after step, each step with the sequences that go on so far."""
import collections

import opyard

from .._ops import ops

__all__ = ["PackedSequence", "pack_padded_sequence", "pad_packed_sequence", "pad_sequence",
           "pack_sequence", "unpad_sequence", "unpack_sequence"]

_aten = ops.aten
_Fields = collections.namedtuple(
    "PackedSequence", ("data", "batch_sizes", "sorted_indices", "unsorted_indices"))


class PackedSequence(_Fields):
    """The rows of all steps, how many each step has, and the order of the sequences."""
    __slots__ = ()

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            data, batch_sizes = data
        if batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence "
                             "should never be created manually. They should be instantiated by "
                             "functions like pack_sequence and pack_padded_sequences in "
                             "nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn."
                             "utils.rnn.pack_sequence")
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._replace(data=data)

    def cpu(self):
        return self.to("cpu")

    def double(self):
        return self.to(opyard.float64)

    def float(self):
        return self.to(opyard.float32)

    def half(self):
        return self.to(opyard.float16)

    @property
    def is_cuda(self):
        return self.data.is_cuda


def invert_permutation(permutation):
    if permutation is None:
        return None
    places = _aten.arange(permutation.numel(), device=permutation.device)
    return _aten.scatter(_aten.empty_like(permutation), 0, permutation, places)


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs [steps, batch, ...], or with batch_first [batch, steps, ...]."""
    if not isinstance(lengths, opyard.Tensor):
        lengths = opyard.tensor(lengths, dtype=opyard.int64)
    order = None
    if not enforce_sorted:
        lengths, order = _aten.sort(lengths, descending=True)
        input = _aten.index_select(input, 0 if batch_first else 1, order)
    data, batch_sizes = _aten._pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded sequences, and their lengths."""
    steps = sequence.batch_sizes.shape[0]
    if total_length is not None and total_length < steps:
        raise ValueError("Expected total_length to be at least the length of the longest "
                         f"sequence in input, but got total_length={total_length} and max "
                         f"sequence length being {steps}")
    padded, lengths = _aten._pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, total_length or steps)
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return _aten.index_select(padded, 0 if batch_first else 1, order), lengths[order]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    if isinstance(sequences, opyard.Tensor):
        sequences = sequences.unbind(0)
    return _aten.pad_sequence(list(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[:length] for sequence, length in zip(padded_sequences.unbind(0),
                                                          lengths.tolist())]


def pack_sequence(sequences, enforce_sorted=True):
    lengths = opyard.tensor([sequence.shape[0] for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths,
                                enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
