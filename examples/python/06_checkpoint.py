# SPDX-License-Identifier: Apache-2.0
"""Stop in the middle of a training, and go on as if nothing had been: the state of model,
optimiser and schedule in one file."""
import os
import tempfile

import opyard as torch

nn, optim = torch.nn, torch.optim


def make():
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter.copy_(torch.sin(torch.arange(parameter.numel()) + float(number)).reshape(
                parameter.shape))
    optimizer = optim.AdamW(model.parameters(), lr=0.05, weight_decay=0.01)
    return model, optimizer, optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)


def train(model, optimizer, scheduler, epochs):
    x = torch.sin(torch.arange(24.0)).reshape(8, 3)
    y = (x[:, :1] - x[:, 1:2] * x[:, 2:]) * 0.5
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


path = os.path.join(tempfile.mkdtemp(), "checkpoint")
model, optimizer, scheduler = make()
loss = train(model, optimizer, scheduler, 10)
torch.save({
    "epoch": 10,
    "loss": loss,
    "model": model.state_dict(),
    "optimizer": optimizer.state_dict(),
    "scheduler": scheduler.state_dict(),
}, path)
straight_on = train(model, optimizer, scheduler, 10)

other, optimizer, scheduler = make()
saved = torch.load(path)
print("saved in epoch", saved["epoch"], "keys:", list(saved["model"]))
print(other.load_state_dict(saved["model"]))
optimizer.load_state_dict(saved["optimizer"])
scheduler.load_state_dict(saved["scheduler"])
resumed = train(other, optimizer, scheduler, 10)
print("same loss:", resumed == straight_on, f"{resumed:.4f}")
print("same weights:", all(torch.equal(a, b) for a, b in zip(
    model.parameters(), other.parameters())))
try:
    other.load_state_dict({"0.weight": torch.zeros(5, 3)})
except RuntimeError as error:
    print(str(error).splitlines()[1].strip())
