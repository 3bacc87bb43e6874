/* A copy fills one part of the LDS while the warps read another part as fast as they can. The bytes differ,
 * but the banks are the same: if these have a single port, each side takes cycles from the other. */
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void contention(global const uint *in, global uint *out) {
  local volatile uint4 tile[256];              /* what the warps read */
  local uint incoming[4096];                   /* what the copy writes */
  uint i = get_local_id(0), sum = 0;
  tile[i] = (uint4)(i + 1, 0, 0, 0);
  barrier(CLK_LOCAL_MEM_FENCE);

  event_t event = async_work_group_copy(incoming, in, 4096, 0);
  for (uint left = 8; left > 0; left--) {
    uint4 a = tile[i], b = tile[i], c = tile[i], d = tile[i];
    sum += a.x + b.x + c.x + d.x;              /* four loads in a row; none waits for another */
  }
  wait_group_events(1, &event);
  out[i] = sum + incoming[i];
}
