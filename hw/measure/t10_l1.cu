// Loads of global memory, by lines and by banks: how many cycles of one SM each takes, with L1 hits and bypassing the L1.
#include "common.cuh"
enum { ROUNDS = 32, LOADS = 8, STEP = 1024 };  // STEP: words from one load to the next, so that no two are the same

template <bool L1> __device__ __forceinline__ uint32_t load(const uint32_t* p) {
  uint32_t v;
  if (L1)
    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p));
  else
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p));
  return v;
}

// step and back are known only at run time, because the compiler would merge loads of the same place. The first pass loads the lines.
template <bool L1>
__global__ void __launch_bounds__(1024, 1) k_lines(const uint32_t* buf, const int* offset, long step, long back, int times, long long* out, uint32_t* sink) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const uint32_t* p = buf + offset[lane];
  uint32_t s = 0;
  for (int t = 0; t < times; t++) {
    __syncthreads();
    long long t0 = clk();
    for (int i = 0; i < ROUNDS; i++) {
      uint32_t v[LOADS];
#pragma unroll
      for (int k = 0; k < LOADS; k++, p += step) v[k] = load<L1>(p);
      p += back;
#pragma unroll
      for (int k = 0; k < LOADS; k++) s += v[k];
    }
    if (s == 0xdeadbeefu) __trap();  // never true: makes the warp wait for the loads before it reads the clock
    long long t1 = clk();
    if (lane == 0) { out[(t * warps + warp) * 2] = t0; out[(t * warps + warp) * 2 + 1] = t1; }
  }
  sink[threadIdx.x] = s;
}
int main() {
  Env E;
  E.init();
  const int TIMES = 9;
  uint32_t *buf = dalloc<uint32_t>(LOADS * STEP + 32 * 32), *sink = dalloc<uint32_t>(1024);
  int* offset = dalloc<int>(32);
  long long* out = dalloc<long long>(TIMES * 32 * 2);
  CK(cudaMemset(buf, 0, (LOADS * STEP + 32 * 32) * 4));
  for (bool l1 : {true, false})
    for (int lines = 1; lines <= 32; lines *= 2)
      for (bool apart : {true, false})
        for (int warps = l1 ? 16 : 32; warps <= 32; warps *= 2) {  // enough to hide the latency
          int at[32];
          for (int lane = 0; lane < 32; lane++) {
            int each = 32 / lines;
            at[lane] = lane / each * 32 + (apart ? lane : lane % each);
          }
          CK(cudaMemcpy(offset, at, sizeof at, cudaMemcpyHostToDevice));
          if (l1) k_lines<true><<<1, 32 * warps>>>(buf, offset, STEP, -LOADS * STEP, TIMES, out, sink);
          else k_lines<false><<<1, 32 * warps>>>(buf, offset, STEP, -LOADS * STEP, TIMES, out, sink);
          SYNC();
          auto v = spans(d2h(out, (size_t)TIMES * warps * 2), TIMES, warps, ROUNDS * LOADS * warps);
          Row("lines_of_a_load").p("load", l1 ? "ld.ca" : "ld.cg").p("lines", lines).p("banks", apart ? "apart" : "shared").p("warps", warps).out("cycles_per_load", v, "cycle");
        }
  E.report_clock("end");
  return 0;
}
