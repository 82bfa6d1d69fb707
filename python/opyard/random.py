# SPDX-License-Identifier: Apache-2.0
"""Random numbers of devices: what torch.random and the modules of torch's devices have."""
import contextlib

from . import _C
from ._functions import initial_seed, manual_seed, seed

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
           "seed", "set_rng_state"]


def default_generator(device="cpu"):
    """The generator of operators on a device that are given none."""
    return _C.default_generator(device)


def get_rng_state(device="cpu"):
    return _C.default_generator(device).get_state()


def set_rng_state(new_state, device="cpu"):
    _C.default_generator(device).set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=(), enabled=True):
    """What is drawn within is as if it had not been: on the CPU, and on the devices."""
    generators = [_C.default_generator(d) for d in ("cpu", *(devices or ()))] if enabled else []
    states = [generator.get_state() for generator in generators]
    try:
        yield
    finally:
        for generator, state in zip(generators, states):
            generator.set_state(state)
