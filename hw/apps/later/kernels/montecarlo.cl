/* Paths of a price: normal numbers by Box and Muller of a xorshift generator. */
kernel void montecarlo(global const uint *seeds, global float *out, uint paths, float drift, float vol) {
  uint s = seeds[get_global_id(0)] | 1;
  float sum = 0;
  for (uint i = 0; i < paths; i++) {
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    float u = ((s >> 8) + 1) * (1.0f / 16777216.0f);
    s ^= s << 13, s ^= s >> 17, s ^= s << 5;
    float v = (s >> 8) * (6.2831853f / 16777216.0f);
#ifdef NATIVE
    float z = native_sqrt(-2 * native_log(u)) * native_cos(v);
    sum += fmax(native_exp(drift + vol * z) - 1, 0.0f);
#else
    float z = sqrt(-2 * log(u)) * cos(v);
    sum += fmax(exp(drift + vol * z) - 1, 0.0f);
#endif
  }
  out[get_global_id(0)] = sum / paths;
}
