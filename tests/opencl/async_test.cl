//// planes_source
kernel void k(global uchar *in, global uchar *out, global ulong *n) {
  local uchar tile[2048];
  for (uint i = get_local_id(0); i < 2048; i += get_local_size(0)) tile[i] = 0xee;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(tile, n[8], in, n[9], n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], 0);
  wait_group_events(1, &e);
  e = async_work_group_copy_3D3D(out, n[9], tile, n[8], n[0], n[1], n[2], n[3], n[6], n[7], n[4], n[5], 0);
  e = async_work_group_copy_2D2D(out + 20000, 3, tile, n[8], n[0], n[1], n[2], n[6], 40, e);
  wait_group_events(1, &e);
}
//// constant_sizes_and_offsets
kernel void k(global int *in) {
  local int pad[4]; local int tile[64]; pad[0] = 0;
  event_t e = async_work_group_copy_2D2D(tile, 5, in, 7, 4, 8, 3, 20, 9, 0);
  wait_group_events(1, &e);
  in[0] = tile[5] + pad[0];
}
//// a_copy_of_lines
kernel void k(global int *in) {
  local int tile[64];
  event_t e = async_work_group_copy(tile, in, 4, 0);
  event_t f = async_work_group_copy_2D2D(tile, 16, in, 0, 4, 4, 2, 4, 4, e);
  event_t g = async_work_group_copy_2D2D(tile, 32, in, 0, 4, 4, 2, 4, 4, 0);
  wait_group_events(1, &f); wait_group_events(1, &g);
}
//// numbers_beyond_32_bits
kernel void k(global int *in, global int *out, global ulong *n) {
  local int tile[64];
  event_t e = async_work_group_copy(tile, in, n[0], 0);
  e = async_work_group_strided_copy(tile, in, n[1], n[0], e);
  e = async_work_group_copy_3D3D(tile, n[1], in, n[1], n[1], n[0], n[0], n[0], n[0], n[0], n[0], n[0], e);
  e = async_work_group_copy_2D2D(tile, n[0], in, n[1], 4, 1, 1, 1, 1, e);
  e = async_work_group_copy(tile, in, 0x300000001, e);
  e = async_work_group_copy(tile, in, (size_t)(int)n[2], e);
  wait_group_events(1, &e);
}
//// a_count_that_is
kernel void k(global int *in, local int *tile, uint n) {
  event_t e = async_work_group_copy(tile, in, n, 0);
  e = async_work_group_strided_copy(tile, in, n & 7, get_local_size(0), e);
  wait_group_events(1, &e);
}
//// prefetches_beyond_32_bits
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define COPIES(T, n) do { \
  e = async_work_group_copy((local T *)tile, (global const T *)in, n, e); \
  e = async_work_group_copy((global T *)in, (local const T *)tile, n, e); \
  e = async_work_group_strided_copy((local T *)tile, (global const T *)in, n, 2, e); \
  e = async_work_group_strided_copy((global T *)in, (local const T *)tile, n, 2, e); \
} while (0)
kernel void k(global double16 *in, local double16 *tile) {
  event_t e = 0;
//// a_fence_between_copies
kernel void k(global uint *flags) {
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  async_work_group_copy_fence(CLK_GLOBAL_MEM_FENCE);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  async_work_group_copy_fence(0);
  for (int i = 0; i < 4; i++) async_work_group_copy_fence(flags[i]);
}
//// a_fence_keeps_its
kernel void k(global int *in, global int *out) {
  local int tile[64];
  event_t e = async_work_group_copy(tile, in, 64, 0);
  wait_group_events(1, &e);
  e = async_work_group_copy(out, tile, 64, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(tile, in + 64, 64, e);
  wait_group_events(1, &e);
}
//// work_items_that_wait
kernel void k(global int *in) {
  local int tile[64]; event_t e[3];
  for (int i = 0; i < 3; i++) e[i] = async_work_group_copy(tile + i, in, 1, 0);
  wait_group_events(1 + get_local_id(0) % 2, e);
}
//// named_source
kernel void k(global int *in, global int *out) {
  local int tile[64];
  event_t e = async_work_group_copy_2D2D(tile, 0, in, 0, 4, 4, 4, 8, 4, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy_3D3D(out, 0, tile, 0, 4, 2, 2, 2, 4, 8, 2, 4, e);
  wait_group_events(1, &e);
}
//// copies_of_unknown_direction
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(local void *, size_t, event_t);
kernel void k(global int *in) {
  local int a[64];
  event_t e = async_work_group_copy_2D2D(a, 0, 0);
  wait_group_events(1, &e);
}
//// copies_of_unknown_direction_2
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(global void *, size_t,
  const global void *, size_t, size_t, size_t, size_t, size_t, size_t, event_t);
kernel void k(global int *in) {
  event_t e = async_work_group_copy_2D2D(in, 0, in, 0, 4, 4, 4, 8, 4, 0);
}
//// copies_of_unknown_direction_3
event_t __attribute__((overloadable)) async_work_group_copy_2D2D(local void *, size_t,
  const global void *, size_t, size_t, size_t, size_t, size_t, float, event_t);
kernel void k(global int *in) {
  local int a[64];
  event_t e = async_work_group_copy_2D2D(a, 0, in, 0, 4, 4, 4, 8, 4.0f, 0);
}
