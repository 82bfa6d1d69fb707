// SPDX-License-Identifier: Apache-2.0
// The sets that have a name, what alias keys stand for, and which keys belong to
// a backend or a device (PyTorch reference, sections 1.6 to 1.8).
//
// Alias keys have one definition, oy_key_expand: membership asks it, and tables
// are refreshed by it. "All backends" are those known at the time of the call,
// so sets are computed and not kept.
//
// HIP, VE and MTIA have no Autograd key that tensors use; their AutogradHIP, ...
// slots exist but guard no backend, as in PyTorch 2.6.
#include "base/memory.h"
#include "dispatch/backend.h"
#include "opyard/key.h"

#define BIT(name) (1ull << OY_KEY_##name)

#define AUTOGRAD_MASK \
  (BIT(AutogradFunctionality) | BIT(AutogradOther) | BIT(AutogradNestedTensor))
#define AUTOCAST_MASK                                                          \
  (BIT(AutocastCPU) | BIT(AutocastXPU) | BIT(AutocastIPU) | BIT(AutocastHPU) | \
   BIT(AutocastXLA) | BIT(AutocastMPS) | BIT(AutocastCUDA) | BIT(AutocastPrivateUse1))
#define AUTOGRADOTHER_BACKENDS_MASK                                         \
  (BIT(FPGA) | BIT(MAIA) | BIT(Vulkan) | BIT(Metal) | BIT(CustomRNGKeyId) | \
   BIT(MkldnnCPU) | BIT(Sparse) | BIT(SparseCsr) | BIT(Quantized))
#define BACKENDS_MASK (AUTOGRADOTHER_BACKENDS_MASK | BIT(Dense))
#define MATH_MASK     (BACKENDS_MASK | AUTOGRAD_MASK | BIT(NestedTensor) | BIT(Functionalize))

static oy_keyset on_all_backends(uint64_t functionality) {
  return oy_keyset_make(functionality, oy_backend_all());
}

static oy_keyset on_no_backend(uint64_t functionality) {
  return oy_keyset_make(functionality, 0);
}

static oy_keyset non_functional_backends(void) {
  return oy_keyset_make(
      BACKENDS_MASK & ~BIT(Sparse),
      oy_backend_all() & ~(1ull << OY_BACKEND_XLA | 1ull << OY_BACKEND_Lazy));
}

oy_keyset oy_keyset_named(oy_keyset_name name) {
  switch (name) {
    case OY_KEYSET_AUTOGRAD: return on_no_backend(AUTOGRAD_MASK);
    case OY_KEYSET_AUTOGRAD_WITH_ADINPLACEORVIEW:
      return on_no_backend(AUTOGRAD_MASK | BIT(ADInplaceOrView));
    case OY_KEYSET_AUTOCAST:
    case OY_KEYSET_DEFAULT_EXCLUDED: return on_no_backend(AUTOCAST_MASK);
    case OY_KEYSET_DEFAULT_INCLUDED:
      return on_no_backend(BIT(BackendSelect) | BIT(ADInplaceOrView));
    case OY_KEYSET_PYTHON: return on_no_backend(BIT(Python) | BIT(PythonTLSSnapshot));
    case OY_KEYSET_AUTOGRADOTHER_BACKENDS:
      return on_all_backends(AUTOGRADOTHER_BACKENDS_MASK);
    case OY_KEYSET_BACKENDS: return on_all_backends(BACKENDS_MASK);
    case OY_KEYSET_NON_FUNCTIONAL_BACKENDS: return non_functional_backends();
    case OY_KEYSET_MATH: return on_all_backends(MATH_MASK);
    case OY_KEYSET_NESTED:
      return on_all_backends(BIT(AutogradNestedTensor) | BIT(NestedTensor));
    case OY_KEYSET_AFTER_AUTOGRAD:
      // AutogradOther is the lowest of the autograd keys.
      return oy_keyset_full_after(OY_KEY_AutogradOther);
    case OY_KEYSET_AFTER_ADINPLACEORVIEW:
      return oy_keyset_full_after(OY_KEY_ADInplaceOrView);
    case OY_KEYSET_AFTER_FUNCTIONALIZE:
      return oy_keyset_remove(oy_keyset_full_after(OY_KEY_Functionalize),
                              OY_KEY_ADInplaceOrView);
    case OY_KEYSET_FUNCTORCH_TRANSFORMS:
      return on_no_backend(BIT(FuncTorchBatched) | BIT(FuncTorchVmapMode) | BIT(Batched) |
                           BIT(VmapMode) | BIT(FuncTorchGradWrapper));
    case OY_KEYSET_FUNCTORCH_BATCHED: return on_no_backend(BIT(FuncTorchBatched));
    case OY_KEYSET_BACKEND_FUNCTIONALITIES:
      return on_all_backends(BIT(Dense) | BIT(Quantized) | BIT(Sparse) | BIT(SparseCsr));
  }
  return oy_keyset_empty();
}

// ------------------------------------------------------------------ alias keys

oy_keyset oy_key_expand(oy_key key) {
  if (!oy_key_is_alias(key)) return oy_keyset_of(key);
  switch (key) {
    case OY_KEY_Autograd: return on_all_backends(AUTOGRAD_MASK);
    case OY_KEY_CompositeImplicitAutograd: return oy_keyset_named(OY_KEYSET_MATH);
    case OY_KEY_FuncTorchBatchedDecomposition:
      return oy_keyset_named(OY_KEYSET_FUNCTORCH_BATCHED);
    case OY_KEY_CompositeImplicitAutogradNestedTensor:
      return oy_keyset_named(OY_KEYSET_NESTED);
    case OY_KEY_CompositeExplicitAutograd:
      // Without NestedTensor, as is the next: BACKENDS has no such bit.
      return oy_keyset_named(OY_KEYSET_BACKENDS);
    case OY_KEY_CompositeExplicitAutogradNonFunctional:
      return oy_keyset_named(OY_KEYSET_NON_FUNCTIONAL_BACKENDS);
    default: return oy_keyset_empty();
  }
}

_Static_assert((BACKENDS_MASK & BIT(NestedTensor)) == 0,
               "CompositeExplicit kernels are not for nested tensors");

bool oy_key_in_alias(oy_key key, oy_key alias) {
  if (key == OY_KEY_Undefined || oy_key_is_alias(key)) return false;
  if (!oy_key_is_alias(alias)) return key == alias;
  return oy_keyset_has(oy_key_expand(alias), key);
}

bool oy_key_is_backend(oy_key key) {
  return oy_keyset_has(oy_keyset_named(OY_KEYSET_BACKENDS), key);
}

// -------------------------------------------------------- autograd and autocast

oy_key oy_key_autograd_of_backend(oy_backend backend) {
  if (!oy_backend_has_autograd(backend)) return OY_KEY_AutogradOther;
  return (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, backend);
}

oy_key oy_key_autocast_of_backend(oy_backend backend) {
  switch (backend) {
    case OY_BACKEND_CPU: return OY_KEY_AutocastCPU;
    case OY_BACKEND_XPU: return OY_KEY_AutocastXPU;
    case OY_BACKEND_IPU: return OY_KEY_AutocastIPU;
    case OY_BACKEND_HPU: return OY_KEY_AutocastHPU;
    case OY_BACKEND_XLA: return OY_KEY_AutocastXLA;
    case OY_BACKEND_MPS: return OY_KEY_AutocastMPS;
    case OY_BACKEND_CUDA: return OY_KEY_AutocastCUDA;
    case OY_BACKEND_PrivateUse1: return OY_KEY_AutocastPrivateUse1;
    default: return OY_KEY_Undefined;
  }
}

oy_keyset oy_key_backends_of_autograd(oy_key key) {
  if (key == OY_KEY_AutogradOther)
    return oy_keyset_named(OY_KEYSET_AUTOGRADOTHER_BACKENDS);
  if (key == OY_KEY_AutogradNestedTensor) return on_all_backends(BIT(NestedTensor));
  oy_backend backend = oy_key_backend(key);
  if (oy_key_functionality(key) != OY_KEY_AutogradFunctionality ||
      !oy_backend_has_autograd(backend))
    return oy_keyset_empty();
  return oy_keyset_of((oy_key)OY_KEY_OF(OY_KEY_Dense, backend));
}

oy_keyset oy_keyset_autograd_related(oy_backend backend) {
  return oy_keyset_add(oy_keyset_of(OY_KEY_ADInplaceOrView),
                       oy_key_autograd_of_backend(backend));
}

oy_keyset oy_keyset_autocast_related(oy_backend backend) {
  return oy_keyset_of(oy_key_autocast_of_backend(backend));
}

// --------------------------------------------------------------------- devices

static const char* layout_name(oy_layout layout) {
  static const char* const names[] = {
      [OY_LAYOUT_STRIDED] = "Strided",      [OY_LAYOUT_SPARSE] = "Sparse",
      [OY_LAYOUT_SPARSE_CSR] = "SparseCsr", [OY_LAYOUT_MKLDNN] = "Mkldnn",
      [OY_LAYOUT_SPARSE_CSC] = "SparseCsc", [OY_LAYOUT_SPARSE_BSR] = "SparseBsr",
      [OY_LAYOUT_SPARSE_BSC] = "SparseBsc", [OY_LAYOUT_JAGGED] = "Jagged",
  };
  return (size_t)layout < OY_ARRAY_SIZE(names) ? names[layout] : "Unknown";
}

oy_status oy_key_of_device(oy_backend backend, oy_layout layout, bool quantized,
                           oy_key* out_key) {
  *out_key = OY_KEY_Undefined;
  const char* name = oy_backend_name(backend);
  OY_CHECK(name, INVALID_ARGUMENT, "there is no backend %d", backend);
  switch (layout) {
    case OY_LAYOUT_STRIDED:
      *out_key = (oy_key)OY_KEY_OF(quantized ? OY_KEY_Quantized : OY_KEY_Dense, backend);
      return OY_OK;
    case OY_LAYOUT_SPARSE:
      *out_key = (oy_key)OY_KEY_OF(OY_KEY_Sparse, backend);
      return OY_OK;
    case OY_LAYOUT_SPARSE_CSR:
    case OY_LAYOUT_SPARSE_CSC:
    case OY_LAYOUT_SPARSE_BSR:
    case OY_LAYOUT_SPARSE_BSC:
      *out_key = (oy_key)OY_KEY_OF(OY_KEY_SparseCsr, backend);
      return OY_OK;
    case OY_LAYOUT_MKLDNN:
      if (backend == OY_BACKEND_CPU) {
        *out_key = OY_KEY_MkldnnCPU;
        return OY_OK;
      }
      char device[OYI_BACKEND_NAME_MAX + 1];
      oyi_device_spelling(oy_str_of(name), device);
      return OY_FAIL(NOT_IMPLEMENTED, "Unsupported device type for mkldnn layout: %s",
                     device);
    default:
      return OY_FAIL(NOT_IMPLEMENTED, "Unsupported layout: %s", layout_name(layout));
  }
}
