# SPDX-License-Identifier: Apache-2.0
"""Hooks on what is saved for a backward (torch.autograd.graph)."""
from . import _C
from ._C import Node  # noqa: F401


class RemovableHandle:
    """What register_hook gives: remove() ends the hook; a with statement does, too."""

    def __init__(self, tensor, id):
        self._tensor, self.id = tensor, id

    def remove(self):
        if self._tensor is not None:
            _C.remove_hook(self._tensor, self.id)
            self._tensor = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.remove()


class saved_tensors_hooks:
    """with saved_tensors_hooks(pack, unpack): what is saved is kept as pack(tensor)."""

    def __init__(self, pack_hook, unpack_hook):
        self._hooks = pack_hook, unpack_hook

    def __enter__(self):
        _C.saved_hooks_push(*self._hooks)

    def __exit__(self, *exception):
        _C.saved_hooks_pop()


class save_on_cpu(saved_tensors_hooks):
    """What is saved waits on the CPU."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: (tensor.device, tensor.detach().cpu()),
                         lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    """with disable_saved_tensors_hooks(message): hooks are errors that say so."""

    def __init__(self, error_message):
        self._message = error_message

    def __enter__(self):
        self._before = _C.saved_hooks_disable(self._message)

    def __exit__(self, *exception):
        _C.saved_hooks_disable(self._before)
