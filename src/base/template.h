// SPDX-License-Identifier: Apache-2.0
// What bodies that are included once per type (*_tmpl.h, *_tmpl.c) are made with.
#ifndef OPYARD_SRC_BASE_TEMPLATE_H_
#define OPYARD_SRC_BASE_TEMPLATE_H_

// a_b, of what |a| and |b| stand for.
#define OYI_JOIN__(a, b) a##_##b
#define OYI_JOIN_(a, b)  OYI_JOIN__(a, b)
#define OYI_JOIN(a, b)   OYI_JOIN_(a, b)

// Before a loop: |n| steps at a time.
#define OYI_PRAGMA_(text) _Pragma(#text)
#if defined(__GNUC__) && !defined(__clang__)
#define OYI_UNROLL_BY(n) OYI_PRAGMA_(GCC unroll n)
#else
#define OYI_UNROLL_BY(n) OYI_PRAGMA_(unroll n)
#endif

#endif  // OPYARD_SRC_BASE_TEMPLATE_H_
