# SPDX-License-Identifier: Apache-2.0
"""Data sets, and batches of them."""
import itertools

import opyard

from .._C import Tensor
from .._ops import ops

_aten = ops.aten


class Dataset:
    """Gives samples by number; one with a length can be shuffled."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    """Sample i is the tuple of the i-th rows."""

    def __init__(self, *tensors):
        if any(tensor.shape[0] != tensors[0].shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        before = 0
        for dataset, end in zip(self.datasets, self.cumulative_sizes):
            if index < end:
                return dataset[index - before]
            before = end
        raise IndexError("index out of range")


def random_split(dataset, lengths, generator=None):
    """Parts without samples in common; lengths that add up to 1 are shares."""
    if all(0 <= n <= 1 for n in lengths) and abs(sum(lengths) - 1) < 1e-9:
        counts = [int(len(dataset) * share) for share in lengths]
        for i in range(len(dataset) - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _permutation(len(dataset), generator)
    ends = list(itertools.accumulate(lengths))
    return [Subset(dataset, order[end - n:end]) for end, n in zip(ends, lengths)]


# ----------------------------------------------------------------- samplers


def _permutation(count, generator):
    if generator is None:
        return opyard.randperm(count).tolist()
    return opyard.randperm(count, generator=generator).tolist()


class Sampler:
    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """All numbers in a new order each time or, with replacement, as many as are wanted."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self.generator = generator
        self.num_samples = len(data_source) if num_samples is None else num_samples
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError("num_samples should be a positive integer value, but got "
                             f"num_samples={self.num_samples}")

    def __iter__(self):
        count = len(self.data_source)
        if self.replacement:
            more = {} if self.generator is None else {"generator": self.generator}
            yield from opyard.randint(count, (self.num_samples,), **more).tolist()
            return
        left = self.num_samples
        while left > 0:
            part = _permutation(count, self.generator)[:left]
            yield from part
            left -= len(part)

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


# ------------------------------------------------------------------ loading


def default_collate(batch):
    """Samples as one: tensors are stacked, numbers become a tensor, and so on inside of
    tuples, lists and dicts."""
    first = batch[0]
    if isinstance(first, Tensor):
        return _aten.stack(list(batch), 0)
    if isinstance(first, float):
        return opyard.tensor(list(batch), dtype=opyard.float64)
    if isinstance(first, (bool, int)):
        return opyard.tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(list(part)) for part in zip(*batch)))
    if isinstance(first, (tuple, list)):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(list(part)) for part in zip(*batch)]
    if hasattr(first, "__array__"):
        return _aten.stack([opyard.from_numpy(sample) for sample in batch], 0)
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts "
                    f"or lists; found {type(first)}")


class DataLoader:
    """Batches of a data set, in this thread: num_workers is taken and has no effect."""

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None,
                 num_workers=0, collate_fn=None, pin_memory=False, drop_last=False,
                 generator=None, **ignored):
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.generator = num_workers, generator
        self._is_iterable = isinstance(dataset, IterableDataset)
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, "
                                 "shuffle, sampler, and drop_last")
            self.batch_size = None
        elif sampler is None and not self._is_iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle \
                else SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None and not self._is_iterable:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.collate_fn = collate_fn or default_collate

    def _iterable_batches(self):
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from samples
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __iter__(self):
        if self._is_iterable:
            yield from self._iterable_batches()
        elif self.batch_sampler is None:
            yield from (self.dataset[i] for i in self.sampler)
        else:
            for numbers in self.batch_sampler:
                yield self.collate_fn([self.dataset[i] for i in numbers])

    def __len__(self):
        if self._is_iterable:
            count, size = len(self.dataset), self.batch_size or 1
            return count // size if self.drop_last else -(-count // size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
