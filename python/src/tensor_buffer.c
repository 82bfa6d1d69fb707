// SPDX-License-Identifier: Apache-2.0
#include "tensor_buffer.h"

static const struct {
  const char* format;  // of the module struct, as NumPy has it
  oy_dtype dtype;
} formats[] = {
    {"B", OY_DTYPE_U8},    {"b", OY_DTYPE_I8},   {"h", OY_DTYPE_I16},
    {"i", OY_DTYPE_I32},   {"q", OY_DTYPE_I64},  {"e", OY_DTYPE_F16},
    {"f", OY_DTYPE_F32},   {"d", OY_DTYPE_F64},  {"Zf", OY_DTYPE_C64},
    {"Zd", OY_DTYPE_C128}, {"?", OY_DTYPE_BOOL}, {"H", OY_DTYPE_U16},
    {"I", OY_DTYPE_U32},   {"Q", OY_DTYPE_U64},  {"l", OY_DTYPE_I64},
    {"L", OY_DTYPE_U64},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static const char* format_of(oy_dtype dtype) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (formats[i].dtype == dtype) return formats[i].format;
  return NULL;
}

// ------------------------------------------------------------------- giving

// Shape and strides in bytes follow each other; the view owns them.
static int describe_shape(const oy_tensor* tensor, Py_buffer* view) {
  oy_ints sizes = oy_tensor_sizes(tensor), strides = oy_tensor_strides(tensor);
  Py_ssize_t* numbers = PyMem_Malloc((2 * sizes.size + 1) * sizeof *numbers);
  if (!numbers) {
    PyErr_NoMemory();
    return -1;
  }
  for (size_t d = 0; d < sizes.size; d++) {
    numbers[d] = (Py_ssize_t)sizes.data[d];
    numbers[sizes.size + d] = (Py_ssize_t)strides.data[d] * view->itemsize;
  }
  view->internal = numbers;
  view->ndim = (int)sizes.size;
  view->shape = numbers;
  view->strides = numbers + sizes.size;
  return 0;
}

int pyoy_tensor_getbuffer(PyObject* self, Py_buffer* view, int flags) {
  static char nothing[16];
  oy_tensor* tensor = ((pyoy_tensor*)self)->tensor;
  const char* format = format_of(tensor->dtype);
  const char* why = NULL;
  view->obj = NULL;
  if (oy_tensor_device(tensor).backend != OY_BACKEND_CPU)
    why = "only tensors on the CPU have memory to share";
  else if (pyoy_has_handler(tensor))
    why = "the tensor has a handler, which alone knows what it holds";
  else if (!format)
    why = "the buffer protocol has no format for this dtype";
  else if (tensor->keys.functionality &
           (1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative))
    why = "resolve_conj() and resolve_neg() come first: the memory has other numbers";
  else if (oy_tensor_numel(tensor) > 0 && !oy_tensor_data(tensor))
    why = "the tensor has no memory";
  else if (!(flags & PyBUF_STRIDES) &&
           !oy_tensor_is_contiguous(tensor, OY_MEMORY_CONTIGUOUS))
    why = "the tensor is not contiguous";
  if (why) {
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
  }
  void* data = oy_tensor_data(tensor);
  view->itemsize = (Py_ssize_t)oy_dtype_size(tensor->dtype);
  if (describe_shape(tensor, view) != 0) return -1;
  view->buf = data ? data : nothing;
  view->len = (Py_ssize_t)oy_tensor_numel(tensor) * view->itemsize;
  view->readonly = 0;
  view->format = flags & PyBUF_FORMAT ? (char*)(uintptr_t)format : NULL;
  view->suboffsets = NULL;
  if (!(flags & PyBUF_ND)) view->shape = NULL;
  if (!(flags & PyBUF_STRIDES)) view->strides = NULL;
  view->obj = Py_NewRef(self);
  return 0;
}

void pyoy_tensor_releasebuffer(PyObject* self, Py_buffer* view) {
  (void)self;
  PyMem_Free(view->internal);
}

// ------------------------------------------------------------------- taking

// The last tensor over the memory may go on any thread.
static void release_view(void* context, void* data) {
  (void)data;
  PyGILState_STATE state = PyGILState_Ensure();
  PyBuffer_Release(context);
  PyMem_Free(context);
  PyGILState_Release(state);
}

static int find_dtype(const Py_buffer* view, oy_dtype* out_dtype) {
  const char* format = view->format ? view->format : "B";
  // Native byte order, written out.
  if (*format == '@' || *format == '=' || *format == '<') format++;
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(formats[i].format, format) == 0 &&
        oy_dtype_size(formats[i].dtype) == (size_t)view->itemsize) {
      *out_dtype = formats[i].dtype;
      return 0;
    }
  PyErr_Format(PyExc_TypeError, "expected a buffer of numbers, got the format '%s'",
               format);
  return -1;
}

static oy_tensor* tensor_over(Py_buffer* view) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  oy_dtype dtype;
  if (find_dtype(view, &dtype) != 0) return NULL;
  if (view->ndim > OY_TENSOR_MAX_DIMS || view->readonly) {
    PyErr_SetString(PyExc_ValueError,
                    "expected a buffer that may be written, of at most 64 dimensions");
    return NULL;
  }
  int64_t extent = 1;
  for (int d = 0; d < view->ndim; d++) {
    if (view->strides[d] % view->itemsize ||
        (view->strides[d] < 0 && view->shape[d] > 1)) {
      PyErr_SetString(PyExc_ValueError,
                      "expected strides that are not negative and whole elements");
      return NULL;
    }
    sizes[d] = view->shape[d];
    strides[d] = view->strides[d] < 0 ? 0 : view->strides[d] / view->itemsize;
    extent = sizes[d] == 0 ? 0 : extent + (sizes[d] - 1) * strides[d] * (extent > 0);
    if (sizes[d] == 0) break;
  }
  for (int d = 0; d < view->ndim; d++) {
    sizes[d] = view->shape[d];
    strides[d] = view->strides[d] < 0 ? 0 : view->strides[d] / view->itemsize;
  }
  oy_tensor_memory memory = {.data = view->buf,
                             .nbytes = (size_t)(extent * view->itemsize),
                             .deleter = release_view,
                             .context = view,
                             .device = oy_device_cpu()};
  oy_tensor* tensor =
      oy_tensor_from_memory(&memory, (oy_ints){sizes, (size_t)view->ndim},
                            (oy_ints){strides, (size_t)view->ndim}, dtype);
  if (!tensor) pyoy_raise();
  return tensor;
}

PyObject* pyoy_from_buffer(PyObject* module, PyObject* object) {
  (void)module;
  Py_buffer* view = PyMem_Calloc(1, sizeof *view);
  if (!view) return PyErr_NoMemory();
  if (PyObject_GetBuffer(object, view, PyBUF_RECORDS_RO) != 0) {
    PyMem_Free(view);
    return NULL;
  }
  oy_tensor* tensor = tensor_over(view);
  if (tensor) return pyoy_wrap(tensor);
  PyBuffer_Release(view);
  PyMem_Free(view);
  return NULL;
}

static void release_owner(void* context, void* data) {
  (void)data;
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF((PyObject*)context);
  PyGILState_Release(state);
}

int pyoy_ints_from(PyObject* sequence, int64_t* numbers, oy_ints* out_ints) {
  Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) return -1;
  if (size > OY_TENSOR_MAX_DIMS) {
    PyErr_SetString(PyExc_ValueError, "expected at most 64 dimensions");
    return -1;
  }
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject* item = PySequence_GetItem(sequence, i);
    if (!item) return -1;
    numbers[i] = PyLong_AsLongLong(item);
    Py_DECREF(item);
    if (numbers[i] == -1 && PyErr_Occurred()) return -1;
  }
  *out_ints = (oy_ints){numbers, (size_t)size};
  return 0;
}

// The whole memory as one row, so that tensors made of it later share the storage;
// then the view that is wanted.
static PyObject* over_pointer(oy_tensor_memory* memory, oy_dtype dtype, oy_ints sizes,
                              oy_ints strides, int64_t offset) {
  int64_t count = (int64_t)(memory->nbytes / oy_dtype_size(dtype)), one = 1;
  oy_tensor* row =
      oy_tensor_from_memory(memory, (oy_ints){&count, 1}, (oy_ints){&one, 1}, dtype);
  if (!row) return pyoy_raise();
  Py_INCREF((PyObject*)memory->context);
  oy_tensor* tensor = oy_tensor_as_strided(row, sizes, strides, offset);
  oy_tensor_release(row);
  return pyoy_wrap(tensor);
}

PyObject* pyoy_from_pointer(PyObject* module, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"address", "nbytes", "dtype", "sizes",
                          "strides", "offset", "owner", NULL};
  (void)module;
  unsigned long long address;
  long long offset;
  Py_ssize_t nbytes;
  PyObject *dtype_object, *sizes_object, *strides_object, *owner;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "KnOOOLO:from_pointer", names, &address,
                                   &nbytes, &dtype_object, &sizes_object, &strides_object,
                                   &offset, &owner))
    return NULL;
  int64_t dtype, sizes_data[OY_TENSOR_MAX_DIMS], strides_data[OY_TENSOR_MAX_DIMS];
  oy_ints sizes, strides;
  if (pyoy_ints_from(sizes_object, sizes_data, &sizes) != 0 ||
      pyoy_ints_from(strides_object, strides_data, &strides) != 0)
    return NULL;
  if (nbytes < 0 || !pyoy_constant_value(dtype_object, pyoy_dtype_type, &dtype)) {
    PyErr_SetString(PyExc_TypeError, "expected a number of bytes and a dtype");
    return NULL;
  }
  oy_tensor_memory memory = {.data = (void*)(uintptr_t)address,
                             .nbytes = (size_t)nbytes,
                             .deleter = release_owner,
                             .context = owner,
                             .device = oy_device_cpu()};
  return over_pointer(&memory, (oy_dtype)dtype, sizes, strides, offset);
}

PyObject* pyoy_copy_memory(PyObject* module, PyObject* args) {
  (void)module;
  unsigned long long address;
  Py_ssize_t count;
  PyObject* dtype_object;
  int64_t dtype, size;
  if (!PyArg_ParseTuple(args, "KnO!:copy_memory", &address, &count, pyoy_dtype_type,
                        &dtype_object))
    return NULL;
  pyoy_constant_value(dtype_object, pyoy_dtype_type, &dtype);
  size = count;
  return pyoy_wrap(oy_tensor_from_data((const void*)(uintptr_t)address,
                                       (oy_ints){&size, 1}, (oy_dtype)dtype));
}
