# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks: layers over sequences, and cells for one step."""
import math
import warnings

import opyard

from .._ops import ops
from . import init
from .linear import empty_parameter
from .module import Module
from .packed import PackedSequence

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_aten = ops.aten
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _reset(module):
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


def _permuted(state, order, dim=1):
    return state if order is None else _aten.index_select(state, dim, order)


class RNNBase(Module):
    """Layers of one kind, the states of each going into the next; weights by layer and
    direction."""

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False, proj_size=0,
                 device=None, dtype=None):
        super().__init__()
        self._check(mode, hidden_size, num_layers, dropout, proj_size)
        self.mode, self.input_size, self.hidden_size = mode, input_size, hidden_size
        self.num_layers, self.bias, self.batch_first = num_layers, bias, batch_first
        self.dropout, self.bidirectional = float(dropout), bidirectional
        self.proj_size = proj_size
        self._names = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                self._add_weights(layer, suffix, {"device": device, "dtype": dtype})
        self.reset_parameters()

    @staticmethod
    def _check(mode, hidden_size, num_layers, dropout, proj_size):
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) \
                or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the "
                             "probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn("dropout option adds dropout after all but last recurrent layer, so "
                          "non-zero dropout expects num_layers greater than 1, but got "
                          f"dropout={dropout} and num_layers={num_layers}", stacklevel=4)
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: "
                            f"{type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable "
                             "projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)

    def _add_weights(self, layer, suffix, where):
        rows, shown = _GATES[self.mode] * self.hidden_size, self._shown
        width = self.input_size if layer == 0 else shown * (1 + self.bidirectional)
        sizes = {"weight_ih": (rows, width), "weight_hh": (rows, shown)}
        if self.bias:
            sizes.update(bias_ih=(rows,), bias_hh=(rows,))
        if self.proj_size:
            sizes["weight_hr"] = (shown, self.hidden_size)
        for name, size in sizes.items():
            self._names.append(f"{name}_l{layer}{suffix}")
            self.register_parameter(self._names[-1], empty_parameter(*size, **where))

    @property
    def _shown(self):
        """Features of a state that is given."""
        return self.proj_size or self.hidden_size

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._names]

    @property
    def all_weights(self):
        per_pass = (4 if self.bias else 2) + (self.proj_size > 0)
        flat = self._flat_weights
        return [flat[i:i + per_pass] for i in range(0, len(flat), per_pass)]

    reset_parameters = _reset

    def flatten_parameters(self):
        """Weights are used where they are: there is nothing to do."""

    def extra_repr(self):
        shown = [f"{self.input_size}, {self.hidden_size}"]
        for name, default in (("proj_size", 0), ("num_layers", 1), ("bias", True),
                              ("batch_first", False), ("dropout", 0),
                              ("bidirectional", False)):
            if getattr(self, name) != default:
                shown.append(f"{name}={getattr(self, name)}")
        return ", ".join(shown)

    # ------------------------------------------------------------------ states

    def _state_sizes(self, batch):
        passes = self.num_layers * (1 + self.bidirectional)
        return [(passes, batch, self._shown)]

    def _check_input(self, input, is_packed):
        if input.dtype is not self._flat_weights[0].dtype:
            raise ValueError("RNN input dtype does not match weight dtype, got "
                             f"{input.dtype} and {self._flat_weights[0].dtype}")
        expected = 2 if is_packed else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected "
                               f"{self.input_size}, got {input.shape[-1]}")

    def _check_states(self, states, batch):
        sizes = self._state_sizes(batch)
        for i, (state, size) in enumerate(zip(states, sizes)):
            if tuple(state.shape) != size:
                which = f"hidden[{i}]" if len(sizes) > 1 else "hidden"
                raise RuntimeError(f"Expected {which} size {size}, got {list(state.shape)}")

    def _zeros(self, input, batch):
        return [_aten.zeros(list(size), dtype=input.dtype, device=input.device)
                for size in self._state_sizes(batch)]

    def _run(self, batch_sizes, input, states):
        """The operator of this kind: outputs, then states."""
        operator = getattr(_aten, {"LSTM": "lstm", "GRU": "gru"}.get(
            self.mode, self.mode.lower()))
        states = states if self.mode == "LSTM" else states[0]
        settings = (self._flat_weights, self.bias, self.num_layers, self.dropout,
                    self.training, self.bidirectional)
        if batch_sizes is not None:
            return operator.data(input, batch_sizes, states, *settings)
        return operator.input(input, states, *settings, self.batch_first)

    # ----------------------------------------------------------------- forward

    def _forward(self, input, states):
        """Outputs and states, of a batch or of one sequence."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, states)
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got "
                             f"{input.dim()}D tensor instead")
        is_single = input.dim() == 2
        if is_single:
            input = input.unsqueeze(0 if self.batch_first else 1)
        batch = input.shape[0 if self.batch_first else 1]
        if states is None:
            states = self._zeros(input, batch)
        else:
            self._check_dims(states, is_single)
            states = [s.unsqueeze(1) if is_single else s for s in states]
        self._check_input(input, False)
        self._check_states(states, batch)
        output, *states = self._run(None, input, states)
        if is_single:
            return (output.squeeze(0 if self.batch_first else 1),
                    [state.squeeze(1) for state in states])
        return output, states

    def _check_dims(self, states, is_single):
        want = 2 if is_single else 3
        kind = "unbatched 2-D" if is_single else "batched 3-D"
        for state in states:
            if state.dim() != want:
                raise RuntimeError(f"For {kind} input, hx {'and cx ' * (len(states) > 1)}should "
                                   f"also be {want}-D but got {state.dim()}-D tensor")

    def _forward_packed(self, packed, states):
        batch = int(packed.batch_sizes[0])
        self._check_input(packed.data, True)
        if states is None:
            states = self._zeros(packed.data, batch)
        else:
            states = [_permuted(state, packed.sorted_indices) for state in states]
        self._check_states(states, batch)
        data, *states = self._run(packed.batch_sizes, packed.data, states)
        states = [_permuted(state, packed.unsorted_indices) for state in states]
        return packed._replace(data=data), states

    def forward(self, input, hx=None):
        output, states = self._forward(input, None if hx is None else [hx])
        return output, states[0]


class RNN(RNNBase):
    """nonlinearity(w_ih x + b_ih + w_hh h + b_hh), step after step."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True,
                 batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or "
                             "'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), input_size, hidden_size, num_layers,
                         bias, batch_first, dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Gated recurrent units."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, device=None, dtype=None):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)


class LSTM(RNNBase):
    """Long short-term memory; states are (h, c)."""

    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first,
                         dropout, bidirectional, proj_size, device, dtype)

    def _state_sizes(self, batch):
        sizes = super()._state_sizes(batch)
        return sizes + [(sizes[0][0], batch, self.hidden_size)]

    def forward(self, input, hx=None):
        output, states = self._forward(input, None if hx is None else list(hx))
        return output, tuple(states)


# -------------------------------------------------------------------------------- cells

class RNNCellBase(Module):
    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        where, rows = {"device": device, "dtype": dtype}, num_chunks * hidden_size
        self.weight_ih = empty_parameter(rows, input_size, **where)
        self.weight_hh = empty_parameter(rows, hidden_size, **where)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, empty_parameter(rows, **where) if bias else None)
        self.reset_parameters()

    reset_parameters = _reset

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _run(self, operator, input, states):
        """The new states, from zeros if |states| is None; of one row, too."""
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got "
                             f"{input.dim()}D instead")
        is_single, count = input.dim() == 1, 2 if operator == "lstm_cell" else 1
        if states is not None:
            for state in states:
                if state.dim() not in (1, 2):
                    raise ValueError(f"{type(self).__name__}: Expected hidden to be 1D or 2D, "
                                     f"got {state.dim()}D instead")
        if is_single:
            input = input.unsqueeze(0)
            states = states and [state.unsqueeze(0) for state in states]
        if states is None:
            zeros = _aten.zeros([input.shape[0], self.hidden_size], dtype=input.dtype,
                                device=input.device)
            states = [zeros] * count
        made = getattr(_aten, operator)(input, states if count == 2 else states[0],
                                        self.weight_ih, self.weight_hh, self.bias_ih,
                                        self.bias_hh)
        made = list(made) if count == 2 else [made]
        return [state.squeeze(0) for state in made] if is_single else made


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None,
                 dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._run(f"rnn_{self.nonlinearity}_cell", input, hx if hx is None else [hx])[0]


class GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._run("gru_cell", input, hx if hx is None else [hx])[0]


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        return tuple(self._run("lstm_cell", input, hx if hx is None else list(hx)))
