//// spaces_kernel
int *pick(int c, int *a, int *b) { return c ? a : b; }
kernel void k(global int *in, global int *out) {
  local int l[64];
  int i = (int)get_global_id(0), own[4] = {1, 2, 3, i};
  l[get_local_id(0)] = 50 + i;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p = pick(i % 4 == 0, own + 1, i % 4 == 1 ? (int *)(in + i) : i % 4 == 2 ? (int *)0 : l + get_local_id(0));
  int r = 0;
  if (p) { *p += 7; r = *p; }
  if (to_private(p)) r += 1000;
  if (to_global(p)) r += 2000;
  if (to_local(p)) r += 4000 + *to_local(p) % 10;
  if (p == own + 1) r += 10000;
  if (get_fence(l) == CLK_LOCAL_MEM_FENCE && get_fence(in) == CLK_GLOBAL_MEM_FENCE &&
      i % 4 == 3 && get_fence(p) != CLK_LOCAL_MEM_FENCE) r = 0;
  if (i % 4 == 1 && get_fence(p) != CLK_GLOBAL_MEM_FENCE) r = 0;
  out[i] = r + own[1] * 100000;
}
//// a_helper_with_a
int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
kernel void k(global int *in, global int *out) {
  local int l[8];
  l[get_local_id(0) & 7] = 3;
  out[0] = sum(l, 8);
}
//// vectors_are_reinterpreted_bit
kernel void k(global int *in, global int *out, global uchar4 *bytes) {
  int i = (int)get_global_id(0), n = in[i];
  uchar4 x = as_uchar4(n).wzyx; x[i & 3] = 9; bytes[i] = x;
  int3 v = (int3)(i, n, 5); v[i % 3] = 1; short8 s = (short8)(n, i, 2, 3, 4, 5, 6, 7);
  long l = as_long((int2)(i, n));
  out[i] = v.x + v.y * 3 + v.z * 5 + s[i & 7] + (int)(l >> 16) + (any(s > (short8)6) ? 100 : 0);
}
//// bools_are_frozen_and
kernel void k(global int *in, global int *out) {
  int i = (int)get_global_id(0), n = in[i], less = (n & 255) - 128;
  for (char c = 3; c >= (char)(i & 1); c--) if (less <= n) break;
  int8 v = (int8)(0, 0, 0, 0, 0, n, 0, 0) > i;
  int16 w = (int16)(9, n, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, i, 9) > 2;
  out[i] = (__builtin_reduce_or(v) & 1) + (__builtin_reduce_and(w) & 2);
}
//// local_variables_are_known
kernel void called(global int *a) { local char x[3]; local int4 tile[4];
  x[1] = 1; tile[0] = a[0]; a[1] = x[2] + tile[1].y; }
kernel void k(global int *a, local float *l) {
  local int tile; local float p1[8];
  tile = a[2]; p1[a[3]] = l[1]; called(a); a[4] = tile + p1[1];
}
kernel void none(global int *a) { a[0] = 1; }
