// SPDX-License-Identifier: Apache-2.0
// Body of the conversion loops, included once for each pair: FROM and TO are the
// C types, FROM_ID and TO_ID name them, VALUE(x) is the conversion.
#define CONVERT_NAME__(a, b) convert_##a##_to_##b
#define CONVERT_NAME_(a, b)  CONVERT_NAME__(a, b)

static void CONVERT_NAME_(FROM_ID, TO_ID)(char* out, int64_t out_stride, const char* in,
                                          int64_t in_stride, int64_t n) {
  if (out_stride == (int64_t)sizeof(TO) && in_stride == (int64_t)sizeof(FROM)) {
    TO* o = (TO*)(void*)out;
    const FROM* x = (const FROM*)(const void*)in;
    for (int64_t i = 0; i < n; i++) o[i] = (TO)VALUE(x[i]);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    *(TO*)(void*)(out + i * out_stride) =
        (TO)VALUE(*(const FROM*)(const void*)(in + i * in_stride));
}

#undef CONVERT_NAME__
#undef CONVERT_NAME_
