# SPDX-License-Identifier: Apache-2.0
"""opyard.optim: numbers by hand and texts as PyTorch's. That steps and rates are PyTorch's is
tests/oracle/modules.py's business."""
import copy
import unittest

import opyard
from opyard import nn, optim
from opyard.optim import lr_scheduler


def parameter(*numbers):
    return nn.Parameter(opyard.tensor(list(numbers)))


class OptimizerTest(unittest.TestCase):
    def test_options_out_of_range(self):
        p = parameter(1.0)
        for make, options, text in (
                (optim.Adadelta, {"rho": 2}, "Invalid rho value: 2"),
                (optim.Adadelta, {"eps": -1}, "Invalid epsilon value: -1"),
                (optim.Adamax, {"betas": (1, 0.9)}, "Invalid beta parameter at index 0: 1"),
                (optim.NAdam, {"momentum_decay": -1}, "Invalid momentum_decay value: -1"),
                (optim.RAdam, {"weight_decay": -1}, "Invalid weight_decay value: -1"),
                (optim.Rprop, {"etas": (2, 3)}, "Invalid eta values: 2, 3"),
                (optim.ASGD, {"lr": -1}, "Invalid learning rate: -1")):
            with self.assertRaises(ValueError) as caught:
                make([p], **options)
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(ValueError, "LBFGS doesn't support per-parameter options"):
            optim.LBFGS([{"params": [p]}, {"params": [parameter(2.0)]}])
        bad = optim.LBFGS([p], line_search_fn="weak")
        with self.assertRaisesRegex(RuntimeError, "only 'strong_wolfe' is supported"):
            bad.step(lambda: self.computed(bad, (p ** 2).sum()))

    @staticmethod
    def computed(optimizer, loss):
        optimizer.zero_grad()
        loss.backward()
        return loss

    def test_nadam(self):
        """Dozat's formulas in Python's numbers. PyTorch 1.13 has one momentum too many in
        the product that the next step's is divided by; later ones have not."""
        for lr, (beta1, beta2), decay in ((0.1, (0.9, 0.999), 4e-3), (0.5, (0.5, 0.8), 0.1)):
            p, x = parameter(1.0), 1.0
            nadam = optim.NAdam([p], lr=lr, betas=(beta1, beta2), momentum_decay=decay)
            mean = square = 0.0
            product = 1.0
            for t in range(1, 5):
                self.computed(nadam, (p ** 2).sum())
                nadam.step()
                g = 2 * x
                now, then = (beta1 * (1 - 0.5 * 0.96 ** (k * decay)) for k in (t, t + 1))
                product *= now
                mean = beta1 * mean + (1 - beta1) * g
                square = beta2 * square + (1 - beta2) * g * g
                ahead = then * mean / (1 - product * then) + (1 - now) * g / (1 - product)
                x -= lr * ahead / ((square / (1 - beta2**t)) ** 0.5 + 1e-8)
                self.assertAlmostEqual(p.item(), x, places=5)

    def test_decoupled_decay(self):
        for make in (optim.NAdam, optim.RAdam):
            p = parameter(2.0)
            step = make([p], lr=0.5, weight_decay=0.1, decoupled_weight_decay=True)
            p.grad = opyard.zeros(1)
            step.step()
            self.assertAlmostEqual(p.item(), 2.0 * (1 - 0.5 * 0.1), places=6)

    def test_lbfgs_finds_the_valley(self):
        for dtype, places in ((opyard.float32, 3), (opyard.float64, 5)):
            p = nn.Parameter(opyard.tensor([-1.5, 2.0], dtype=dtype))
            lbfgs = optim.LBFGS([p], max_iter=100, line_search_fn="strong_wolfe")

            def rosenbrock():
                return self.computed(lbfgs, (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2)

            before = rosenbrock().item()
            self.assertEqual(lbfgs.step(rosenbrock).item(), before)
            for found in p.tolist():
                self.assertAlmostEqual(found, 1.0, places=places)
            self.assertLess(lbfgs.state[p]["func_evals"], 100)

    def test_lbfgs_goes_on_from_its_state(self):
        results = []
        for saves in (False, True):
            p, q = parameter(3.0, -2.0), parameter(1.0)
            lbfgs = optim.LBFGS([p, q], lr=0.3, max_iter=3)

            def closure():
                return self.computed(lbfgs, (p ** 4).sum() + ((q - p[0]) ** 2).sum())

            lbfgs.step(closure)
            if saves:
                kept = copy.deepcopy(lbfgs.state_dict())
                lbfgs = optim.LBFGS([p, q], lr=0.3, max_iter=3)
                lbfgs.load_state_dict(kept)
            lbfgs.step(closure)
            results.append(p.tolist() + q.tolist())
        self.assertEqual(*results)

    def test_lbfgs_without_gradient(self):
        p, unused = parameter(2.0), parameter(1.0)
        lbfgs = optim.LBFGS([p, unused], lr=0.5)
        lbfgs.step(lambda: self.computed(lbfgs, ((p - 1) ** 2).sum()))
        self.assertAlmostEqual(p.item(), 1.0, places=4)
        self.assertEqual(unused.item(), 1.0)


class ScheduleTest(unittest.TestCase):
    def test_arguments(self):
        plain = optim.SGD([parameter(1.0)], lr=0.1)
        none = optim.Adagrad([parameter(1.0)])
        s = lr_scheduler
        for make, text in (
                (lambda: s.CosineAnnealingWarmRestarts(plain, 2.5),
                 "Expected positive integer T_0, but got 2.5"),
                (lambda: s.CosineAnnealingWarmRestarts(plain, 2, 0),
                 "Expected integer T_mult >= 1, but got 0"),
                (lambda: s.CosineAnnealingWarmRestarts(plain, 2).step(-1),
                 "Expected non-negative epoch, but got -1"),
                (lambda: s.CyclicLR(plain, 0.1, 0.2, mode="none"),
                 "mode is invalid and scale_fn is None"),
                (lambda: s.CyclicLR(plain, 0.1, [0.2, 0.3]),
                 "expected 1 values for max_lr, got 2"),
                (lambda: s.CyclicLR(none, 0.1, 0.2),
                 "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"),
                (lambda: s.OneCycleLR(plain, 0.1),
                 "You must define either total_steps OR (epochs AND steps_per_epoch)"),
                (lambda: s.OneCycleLR(plain, 0.1, epochs=1, steps_per_epoch=-2),
                 "Expected positive integer steps_per_epoch, but got -2"),
                (lambda: s.OneCycleLR(plain, 0.1, 5, pct_start=2),
                 "Expected float between 0 and 1 pct_start, but got 2"),
                (lambda: s.OneCycleLR(plain, 0.1, 5, anneal_strategy="no"),
                 "anneal_strategy must by one of 'cos' or 'linear', instead got no"),
                (lambda: s.ChainedScheduler([s.StepLR(plain, 2), s.StepLR(none, 2)]),
                 "ChainedScheduler expects all schedulers to belong to the same optimizer, but "
                 "got schedulers at index 0 and 1 to be different")):
            with self.assertRaises(ValueError) as caught:
                make()
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(TypeError, "list is not an Optimizer"):
            s.StepLR([], 2)

    def test_one_cycle_ends(self):
        step = optim.SGD([parameter(1.0)], lr=0.1)
        schedule = lr_scheduler.OneCycleLR(step, 0.1, 3)
        for _ in range(3):
            schedule.step()
        with self.assertRaisesRegex(ValueError, "Tried to step 5 times. The specified number of "
                                                "total steps is 3"):
            schedule.step()

    def test_betas_are_momentum(self):
        adam = optim.Adam([parameter(1.0)], betas=(0.5, 0.75))
        lr_scheduler.OneCycleLR(adam, 0.1, 10)
        self.assertEqual(adam.param_groups[0]["betas"], (0.95, 0.75))
        lr_scheduler.CyclicLR(adam, 0.1, 0.2)
        self.assertEqual(adam.param_groups[0]["betas"], (0.9, 0.75))

    def test_restarts_at_fractions(self):
        rates = {}
        for multiple in (1, 2):
            step = optim.SGD([parameter(1.0)], lr=1.0)
            schedule = lr_scheduler.CosineAnnealingWarmRestarts(step, 2, multiple)
            rates[multiple] = []
            for epoch in (0.5, 1, 2, 3, 4, 7):
                schedule.step(epoch)
                rates[multiple].append(round(schedule.get_last_lr()[0], 6))
        self.assertEqual(rates, {1: [0.853553, 0.5, 1.0, 0.5, 1.0, 0.5],
                                 2: [0.853553, 0.5, 1.0, 0.853553, 0.5, 0.96194]})


if __name__ == "__main__":
    unittest.main()
