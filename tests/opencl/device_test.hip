// Without any header: clang's own attributes and built-ins are all that a kernel needs.
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

// Reverses each block of 64.
extern "C" __global__ void reverse(const float *in, float *out, int count) {
  __shared__ float tile[64];
  const int thread = __builtin_amdgcn_workitem_id_x(), first = __builtin_amdgcn_workgroup_id_x() * 64;
  tile[thread] = in[first + thread];
  __builtin_amdgcn_s_barrier();
  if (first + thread < count)
    out[first + thread] = tile[63 - thread];
}
