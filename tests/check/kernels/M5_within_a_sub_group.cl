// Work-items exchange values within their sub-group, whose barrier is enough; with -D WRONG across the work-group.
#ifdef WRONG
#define LAST get_local_size(0) - 1
#else
#define LAST get_sub_group_size() - 1
#endif

kernel void swap(global const int *in, global int *out) {
  local int tile[128];
  uint l = get_local_id(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[l] *= 3; /* OTHER */
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[l ^ (LAST)]; /* HERE */
}
