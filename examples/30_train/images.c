// SPDX-License-Identifier: Apache-2.0
#include "images.h"

#include <stdio.h>

#include "opyard/opyard.h"

// zlib reads files that are not compressed, too.
#if OY_HAVE_ZLIB
#include <zlib.h>
typedef gzFile file;
static file file_open(const char* path) {
  return gzopen(path, "rb");
}
static bool file_read(file f, void* to, size_t size) {
  return gzfread(to, 1, size, f) == size;
}
// And what was read has the sum that the file says.
static bool file_at_end(file f) {
  int code = Z_OK;
  bool more = gzgetc(f) >= 0;
  (void)gzerror(f, &code);
  return !more && code == Z_OK;
}
static void file_close(file f) {
  (void)gzclose(f);
}
static const char* const suffixes[] = {".gz", ""};
#else
typedef FILE* file;
static file file_open(const char* path) {
  return fopen(path, "rb");
}
static bool file_read(file f, void* to, size_t size) {
  return fread(to, 1, size, f) == size;
}
static bool file_at_end(file f) {
  return getc(f) < 0;
}
static void file_close(file f) {
  (void)fclose(f);
}
static const char* const suffixes[] = {""};
#endif

enum { MOST_SAMPLES = 1 << 24, MOST_SIDE = 1 << 10 };

static oy_status open_one(const char* folder, const char* set, const char* kind,
                          file* out) {
  char path[4096];
  const size_t count = sizeof(suffixes) / sizeof(suffixes[0]);
  for (size_t i = 0; i < count; i++) {
    int n =
        snprintf(path, sizeof(path), "%s/%s-%s-ubyte%s", folder, set, kind, suffixes[i]);
    OY_CHECK(n > 0 && (size_t)n < sizeof(path), INVALID_ARGUMENT, "the path is too long");
    if ((*out = file_open(path))) return OY_OK;
  }
  return OY_FAIL(IO, "cannot open %s", path);
}

// Bytes 0 and 1 are zero, 2 is the type (8: unsigned bytes), 3 the number of dimensions;
// then these, four bytes each, the highest first.
static oy_status read_header(file f, int dims, int64_t* sizes) {
  unsigned char b[4 * 4];
  const size_t size = 4 * (1 + (size_t)dims);
  OY_CHECK(file_read(f, b, size), PARSE, "expected a header of %zu bytes", size);
  OY_CHECK(b[0] == 0 && b[1] == 0 && b[2] == 8 && b[3] == dims, PARSE,
           "expected bytes in %d dimensions, got type %d in %d", dims, b[2], b[3]);
  for (int d = 0; d < dims; d++) {
    const unsigned char* p = b + 4 + 4 * d;
    sizes[d] = (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
    const int64_t most = d == 0 ? MOST_SAMPLES : MOST_SIDE;
    OY_CHECK(sizes[d] > 0 && sizes[d] <= most, PARSE,
             "size %d: expected 1 to %lld, got %lld", d, (long long)most,
             (long long)sizes[d]);
  }
  return OY_OK;
}

// The first |limit| entries of a file.
static oy_status read_bytes(file f, int dims, int64_t limit, int64_t* sizes,
                            oy_tensor** out) {
  OY_TRY(read_header(f, dims, sizes));
  const bool all = limit == 0 || limit >= sizes[0];
  if (!all) sizes[0] = limit;
  oy_tensor* t =
      oy_tensor_empty((oy_ints){sizes, (size_t)dims}, OY_DTYPE_U8, oy_device_cpu());
  if (!t) return oy_failure();
  *out = t;
  const size_t size = (size_t)oy_tensor_numel(t);
  OY_CHECK(file_read(f, oy_tensor_data(t), size), PARSE,
           "expected %zu bytes after the header, there are fewer", size);
  OY_CHECK(!all || file_at_end(f), PARSE,
           "expected %zu bytes after the header, and then the end", size);
  return OY_OK;
}

static oy_status read_one(const char* folder, const char* set, const char* kind, int dims,
                          int64_t limit, int64_t* sizes, oy_tensor** out) {
  file f;
  OY_TRY(open_one(folder, set, kind, &f));
  oy_status status = read_bytes(f, dims, limit, sizes, out);
  if (status) oy_error_note("in %s/%s-%s-ubyte", folder, set, kind);
  file_close(f);
  return status;
}

static oy_status take_labels(oy_tensor* bytes, images* out) {
  const unsigned char* p = oy_tensor_data(bytes);
  for (int64_t i = 0; i < out->count; i++)
    OY_CHECK(p[i] < CLASSES, PARSE, "label %lld: expected one below %d, got %d",
             (long long)i, CLASSES, p[i]);
  out->labels = oy_to_dtype(bytes, OY_DTYPE_I64, false, false, oy_none());
  return out->labels ? OY_OK : oy_failure();
}

static oy_status read_both(const char* folder, const char* set, int64_t limit,
                           images* out, oy_tensor** pixels, oy_tensor** labels) {
  int64_t sizes[3], count;
  OY_TRY(read_one(folder, set, "images-idx3", 3, limit, sizes, pixels));
  OY_TRY(read_one(folder, set, "labels-idx1", 1, limit, &count, labels));
  OY_CHECK(count == sizes[0], PARSE, "%s: %lld images but %lld labels", set,
           (long long)sizes[0], (long long)count);
  *out = (images){.count = count, .rows = sizes[1], .columns = sizes[2]};
  out->pixels = oy_tensor_view(*pixels, OY_DIMS(count, 1, sizes[1], sizes[2]));
  return out->pixels ? take_labels(*labels, out) : oy_failure();
}

oy_status images_read(const char* folder, const char* set, int64_t limit, images* out) {
  *out = (images){.pixels = NULL};
  oy_tensor *pixels = NULL, *labels = NULL;
  oy_status status = read_both(folder, set, limit, out, &pixels, &labels);
  oy_tensor_release(pixels);
  oy_tensor_release(labels);
  if (status) images_free(out);
  return status;
}

void images_free(images* set) {
  oy_tensor_release(set->pixels);
  oy_tensor_release(set->labels);
  *set = (images){.pixels = NULL};
}

// Mean and deviation are those of Fashion-MNIST's training set. A call that is given NULL
// gives NULL: one check at the end serves for all.
oy_status images_batch(const images* set, oy_tensor* index, oy_tensor** out_x,
                       oy_tensor** out_labels) {
  oy_tensor* bytes = oy_index_select(set->pixels, 0, index);
  oy_tensor* x = oy_to_dtype(bytes, OY_DTYPE_F32, false, false, oy_none());
  x = oy_div__Scalar(x, oy_float(255));
  x = oy_sub__Scalar(x, oy_float(0.286), oy_int(1));
  *out_x = oy_div__Scalar(x, oy_float(0.353));
  *out_labels = oy_index_select(set->labels, 0, index);
  return *out_x && *out_labels ? OY_OK : oy_failure();
}
