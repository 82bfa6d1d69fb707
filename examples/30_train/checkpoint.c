// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "opyard/opyard.h"

enum { MOST_TENSORS = PARAMETERS * 5, NUMBERS = 8, DIGITS = 24 };

static const char* const number_names[NUMBERS] = {"epoch",      "batch",        "step",
                                                  "order.seed", "order.offset", "samples",
                                                  "batch_size", "optimizer"};

static void numbers_of(position* p, uint64_t* out[NUMBERS]) {
  uint64_t* all[NUMBERS] = {&p->epoch,        &p->batch,   &p->step,       &p->order.seed,
                            &p->order.offset, &p->samples, &p->batch_size, &p->optimizer};
  for (int i = 0; i < NUMBERS; i++) out[i] = all[i];
}

oy_status checkpoint_write(const char* path, const network* net,
                           const oy_optimizer* optimizer, const position* at) {
  oy_named_tensor tensors[MOST_TENSORS];
  size_t count = PARAMETERS;
  for (int i = 0; i < PARAMETERS; i++)
    tensors[i] = (oy_named_tensor){oy_str_of(parameter_names[i]), net->parameters[i]};
  for (size_t i = 0; i < oy_optimizer_state_count(optimizer); i++)
    OY_TRY(oy_optimizer_state_get(optimizer, i, &tensors[count++]));

  position copy = *at;
  uint64_t* numbers[NUMBERS];
  char digits[NUMBERS][DIGITS];
  oy_text_pair texts[NUMBERS];
  numbers_of(&copy, numbers);
  for (int i = 0; i < NUMBERS; i++) {
    snprintf(digits[i], DIGITS, "%llu", (unsigned long long)*numbers[i]);
    texts[i] = (oy_text_pair){oy_str_of(number_names[i]), oy_str_of(digits[i])};
  }
  return oy_safetensors_save(path, tensors, count, texts, NUMBERS);
}

// ------------------------------------------------------------------------ reading

static bool parse_number(oy_str text, uint64_t* out) {
  char digits[DIGITS] = "", *end;
  if (text.size == 0 || text.size >= DIGITS || text.data[0] < '0' || text.data[0] > '9')
    return false;
  memcpy(digits, text.data, text.size);
  errno = 0;
  *out = strtoull(digits, &end, 10);
  return errno == 0 && *end == '\0';
}

static oy_status read_position(const oy_safetensors* file, position* out) {
  uint64_t* numbers[NUMBERS];
  numbers_of(out, numbers);
  const oy_text_pair* pairs;
  size_t count = oy_safetensors_metadata(file, &pairs);
  for (int i = 0; i < NUMBERS; i++) {
    bool found = false;
    for (size_t p = 0; p < count && !found; p++)
      found = oy_str_equal(pairs[p].key, oy_str_of(number_names[i])) &&
              parse_number(pairs[p].value, numbers[i]);
    OY_CHECK(found, PARSE, "the checkpoint says no number for '%s'", number_names[i]);
  }
  return OY_OK;
}

static bool same_shape(const oy_tensor* a, const oy_tensor* b) {
  oy_ints x = oy_tensor_sizes(a), y = oy_tensor_sizes(b);
  bool same = a->dtype == b->dtype && x.size == y.size;
  for (size_t d = 0; same && d < x.size; d++) same = x.data[d] == y.data[d];
  return same;
}

static oy_status read_parameter(const oy_safetensors* file, int i, network* net) {
  size_t place;
  OY_CHECK(oy_safetensors_find(file, oy_str_of(parameter_names[i]), &place), PARSE,
           "the checkpoint has no '%s'", parameter_names[i]);
  oy_tensor* t = oy_safetensors_get(file, place);
  if (!t) return oy_failure();
  oy_status status = OY_OK;
  if (!same_shape(t, net->parameters[i]))
    status = OY_FAIL(INVALID_ARGUMENT, "'%s' of the checkpoint is of another shape",
                     parameter_names[i]);
  else if (!oy_copy_(net->parameters[i], t, false))
    status = oy_failure();
  oy_tensor_release(t);
  return status;
}

// All that is no parameter is state of the optimizer, which checks it.
static oy_status read_state(const oy_safetensors* file, oy_optimizer* optimizer) {
  oy_named_tensor state[MOST_TENSORS];
  oy_tensor* held[MOST_TENSORS];
  size_t count = 0, all = oy_safetensors_count(file);
  OY_CHECK(all <= MOST_TENSORS, PARSE, "expected at most %d tensors, got %zu",
           MOST_TENSORS, all);
  oy_status status = OY_OK;
  for (size_t i = 0; i < all && status == 0; i++) {
    oy_str name = oy_safetensors_name(file, i);
    bool parameter = false;
    for (int p = 0; p < PARAMETERS; p++)
      parameter = parameter || oy_str_equal(name, oy_str_of(parameter_names[p]));
    if (parameter) continue;
    held[count] = oy_safetensors_get(file, i);
    if (!held[count]) status = oy_failure();
    state[count] = (oy_named_tensor){name, held[count]};
    count++;
  }
  if (status == 0) status = oy_optimizer_state_set(optimizer, state, count);
  for (size_t i = 0; i < count; i++) oy_tensor_release(held[i]);
  return status;
}

static oy_status read_all(const oy_safetensors* file, network* net,
                          oy_optimizer* optimizer, position* at) {
  position now = *at;
  OY_TRY(read_position(file, &now));
  OY_CHECK(now.samples == at->samples && now.batch_size == at->batch_size &&
               now.optimizer == at->optimizer,
           INVALID_ARGUMENT,
           "the checkpoint is of a training with other samples, another batch or another "
           "optimizer");
  OY_CHECK(now.batch <= now.samples / now.batch_size, PARSE,
           "the checkpoint stands behind the last batch");
  *at = now;
  oy_grad_guard guard = oy_no_grad();
  oy_status status = OY_OK;
  for (int i = 0; i < PARAMETERS && status == 0; i++)
    status = read_parameter(file, i, net);
  oy_grad_guard_end(&guard);
  return status ? status : read_state(file, optimizer);
}

oy_status checkpoint_read(const char* path, network* net, oy_optimizer* optimizer,
                          position* at) {
  oy_safetensors* file;
  OY_TRY(oy_safetensors_open(path, &file));
  oy_status status = read_all(file, net, optimizer, at);
  if (status) oy_error_note("in %s", path);
  oy_safetensors_close(file);
  return status;
}
