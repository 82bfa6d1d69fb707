// SPDX-License-Identifier: Apache-2.0
// The operands of one kernel as contiguous memory of the type that it computes in:
// tensors that are so already are used as they are, others through a copy.
//
//   oyi_work w = oyi_work_begin(OY_DTYPE_F32);
//   const float* x = oyi_work_read(&w, in);
//   float* y = oyi_work_write(&w, out);
//   if (!w.failed) ...
//   return oyi_work_end(&w, status);
#ifndef OPYARD_SRC_BACKENDS_CPU_WORK_H_
#define OPYARD_SRC_BACKENDS_CPU_WORK_H_

#include "tensor/impl.h"

enum { OYI_WORK_MAX = 10 };

typedef struct oyi_work {
  oy_dtype dtype;
  bool failed;
  int count;
  struct {
    oyi_tensor *used, *out;  // |out| NULL: it is only read
  } held[OYI_WORK_MAX];
} oyi_work;

static inline oyi_work oyi_work_begin(oy_dtype dtype) {
  oyi_work w;
  w.dtype = dtype;
  w.failed = false;
  w.count = 0;
  return w;
}
// The elements, or NULL for no tensor; |failed| is set without memory.
void* oyi_work_read(oyi_work* w, const oyi_tensor* t);
// The same as elements of |dtype|.
void* oyi_work_read_as(oyi_work* w, const oyi_tensor* t, oy_dtype dtype);
// Where to write what |out| gets; it is not filled.
void* oyi_work_write(oyi_work* w, oyi_tensor* out);
// Both: what is there, to be written over.
void* oyi_work_update(oyi_work* w, oyi_tensor* t);
// Stores what was written, unless |status| or a step before is a failure, which it gives.
oy_status oyi_work_end(oyi_work* w, oy_status status);

// float for the 16-bit floats, the same for float and double; OY_DTYPE_ANY for others.
oy_dtype oyi_float_to_compute(oy_dtype dtype);
// "\"name\" not implemented for 'Long'"
void oyi_say_not_implemented(const char* name, oy_dtype dtype);
static inline oy_status oyi_not_implemented(const char* name, oy_dtype dtype) {
  oyi_say_not_implemented(name, dtype);
  return oy_failure();
}
// How many items of |size| elements one thread takes at a time, and how many such
// stretches |items| has. Both depend on the shape alone.
int64_t oyi_stretch(int64_t size);
static inline int64_t oyi_stretches(int64_t items, int64_t stretch) {
  return items / stretch + (items % stretch != 0);
}
// NULL for None.
static inline oyi_tensor* oyi_optional_tensor(oy_object* o) {
  return o == &oy_none_object ? NULL : oyi_tensor_cast(o);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_WORK_H_
