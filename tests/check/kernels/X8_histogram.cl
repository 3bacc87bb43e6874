// Bins are counted with atomic additions and copied out after a barrier with a local fence; with -D WRONG the barrier
// fences nothing.
#ifdef WRONG
#define FENCE 0
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void histogram(global const uchar *in, global uint *out) {
  local uint bins[16];
  uint l = get_local_id(0);
  if (l < 16)
    bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[in[get_global_id(0)] % 16]); /* OTHER */
  barrier(FENCE);
  event_t e = async_work_group_copy(out + 16 * get_group_id(0), bins, 16, 0); /* HERE */
  wait_group_events(1, &e);
}
