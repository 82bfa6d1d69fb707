# SPDX-License-Identifier: Apache-2.0
"""Gradients of every sample, and of every output: one backward for all of them, mapped over
by vmap."""
import opyard as torch

torch.set_printoptions(precision=3, sci_mode=False)

weight = torch.tensor([[1.0, -1.0], [0.5, 2.0], [-1.5, 0.25]], requires_grad=True)
inputs = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [-2.0, 1.0]])
losses = torch.tanh(inputs @ weight.t()).pow(2).sum(dim=1)

# One row of the identity picks one sample's loss; all rows are taken at once.
(per_sample,) = torch.autograd.grad(losses, weight, torch.eye(4), retain_graph=True,
                                    is_grads_batched=True)
print("shape:", tuple(per_sample.shape))
print("norms:", per_sample.flatten(1).norm(dim=1))

one_by_one = torch.stack([
    torch.autograd.grad(losses[i], weight, retain_graph=True)[0] for i in range(4)])
print("as one by one:", torch.allclose(per_sample, one_by_one))

(total,) = torch.autograd.grad(losses.sum(), weight)
print("they add up:", torch.allclose(per_sample.sum(0), total))


def f(x):
    return torch.stack([x[0] * x[1], x.sum() ** 2, x[1].sin()])


point = torch.tensor([0.5, 2.0])
print("jacobian:", torch.autograd.functional.jacobian(f, point))
print("hessian:", torch.autograd.functional.hessian(lambda x: (x**3).prod(), point))
