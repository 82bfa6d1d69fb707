// SPDX-License-Identifier: Apache-2.0
#include "argspec.h"

#include "base/memory.h"
#include "common.h"

enum { NESTING_MAX = 8, RANK_MAX = 64 };

typedef struct parser {
  const char* name;
  oy_str text;
} parser;

typedef struct tensor_spec {
  oy_backend backend;
  oy_layout layout;
  bool quantized, grad, shaped, indexed;
  uint64_t functionality;
  oy_dtype dtype;
} tensor_spec;

static const struct {
  const char* name;
  oy_layout layout;
} layouts[] = {
    {"sparse", OY_LAYOUT_SPARSE},         {"sparse_csr", OY_LAYOUT_SPARSE_CSR},
    {"sparse_csc", OY_LAYOUT_SPARSE_CSC}, {"sparse_bsr", OY_LAYOUT_SPARSE_BSR},
    {"sparse_bsc", OY_LAYOUT_SPARSE_BSC}, {"mkldnn", OY_LAYOUT_MKLDNN},
    {"jagged", OY_LAYOUT_JAGGED},
};

static const struct {
  const char* name;
  oy_key key;
} marks[] = {
    {"conj", OY_KEY_Conjugate},        {"neg", OY_KEY_Negative},
    {"zero", OY_KEY_ZeroTensor},       {"named", OY_KEY_Named},
    {"vmap", OY_KEY_FuncTorchBatched}, {"functionalize", OY_KEY_Functionalize},
    {"python", OY_KEY_Python},
};

static oy_status expected(const parser* p, size_t at, size_t size, const char* what) {
  if (at >= p->text.size)
    return cli_parse_fail(p->name, p->text, at, what, "the end of it");
  char word[48];
  size_t n = 0;
  for (size_t i = at; i < at + size && n + 1 < sizeof word; i++)
    word[n++] = p->text.data[i] >= 0x20 && p->text.data[i] < 0x7f ? p->text.data[i] : '?';
  word[n] = '\0';
  return cli_parse_fail(p->name, p->text, at, what, "`%s`", word);
}

// Where the part that begins at |at| ends: at a |separator| outside brackets.
static size_t part_end(const parser* p, size_t at, size_t end, char separator) {
  int depth = 0;
  for (size_t i = at; i < end; i++) {
    char c = p->text.data[i];
    if (depth == 0 && c == separator) return i;
    if (c == '[') depth++;
    if (c == ']') depth--;
  }
  return end;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "[2,3]" from |at| to |end|.
static oy_status parse_shape(const parser* p, size_t at, size_t end) {
  size_t i = at + 1, rank = 0;
  bool more = !(i < end && p->text.data[i] == ']');
  if (!more) i++;
  while (more) {
    size_t digits = 0;
    for (; i < end && is_digit(p->text.data[i]); i++) digits++;
    if (digits == 0 || digits > 18) return expected(p, i, end - i, "a size");
    if (++rank > RANK_MAX) return expected(p, at, end - at, "at most 64 dimensions");
    if (i >= end || (p->text.data[i] != ',' && p->text.data[i] != ']'))
      return expected(p, i, end - i, "`,` or `]`");
    more = p->text.data[i++] == ',';
  }
  return i == end ? OY_OK : expected(p, i, end - i, "the end of the shape");
}

static bool parse_flag(oy_str word, tensor_spec* spec) {
  if (oy_str_equal(word, oy_str_of("grad"))) return spec->grad = true;
  if (oy_str_equal(word, oy_str_of("quantized"))) return spec->quantized = true;
  if (oy_str_equal(word, oy_str_of("strided"))) return true;
  for (size_t i = 0; i < OY_ARRAY_SIZE(layouts); i++)
    if (oy_str_equal(word, oy_str_of(layouts[i].name))) {
      spec->layout = layouts[i].layout;
      return true;
    }
  for (size_t i = 0; i < OY_ARRAY_SIZE(marks); i++)
    if (oy_str_equal(word, oy_str_of(marks[i].name))) {
      spec->functionality |= 1ull << marks[i].key;
      return true;
    }
  return false;
}

static oy_status parse_part(const parser* p, size_t at, size_t end, tensor_spec* spec) {
  size_t word_end = at;
  while (word_end < end && p->text.data[word_end] != '[') word_end++;
  oy_str word = {p->text.data + at, word_end - at};
  bool digits = word.size > 0 && word.size < 5;
  for (size_t i = 0; i < word.size; i++) digits = digits && is_digit(word.data[i]);
  bool may_shape = false;
  if (digits && !spec->indexed) {
    spec->indexed = true;
  } else if (word.size == 0 && word_end < end) {
    may_shape = true;
  } else if (spec->dtype == OY_DTYPE_ANY && oy_dtype_find(word, &spec->dtype)) {
    may_shape = true;
  } else if (!parse_flag(word, spec)) {
    return expected(p, at, end - at,
                    "a dtype, a shape, grad, quantized, a layout such as sparse, or one "
                    "of conj neg zero named vmap functionalize python");
  }
  if (word_end == end) return OY_OK;
  if (!may_shape || spec->shaped)
    return expected(p, word_end, end - word_end, "`:` or the end of the argument");
  spec->shaped = true;
  return parse_shape(p, word_end, end);
}

static oy_status parse_tensor(const parser* p, size_t at, size_t end,
                              oy_argument_keys* out) {
  tensor_spec spec = {.dtype = OY_DTYPE_ANY};
  size_t part = part_end(p, at, end, ':');
  if (!oy_backend_find((oy_str){p->text.data + at, part - at}, &spec.backend))
    return expected(p, at, part - at, "a device such as cpu, `none` or `keys:`");
  while (part < end) {
    size_t start = part + 1;
    part = part_end(p, start, end, ':');
    OY_TRY(parse_part(p, start, part, &spec));
  }
  oy_key key;
  if (oy_key_of_device(spec.backend, spec.layout, spec.quantized, &key) != OY_OK)
    return expected(p, at, end - at, "a layout that the device has");
  // What every tensor of the device carries besides.
  out->keys = oy_keyset_or(oy_keyset_of(key), oy_keyset_autocast_related(spec.backend));
  out->keys = oy_keyset_or(out->keys, oy_keyset_of_backend(spec.backend));
  out->keys.functionality |= spec.functionality | 1ull << OY_KEY_ADInplaceOrView;
  if (spec.grad)
    out->keys = oy_keyset_or(out->keys, oy_keyset_autograd_related(spec.backend));
  out->dtype = spec.dtype;
  return OY_OK;
}

static oy_status parse_keys(const parser* p, size_t at, size_t end, oy_keyset* out_keys) {
  for (;;) {
    size_t part = part_end(p, at, end, ',');
    oy_key key;
    if (!cli_key_find((oy_str){p->text.data + at, part - at}, &key) ||
        key == OY_KEY_Undefined || key == OY_KEY_Trace || key == OY_KEY_TraceRedispatch ||
        oy_key_is_alias(key))
      return expected(p, at, part - at, "a runtime key or functionality");
    *out_keys = oy_keyset_or(*out_keys, oy_keyset_of(key));
    if (part == end) return OY_OK;
    at = part + 1;
  }
}

static bool begins(const parser* p, size_t at, size_t end, const char* word) {
  size_t size = strlen(word);
  return end - at >= size && memcmp(p->text.data + at, word, size) == 0;
}

static oy_status parse_spec(const parser* p, size_t at, size_t end, int depth,
                            oy_argument_keys* out);

static oy_status parse_list(const parser* p, size_t at, size_t end, int depth,
                            oy_argument_keys* out) {
  if (depth == NESTING_MAX) return expected(p, at, end - at, "lists at most 8 deep");
  if (p->text.data[end - 1] != ']' || end - at < 2)
    return expected(p, end, 0, "`]` at the end of a list");
  for (size_t start = at + 1; start < end - 1;) {
    size_t stop = part_end(p, start, end - 1, ',');
    oy_argument_keys item;
    OY_TRY(parse_spec(p, start, stop, depth + 1, &item));
    out->keys = oy_keyset_or(out->keys, item.keys);
    if (out->dtype == OY_DTYPE_ANY ||
        (item.dtype != OY_DTYPE_ANY && item.dtype > out->dtype))
      out->dtype = item.dtype;
    start = stop + 1;
  }
  return OY_OK;
}

static oy_status parse_spec(const parser* p, size_t at, size_t end, int depth,
                            oy_argument_keys* out) {
  *out = (oy_argument_keys){.dtype = OY_DTYPE_ANY};
  if (at == end) return expected(p, at, end - at, "an argument such as cpu:f32[2,3]");
  if (end - at == 4 && begins(p, at, end, "none")) return OY_OK;
  if (begins(p, at, end, "keys:")) return parse_keys(p, at + 5, end, &out->keys);
  if (p->text.data[at] == '[') return parse_list(p, at, end, depth, out);
  return parse_tensor(p, at, end, out);
}

oy_status cli_argspec_parse(oy_str text, const char* name, oy_argument_keys* out_keys) {
  parser p = {.name = name, .text = text};
  if (!text.data) p.text.data = "";
  return parse_spec(&p, 0, text.size, 0, out_keys);
}

oy_status cli_key_list_parse(oy_str text, const char* name, oy_keyset* out_keys) {
  parser p = {.name = name, .text = text};
  if (!text.data) p.text.data = "";
  *out_keys = oy_keyset_empty();
  return parse_keys(&p, 0, text.size, out_keys);
}
