// SPDX-License-Identifier: Apache-2.0
// One inner loop of two inputs. NAME, OUT (type of the result) and EXPR(a, b) are
// given and undefined here; T and ID are of the including template. With
// WITH_ARG, EXPR sees |arg|, the number behind |args|.
//
// Operands may be the same memory, element by element; that never carries a value
// from one step to the next, so OYI_INDEPENDENT is true.
static void OYI_JOIN(NAME, ID)(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
#ifdef WITH_ARG
  const T arg = *(const T*)args;
#else
  (void)args;
#endif
  char* out = data[0];
  const char* x = data[1];
  const char* y = data[2];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2];
  const int64_t item = sizeof(T);
  if (so == (int64_t)sizeof(OUT) && sx == item && sy == item) {
    OUT* o = (OUT*)(void*)out;
    const T *a = (const T*)(const void*)x, *b = (const T*)(const void*)y;
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) o[i] = (OUT)EXPR(a[i], b[i]);
  } else if (so == (int64_t)sizeof(OUT) && sx == item && sy == 0) {
    OUT* o = (OUT*)(void*)out;
    const T* a = (const T*)(const void*)x;
    const T b = *(const T*)(const void*)y;
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) o[i] = (OUT)EXPR(a[i], b);
  } else if (so == (int64_t)sizeof(OUT) && sx == 0 && sy == item) {
    OUT* o = (OUT*)(void*)out;
    const T a = *(const T*)(const void*)x;
    const T* b = (const T*)(const void*)y;
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) o[i] = (OUT)EXPR(a, b[i]);
  } else {
    for (int64_t i = 0; i < n; i++, out += so, x += sx, y += sy) {
      const T a = *(const T*)(const void*)x, b = *(const T*)(const void*)y;
      *(OUT*)(void*)out = (OUT)EXPR(a, b);
    }
  }
}
#undef NAME
#undef OUT
#undef EXPR
#undef WITH_ARG
