// SPDX-License-Identifier: Apache-2.0
// The equation of einsum: subscripts of the operands, of the result, and their places.
#include "ops/composite/einsum.h"

#include <stdio.h>
#include <string.h>

static int label_of(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

// Reads subscripts from |*at| up to |stop| ("," or "-"), or the end.
static oy_status parse_subscripts(oy_str text, size_t* at, const char* stop, int operand,
                                  subscripts* out) {
  out->count = 0;
  out->has_ellipsis = false;
  for (; *at < text.size && !strchr(stop, text.data[*at]); (*at)++) {
    char c = text.data[*at];
    if (c == ' ') continue;
    OY_CHECK(out->count < LABELS_MAX, INVALID_ARGUMENT,
             "einsum(): expected at most %d subscripts an operand", LABELS_MAX);
    if (c == '.') {
      char where[40];
      snprintf(where, sizeof(where), operand < 0 ? "the output" : "operand %d", operand);
      OY_CHECK(!out->has_ellipsis, INVALID_ARGUMENT,
               "einsum(): found '.' for %s for which an ellipsis was already found",
               where);
      OY_CHECK(
          *at + 2 < text.size && text.data[*at + 1] == '.' && text.data[*at + 2] == '.',
          INVALID_ARGUMENT, "einsum(): found '.' for %s that is not part of any ellipsis",
          where);
      *at += 2;
      out->has_ellipsis = true;
      out->label[out->count++] = ELLIPSIS;
      continue;
    }
    int label = label_of(c);
    OY_CHECK(label >= 0, INVALID_ARGUMENT,
             "einsum(): invalid subscript given at index %zu in the equation string, "
             "subscripts must be in [a-zA-Z]",
             *at);
    out->label[out->count++] = (uint8_t)label;
  }
  return OY_OK;
}

static oy_status parse_inputs(einsum_plan* e, oy_str text, size_t* at) {
  size_t n = 0;
  for (;;) {
    OY_CHECK(n < e->operands.size, INVALID_ARGUMENT,
             "einsum(): fewer operands were provided than specified in the equation");
    OY_TRY(parse_subscripts(text, at, ",-", (int)n, &e->in[n]));
    n++;
    if (*at >= text.size || text.data[*at] == '-') break;
    (*at)++;
  }
  OY_CHECK(n == e->operands.size, INVALID_ARGUMENT,
           "einsum(): more operands were provided than specified in the equation");
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < e->in[i].count; k++)
      if (e->in[i].label[k] != ELLIPSIS) e->count[e->in[i].label[k]]++;
  return OY_OK;
}

// Without "->": the ellipsis, then the letters that appear once, in alphabetical order.
static void imply_output(einsum_plan* e) {
  e->out.count = 0;
  e->out.has_ellipsis = true;
  e->out.label[e->out.count++] = ELLIPSIS;
  for (uint8_t l = 0; l < LETTERS; l++)
    if (e->count[l] == 1) e->out.label[e->out.count++] = l;
}

static oy_status parse_output(einsum_plan* e, oy_str text, size_t at) {
  while (at < text.size && text.data[at] == ' ') at++;
  if (at >= text.size) {
    imply_output(e);
    return OY_OK;
  }
  OY_CHECK(at + 1 < text.size && text.data[at + 1] == '>', INVALID_ARGUMENT,
           "einsum(): invalid subscript given at index %zu in the equation string, "
           "subscripts must be in [a-zA-Z]",
           at);
  at += 2;
  OY_TRY(parse_subscripts(text, &at, "", -1, &e->out));
  for (size_t i = 0; i < e->out.count; i++) {
    uint8_t l = e->out.label[i];
    if (l == ELLIPSIS) continue;
    for (size_t k = 0; k < i; k++)
      OY_CHECK(e->out.label[k] != l, INVALID_ARGUMENT,
               "einsum(): output subscript %c appears more than once in the output",
               einsum_letter(l));
    OY_CHECK(e->count[l] > 0, INVALID_ARGUMENT,
             "einsum(): output subscript %c does not appear in the equation for any "
             "input operand",
             einsum_letter(l));
  }
  return OY_OK;
}

// How many dimensions an operand's ellipsis stands for.
static oy_status measure_ellipsis(einsum_plan* e) {
  e->ellipsis_ndim = 0;
  for (size_t i = 0; i < e->operands.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(e->operands.data[i]);
    if (!t) return oy_failure();
    const subscripts* s = &e->in[i];
    size_t named = s->count - (s->has_ellipsis ? 1 : 0);
    OY_CHECK(s->has_ellipsis || named == t->ndim, INVALID_ARGUMENT,
             "einsum(): the number of subscripts in the equation (%zu) does not match "
             "the number of dimensions (%d) for operand %zu and no ellipsis was given",
             named, t->ndim, i);
    OY_CHECK(named <= t->ndim, INVALID_ARGUMENT,
             "einsum(): the number of subscripts in the equation (%zu) is more than the "
             "number of dimensions (%d) for operand %zu",
             named, t->ndim, i);
    size_t covered = s->has_ellipsis ? t->ndim - named : 0;
    if (covered > e->ellipsis_ndim) e->ellipsis_ndim = covered;
  }
  return OY_OK;
}

// Dimensions of the result first, then the summed ones.
static oy_status place_labels(einsum_plan* e) {
  size_t at = 0;
  for (int l = 0; l < LETTERS; l++) e->place[l] = -1;
  e->ellipsis_place = -1;
  for (size_t i = 0; i < e->out.count; i++) {
    if (e->out.label[i] == ELLIPSIS) {
      e->ellipsis_place = (int)at;
      at += e->ellipsis_ndim;
    } else {
      e->place[e->out.label[i]] = (int)at++;
    }
  }
  e->out_ndim = at;
  if (e->ellipsis_place < 0) {
    e->ellipsis_place = (int)at;
    at += e->ellipsis_ndim;
  }
  for (int l = 0; l < LETTERS; l++)
    if (e->count[l] > 0 && e->place[l] < 0) e->place[l] = (int)at++;
  e->ndim = at;
  OY_CHECK(at <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "einsum(): expected at most %d subscripts in all, got %zu", OY_TENSOR_MAX_DIMS,
           at);
  return OY_OK;
}

oy_status oyi_einsum_parse(einsum_plan* e, oy_str text) {
  OY_CHECK(e->operands.size > 0, INVALID_ARGUMENT,
           "einsum(): must provide at least one operand");
  OY_CHECK(e->operands.size <= LABELS_MAX, INVALID_ARGUMENT,
           "einsum(): expected at most %d operands, got %zu", LABELS_MAX,
           e->operands.size);
  size_t at = 0;
  OY_TRY(parse_inputs(e, text, &at));
  OY_TRY(parse_output(e, text, at));
  OY_TRY(measure_ellipsis(e));
  return place_labels(e);
}
