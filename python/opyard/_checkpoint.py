# SPDX-License-Identifier: Apache-2.0
"""Memory for time: a part of a program that keeps nothing for its backward, and runs again
when that comes (torch.utils.checkpoint)."""
from . import _C, autograd
from ._C import Tensor
from ._grad_mode import enable_grad


class CheckpointFunction(autograd.Function):
    @staticmethod
    def forward(ctx, function, preserve, *args):
        ctx.function, ctx.args = function, args
        ctx.state = _C.default_generator().get_state() if preserve else None
        ctx.autocast = _C.autocast_state("cpu")
        ctx.save_for_backward(*[item for item in args if isinstance(item, Tensor)])
        return function(*args)

    @staticmethod
    def backward(ctx, *grads):
        saved = iter(ctx.saved_tensors)
        given = [next(saved) if isinstance(item, Tensor) else item for item in ctx.args]
        args = [item.detach().requires_grad_(item.requires_grad)
                if isinstance(item, Tensor) else item for item in given]
        outputs = _again(ctx, args)
        pairs = [(one, grad) for one, grad in zip(outputs, grads)
                 if isinstance(one, Tensor) and one.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is "
                               "not necessary")
        autograd.backward([one for one, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *[item.grad if isinstance(item, Tensor) else None
                              for item in args])


def _again(ctx, args):
    """The function once more, with the same random numbers and the same autocast."""
    from ._amp import autocast

    generator = _C.default_generator()
    now = generator.get_state()
    if ctx.state is not None:
        generator.set_state(ctx.state)
    try:
        with enable_grad(), autocast("cpu", ctx.autocast[1], ctx.autocast[0]):
            outputs = ctx.function(*args)
    finally:
        generator.set_state(now)
    return outputs if isinstance(outputs, tuple) else (outputs,)


def checkpoint(function, *args, use_reentrant=True, preserve_rng_state=True, **kwargs):
    """function(*args), whose saved tensors are computed again in the backward."""
    if not kwargs:
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    return CheckpointFunction.apply(lambda *given: function(*given, **kwargs), preserve_rng_state,
                             *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=True, **kwargs):
    """A list of functions in segments, each of which but the last is checkpointed."""
    functions = list(functions.children() if hasattr(functions, "children") else functions)

    def run(part):
        def forward(value):
            for function in part:
                value = function(value)
            return value

        return forward

    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(run(functions[start:end]), input, **kwargs)
    return run(functions[end:])(input)
