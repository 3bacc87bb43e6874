// The last work-items have no element and a guard keeps them from accessing one; -D WRONG omits the guard.
kernel void twice(global const int *in, global int *out, uint n) {
  uint i = get_global_id(0);
#ifndef WRONG
  if (i >= n)
    return;
#endif
  int v = in[i] * 2; /* HERE */
  out[i] = v;        /* HERE */
}
