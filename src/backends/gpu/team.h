// SPDX-License-Identifier: Apache-2.0
// How many work-items share a row, for kernels behind kernels/team.cl. It depends on the
// shape alone, so that sums come out the same each time.
#ifndef OPYARD_SRC_BACKENDS_GPU_TEAM_H_
#define OPYARD_SRC_BACKENDS_GPU_TEAM_H_

#include "launch.h"
#include "text.h"

enum {
  GPU_TEAM_GROUP = 256,      // work-items of a group
  GPU_TEAM_ITEMS = 1 << 18,  // that keep a large device busy
  GPU_TEAM_LEAST = 8         // elements that a lane should have
};

typedef struct gpu_team {
  int32_t lanes;  // a power of two up to the group; 1 where rows are not shared
  bool along;     // lanes of a row lie side by side, else rows do
} gpu_team;

// Not on CPUs. OPYARD_GPU_TILES=cpu|gpu takes the other kind's way, for tests.
bool gpu_uses_teams(const gpu_device* device);
// For |rows| of |length| elements. |along|: elements of a row are nearer to each other than
// those of the next row.
gpu_team gpu_team_of(const gpu_device* device, int64_t rows, int64_t length, bool along);
// For rows that are read once: fewer lanes where rows are many. (What is read again should
// be few rows at a time.)
gpu_team gpu_team_once(const gpu_device* device, int64_t rows, int64_t length,
                       bool along);
// Into how many pieces up to |most| to cut such rows, each of which a team has, where teams of
// whole rows do not keep the device busy: of |least| elements for each lane, or more.
int64_t gpu_team_pieces(gpu_team team, int64_t rows, int64_t length, int64_t least,
                        int64_t most);
// Adds #define lines and the text of team.cl.
void gpu_team_text(gpu_text* text, const gpu_device* device);
// The last two arguments of a kernel.
void gpu_arg_team(gpu_launch* l, gpu_team team);
// For |rows| of it. |alone| is the group where rows are not shared.
oy_status gpu_launch_team(gpu_launch* l, gpu_kernel* kernel, gpu_team team, int64_t rows,
                          size_t alone);

#endif  // OPYARD_SRC_BACKENDS_GPU_TEAM_H_
