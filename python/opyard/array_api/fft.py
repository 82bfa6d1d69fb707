# SPDX-License-Identifier: Apache-2.0
"""The standard's extension for Fourier transforms."""
from ._core import DEFAULT_REAL, aten, computed, cast

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft",
           "irfft", "irfftn", "rfft", "rfftfreq", "rfftn"]


def _one(name):
    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return getattr(aten, "fft_" + name)(x, n, axis, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"{name} along one axis, cut or filled with zeros to n elements."
    return transform


def _several(name):
    def transform(x, /, *, s=None, axes=None, norm="backward"):
        return getattr(aten, "fft_" + name)(x, s and list(s), axes and list(axes), norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"{name} along axes, cut or filled with zeros to s elements."
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(
    _one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return aten.fft_fftfreq(n, d, dtype=dtype or DEFAULT_REAL, device=device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    return aten.fft_rfftfreq(n, d, dtype=dtype or DEFAULT_REAL, device=device)


def _shift(name, x, axes):
    axes = [axes] if isinstance(axes, int) else axes
    moved = getattr(aten, name)(computed(x), None if axes is None else list(axes))
    return cast(moved, x.dtype)


def fftshift(x, /, *, axes=None):
    return _shift("fft_fftshift", x, axes)


def ifftshift(x, /, *, axes=None):
    return _shift("fft_ifftshift", x, axes)
