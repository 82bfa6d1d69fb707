# SPDX-License-Identifier: Apache-2.0
"""A small network tells two spirals apart: module, batches, schedule, accuracy."""
import math

import opyard as torch

nn, optim = torch.nn, torch.optim
F = nn.functional


def spirals(count):
    """Points on two arms, and which arm each is on."""
    angle = torch.linspace(0.3, 2.0 * math.pi, count)
    arm = torch.stack([angle * torch.cos(angle), angle * torch.sin(angle)], dim=1) / 6.0
    points = torch.cat([arm, -arm])
    return points, torch.cat([torch.zeros(count), torch.ones(count)]).to(torch.int64)


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(2, width)
        self.middle = nn.Linear(width, width)
        self.outer = nn.Linear(width, 2)

    def forward(self, x):
        x = torch.tanh(self.inner(x))
        return self.outer(torch.relu(self.middle(x)))


def fill(parameter, scale):
    """Numbers that are the same wherever this runs."""
    count = parameter.numel()
    values = torch.sin(torch.arange(count, dtype=torch.float32) * 12.9898) * scale
    with torch.no_grad():
        parameter.copy_(values.reshape(parameter.shape))


points, arms = spirals(64)
net = Net(24)
for name, parameter in net.named_parameters():
    fill(parameter, 1.5 if "inner" in name else 0.35)
print(net)
print("parameters:", sum(p.numel() for p in net.parameters()))

optimizer = optim.Adam(net.parameters(), lr=0.02)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=60, gamma=0.5)
for epoch in range(120):
    total = 0.0
    for start in range(0, 128, 32):
        batch = torch.arange(start // 32, 128, 4)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(points[batch]), arms[batch])
        loss.backward()
        optimizer.step()
        total += loss.item()
    scheduler.step()
    if epoch % 40 == 39:
        print(f"epoch {epoch + 1}: learning rate {scheduler.get_last_lr()[0]:.4f}")

with torch.no_grad():
    right = (net(points).argmax(1) == arms).sum().item()
print("right:", right >= 125, "loss below 0.1:", total / 4 < 0.1)
