#pragma OPENCL EXTENSION cl_intel_channels : enable
#define NOTE(n, i) __annotate__("warpwait.depth." #i, (ulong)(n), (ulong)i)
void __ocl_channel_read(const __global void *, __private void *);
bool __ocl_channel_write_nb(const __global void *, __private void *);
__global int c[5] __attribute__((NOTE(8, 0)));
__global float4 d __attribute__((NOTE(3, 1)));
__attribute__((__annotate__("warpwait.autorun"))) __attribute__((work_group_size_hint(2, 1, 1))) kernel void k(void) {
  int x;
  float4 y;
  __ocl_channel_read(&c[get_group_id(0)], &x);
  y = (float4)(x);
  __ocl_channel_write_nb(&d, &y);
}
