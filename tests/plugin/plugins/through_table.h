// SPDX-License-Identifier: Apache-2.0
// For plugins that are linked with nothing: errors go through the table that the load
// function was given. Included before everything else.
#ifndef OPYARD_TESTS_PLUGIN_THROUGH_TABLE_H_
#define OPYARD_TESTS_PLUGIN_THROUGH_TABLE_H_

#define oy_error_set plugin_error_set
#include "opyard/abi.h"

extern const oy_api* plugin_api;

#endif  // OPYARD_TESTS_PLUGIN_THROUGH_TABLE_H_
