// A copy fills a tile of the LDS; with -D WRONG there is none.
kernel void fill(global const int *in, global int *out) {
  local int tile[64];
  uint l = get_local_id(0);
  tile[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  local int *to = 0;
#else
  local int *to = tile;
#endif
  event_t filled = async_work_group_copy(to, in, 64, 0); /* HERE */
  wait_group_events(1, &filled);
  out[get_global_id(0)] = tile[l];
}
