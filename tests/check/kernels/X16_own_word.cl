// Each work-item reads its own word of a tile before a copy fills it anew. That is no less wrong without the barrier
// (-D WRONG): the copy is the whole work-group's, and anybody may fill anybody's word.
kernel void next(global const float *in, global float *out) {
  local float tile[128];
  size_t l = get_local_id(0), first = 256 * get_group_id(0);
  event_t e = async_work_group_copy(tile, in + first, 128, 0);
  wait_group_events(1, &e);
  float sum = tile[l]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  e = async_work_group_copy(tile, in + first + 128, 128, 0); /* HERE */
  wait_group_events(1, &e);
  out[get_global_id(0)] = sum + tile[l];
}
