// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of any matrix: to Hessenberg form by reflectors, to Schur form by shifted QR
// steps, eigenvectors by substitution (Golub and Van Loan, "Matrix Computations", 4th
// edition, 7.4 to 7.6). In complex numbers, so that there is one kind of step.
#include <math.h>

#include "backends/cpu/linalg/linalg_portable.h"
#include "base/memory.h"

typedef double complex z;
#define A(i, j) a[(i) + (j)*n]
#define Q(i, j) q[(i) + (j)*n]

static double size_of(z x) {
  return fabs(creal(x)) + fabs(cimag(x));
}

// A becomes H^H A H, Q becomes Q H, where H = 1 - tau v v^H acts from row |first| on.
static void similar(int64_t n, int64_t first, const z* v, double tau, z* a, z* q) {
  for (int64_t j = 0; j < n; j++) {
    z sum = 0;
    for (int64_t i = first; i < n; i++) sum += conj(v[i]) * A(i, j);
    for (int64_t i = first; i < n; i++) A(i, j) -= tau * v[i] * sum;
  }
  for (int64_t i = 0; i < n; i++) {
    z sum = 0, turned = 0;
    for (int64_t j = first; j < n; j++) sum += A(i, j) * v[j], turned += Q(i, j) * v[j];
    for (int64_t j = first; j < n; j++) {
      A(i, j) -= tau * sum * conj(v[j]);
      Q(i, j) -= tau * turned * conj(v[j]);
    }
  }
}

static void to_hessenberg(int64_t n, z* a, z* q, z* v) {
  for (int64_t k = 0; k + 2 < n; k++) {
    double norm = 0, rest = 0;
    for (int64_t i = k + 1; i < n; i++) norm = hypot(norm, cabs(A(i, k)));
    for (int64_t i = k + 2; i < n; i++) rest += size_of(A(i, k));
    if (rest == 0) continue;
    z x = A(k + 1, k), sign = cabs(x) > 0 ? x / cabs(x) : 1;
    double square = 0;
    for (int64_t i = k + 1; i < n; i++) {
      v[i] = A(i, k) / norm;
      if (i == k + 1) v[i] += sign;
      square += creal(v[i] * conj(v[i]));
    }
    similar(n, k + 1, v, 2 / square, a, q);
    for (int64_t i = k + 2; i < n; i++) A(i, k) = 0;
  }
}

// The rotation [c s; -conj(s) c] that takes (x, y) to (r, 0).
static void rotation(z x, z y, double* c, z* s) {
  double ax = cabs(x), ay = cabs(y), r = hypot(ax, ay);
  if (r == 0) {
    *c = 1, *s = 0;
  } else if (ax == 0) {
    *c = 0, *s = conj(y) / ay;
  } else {
    *c = ax / r;
    *s = x / ax * conj(y) / r;
  }
}

static void rotate_rows(int64_t n, z* a, int64_t k, int64_t from, double c, z s) {
  for (int64_t j = from; j < n; j++) {
    z x = A(k, j), y = A(k + 1, j);
    A(k, j) = c * x + s * y;
    A(k + 1, j) = -conj(s) * x + c * y;
  }
}
static void rotate_columns(int64_t n, z* a, int64_t k, int64_t to, double c, z s) {
  for (int64_t i = 0; i < to; i++) {
    z x = A(i, k), y = A(i, k + 1);
    A(i, k) = c * x + conj(s) * y;
    A(i, k + 1) = -s * x + c * y;
  }
}

// Wilkinson's shift: the eigenvalue of the last 2 x 2 block that is nearer to its corner.
static z shift_of(int64_t n, const z* a, int64_t last) {
  z p = A(last - 1, last - 1), d = A(last, last);
  z half = (p - d) / 2, bc = A(last - 1, last) * A(last, last - 1);
  z root = csqrt(half * half + bc);
  z sum = half + root, difference = half - root;
  z great = cabs(sum) > cabs(difference) ? sum : difference;
  return great == 0 ? d : d - bc / great;
}

// One QR step of the rows |first| to |last|, applied to all of the matrix.
static void qr_step(int64_t n, z* a, z* q, int64_t first, int64_t last, z shift) {
  z x = A(first, first) - shift, y = A(first + 1, first);
  for (int64_t k = first; k < last; k++) {
    double c;
    z s;
    rotation(x, y, &c, &s);
    rotate_rows(n, a, k, k > first ? k - 1 : k, c, s);
    rotate_columns(n, a, k, k + 3 < last + 1 ? k + 3 : last + 1, c, s);
    rotate_columns(n, q, k, n, c, s);
    if (k + 1 < last) x = A(k + 1, k), y = A(k + 2, k);
  }
}

enum { STEPS = 60 };  // for one eigenvalue

// A becomes upper triangular. Gives the place, from 1, of one that was not found; or 0.
static int32_t to_schur(int64_t n, z* a, z* q) {
  int64_t last = n - 1;
  for (int steps = 0; last > 0;) {
    int64_t first = last;
    for (; first > 0; first--) {
      double near = size_of(A(first, first)) + size_of(A(first - 1, first - 1));
      if (size_of(A(first, first - 1)) > 2.3e-16 * near) continue;
      A(first, first - 1) = 0;
      break;
    }
    if (first == last) {
      last--, steps = 0;
      continue;
    }
    if (++steps > STEPS) return (int32_t)last + 1;
    z shift = shift_of(n, a, last);
    // A step that goes nowhere is taken elsewhere.
    if (steps % 10 == 0) shift = A(last, last) + size_of(A(last, last - 1));
    qr_step(n, a, q, first, last, shift);
  }
  return 0;
}

// The eigenvector of the triangular A for its k-th diagonal element, in |x|.
static void substitute(int64_t n, const z* a, int64_t k, double least, z* x) {
  x[k] = 1;
  for (int64_t i = k - 1; i >= 0; i--) {
    z sum = -A(i, k);
    for (int64_t j = i + 1; j < k; j++) sum -= A(i, j) * x[j];
    z difference = A(i, i) - A(k, k);
    if (cabs(difference) < least) difference = least;
    x[i] = sum / difference;
    double size = cabs(x[i]);
    for (int64_t j = i; size > 1e150 && j <= k; j++) x[j] /= size;
  }
}

// Columns of length 1, whose greatest element is real.
static void make_unit(int64_t n, z* v) {
  double norm = 0, greatest = 0;
  z at = 1;
  for (int64_t i = 0; i < n; i++) {
    double size = cabs(v[i]);
    norm = hypot(norm, size);
    if (size > greatest) greatest = size, at = v[i] / size;
  }
  for (int64_t i = 0; norm > 0 && i < n; i++) v[i] *= conj(at) / norm;
}

static void vectors_of(int64_t n, const z* a, const z* q, z* x, z* vectors) {
  double greatest = 0;
  for (int64_t i = 0; i < n * n; i++) greatest = fmax(greatest, size_of(a[i]));
  double least = fmax(greatest * 2.3e-16, 1e-300);
  for (int64_t k = 0; k < n; k++) {
    substitute(n, a, k, least, x);
    z* v = vectors + k * n;
    for (int64_t i = 0; i < n; i++) {
      v[i] = 0;
      for (int64_t j = 0; j <= k; j++) v[i] += Q(i, j) * x[j];
    }
    make_unit(n, v);
  }
}

int32_t oyi_eig(int64_t n, z* a, z* values, z* vectors) {
  z* q = oyi_calloc((size_t)n * (size_t)n + 1, sizeof(z));
  z* row = oyi_calloc((size_t)n + 1, sizeof(z));
  int32_t info = q && row ? 0 : OYI_LAPACK_NO_MEMORY;
  for (int64_t i = 0; info == 0 && i < n; i++) Q(i, i) = 1;
  if (info == 0) {
    to_hessenberg(n, a, q, row);
    info = to_schur(n, a, q);
  }
  if (info == 0) {
    for (int64_t i = 0; i < n; i++) values[i] = A(i, i);
    if (vectors) vectors_of(n, a, q, row, vectors);
  }
  oyi_free(q);
  oyi_free(row);
  return info;
}
