// While a copy writes every third word of the image, work-items read the words between, or with -D WRONG those that are
// being written.
#ifdef WRONG
#define BESIDE 0
#else
#define BESIDE 2
#endif

kernel void gaps(global const int *in, global int *image, global int *out) {
  local int tile[32];
  size_t l = get_local_id(0), first = 96 * get_group_id(0);
  tile[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_strided_copy(image + first, tile, 32, 3, 0); /* OTHER */
  int v = image[first + 3 * l + 1];
  v += image[first + 3 * l + BESIDE]; /* HERE */
  wait_group_events(1, &e);
  out[get_global_id(0)] = v;
}
