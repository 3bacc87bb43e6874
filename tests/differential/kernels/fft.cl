/* Radix 2, in the LDS, decimation in time: one work-group per transform. */
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel void fft(global const float2 *in, global float2 *out, uint bits, local float2 *data) {
  uint lid = get_local_id(0), n = 1u << bits, base = get_group_id(0) * n;
  for (uint i = lid; i < n; i += get_local_size(0)) {
    uint reversed = 0;
    for (uint bit = 0; bit < bits; bit++)
      reversed |= (i >> bit & 1) << (bits - 1 - bit);
    data[reversed] = in[base + i];
  }
  for (uint length = 2; length <= n; length <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint half_length = length / 2, k = lid % half_length, at = lid / half_length * length + k;
    float cosine, sine = sincos(2 * M_PI_F * k / length, &cosine);
    float2 factor = (float2)(cosine, -sine);
    float2 even = data[at], odd = times(data[at + half_length], factor);
    data[at] = even + odd;
    data[at + half_length] = even - odd;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = lid; i < n; i += get_local_size(0))
    out[base + i] = data[i];
}
