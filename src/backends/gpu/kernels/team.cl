// SPDX-License-Identifier: Apache-2.0
// How the work-items of a group share rows: |lanes| of them have one. Where a row's elements
// lie side by side its lanes do as well (|along|), else those of the rows beside it do, so
// that what is read at a time is in one place. Without TEAMS each has a row of its own.
//
//   kernel void run(..., int lanes, int along) {
//     TEAM(S, lanes, along);                    // declares LANE, ROW and local memory
//     for (long i = LANE; i < n; i += lanes) sum += ...;
//     JOIN_LANES(sum, SUM_OF);                  // in every lane; all of a group must come
//
// A power of two divides the group: TEAM_GROUP / lanes rows are a group's.
#define SUM_OF(a, b) ((a) + (b))

#ifdef TEAMS
#define TEAM(type, lanes, along)                                               \
  local type team_[TEAM_GROUP];                                                \
  const int team_rows_ = TEAM_GROUP / (lanes), team_id_ = (int)get_local_id(0); \
  const int team_next_ = (along) ? 1 : team_rows_;                             \
  const int LANE = (along) ? team_id_ % (lanes) : team_id_ / team_rows_;       \
  const long ROW = (long)get_group_id(0) * team_rows_ +                        \
                   ((along) ? team_id_ / (lanes) : team_id_ % team_rows_)
#define JOIN_LANES(x, merged)                                                    \
  do {                                                                           \
    team_[team_id_] = x;                                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                \
    for (int s_ = lanes / 2; s_ > 0; s_ /= 2) {                                  \
      if (LANE < s_)                                                             \
        team_[team_id_] = merged(team_[team_id_], team_[team_id_ + s_ * team_next_]); \
      barrier(CLK_LOCAL_MEM_FENCE);                                              \
    }                                                                            \
    x = team_[team_id_ - LANE * team_next_];                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                \
  } while (0)
#else
#define TEAM(type, lanes, along) \
  const int LANE = 0;            \
  const long ROW = (long)get_global_id(0)
#define JOIN_LANES(x, merged)
#endif
