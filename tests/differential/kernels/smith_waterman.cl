/* One pair of sequences per work-group, anti-diagonals in the LDS. */
kernel void smith_waterman(global const char *a, global const char *b, global int *scores, int n, local int *diagonal) {
  int lid = get_local_id(0), best = 0;
  local int *older = diagonal, *old = diagonal + n + 1, *now = diagonal + 2 * (n + 1);
  local int most;
  a += get_group_id(0) * n;
  b += get_group_id(0) * n;
  if (lid == 0)
    most = 0;
  for (int i = lid; i < 3 * (n + 1); i += get_local_size(0))
    diagonal[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 2; d <= 2 * n; d++) {
    int i = lid + 1, j = d - i;
    if (i <= n && j >= 1 && j <= n) {
      int match = older[i - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
      int value = max(max(0, match), max(old[i] - 4, old[i - 1] - 4));
      now[i] = value;
      best = max(best, value);
    } else if (i <= n)
      now[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *swap = older;
    older = old;
    old = now;
    now = swap;
  }
  atomic_max(&most, best);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0)
    scores[get_group_id(0)] = most;
}
