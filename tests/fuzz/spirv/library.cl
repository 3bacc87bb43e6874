/* What has functions of the library: work-groups, atomics, copies, mathematics, vectors, printf, generic pointers. */
event_t __attribute__((overloadable, convergent)) async_work_group_copy_2D2D(local void *, size_t, const global void *, size_t, size_t,
                                                                      size_t, size_t, size_t, size_t, event_t);
void __attribute__((overloadable, convergent)) async_work_group_copy_fence(cl_mem_fence_flags);
kernel void groups(global int *a, local int *room, int n) {
  size_t i = get_local_id(0);
  room[i] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = work_group_reduce_add(room[n & 7]) + work_group_scan_inclusive_max(n) + work_group_any(n > (int)i);
  event_t event = async_work_group_strided_copy(room, a, 16, 2, (event_t)0);
  event = async_work_group_copy_2D2D(room, 1, a, n, 4, 2, 2, 3, 2, event);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  async_work_group_copy_fence((cl_mem_fence_flags)n);
  wait_group_events(1, &event);
  a[get_global_id(0)] = sum + work_group_broadcast(room[i], 0) + (int)get_global_linear_id();
}

global atomic_int counter = ATOMIC_VAR_INIT(4);
constant float weights[4] = {1, 2.5f, -3, 1e9f};

kernel void atomics(global int *a, global uint *b) {
  local atomic_int there;
  atomic_init(&there, 0);
  int expected = 3;
  atomic_fetch_add_explicit(&there, a[0], memory_order_relaxed, memory_scope_work_group);
  a[1] = atomic_compare_exchange_strong(&counter, &expected, 7) + atomic_cmpxchg(b, 1u, 2u) + atomic_max(a + 2, 5);
  a[3] = atomic_load(&there) + expected;
}

int follow(int *p, int n) {
  return p[n & 3];
}

kernel void numbers(global float4 *v, global int *a, int n) {
  int own[4] = {n, 2, 3, 4};
  float4 x = v[get_global_id(0)], y = fma(sin(x), x.wzyx, (float4)(weights[n & 3]));
  y = select(y, pow(x, y), isless(x, y)) + normalize(x) * dot(x, y);
  uint4 u = convert_uint4_sat_rte(y);
  a[0] = follow(own, n) + follow(n > 3 ? own : (int *)a, n) + popcount(n) + mad_hi(n, 3, 4) + (int)rotate(u, 3u).y;
  v[1] = shuffle(y, (uint4)(3, 1, 0, n)) + vload4(n, (global float *)v) + (float4)as_float(n);
  vstore3(y.xyz, 1, (global float *)v);
  printf("%d %v4f %s\n", n, y, "text");
}
