// Four floats, starting at any float, are read with vload4; with -D WRONG through a pointer to vectors.
kernel void windows(global const float *in, global float4 *out) {
  size_t i = get_global_id(0);
#ifdef WRONG
  out[i] = *(global const float4 *)(in + i); /* HERE */
#else
  out[i] = vload4(0, in + i);
#endif
}
