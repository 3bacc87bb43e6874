/* The nearest of `k` centres for each point; features lie by feature (or, with ROWS, by point). */
kernel void kmeans(global const float *points, global const float *centres, global int *nearest, int n, int k, int features) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float best = FLT_MAX;
  int which = 0;
  for (int c = 0; c < k; c++) {
    float d = 0;
    for (int f = 0; f < features; f++) {
#ifdef ROWS
      float x = points[i * features + f] - centres[c * features + f];
#else
      float x = points[f * n + i] - centres[c * features + f];
#endif
      d += x * x;
    }
    if (d < best) {
      best = d;
      which = c;
    }
  }
  nearest[i] = which;
}
