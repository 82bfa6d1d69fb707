// SPDX-License-Identifier: Apache-2.0
// DLPack: tensors as other libraries see them (reference, 8.13).
#include "opyard/dlpack.h"

#include "base/memory.h"
#include "tensor/element.h"
#include "tensor/impl.h"

// The sizes that DLPack's own header has on 64-bit machines.
_Static_assert(sizeof(oy_dl_tensor) == 48, "DLTensor");
_Static_assert(sizeof(oy_dl_managed) == 64, "DLManagedTensor");
_Static_assert(sizeof(oy_dl_versioned) == 80, "DLManagedTensorVersioned");
_Static_assert(offsetof(oy_dl_tensor, code) == 20, "DLDataType");
_Static_assert(offsetof(oy_dl_versioned, tensor) == 32, "DLManagedTensorVersioned");

static const struct {
  uint8_t dtype, code, bits;
} g_types[] = {{OY_DTYPE_U8, OY_DL_UINT, 8},        {OY_DTYPE_I8, OY_DL_INT, 8},
               {OY_DTYPE_I16, OY_DL_INT, 16},       {OY_DTYPE_I32, OY_DL_INT, 32},
               {OY_DTYPE_I64, OY_DL_INT, 64},       {OY_DTYPE_U16, OY_DL_UINT, 16},
               {OY_DTYPE_U32, OY_DL_UINT, 32},      {OY_DTYPE_U64, OY_DL_UINT, 64},
               {OY_DTYPE_F16, OY_DL_FLOAT, 16},     {OY_DTYPE_F32, OY_DL_FLOAT, 32},
               {OY_DTYPE_F64, OY_DL_FLOAT, 64},     {OY_DTYPE_BF16, OY_DL_BFLOAT, 16},
               {OY_DTYPE_C32, OY_DL_COMPLEX, 32},   {OY_DTYPE_C64, OY_DL_COMPLEX, 64},
               {OY_DTYPE_C128, OY_DL_COMPLEX, 128}, {OY_DTYPE_BOOL, OY_DL_BOOL, 8}};

static const struct {
  oy_backend backend;
  int32_t type;
} g_devices[] = {{OY_BACKEND_CPU, OY_DL_CPU},
                 {OY_BACKEND_CUDA, OY_DL_CUDA},
                 {OY_BACKEND_HIP, OY_DL_ROCM}};

// -------------------------------------------------------------------- export

// What is handed out, and what it holds.
typedef struct exported {
  union {
    oy_dl_managed plain;
    oy_dl_versioned versioned;
  } out;
  oy_tensor* tensor;
  int64_t dims[];  // sizes, then strides
} exported;

static oy_status check_exportable(const oyi_tensor* t) {
  const uint64_t keys = t->header.keys.functionality;
  OY_CHECK(
      !(keys & (1ull << OY_KEY_AutogradFunctionality | 1ull << OY_KEY_AutogradOther)),
      INVALID_ARGUMENT,
      "Can't export tensors that require gradient, use tensor.detach()");
  OY_CHECK(!(keys & 1ull << OY_KEY_Conjugate), INVALID_ARGUMENT,
           "Can't export tensors with the conjugate bit set");
  OY_CHECK(!(keys & 1ull << OY_KEY_Negative), INVALID_ARGUMENT,
           "Can't export tensors with the negative bit set");
  OY_CHECK(t->storage, INVALID_ARGUMENT,
           "Can't export tensors with layout other than torch.strided");
  return OY_OK;
}

static oy_status fill_type(const oyi_tensor* t, oy_dl_tensor* out) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_types); i++) {
    if (g_types[i].dtype != t->header.dtype) continue;
    out->code = g_types[i].code;
    out->bits = g_types[i].bits;
    out->lanes = 1;
    return OY_OK;
  }
  OY_CHECK(oy_dtype_is_quantized(t->header.dtype), NOT_IMPLEMENTED,
           "float8 types are not supported by dlpack");
  return OY_FAIL(NOT_IMPLEMENTED, "QUInt/QInt types are not supported by dlpack");
}

static oy_status fill_device(const oyi_tensor* t, oy_dl_tensor* out) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_devices); i++) {
    if (g_devices[i].backend != (oy_backend)t->backend) continue;
    out->device_type = g_devices[i].type;
    out->device_id = t->device_index < 0 ? 0 : t->device_index;
    return OY_OK;
  }
  char device[64];
  oy_device_print(oyi_tensor_device(t), device, sizeof(device));
  return OY_FAIL(NOT_IMPLEMENTED, "Cannot pack tensors on %s", device);
}

// Strides of dimensions that are not walked along are written as 1.
static oy_status fill_tensor(const oyi_tensor* t, int64_t* dims, oy_dl_tensor* out) {
  OY_TRY(check_exportable(t));
  OY_TRY(fill_type(t, out));
  OY_TRY(fill_device(t, out));
  out->data = oyi_data(t);
  out->ndim = t->ndim;
  out->shape = dims;
  out->strides = dims + t->ndim;
  for (size_t i = 0; i < t->ndim; i++) {
    out->shape[i] = t->sizes[i];
    out->strides[i] = t->sizes[i] < 2 ? 1 : oyi_strides(t)[i];
  }
  return OY_OK;
}

static void delete_plain(oy_dl_managed* self) {
  if (!self) return;
  exported* e = (exported*)(void*)self;
  oy_tensor_release(e->tensor);
  oyi_free(e);
}
static void delete_versioned(oy_dl_versioned* self) {
  if (!self) return;
  exported* e = (exported*)(void*)self;
  oy_tensor_release(e->tensor);
  oyi_free(e);
}

static exported* export_new(const oy_tensor* tensor, bool versioned) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  exported* e = t ? oyi_zalloc(sizeof(*e) + 2u * t->ndim * sizeof(int64_t)) : NULL;
  if (!e) return NULL;
  if (fill_tensor(t, e->dims,
                  versioned ? &e->out.versioned.tensor : &e->out.plain.tensor) != 0) {
    oyi_free(e);
    return NULL;
  }
  e->tensor = oy_tensor_retain(oyi_tensor_object(t));
  return e;
}

oy_dl_managed* oy_dlpack_export(const oy_tensor* tensor) {
  exported* e = export_new(tensor, false);
  if (!e) return NULL;
  e->out.plain.context = e;
  e->out.plain.deleter = delete_plain;
  return &e->out.plain;
}

oy_dl_versioned* oy_dlpack_export_versioned(const oy_tensor* tensor) {
  exported* e = export_new(tensor, true);
  if (!e) return NULL;
  e->out.versioned.major = OY_DLPACK_MAJOR;
  e->out.versioned.minor = OY_DLPACK_MINOR;
  e->out.versioned.context = e;
  e->out.versioned.deleter = delete_versioned;
  return &e->out.versioned;
}

// -------------------------------------------------------------------- import

static oy_status find_dtype(const oy_dl_tensor* in, oy_dtype* out) {
  static const char* const names[] = {"kInt",    "kUInt",    "kFloat", "",
                                      "kBfloat", "kComplex", "kBool"};
  *out = OY_DTYPE_ANY;
  OY_CHECK(in->lanes == 1, NOT_IMPLEMENTED, "ATen does not support lanes != 1");
  bool known = false;
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_types); i++) {
    if (g_types[i].code != in->code) continue;
    known = true;
    if (g_types[i].bits != in->bits) continue;
    *out = g_types[i].dtype;
    return OY_OK;
  }
  OY_CHECK(known, NOT_IMPLEMENTED, "Unsupported code %u", in->code);
  return OY_FAIL(NOT_IMPLEMENTED, "Unsupported %s bits %u", names[in->code], in->bits);
}

static oy_status find_device(const oy_dl_tensor* in, oy_device* out) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_devices); i++) {
    if (g_devices[i].type != in->device_type) continue;
    bool is_cpu = g_devices[i].backend == OY_BACKEND_CPU;
    OY_CHECK(is_cpu || (in->device_id >= 0 && in->device_id <= INT16_MAX),
             INVALID_ARGUMENT, "expected a device index up to %d, got %d", INT16_MAX,
             in->device_id);
    *out = oy_device_make(g_devices[i].backend, is_cpu ? -1 : (int16_t)in->device_id);
    return OY_OK;
  }
  return OY_FAIL(NOT_IMPLEMENTED, "Unsupported device_type: %d", in->device_type);
}

// |memory| has the deleter; its data and size are found here.
static oyi_tensor* import_tensor(const oy_dl_tensor* in, oy_tensor_memory* memory) {
  oy_dtype dtype;
  int64_t contiguous[OY_TENSOR_MAX_DIMS];
  int64_t numel;
  size_t nbytes;
  if (find_dtype(in, &dtype) != 0 || find_device(in, &memory->device) != 0) return NULL;
  if (in->ndim < 0 || in->ndim > OY_TENSOR_MAX_DIMS || (in->ndim > 0 && !in->shape)) {
    OY_FAIL(INVALID_ARGUMENT, "expected a shape of 0 to %d dimensions, got %d",
            OY_TENSOR_MAX_DIMS, in->ndim);
    return NULL;
  }
  const size_t item = oyi_dtype_bytes[dtype];
  oy_ints sizes = in->ndim ? (oy_ints){in->shape, (size_t)in->ndim} : oy_dims_none();
  oy_ints strides = {in->strides, sizes.size};
  if (oyi_sizes_check(sizes, item, &numel, &nbytes) != 0) return NULL;
  if (!in->strides) {
    oyi_strides_contiguous(sizes, contiguous);
    strides.data = contiguous;
  }
  if (oyi_storage_needed(sizes, strides, 0, item, &memory->nbytes) != 0) return NULL;
  memory->data = in->data ? (char*)in->data + in->byte_offset : NULL;
  if ((uintptr_t)memory->data % (item > 8 ? 8 : item) != 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "expected memory that is aligned to its elements of %zu "
            "bytes, got %p",
            item, memory->data);
    return NULL;
  }
  oy_tensor* t = oy_tensor_from_memory(memory, sizes, strides, dtype);
  return t ? oyi_tensor_cast(t) : NULL;
}

static bool is_consumed(const void* managed) {
  if (managed) return false;
  OY_FAIL(INVALID_ARGUMENT,
          "from_dlpack received an invalid capsule. Note that DLTensor capsules can be "
          "consumed only once, so you might have already constructed a tensor from it "
          "once.");
  return true;
}

static void drop_plain(void* context, void* data) {
  (void)data;
  oy_dl_managed* m = context;
  if (m->deleter) m->deleter(m);
}
static void drop_versioned(void* context, void* data) {
  (void)data;
  oy_dl_versioned* m = context;
  if (m->deleter) m->deleter(m);
}

oy_tensor* oy_dlpack_import(oy_dl_managed** managed) {
  if (is_consumed(managed ? *managed : NULL)) return NULL;
  oy_tensor_memory memory = {.deleter = drop_plain, .context = *managed};
  oyi_tensor* t = import_tensor(&(*managed)->tensor, &memory);
  if (t) *managed = NULL;
  return oyi_tensor_object(t);
}

oy_tensor* oy_dlpack_import_versioned(oy_dl_versioned** managed) {
  if (is_consumed(managed ? *managed : NULL)) return NULL;
  const oy_dl_versioned* m = *managed;
  if (m->major != OY_DLPACK_MAJOR) {
    OY_FAIL(NOT_IMPLEMENTED, "expected DLPack %d.x, got %u.%u", OY_DLPACK_MAJOR, m->major,
            m->minor);
    return NULL;
  }
  const bool read_only = m->flags & OY_DL_READ_ONLY;
  oy_tensor_memory memory = {.deleter = read_only ? NULL : drop_versioned,
                             .context = *managed};
  oyi_tensor* t = import_tensor(&m->tensor, &memory);
  if (t && read_only) {
    oyi_tensor* copy = NULL;
    if (t->backend == OY_BACKEND_CPU)
      copy = oyi_converted(t, t->header.dtype);
    else
      OY_FAIL(NOT_IMPLEMENTED, "only CPU memory can be imported read-only");
    oy_tensor_release(&t->header);
    t = copy;
    if (t) drop_versioned(*managed, NULL);
  }
  if (t) *managed = NULL;
  return oyi_tensor_object(t);
}
