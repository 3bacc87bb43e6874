// Each work-item adds the element on its left. The first one has none; with -D WRONG it reads before the buffer.
kernel void stencil(global const double *in, global double *out) {
  int i = get_global_id(0);
  double v = in[i];
#ifndef WRONG
  if (i > 0)
#endif
    v += in[i - 1]; /* HERE */
  out[i] = v;
}
