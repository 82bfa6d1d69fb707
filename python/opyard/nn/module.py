# SPDX-License-Identifier: Apache-2.0
"""Module: parameters, buffers and modules by name, and what is done to all of them."""
import copy
from collections import OrderedDict

from .. import _C
from .._C import Tensor
from .hooks import Hooks
from .parameter import Buffer, Parameter, is_lazy
from .state import StateDict

_KINDS = ("_parameters", "_buffers", "_modules")


class Module(Hooks, StateDict):
    """The base of all layers and models: assign parameters and modules in __init__(),
    after super().__init__(), and say in forward() what is computed."""

    training: bool
    call_super_init = False

    def __init__(self, *args, **kwargs):
        put = super().__setattr__
        put("training", True)
        for kind in _KINDS:
            put(kind, OrderedDict())
        put("_non_persistent", set())
        self._init_hooks()

    def forward(self, *args, **kwargs):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        if self._has_hooks:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # ------------------------------------------------------------ attributes

    def __getattr__(self, name):
        # Reached only for what is no ordinary attribute.
        for kind in _KINDS:
            found = self.__dict__.get(kind)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _forget(self, name, but=None):
        self.__dict__.pop(name, None)
        for kind in _KINDS:
            if kind != but:
                self.__dict__[kind].pop(name, None)
        if but != "_buffers":
            self._non_persistent.discard(name)

    def __setattr__(self, name, value):
        kind = next((k for k, t in (("_parameters", Parameter), ("_modules", Module),
                                    ("_buffers", Buffer)) if isinstance(value, t)), None)
        if kind is not None:
            if kind not in self.__dict__:
                what = {"_parameters": "parameters", "_modules": "module"}.get(kind, "buffers")
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            self._forget(name, but=kind)
            self.__dict__[kind][name] = value
            if kind == "_buffers" and not value.persistent:
                self._non_persistent.add(name)
            return
        for kind, what in (("_parameters", "torch.nn.Parameter"), ("_modules", "torch.nn.Module"),
                           ("_buffers", "torch.Tensor")):
            if name in self.__dict__.get(kind, ()):
                fits = value is None or kind == "_buffers" and isinstance(value, Tensor)
                if not fits:
                    what = what.replace("torch", "opyard")
                    label = {"_parameters": "parameter", "_modules": "child module"}
                    raise TypeError(
                        f"cannot assign '{type(value).__name__}' as {label.get(kind, 'buffer')} "
                        f"'{name}' ({what} or None expected)")
                self.__dict__[kind][name] = value
                return
        super().__setattr__(name, value)

    def __delattr__(self, name):
        for kind in _KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        names = set(super().__dir__())
        return sorted(names.union(*(self.__dict__[kind] for kind in _KINDS)))

    def _check_name(self, name, what):
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')

    def register_parameter(self, name, param):
        self._check_name(name, "parameter")
        if hasattr(self, name) and name not in self._parameters:
            raise KeyError(f"attribute '{name}' already exists")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{type(param).__name__}' object to parameter "
                            f"'{name}' (opyard.nn.Parameter or None required)")
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        self._check_name(name, "buffer")
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"attribute '{name}' already exists")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type(tensor).__name__}' object to buffer "
                            f"'{name}' (opyard.Tensor or None required)")
        self._buffers[name] = tensor
        (self._non_persistent.discard if persistent else self._non_persistent.add)(name)

    def add_module(self, name, module):
        self._check_name(name, "module")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._modules[name] = module

    register_module = add_module

    # --------------------------------------------------------------- walking

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                inner = prefix + ("." if prefix else "") + name
                yield from module.named_modules(memo, inner, remove_duplicate)

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        for _, module in self.named_children():
            yield module

    def _named_members(self, kind, prefix, recurse, remove_duplicate):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) \
            if recurse else [(prefix, self)]
        for path, module in modules:
            for name, value in getattr(module, kind).items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield path + ("." if path else "") + name, value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target):
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return module._buffers[name]

    # -------------------------------------------------------------- changing

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters():
            grad = parameter.grad
            if grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                grad.detach_().zero_()

    def _apply(self, fn):
        """Parameters stay the objects that they are, so that optimisers keep them."""
        for module in self.children():
            module._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            grad = parameter.grad
            parameter.data = fn(parameter.data)
            if grad is not None:
                parameter.grad = fn(grad.detach())
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer.data = fn(buffer.data)
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """to(device), to(dtype), to(device, dtype) or to(tensor): floating parameters and
        buffers get the dtype, all get the device."""
        dtype, device = kwargs.pop("dtype", None), kwargs.pop("device", None)
        kwargs.pop("non_blocking", None)
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
        for arg in args:
            if isinstance(arg, _C.dtype):
                dtype = arg
            elif isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif arg is not None and not isinstance(arg, bool):
                device = arg
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, "
                            f"but got desired dtype={dtype}")

        def convert(tensor):
            fits = tensor.dtype.is_floating_point or tensor.dtype.is_complex
            wanted = dtype if fits and dtype is not None else tensor.dtype
            if wanted is tensor.dtype and device in (None, tensor.device):
                return tensor
            return tensor.to(device=device or tensor.device, dtype=wanted)

        return self._apply(convert)

    def cpu(self):
        return self.to("cpu")

    def float(self):
        return self.to(_C.float32)

    def double(self):
        return self.to(_C.float64)

    def half(self):
        return self.to(_C.float16)

    def bfloat16(self):
        return self.to(_C.bfloat16)

    def type(self, dtype):
        return self._apply(lambda tensor: tensor.to(dtype=dtype))

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            if name == "_buffers":
                value = OrderedDict(
                    (key, copy.deepcopy(b, memo) if b is None or is_lazy(b)
                     else b.detach().clone()) for key, b in value.items())
            else:
                value = copy.deepcopy(value, memo)
            made.__dict__[name] = value
        return made

    # --------------------------------------------------------------- reading

    def extra_repr(self):
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        return describe(self, [f"({name}): " + indent(repr(module))
                               for name, module in self._modules.items()])


def indent(text):
    return text.replace("\n", "\n  ")


def describe(module, children):
    """Name(extra), or the lines in between, as torch prints a module."""
    extra = module.extra_repr()
    lines = extra.split("\n") if extra else []
    if len(lines) <= 1 and not children:
        return f"{module._get_name()}({extra})"
    return module._get_name() + "(\n  " + "\n  ".join(lines + children) + "\n)"
