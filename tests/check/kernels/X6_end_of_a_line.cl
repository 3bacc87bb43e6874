// Each work-group copies 60 words to its line of 64, and its last work-items write the other 4; with -D WRONG they
// write 4 words further, where the next work-group's copy writes: nothing orders two work-groups.
#ifdef WRONG
#define SHIFT 4
#else
#define SHIFT 0
#endif

kernel void lines(global const int *in, global int *out) {
  local int tile[64];
  size_t i = get_global_id(0), first = 64 * get_group_id(0);
  tile[get_local_id(0)] = in[i] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy(out + first, tile, 60, 0); /* OTHER */
  wait_group_events(1, &e);
  if (get_local_id(0) >= 60)
    out[(i + SHIFT) % get_global_size(0)] = -1; /* HERE */
}
