// Each work-item reads its neighbor's element and discards it; with -D WRONG the last one has no neighbor.
#ifdef WRONG
#define LAST 256
#else
#define LAST 255
#endif

kernel void look(global const int *in, global int *out) {
  uint i = get_global_id(0);
  int next = in[min(i + 1, (uint)LAST)]; /* HERE */
  out[i] = in[i];
}
