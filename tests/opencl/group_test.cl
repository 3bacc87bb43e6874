//// integer_collectives_are_right
kernel void k(global uint *in, global uint *out) {
  size_t i = get_global_id(0);
  out[4 * i] = work_group_reduce_add(in[i]);
  out[4 * i + 1] = work_group_scan_inclusive_max(in[i]);
  out[4 * i + 2] = work_group_scan_exclusive_add(in[i]);
  out[4 * i + 3] = (uint)work_group_scan_exclusive_min((int)in[i]);
}
//// float_sums_go_by
kernel void k(global float *in, global float *out) {
  size_t i = get_global_id(0);
  out[3 * i] = work_group_reduce_add(in[i]);
  out[3 * i + 1] = work_group_scan_inclusive_add(in[i]);
  out[3 * i + 2] = work_group_scan_exclusive_add(in[i]);
}
//// collectives_of_different_widths
kernel void k(global ulong *out, global uint *turns) {
  size_t i = get_global_id(0);
  ulong wide = i; uint narrow = (uint)i; double real = i;
  for (uint t = 0; t < turns[0]; t++) {
    wide = work_group_scan_inclusive_add(wide) & 0xffffffffffUL;
    narrow = work_group_reduce_max(narrow ^ t) + (uint)i;
    real = work_group_reduce_max(real) + i;
    wide += work_group_broadcast(narrow, t);
    wide += work_group_any(narrow == t) + 2 * work_group_all(narrow > 1);
  }
  out[i] = wide + narrow + (ulong)real;
}
//// every_type_has_its
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global ulong *out, global uint *in) {
  int i = get_local_id(0);
  float f = as_float(in[i]);
  ulong v[10] = {
    (ulong)work_group_scan_exclusive_min((long)i), work_group_scan_exclusive_max((ulong)i),
    (ulong)work_group_scan_exclusive_max(-(long)i),
    as_ulong(work_group_scan_exclusive_min((double)i)),
    as_uint(work_group_scan_exclusive_max(f)), as_uint(work_group_scan_exclusive_add(f)),
    as_uint(work_group_reduce_add(f)), as_uint(work_group_reduce_min(f)),
    as_ushort(work_group_scan_exclusive_min((half)i)),
    (uchar)sub_group_scan_exclusive_min((char)-i)};
  for (int j = 0; j < 10; j++) out[10 * i + j] = v[j];
}
//// broadcast_accepts_local_ids
kernel void k(global long *out) {
  size_t i = get_global_linear_id();
  long v = (long)i * 1000000007L;
  out[i] = work_group_broadcast(v, 1, 2, 1);
}
//// barriers_and_scratch_memory
kernel void k(global int *out) {
  local int tile[5];
  local long more[3];
  tile[get_local_id(0) % 5] = 1; barrier(CLK_LOCAL_MEM_FENCE);
  more[tile[2] & 1] = work_group_reduce_add(out[0]) + work_group_broadcast(out[1], 3);
  out[2] = (int)more[out[3] & 1];
}
//// barriers_and_fences_are
kernel void k() {
  barrier(0); barrier(CLK_LOCAL_MEM_FENCE); barrier(CLK_GLOBAL_MEM_FENCE);
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  mem_fence(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); sub_group_barrier(0);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE); sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
}
//// image_fences_are_separate
#define WORK_ITEM memory_order_acq_rel, memory_scope_work_item
kernel void k() {
  work_group_barrier(CLK_IMAGE_MEM_FENCE);
  work_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  work_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  sub_group_barrier(CLK_IMAGE_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, WORK_ITEM);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, WORK_ITEM);
}
//// a_fence_beside_a
kernel void k() {
  mem_fence(CLK_LOCAL_MEM_FENCE); sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  mem_fence(CLK_LOCAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}
//// copies_work_both_ways
kernel void k(global int *in, global int *out, global float3 *v, global float3 *w) {
  local int a[64], c[64]; local float3 l[8]; event_t e[3];
  e[0] = async_work_group_copy(a, in, 64, 0);
  e[1] = async_work_group_strided_copy(c, in, 64, 3, 0);
  e[2] = async_work_group_copy(l, v, 8, e[1]);
  wait_group_events(2, e);
  int i = get_local_id(0);
  a[i] = a[i] * 1000 + c[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t f = async_work_group_strided_copy(out, a, 64, (size_t)in[0] + 2, 0);
  f = async_work_group_copy(w, l, 8, f);
  wait_group_events(1, &f);
}
//// waits_cover_as_many
kernel void k(global int *in, global int *out, global int *n) {
  local int a[64]; event_t e[12];
  for (int i = 0; i < n[0]; i++)
    e[i] = async_work_group_copy(a + 4 * i, in + 4 * i, 4, 0);
  wait_group_events(n[0], e);
  out[get_local_id(0)] = a[get_local_id(0)];
}
//// lanes_reconverge_before_a
kernel void k(global int *in, global int *out) {
  local int shared[64];
  int own = get_local_id(0), x = in[own], sum = 0;
  for (int i = 0; i < 4; i++) {
    if (x >> i & 1) {
      sum += i * in[own + 64];
      if (in[64] == 7) break;
      sum += in[own + 65];
    }
    shared[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += shared[own ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[own] = sum;
}
//// a_copy_after_an
kernel void k(global int *in, global int *out) {
  local int shared[64];
  int own = get_local_id(0), x = in[own];
  for (int i = 0; i < 2; i++) {
    if (x & 1) {
      x += in[own + 64];
      if (x & 2) break;
    }
    event_t done = async_work_group_copy(shared, in, 64, 0);
    wait_group_events(1, &done);
    x += shared[own];
  }
  out[own] = x;
}
//// a_sub_group_sum
kernel void k(global uint *in, global uint *out) {
  uint own = get_local_id(0), x = in[own], sum = 0;
  for (int i = 0; i < 6; i++) {
    if (x >> i & 1) {
      sum += in[own + i];
      if (in[200] == 7) break;
      sum ^= in[own & 7];
    }
    sum += sub_group_reduce_add(x & 15);
  }
  out[own] = sum;
}
//// a_broadcast_waits_until
kernel void k(global uint *in, global uint *out) {
  uint i = get_local_id(0), sum = 0;
  for (uint from = 0; from < 64; from += 9) {
    uint value = work_group_broadcast(in[i], 63 - from);
    sum = sum * 3 + value;
  }
  out[i] = sum;
}
//// a_negative_number_of
kernel void k(global int *in, global int *out) {
  local int shared[64]; event_t done[2];
  done[0] = async_work_group_copy(shared, in, 64, 0);
  wait_group_events(in[1], done);
  wait_group_events(1, done);
  out[get_local_id(0)] = shared[get_local_id(0)];
}
//// null_stays_null_from
kernel void k(global int *in, global ulong *out) {
  local int shared[4];
  shared[0] = in[0];
  int *generic_one = in[0] ? (int *)shared : 0;
  local int *there = (local int *)generic_one;
  out[0] = (ulong)there;
}
