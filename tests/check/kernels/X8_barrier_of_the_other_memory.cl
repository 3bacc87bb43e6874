// Work-items write a tile and a copy moves it out: the barrier between fences the LDS, with -D WRONG only global
// memory.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void negate(global const int *in, global int *out) {
  local int tile[64];
  tile[get_local_id(0)] = -in[get_global_id(0)]; /* OTHER */
  barrier(FENCE);
  event_t e = async_work_group_copy(out + 64 * get_group_id(0), tile, 64, 0); /* HERE */
  wait_group_events(1, &e);
}
