// SPDX-License-Identifier: Apache-2.0
// The state of an optimiser as named tensors, out and in again.
#include "base/memory.h"
#include "layers/optim/optimizer.h"
#include "opyard/autograd.h"
#include "opyard/inline.h"
#include "opyard/ops.h"

size_t oy_optimizer_state_count(const oy_optimizer* optimizer) {
  size_t n = 0;
  for (size_t i = 0; optimizer && i < optimizer->count; i++)
    for (int s = 0; s < OYI_OPTIM_STATES; s++)
      n += optimizer->parameters[i].state[s] != NULL;
  return n;
}

oy_status oy_optimizer_state_get(const oy_optimizer* optimizer, size_t index,
                                 oy_named_tensor* out_state) {
  *out_state = (oy_named_tensor){.tensor = NULL};
  size_t n = 0;
  for (size_t i = 0; optimizer && i < optimizer->count; i++) {
    const oyi_optim_parameter* p = &optimizer->parameters[i];
    for (int s = 0; s < OYI_OPTIM_STATES; s++) {
      if (!p->state[s] || n++ != index) continue;
      *out_state = (oy_named_tensor){oy_str_of(p->names[s]), p->state[s]};
      return OY_OK;
    }
  }
  return OY_FAIL(OUT_OF_RANGE, "expected a state below %zu, got %zu", n, index);
}

// ------------------------------------------------------------------------- and in

static bool find(const oy_optimizer* optimizer, oy_str name, size_t* out_parameter,
                 int* out_state) {
  for (size_t i = 0; i < optimizer->count; i++)
    for (int s = 0; s < OYI_OPTIM_STATES; s++)
      if (name.size > 0 &&
          oy_str_equal(name, oy_str_of(optimizer->parameters[i].names[s]))) {
        *out_parameter = i;
        *out_state = s;
        return true;
      }
  return false;
}

static oy_status copy_step(const oy_named_tensor* from, oy_tensor** out) {
  oy_scalar number;
  OY_TRY(oy_tensor_item(from->tensor, &number));
  double step = number.tag == OY_TAG_FLOAT ? number.as.d
                : number.tag == OY_TAG_INT ? (double)number.as.i
                                           : -1;
  oy_value_release(&number);
  OY_CHECK(step >= 0 && step <= 9007199254740992.0, INVALID_ARGUMENT,
           "%.*s: expected a number of steps", OY_STR_ARG(from->name));
  *out = oy_tensor_from_data(&(int64_t){(int64_t)step}, oy_dims_none(), OY_DTYPE_I64);
  return *out ? OY_OK : oy_failure();
}

static oy_status copy_like(const oy_named_tensor* from, oy_tensor* parameter,
                           oy_tensor** out) {
  oy_ints got = oy_tensor_sizes(from->tensor), want = oy_tensor_sizes(parameter);
  bool same = got.size == want.size;
  for (size_t d = 0; same && d < want.size; d++) same = got.data[d] == want.data[d];
  OY_CHECK(same, INVALID_ARGUMENT, "%.*s: expected the sizes of its parameter",
           OY_STR_ARG(from->name));
  oy_value none = oy_none();
  oy_tensor* copy = oy_empty_like(parameter, none, none, none, none, none);
  oy_tensor* source = (oy_tensor*)(uintptr_t)from->tensor;  // it is only read
  if (!copy || !oy_copy_(copy, source, false)) {
    oy_tensor_release(copy);
    return oy_failure();
  }
  *out = copy;
  return OY_OK;
}

// |fresh| has OYI_OPTIM_STATES places for each parameter.
static oy_status copy_one(const oy_optimizer* optimizer, const oy_named_tensor* from,
                          oy_tensor** fresh) {
  size_t i = 0;
  int s = 0;
  OY_CHECK(find(optimizer, from->name, &i, &s), INVALID_ARGUMENT,
           "this optimizer has no state named '%.*s'", OY_STR_ARG(from->name));
  OY_CHECK(from->tensor && oy_object_is_tensor(from->tensor), INVALID_ARGUMENT,
           "%.*s: expected a tensor", OY_STR_ARG(from->name));
  oy_tensor** out = &fresh[i * OYI_OPTIM_STATES + (size_t)s];
  OY_CHECK(!*out, INVALID_ARGUMENT, "%.*s: given twice", OY_STR_ARG(from->name));
  if (optimizer->kind != OY_SGD && s == OYI_STEP) return copy_step(from, out);
  return copy_like(from, optimizer->parameters[i].tensor, out);
}

// Steps and averages belong together.
static oy_status check_complete(const oy_optimizer* optimizer, oy_tensor** fresh) {
  for (size_t i = 0; i < optimizer->count && optimizer->kind != OY_SGD; i++) {
    oy_tensor** row = fresh + i * OYI_OPTIM_STATES;
    bool any = row[OYI_STEP] || row[OYI_EXP_AVG] || row[OYI_EXP_AVG_SQ] ||
               row[OYI_MAX_EXP_AVG_SQ];
    bool all = row[OYI_STEP] && row[OYI_EXP_AVG] && row[OYI_EXP_AVG_SQ];
    OY_CHECK(all || !any, INVALID_ARGUMENT,
             "parameter %zu: expected step, exp_avg and exp_avg_sq together", i);
  }
  return OY_OK;
}

static oy_status copy_all(const oy_optimizer* optimizer, const oy_named_tensor* state,
                          size_t count, oy_tensor** fresh) {
  for (size_t n = 0; n < count; n++) OY_TRY(copy_one(optimizer, &state[n], fresh));
  return check_complete(optimizer, fresh);
}

oy_status oy_optimizer_state_set(oy_optimizer* optimizer, const oy_named_tensor* state,
                                 size_t count) {
  OY_CHECK(optimizer, INVALID_ARGUMENT, "expected an optimizer, got NULL");
  OY_CHECK(state || count == 0, INVALID_ARGUMENT, "expected %zu states, got NULL", count);
  const size_t places = optimizer->count * OYI_OPTIM_STATES;
  oy_tensor** fresh = oyi_calloc(places, sizeof(*fresh));
  if (!fresh) return OY_OUT_OF_MEMORY;
  uint64_t before = oy_call_enter();
  oy_grad_guard guard = oy_no_grad();
  oy_status status = copy_all(optimizer, state, count, fresh);
  oy_grad_guard_end(&guard);
  oy_call_leave(before);
  for (size_t n = 0; n < places; n++) {
    oy_tensor** place =
        &optimizer->parameters[n / OYI_OPTIM_STATES].state[n % OYI_OPTIM_STATES];
    // What goes is the old state, or the copies that came to nothing.
    oy_tensor_release(status == 0 ? *place : fresh[n]);
    if (status == 0) *place = fresh[n];
  }
  oyi_free(fresh);
  return status;
}
