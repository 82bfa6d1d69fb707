# SPDX-License-Identifier: Apache-2.0
"""A convolutional network learns whether a bar in a picture lies or stands."""
import opyard as torch

nn = torch.nn


def pictures():
    """8 x 8, one bar each at every place: lying ones are class 0, standing ones class 1."""
    lying, standing = torch.zeros(8, 1, 8, 8), torch.zeros(8, 1, 8, 8)
    for i in range(8):
        lying[i, 0, i, 1:7] = 1.0
        standing[i, 0, 1:7, i] = 1.0
    return torch.cat([lying, standing]), torch.arange(16) // 8


net = nn.Sequential(
    nn.Conv2d(1, 4, kernel_size=3, padding=1),
    nn.BatchNorm2d(4),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(4, 8, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 2),
)
with torch.no_grad():
    for number, parameter in enumerate(net.parameters()):
        if parameter.dim() > 1:
            values = torch.cos(torch.arange(parameter.numel()) * 1.7 + number)
            parameter.copy_(values.reshape(parameter.shape) * 0.4)
        else:
            parameter.zero_() if number % 2 else parameter.fill_(1.0)
print(net)

images, labels = pictures()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
net.train()
for epoch in range(40):
    optimizer.zero_grad()
    loss = criterion(net(images), labels)
    loss.backward()
    optimizer.step()
    if epoch < 3:
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}")
net.eval()
print("batches seen:", net[1].num_batches_tracked.item())
with torch.no_grad():
    print("predicted:", net(images).argmax(dim=1).tolist())
