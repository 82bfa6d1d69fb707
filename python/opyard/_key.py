# SPDX-License-Identifier: Apache-2.0
"""Dispatch keys and sets of them."""
from . import _C


class _KeyType(type):
    """DispatchKey.CPU: keys by name, also those of backends that came later."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return cls(name)
        except RuntimeError:
            raise AttributeError(f"no dispatch key '{name}'") from None

    def __iter__(cls):
        return (cls(number) for number in _C.key_list())

    def __dir__(cls):
        return [key.name for key in cls]


class DispatchKey(int, metaclass=_KeyType):
    """One key. DispatchKey("CPU") and DispatchKey.CPU are the same object."""

    _known: dict = {}

    def __new__(cls, key):
        number = _C.key_parse(key)
        if number not in cls._known:
            made = super().__new__(cls, number)
            made.name = _C.key_name(number)
            cls._known[number] = made
        return cls._known[number]

    @property
    def is_alias(self):
        """Stands for several keys in registrations; has no place in tables."""
        return _C.key_fact("is_alias", self)

    @property
    def is_runtime(self):
        return _C.key_fact("is_runtime", self)

    def __repr__(self):
        return f"DispatchKey.{self.name}"

    __str__ = __repr__

    def __reduce__(self):
        return DispatchKey, (self.name,)


class DispatchKeySet:
    """A set of keys: functionalities times backends, as in a tensor or a call."""

    __slots__ = ("functionality", "backends")

    def __init__(self, keys=None, functionality=0, backends=0):
        if isinstance(keys, DispatchKeySet):
            functionality, backends = keys.functionality, keys.backends
        elif isinstance(keys, (str, int)):
            functionality, backends = _C.key_fact("set", keys)
        elif keys is not None:
            for key in keys:
                more = _C.key_fact("set", key)
                functionality, backends = functionality | more[0], backends | more[1]
        object.__setattr__(self, "functionality", functionality)
        object.__setattr__(self, "backends", backends)

    def __setattr__(self, name, value):
        raise AttributeError("a DispatchKeySet does not change")

    @classmethod
    def _of(cls, words):
        return cls(None, *words)

    @classmethod
    def from_raw_repr(cls, raw):
        """The set of PyTorch's packed word."""
        return cls._of(_C.keyset_from_raw(raw))

    def raw_repr(self):
        """PyTorch's packed word, without what PyTorch has no bit for."""
        return _C.keyset_to_raw(*self._words)

    @property
    def _words(self):
        return self.functionality, self.backends

    def has(self, key):
        f, b = _C.key_fact("set", key)
        return bool(f or b) and (self.functionality & f, self.backends & b) == (f, b)

    __contains__ = has

    def add(self, key):
        return self | DispatchKeySet(key)

    def remove(self, key):
        """Without the functionality of |key|; backends stay."""
        return self - DispatchKeySet(key)

    def remove_backend(self, key):
        """Without the backend of |key|, "CPU" or "AutogradCPU"."""
        backend = _C.key_fact("backend", key)
        bit = 1 << backend if backend >= 0 else 0
        return DispatchKeySet(None, self.functionality, self.backends & ~bit)

    def highestPriorityTypeId(self):  # noqa: N802  PyTorch's name
        return DispatchKey(_C.keyset_highest(*self._words))

    def highest_backend_key(self):
        return DispatchKey(_C.keyset_highest_backend(*self._words))

    def empty(self):
        return self._words == (0, 0)

    def __or__(self, other):
        other = DispatchKeySet(other)
        return DispatchKeySet(None, self.functionality | other.functionality,
                              self.backends | other.backends)

    def __and__(self, other):
        other = DispatchKeySet(other)
        return DispatchKeySet(None, self.functionality & other.functionality,
                              self.backends & other.backends)

    def __xor__(self, other):
        other = DispatchKeySet(other)
        return DispatchKeySet(None, self.functionality ^ other.functionality,
                              self.backends ^ other.backends)

    def __sub__(self, other):
        """Takes away functionalities; backends of this set are never taken away."""
        other = DispatchKeySet(other)
        return DispatchKeySet(None, self.functionality & ~other.functionality, self.backends)

    def __eq__(self, other):
        return isinstance(other, DispatchKeySet) and self._words == other._words

    def __hash__(self):
        return hash(self._words)

    def __bool__(self):
        return not self.empty()

    def __iter__(self):
        """Runtime keys, lowest first."""
        return (DispatchKey(number) for number in _C.keyset_keys(*self._words))

    def __len__(self):
        return len(_C.keyset_keys(*self._words))

    def __repr__(self):
        return _C.keyset_text(*self._words)

    def __reduce__(self):
        return DispatchKeySet, (None, *self._words)


_C.set_keyset_class(DispatchKeySet)
