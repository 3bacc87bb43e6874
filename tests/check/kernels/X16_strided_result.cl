// Work-items read floats of a buffer, and a strided copy writes results between them; with -D WRONG where they have
// read. The barrier fences only the LDS, not global memory.
#ifdef WRONG
#define BESIDE 0
#else
#define BESIDE 1
#endif

kernel void squares(global float *data) {
  local float tile[64];
  size_t l = get_local_id(0), first = 128 * get_group_id(0);
  float v = data[first + 2 * l]; /* OTHER */
  tile[l] = v * v;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_strided_copy(data + first + BESIDE, tile, 64, 2, 0); /* HERE */
  wait_group_events(1, &e);
}
