// SPDX-License-Identifier: Apache-2.0
// Elements between tensors on any device. The host converts and rearranges: a tensor has a
// mirror there, of the same shape, which is moved to or from the device as bytes.
#include "base/memory.h"
#include "tensor/element.h"
#include "tensor/hooks.h"
#include "tensor/iterator.h"

// Bytes from the first to behind the last element.
static oy_status span_of(const oyi_tensor* t, size_t* out) {
  return oyi_storage_needed(oyi_sizes_view(t), oyi_strides_view(t), 0,
                            (size_t)oyi_item(t), out);
}

static oyi_tensor* host_tensor(const oyi_tensor* t, size_t span) {
  oyi_storage* s = oyi_storage_new(span, oy_device_cpu());
  if (!s) return NULL;
  oyi_tensor* mirror = oyi_tensor_on_storage(
      s, oyi_tensor_new_keys(oy_device_cpu(), t->header.dtype), oyi_sizes_view(t),
      oyi_strides_view(t), 0, t->header.dtype, oy_device_cpu());
  oyi_storage_release(s);
  return mirror;
}

// ------------------------------------------------------------------------ runs

// A tensor whose elements lie far apart is moved by runs: rows of elements that follow each
// other. The host's side holds them without gaps.
typedef struct runs {
  size_t dims;    // outer ones, which are walked
  int64_t count;  // of runs
  size_t bytes;   // of one
} runs;

static runs find_runs(const oyi_tensor* t) {
  runs r = {t->ndim, 1, (size_t)oyi_item(t)};
  int64_t next = 1;
  while (r.dims > 0 &&
         (oyi_strides(t)[r.dims - 1] == next || t->sizes[r.dims - 1] == 1)) {
    next *= t->sizes[--r.dims];
  }
  r.bytes *= (size_t)next;
  for (size_t d = 0; d < r.dims; d++) r.count *= t->sizes[d];
  return r;
}

// Each copy costs about as much as a few thousand bytes do.
static bool is_sparse(const runs* r, size_t span) {
  size_t cost;
  if (__builtin_mul_overflow((size_t)r->count, r->bytes + 4096, &cost)) return false;
  return cost < span;
}

// Moves run after run between |t| and the packed |host|.
static oy_status move_runs(const oyi_tensor* t, const runs* r, char* host, bool reads) {
  int64_t at[OY_TENSOR_MAX_DIMS] = {0};
  for (int64_t i = 0; i < r->count; i++, host += r->bytes) {
    int64_t element = t->offset;
    for (size_t d = 0; d < r->dims; d++) element += at[d] * oyi_strides(t)[d];
    size_t offset = (size_t)(element * oyi_item(t));
    OY_TRY(reads ? oyi_storage_read(t->storage, offset, r->bytes, host)
                 : oyi_storage_write(t->storage, offset, r->bytes, host));
    for (size_t d = r->dims; d-- > 0;) {
      if (++at[d] < t->sizes[d]) break;
      at[d] = 0;
    }
  }
  return OY_OK;
}

// --------------------------------------------------------------------- mirrors

static oyi_tensor* read_all(const oyi_tensor* t, size_t span) {
  oyi_tensor* mirror = host_tensor(t, span);
  if (!mirror) return NULL;
  if (oyi_storage_read(t->storage, (size_t)t->byte_offset, span, oyi_data(mirror)) == 0)
    return mirror;
  oy_tensor_release(&mirror->header);
  return NULL;
}

static oyi_tensor* read_runs(const oyi_tensor* t, const runs* r) {
  oyi_tensor* packed =
      oyi_tensor_new(oyi_sizes_view(t), t->header.dtype, oy_device_cpu());
  if (!packed || move_runs(t, r, oyi_data(packed), true) == 0) return packed;
  oy_tensor_release(&packed->header);
  return NULL;
}

oyi_tensor* oyi_host_mirror(const oyi_tensor* t) {
  size_t span;
  if (span_of(t, &span) != 0) return NULL;
  if (t->numel == 0) return host_tensor(t, 0);
  if (!t->storage) {
    oyi_hooks_no_data(t);
    return NULL;
  }
  runs r = find_runs(t);
  return is_sparse(&r, span) ? read_runs(t, &r) : read_all(t, span);
}

// |host|, of the same sizes and dtype, goes to |to|. What lies between the elements is
// read and written back, unless there is much of it.
static oy_status write_runs(oyi_tensor* to, const oyi_tensor* from, const runs* r) {
  oyi_tensor* packed = oyi_converted(from, to->header.dtype);
  if (!packed) return OY_OUT_OF_MEMORY;
  oy_status status = move_runs(to, r, oyi_data(packed), false);
  oy_tensor_release(&packed->header);
  return status;
}

static oy_status write_all(oyi_tensor* to, const oyi_tensor* from, size_t span) {
  bool has_gaps = !(to->flags & OYI_DENSE);
  oyi_tensor* mirror = has_gaps ? read_all(to, span) : host_tensor(to, span);
  if (!mirror) return oy_failure();
  oyi_convert(mirror, from);
  oy_status status =
      oyi_storage_write(to->storage, (size_t)to->byte_offset, span, oyi_data(mirror));
  oy_tensor_release(&mirror->header);
  return status;
}

static oy_status write_remote(oyi_tensor* to, const oyi_tensor* from) {
  size_t span;
  OY_TRY(span_of(to, &span));
  runs r = find_runs(to);
  return is_sparse(&r, span) ? write_runs(to, from, &r) : write_all(to, from, span);
}

// ---------------------------------------------------------------------- copies

static bool is_same_layout(const oyi_tensor* a, const oyi_tensor* b) {
  const uint8_t both = a->flags & b->flags;
  if (a->header.dtype != b->header.dtype || !(both & OYI_DENSE)) return false;
  return (both & OYI_CONTIGUOUS) ||
         oyi_same_sizes(oyi_strides_view(a), oyi_strides_view(b));
}

// Both have memory, the same sizes, and elements.
static oy_status copy_elements(oyi_tensor* to, const oyi_tensor* from,
                               bool non_blocking) {
  if (is_same_layout(to, from))
    return oyi_storage_copy(to->storage, (size_t)to->byte_offset, from->storage,
                            (size_t)from->byte_offset, (size_t)(to->numel * oyi_item(to)),
                            non_blocking);
  oyi_tensor* host = oyi_is_remote(from) ? oyi_host_mirror(from) : NULL;
  if (oyi_is_remote(from) && !host) return oy_failure();
  const oyi_tensor* here = host ? host : from;
  oy_status status = OY_OK;
  if (oyi_is_remote(to))
    status = write_remote(to, here);
  else
    oyi_convert(to, here);
  if (host) oy_tensor_release(&host->header);
  return status;
}

oy_status oyi_hooks_no_data(const oyi_tensor* t) {
  char text[64];
  oy_device_print(oyi_tensor_device(t), text, sizeof(text));
  return t->backend == OY_BACKEND_Meta
             ? OY_FAIL(NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!")
             : OY_FAIL(NOT_IMPLEMENTED, "a tensor on %s has no data to copy", text);
}

static oy_status copy_same_sizes(oyi_tensor* to, const oyi_tensor* from,
                                 bool non_blocking) {
  if (to == from || to->numel == 0) return OY_OK;
  if (to->backend == OY_BACKEND_Meta) return OY_OK;
  if (!oyi_data(from)) return oyi_hooks_no_data(from);
  if (!oyi_data(to)) return oyi_hooks_no_data(to);
  OY_TRY(oyi_output_check_overlap(to, &from, 1));
  return copy_elements(to, from, non_blocking);
}

oy_status oyi_device_copy(oyi_tensor* to, const oyi_tensor* from, bool non_blocking) {
  if (oyi_same_sizes(oyi_sizes_view(to), oyi_sizes_view(from)))
    return copy_same_sizes(to, from, non_blocking);
  // The source does not make the target larger: it is broadcast to it.
  oy_tensor* wide = oy_tensor_expand(&from->header, oyi_sizes_view(to));
  if (!wide) return oy_failure();
  oy_status status = copy_same_sizes(to, oyi_tensor_cast(wide), non_blocking);
  oy_tensor_release(wide);
  return status;
}

// Only operators conjugate and negate.
static oy_status check_memory(const oyi_tensor* t) {
  OY_CHECK(!oyi_is_turned(t), FAILED_PRECONDITION,
           "expected a tensor without the conjugate or negative bit; use resolve_conj() "
           "and resolve_neg() first");
  return OY_OK;
}

oy_status oy_tensor_copy_from(oy_tensor* tensor, const oy_tensor* source,
                              bool non_blocking) {
  oyi_tensor* to = oyi_tensor_of(tensor);
  const oyi_tensor* from = to ? oyi_tensor_of(source) : NULL;
  if (!from) return oy_failure();
  OY_TRY(check_memory(to));
  OY_TRY(check_memory(from));
  return oyi_device_copy(to, from, non_blocking);
}

oy_tensor* oy_tensor_copy_to(const oy_tensor* tensor, oy_dtype dtype, oy_device device) {
  const oyi_tensor* from = oyi_tensor_of(tensor);
  if (!from || check_memory(from) != OY_OK) return NULL;
  if (dtype == OY_DTYPE_ANY) dtype = from->header.dtype;
  oy_tensor* made = oy_tensor_empty(oyi_sizes_view(from), dtype, device);
  if (!made || oyi_device_copy(oyi_tensor_cast(made), from, false) == OY_OK) return made;
  oy_tensor_release(made);
  return NULL;
}

// ----------------------------------------------------------------------- fills

static oy_status fill_bytes(oyi_tensor* t, uint8_t byte, size_t nbytes, bool* out_done) {
  *out_done = false;
  const oyi_device_block* block = oyi_device_block_of(t->storage);
  if (!block || !block->hooks->hooks.fill) return OY_OK;
  const oy_device_hooks* h = &block->hooks->hooks;
  *out_done = true;
  return h->fill(h->state, block->index, t->storage->data, block->context,
                 (size_t)t->byte_offset, nbytes, byte);
}

static bool is_one_byte(const unsigned char* element, int64_t item) {
  for (int64_t i = 1; i < item; i++)
    if (element[i] != element[0]) return false;
  return true;
}

// A dense tensor: the host writes its beginning, which is then copied, doubled each time.
static oy_status fill_dense(oyi_tensor* t, const unsigned char* element) {
  const int64_t item = oyi_item(t);
  size_t nbytes = (size_t)(t->numel * item), begin = (size_t)t->byte_offset;
  bool done = false;
  if (is_one_byte(element, item)) OY_TRY(fill_bytes(t, element[0], nbytes, &done));
  if (done) return OY_OK;
  unsigned char chunk[4096];
  size_t have = nbytes < sizeof(chunk) ? nbytes : sizeof(chunk);
  for (size_t i = 0; i < have; i++) chunk[i] = element[i % (size_t)item];
  OY_TRY(oyi_storage_write(t->storage, begin, have, chunk));
  while (have < nbytes) {
    size_t more = nbytes - have < have ? nbytes - have : have;
    OY_TRY(oyi_storage_copy(t->storage, begin + have, t->storage, begin, more, false));
    have += more;
  }
  return OY_OK;
}

static oy_status fill_strided(oyi_tensor* t, const unsigned char* element) {
  oyi_tensor* number = oyi_tensor_new(oy_dims_none(), t->header.dtype, oy_device_cpu());
  if (!number) return OY_OUT_OF_MEMORY;
  memcpy(oyi_data(number), element, (size_t)oyi_item(t));
  oy_tensor* wide = oy_tensor_expand(&number->header, oyi_sizes_view(t));
  // Elements may share memory: they are given one value.
  oy_status status = wide ? write_remote(t, oyi_tensor_cast(wide)) : oy_failure();
  oy_tensor_release(wide);
  oy_tensor_release(&number->header);
  return status;
}

oy_status oyi_device_fill(oyi_tensor* t, oy_scalar value) {
  _Alignas(16) unsigned char element[16] = {0};
  oyi_number n = oyi_number_of_scalar(value);
  OY_TRY(oyi_number_check(n, t->header.dtype));
  if (t->numel == 0) return OY_OK;
  if (!oyi_data(t)) return oyi_hooks_no_data(t);
  oyi_element_store(t->header.dtype, element, n);
  return t->flags & OYI_DENSE ? fill_dense(t, element) : fill_strided(t, element);
}
