/* Seven points in three dimensions, n x n x n. MARCH: along z with the plane in registers; else a work-item a point. */
kernel void stencil3d(global const float *in, global float *out, int n, float a, float b) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
    return;
#ifdef MARCH
  int p = n * n, first = 1 + get_group_id(2) * MARCH, last = min(first + MARCH, n - 1);
  int i = first * p + y * n + x;
  float below = in[i - p], here = in[i];
  for (int z = first; z < last; z++, i += p) {
    float above = in[i + p];
    out[i] = a * here + b * (below + above + in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
    below = here;
    here = above;
  }
#else
  int z = get_global_id(2);
  if (z < 1 || z >= n - 1)
    return;
#define AT(X, Y, Z) in[((Z) * n + (Y)) * n + (X)]
  out[(z * n + y) * n + x] = a * AT(x, y, z) + b * (AT(x - 1, y, z) + AT(x + 1, y, z) + AT(x, y - 1, z) + AT(x, y + 1, z) +
                                                   AT(x, y, z - 1) + AT(x, y, z + 1));
#endif
}
