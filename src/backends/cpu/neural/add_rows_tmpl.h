// SPDX-License-Identifier: Apache-2.0
// One row of type T times a number, added to another, or to 0 if it is the first of its
// sum, named by ID. See add_rows.c.
static void JOIN(add_row, ID)(int64_t n, const void* from_, double scale, bool is_first,
                              void* to_) {
  const T *from = from_, by = (T)scale;
  T* to = to_;
  if (is_first)
    for (int64_t i = 0; i < n; i++) to[i] = 0 + by * from[i];
  else
    for (int64_t i = 0; i < n; i++) to[i] += by * from[i];
}
