//// kernel
kernel void k(global float *a, int n) {
  int i = get_global_id(0);
  if (i < n)
    a[i] = a[i] * 2 + n / (i + 1);
}
//// scalar_constants_can_be
kernel void k(global uint2 *a, global float2 *b, global uchar4 *c, global ushort4 *d, global float2 *e,
              uint n) {
  a[n] = n ? as_uint2(0x100000002UL) : as_uint2(-1.5);
  b[n] = as_float2(0x3f80000040000000UL) + as_float2(0x8000000000000000UL);
  c[n] = as_uchar4(0x01020304) + as_uchar4(1.0f);
  d[n] = as_ushort4(2.0);
  e[n] = (float2)(1, as_float2(2.0).y);
}
//// variables_that_are_not
kernel void k(global float4 *o, global int *n) {
  float4 v; v.x = n[0]; v.yz = (float2)(2, 3); v.w = v.x; o[0] = v;
  int q; for (int i = 0; i < n[0]; i++) q = i; n[1] = q;
  int s; if (n[2]) s = 1; if (n[2]) n[3] = s;
  int t; switch (n[4]) { case 0: t = 1; break; case 1: t = 2; break; } n[5] = t;
  int a[2]; a[0] = 1; n[6] = a[0]; struct { int b, c; } u; u.b = 1; n[7] = u.b + sizeof(q);
}
//// macros_promise_only_what
#if defined cl_khr_mipmap_image || defined __opencl_c_device_enqueue || defined cl_amd_media_ops
#error promised
#endif
#if __OPENCL_VERSION__ < 300 || !defined cl_khr_fp64 || !defined cl_khr_extended_async_copies || \
    !defined __IMAGE_SUPPORT__ || !defined cl_khr_3d_image_writes || !defined cl_khr_depth_images
#error missing
#endif
#if !defined cl_khr_integer_dot_product || !defined cl_arm_integer_dot_product_int8 || \
    !defined cl_arm_integer_dot_product_accumulate_saturate_int8
#error no dot products
#endif
#if !defined __opencl_c_fp64 || !defined __opencl_c_int64
#error no wide types
#endif
#if __OPENCL_C_VERSION__ >= 200 && (!defined __opencl_c_subgroups || \
    !defined __opencl_c_generic_address_space || !defined __opencl_c_atomic_scope_device || \
    !defined cl_khr_expect_assume || !defined __opencl_c_pipes || \
    !defined __opencl_c_atomic_order_seq_cst || \
    !defined __opencl_c_program_scope_global_variables || \
    !defined __opencl_c_work_group_collective_functions)
#error no features
#endif
#if __OPENCL_C_VERSION__ >= 200 && (!defined cl_ext_float_atomics || \
    !defined __opencl_c_ext_fp32_global_atomic_add || \
    !defined __opencl_c_ext_fp64_local_atomic_min_max)
#error no atomics of floats
#endif
#if defined __opencl_c_ext_fp16_global_atomic_load_store || \
    defined __opencl_c_ext_fp16_local_atomic_add
#error atomics of halves
#endif
#if !defined cl_khr_kernel_clock || !defined __opencl_c_kernel_clock_scope_device
#error no clock
#endif
kernel void k(global int *a) { a[0] = 1; }
