// SPDX-License-Identifier: Apache-2.0
// Gradients of ctc_loss, rrelu, recurrent networks, packed sequences and stft against finite
// differences; that of rrelu in training by the slopes that the call wrote.
#include "layers/differences.h"

#define X in[0]
#define Y in[1]
#define Z in[2]
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }
#define NONE    oy_none()
#define NOTHING (&oy_none_object)

// Tensors of integers belong to the scope.
static oy_tensor* scoped(oy_tensor* made) {
  oy_tensor* alias = oy_clone(made, oy_none());
  oy_tensor_release(made);
  return alias;
}
#define CLASSES    scoped(I64(OY_DIMS(2, 2), 1, 2, 1, 1))
#define PAIR(a, b) scoped(I64(OY_DIMS(2), a, b))
#define STEPS(...) scoped(I64(OY_DIMS(3), __VA_ARGS__))

// ---------------------------------------------------------------------------- ctc_loss

static oy_tensor* logs(oy_tensor* x) {
  return oy_log_softmax_int(x, -1, NONE);
}
FUNCTION(ctc_lists,
         oy_ctc_loss_IntList(logs(X), CLASSES, OY_DIMS(4, 3), OY_DIMS(2, 2), 0, 1, false))
FUNCTION(ctc_none,
         oy_ctc_loss_IntList(logs(X), CLASSES, OY_DIMS(4, 4), OY_DIMS(2, 1), 0, 0, false))
FUNCTION(ctc_tensors,
         oy_ctc_loss_Tensor(logs(X), CLASSES, PAIR(4, 1), PAIR(2, 2), 0, 2, true))

static void ctc(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"ctc_loss.IntList", ctc_lists, "4,2,3", 0.1, 2},
      {"ctc_loss.IntList, each", ctc_none, "4,2,3", 0.1, 2},
      {"ctc_loss.Tensor, one without a way", ctc_tensors, "4,2,3", 0.1, 2},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 1);
}

// ------------------------------------------------------------------------------- rrelu

FUNCTION(rrelu_mean, oy_rrelu(X, oy_float(0.1), oy_float(0.5), false, NONE))
FUNCTION(rrelu_fixed, oy_rrelu(oy_neg(X), oy_float(0.25), oy_float(0.25), true, NONE))
static void rrelu(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"rrelu", rrelu_mean, "2,3", 0.2, 2},
      {"rrelu, below 0", rrelu_mean, "2,3", -2, -0.2},
      {"rrelu in training, one slope", rrelu_fixed, "2,3", 0.2, 2},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 2);
}

// The gradient is what was written to the noise, in each of the forms.
enum { NEW, IN_PLACE, FUNCTIONAL, FORMS };
static oy_tensor* by_form(int form, oy_tensor* x, oy_tensor* noise,
                          oy_tensor** out_noise) {
  const oy_value low = oy_float(0.1), high = oy_float(0.4);
  *out_noise = noise;
  if (form == NEW) return oy_rrelu_with_noise(x, noise, low, high, true, NONE);
  if (form == IN_PLACE)
    return oy_rrelu_with_noise_(oy_mul_Scalar(x, oy_int(1)), noise, low, high, true,
                                NONE);
  oy_tensor* made = NULL;
  return oy_rrelu_with_noise_functional(x, noise, low, high, true, NONE, &made,
                                        out_noise) == OY_OK
             ? made
             : NULL;
}

static void slopes_are_saved_as_written(void** state) {
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x =
        oy_sub_Scalar(oy_arange(oy_int(12), oy_int(OY_DTYPE_F64), NONE, NONE, NONE),
                      oy_float(5.5), oy_int(1));
    assert_non_null(oy_requires_grad_(x, true));
    oy_tensor* noise = oy_full_like(x, oy_int(7), NONE, NONE, NONE, NONE, NONE);
    const uint32_t before = oy_tensor_version(noise);
    oy_tensor* slopes;
    oy_tensor* y = by_form(form, x, noise, &slopes);
    assert_non_null(y);
    assert_int_equal(oy_tensor_version(noise) - before, form == FUNCTIONAL ? 0 : 1);
    assert_int_equal(oy_backward(oy_sum(y, NONE), NULL, false), OY_OK);
    for (int64_t i = 0; i < 12; i++) {
      const double slope = element(slopes, i);
      assert_true(i >= 6 ? slope == 1 : slope >= 0.1 && slope < 0.4);
      assert_true(element(oy_grad(x), i) == slope);
      assert_true(element(y, i) == element(x, i) * slope);
    }
    oy_scope_close(&scope);
  }
}

// Who writes to the noise afterwards is told so, as of any saved tensor.
static void changed_slopes_are_refused(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_requires_grad_(oy_ones(OY_DIMS(3), NONE, NONE, NONE, NONE), true);
  oy_tensor* noise = oy_empty_like(x, NONE, NONE, NONE, NONE, NONE);
  oy_tensor* y = oy_rrelu_with_noise(x, noise, oy_float(0.1), oy_float(0.4), true, NONE);
  assert_non_null(y);
  assert_non_null(oy_zero_(noise));
  assert_true(oy_backward(oy_sum(y, NONE), NULL, false) != OY_OK);
  assert_non_null(strstr(oy_error_get()->message, "modified by an inplace operation"));
  oy_scope_close(&scope);
}

// ------------------------------------------------------------------ recurrent networks

enum { HIDDEN = 2 };
// Weights of a gate for each part of |v|, which has as many elements as they need.
static oy_tensor* weights(oy_tensor* v, int64_t gates, int64_t width, int64_t from) {
  oy_tensor* rows = oy_narrow(v, 0, from, gates * HIDDEN * width);
  return oy_sub_Scalar(oy_reshape(rows, OY_DIMS(gates * HIDDEN, width)), oy_float(1),
                       oy_int(1));
}
static oy_tensor* gru(oy_tensor* const* in) {
  oy_tensor *output = NULL, *end = NULL;
  oy_tensor* params[] = {weights(Z, 3, 2, 0), weights(Z, 3, HIDDEN, 12)};
  if (oy_gru_input(X, Y, (oy_tensors){params, 2}, false, 1, 0, false, false, false,
                   &output, &end) != OY_OK)
    return NULL;
  return oy_add_Tensor(oy_sum(oy_mul_Tensor(output, output), NONE), oy_sum(end, NONE),
                       oy_int(1));
}
static oy_tensor* lstm(oy_tensor* const* in, bool packed) {
  oy_tensor *output = NULL, *h = NULL, *c = NULL;
  oy_tensor* states[] = {Y, oy_mul_Tensor(Y, Y)};
  oy_tensor* params[] = {weights(Z, 4, 2, 0), weights(Z, 4, HIDDEN, 16),
                         weights(Z, 4, 2, 0), weights(Z, 4, HIDDEN, 16)};
  const oy_tensors p = {params, 4}, s = {states, 2};
  oy_status status =
      packed ? oy_lstm_data(X, STEPS(3, 2, 1), s, p, false, 1, 0, false, true, &output,
                            &h, &c)
             : oy_lstm_input(X, s, p, false, 1, 0, false, true, true, &output, &h, &c);
  if (status != OY_OK) return NULL;
  oy_tensor* sum = oy_add_Tensor(oy_sum(h, NONE), oy_sum(c, NONE), oy_int(1));
  return oy_add_Tensor(oy_sum(oy_mul_Tensor(output, output), NONE), sum, oy_int(1));
}
FUNCTION(lstm_steps, lstm(in, false))
FUNCTION(lstm_packed, lstm(in, true))

static oy_tensor* packed(oy_tensor* const* in) {
  oy_tensor *data = NULL, *sizes = NULL, *padded = NULL, *lengths = NULL;
  if (oy__pack_padded_sequence(X, STEPS(3, 2, 2), true, &data, &sizes) != OY_OK ||
      oy__pad_packed_sequence(oy_mul_Tensor(data, data), sizes, false, oy_int(0), 4,
                              &padded, &lengths) != OY_OK)
    return NULL;
  return padded;
}
static oy_tensor* padded(oy_tensor* const* in) {
  oy_tensor* list[] = {X, Y, Z};
  return oy_pad_sequence((oy_tensors){list, 3}, true, 0.5, oy_str_of("left"));
}

static void recurrent(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"gru.input", gru, "3,2,2 1,2,2 24", 0.3, 1.6},
      {"lstm.input", lstm_steps, "2,3,2 2,2,2 32", 0.3, 1.6},
      {"lstm.data", lstm_packed, "6,2 2,3,2 32", 0.3, 1.6},
      {"_pack_padded_sequence", packed, "3,3,2", 0.3, 1.6},
      {"pad_sequence", padded, "3,2 1,2 2,2", 0.3, 1.6},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 2);
}

// ------------------------------------------------------------------------------- stft

static oy_tensor* window(void) {
  return oy_hann_window(4, oy_int(OY_DTYPE_F64), NONE, NONE, NONE);
}
FUNCTION(spectra, oy_stft_center(X, 4, oy_int(2), NONE, window(), true,
                                 oy_str_of("reflect"), false, NONE, oy_bool(false)))
static oy_tensor* signal_again(oy_tensor* const* in) {
  oy_tensor* s = oy_stft_center(X, 4, oy_int(1), NONE, window(), true,
                                oy_str_of("constant"), true, NONE, oy_bool(true));
  oy_tensor* scaled = s ? oy_mul_Tensor(s, s) : NULL;
  return scaled ? oy_istft(scaled, 4, oy_int(1), NONE, window(), true, true, NONE, NONE,
                           false)
                : NULL;
}
static void fourier(void** state) {
  (void)state;
  static const differences_row rows[] = {
      {"stft.center", spectra, "2,7", 0.3, 1.6},
      {"istft", signal_again, "6", 0.3, 1.6},
  };
  check_differences(rows, sizeof(rows) / sizeof(*rows), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ctc),
      cmocka_unit_test(rrelu),
      cmocka_unit_test(slopes_are_saved_as_written),
      cmocka_unit_test(changed_slopes_are_refused),
      cmocka_unit_test(recurrent),
      cmocka_unit_test(fourier),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
