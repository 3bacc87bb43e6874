// Work-items clear and read their own bins, and all count in all bins with atomic additions; with -D WRONG with plain
// ones.
kernel void histogram(global const uchar *in, global uint *out) {
  local uint bins[16];
  uint l = get_local_id(0), bin = in[get_global_id(0)] % 16;
  if (l < 16)
    bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef WRONG
  bins[bin]++; /* HERE, OTHER */
#else
  atomic_inc(&bins[bin]);
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16)
    atomic_add(&out[l], bins[l]);
}
