// Work-items write global memory and their work-group's copy reads it into the LDS: the barrier between fences global
// memory, with -D WRONG only the LDS.
#ifdef WRONG
#define FENCE CLK_LOCAL_MEM_FENCE
#else
#define FENCE CLK_GLOBAL_MEM_FENCE
#endif

kernel void relay(global uint *between, global uint *out) {
  local uint tile[64];
  size_t i = get_global_id(0), first = 64 * get_group_id(0);
  between[i] = 3 * i; /* OTHER */
  barrier(FENCE);
  event_t e = async_work_group_copy(tile, between + first, 64, 0); /* HERE */
  wait_group_events(1, &e);
  out[i] = tile[63 - get_local_id(0)];
}
