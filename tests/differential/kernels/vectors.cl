/* vloadn and vstoren at the alignment of an element, conversions, swizzles, constants read as vectors. */
kernel void vectors(global const uchar *in, global float *out) {
  size_t i = get_global_id(0);
  uchar16 bytes = vload16(i, in);
  ushort3 three = vload3(i, (global const ushort *)in);
  float4 a = convert_float4(bytes.s048c), b = convert_float4(bytes.odd.lo);
  vstore4(a * b + (float4)(three.x, three.y, three.z, 1), i, out);
  out[4 * get_global_size(0) + i] = bytes.s5 + as_uchar4(0x40302010).s1 * as_float2(0x3f80000040000000UL).x;
}
