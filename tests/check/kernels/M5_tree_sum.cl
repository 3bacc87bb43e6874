// A sum in the LDS, by halves: each iteration ends in a barrier with a local fence; with -D WRONG a global one.
#ifdef WRONG
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

kernel void sums(global const int *in, global int *out) {
  local int part[64];
  uint l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_of = 32; half_of > 0; half_of /= 2) {
    if (l < half_of)
      part[l] += part[l + half_of]; /* HERE, OTHER */
    barrier(FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = part[0];
}
