// SPDX-License-Identifier: Apache-2.0
// Singular values and eigenvalues by OpenBLAS' LAPACK.
#include "backends/cpu/linalg/openblas_functions.h"
#include "base/memory.h"

// What a query was about and said: the next matrix of a batch has the same sizes.
typedef struct answer {
  const char* job;
  int letter, m, n, size, reals, places;
} answer;

static bool is_about(const answer* a, const char* job, int letter, int m, int n) {
  return a->job && *a->job == *job && a->letter == letter && a->m == m && a->n == n;
}

// ------------------------------------------------------------------ singular values

static void unit(oy_dtype dtype, int64_t n, void* a) {
  size_t item = oyi_letter_item(oyi_letter_of(dtype));
  if (a) memset(a, 0, (size_t)(n * n) * item);
  for (int64_t i = 0; a && i < n; i++) {
    oyi_number one = {.kind = OYI_NUMBER_FLOAT, .i = 1, .re = 1};
    oyi_element_store(dtype, (char*)a + (size_t)(i + i * n) * item, one);
  }
}

typedef struct svd_call {
  int letter, m, n, ldu, ldvt;
  const char* job;
  void *a, *s, *u, *vt, *real_work;
  int* places;
} svd_call;

static int call_svd(const svd_call* c, void* work, int size) {
  int info = 0, lda = oyi_at_least_one(c->m);
  if (c->letter < 2)
    oyi_openblas_f[c->letter].gesdd(c->job, &c->m, &c->n, c->a, &lda, c->s, c->u, &c->ldu,
                                    c->vt, &c->ldvt, work, &size, c->places, &info, NULL);
  else
    oyi_openblas_f[c->letter].gesdd(c->job, &c->m, &c->n, c->a, &lda, c->s, c->u, &c->ldu,
                                    c->vt, &c->ldvt, work, &size, c->real_work, c->places,
                                    &info);
  return info;
}

static int svd_room(const svd_call* c, int* info) {
  static __thread answer last;
  double query[2];
  if (is_about(&last, c->job, c->letter, c->m, c->n)) return last.size;
  *info = call_svd(c, query, -1);
  if (*info != 0) return 1;
  last =
      (answer){c->job, c->letter, c->m, c->n, oyi_openblas_asked(c->letter, query), 0, 0};
  return last.size;
}

int32_t oyi_openblas_svd(oy_dtype dtype, bool full, int64_t m, int64_t n, void* a,
                         void* s, void* u, void* vh) {
  if (m == 0 || n == 0) {
    // Nothing to take apart: the whole bases are unit matrices.
    unit(dtype, full ? m : 0, u);
    unit(dtype, full ? n : 0, vh);
    return 0;
  }
  int letter = oyi_letter_of(dtype);
  int64_t least = oyi_least(m, n), most = m > n ? m : n;
  svd_call c = {.letter = letter,
                .m = (int)m,
                .n = (int)n,
                .ldu = oyi_at_least_one(m),
                .a = a,
                .s = s,
                .u = u,
                .vt = vh,
                .job = !u     ? "N"
                       : full ? "A"
                              : "S"};
  c.ldvt = full ? (int)n : (int)least;
  int64_t reals =
      least * (5 * least + 7 > 2 * most + 2 * least + 1 ? 5 * least + 7
                                                        : 2 * most + 2 * least + 1);
  int info = 0, size = svd_room(&c, &info);
  if (info != 0) return info;
  // Each part ends where the next one may begin.
  const size_t work = ((size_t)size * oyi_letter_item(letter) + 15) & ~(size_t)15;
  const size_t real = letter < 2 ? 0 : (size_t)reals * oyi_letter_real(letter);
  oyi_openblas_room room;
  char* at =
      oyi_openblas_room_begin(&room, work + real + (size_t)least * 8 * sizeof(int));
  if (!at) return OYI_LAPACK_NO_MEMORY;
  c.real_work = at + work;
  c.places = (int*)(void*)(at + work + real);
  info = call_svd(&c, at, size);
  oyi_openblas_room_end(&room);
  return info;
}

typedef struct eigh_call {
  int letter, n;
  const char* job;
  void *a, *values;
} eigh_call;

static int call_eigh(const eigh_call* c, void* work, const int* size, void* real_work,
                     const int* reals, int* places, const int* place_count) {
  syevd_fn f = oyi_openblas_f[c->letter].syevd;
  int info = 0;
  if (c->letter < 2)
    f(c->job, "L", &c->n, c->a, &c->n, c->values, work, size, places,
      (void*)(uintptr_t)place_count, &info, NULL, NULL, NULL);
  else
    f(c->job, "L", &c->n, c->a, &c->n, c->values, work, size, real_work,
      (void*)(uintptr_t)reals, places, (void*)(uintptr_t)place_count, &info, NULL);
  return info;
}

static int eigh_room(const eigh_call* c, answer* out) {
  static __thread answer last;
  double query[2], real_query[2] = {0};
  const int minus = -1;
  int places = 1, info = 0;
  if (!is_about(&last, c->job, c->letter, c->n, c->n)) {
    info = call_eigh(c, query, &minus, real_query, &minus, &places, &minus);
    if (info != 0) return info;
    last = (answer){c->job,
                    c->letter,
                    c->n,
                    c->n,
                    oyi_openblas_asked(c->letter, query),
                    c->letter < 2 ? 1 : oyi_openblas_asked(c->letter, real_query),
                    places};
  }
  *out = last;
  return 0;
}

// The number itself, with the vector 1.
static void one_by_one(int letter, bool vectors, void* a, void* value) {
  memcpy(value, a, oyi_letter_real(letter));
  if (vectors) memcpy(a, oyi_letter_one(letter), oyi_letter_item(letter));
}

int32_t oyi_openblas_eigh(oy_dtype dtype, bool vectors, int64_t n, void* a,
                          void* values) {
  if (n == 0) return 0;
  if (n == 1) {
    one_by_one(oyi_letter_of(dtype), vectors, a, values);
    return 0;
  }
  const eigh_call c = {oyi_letter_of(dtype), (int)n, vectors ? "V" : "N", a, values};
  answer room;
  int info = eigh_room(&c, &room);
  if (info != 0) return info;
  const size_t work = ((size_t)room.size * oyi_letter_item(c.letter) + 15) & ~(size_t)15;
  const size_t real = (size_t)room.reals * oyi_letter_real(c.letter);
  oyi_openblas_room memory;
  char* at = oyi_openblas_room_begin(
      &memory, work + real + (size_t)oyi_at_least_one(room.places) * sizeof(int));
  if (!at) return OYI_LAPACK_NO_MEMORY;
  info = call_eigh(&c, at, &room.size, at + work, &room.reals,
                   (int*)(void*)(at + work + real), &room.places);
  oyi_openblas_room_end(&memory);
  return info;
}

// ------------------------------------------------------------------------ eigenvalues

static double real_at(int letter, const void* x, int64_t i) {
  return letter % 2 == 0 ? (double)((const float*)x)[i] : ((const double*)x)[i];
}
static void put(int letter, void* x, int64_t i, double re, double im) {
  if (letter % 2 == 0)
    ((float*)x)[2 * i] = (float)re, ((float*)x)[2 * i + 1] = (float)im;
  else
    ((double*)x)[2 * i] = re, ((double*)x)[2 * i + 1] = im;
}

// Pairs of conjugate eigenvectors come as real and imaginary part in two columns.
static void widen(int letter, int64_t n, const void* wr, const void* wi, const void* v,
                  void* values, void* vectors) {
  for (int64_t k = 0; k < n; k++) {
    double im = real_at(letter, wi, k);
    put(letter, values, k, real_at(letter, wr, k), im);
    for (int64_t i = 0; vectors && i < n; i++) {
      int64_t re_at = im < 0 ? k - 1 : k, im_at = im < 0 ? k : k + 1;
      double y = im == 0 ? 0 : real_at(letter, v, i + im_at * n);
      put(letter, vectors, i + k * n, real_at(letter, v, i + re_at * n), im < 0 ? -y : y);
    }
  }
}

static int32_t eig_real(int letter, int64_t n, void* a, void* values, void* vectors) {
  int size_n = (int)n, lda = oyi_at_least_one(n), one = 1, size = -1, info = 0;
  const char* job = vectors ? "V" : "N";
  size_t item = oyi_letter_real(letter);
  char* w = oyi_calloc((size_t)(2 * n + (vectors ? n * n : 0)) + 1, item);
  if (!w) return OYI_LAPACK_NO_MEMORY;
  char *wi = w + (size_t)n * item, *v = wi + (size_t)n * item;
  double query[2];
  geev_fn f = oyi_openblas_f[letter].geev;
  f("N", job, &size_n, a, &lda, w, wi, NULL, &one, v, &lda, query, &size, &info);
  size = oyi_openblas_asked(letter, query);
  void* work = oyi_calloc((size_t)size, item);
  if (work) f("N", job, &size_n, a, &lda, w, wi, NULL, &one, v, &lda, work, &size, &info);
  if (work && info == 0) widen(letter, n, w, wi, v, values, vectors);
  oyi_free(w);
  oyi_free(work);
  return work ? info : OYI_LAPACK_NO_MEMORY;
}

int32_t oyi_openblas_eig(oy_dtype dtype, int64_t n, void* a, void* values,
                         void* vectors) {
  int letter = oyi_letter_of(dtype), size_n = (int)n, lda = oyi_at_least_one(n), one = 1,
      info = 0;
  if (n == 0) return 0;
  if (letter < 2) return eig_real(letter, n, a, values, vectors);
  const char* job = vectors ? "V" : "N";
  double query[2];
  int size = -1;
  void* real_work = oyi_calloc((size_t)n * 2, oyi_letter_real(letter));
  geev_fn f = oyi_openblas_f[letter].geev;
  if (real_work)
    f("N", job, &size_n, a, &lda, values, NULL, &one, vectors, &lda, query, &size,
      real_work, &info);
  size = real_work ? oyi_openblas_asked(letter, query) : 1;
  void* work = oyi_calloc((size_t)size, oyi_letter_item(letter));
  if (work && real_work)
    f("N", job, &size_n, a, &lda, values, NULL, &one, vectors, &lda, work, &size,
      real_work, &info);
  else
    info = OYI_LAPACK_NO_MEMORY;
  oyi_free(work);
  oyi_free(real_work);
  return info;
}
