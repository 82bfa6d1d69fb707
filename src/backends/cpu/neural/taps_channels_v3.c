// SPDX-License-Identifier: Apache-2.0
#define WAYS oyi_channel_ways_v3
#include "backends/cpu/neural/taps_channels_body.h"
