// Each work-item adds its left neighbor's short: from the input, with -D WRONG from the output, which at the edge
// belongs to another work-group; a second launch may write what the first has read.
#ifdef WRONG
#define LEFT(in, out) out
#else
#define LEFT(in, out) in
#endif

kernel void add(global const short *in, global short *out) {
  size_t i = get_global_id(0) + 1;
  short left = 0;
  if (get_local_id(0) == 0)
    left = LEFT(in, out)[i - 1]; /* OTHER */
  out[i] = in[i] + left;         /* HERE */
}
