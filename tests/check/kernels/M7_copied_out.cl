// Work-items write every other short of a tile, and a strided copy reads those; with -D WRONG it reads their
// neighbors.
#ifdef WRONG
#define FIRST 1
#else
#define FIRST 0
#endif

kernel void evens(global const short *in, global short *out) {
  local short tile[64];
  tile[2 * get_local_id(0)] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_2D2D(out, 32 * get_group_id(0), tile, FIRST, 2, 1, 32, 2, 1, 0); /* HERE */
  wait_group_events(1, &e);
}
