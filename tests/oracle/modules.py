# SPDX-License-Identifier: Apache-2.0
"""Every module and optimiser of opyard.nn and opyard.optim beside PyTorch's: the same
arguments, parameters and inputs have to give the same print, outputs and gradients, and the
same parameters after steps.

    PYTHONPATH=build/python /usr/bin/python3 tests/oracle/modules.py [NAME...]
"""
import math
import sys
import warnings

import numpy
import torch

import module_rows as rows
import opyard

warnings.simplefilter("ignore")

# What later releases print in another way than PyTorch 1.13.
PRINT_OTHERWISE = ("Upsampl", "MultiheadAttention", "Transformer",
                   "TripletMarginWithDistanceLoss")


def make_input(spec, rng):
    """An array, and whether a gradient is wanted of it."""
    kind, _, sizes = spec.rpartition(":")
    shape = tuple(int(n) for n in sizes.split("x") if n)
    plain = rng.standard_normal(shape).astype("float32")
    if kind.startswith("i"):
        return rng.integers(0, int(kind[1:]), shape), False
    if kind == "o":
        return numpy.arange(shape[0]) * 2, False
    if kind == "s":
        return numpy.where(plain < 0, -1, 1).astype("float32"), False
    if kind == "b":
        return (plain < 0).astype("float32"), False
    if kind == "p":
        return numpy.abs(plain) + 0.1, True
    if kind == "u":
        return 1 / (1 + numpy.exp(-plain)), True
    if kind == "l":
        return plain - numpy.log(numpy.exp(plain).sum(1, keepdims=True)), True
    return plain, kind != "n"


def load_torch(module, state):
    with torch.no_grad():
        for name, tensor in module.state_dict().items():
            tensor.copy_(torch.from_numpy(numpy.array(state[name])))


def flat(value):
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in flat(item)]
    return [] if value is None else [value]


def to_array(tensor):
    if isinstance(tensor, (int, float)):
        return numpy.array(tensor, dtype="float64")
    return numpy.array(tensor.detach().tolist(), dtype="float64")


def run(library, module, arrays, method="forward", options=""):
    """Outputs, then gradients of inputs and parameters, then the state."""
    inputs = []
    for array, wants_grad in arrays:
        dtype = getattr(library, str(array.dtype))
        inputs.append(library.tensor(array.tolist(), dtype=dtype, requires_grad=wants_grad))
    named = eval(f"dict({options})", {"t": library, "nn": library.nn})
    call = module if method == "forward" else getattr(module, method)
    outputs = flat(call(*inputs, **named))
    found = [to_array(output) for output in outputs]
    total = sum((output * output).sum() for output in outputs if output.requires_grad)
    if isinstance(total, library.Tensor):
        total.backward()
    for tensor in inputs + list(module.parameters()):
        if tensor.requires_grad:
            grad = tensor.grad
            found.append(numpy.zeros(0) if grad is None else to_array(grad))
    return found + [to_array(tensor) for tensor in module.state_dict().values()]


def differs(ours, theirs, tolerance=2e-5):
    if len(ours) != len(theirs):
        return f"{len(ours)} results, not {len(theirs)}"
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape:
            return f"result {i} has shape {a.shape}, not {b.shape}"
        if not numpy.allclose(a, b, tolerance, tolerance, equal_nan=True):
            return f"result {i} differs by up to {numpy.abs(a - b).max():.3g}"
    return ""


def check_module(text):
    call, specs, options = (text + " | ").split(" | ")[:3]
    call, _, method = call.partition(") ") if call[-1] != ")" else (call, "", "forward")
    call += ")" * (method != "forward")
    rng = numpy.random.default_rng(len(text))
    arrays = [make_input(spec, rng) for spec in specs.split()]
    ours = eval("nn." + call, {"nn": opyard.nn, "t": opyard})
    theirs = eval("nn." + call, {"nn": torch.nn, "t": torch})
    if call.startswith("Lazy"):
        if repr(ours) != repr(theirs) or list(ours.state_dict()) != list(theirs.state_dict()):
            return f"is {ours!r} with {ours.state_dict()} at first, not {theirs!r}"
        run(opyard, ours, arrays), run(torch, theirs, arrays)
    if list(ours.state_dict()) != list(theirs.state_dict()):
        return f"state_dict has {list(ours.state_dict())}, not {list(theirs.state_dict())}"
    load_torch(theirs, {name: tensor.tolist() for name, tensor in ours.state_dict().items()})
    if not call.startswith(PRINT_OTHERWISE) and repr(ours) != repr(theirs):
        return f"prints {ours!r}, not {theirs!r}"
    for training in (True, False):
        ours.train(training), theirs.train(training)
        if training and any(word in call for word in ("Dropout(0.5", "Dropout2d", "Alpha", "RReLU")):
            continue
        ours.zero_grad(), theirs.zero_grad(set_to_none=True)
        with_ours = run(opyard, ours, arrays, method, options)
        found = differs(with_ours, run(torch, theirs, arrays, method, options))
        if found:
            return found
    return ""


def check_optimizer(text):
    start = [[0.5, -1.5, 2.0], [[1.0, -0.25]]]
    # When LBFGS stops is a matter of the last bits.
    dtype = "float64" if text.startswith("LBFGS") else "float32"
    results = []
    for library in (opyard, torch):
        parameters = [library.nn.Parameter(library.tensor(a, dtype=getattr(library, dtype)))
                      for a in start]
        optimizer = eval("optim." + text, {"optim": library.optim, "p": parameters})
        for step in range(6):
            def closure():
                optimizer.zero_grad()
                loss = sum(((p - 1) ** 4).sum() + (p * math.sin(step)).sum() for p in parameters)
                loss.backward()
                return loss

            if text.startswith("LBFGS"):
                optimizer.step(closure)
            else:
                closure()
                optimizer.step()
            if step == 2:  # half-way, through a state_dict
                kept = optimizer.state_dict()
                optimizer = eval("optim." + text, {"optim": library.optim, "p": parameters})
                optimizer.load_state_dict(kept)
        state = optimizer.state_dict()["state"]
        results.append([to_array(p) for p in parameters] + [
            to_array(kept) for _, entry in sorted(state.items())
            for name in sorted(entry) if name != "al" for kept in flat(entry[name])])
    return differs(*results, tolerance=1e-6)


def check_schedule(text):
    results = []
    for library in (opyard, torch):
        parameter = library.nn.Parameter(library.tensor([1.0]))
        optimizer = library.optim.SGD([parameter], lr=0.8, momentum=0.9)
        scheduler = eval("s." + text, {"s": library.optim.lr_scheduler, "o": optimizer})
        rates = []
        for _ in range(12):
            group = optimizer.param_groups[0]
            rates.append(numpy.array([group["lr"], group["momentum"]]))
            optimizer.step()
            scheduler.step()
            if len(rates) == 5:  # on the way, through a state_dict
                kept, now = scheduler.state_dict(), dict(group)
                if library is torch and "Cyclic" in text:
                    continue  # PyTorch 1.13's forgets its scale_fn
                group.pop("initial_lr"), group.update(lr=0.8)
                scheduler = eval("s." + text, {"s": library.optim.lr_scheduler, "o": optimizer})
                scheduler.load_state_dict(kept)
                group.update(now)
        results.append(rates)
    return differs(*results, tolerance=1e-12)


def hooks_of(library):
    """What hooks see of a call and its gradients, also when they change them."""
    nn, seen = library.nn, []
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    with library.no_grad():
        for parameter in net.parameters():
            parameter.fill_(0.5)

    def note(module, *tensors):
        seen.extend(to_array(t) for t in flat(tensors))

    def double(module, grads_in, grads_out):
        note(module, grads_in, grads_out)
        return tuple(g * 2 for g in grads_in)

    net[0].register_full_backward_hook(double)
    net[1].register_full_backward_hook(note)
    net[1].register_forward_pre_hook(note)
    net.register_forward_hook(lambda module, args, output: output * 3)
    x = library.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    output = net(x)
    (output ** 2).sum().backward()
    return seen + [to_array(output), to_array(x.grad)] + [to_array(p.grad)
                                                          for p in net.parameters()]


def check_hooks(text):
    return differs(hooks_of(opyard), hooks_of(torch))


def check_exchange(text):
    """Both ways by DLPack and by the buffer, on one memory."""
    theirs = torch.arange(6, dtype=getattr(torch, text)).reshape(2, 3).t()
    x = opyard.from_dlpack(theirs)
    back = torch.from_dlpack(x)
    also = opyard.from_torch(theirs)
    if not x.data_ptr() == back.data_ptr() == theirs.data_ptr() == also.data_ptr():
        return "memory was copied"
    theirs[0, 1] = 9
    if x.tolist() != theirs.tolist() or tuple(x.stride()) != theirs.stride():
        return f"{x.tolist()}, not {theirs.tolist()}"
    made = opyard.to_torch(opyard.ones(2, dtype=getattr(opyard, text)))
    return "" if made.dtype is theirs.dtype and made.tolist() == [1, 1] else "to_torch differs"


def check_packed(text):
    """Networks over packed sequences, and ctc_loss, whose arguments are no inputs alone."""
    results = []
    rng = numpy.random.default_rng(len(text))
    arrays = [rng.standard_normal((n, 3)).astype("float32") for n in (2, 5, 3)]
    theirs = eval("nn." + text, {"nn": torch.nn})
    ours = eval("nn." + text, {"nn": opyard.nn})
    load_torch(theirs, {name: tensor.tolist() for name, tensor in ours.state_dict().items()})
    for library, module in ((opyard, ours), (torch, theirs)):
        rnn = library.nn.utils.rnn
        inputs = [library.tensor(a.tolist(), requires_grad=True) for a in arrays]
        packed = rnn.pack_sequence(inputs, enforce_sorted=False)
        output, states = module(packed)
        padded, lengths = rnn.pad_packed_sequence(output, padding_value=-1.0)
        (sum((s * s).sum() for s in flat(states)) + (padded ** 2).sum()).backward()
        results.append([to_array(t) for t in [padded, lengths] + flat(states) + [
            packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices] + [
            t.grad for t in inputs + list(module.parameters())]])
    return differs(*results)


def check_attention(text):
    """The function, with keys, values and weights that no module gives it."""
    results = []
    rng = numpy.random.default_rng(len(text))
    sizes = dict(q=(3, 2, 6), k=(4, 2, 6), v=(4, 2, 6), w=(18, 6), b=(18,), o=(6, 6), wk=(6, 5),
                 k5=(4, 2, 5), ks=(4, 5, 3), vs=(4, 5, 3), bk=(1, 1, 6))
    arrays = {name: (rng.standard_normal(size) / 2).tolist() for name, size in sizes.items()}
    for library in (opyard, torch):
        tensors = {name: library.tensor(array, requires_grad=True)
                   for name, array in arrays.items()}
        output, weights = eval(f"f({text})", tensors | {
            "f": library.nn.functional.multi_head_attention_forward})
        ((output ** 2).sum() + weights.sum()).backward()
        results.append([to_array(t) for t in (output, weights)] + [
            to_array(t.grad) for t in tensors.values() if t.grad is not None])
    return differs(*results)


def check_ctc(text):
    """Losses and gradients, of a batch and of one sequence."""
    results = []
    scores = numpy.random.default_rng(1).standard_normal((6, 2, 4)).astype("float32")
    for library in (opyard, torch):
        loss = eval("nn." + text, {"nn": library.nn})
        found = [numpy.array(len(repr(loss)))]
        x = library.tensor(scores.tolist(), requires_grad=True)
        logs = x.log_softmax(2)
        lengths = library.tensor([6, 4]), library.tensor([3, 2])
        for targets in ([[1, 2, 2], [3, 1, 0]], [1, 2, 2, 3, 1]):
            found.append(loss(logs, library.tensor(targets), *lengths))
        found.append(loss(logs[:, 0], library.tensor([1, 2]), (5,), (2,)))
        sum(f.sum() for f in found[1:]).backward()
        results.append(found[:1] + [to_array(t) for t in found[1:] + [x.grad]])
    return differs(*results)


def main(names):
    failed = passed = 0
    for check, table in ((check_module, rows.MODULES), (check_optimizer, rows.OPTIMIZERS),
                         (check_schedule, rows.SCHEDULES), (check_hooks, "hooks"),
                         (check_exchange, rows.EXCHANGE), (check_packed, rows.PACKED),
                         (check_attention, rows.ATTENTION), (check_ctc, rows.CTC)):
        for text in table.strip().split("\n"):
            if names and not any(text.startswith(name) for name in names):
                continue
            try:
                found = check(text)
            except Exception as error:  # any failure is a finding
                found = f"{type(error).__name__}: {error}"
            passed, failed = passed + (not found), failed + bool(found)
            if found:
                print(f"FAIL {text}: {found}")
    print(f"modules: {passed} agree with PyTorch {torch.__version__}, {failed} do not")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
