// SPDX-License-Identifier: Apache-2.0
// What the plugin declares of CUDA, against CUDA's own headers. Compiled where these are
// found; there is nothing to run.
#include <cublasLt.h>
#include <cuda.h>
#include <nvrtc.h>

#include "backends/cuda/cuda_api.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)

SAME(CUDA_OK, CUDA_SUCCESS);
SAME(CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(CUDA_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(CUDA_COMPUTE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(CUDA_COMPUTE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(CUDA_EVENT_NO_TIMING, CU_EVENT_DISABLE_TIMING);
SAME(CUDA_HOST_PORTABLE, CU_MEMHOSTALLOC_PORTABLE);
SAME(CUBLAS_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(CUBLAS_F32, CUDA_R_32F);
SAME(CUBLAS_F64, CUDA_R_64F);
SAME(CUBLAS_F16, CUDA_R_16F);
SAME(CUBLAS_BF16, CUDA_R_16BF);
SAME(CUBLAS_IN_F32, CUBLAS_COMPUTE_32F);
SAME(CUBLAS_IN_F64, CUBLAS_COMPUTE_64F);
SAME(CUBLAS_TRANSPOSE, CUBLAS_OP_T);
SAME(CUBLAS_DESC_TRANS_A, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(CUBLAS_DESC_TRANS_B, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(CUBLAS_LAYOUT_BATCH, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(CUBLAS_LAYOUT_BATCH_STRIDE, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(CUBLAS_PREF_WORKSPACE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(CUBLAS_PREF_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(sizeof(cublas_choice), sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(cublas_choice, workspace),
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME(NVRTC_SUCCESS, 0);
SAME(CUBLAS_STATUS_SUCCESS, 0);
SAME(sizeof(CUdeviceptr), sizeof(uint64_t));
SAME(sizeof(CUdevice), sizeof(int));
SAME(sizeof(CUresult), sizeof(int));
SAME(sizeof(nvrtcResult), sizeof(int));
SAME(sizeof(cublasStatus_t), sizeof(int));

// Calls through the plugin's declarations with the driver's types: the compiler sees the
// number of parameters and what each of them takes.
int cuda_api_agrees(CUcontext context, CUstream stream, CUevent event,
                    CUfunction function, CUmodule module, CUdevice device,
                    CUdeviceptr address);
int cuda_api_agrees(CUcontext context, CUstream stream, CUevent event,
                    CUfunction function, CUmodule module, CUdevice device,
                    CUdeviceptr address) {
  cuda_api api = {0};
  void* data = NULL;
  return api.CtxSetCurrent(context) + api.MemFree(address) +
         api.MemcpyAsync(address, address, sizeof(int), stream) +
         api.StreamWaitEvent(stream, event, 0) + api.EventRecord(event, stream) +
         api.LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, &data, &data) +
         api.ModuleUnload(module) + api.DevicePrimaryCtxRetain(&data, device);
}
