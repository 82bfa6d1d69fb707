# SPDX-License-Identifier: Apache-2.0
"""state_dict() and load_state_dict() of modules."""
from collections import OrderedDict, namedtuple

from .. import no_grad
from .._C import Tensor
from .parameter import is_lazy


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ("missing_keys", "unexpected_keys"))):
    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _size(tensor):
    return "opyard.Size([" + ", ".join(str(size) for size in tensor.shape) + "])"


class StateDict:
    """Mixed into Module."""

    def _own_state(self):
        """What this module keeps itself, by name: its parameters, then its buffers."""
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent:
                yield name, buffer

    def get_extra_state(self):
        raise RuntimeError("get_extra_state() was called on a module without one")

    def set_extra_state(self, state):
        raise RuntimeError("set_extra_state() was called on a module without one")

    def _has_extra_state(self):
        return type(self).get_extra_state is not StateDict.get_extra_state

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by their dotted names, detached but on the
        same memory."""
        state = OrderedDict() if destination is None else destination
        for name, tensor in self._own_state():
            state[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
        if self._has_extra_state():
            state[prefix + "_extra_state"] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        return state

    def _load_own(self, state, prefix, assign, missing, errors):
        for name, tensor in list(self._own_state()):
            key = prefix + name
            if key not in state:
                missing.append(key)
                continue
            given = state[key]
            if is_lazy(tensor) and isinstance(given, Tensor):
                if is_lazy(given):
                    continue
                tensor.materialize(given.shape)
            if not isinstance(given, Tensor):
                errors.append(
                    f'While copying the parameter named "{key}", expected opyard.Tensor or '
                    f"Tensor-like object from checkpoint but received {type(given)}")
            elif tuple(given.shape) != tuple(tensor.shape):
                errors.append(
                    f"size mismatch for {key}: copying a param with shape {_size(given)} from "
                    f"checkpoint, the shape in current model is {_size(tensor)}.")
            elif assign:
                self._assign(name, tensor, given)
            else:
                with no_grad():
                    tensor.copy_(given)
        key = prefix + "_extra_state"
        if self._has_extra_state() and key in state:
            self.set_extra_state(state[key])
        elif self._has_extra_state():
            missing.append(key)

    def _assign(self, name, tensor, given):
        if name in self._parameters:
            tensor.data = given.detach()
        else:
            self._buffers[name] = given

    def _load(self, state, prefix, assign, missing, errors):
        self._load_own(state, prefix, assign, missing, errors)
        for name, module in self._modules.items():
            if module is not None:
                module._load(state, f"{prefix}{name}.", assign, missing, errors)

    def _known_keys(self):
        keys = set()
        for path, module in self.named_modules(remove_duplicate=False):
            prefix = path + "." if path else ""
            keys.update(prefix + name for name, _ in module._own_state())
            if module._has_extra_state():
                keys.add(prefix + "_extra_state")
        return keys

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies the tensors into those of the module or, with assign, puts them in their
        place. RuntimeError lists all that does not fit; what fits is loaded all the same."""
        if not hasattr(state_dict, "keys"):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, errors = [], []
        self._load(state_dict, "", assign, missing, errors)
        known = self._known_keys()
        unexpected = [key for key in state_dict if key not in known]
        if strict:
            for keys, what in ((unexpected, "Unexpected"), (missing, "Missing")):
                if keys:
                    names = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {names}. ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                               + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)
