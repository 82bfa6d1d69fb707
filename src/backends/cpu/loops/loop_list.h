// SPDX-License-Identifier: Apache-2.0
// The lines of the loop files as rows of their table, after loop_define.h has made
// functions of them: inside the braces of an array of oyi_loop_entry.
#undef UNARY_TO
#undef BINARY_TO
#undef TRUTH
#undef TERNARY_TO
#define OYI_LOOP_ROW(name) \
  {OYI_LOOP_##name, OYI_LOOP_JOIN(OY_DTYPE, KIND), OYI_LOOP_JOIN(name, ID)},
#define UNARY_TO(name, OUT, ...)   OYI_LOOP_ROW(name)
#define BINARY_TO(name, OUT, ...)  OYI_LOOP_ROW(name)
#define TRUTH(name, ...)           OYI_LOOP_ROW(name)
#define TERNARY_TO(name, OUT, ...) OYI_LOOP_ROW(name)
