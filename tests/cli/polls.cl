//// kernels
kernel void lock(global int *lock, global int *out) {
  while (atomic_cmpxchg(lock, 0, 1) != 0) ;
  out[0]++; atomic_xchg(lock, 0); }
kernel void here(global int *out) {
  local int first, lock; if (get_local_id(0) == 0) lock = first = 0; barrier(CLK_LOCAL_MEM_FENCE);
  while (atomic_xchg(&lock, 1 + first) != 0) ;
  out[0]++; atomic_xchg(&lock, 0); }
kernel void given(local volatile int *room, global int *out) {
  room[1] = 0; barrier(CLK_LOCAL_MEM_FENCE); while (room[1] == 0) ; out[0] = 1; }
kernel void flag(volatile global int *flag, global int *out) { while (flag[3] == 0) ; out[0] = 1; }
kernel void each(volatile global int *flag, global int *out) { while (flag[get_global_id(0)] == 0) ; out[0] = 1; }
kernel void twice(volatile global int *lock, global int *out) {
  for (;;) { while (lock[2]) ; if (atomic_xchg(&lock[2], 1) == 0) break; } out[0]++; lock[2] = 0; }
kernel void late(volatile global int *flag, global int *out) {
  if (get_group_id(0) + 1 == get_num_groups(0)) *flag = 1; else while (*flag == 0) ; out[0] = 1; }
kernel void some(volatile global int *flag, global int *out) {
  if (get_local_id(0) < 8) return; if (get_local_id(0) < 33) while (*flag == 0) ; barrier(CLK_LOCAL_MEM_FENCE);
  out[0] = 1; }
kernel void sums(global int *a, global int *out) {
  int s = 0; for (int i = 0; i < 1000000; i++) s += a[i & 7] + *a; out[0] = s; }
