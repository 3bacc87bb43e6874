// Each work-item reads its own word of a tile before a copy refills it. Without the barrier (-D WRONG) that is equally
// wrong: the copy belongs to the whole work-group and may fill any word at any time.
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
