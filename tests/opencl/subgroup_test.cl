//// shuffles_of_all_widths
kernel void k(global uint *in, global uint *out) {
  uint i = get_global_id(0), l = get_sub_group_local_id(), n = get_sub_group_size();
  out += 8 * i;
  out[0] = sub_group_shuffle(in[i], n - 1 - l);
  ulong w = sub_group_shuffle_xor((ulong)in[i] << 30, 5u);
  out[1] = (uint)w; out[2] = (uint)(w >> 32);
  out[3] = as_uint(sub_group_broadcast(as_float(in[i]), 3));
  out[4] = sub_group_broadcast_first((short)(in[i] - 9));
  out[5] = l < n - 2 ? sub_group_shuffle_down((uchar)in[i], 2u) : 0;
  out[6] = sub_group_non_uniform_broadcast((uint2)(i, l), 4).x;
  out[7] = sub_group_elect() ? 1 : 0;
}
//// ballots_are_four_words
kernel void k(global uint *in, global uint *out) {
  uint i = get_global_id(0);
  uint4 b = sub_group_ballot(in[i] % 3 == 1);
  out += 12 * i;
  out[0] = b.x; out[1] = b.y; out[2] = b.z | b.w;
  out[3] = sub_group_inverse_ballot(b);
  out[4] = sub_group_ballot_bit_extract(b, 7);
  out[5] = sub_group_ballot_bit_count(b);
  out[6] = sub_group_ballot_inclusive_scan(b);
  out[7] = sub_group_ballot_exclusive_scan(b);
  out[8] = sub_group_ballot_find_lsb(b);
  out[9] = sub_group_ballot_find_msb(b);
  out[10] = sub_group_any(in[i] == 8);
  out[11] = sub_group_all(in[i] < 4000);
}
//// reductions_use_the_active
kernel void k(global uint *in, global uint *out) {
  uint i = get_global_id(0);
  out += 8 * i;
  if (i % 3 != 1) {
    out[0] = sub_group_non_uniform_reduce_add(in[i]);
    out[1] = sub_group_non_uniform_scan_exclusive_min((char)in[i]);
    out[2] = sub_group_non_uniform_scan_inclusive_mul(in[i]);
    out[3] = sub_group_non_uniform_reduce_logical_xor((int)(in[i] & 2));
    out[4] = sub_group_clustered_reduce_add(in[i], 4);
    out[5] = as_uint(sub_group_non_uniform_scan_exclusive_max((float)in[i]));
    out[6] = sub_group_non_uniform_all_equal(in[i] / 10000);
    out[7] = sub_group_non_uniform_scan_exclusive_and(in[i] | 4);
  }
}
//// rotation_wraps_around_the
kernel void k(global uint *in, global uint *out) {
  uint i = get_global_id(0);
  out[2 * i] = sub_group_rotate(in[i], 3);
  out[2 * i + 1] = sub_group_clustered_rotate(in[i], 5, 8);
}
//// a_cluster_larger_than
kernel void k(global uint *in, global uint *out) {
  uint i = get_global_id(0);
  out[2 * i] = sub_group_clustered_reduce_max(in[i], 128);
  out[2 * i + 1] = sub_group_reduce_max(in[i]);
}
//// intel_blocks_are_read
kernel void k(global uint *in, global uint *out) {
  const uint first = get_sub_group_id() * 32;
  uint2 v = intel_sub_group_block_read2(in + first % 32);
  intel_sub_group_block_write2(out + first, v + 1);
  ushort w = intel_sub_group_block_read_us((global ushort *)(in + first % 32));
  out[160 + get_local_id(0)] = w;
}
//// intel_shuffles_move_halves
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global uint *in, global uint *out) {
  uint i = get_local_id(0);
  half v = as_half((ushort)(in[i] & 0x3ff));
  out[2 * i] = as_ushort(intel_sub_group_shuffle_xor(v, 1u));
  out[2 * i + 1] = as_ushort(intel_sub_group_shuffle_down(v, v, 3u));
}
//// intel_shuffles_reach_into
kernel void k(global uint *in, global uint *out) {
  uint i = get_local_id(0), v = in[i];
  out[4 * i] = intel_sub_group_shuffle(v, i & 7);
  out[4 * i + 1] = intel_sub_group_shuffle_xor((ulong)v << 31, 3u) >> 31;
  out[4 * i + 2] = intel_sub_group_shuffle_down(v, v + 1000, 2u);
  out[4 * i + 3] = intel_sub_group_shuffle_up(v + 1000, v, 2u);
}
//// every_query_is_right
kernel void k(global uint *out) {
  out += get_global_linear_id() * 40;
  for (uint d = 0; d < 3; d++) {
    out[d] = get_global_id(d); out[3 + d] = get_local_id(d); out[6 + d] = get_group_id(d);
    out[9 + d] = get_local_size(d); out[12 + d] = get_enqueued_local_size(d);
    out[15 + d] = get_global_size(d); out[18 + d] = get_num_groups(d);
    out[21 + d] = get_global_offset(d);
  }
  out[24] = get_work_dim(); out[25] = get_local_linear_id();
  out[26] = get_sub_group_size(); out[27] = get_max_sub_group_size();
  out[28] = get_num_sub_groups(); out[29] = get_enqueued_num_sub_groups();
  out[30] = get_sub_group_id(); out[31] = get_sub_group_local_id();
  out[32] = get_sub_group_eq_mask().x; out[33] = get_sub_group_ge_mask().x;
  out[34] = get_sub_group_gt_mask().x; out[35] = get_sub_group_le_mask().x;
  out[36] = get_sub_group_lt_mask().x; out[37] = get_sub_group_ge_mask().y;
}
//// a_fourth_dimension_has
kernel void k(global uint *in, global uint *out) {
  uint d = in[0];
  out[0] = get_local_size(3); out[1] = get_global_size(7); out[2] = get_num_groups(4);
  out[3] = get_local_id(3); out[4] = get_global_id(5); out[5] = get_group_id(3);
  out[6] = get_local_size(d); out[7] = get_global_size(d); out[8] = get_num_groups(d);
  out[9] = get_enqueued_local_size(d); out[10] = get_local_id(d);
  out[11] = get_global_id(d); out[12] = get_group_id(d); out[13] = get_global_offset(d);
}
