// SPDX-License-Identifier: Apache-2.0
// Margin losses of one row of |n| scores of type T, and their gradients times |g|, named
// by ID: included once for each type. See loss_margin.c.

static double JOIN(multi_margin, ID)(const scores* m, const void* row, int64_t target) {
  const T *x = row, least = x[target] - (T)m->margin;
  double sum = 0;
  for (int64_t d = 0; d < m->n; d++) {
    const T z = x[d] - least;
    if (d == target || !(z > 0)) continue;
    sum += m->p == 1 ? (double)z : (double)z * (double)z;
  }
  return sum / (double)m->n * (m->weight ? m->weight[target] : 1);
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
