// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <math.h>

#include "opyard/opyard.h"

enum { FIRST = 16, SECOND = 32 };  // channels

const char* const parameter_names[PARAMETERS] = {"conv1.weight",  "conv1.bias",
                                                 "conv2.weight",  "conv2.bias",
                                                 "linear.weight", "linear.bias"};

static oy_status make_parameter(oy_ints sizes, int64_t inputs, oy_generator* generator,
                                oy_tensor** out) {
  *out = oy_tensor_empty(sizes, OY_DTYPE_F32, oy_device_cpu());
  const double bound = 1 / sqrt((double)inputs);
  oy_tensor* drawn =
      oy_uniform_(*out, -bound, bound, oy_value_pointer(OY_TAG_GENERATOR, generator, 0));
  return drawn && oy_requires_grad_(drawn, true) ? OY_OK : oy_failure();
}

static oy_status make_all(const images* set, oy_generator* g, oy_tensor** p) {
  const int64_t features = SECOND * (set->rows / 4) * (set->columns / 4);
  OY_CHECK(features > 0, INVALID_ARGUMENT,
           "expected images of at least 4 x 4, got %lld x %lld", (long long)set->rows,
           (long long)set->columns);
  OY_TRY(make_parameter(OY_DIMS(FIRST, 1, 3, 3), 9, g, &p[0]));
  OY_TRY(make_parameter(OY_DIMS(FIRST), 9, g, &p[1]));
  OY_TRY(make_parameter(OY_DIMS(SECOND, FIRST, 3, 3), FIRST * 9, g, &p[2]));
  OY_TRY(make_parameter(OY_DIMS(SECOND), FIRST * 9, g, &p[3]));
  OY_TRY(make_parameter(OY_DIMS(CLASSES, features), features, g, &p[4]));
  return make_parameter(OY_DIMS(CLASSES), features, g, &p[5]);
}

oy_status network_create(const images* set, oy_generator* generator, network* out) {
  *out = (network){{NULL}};
  oy_status status = make_all(set, generator, out->parameters);
  if (status) network_free(out);
  return status;
}

void network_free(network* net) {
  for (int i = 0; i < PARAMETERS; i++) oy_tensor_release(net->parameters[i]);
  *net = (network){{NULL}};
}

// Whether all went well shows in the result alone: it is NULL if anything was.
oy_tensor* network_run(const network* net, oy_tensor* x) {
  const oy_ints one = OY_DIMS(1, 1), two = OY_DIMS(2, 2), zero = OY_DIMS(0, 0);
  for (int layer = 0; layer < 2; layer++) {
    x = oy_conv2d(x, net->parameters[2 * layer], net->parameters[2 * layer + 1], one, one,
                  one, 1);
    x = oy_max_pool2d(oy_relu(x), two, two, zero, one, false);
  }
  return oy_linear(oy_flatten_using_ints(x, 1, -1), net->parameters[4],
                   net->parameters[5]);
}
