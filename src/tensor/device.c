// SPDX-License-Identifier: Apache-2.0
// Device names: "cpu", "cuda:1". Any backend by its name in lower case; the index
// is a number without leading zeros, and its range is checked.
#include <ctype.h>
#include <stdio.h>

#include "tensor/hooks.h"

size_t oy_device_print(oy_device device, char* buffer, size_t size) {
  const char* name = oy_backend_name(device.backend);
  char lower[64];
  size_t n = 0;
  for (; name && name[n] && n + 1 < sizeof(lower); n++)
    lower[n] = (char)tolower((unsigned char)name[n]);
  lower[n] = '\0';
  int length = device.index < 0
                   ? snprintf(buffer, size, "%s", n ? lower : "unknown")
                   : snprintf(buffer, size, "%s:%d", n ? lower : "unknown", device.index);
  return (size_t)length;
}

static oy_status parse_index(oy_str text, oy_str digits, int16_t* out) {
  OY_CHECK(digits.size > 0 && (digits.data[0] != '0' || digits.size == 1), PARSE,
           "Invalid device string: '%.*s'", OY_STR_ARG(text));
  int32_t value = 0;
  for (size_t i = 0; i < digits.size; i++) {
    OY_CHECK(isdigit((unsigned char)digits.data[i]), PARSE,
             "Invalid device string: '%.*s'", OY_STR_ARG(text));
    value = value * 10 + (digits.data[i] - '0');
    OY_CHECK(value <= INT16_MAX, PARSE,
             "Could not parse device index '%.*s' in device string '%.*s'",
             OY_STR_ARG(digits), OY_STR_ARG(text));
  }
  *out = (int16_t)value;
  return OY_OK;
}

oy_status oy_device_parse(oy_str text, oy_device* out_device) {
  *out_device = oy_device_cpu();
  OY_CHECK(text.size > 0, PARSE, "Device string must not be empty");
  const char* colon = memchr(text.data, ':', text.size);
  oy_str name = {text.data, colon ? (size_t)(colon - text.data) : text.size};
  int16_t index = -1;
  if (colon) {
    oy_str digits = {colon + 1, text.size - name.size - 1};
    OY_TRY(parse_index(text, digits, &index));
  }
  oy_backend backend;
  if (!oy_backend_find(name, &backend) &&
      (!oyi_device_wanted(name) || !oy_backend_find(name, &backend))) {
    OY_FAIL(PARSE,
            "Expected the name of a backend, such as cpu, cuda or meta, at start of "
            "device string: %.*s",
            OY_STR_ARG(text));
    oyi_device_explain(name);
    return OY_PARSE;
  }
  // A backend that PyTorch knows has a name without its devices.
  if (!oy_device_is_available(backend)) (void)oyi_device_wanted(name);
  *out_device = oy_device_make(backend, index);
  return OY_OK;
}
