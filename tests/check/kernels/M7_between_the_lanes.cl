// Three floats of every four are stored one by one and loaded as a vector of three, whose fourth lane has no value;
// with -D WRONG the last vector is not stored.
#ifdef WRONG
#define COUNT 31
#else
#define COUNT 32
#endif

kernel void widen(global const float *in, global float4 *out) {
  local float room[128] __attribute__((aligned(16)));
  uint l = get_local_id(0);
  for (int k = 0; k < 3; k++)
    if (l < COUNT)
      room[4 * l + k] = in[3 * l + k];
  barrier(CLK_LOCAL_MEM_FENCE);
  float3 v = ((local float3 *)room)[31 - l]; /* HERE */
  out[l] = (float4)(v, 1);
}
