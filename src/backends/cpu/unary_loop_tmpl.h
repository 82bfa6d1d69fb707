// SPDX-License-Identifier: Apache-2.0
// One inner loop of one input: NAME and EXPR(a) are given and undefined here; T
// and ID are of the including template.
static void OYI_JOIN(NAME, ID)(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  (void)args;
  char* out = data[0];
  const char* x = data[1];
  const int64_t so = strides[0], sx = strides[1];
  if (so == (int64_t)sizeof(T) && sx == (int64_t)sizeof(T)) {
    T* o = (T*)(void*)out;
    const T* a = (const T*)(const void*)x;
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) o[i] = (T)EXPR(a[i]);
  } else {
    for (int64_t i = 0; i < n; i++, out += so, x += sx) {
      const T a = *(const T*)(const void*)x;
      *(T*)(void*)out = (T)EXPR(a);
    }
  }
}
#undef NAME
#undef EXPR
