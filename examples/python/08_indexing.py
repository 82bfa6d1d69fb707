# SPDX-License-Identifier: Apache-2.0
"""Parts of tensors: views, copies, and writing through either."""
import opyard as torch

x = torch.arange(24).reshape(2, 3, 4)
print(x[0, 1, 2].item(), x[-1, -1].tolist(), x[..., 0].tolist())
print(x[:, 1:, ::2].shape, x[None, ..., None].shape, x[1][2][3].item())

view = x[0]
view[0, 0] = 100
print("a view writes through:", x[0, 0, 0].item())

rows = torch.tensor([2, 0])
print(x[0][rows].tolist())
print(x[:, rows, torch.tensor([1, 3])].tolist())
print(x[x % 5 == 0].tolist())
print(x[torch.tensor([True, False])].shape, x[[0, 1], [1, 2]].tolist())

y = torch.zeros(3, 4)
y[1] = 1.0
y[:, -1] = torch.tensor([7.0, 8.0, 9.0])
y[y == 0] = -1.0
y[[0, 2], [0, 1]] += 5
print(y)

z = torch.zeros(5)
z.index_add_(0, torch.tensor([1, 1, 3]), torch.tensor([1.0, 2.0, 4.0]))
print(z, z.gather(0, torch.tensor([3, 1])), torch.where(z > 0, z, -z))

first, *rest = x
print(first.shape, len(rest), [part.shape for part in torch.split(x, [1, 2], dim=1)])
print(x.transpose(0, 2).is_contiguous(), x.permute(2, 0, 1).shape, x.flatten(1).shape)
for wrong in (lambda: x[2], lambda: x[0, 0, 0, 0], lambda: x[:, 5]):
    try:
        wrong()
    except IndexError as error:
        print("IndexError:", error)
