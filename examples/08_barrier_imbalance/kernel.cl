/* Four rounds of private work, each followed by an exchange: each work-item reads the number of the one 32 places
 * ahead. The quarters of a group work for base, base + slope, base + 2 slope and base + 3 slope steps. No warp
 * leaves the barrier until the slowest has arrived. */
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void imbalance(global uint *out, uint base, uint slope) {
  local uint board[128];
  uint i = get_local_id(0), mine = get_global_id(0), steps = base + i / 32 * slope;
  for (uint round = 0; round < 4; round++) {
    for (uint left = steps; left > 0; left--)
      mine = mine * 1664525u + 1013904223u;
    board[i] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);              /* all numbers are on the board */
    mine ^= board[(i + 32) % 128];
    barrier(CLK_LOCAL_MEM_FENCE);              /* all have been read: the board may be overwritten */
  }
  out[get_global_id(0)] = mine;
}
