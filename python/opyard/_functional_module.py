# SPDX-License-Identifier: Apache-2.0
"""Modules as functions of their parameters: what functorch had before func.functional_call."""
import copy

import opyard

from . import nn
from .func import _check_alike, functional_call


class _Functional(nn.Module):
    """A module without numbers of its own. |tables| are, for parameters and then for
    buffers, the dotted names of each tensor: several, where it is shared."""

    def __init__(self, stateless_model, tables):
        super().__init__()
        self.stateless_model = stateless_model
        self._tables = tables
        self.param_names = tuple(names[0] for names in tables[0])

    def _call(self, given, args, kwargs):
        state = {}
        for table, tensors in zip(self._tables, given):
            for names, tensor in zip(table, tensors):
                state.update(dict.fromkeys(names, tensor))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(_Functional):
    """f(params, *args)"""

    def forward(self, params, *args, **kwargs):
        return self._call((params,), args, kwargs)


class FunctionalModuleWithBuffers(_Functional):
    """f(params, buffers, *args)"""

    def __init__(self, stateless_model, tables):
        super().__init__(stateless_model, tables)
        self.buffer_names = tuple(names[0] for names in tables[1])

    def forward(self, params, buffers, *args, **kwargs):
        return self._call((params, buffers), args, kwargs)


def _taken(model, kind):
    """The tensors of a kind and their names; the model is left with ones without memory."""
    names, tensors = {}, {}
    for path, module in model.named_modules(remove_duplicate=False):
        for name, tensor in getattr(module, kind).items():
            if tensor is not None:
                tensors[id(tensor)] = tensor
                names.setdefault(id(tensor), []).append(path + "." * bool(path) + name)
    for module in model.modules():
        table = getattr(module, kind)
        for name, tensor in table.items():
            if tensor is not None:
                empty = opyard.empty_like(tensor.detach(), device="meta")
                table[name] = nn.Parameter(empty, tensor.requires_grad) \
                    if kind == "_parameters" else empty
    return [tuple(found) for found in names.values()], tuple(tensors.values())


def _of(model, make, kinds, disable_autograd_tracking):
    stateless = copy.deepcopy(model)
    tables, state = zip(*(_taken(stateless, kind) for kind in kinds))
    for parameter in state[0] if disable_autograd_tracking else ():
        parameter.requires_grad_(False)
    return make(stateless, tables), *state


def make_functional(model, disable_autograd_tracking=False):
    """(f, params), where f(params, *args) is what model(*args) is with these parameters."""
    if any(True for _ in model.buffers()):
        raise RuntimeError("make_functional(model): `model` has buffers. Please use "
                           "make_functional_with_buffers(model) instead.")
    return _of(model, FunctionalModule, ("_parameters",), disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """(f, params, buffers), where f(params, buffers, *args) is model(*args) with these."""
    return _of(model, FunctionalModuleWithBuffers, ("_parameters", "_buffers"),
               disable_autograd_tracking)


def combine_state_for_ensemble(models):
    """(f, params, buffers) of models that are alike, with the state of all stacked, for
    vmap(f, in_dims=(0, 0, ...))."""
    _check_alike("combine_state_for_ensemble", models)
    functions, params, buffers = zip(*map(make_functional_with_buffers, models))
    stacked = (tuple(opyard.stack([tensor.detach() for tensor in same]) for same in zip(*state))
               for state in (params, buffers))
    return functions[0], *stacked
