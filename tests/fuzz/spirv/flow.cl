/* Loops, switch, goto, calls, a barrier and an asynchronous copy. */
static int twice(int x) { return x * 2; }
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void flow(__global int *o, int n) {
  __local int tile[8];
  event_t e = async_work_group_copy(tile, o, 8, 0);
  wait_group_events(1, &e);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) {
    if (tile[i & 7] == 5)
      continue;
    switch (twice(i)) {
    case 2:
      o[i] = sqrt((float)i);
    case 8:
      goto out;
    default:
      atomic_add(o, i);
    }
  }
out:
  printf("%d\n", n);
}
