kernel void alu(global uint *out, uint loops) {
  uint a = get_global_id(0), b = a + 1, c = a + 2, d = 0;
  for (uint left = loops; left > 0; left--) {
    a = a * 1664525u + b;
    b = rotate(b ^ a, 5u);
    c = c * 22695477u + a;
    d = (d ^ c) + b;
  }
  out[get_global_id(0)] = d;
}
