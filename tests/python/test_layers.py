# SPDX-License-Identifier: Apache-2.0
"""Layers that refuse with PyTorch's texts, and lazy modules. That layers compute what
PyTorch's do is tests/oracle/modules.py's business."""
import copy
import unittest
import warnings

import opyard
from opyard import nn, optim
from opyard.nn import functional as F
from opyard.nn.lazy import LazyModuleMixin
from opyard.nn.parameter import is_lazy


def setUpModule():
    warnings.simplefilter("ignore")  # of lazy modules, and of names that went


class RefusalTest(unittest.TestCase):
    def refuses(self, kind, text, call, *args, **kwargs):
        with self.assertRaises(kind) as caught:
            call(*args, **kwargs)
        self.assertEqual(str(caught.exception), text)

    def test_attention(self):
        m, r = nn.MultiheadAttention(6, 2), opyard.rand
        x, mask = r(2, 3, 6), opyard.zeros
        for kind, text, args, masks in (
                (AssertionError, "query should be unbatched 2D or batched 3D tensor but received "
                 "4-D query tensor", (r(2, 3, 6, 1), x, x), {}),
                (AssertionError, "For batched (3-D) `query`, expected `key` and `value` to be 3-D "
                 "but found 2-D and 3-D tensors respectively", (x, r(2, 6), x), {}),
                (AssertionError, "For unbatched (2-D) `query`, expected `key_padding_mask` to be "
                 "`None` or 1-D but found 2-D tensor instead", (r(2, 6),) * 3,
                 {"key_padding_mask": mask(2, 2)}),
                (AssertionError, "For batched (3-D) `query`, expected `attn_mask` to be `None`, "
                 "2-D or 3-D but found 1-D tensor instead", (x,) * 3, {"attn_mask": mask(3)}),
                (AssertionError, "was expecting embedding dimension of 6, but got 5",
                 (r(2, 3, 5),) * 3, {}),
                (AssertionError, "key shape torch.Size([4, 3, 6]) does not match value shape "
                 "torch.Size([2, 3, 6])", (x, r(4, 3, 6), x), {}),
                (AssertionError, "expecting key_padding_mask shape of (3, 4), but got "
                 "torch.Size([2, 2])", (x, r(4, 3, 6), r(4, 3, 6)),
                 {"key_padding_mask": mask(2, 2)}),
                (AssertionError, "Only float, byte, and bool types are supported for attn_mask, "
                 "not torch.int32", (x,) * 3, {"attn_mask": mask(2, 2, dtype=opyard.int32)}),
                (RuntimeError, "The shape of the 2D attn_mask is torch.Size([3, 3]), but should "
                 "be (2, 2).", (x,) * 3, {"attn_mask": mask(3, 3)}),
                (AssertionError, "Expected `attn_mask` shape to be (2, 2, 4) but got "
                 "torch.Size([3, 2, 4])", (r(2, 6), r(4, 6), r(4, 6)),
                 {"attn_mask": mask(3, 2, 4)})):
            self.refuses(kind, text, m, *args, **masks)

    def test_attention_function(self):
        x, w, b = opyard.rand(2, 1, 6), opyard.rand(6, 6), opyard.rand(6)
        for text, heads, options in (
                ("embed_dim 6 not divisible by num_heads 4", 4, {}),
                ("use_separate_proj_weight is False but in_proj_weight is None", 2, {}),
                ("use_separate_proj_weight is True but q_proj_weight is None", 2,
                 {"use_separate_proj_weight": True})):
            self.refuses(AssertionError, text, F.multi_head_attention_forward, x, x, x, 6, heads,
                         None, None, None, None, False, 0.0, w, b, **options)

    def test_others(self):
        r, long = opyard.rand, opyard.tensor
        adaptive = nn.AdaptiveLogSoftmaxWithLoss(16, 10, [3, 6])
        cutoffs = ("cutoffs should be a sequence of unique, positive integers sorted in an "
                   "increasing order, where each value is between 1 and n_classes-1")
        for kind, text, call in (
                (RuntimeError, "activation should be relu/gelu, not tanh",
                 lambda: nn.TransformerEncoderLayer(6, 2, 8, activation="tanh")),
                (RuntimeError, "the batch number of src and tgt must be equal",
                 lambda: nn.Transformer(6, 2, 1, 1, 8)(r(2, 3, 6), r(2, 2, 6))),
                (RuntimeError, "the feature number of src and tgt must be equal to d_model",
                 lambda: nn.Transformer(6, 2, 1, 1, 8)(r(2, 3, 5), r(2, 3, 5))),
                (AssertionError, "padding_idx must be within num_embeddings",
                 lambda: nn.EmbeddingBag(5, 3, padding_idx=7)),
                (ValueError, "FractionalMaxPool2d requires specifying either an output size, or "
                 "a pooling ratio", lambda: nn.FractionalMaxPool2d(2)),
                (ValueError, "only one of output_size and output_ratio may be specified",
                 lambda: nn.FractionalMaxPool3d(2, 3, output_ratio=0.5)),
                (ValueError, "output_ratio must be between 0 and 1 (got 2)",
                 lambda: nn.FractionalMaxPool2d(2, output_ratio=2)),
                (ValueError, cutoffs, lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 2])),
                (ValueError, cutoffs, lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 10])),
                (RuntimeError, "Input and target should have the same size in the batch "
                 "dimension.", lambda: adaptive(r(2, 16), long([3]))),
                (RuntimeError, "Target values should be in [0, 9], but values in range [3, 10] "
                 "were found. ", lambda: adaptive(r(2, 16), long([3, 10]))),
                (RuntimeError, "0D or 1D target tensor expected, multi-target not supported",
                 lambda: adaptive(r(2, 16), long([[3]])))):
            self.refuses(kind, text, call)


class LayerTest(unittest.TestCase):
    def test_bags_of_given_rows(self):
        table = opyard.arange(8.0).reshape(4, 2)
        bag = nn.EmbeddingBag.from_pretrained(table, mode="sum")
        self.assertFalse(bag.weight.requires_grad)
        numbers, offsets = opyard.tensor([0, 3, 1]), opyard.tensor([0, 2])
        self.assertEqual(bag(numbers, offsets).tolist(), [[6.0, 8.0], [2.0, 3.0]])
        self.assertTrue(nn.EmbeddingBag.from_pretrained(table, freeze=False)
                        .weight.requires_grad)

    def test_stacks_have_layers_of_their_own(self):
        layer = nn.TransformerEncoderLayer(4, 2, 8)
        stack = nn.TransformerEncoder(layer, 2)
        weights = [layer.linear1.weight] + [each.linear1.weight for each in stack.layers]
        self.assertEqual(len({id(weight) for weight in weights}), 3)
        self.assertEqual(weights[0].tolist(), weights[2].tolist())

    def test_whole_channels_drop(self):
        drop = nn.FeatureAlphaDropout(0.5)
        opyard.manual_seed(0)
        found = drop(opyard.ones(8, 16, 5))
        self.assertTrue((found == found[:, :, :1]).all().item())
        self.assertEqual(len(set(found[:, :, 0].flatten().tolist())), 2)
        x = opyard.rand(2, 3, 4)
        self.assertEqual(drop.eval()(x).tolist(), x.tolist())

    def test_random_windows_are_maxima(self):
        x = opyard.arange(49.0).reshape(1, 1, 7, 7)
        found, where = nn.FractionalMaxPool2d(2, output_ratio=0.6, return_indices=True)(x)
        self.assertEqual(tuple(found.shape), (1, 1, 4, 4))
        self.assertEqual(found.tolist(), where.to(dtype=opyard.float32).tolist())
        self.assertEqual(found[0, 0, -1, -1].item(), 48.0)  # the last window ends the image

    def test_crossing_channels_has_its_own_gradient(self):
        x = opyard.rand(1, 4, 2, 2, dtype=opyard.float64, requires_grad=True)
        norm = nn.CrossMapLRN2d(3, alpha=0.9, beta=0.6, k=2)
        self.assertTrue(opyard.autograd.gradcheck(norm, (x,)))


class ContainerTest(unittest.TestCase):
    def test_signs(self):
        first, second = nn.ReLU(), nn.Tanh()
        row = nn.Sequential(first)
        for made, wanted in ((row + nn.Sequential(second), [first, second]),
                             (row * 2, [first, first]), (3 * row, [first] * 3),
                             (nn.ModuleList([first]) + [second], [first, second])):
            self.assertEqual(list(made), wanted)
        self.assertEqual(len(row), 1)
        row += nn.Sequential(second)
        row *= 2
        self.assertEqual(list(row), [first, second] * 2)
        for error, text, call in (
                (ValueError, "add operator supports only objects of Sequential class, but "
                 "<class 'int'> is given.", lambda: row + 3),
                (ValueError, "Non-positive multiplication factor 0 for", lambda: row * 0),
                (TypeError, r"unsupported operand type\(s\) for \*", lambda: row * 1.5)):
            self.assertRaisesRegex(error, text, call)

    def test_parameters_by_name(self):
        of = nn.ParameterDict({"a": opyard.ones(2), "b": opyard.ones(1, 3)})
        self.assertEqual(str(of), "ParameterDict(\n"
                         "    (a): Parameter containing: [torch.FloatTensor of size 2]\n"
                         "    (b): Parameter containing: [torch.FloatTensor of size 1x3]\n)")
        self.assertEqual((list(reversed(of)), of.get("c"), of.get("c", 3)), (["b", "a"], None, 3))
        both = of | nn.ParameterDict({"c": opyard.zeros(1)})
        self.assertEqual((list(both), list(of)), (["a", "b", "c"], ["a", "b"]))
        self.assertIs(both["a"], of["a"])
        self.assertIs(of.setdefault("a", opyard.zeros(1)), of["a"])
        self.assertIsInstance(of.setdefault("d", opyard.zeros(1)), nn.Parameter)
        self.assertEqual((of.pop("d").tolist(), of.popitem()[0], len(of)), ([0.0], "b", 1))
        of.clear()
        self.assertEqual(len(of), 0)

    def test_parameters_in_a_row(self):
        row = nn.ParameterList([opyard.ones(2)])
        row += [opyard.ones(1, 2)]
        self.assertEqual(str(row), "ParameterList(\n"
                         "    (0): Parameter containing: [torch.float32 of size 2]\n"
                         "    (1): Parameter containing: [torch.float32 of size 1x2]\n)")
        with self.assertRaisesRegex(TypeError, "should be called with an iterable, but got int"):
            nn.ParameterList(3)


class LazyTest(unittest.TestCase):
    def test_before_the_first_call(self):
        lazy = nn.LazyLinear(3)
        self.assertTrue(lazy.has_uninitialized_params() and is_lazy(lazy.weight))
        self.assertEqual(repr(lazy.weight), "<UninitializedParameter>")
        self.assertEqual(repr(nn.LazyBatchNorm1d().running_var), "<UninitializedBuffer>")
        self.assertEqual((lazy.weight.dtype, lazy.weight.device.type, lazy.weight.is_leaf),
                         (opyard.float32, "cpu", True))
        for call in (lambda: lazy.weight + 1, lambda: lazy.weight.clone(),
                     lambda: lazy.weight.numel(), lambda: lazy.weight[0]):
            with self.assertRaisesRegex(ValueError, "Attempted to use an uninitialized "
                                                    "parameter in"):
                call()
        for call in (lambda: lazy.weight.shape,
                     lambda: nn.Linear(2, 3).load_state_dict(lazy.state_dict())):
            with self.assertRaisesRegex(RuntimeError, "Can't access the shape of an "
                                                      "uninitialized parameter or buffer."):
                call()

    def test_optimizers_keep_the_parameters(self):
        lazy = nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d())
        before = list(lazy.parameters())
        step = optim.SGD(before, lr=0.5)
        lazy(opyard.rand(4, 2)).square().sum().backward()
        self.assertEqual([type(each) for each in lazy], [nn.Linear, nn.BatchNorm1d])
        self.assertEqual(repr(lazy[0]), "Linear(in_features=2, out_features=3, bias=True)")
        for a, b in zip(before, lazy.parameters()):
            self.assertIs(a, b)
            self.assertIs(type(a), nn.Parameter)
        bias = lazy[1].bias.tolist()
        step.step()
        self.assertNotEqual(lazy[1].bias.tolist(), bias)

    def test_states(self):
        given = nn.Linear(2, 3)
        lazy = nn.LazyLinear(3)
        self.assertEqual(str(lazy.load_state_dict(nn.LazyLinear(3).state_dict())),
                         "<All keys matched successfully>")
        self.assertTrue(lazy.has_uninitialized_params())
        lazy.load_state_dict(given.state_dict())
        x = opyard.rand(4, 2)
        self.assertEqual(lazy(x).tolist(), given(x).tolist())
        self.assertEqual((type(lazy), lazy.in_features), (nn.Linear, 2))
        norm = nn.LazyBatchNorm1d()
        self.assertEqual(list(norm.state_dict()), list(nn.BatchNorm1d(2).state_dict()))

    def test_dtypes_and_copies(self):
        lazy = nn.Sequential(nn.LazyConv1d(3, 2), nn.LazyBatchNorm1d()).double()
        other = copy.deepcopy(lazy)
        other(opyard.rand(2, 4, 5, dtype=opyard.float64))
        self.assertTrue(is_lazy(lazy[0].weight) and is_lazy(lazy[1].running_mean))
        self.assertEqual(other[1].running_mean.dtype, opyard.float64)
        self.assertEqual(other[0].weight.dtype, opyard.float64)
        self.assertTrue(copy.deepcopy(other)[1].running_mean.dtype is opyard.float64)

    def test_inputs_that_do_not_fit(self):
        x = opyard.rand(2, 3, 4, 5, 6)
        with self.assertRaisesRegex(RuntimeError, r"Expected 3D \(unbatched\) or 4D \(batched\) "
                                    r"input to LazyConv2d, but got input of size: torch.Size"):
            nn.LazyConv2d(3, 3)(x)
        with self.assertRaisesRegex(ValueError, "in_channels must be divisible by groups"):
            nn.LazyConv2d(4, 3, groups=2)(x[:, :, 0])
        with self.assertRaisesRegex(ValueError, r"expected 4D input \(got 2D input\)"):
            nn.LazyBatchNorm2d()(x[0, 0, 0])

    def test_a_class_of_ones_own(self):
        class Scale(LazyModuleMixin, nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.UninitializedParameter()

            def initialize_parameters(self, input):
                if self.has_uninitialized_params():
                    self.weight.materialize(input.shape[1:])
                    nn.init.ones_(self.weight)

            def forward(self, input):
                return input * self.weight

        scale, x = Scale(), opyard.rand(2, 3)
        self.assertEqual(scale(x).tolist(), x.tolist())
        self.assertIs(type(scale), Scale)
        self.assertEqual(scale(x).tolist(), x.tolist())


if __name__ == "__main__":
    unittest.main()
