// Some work-items write the tile and are late to many copy fences, which order no work-items; the copy out of the tile
// comes after a barrier; -D WRONG omits it.
kernel void late(global int *out) {
  local int tile[128];
  uint l = get_local_id(0), delay = l < 64 ? 1 : 200;
  int v = l;
  for (uint k = 0; k < delay; k++)
    v = v * 5 + 1;
  tile[l] = v; /* OTHER */
  for (uint k = 0; k < 40; k++)
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy(out, tile, 128, 0); /* HERE */
  wait_group_events(1, &e);
}
