#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void halves(global const float *in, global const half *bits, global half *stored, global float *loaded, global half *product) {
  size_t i = get_global_id(0);
  vstore_half(in[i], i, stored);
  loaded[i] = vload_half(i, bits);
  product[i] = bits[i] * 1.5h + bits[i];
}
