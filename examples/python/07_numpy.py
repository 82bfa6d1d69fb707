# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays and tensors on the same memory."""
import numpy as np

import opyard as torch

array = np.arange(6.0, dtype=np.float32).reshape(2, 3)
tensor = torch.from_numpy(array)
tensor[0, 0] = 10.0
array[1, 2] = -1.0
print(array)
print(tensor)

back = tensor.t().numpy()
back += 1
print("strides:", back.strides, "sum:", tensor.sum().item())

shared = torch.as_tensor(array)
print("as_tensor shares:", shared.data_ptr() == tensor.data_ptr())
copied = torch.tensor(array)
copied.zero_()
print("tensor() copies:", array[0, 0])

picture = np.from_dlpack(torch.arange(4))
print("by DLPack:", picture, torch.from_dlpack(np.arange(3)))

print("NumPy's functions:", np.sqrt(torch.tensor([1.0, 4.0, 9.0]).numpy()))
print("dtypes:", torch.from_numpy(np.array([1, 2], dtype=np.int16)).dtype,
      torch.from_numpy(np.array([True])).dtype, torch.from_numpy(np.zeros(1, complex)).dtype)
try:
    torch.ones(2, requires_grad=True).numpy()
except RuntimeError as error:
    print("refused:", error)
