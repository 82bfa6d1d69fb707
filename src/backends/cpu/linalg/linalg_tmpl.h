// SPDX-License-Identifier: Apache-2.0
// Dense factorisations of column-major matrices, without blocking: the portable ones, and
// the reference for a LAPACK. The including file defines T (an element), R (its real
// type), NAME(x), and CONJ, RE, IM, MAKE, ROOT, MAGNITUDE, EPSILON for them.
//
// Where LAPACK has a convention (signs of reflectors, order, what |info| says) this is
// LAPACK's: Golub and Van Loan, "Matrix Computations", 4th edition; LAPACK Users' Guide.
// Element (i, j) of |a| is at a[i + j * lda].

#define AT(a, lda, i, j) ((a)[(i) + (j) * (lda)])

// ------------------------------------------------------------------------ factors

static inline void NAME(swap_rows)(T* a, int64_t lda, int64_t n, int64_t p, int64_t q) {
  for (int64_t j = 0; p != q && j < n; j++) {
    T t = AT(a, lda, p, j);
    AT(a, lda, p, j) = AT(a, lda, q, j);
    AT(a, lda, q, j) = t;
  }
}

// PA = LU with the greatest element of each column as pivot; |pivots| count from 1. Gives
// the place of the first zero on the diagonal of U, from 1; 0 if there is none.
static int32_t NAME(lu)(int64_t m, int64_t n, T* a, int64_t lda, int32_t* pivots) {
  int32_t info = 0;
  for (int64_t k = 0; k < m && k < n; k++) {
    int64_t p = k;
    for (int64_t i = k + 1; i < m; i++)
      if (SIZE1(AT(a, lda, i, k)) > SIZE1(AT(a, lda, p, k))) p = i;
    pivots[k] = (int32_t)p + 1;
    if (AT(a, lda, p, k) == 0) {
      if (info == 0) info = (int32_t)k + 1;
      continue;
    }
    NAME(swap_rows)(a, lda, n, p, k);
    T scale = 1 / AT(a, lda, k, k);
    for (int64_t i = k + 1; i < m; i++) AT(a, lda, i, k) *= scale;
    for (int64_t j = k + 1; j < n; j++) {
      T u = AT(a, lda, k, j);
      if (u == 0) continue;
      for (int64_t i = k + 1; i < m; i++) AT(a, lda, i, j) -= AT(a, lda, i, k) * u;
    }
  }
  return info;
}

// A = L L^H in the lower triangle, which is all that is read. Gives the order of the first
// leading minor that is not positive; 0 if all are.
static int32_t NAME(cholesky)(int64_t n, T* a, int64_t lda) {
  for (int64_t k = 0; k < n; k++) {
    R d = RE(AT(a, lda, k, k));
    for (int64_t j = 0; j < k; j++) d -= SQUARE(AT(a, lda, k, j));
    if (!(d > 0)) return (int32_t)k + 1;
    R root = ROOT(d);
    AT(a, lda, k, k) = root;
    for (int64_t j = 0; j < k; j++) {
      T c = CONJ(AT(a, lda, k, j));
      for (int64_t i = k + 1; i < n; i++) AT(a, lda, i, k) -= AT(a, lda, i, j) * c;
    }
    for (int64_t i = k + 1; i < n; i++) AT(a, lda, i, k) /= root;
  }
  return 0;
}

// Solves op(A) X = B in place, A triangular, |op| one of 'N', 'T', 'C'.
static void NAME(solve_triangle)(const oyi_triangle* how, int64_t n, int64_t columns,
                                 const T* a, int64_t lda, T* b, int64_t ldb) {
  const bool flips = how->op != 'N', conjugates = how->op == 'C';
  const bool down = how->upper == flips;  // the first unknown comes first
  for (int64_t c = 0; c < columns; c++) {
    T* x = b + c * ldb;
    for (int64_t s = 0; s < n; s++) {
      int64_t k = down ? s : n - 1 - s;
      if (!flips) {  // by columns
        if (!how->unit) x[k] /= AT(a, lda, k, k);
        int64_t from = down ? k + 1 : 0, to = down ? n : k;
        for (int64_t i = from; i < to; i++) x[i] -= AT(a, lda, i, k) * x[k];
        continue;
      }
      int64_t from = down ? 0 : k + 1, to = down ? k : n;
      T sum = x[k];
      for (int64_t i = from; i < to; i++)
        sum -= (conjugates ? CONJ(AT(a, lda, i, k)) : AT(a, lda, i, k)) * x[i];
      T d = how->unit ? 1 : conjugates ? CONJ(AT(a, lda, k, k)) : AT(a, lda, k, k);
      x[k] = sum / d;
    }
  }
}

// ---------------------------------------------------------------------- reflectors

static R NAME(norm)(int64_t n, const T* x) {
  R scale = 0, sum = 1;
  for (int64_t i = 0; i < n; i++) {
    const R part[2] = {RE(x[i]), IM(x[i])};
    for (int k = 0; k < 2; k++) {
      R size = part[k] < 0 ? -part[k] : part[k];
      if (size == 0) continue;
      if (scale < size) {
        sum = 1 + sum * (scale / size) * (scale / size);
        scale = size;
      } else {
        sum += size != size ? size : (size / scale) * (size / scale);
      }
    }
  }
  return scale * ROOT(sum);
}

// H^H x = (beta, 0, ...) with H = 1 - tau v v^H and v[0] = 1; x becomes (beta, v[1:]).
static T NAME(reflector)(int64_t n, T* x) {
  R rest = NAME(norm)(n - 1, x + 1), im = IM(x[0]), re = RE(x[0]);
  if (rest == 0 && im == 0) return 0;
  T both[3] = {re, im, rest};
  R beta = NAME(norm)(3, both);
  if (re >= 0) beta = -beta;
  T tau = MAKE((beta - re) / beta, -im / beta);
  T scale = 1 / (x[0] - beta);
  for (int64_t i = 1; i < n; i++) x[i] *= scale;
  x[0] = beta;
  return tau;
}

// C becomes (1 - tau v v^H) C; v[0] counts as 1.
static void NAME(reflect)(int64_t m, int64_t n, const T* v, T tau, T* c, int64_t ldc) {
  for (int64_t j = 0; tau != 0 && j < n; j++) {
    T* x = c + j * ldc;
    T sum = x[0];
    for (int64_t i = 1; i < m; i++) sum += CONJ(v[i]) * x[i];
    sum *= tau;
    x[0] -= sum;
    for (int64_t i = 1; i < m; i++) x[i] -= v[i] * sum;
  }
}

// A = QR: R in the upper triangle, the reflectors below it.
static void NAME(qr)(int64_t m, int64_t n, T* a, int64_t lda, T* tau) {
  for (int64_t k = 0; k < m && k < n; k++) {
    T* x = &AT(a, lda, k, k);
    tau[k] = NAME(reflector)(m - k, x);
    if (k + 1 < n)
      NAME(reflect)(m - k, n - k - 1, x, CONJ(tau[k]), &AT(a, lda, k, k + 1), lda);
  }
}

// The first |n| columns of the product of |k| reflectors, in place of them.
static void NAME(make_q)(int64_t m, int64_t n, int64_t k, T* a, int64_t lda,
                         const T* tau) {
  for (int64_t j = k; j < n; j++)
    for (int64_t i = 0; i < m; i++) AT(a, lda, i, j) = i == j;
  for (int64_t j = k - 1; j >= 0; j--) {
    T* v = &AT(a, lda, j, j);
    if (j + 1 < n) NAME(reflect)(m - j, n - j - 1, v, tau[j], v + lda, lda);
    for (int64_t i = 1; i < m - j; i++) v[i] *= -tau[j];
    v[0] = 1 - tau[j];
    for (int64_t i = 0; i < j; i++) AT(a, lda, i, j) = 0;
  }
}

// C becomes Q C, or Q^H C; Q of |k| reflectors of |m| elements.
static void NAME(multiply_q)(bool adjoint, int64_t m, int64_t n, int64_t k, const T* a,
                             int64_t lda, const T* tau, T* c, int64_t ldc) {
  for (int64_t s = 0; s < k; s++) {
    int64_t j = adjoint ? s : k - 1 - s;
    NAME(reflect)
    (m - j, n, &AT(a, lda, j, j), adjoint ? CONJ(tau[j]) : tau[j], c + j, ldc);
  }
}

// ------------------------------------------------------------------ by rotations

// A rotation of columns p and q that makes them orthogonal, and what it does to |v|.
static void NAME(rotate)(int64_t m, T* p, T* q, R c, T s) {
  for (int64_t i = 0; i < m; i++) {
    T x = p[i], y = q[i];
    p[i] = c * x - CONJ(s) * y;
    q[i] = s * x + c * y;
  }
}

// The rotation that diagonalises [[a, g], [conj g, b]].
static void NAME(rotation)(R a, R b, T g, R* c, T* s) {
  R size = MAGNITUDE(g), zeta = (b - a) / (2 * size);
  R t = (zeta >= 0 ? 1 : -1) / ((zeta >= 0 ? zeta : -zeta) + ROOT(1 + zeta * zeta));
  *c = 1 / ROOT(1 + t * t);
  *s = *c * t * (g / size);
}

enum { NAME(SWEEPS) = 60 };

// One-sided Jacobi rotations (Hestenes 1958; Demmel and Veselic 1992): the columns of |a|,
// m >= n, become U S, and |v|, n x n and the unit matrix before, V. Gives whether it came
// to an end.
static bool NAME(jacobi_svd)(int64_t m, int64_t n, T* a, T* v) {
  bool moved = true;
  for (int sweep = 0; moved && sweep < NAME(SWEEPS); sweep++) {
    moved = false;
    for (int64_t p = 0; p + 1 < n; p++)
      for (int64_t q = p + 1; q < n; q++) {
        T *x = a + p * m, *y = a + q * m, g = 0;
        R xx = 0, yy = 0;
        for (int64_t i = 0; i < m; i++) {
          xx += SQUARE(x[i]), yy += SQUARE(y[i]);
          g += CONJ(x[i]) * y[i];
        }
        if (!(MAGNITUDE(g) > EPSILON * ROOT(xx) * ROOT(yy))) continue;
        R c;
        T s;
        NAME(rotation)(xx, yy, g, &c, &s);
        NAME(rotate)(m, x, y, c, s);
        NAME(rotate)(n, v + p * n, v + q * n, c, s);
        moved = true;
      }
  }
  return !moved;
}

// Two-sided Jacobi rotations of a Hermitian matrix, whole: |a| becomes diagonal, |v|, the
// unit matrix before, has the eigenvectors.
static bool NAME(jacobi_eigh)(int64_t n, T* a, T* v) {
  R off = 1, all = 0;
  for (int64_t i = 0; i < n * n; i++) all += SQUARE(a[i]);
  for (int sweep = 0; sweep < NAME(SWEEPS); sweep++) {
    off = 0;
    for (int64_t q = 0; q < n; q++)
      for (int64_t p = 0; p < q; p++) off += SQUARE(AT(a, n, p, q));
    if (!(off > EPSILON * EPSILON * EPSILON * all)) break;
    for (int64_t q = 1; q < n; q++)
      for (int64_t p = 0; p < q; p++) {
        T g = AT(a, n, p, q);
        if (!(MAGNITUDE(g) > 0)) continue;
        R c;
        T s;
        NAME(rotation)(RE(AT(a, n, p, p)), RE(AT(a, n, q, q)), g, &c, &s);
        NAME(rotate)(n, a + p * n, a + q * n, c, s);
        for (int64_t j = 0; j < n; j++) {  // the same of the rows
          T x = AT(a, n, p, j), y = AT(a, n, q, j);
          AT(a, n, p, j) = c * x - s * y;
          AT(a, n, q, j) = CONJ(s) * x + c * y;
        }
        NAME(rotate)(n, v + p * n, v + q * n, c, s);
      }
  }
  return off == off && !(off > EPSILON * all);
}
#undef AT
