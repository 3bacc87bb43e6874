//// operations_on_global_and
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(volatile global int *p, global float *f, volatile global long *q,
              global int *old) {
  local int l[1]; local uint m[1];
  int i = get_global_id(0);
  if (get_local_id(0) == 0) l[0] = m[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  old[i] = atomic_inc(p); atomic_dec(p + 1); atomic_sub(p + 2, i); atomic_max(p + 3, i);
  atomic_min(p + 4, -i); atomic_xor(p + 5, 1 << (i & 31)); atomic_or(p + 6, i);
  atomic_cmpxchg(p + 7, i, i + 1); atom_add(q, 1L << 33); atomic_xchg(f, 2.5f);
  atomic_add(l, 3); atomic_max(m, (uint)i);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) { atomic_add(p + 8, l[0]); atomic_max(p + 9, (int)m[0]); }
}
//// c11_operations_work_through
int bump(volatile atomic_int *a, int by) {
  int seen = 0;
  while (!atomic_compare_exchange_strong(a, &seen, seen + by)) {}
  return atomic_fetch_add(a, 1) - seen;
}
kernel void k(global atomic_int *g, global int *out, global int *which) {
  local atomic_int l; atomic_int mine;
  int i = get_local_id(0);
  if (i == 0) atomic_init(&l, 10);
  atomic_init(&mine, 100);
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile atomic_int *a = which[i] == 0 ? (volatile atomic_int *)g
                           : which[i] == 1 ? (volatile atomic_int *)&l : &mine;
  atomic_fetch_add(a, 2); atomic_fetch_max(a, 3); atomic_exchange(a, atomic_load(a));
  out[i] = atomic_load(&mine);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) { out[64] = atomic_load(&l); out[65] = bump(&mine, 5); out[66] = bump(&l, 7);
                out[67] = bump(g, 9); out[68] = atomic_load(&l); }
}
//// flags_are_set_once
kernel void k(global atomic_flag *f, global int *out) {
  out[get_global_id(0)] = atomic_flag_test_and_set(f);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_global_id(0) == 0) atomic_flag_clear(f + 1);
}
//// orders_become_fences_unless
kernel void k(global atomic_int *a, global int *out) {
  out[0] = atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
  atomic_store_explicit(a + 1, 1, memory_order_release);
  out[1] = atomic_load_explicit(a + 2, memory_order_acquire);
  out[2] = atomic_fetch_or_explicit(a + 3, 1, memory_order_acq_rel);
}
//// atomic_loads_and_stores
kernel void k(global atomic_int *a, global atomic_long *w, global atomic_flag *f,
              global int *out) {
  local atomic_uint l[64]; local atomic_double d[64]; atomic_int mine;
  int i = get_local_id(0);
  atomic_init(&l[i], 5); atomic_init(&mine, 3);
  atomic_store_explicit(&d[i], 1.5, memory_order_relaxed);
  atomic_store_explicit(&l[i], 6, memory_order_relaxed);
  atomic_store_explicit(a + i, i, memory_order_relaxed);
  atomic_store_explicit(w + i, (long)i << 32, memory_order_relaxed);
  atomic_flag_clear_explicit(f + i, memory_order_relaxed);
  out[i] = atomic_load_explicit(&l[i], memory_order_relaxed)
         + (int)atomic_load_explicit(&d[i], memory_order_relaxed)
         + atomic_load_explicit(a + i, memory_order_relaxed)
         + (int)(atomic_load_explicit(w + i, memory_order_relaxed) >> 32)
         + atomic_load(&mine);
}
//// floats_and_doubles_are
kernel void k(volatile global atomic_float *f, volatile global atomic_double *d,
              global float *out) {
  local atomic_float l;
  int i = get_local_id(0);
  if (i == 0) atomic_init(&l, 0.5f);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(f, 0.25f, memory_order_relaxed);
  atomic_fetch_max_explicit(f + 1, (float)i, memory_order_relaxed);
  atomic_fetch_min_explicit(f + 2, -(float)i, memory_order_relaxed);
  atomic_fetch_add_explicit(&l, 2.0f, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_add_explicit(d, 1.5, memory_order_relaxed);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = atomic_load(&l);
}
//// private_minimum_and_maximum
kernel void k(global uint *in, global uint *out) {
  atomic_uint u[2]; atomic_int s[2];
  for (int i = 0; i < 2; i++) { atomic_init(&u[i], 1); atomic_init(&s[i], 1); }
  atomic_fetch_max(&u[0], in[0]); atomic_fetch_min(&u[1], in[0]);
  atomic_fetch_max(&s[0], (int)in[0]); atomic_fetch_min(&s[1], (int)in[0]);
  for (int i = 0; i < 2; i++) { out[i] = atomic_load(&u[i]); out[2 + i] = atomic_load(&s[i]); }
}
//// printf_prints_numbers_vectors
void say(constant char *who, int i) { printf("%s says %d\n", who, i); }
kernel void k(global int *out) {
  char4 c = (char4)(1, -2, 3, -4); double3 d = (double3)(0.5, 1.5, 2.5);
  printf("%d %u %ld %x %c|", -5, 7u, 1L << 40, 255, 'z');
  printf("%v4hhd %.1f %s %v3lf %5.2f%%|", c, 2.25f, "str", d, 3.14159);
  say("me", 1); say("you", 2);
  out[0] = printf("end");
}
