// SPDX-License-Identifier: Apache-2.0
// One row of type T times a number, added to another, named by ID. See add_rows.c.
static void JOIN(add_row, ID)(int64_t n, const void* from_, double scale, void* to_) {
  const T *from = from_, by = (T)scale;
  T* to = to_;
  for (int64_t i = 0; i < n; i++) to[i] += by * from[i];
}
