// SPDX-License-Identifier: Apache-2.0
#include "tensor/json.h"

oy_status oyi_json_unexpected(const oyi_json* j, const char* expected) {
  if (j->at >= j->text.size)
    return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got the end of the header",
                   j->name, j->base + j->at, expected);
  unsigned char c = (unsigned char)j->text.data[j->at];
  if (c > ' ' && c < 127)
    return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got '%c'", j->name,
                   j->base + j->at, expected, c);
  return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got byte 0x%02x", j->name,
                 j->base + j->at, expected, c);
}

void oyi_json_space(oyi_json* j) {
  while (j->at < j->text.size && memchr(" \t\r\n", j->text.data[j->at], 4)) j->at++;
}

bool oyi_json_take(oyi_json* j, char c) {
  oyi_json_space(j);
  if (j->at >= j->text.size || j->text.data[j->at] != c) return false;
  j->at++;
  return true;
}

oy_status oyi_json_need(oyi_json* j, char c) {
  const char expected[4] = {'\'', c, '\'', '\0'};
  return oyi_json_take(j, c) ? OY_OK : oyi_json_unexpected(j, expected);
}

oy_status oyi_json_next(oyi_json* j, char close, bool* first, bool* out_more) {
  *out_more = false;
  if (oyi_json_take(j, close)) return OY_OK;
  if (!*first) OY_TRY(oyi_json_need(j, ','));
  *first = false;
  *out_more = true;
  return OY_OK;
}

oy_status oyi_json_size(oyi_json* j, int64_t* out) {
  oyi_json_space(j);
  size_t first = j->at;
  *out = 0;
  for (; j->at < j->text.size && j->text.data[j->at] >= '0' && j->text.data[j->at] <= '9';
       j->at++)
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, j->text.data[j->at] - '0', out))
      return OY_FAIL(PARSE, "%s: at byte %zu: expected a number up to 2^63 - 1", j->name,
                     j->base + first);
  if (j->at == first) return oyi_json_unexpected(j, "a whole number");
  if (j->at - first > 1 && j->text.data[first] == '0') {
    j->at = first;
    return oyi_json_unexpected(j, "a number without leading zeros");
  }
  return OY_OK;
}

// ---------------------------------------------------------------------- texts

// Length of the UTF-8 character at |s|, 0 if it is none.
static size_t utf8_char(const unsigned char* s, size_t left) {
  if (s[0] < 0x80) return 1;
  size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4 || left < n) return 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  // Too long for the character, surrogates, above 10FFFF.
  bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
             (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90);
  return bad ? 0 : n;
}

size_t oyi_utf8_length(oy_str text) {
  size_t at = 0, n;
  for (; at < text.size; at += n)
    if ((n = utf8_char((const unsigned char*)text.data + at, text.size - at)) == 0) break;
  return at;
}

static oy_status hex4(oyi_json* j, uint32_t* out) {
  *out = 0;
  for (int i = 0; i < 4; i++, j->at++) {
    char c = j->at < j->text.size ? j->text.data[j->at] : '\0';
    char lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9')
      *out = *out << 4 | (uint32_t)(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      *out = *out << 4 | (uint32_t)(lower - 'a' + 10);
    else
      return oyi_json_unexpected(j, "a hexadecimal digit");
  }
  return OY_OK;
}

// After "\u". Characters above FFFF come as two.
static oy_status unicode_escape(oyi_json* j, uint32_t* out) {
  uint32_t low;
  OY_TRY(hex4(j, out));
  if (*out >= 0xd800 && *out < 0xdc00) {
    if (j->text.size - j->at < 6 || j->text.data[j->at] != '\\' ||
        j->text.data[j->at + 1] != 'u')
      return oyi_json_unexpected(j, "the second half of a surrogate pair");
    j->at += 2;
    OY_TRY(hex4(j, &low));
    if (low < 0xdc00 || low > 0xdfff)
      return oyi_json_unexpected(j, "a surrogate pair before this");
    *out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
  } else if (*out >= 0xdc00 && *out < 0xe000) {
    return oyi_json_unexpected(j, "no second half of a surrogate pair before this");
  }
  return *out ? OY_OK : oyi_json_unexpected(j, "a text without NUL before this");
}

static size_t put_utf8(uint32_t c, char* out) {
  size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n; i-- > 1; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
  out[0] = (char)(lead[n] | c);
  return n;
}

// After the backslash.
static oy_status escape(oyi_json* j, char* out, size_t* used) {
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char c = j->at < j->text.size ? j->text.data[j->at] : '\0';
  const char* found = c ? strchr(names, c) : NULL;
  uint32_t code;
  if (found) {
    j->at++;
    out[(*used)++] = meanings[found - names];
    return OY_OK;
  }
  if (c != 'u') return oyi_json_unexpected(j, "an escape of JSON");
  j->at++;
  OY_TRY(unicode_escape(j, &code));
  *used += put_utf8(code, out + *used);
  return OY_OK;
}

oy_status oyi_json_string(oyi_json* j, oy_str* out) {
  if (!oyi_json_take(j, '"')) return oyi_json_unexpected(j, "a text in quotes");
  // Unescaping makes nothing longer; where the text ends bounds it.
  const char* rest = j->text.data + j->at;
  size_t length = 0, left = j->text.size - j->at, used = 0;
  while (length < left && rest[length] != '"') length += rest[length] == '\\' ? 2 : 1;
  char* copy = oyi_arena_alloc(j->arena, (length < left ? length : left) + 1);
  if (!copy) return OY_OUT_OF_MEMORY;
  while (j->at < j->text.size && j->text.data[j->at] != '"') {
    const unsigned char* s = (const unsigned char*)j->text.data + j->at;
    size_t n = utf8_char(s, j->text.size - j->at);
    if (n == 0) return oyi_json_unexpected(j, "UTF-8");
    if (*s < 0x20) return oyi_json_unexpected(j, "an escaped control character");
    j->at += n;
    if (*s == '\\') {
      OY_TRY(escape(j, copy, &used));
      continue;
    }
    memcpy(copy + used, s, n);
    used += n;
  }
  if (j->at >= j->text.size) return oyi_json_unexpected(j, "'\"' at the end of a text");
  j->at++;
  copy[used] = '\0';
  *out = (oy_str){copy, used};
  return OY_OK;
}

void oyi_json_put_string(oyi_strbuf* buf, oy_str text) {
  static const char names[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
  oyi_strbuf_putc(buf, '"');
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i];
    const char* found = c ? strchr(meanings, c) : NULL;
    if (found)
      oyi_strbuf_printf(buf, "\\%c", names[found - meanings]);
    else if ((unsigned char)c < 0x20)
      oyi_strbuf_printf(buf, "\\u%04x", (unsigned)(unsigned char)c);
    else
      oyi_strbuf_putc(buf, c);
  }
  oyi_strbuf_putc(buf, '"');
}
