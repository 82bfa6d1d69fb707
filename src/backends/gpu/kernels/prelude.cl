// SPDX-License-Identifier: Apache-2.0
// What every kernel begins with. S is the type that is computed in; its name, as the
// macros below have it, is S_NAME. LD(dtype, p, i) and ST(dtype, p, i, x) read and write
// element i of memory of a dtype; LDV and STV do so for W of them.
#ifdef USES_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN__(a, b) a##b
#define JOIN_(a, b)  JOIN__(a, b)
#define JOIN(a, b)   JOIN_(a, b)

typedef struct geometry {
  int ndim, pad;
  long size[12];
  long stride[5][12];
} geometry;

#define AT(type, p) ((__global type*)(p))

// a / b. Devices divide 32 bits in a fraction of the time that 64 take.
static inline ulong over(ulong a, ulong b) {
  return (a | b) >> 32 ? a / b : (uint)a / (uint)b;
}

static inline float bf16_load(ushort x) {
  return as_float((uint)x << 16);
}
static inline ushort bf16_store(float x) {
  uint bits = as_uint(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return (ushort)(bits >> 16 | 0x40);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
// Floats go to small integers by way of wider ones, as PyTorch's casts do on CPUs.
#define TO_SMALL(x) ((int)(x))
#ifdef S_IS_F64
#undef TO_SMALL
#define TO_SMALL(x) ((long)(x))
#endif

#define LD_u8(p, i)   ((S)AT(const uchar, p)[i])
#define LD_i8(p, i)   ((S)AT(const char, p)[i])
#define LD_i16(p, i)  ((S)AT(const short, p)[i])
#define LD_i32(p, i)  ((S)AT(const int, p)[i])
#define LD_i64(p, i)  ((S)AT(const long, p)[i])
#define LD_f32(p, i)  ((S)AT(const float, p)[i])
#define LD_f64(p, i)  ((S)AT(const double, p)[i])
#define LD_bool(p, i) ((S)(AT(const uchar, p)[i] != 0))
#define LD_f16(p, i)  ((S)vload_half(i, AT(const half, p)))
#define LD_bf16(p, i) ((S)bf16_load(AT(const ushort, p)[i]))
#define LD(dtype, p, i) JOIN(LD_, dtype)(p, i)

#define ST_u8(p, i, x)   AT(uchar, p)[i] = (uchar)TO_SMALL(x)
#define ST_i8(p, i, x)   AT(char, p)[i] = (char)TO_SMALL(x)
#define ST_i16(p, i, x)  AT(short, p)[i] = (short)TO_SMALL(x)
#define ST_i32(p, i, x)  AT(int, p)[i] = (int)(x)
#define ST_i64(p, i, x)  AT(long, p)[i] = (long)(x)
#define ST_f32(p, i, x)  AT(float, p)[i] = (float)(x)
#define ST_f64(p, i, x)  AT(double, p)[i] = (double)(x)
#define ST_bool(p, i, x) AT(uchar, p)[i] = (x) != 0
#define ST_f16(p, i, x)  vstore_half_rte((float)(x), i, AT(half, p))
#define ST_bf16(p, i, x) AT(ushort, p)[i] = bf16_store((float)(x))
#define ST(dtype, p, i, x) JOIN(ST_, dtype)(p, i, x)

#if W > 1 && !defined(IS_CUDA)
// Vectors of S, of W elements. CONVERT_S makes one of any other.
#define V            JOIN(S, W)
#define CONVERT_S(x) JOIN(JOIN(convert_, S), W)(x)
#define VLOAD        JOIN(vload, W)
#define VSTORE       JOIN(vstore, W)
static inline JOIN(float, W) bf16_load_v(JOIN(ushort, W) x) {
  return JOIN(as_float, W)(JOIN(convert_uint, W)(x) << 16);
}
static inline JOIN(ushort, W) bf16_store_v(JOIN(float, W) x) {
  JOIN(uint, W) bits = JOIN(as_uint, W)(x);
  JOIN(uint, W) rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return JOIN(convert_ushort, W)(select(rounded, bits >> 16 | 0x40,
                                        (bits & 0x7fffffff) > 0x7f800000));
}
#define LDV_u8(p, i)   CONVERT_S(VLOAD(0, AT(const uchar, p) + (i)))
#define LDV_i8(p, i)   CONVERT_S(VLOAD(0, AT(const char, p) + (i)))
#define LDV_i16(p, i)  CONVERT_S(VLOAD(0, AT(const short, p) + (i)))
#define LDV_i32(p, i)  CONVERT_S(VLOAD(0, AT(const int, p) + (i)))
#define LDV_i64(p, i)  CONVERT_S(VLOAD(0, AT(const long, p) + (i)))
#define LDV_f32(p, i)  CONVERT_S(VLOAD(0, AT(const float, p) + (i)))
#define LDV_f64(p, i)  CONVERT_S(VLOAD(0, AT(const double, p) + (i)))
#define LDV_bool(p, i) CONVERT_S(VLOAD(0, AT(const uchar, p) + (i)))
#define LDV_f16(p, i)  CONVERT_S(JOIN(vload_half, W)(0, AT(const half, p) + (i)))
#define LDV_bf16(p, i) CONVERT_S(bf16_load_v(VLOAD(0, AT(const ushort, p) + (i))))
#define LDV(dtype, p, i) JOIN(LDV_, dtype)(p, i)
#define STV_i32(p, i, x) VSTORE(JOIN(convert_int, W)(x), 0, AT(int, p) + (i))
#define STV_i64(p, i, x) VSTORE(JOIN(convert_long, W)(x), 0, AT(long, p) + (i))
#define STV_f32(p, i, x) VSTORE(JOIN(convert_float, W)(x), 0, AT(float, p) + (i))
#define STV_f64(p, i, x) VSTORE(JOIN(convert_double, W)(x), 0, AT(double, p) + (i))
#define STV_f16(p, i, x) \
  JOIN(JOIN(vstore_half, W), _rte)(JOIN(convert_float, W)(x), 0, AT(half, p) + (i))
#define STV_bf16(p, i, x) \
  VSTORE(bf16_store_v(JOIN(convert_float, W)(x)), 0, AT(ushort, p) + (i))
// Of conditions alone, whose true is -1.
#define STV_bool(p, i, x) VSTORE(JOIN(convert_uchar, W)((x) & 1), 0, AT(uchar, p) + (i))
#define STV(dtype, p, i, x) JOIN(STV_, dtype)(p, i, x)
#define LANES_OF(v, to) VSTORE(v, 0, to)
#endif

#if W > 1 && defined(IS_CUDA)
// W elements are moved at once, in at most 16 bytes, and computed one by one.
struct V {
  S x[W];
  V() {}
  V(S all) {
    for (int k = 0; k < W; k++) x[k] = all;
  }
};
template <int BYTES>
struct alignas(W * BYTES > 16 ? 16 : W * BYTES) pack {
  char x[W * BYTES];
};
#define MOVES(dtype, bytes)                                       \
  static inline V load_##dtype(const char* p, ulong i) {          \
    const pack<bytes> raw = *(const pack<bytes>*)(p + i * bytes); \
    V v;                                                          \
    for (int k = 0; k < W; k++) v.x[k] = LD_##dtype(raw.x, k);    \
    return v;                                                     \
  }                                                               \
  static inline void store_##dtype(char* p, ulong i, V v) {       \
    pack<bytes> raw;                                              \
    for (int k = 0; k < W; k++) {                                 \
      ST_##dtype(raw.x, k, v.x[k]);                               \
    }                                                             \
    *(pack<bytes>*)(p + i * bytes) = raw;                         \
  }
MOVES(u8, 1)
MOVES(i8, 1)
MOVES(i16, 2)
MOVES(i32, 4)
MOVES(i64, 8)
MOVES(f32, 4)
MOVES(f64, 8)
MOVES(bool, 1)
MOVES(f16, 2)
MOVES(bf16, 2)
#define LDV(dtype, p, i)    JOIN(load_, dtype)(p, i)
#define STV(dtype, p, i, v) JOIN(store_, dtype)(p, i, v)
// The elements of a vector, one by one.
static inline void LANES_OF(V v, S* to) {
  for (int k = 0; k < W; k++) to[k] = v.x[k];
}
#endif
