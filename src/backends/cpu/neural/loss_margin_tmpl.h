// SPDX-License-Identifier: Apache-2.0
// Margin losses of one row of |n| scores of type T, and their gradients times |g|, named
// by ID: included once for each type. See loss_margin.c.

// What is above |least|, or the squares of that, added up: sums side by side, so that none
// waits for the one before.
static inline __attribute__((always_inline)) double JOIN(above, ID)(const T* x, int64_t n,
                                                                    T least,
                                                                    bool squares) {
  enum { SIDES = 8 };
  double sums[SIDES] = {0};
  for (; n > 0; n -= SIDES, x += SIDES) {
    T some[SIDES] = {0};
    const T* from = x;
    if (n < SIDES) {
      for (int64_t k = 0; k < SIDES; k++) some[k] = k < n ? x[k] : least;
      from = some;
    }
    for (int k = 0; k < SIDES; k++) {
      const T z = from[k] - least, size = z > 0 ? z : 0;
      sums[k] += squares ? (double)size * (double)size : (double)size;
    }
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

// The same of all but |target| of a few, one after the other.
static inline __attribute__((always_inline)) double JOIN(few_above,
                                                         ID)(const T* x, int64_t n,
                                                             int64_t target, T least,
                                                             bool squares) {
  double sum = 0;
  for (int64_t d = 0; d < n; d++) {
    const T z = x[d] - least, size = z > 0 && d != target ? z : 0;
    sum += squares ? (double)size * (double)size : (double)size;
  }
  return sum;
}

static double JOIN(multi_margin, ID)(const scores* m, const void* row, int64_t target) {
  const T *x = row, least = x[target] - (T)m->margin;
  const T* after = x + target + 1;
  const int64_t rest = m->n - target - 1;
  const double sum = m->p == 1 ? JOIN(above, ID)(x, target, least, false) +
                                     JOIN(above, ID)(after, rest, least, false)
                               : JOIN(above, ID)(x, target, least, true) +
                                     JOIN(above, ID)(after, rest, least, true);
  return sum / (double)m->n * (m->weight ? m->weight[target] : 1);
}

// Rows |i| to |end| - 1 of |n| scores, a few.
static inline __attribute__((always_inline)) void JOIN(few_margins,
                                                       ID)(const scores* m, int64_t i,
                                                           int64_t end, int64_t n,
                                                           bool squares) {
  const T *x = (const T*)(const void*)m->in + i * n, margin = (T)m->margin;
  for (; i < end; i++, x += n) {
    const int64_t target = m->target[i];
    const double sum = JOIN(few_above, ID)(x, n, target, x[target] - margin, squares);
    m->losses[i] = sum / (double)n * (m->weight ? m->weight[target] : 1);
  }
}
static void JOIN(multi_margins, ID)(const scores* m, int64_t i, int64_t end) {
  enum { FEW = 16 };
  if (m->n > FEW) {
    for (; i < end; i++)
      m->losses[i] = JOIN(multi_margin, ID)(m, m->in + i * m->n * m->item, m->target[i]);
  } else if (m->n == 1) {
    JOIN(few_margins, ID)(m, i, end, 1, false);
  } else if (m->n == 2) {
    JOIN(few_margins, ID)(m, i, end, 2, m->p != 1);
  } else if (m->p == 1) {
    JOIN(few_margins, ID)(m, i, end, m->n, false);
  } else {
    JOIN(few_margins, ID)(m, i, end, m->n, true);
  }
}

static void JOIN(multi_margin_backward, ID)(const scores* m, const void* row,
                                            int64_t target, double g, void* grad) {
  const T *x = row, least = x[target] - (T)m->margin;
  const T by = (T)(g / (double)m->n * (m->weight ? m->weight[target] : 1));
  T *to = grad, sum = 0;
  for (int64_t d = 0; d < m->n; d++) {
    const T z = x[d] - least;
    const T slope = d == target || !(z > 0) ? 0 : m->p == 1 ? by : 2 * by * z;
    to[d] = slope;
    sum += slope;
  }
  to[target] = -sum;
}

// |is_target| is filled in here.
static double JOIN(multilabel_margin, ID)(const scores* m, const void* row,
                                          const int64_t* targets, void* is_target) {
  const T* x = row;
  T* flags = is_target;
  double sum = 0;
  memset(flags, 0, (size_t)m->n * sizeof(T));
  for (int64_t k = 0; k < m->n && targets[k] >= 0; k++) flags[targets[k]] = 1;
  for (int64_t k = 0; k < m->n && targets[k] >= 0; k++) {
    const T least = x[targets[k]] - 1;
    for (int64_t d = 0; d < m->n; d++)
      if (flags[d] == 0 && x[d] - least > 0) sum += (double)(x[d] - least);
  }
  return sum / (double)m->n;
}

static void JOIN(multilabel_margin_backward,
                 ID)(const scores* m, const void* row, const int64_t* targets,
                     const void* is_target, double g, void* grad) {
  const T *x = row, *flags = is_target, by = (T)(g / (double)m->n);
  T* to = grad;
  memset(to, 0, (size_t)m->n * sizeof(T));
  for (int64_t k = 0; k < m->n && targets[k] >= 0; k++) {
    const T least = x[targets[k]] - 1;
    for (int64_t d = 0; d < m->n; d++)
      if (flags[d] == 0 && x[d] - least > 0) {
        to[targets[k]] -= by;
        to[d] += by;
      }
  }
}
