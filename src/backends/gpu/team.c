// SPDX-License-Identifier: Apache-2.0
#include "team.h"

#include <stdlib.h>

// Rows side by side in a group, of four bytes or more each: a whole access of the memory.
enum { BESIDE = 16, LINE = 32 };

bool gpu_uses_teams(const gpu_device* d) {
  const char* asked = getenv("OPYARD_GPU_TILES");
  return asked ? asked[0] == 'g' : !d->is_cpu;
}

// |enough| lanes of a row that lies along memory; others are as many as keep a device busy.
static gpu_team team_of(const gpu_device* d, int64_t rows, int64_t length, bool along,
                        int64_t enough) {
  gpu_team team = {1, along};
  if (!gpu_uses_teams(d)) return team;
  int64_t most = GPU_TEAM_GROUP;
  for (int64_t beside = 1; !along && beside < BESIDE && beside < rows; beside *= 2)
    most /= 2;
  const int64_t stop = along ? enough : 1;
  while (team.lanes < most && team.lanes * GPU_TEAM_LEAST < length &&
         (rows * team.lanes < GPU_TEAM_ITEMS || team.lanes < stop))
    team.lanes *= 2;
  return team;
}

gpu_team gpu_team_of(const gpu_device* d, int64_t rows, int64_t length, bool along) {
  return team_of(d, rows, length, along, GPU_TEAM_GROUP);
}

gpu_team gpu_team_once(const gpu_device* d, int64_t rows, int64_t length, bool along) {
  return team_of(d, rows, length, along, LINE);
}

int64_t gpu_team_pieces(gpu_team team, int64_t rows, int64_t length, int64_t least,
                        int64_t most) {
  const int64_t busy = GPU_TEAM_ITEMS / (rows * team.lanes);
  const int64_t worth = length / (least * team.lanes);
  const int64_t pieces = busy < worth ? busy : worth;
  return pieces < 1 ? 1 : pieces > most ? most : pieces;
}

void gpu_team_text(gpu_text* t, const gpu_device* d) {
  if (gpu_uses_teams(d)) gpu_text_append(t, "#define TEAMS\n");
  gpu_text_add(t, "#define TEAM_GROUP %d\n", GPU_TEAM_GROUP);
  gpu_text_append(t, gpu_text_team);
}

void gpu_arg_team(gpu_launch* l, gpu_team team) {
  gpu_arg_int(l, team.lanes);
  gpu_arg_int(l, team.along);
}

oy_status gpu_launch_team(gpu_launch* l, gpu_kernel* kernel, gpu_team team, int64_t rows,
                          size_t alone) {
  if (!gpu_uses_teams(l->device)) return gpu_launch_run(l, kernel, (size_t)rows, alone);
  const int64_t in_group = GPU_TEAM_GROUP / team.lanes;
  const size_t groups = (size_t)((rows + in_group - 1) / in_group);
  return gpu_launch_run(l, kernel, groups * GPU_TEAM_GROUP, GPU_TEAM_GROUP);
}
