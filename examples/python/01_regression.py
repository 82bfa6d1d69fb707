# SPDX-License-Identifier: Apache-2.0
"""A line through points, first by hand with gradients, then by an optimiser."""
import opyard as torch

nn, optim = torch.nn, torch.optim

x = torch.linspace(-1.0, 1.0, 21)
y = 3.0 * x - 0.5 + 0.1 * torch.sin(17.0 * x)

slope = torch.tensor(0.0, requires_grad=True)
offset = torch.tensor(0.0, requires_grad=True)
for step in range(100):
    loss = ((slope * x + offset - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.5 * slope.grad
        offset -= 0.5 * offset.grad
    slope.grad = None
    offset.grad = None
print(f"by hand: y = {slope.item():.3f} x + {offset.item():.3f}, loss {loss.item():.5f}")

model = nn.Linear(1, 1)
with torch.no_grad():
    model.weight.fill_(0.0)
    model.bias.fill_(0.0)
optimizer = optim.SGD(model.parameters(), lr=0.2, momentum=0.5)
for step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x.unsqueeze(1)), y.unsqueeze(1))
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        print(f"step {step + 1}: loss {loss.item():.5f}")
print("model:", model)
print(f"y = {model.weight.item():.3f} x + {model.bias.item():.3f}")
