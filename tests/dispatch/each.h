// SPDX-License-Identifier: Apache-2.0
// EACH_n(M, x0, ..., xn-1): M(0, x0) M(1, x1) ... for n up to 20.
#ifndef OPYARD_TESTS_DISPATCH_EACH_H_
#define OPYARD_TESTS_DISPATCH_EACH_H_

#define EACH_0(M)
#define EACH_1(M, x0)                 M(0, x0)
#define EACH_2(M, x0, x1)             M(0, x0) M(1, x1)
#define EACH_3(M, x0, x1, x2)         M(0, x0) M(1, x1) M(2, x2)
#define EACH_4(M, x0, x1, x2, x3)     M(0, x0) M(1, x1) M(2, x2) M(3, x3)
#define EACH_5(M, x0, x1, x2, x3, x4) M(0, x0) M(1, x1) M(2, x2) M(3, x3) M(4, x4)
#define EACH_6(M, x0, x1, x2, x3, x4, x5) \
  M(0, x0) M(1, x1) M(2, x2) M(3, x3) M(4, x4) M(5, x5)
#define EACH_7(M, x0, x1, x2, x3, x4, x5, x6) \
  M(0, x0) M(1, x1) M(2, x2) M(3, x3) M(4, x4) M(5, x5) M(6, x6)
#define EACH_8(M, x0, x1, x2, x3, x4, x5, x6, x7) \
  M(0, x0) M(1, x1) M(2, x2) M(3, x3) M(4, x4) M(5, x5) M(6, x6) M(7, x7)
#define EACH_9(M, x0, x1, x2, x3, x4, x5, x6, x7, x8) \
  M(0, x0) M(1, x1) M(2, x2) M(3, x3) M(4, x4) M(5, x5) M(6, x6) M(7, x7) M(8, x8)
#define EACH_10(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9) \
  M(0, x0)                                                 \
  M(1, x1) M(2, x2) M(3, x3) M(4, x4) M(5, x5) M(6, x6) M(7, x7) M(8, x8) M(9, x9)
#define EACH_11(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10) \
  M(0, x0)                                                      \
  M(1, x1)                                                      \
  M(2, x2) M(3, x3) M(4, x4) M(5, x5) M(6, x6) M(7, x7) M(8, x8) M(9, x9) M(10, x10)
#define EACH_12(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11) \
  M(0, x0)                                                           \
  M(1, x1)                                                           \
  M(2, x2)                                                           \
  M(3, x3) M(4, x4) M(5, x5) M(6, x6) M(7, x7) M(8, x8) M(9, x9) M(10, x10) M(11, x11)
#define EACH_13(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12) \
  M(0, x0)                                                                \
  M(1, x1)                                                                \
  M(2, x2)                                                                \
  M(3, x3)                                                                \
  M(4, x4) M(5, x5) M(6, x6) M(7, x7) M(8, x8) M(9, x9) M(10, x10) M(11, x11) M(12, x12)
#define EACH_14(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13) \
  M(0, x0)                                                                     \
  M(1, x1)                                                                     \
  M(2, x2)                                                                     \
  M(3, x3)                                                                     \
  M(4, x4)                                                                     \
  M(5, x5) M(6, x6) M(7, x7) M(8, x8) M(9, x9) M(10, x10) M(11, x11) M(12, x12) M(13, x13)
#define EACH_15(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14) \
  M(0, x0)                                                                          \
  M(1, x1)                                                                          \
  M(2, x2)                                                                          \
  M(3, x3)                                                                          \
  M(4, x4)                                                                          \
  M(5, x5)                                                                          \
  M(6, x6)                                                                          \
  M(7, x7) M(8, x8) M(9, x9) M(10, x10) M(11, x11) M(12, x12) M(13, x13) M(14, x14)
#define EACH_16(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15) \
  M(0, x0)                                                                               \
  M(1, x1)                                                                               \
  M(2, x2)                                                                               \
  M(3, x3)                                                                               \
  M(4, x4)                                                                               \
  M(5, x5)                                                                               \
  M(6, x6)                                                                               \
  M(7, x7)                                                                               \
  M(8, x8) M(9, x9) M(10, x10) M(11, x11) M(12, x12) M(13, x13) M(14, x14) M(15, x15)
#define EACH_17(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, \
                x16)                                                                     \
  M(0, x0)                                                                               \
  M(1, x1)                                                                               \
  M(2, x2)                                                                               \
  M(3, x3)                                                                               \
  M(4, x4)                                                                               \
  M(5, x5)                                                                               \
  M(6, x6)                                                                               \
  M(7, x7)                                                                               \
  M(8, x8)                                                                               \
  M(9, x9) M(10, x10) M(11, x11) M(12, x12) M(13, x13) M(14, x14) M(15, x15) M(16, x16)
#define EACH_18(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, \
                x16, x17)                                                                \
  M(0, x0)                                                                               \
  M(1, x1)                                                                               \
  M(2, x2)                                                                               \
  M(3, x3)                                                                               \
  M(4, x4)                                                                               \
  M(5, x5)                                                                               \
  M(6, x6)                                                                               \
  M(7, x7)                                                                               \
  M(8, x8)                                                                               \
  M(9, x9)                                                                               \
  M(10, x10) M(11, x11) M(12, x12) M(13, x13) M(14, x14) M(15, x15) M(16, x16) M(17, x17)
#define EACH_19(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, \
                x16, x17, x18)                                                           \
  M(0, x0)                                                                               \
  M(1, x1)                                                                               \
  M(2, x2)                                                                               \
  M(3, x3)                                                                               \
  M(4, x4)                                                                               \
  M(5, x5)                                                                               \
  M(6, x6)                                                                               \
  M(7, x7)                                                                               \
  M(8, x8)                                                                               \
  M(9, x9)                                                                               \
  M(10, x10)                                                                             \
  M(11, x11) M(12, x12) M(13, x13) M(14, x14) M(15, x15) M(16, x16) M(17, x17) M(18, x18)
#define EACH_20(M, x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, \
                x16, x17, x18, x19)                                                      \
  M(0, x0)                                                                               \
  M(1, x1)                                                                               \
  M(2, x2)                                                                               \
  M(3, x3)                                                                               \
  M(4, x4)                                                                               \
  M(5, x5)                                                                               \
  M(6, x6)                                                                               \
  M(7, x7)                                                                               \
  M(8, x8)                                                                               \
  M(9, x9)                                                                               \
  M(10, x10)                                                                             \
  M(11, x11)                                                                             \
  M(12, x12) M(13, x13) M(14, x14) M(15, x15) M(16, x16) M(17, x17) M(18, x18) M(19, x19)

#endif  // OPYARD_TESTS_DISPATCH_EACH_H_
