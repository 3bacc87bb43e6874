// Two strided copies write the even and the odd floats; with -D WRONG both write even ones, two floats apart.
#ifdef WRONG
#define SECOND 2
#else
#define SECOND 1
#endif

kernel void zip(global const float *in, global float *out) {
  local float real[32], imaginary[32];
  uint l = get_local_id(0);
  real[l] = in[get_global_id(0)];
  imaginary[l] = -in[64 + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t e[2];
  size_t first = 96 * get_group_id(0);
  e[0] = async_work_group_strided_copy(out + first, real, 32, 2, 0);               /* OTHER */
  e[1] = async_work_group_strided_copy(out + first + SECOND, imaginary, 32, 2, 0); /* HERE */
  wait_group_events(2, e);
}
