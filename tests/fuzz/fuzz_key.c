// SPDX-License-Identifier: Apache-2.0
// Names of keys, lists of them, and arguments of `opyard explain`. What is
// accepted prints and reads back as the same. Corpus: tests/fuzz/corpus/key.
#include <stdlib.h>

#include "../../tools/opyard/argspec.c"
#include "../../tools/opyard/parse_error.c"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void must(bool holds) {
  if (!holds) abort();
}

static void fuzz_name(oy_str text) {
  oy_key key, again;
  // A wrong name is compared with all others, at a thousand times the cost: some of
  // them are enough.
  if (!oyi_key_find(text, &key) && text.size % 32 != 7) return;
  if (oy_key_parse(text, &key) != OY_OK) {
    must(oy_error_get()->code == OY_PARSE && oy_error_get()->message[0]);
    return;
  }
  must(oy_key_parse(oy_str_of(oy_key_name(key)), &again) == OY_OK && again == key);
}

// A set prints as the list that gives it.
static void fuzz_list(oy_str text) {
  static const char lead[] = "DispatchKeySet(";
  oy_keyset set, again = oy_keyset_empty();
  if (cli_key_list_parse(text, "fuzz", &set) != OY_OK) return;
  must(!oy_keyset_is_empty(set));
  char printed[8192];
  size_t size = oy_keyset_print(set, printed, sizeof printed);
  must(size < sizeof printed && size > sizeof lead);
  for (char* word = strtok(printed + sizeof lead - 1, ", )"); word;
       word = strtok(NULL, ", )")) {
    oy_key key;
    must(oy_key_parse(oy_str_of(word), &key) == OY_OK);
    again = oy_keyset_or(again, oy_keyset_of(key));
  }
  must(again.functionality == set.functionality);
}

static void fuzz_argument(oy_str text) {
  oy_argument_keys keys;
  if (cli_argspec_parse(text, "fuzz", &keys) == OY_OK)
    must(keys.dtype == OY_DTYPE_ANY || oy_dtype_name(keys.dtype) != NULL);
  else
    must(oy_error_get()->code == OY_PARSE && strstr(oy_error_get()->message, "found "));
}

// What the text looks like decides who gets it.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const oy_str text = {(const char*)data, size};
  if (size && (memchr(data, ':', size) || memchr(data, '[', size)))
    fuzz_argument(text);
  else if (size && memchr(data, ',', size))
    fuzz_list(text);
  else
    fuzz_name(text);
  return 0;
}
