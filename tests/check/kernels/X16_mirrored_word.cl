// Work-items read a tile backwards, and a copy refills it: after a barrier, with -D WRONG at once. Then nothing keeps
// the copy from starting when the first of them has reached it.
kernel void mirror(global const int *in, global int *out) {
  local int tile[32];
  uint l = get_local_id(0);
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int a = tile[31 - l]; /* OTHER */
#ifndef WRONG
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  event_t e = async_work_group_copy(tile, in, 32, 0); /* HERE */
  wait_group_events(1, &e);
  out[l] = a + tile[l];
}
