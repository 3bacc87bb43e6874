// Loads of constants in which lanes read different words: the latency of one, and how many cycles of one SM it takes.
#include "common.cuh"
enum { ROUNDS = 32, LOADS = 8, ROOM = 64 };

// All zeros: adding a loaded value to an address makes the address depend on the load.
__constant__ uint32_t table[ROOM];

__device__ __forceinline__ uint32_t load(uint32_t word) {
  uint32_t v;
  uint64_t p;
  asm("cvta.to.const.u64 %0, %1;" : "=l"(p) : "l"(table));
  asm volatile("ld.const.u32 %0,[%1];" : "=r"(v) : "l"(p + 4 * (uint64_t)word));
  return v;
}

template <bool CHAIN>
__global__ void __launch_bounds__(1024, 1) k_constant(const int* offset, int step, int back, int times, long long* out, uint32_t* sink) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  uint32_t p = offset[lane], s = 0;
  for (int t = 0; t < times; t++) {
    __syncthreads();
    long long t0 = clk();
    for (int i = 0; i < ROUNDS; i++) {
      uint32_t v[LOADS];
#pragma unroll
      for (int k = 0; k < LOADS; k++, p += step) {
        v[k] = load(p);
        if (CHAIN) p += v[k];
      }
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
  uint32_t* sink = dalloc<uint32_t>(1024);
  int* offset = dalloc<int>(32);
  long long* out = dalloc<long long>(TIMES * 32 * 2);
  for (int addresses = 1; addresses <= 32; addresses *= 2)
    for (bool chain : {true, false})
      for (int warps : {1, 4, 16}) {
        if (chain && warps > 1) continue;
        int at[32];
        for (int lane = 0; lane < 32; lane++) at[lane] = lane % addresses;
        CK(cudaMemcpy(offset, at, sizeof at, cudaMemcpyHostToDevice));
        // Each load reads the next word, so that no two loads are the same.
        if (chain) k_constant<true><<<1, 32 * warps>>>(offset, 1, -LOADS, TIMES, out, sink);
        else k_constant<false><<<1, 32 * warps>>>(offset, 1, -LOADS, TIMES, out, sink);
        SYNC();
        auto v = spans(d2h(out, (size_t)TIMES * warps * 2), TIMES, warps, ROUNDS * LOADS * warps);
        Row("addresses_of_a_constant").p("addresses", addresses).p("chain", chain ? "yes" : "no").p("warps", warps).out("cycles_per_load", v, "cycle");
      }
  E.report_clock("end");
  return 0;
}
