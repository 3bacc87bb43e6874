// One kernel copies words out, and the next one writes some of them: kernels run one after the other. With -D WRONG the
// first one writes them itself, before the wait.
void set(global int *out) {
  if (get_local_id(0) % 5 == 0)
    out[get_global_id(0)] = -5; /* HERE */
}

kernel void fill(global const int *in, global int *out) {
  local int tile[64];
  size_t first = 64 * get_group_id(0);
  event_t e = async_work_group_copy(tile, in + first, 64, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + first, tile, 64, e); /* OTHER */
#ifdef WRONG
  set(out);
#endif
  wait_group_events(1, &e);
}

kernel void patch(global int *out) { set(out); }
