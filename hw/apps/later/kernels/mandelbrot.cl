/* Iterations until a point escapes. */
kernel void mandelbrot(global uint *out, uint width, uint most, float left, float top, float step) {
  uint x = get_global_id(0), y = get_global_id(1);
  float cr = left + x * step, ci = top + y * step, zr = 0, zi = 0;
  uint i = 0;
  for (; i < most; i++) {
    float r2 = zr * zr, i2 = zi * zi;
    if (r2 + i2 > 4.0f)
      break;
    zi = 2 * zr * zi + ci;
    zr = r2 - i2 + cr;
  }
  out[y * width + x] = i;
}
