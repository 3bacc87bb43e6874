/* Lanes read unpredictable words: the worst case for a trace. */
kernel void random_gather(global const uint *in, global uint *out, uint loops) {
  uint at = (get_global_id(0) + 1) * 2654435761u, sum = 0;
  for (uint left = loops; left > 0; left--) {
    at ^= at << 13;
    at ^= at >> 17;
    at ^= at << 5;
    sum += in[at & 0xfffff];
  }
  out[get_global_id(0)] = sum;
}
