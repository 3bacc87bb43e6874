kernel void mandelbrot(global uchar *out, float left, float top, float step, uint most) {
  float cx = left + get_global_id(0) * step, cy = top + get_global_id(1) * step, x = 0, y = 0;
  uint count = 0;
  while (x * x + y * y <= 4 && count < most) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    count++;
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = count;
}
