# SPDX-License-Identifier: Apache-2.0
"""no_grad and its kind: context managers that are decorators, too."""
from . import _C


class _Mode:
    """A context manager; as a decorator it is on in every call of the function."""

    def __call__(self, function):
        import functools
        import inspect

        if inspect.isclass(function):
            raise TypeError(f"{type(self).__name__} does not decorate classes: decorate methods")
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)

        return wrapper

    def _generator(self, function):
        """The mode is on while the generator runs, and off while its user does."""
        import functools

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            generator = function(*args, **kwargs)
            sent, error = None, None
            while True:
                try:
                    with self._again():
                        item = generator.send(sent) if error is None else generator.throw(error)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent, error = (yield item), None
                except GeneratorExit:
                    with self._again():
                        generator.close()
                    raise
                except BaseException as thrown:
                    sent, error = None, thrown

        return wrapper

    def _again(self):
        return type(self)()


class no_grad(_Mode):
    """with opyard.no_grad(): nothing is recorded for backward. @opyard.no_grad() and
    @opyard.no_grad as well."""

    _on = False

    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __enter__(self):
        self._before = _C.grad_mode(self._on)

    def __exit__(self, *exception):
        _C.grad_mode(self._before)


class enable_grad(no_grad):
    """with opyard.enable_grad(): recorded again, within no_grad."""

    _on = True


class set_grad_enabled(_Mode):
    """Sets grad mode at once; as a context manager it is put back."""

    def __init__(self, mode):
        self._mode = bool(mode)
        self._before = _C.grad_mode(self._mode)

    def __enter__(self):
        _C.grad_mode(self._mode)

    def __exit__(self, *exception):
        _C.grad_mode(self._before)

    def __call__(self, function):
        _C.grad_mode(self._before)
        return super().__call__(function)

    def _again(self):
        return set_grad_enabled(self._mode)


class inference_mode(_Mode):
    """with opyard.inference_mode(): what is made has no version and no history."""

    def __new__(cls, mode=True):
        self = super().__new__(cls)
        if callable(mode):
            self._mode = True
            return self(mode)
        self._mode = bool(mode)
        return self

    def __enter__(self):
        self._guard = _C.inference_enter(self._mode)

    def __exit__(self, *exception):
        _C.inference_leave(self._guard)

    def _again(self):
        return inference_mode(self._mode)
