# SPDX-License-Identifier: Apache-2.0
"""opyard.nn, optim and utils.data: what modules keep and do; numbers by hand. That layers
compute what PyTorch's do is tests/oracle/modules.py's business."""
import copy
import math
import unittest
from collections import OrderedDict

import opyard
from opyard import nn, optim
from opyard.nn import functional as F
from opyard.utils.data import (BatchSampler, ConcatDataset, DataLoader, Dataset,
                               IterableDataset, Subset, TensorDataset, random_split)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.scale = nn.Parameter(opyard.tensor([2.0]))
        self.register_buffer("kept", opyard.tensor([1.0]))
        self.register_buffer("passing", opyard.tensor([1.0]), persistent=False)

    def forward(self, x):
        return self.norm(self.first(x)) * self.scale


class ModuleTest(unittest.TestCase):
    def test_names(self):
        net = Net()
        self.assertEqual([name for name, _ in net.named_parameters()],
                         ["scale", "first.weight", "first.bias", "norm.weight", "norm.bias"])
        self.assertEqual([name for name, _ in net.named_buffers()],
                         ["kept", "passing", "norm.running_mean", "norm.running_var",
                          "norm.num_batches_tracked"])
        self.assertEqual([name for name, _ in net.named_modules()], ["", "first", "norm"])
        self.assertEqual(list(net.state_dict()), [
            "scale", "kept", "first.weight", "first.bias", "norm.weight", "norm.bias",
            "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"])
        self.assertEqual(len(list(net.parameters(recurse=False))), 1)
        self.assertIs(net.get_submodule("norm"), net.norm)
        self.assertIs(net.get_parameter("first.bias"), net.first.bias)
        self.assertRaises(AttributeError, net.get_submodule, "norm.none")

    def test_a_shared_parameter_is_one(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        net[1].weight = net[0].weight
        self.assertEqual(len(list(net.parameters())), 3)
        self.assertEqual(len(list(net.named_parameters(remove_duplicate=False))), 4)

    def test_assignments(self):
        net = Net()
        with self.assertRaisesRegex(TypeError, "cannot assign 'Tensor' as parameter 'scale'"):
            net.scale = opyard.tensor([1.0])
        with self.assertRaisesRegex(TypeError, "as child module 'first'"):
            net.first = 3
        net.scale = None
        self.assertIsNone(net.scale)
        self.assertNotIn("scale", net.state_dict())
        del net.first
        self.assertFalse(hasattr(net, "first"))
        self.assertRaises(KeyError, net.register_buffer, "a.b", None)
        self.assertRaises(KeyError, net.register_parameter, "", None)
        with self.assertRaisesRegex(AttributeError, "'Net' object has no attribute 'none'"):
            net.none
        with self.assertRaisesRegex(AttributeError, r"before Module.__init__\(\) call"):
            type("Bad", (nn.Module,), {"__init__": lambda self: setattr(
                self, "a", nn.Parameter(opyard.ones(1)))})()

    def test_training_mode_reaches_all(self):
        net = Net().eval()
        self.assertFalse(any(module.training for module in net.modules()))
        self.assertTrue(net.train().norm.training)

    def test_repr(self):
        net = nn.Sequential(OrderedDict(a=nn.Linear(1, 2), b=nn.ModuleList(
            [nn.ReLU(), nn.ReLU(), nn.Tanh()])))
        self.assertEqual(repr(net), "Sequential(\n"
                         "  (a): Linear(in_features=1, out_features=2, bias=True)\n"
                         "  (b): ModuleList(\n    (0-1): 2 x ReLU()\n    (2): Tanh()\n  )\n)")
        self.assertEqual(repr(nn.Parameter(opyard.tensor([1.0]))),
                         "Parameter containing:\ntensor([1.], requires_grad=True)")

    def test_loading(self):
        net, other = Net(), Net()
        self.assertEqual(str(net.load_state_dict(other.state_dict())),
                         "<All keys matched successfully>")
        self.assertEqual(
            str(nn.Linear(1, 2).load_state_dict({"bias": opyard.zeros(2)}, strict=False)),
            "_IncompatibleKeys(missing_keys=['weight'], unexpected_keys=[])")
        self.assertEqual(net.first.weight.tolist(), other.first.weight.tolist())
        state = other.state_dict()
        del state["kept"]
        state["more"] = opyard.ones(1)
        state["scale"] = opyard.ones(4)
        with self.assertRaises(RuntimeError) as caught:
            net.load_state_dict(state)
        self.assertEqual(
            str(caught.exception), "Error(s) in loading state_dict for Net:\n\t"
            'Missing key(s) in state_dict: "kept". \n\t'
            'Unexpected key(s) in state_dict: "more". \n\t'
            "size mismatch for scale: copying a param with shape opyard.Size([4]) from "
            "checkpoint, the shape in current model is opyard.Size([1]).")
        state["scale"] = opyard.tensor([7.0])
        keys = net.load_state_dict(state, strict=False)
        self.assertEqual((keys.missing_keys, keys.unexpected_keys), (["kept"], ["more"]))
        self.assertEqual(net.scale.item(), 7.0)

    def test_assigned_state_is_the_same_memory(self):
        net, weight = nn.Linear(2, 1, bias=False), opyard.tensor([[3.0, 4.0]])
        before = net.weight
        net.load_state_dict({"weight": weight}, assign=True)
        weight.zero_()
        self.assertEqual(net.weight.tolist(), [[0.0, 0.0]])
        self.assertIs(net.weight, before)
        self.assertTrue(net.weight.requires_grad)

    def test_other_dtypes(self):
        net = Net()
        weight = net.first.weight
        net.double()
        self.assertIs(net.first.weight, weight)
        self.assertIs(weight.dtype, opyard.float64)
        self.assertIs(net.norm.running_mean.dtype, opyard.float64)
        self.assertIs(net.norm.num_batches_tracked.dtype, opyard.int64)
        net(opyard.ones(4, 2, dtype=opyard.float64)).sum().backward()
        self.assertIs(weight.grad.dtype, opyard.float64)
        self.assertIs(net.to(opyard.float32).first.weight.grad.dtype, opyard.float32)
        self.assertRaises(TypeError, net.to, opyard.int32)

    def test_copies_are_apart(self):
        net = Net()
        other = copy.deepcopy(net)
        with opyard.no_grad():
            other.scale.fill_(9.0)
            other.kept.fill_(9.0)
        self.assertEqual((net.scale.item(), net.kept.item()), (2.0, 1.0))
        self.assertIsInstance(other.scale, nn.Parameter)
        self.assertIs(other.first.weight, list(other.parameters())[1])

    def test_apply_and_zero_grad(self):
        net, seen = Net(), []
        net.apply(lambda module: seen.append(type(module).__name__))
        self.assertEqual(seen, ["Linear", "BatchNorm1d", "Net"])
        net(opyard.randn(4, 2)).sum().backward()
        self.assertIsNotNone(net.scale.grad)
        net.zero_grad(set_to_none=False)
        self.assertEqual(net.scale.grad.item(), 0.0)
        net.zero_grad()
        self.assertIsNone(net.scale.grad)

    def test_containers(self):
        row = nn.ModuleList([nn.Tanh()])
        row.append(nn.ReLU()).extend([nn.SELU()])
        row.insert(0, nn.Identity())
        self.assertEqual([type(m).__name__ for m in row], ["Identity", "Tanh", "ReLU", "SELU"])
        self.assertIsInstance(row[-1], nn.SELU)
        self.assertEqual(len(row[1:3]), 2)
        del row[0]
        self.assertEqual(list(row._modules), ["0", "1", "2"])
        self.assertRaises(IndexError, lambda: row[3])
        named = nn.ModuleDict({"a": nn.Tanh()})
        named.update({"b": nn.ReLU()})
        self.assertEqual((list(named), "b" in named, len(named)), (["a", "b"], True, 2))
        values = nn.ParameterList([opyard.ones(2), opyard.zeros(1)])
        self.assertEqual([name for name, _ in values.named_parameters()], ["0", "1"])
        self.assertEqual(list(nn.ParameterDict({"w": opyard.ones(1)}).keys()), ["w"])
        self.assertRaises(NotImplementedError, nn.Module(), 1)

    def test_forward_hooks(self):
        net, seen = nn.Linear(1, 1), []
        with opyard.no_grad():
            net.weight.fill_(2.0)
            net.bias.fill_(1.0)
        x = opyard.tensor([3.0])
        handles = [
            net.register_forward_pre_hook(lambda module, args: (args[0] + 1,)),
            net.register_forward_hook(lambda module, args, out: seen.append(args[0].item())),
            net.register_forward_hook(lambda module, args, out: out * 10)]
        self.assertEqual(net(x).item(), 90.0)
        self.assertEqual(seen, [4.0])
        for handle in handles:
            handle.remove()
        self.assertEqual(net(x).item(), 7.0)


class InitTest(unittest.TestCase):
    def test_bounds(self):
        weight = opyard.empty(30, 20)
        for fill, bound in ((lambda: nn.init.xavier_uniform_(weight), math.sqrt(6 / 50)),
                            (lambda: nn.init.kaiming_uniform_(weight, nonlinearity="relu"),
                             math.sqrt(6 / 20)),
                            (lambda: nn.init.trunc_normal_(weight, std=0.3, a=-0.5, b=0.5), 0.5),
                            (lambda: nn.init.uniform_(weight, -0.1, 0.1), 0.1)):
            fill()
            largest = weight.abs().max().item()
            self.assertLessEqual(largest, bound)
            self.assertGreater(largest, bound * 0.8)
        nn.init.xavier_normal_(weight)
        self.assertAlmostEqual(weight.std().item(), math.sqrt(2 / 50), delta=0.03)

    def test_patterns(self):
        self.assertEqual(nn.init.eye_(opyard.empty(2, 3)).tolist(), [[1, 0, 0], [0, 1, 0]])
        kernel = nn.init.dirac_(opyard.empty(2, 2, 3))
        x = opyard.randn(1, 2, 5)
        self.assertEqual(F.conv1d(x, kernel, padding=1).tolist(), x.tolist())
        self.assertAlmostEqual(nn.init.calculate_gain("leaky_relu", 1.0), 1.0)
        self.assertRaises(ValueError, nn.init.calculate_gain, "none")
        self.assertRaises(ValueError, nn.init.xavier_uniform_, opyard.empty(3))
        sparse = nn.init.sparse_(opyard.empty(10, 4), 0.3)
        self.assertEqual((sparse == 0).sum(0).tolist(), [3, 3, 3, 3])

    def test_orthogonal(self):
        for sizes in ((4, 3), (3, 4), (2, 3, 4), (5, 5)):
            made = nn.init.orthogonal_(opyard.empty(sizes, dtype=opyard.float64), 2.0)
            q = made.reshape(sizes[0], -1)
            square = q @ q.t() if q.shape[0] <= q.shape[1] else q.t() @ q
            wanted = 4 * opyard.eye(square.shape[0], dtype=opyard.float64)
            self.assertLess((square - wanted).abs().max().item(), 1e-12)
        with self.assertRaisesRegex(ValueError, "Only tensors with 2 or more dimensions"):
            nn.init.orthogonal_(opyard.empty(3))

    def test_generators_and_old_names(self):
        for fill in (nn.init.orthogonal_, nn.init.xavier_normal_, nn.init.trunc_normal_,
                     nn.init.kaiming_uniform_):
            made = [fill(opyard.empty(4, 4), generator=opyard.Generator().manual_seed(5)).tolist()
                    for _ in range(2)]
            self.assertEqual(*made)
        with self.assertWarnsRegex(UserWarning, "nn.init.constant is now deprecated in favor of "
                                                "nn.init.constant_."):
            self.assertEqual(nn.init.constant(opyard.empty(2), 3.0).tolist(), [3.0, 3.0])


class FunctionalTest(unittest.TestCase):
    def test_refusals(self):
        x = opyard.ones(2, 3)
        for call, error in ((lambda: F.dropout(x, 1.5), ValueError),
                            (lambda: F.mse_loss(x, x, "middle"), ValueError),
                            (lambda: F.binary_cross_entropy(x, x[0]), ValueError),
                            (lambda: F.interpolate(x[None], mode="none"), NotImplementedError),
                            (lambda: F.batch_norm(x[:1, :1], None, None, training=True),
                             ValueError),
                            (lambda: nn.Conv1d(3, 4, 1, groups=2), ValueError),
                            (lambda: nn.Conv1d(2, 4, 1, padding="some"), ValueError),
                            (lambda: nn.Embedding(3, 2, padding_idx=3), AssertionError)):
            self.assertRaises(error, call)

    def test_given_outputs(self):
        """Those of PyTorch that are operators take one."""
        x = opyard.linspace(-2, 2, 12).reshape(3, 4)
        image = x.reshape(1, 1, 3, 4)
        for call in (lambda **out: F.gelu(x, **out), lambda **out: F.softplus(x, **out),
                     lambda **out: F.logsigmoid(x, **out), lambda **out: F.hardshrink(x, **out),
                     lambda **out: F.softshrink(x, **out), lambda **out: F.linear(x, x, **out),
                     lambda **out: F.avg_pool2d(image, 2, **out),
                     lambda **out: F.avg_pool3d(image, (1, 2, 2), **out)):
            out = opyard.empty(0)
            self.assertIs(call(out=out), out)
            self.assertEqual(out.tolist(), call().tolist())
        outs = opyard.empty(0), opyard.empty(0, dtype=opyard.int32)
        self.assertIs(opyard.lu(opyard.tensor([[0.0, 2.0], [4.0, 8.0]]), out=outs), outs)
        self.assertEqual((outs[0].tolist(), outs[1].tolist()), ([[4, 8], [0, 2]], [2, 2]))
        with self.assertRaisesRegex(TypeError, "expected tuple of 2 elements but got 3"):
            opyard.lu(opyard.eye(2), out=outs + outs[:1])
        with self.assertRaisesRegex(RuntimeError, "nonzero does not support the out kwarg"):
            opyard.nonzero(x, out=outs[1], as_tuple=True)

    def test_bags_in_the_old_order(self):
        """The table first, with a warning, as PyTorch takes it."""
        table, rows = opyard.arange(6.0).reshape(3, 2), opyard.tensor([[0, 2], [1, 1]])
        with self.assertWarnsRegex(UserWarning, "Argument order of nn.functional.embedding_bag"):
            self.assertEqual(F.embedding_bag(table, rows, mode="sum").tolist(), [[4, 6], [4, 6]])

    def test_dropout_keeps_the_mean(self):
        opyard.manual_seed(1) if hasattr(opyard, "manual_seed") else None
        dropped = F.dropout(opyard.ones(10000), 0.25)
        self.assertEqual(sorted(set(dropped.tolist()))[0], 0.0)
        self.assertAlmostEqual(dropped.mean().item(), 1.0, delta=0.05)
        self.assertEqual(F.dropout(opyard.ones(3), 0.25, training=False).tolist(), [1, 1, 1])
        kept = F.alpha_dropout(opyard.randn(20000), 0.3, training=True)
        self.assertAlmostEqual(kept.mean().item(), 0.0, delta=0.06)
        self.assertAlmostEqual(kept.std().item(), 1.0, delta=0.06)

    def test_local_response_norm(self):
        for shape in ((1, 3, 1), (1, 3, 1, 1)):
            x = opyard.tensor([2, 4, 6]).reshape(shape)
            by_hand = [2 / 3.0, 4 / 11.0, 6 / 27.0]  # squares halved: 2, 10, 26 and k = 1
            found = F.local_response_norm(x, 2, alpha=1.0, beta=1.0)
            for a, b in zip(found.flatten().tolist(), by_hand):
                self.assertAlmostEqual(a, b, places=6)

    def test_clipping(self):
        p = nn.Parameter(opyard.zeros(2))
        p.grad = opyard.tensor([3.0, 4.0])
        self.assertAlmostEqual(nn.utils.clip_grad_norm_([p], 1.0).item(), 5.0)
        self.assertAlmostEqual(p.grad.tolist()[1], 0.8, places=5)
        nn.utils.clip_grad_value_([p], 0.7)
        self.assertAlmostEqual(p.grad.tolist()[1], 0.7, places=5)
        vector = nn.utils.parameters_to_vector([p, p])
        nn.utils.vector_to_parameters(opyard.tensor([1.0, 2.0]), [p])
        self.assertEqual((vector.shape[0], p.tolist()), (4, [1.0, 2.0]))


def all_close(a, b):
    return tuple(a.shape) == tuple(b.shape) and bool(opyard.allclose(a, b, 1e-5, 1e-6))


class RecurrentTest(unittest.TestCase):
    NETWORKS = ((nn.RNN, 1), (nn.GRU, 3), (nn.LSTM, 4))

    def test_weights_and_their_names(self):
        for network, gates in self.NETWORKS:
            made = network(3, 2, num_layers=2, bidirectional=True)
            names = [f"{what}_l{layer}{way}" for layer in (0, 1) for way in ("", "_reverse")
                     for what in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            self.assertEqual(list(made.state_dict()), names)
            self.assertEqual(tuple(made.weight_ih_l1.shape), (2 * gates, 4))
            self.assertTrue(all(abs(x) <= 2 ** -0.5 for x in made.weight_hh_l0.flatten().tolist()))
            self.assertEqual(len(made.all_weights), 4)
        projecting = nn.LSTM(3, 4, proj_size=2)
        self.assertEqual(tuple(projecting.weight_hr_l0.shape), (2, 4))
        output, (h, c) = projecting(opyard.ones(5, 1, 3))
        self.assertEqual([tuple(t.shape) for t in (output, h, c)],
                         [(5, 1, 2), (1, 1, 2), (1, 1, 4)])

    def test_one_cell_is_one_step(self):
        cells = {nn.RNN: nn.RNNCell, nn.GRU: nn.GRUCell, nn.LSTM: nn.LSTMCell}
        for network, _ in self.NETWORKS:
            made, cell = network(3, 2), cells[network](3, 2)
            cell.load_state_dict({name[:-3]: value for name, value in made.state_dict().items()})
            x, state = opyard.randn(4, 5, 3), None
            output, _ = made(x)
            for step in range(4):
                state = cell(x[step], state)
                shown = state[0] if isinstance(state, tuple) else state
                self.assertTrue(all_close(output[step], shown))
            alone, _ = made(x[:, 0])  # without a batch
            self.assertTrue(all_close(alone, output[:, 0]))

    def test_packed_sequences_are_each_alone(self):
        sequences = [opyard.randn(n, 3) for n in (2, 4, 1, 4)]
        for network, _ in self.NETWORKS:
            made = network(3, 2, num_layers=2, bidirectional=True)
            packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
            self.assertEqual(packed.batch_sizes.tolist(), [4, 3, 2, 2])
            output, states = made(packed)
            states = states if isinstance(states, tuple) else (states,)
            parts = nn.utils.rnn.unpack_sequence(output)
            for i, sequence in enumerate(sequences):
                alone, ends = made(sequence)
                ends = ends if isinstance(ends, tuple) else (ends,)
                self.assertTrue(all_close(parts[i], alone))
                for end, state in zip(ends, states):
                    self.assertTrue(all_close(state[:, i], end))

    def test_padding(self):
        from opyard.nn.utils.rnn import pad_packed_sequence, pad_sequence, pack_padded_sequence

        a, b = opyard.tensor([[1.0], [2.0]]), opyard.tensor([[3.0]])
        padded = pad_sequence([a, b], batch_first=True, padding_value=9.0)
        self.assertEqual(padded.tolist(), [[[1.0], [2.0]], [[3.0], [9.0]]])
        packed = pack_padded_sequence(padded, [2, 1], batch_first=True)
        self.assertEqual(packed.data.tolist(), [[1.0], [3.0], [2.0]])
        self.assertEqual(packed.double().data.dtype, opyard.float64)
        again, lengths = pad_packed_sequence(packed, padding_value=7.0, total_length=3)
        self.assertEqual(again.tolist(), [[[1.0], [3.0]], [[2.0], [7.0]], [[7.0], [7.0]]])
        self.assertEqual(lengths.tolist(), [2, 1])
        self.assertRaisesRegex(RuntimeError, "sorted in decreasing order",
                               pack_padded_sequence, padded, [1, 2], batch_first=True)

    def test_refusals(self):
        network, x = nn.LSTM(3, 2), opyard.ones(4, 5, 3)
        states = opyard.ones(1, 5, 2), opyard.ones(1, 4, 2)
        for error, text, call in (
                (RuntimeError, r"must be equal to input_size. Expected 3, got 2",
                 lambda: network(opyard.ones(4, 5, 2))),
                (ValueError, "Expected input to be 2D or 3D", lambda: network(opyard.ones(3))),
                (RuntimeError, r"Expected hidden\[1\] size \(1, 5, 2\), got \[1, 4, 2\]",
                 lambda: network(x, states)),
                (ValueError, "dtype does not match", lambda: network(x.double())),
                (ValueError, "proj_size has to be smaller", lambda: nn.LSTM(3, 2, proj_size=2)),
                (ValueError, "dropout should be a number", lambda: nn.GRU(3, 2, dropout=2)),
                (ValueError, "Unknown nonlinearity", lambda: nn.RNN(3, 2, nonlinearity="elu")),
                (RuntimeError, "inconsistent input_size: got 4 expected 3",
                 lambda: nn.GRUCell(3, 2)(opyard.ones(1, 4)))):
            with self.assertRaisesRegex(error, text):
                call()

    def test_it_learns(self):
        opyard.manual_seed(3)
        network, read = nn.GRU(1, 8), nn.Linear(8, 1)
        x = opyard.tensor([[[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]]])  # two sequences
        target = opyard.tensor([[1.0], [2.0]])  # how many ones each has
        parameters = list(network.parameters()) + list(read.parameters())
        optimizer = opyard.optim.Adam(parameters, lr=0.05)
        losses = []
        for _ in range(60):
            optimizer.zero_grad()
            _, state = network(x)
            loss = nn.functional.mse_loss(read(state[0]), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], losses[0] / 50)

    def test_ctc_of_one_way(self):
        # One step and one class: its logarithm is the loss.
        logs = opyard.tensor([[[0.2, 0.5, 0.3]]]).log()
        loss = nn.CTCLoss()(logs, opyard.tensor([[1]]), opyard.tensor([1]), opyard.tensor([1]))
        self.assertAlmostEqual(loss.item(), -math.log(0.5), 5)
        # Two targets in one step: there is no way.
        too_many = logs, opyard.tensor([[1, 2]]), (1,), (2,)
        self.assertEqual(nn.CTCLoss()(*too_many).item(), math.inf)
        self.assertEqual(nn.CTCLoss(zero_infinity=True)(*too_many).item(), 0.0)


class OptimTest(unittest.TestCase):
    def test_sgd_by_hand(self):
        p = nn.Parameter(opyard.tensor([1.0]))
        step = optim.SGD([p], lr=0.5, momentum=0.5)
        for wanted in (0.0, -1.5):  # gradient 2: velocities 2, then 3
            step.zero_grad()
            (2 * p).sum().backward()
            step.step()
            self.assertEqual(p.item(), wanted)

    def test_groups(self):
        a, b = nn.Parameter(opyard.ones(1)), nn.Parameter(opyard.ones(1))
        step = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.0}], lr=1.0)
        (a + b).sum().backward()
        self.assertEqual(step.step(lambda: 3), 3)
        self.assertEqual((a.item(), b.item()), (0.0, 1.0))
        self.assertEqual(step.state_dict()["param_groups"][1]["params"], [1])
        self.assertIn("Parameter Group 1", repr(step))
        for call in (lambda: optim.SGD([], lr=1), lambda: optim.SGD([a], lr=-1),
                     lambda: optim.Adam([a], betas=(1.0, 0)),
                     lambda: step.add_param_group({"params": [a]}),
                     lambda: optim.SGD([a * 2], lr=1),
                     lambda: optim.SGD([a], lr=1, nesterov=True)):
            self.assertRaises(ValueError, call)
        self.assertRaises(TypeError, optim.SGD, a, 0.1)

    def test_printed(self):
        """What PyTorch prints: all options by name, in order."""
        p = nn.Parameter(opyard.ones(1))
        self.assertEqual(repr(optim.Adam([p])), """Adam (
Parameter Group 0
    amsgrad: False
    betas: (0.9, 0.999)
    capturable: False
    differentiable: False
    eps: 1e-08
    foreach: None
    fused: None
    lr: 0.001
    maximize: False
    weight_decay: 0
)""")
        self.assertEqual(str(optim.SGD([{"params": [p], "name": "all"}], lr=0.1)), """SGD (
Parameter Group 0
    dampening: 0
    differentiable: False
    foreach: None
    fused: None
    lr: 0.1
    maximize: False
    momentum: 0
    name: all
    nesterov: False
    weight_decay: 0
)""")

    def test_ways_to_step(self):
        p = nn.Parameter(opyard.ones(1))
        self.assertEqual(optim.Adam([p], foreach=True).param_groups[0]["foreach"], True)
        with self.assertRaisesRegex(RuntimeError, "`fused` and `foreach` cannot be `True`"):
            optim.AdamW([p], foreach=True, fused=True)
        for make, name in ((optim.Adam, "capturable"), (optim.SGD, "differentiable"),
                           (optim.RMSprop, "capturable"), (optim.Adagrad, "differentiable")):
            with self.assertRaisesRegex(NotImplementedError, name):
                make([p], **{name: True})

    def test_state_as_it_was_saved(self):
        p, other = nn.Parameter(opyard.ones(1)), nn.Parameter(opyard.ones(1))
        state = optim.Adagrad([p], initial_accumulator_value=2.0).state_dict()["state"]
        self.assertEqual({k: v.item() for k, v in state[0].items()}, {"step": 0.0, "sum": 2.0})
        saved = optim.SGD([p], lr=0.5, momentum=0.25).state_dict()
        del saved["param_groups"][0]["maximize"]  # as a program before there was one
        step = optim.SGD([other], lr=0.1)
        step.load_state_dict(saved)
        group = step.param_groups[0]
        self.assertEqual((group["lr"], group["momentum"], group["maximize"]),
                         (0.5, 0.25, False))
        self.assertIs(group["params"][0], other)

    def test_state_needs_the_same_groups(self):
        p = nn.Parameter(opyard.ones(1))
        adam = optim.Adam([p])
        p.sum().backward()
        adam.step()
        saved = adam.state_dict()
        self.assertEqual(saved["state"][0]["step"].item(), 1.0)
        other = optim.Adam([nn.Parameter(opyard.ones(1)), nn.Parameter(opyard.ones(1))])
        self.assertRaises(ValueError, other.load_state_dict, saved)

    def test_plateau(self):
        p = nn.Parameter(opyard.ones(1))
        step = optim.SGD([p], lr=1.0)
        schedule = optim.lr_scheduler.ReduceLROnPlateau(step, patience=1, factor=0.5)
        rates = []
        for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0):
            schedule.step(loss)
            rates.append(step.param_groups[0]["lr"])
        self.assertEqual(rates, [1.0, 1.0, 1.0, 0.5, 0.5, 0.25, 0.25])

    def test_it_learns(self):
        x = opyard.linspace(-1, 1, 32).reshape(32, 1)
        wanted = 3 * x - 1
        net = nn.Linear(1, 1)
        adam = optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.0)
        for _ in range(200):
            adam.zero_grad()
            loss = F.mse_loss(net(x), wanted)
            loss.backward()
            adam.step()
        self.assertLess(loss.item(), 1e-4)


class DataTest(unittest.TestCase):
    def test_batches(self):
        data = TensorDataset(opyard.arange(5), opyard.ones(5, 2))
        batches = list(DataLoader(data, batch_size=2))
        self.assertEqual([b[0].tolist() for b in batches], [[0, 1], [2, 3], [4]])
        self.assertEqual(tuple(batches[0][1].shape), (2, 2))
        self.assertEqual(len(DataLoader(data, batch_size=2, drop_last=True)), 2)
        shuffled = [b[0].item() for b in DataLoader(data, shuffle=True)]
        self.assertEqual(sorted(shuffled), [0, 1, 2, 3, 4])
        self.assertEqual(list(BatchSampler(range(3), 2, True)), [[0, 1]])
        self.assertRaises(ValueError, BatchSampler, range(3), 0, True)

    def test_sets(self):
        class Squares(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return {"x": i * i, "name": str(i)}

        batch = next(iter(DataLoader(Squares(), batch_size=3)))
        self.assertEqual(batch["x"].tolist(), [0, 1, 4])
        self.assertEqual(batch["name"], ["0", "1", "2"])
        both = ConcatDataset([Squares(), Subset(Squares(), [3])])
        self.assertEqual((len(both), both[4]["x"], both[-1]["x"]), (5, 9, 9))
        parts = random_split(Squares(), [0.5, 0.5])
        self.assertEqual([len(part) for part in parts], [2, 2])
        self.assertEqual(sorted(p["x"] for part in parts for p in part_items(part)),
                         [0, 1, 4, 9])

        class Endless(IterableDataset):
            def __iter__(self):
                return iter(range(5))

        self.assertEqual([b.tolist() for b in DataLoader(Endless(), batch_size=2)],
                         [[0, 1], [2, 3], [4]])


def part_items(part):
    return [part[i] for i in range(len(part))]


if __name__ == "__main__":
    unittest.main()
