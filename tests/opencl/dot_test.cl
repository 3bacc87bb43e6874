//// source
kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *o) {
  size_t i = get_global_id(0);
  uint x = a[i], y = b[i], z = c[i];
  o += 16 * i;
  o[0] = dot(as_uchar4(x), as_uchar4(y));
  o[1] = dot(as_char4(x), as_char4(y));
  o[2] = dot(as_uchar4(x), as_char4(y));
  o[3] = dot(as_char4(x), as_uchar4(y));
  o[4] = dot_acc_sat(as_uchar4(x), as_uchar4(y), z);
  o[5] = dot_acc_sat(as_char4(x), as_char4(y), (int)z);
  o[6] = dot_acc_sat(as_uchar4(x), as_char4(y), (int)z);
  o[7] = dot_acc_sat(as_char4(x), as_uchar4(y), (int)z);
  o[8] = dot_4x8packed_uu_uint(x, y);
  o[9] = dot_4x8packed_ss_int(x, y);
  o[10] = dot_4x8packed_us_int(x, y);
  o[11] = dot_4x8packed_su_int(x, y);
  o[12] = dot_acc_sat_4x8packed_uu_uint(x, y, z);
  o[13] = dot_acc_sat_4x8packed_ss_int(x, y, (int)z);
  o[14] = dot_acc_sat_4x8packed_us_int(x, y, (int)z);
  o[15] = dot_acc_sat_4x8packed_su_int(x, y, (int)z);
}
