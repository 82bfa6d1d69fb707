// SPDX-License-Identifier: Apache-2.0
// The portable matrix product of one type: T, ID and W (unsigned for integers).
// c: [n, m], row-major; a: [n, k], any strides; b: [k, m], any strides, in
// elements. Rows of b are added up, so that the inner loop runs along memory.
// Small ones are not worth setting up vectors for.
static void OYI_JOIN(small_product, ID)(const oyi_product* p) {
  const T *a = p->a, *b = p->b;
  T* c = p->c;
  for (int64_t i = 0; i < p->n; i++, a += p->a_row) {
    for (int64_t j = 0; j < p->m; j++) {
      const T *x = a, *y = b + j * p->b_column;
      W sum = 0;
      for (int64_t l = 0; l < p->k; l++, x += p->a_column, y += p->b_row)
        sum += (W)*x * (W)*y;
      *c++ = (T)sum;
    }
  }
}

OYI_LONG_LOOPS static void OYI_JOIN(product, ID)(const oyi_product* p) {
  const T *a = p->a, *b = p->b;
  T* c = p->c;
  if (p->m < 8) {
    OYI_JOIN(small_product, ID)(p);
    return;
  }
  for (int64_t i = 0; i < p->n; i++) {
    T* row = c + i * p->m;
    for (int64_t j = 0; j < p->m; j++) row[j] = 0;
    for (int64_t l = 0; l < p->k; l++) {
      const W x = (W)a[i * p->a_row + l * p->a_column];
      const T* from = b + l * p->b_row;
      if (p->b_column == 1)
        for (int64_t j = 0; j < p->m; j++) row[j] = (T)((W)row[j] + x * (W)from[j]);
      else
        for (int64_t j = 0; j < p->m; j++)
          row[j] = (T)((W)row[j] + x * (W)from[j * p->b_column]);
    }
  }
}

OYI_TYPED_KERNEL(mm, OYI_JOIN(oy_cpu_mm, ID)) {
  return mm(self, mat2, NULL, OYI_JOIN(product, ID));
}
OYI_TYPED_KERNEL(mm_out, OYI_JOIN(oy_cpu_mm_out, ID)) {
  return mm(self, mat2, out, OYI_JOIN(product, ID));
}
OYI_TYPED_KERNEL(bmm, OYI_JOIN(oy_cpu_bmm, ID)) {
  return bmm(self, mat2, OYI_JOIN(product, ID));
}
