// Reads of images: latency of a hit; how many cycles of one SM a warp's read takes, by format, filter and the positions of a quad's lanes;
// and how long a chain of reads takes, by the size of the memory that it walks through.
#include "common.cuh"
enum { ROUNDS = 64, READS = 8, SIDE = 64 };

template <typename T> struct Texture {
  cudaArray_t array = nullptr;
  cudaTextureObject_t object = 0;
};

template <typename T> Texture<T> texture(int width, int height, int depth, bool linear, bool as_float) {
  Texture<T> t;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaExtent extent = make_cudaExtent(width, height, depth);
  CK(cudaMalloc3DArray(&t.array, &format, extent));
  std::vector<T> zeros((size_t)width * height * (depth ? depth : 1));
  memset(zeros.data(), 0, zeros.size() * sizeof(T));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(zeros.data(), width * sizeof(T), width, height);
  copy.dstArray = t.array;
  copy.extent = make_cudaExtent(width, height, depth ? depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  CK(cudaMemcpy3D(&copy));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = t.array;
  cudaTextureDesc how = {};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  CK(cudaCreateTextureObject(&t.object, &resource, &how, nullptr));
  return t;
}

__device__ __forceinline__ float4 read2(cudaTextureObject_t t, float x, float y) {
  float4 v;
  asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x), "f"(y));
  return v;
}
__device__ __forceinline__ float4 read3(cudaTextureObject_t t, float x, float y, float z) {
  float4 v;
  asm volatile("tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x), "f"(y), "f"(z));
  return v;
}

// Each lane reads at its own place; READS reads per round, none of which waits for another. `step` is 0.
template <int D>
__global__ void __launch_bounds__(1024, 1) k_rate(cudaTextureObject_t t, const float* at, float step, int times, long long* out, float* sink) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  float s = 0;
  for (int n = 0; n < times; n++) {
    float x = at[lane * 3], y = at[lane * 3 + 1], z = at[lane * 3 + 2];
    __syncthreads();
    long long t0 = clk();
    for (int i = 0; i < ROUNDS; i++) {
      float4 v[READS];
#pragma unroll
      for (int k = 0; k < READS; k++) v[k] = D == 2 ? read2(t, x + k * step, y) : read3(t, x + k * step, y, z);
#pragma unroll
      for (int k = 0; k < READS; k++) s += v[k].x + v[k].y + v[k].z + v[k].w;
      x += step;  // 0, which the compiler does not know, so it must repeat the reads in each round
    }
    if (s == 1e30f) __trap();
    long long t1 = clk();
    if (lane == 0) { out[(n * warps + warp) * 2] = t0; out[(n * warps + warp) * 2 + 1] = t1; }
  }
  sink[threadIdx.x] = s;
}

// A read's result, a zero, is added to the next coordinate.
template <int D>
__global__ void k_latency(cudaTextureObject_t t, float x0, float y0, int times, long long* out, float* sink) {
  float x = x0, y = y0;
  for (int n = 0; n < times; n++) {
    long long t0 = clk();
#pragma unroll 4
    for (int i = 0; i < ROUNDS; i++) {
      float4 v = D == 2 ? read2(t, x, y) : read3(t, x, y, 0.5f);
      x += v.x;
    }
    if (x == 1e30f) __trap();
    long long t1 = clk();
    if (threadIdx.x == 0) { out[n * 2] = t0; out[n * 2 + 1] = t1; }
  }
  sink[threadIdx.x] = x;
}

// Walks through `lines` lines of 128 bytes of a linear texture, `times` times.
__global__ void k_walk(cudaTextureObject_t t, int lines, int times, long long* out, int* sink) {
  int at = 0;
  for (int n = 0; n < times; n++) {
    long long t0 = clk();
    for (int i = 0; i < lines; i++) at = tex1Dfetch<int>(t, at);
    if (at == -1) __trap();
    long long t1 = clk();
    out[n * 2] = t0; out[n * 2 + 1] = t1;
  }
  *sink = at;
}

long long* out;
float *sink, *at;
const int TIMES = 9;

// A warp covers width x 32 / width texels, of a volume in the given slice.
template <typename T> void rate(const char* format, const Texture<T>& t, bool linear, int d, int width, int slice) {
  const int warps = 32;
  float half = linear ? 0.25f : 0.5f;  // between texels, or at the center of one
  float place[96];
  for (int lane = 0; lane < 32; lane++) {
    place[lane * 3] = lane % width + half + 4;
    place[lane * 3 + 1] = lane / width + half + 4;
    place[lane * 3 + 2] = slice + half;
  }
  CK(cudaMemcpy(at, place, sizeof place, cudaMemcpyHostToDevice));
  if (d == 2) k_rate<2><<<1, 32 * warps>>>(t.object, at, 0, TIMES, out, sink);
  else k_rate<3><<<1, 32 * warps>>>(t.object, at, 0, TIMES, out, sink);
  SYNC();
  auto v = spans(d2h(out, (size_t)TIMES * warps * 2), TIMES, warps, ROUNDS * READS * warps);
  Row row("texture_rate");
  row.p("format", format).p("filter", linear ? "linear" : "nearest").p("dimensions", d).p("width", width);
  if (d == 3) row.p("slice", slice);
  row.p("warps", warps).out("cycles_per_read", v, "cycle");
}

template <typename T> void rates(const char* format, bool as_float) {
  for (bool linear : {false, true})
    for (int d : {2, 3}) {
      Texture<T> t = texture<T>(SIDE, SIDE, d == 3 ? 8 : 0, linear, as_float);
      float half = linear ? 0.25f : 0.5f;
      for (int width : {32, 16, 8, 4, 2})
        for (int slice = 2; slice < (d == 3 ? 4 : 3); slice++) rate(format, t, linear, d, width, slice);
      if (d == 2) k_latency<2><<<1, 32>>>(t.object, 8 + half, 8 + half, TIMES, out, sink);
      else k_latency<3><<<1, 32>>>(t.object, 8 + half, 8 + half, TIMES, out, sink);
      SYNC();
      auto v = spans(d2h(out, (size_t)TIMES * 2), TIMES, 1, ROUNDS);
      Row("texture_latency").p("format", format).p("filter", linear ? "linear" : "nearest").p("dimensions", d).out("cycles_per_read", v, "cycle");
      CK(cudaDestroyTextureObject(t.object));
      CK(cudaFreeArray(t.array));
    }
}

// All quads read at the same place, their lanes (dx, dy) texels apart, starting at (x, y): which texels are fetched together.
template <typename T> void place(const char* format, const Texture<T>& t, bool linear, int dx, int dy, int x, int y) {
  const int warps = 32;
  float place[96] = {0};
  for (int lane = 0; lane < 32; lane++) {
    place[lane * 3] = 64 + x + lane % 4 * dx + (linear ? 0.75f : 0.5f);
    place[lane * 3 + 1] = 64 + y + lane % 4 * dy + (linear ? 0.75f : 0.5f);
  }
  CK(cudaMemcpy(at, place, sizeof place, cudaMemcpyHostToDevice));
  k_rate<2><<<1, 32 * warps>>>(t.object, at, 0, TIMES, out, sink);
  SYNC();
  auto v = spans(d2h(out, (size_t)TIMES * warps * 2), TIMES, warps, ROUNDS * READS * warps);
  Row("texture_place").p("format", format).p("filter", linear ? "linear" : "nearest").p("dx", dx).p("dy", dy).p("x", x).p("y", y).p("warps", warps).out("cycles_per_read", v, "cycle");
}

template <typename T> void places(const char* format, bool as_float) {
  for (bool linear : {false, true}) {
    Texture<T> t = texture<T>(512, 512, 0, linear, as_float);
    for (int dx : {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32})
      for (int x : {0, 1, 2, 3, 6, 7}) place(format, t, linear, dx, 0, x, 0);
    for (int dy : {1, 2, 3, 4, 5, 8, 16})
      for (int y : {0, 1, 2, 3, 6, 7}) place(format, t, linear, 0, dy, 0, y);
    for (int d : {1, 2, 4, 8})
      for (int xy : {0, 1, 3, 7}) place(format, t, linear, d, d, xy, xy);
    for (int i = 0; i < 60; i++) place(format, t, linear, i * 7 % 19, i * 5 % 13 + 1, i * 3 % 8, i % 8);
    CK(cudaDestroyTextureObject(t.object));
    CK(cudaFreeArray(t.array));
  }
}

int main() {
  Env E;
  E.init();
  out = dalloc<long long>(TIMES * 32 * 2);
  sink = dalloc<float>(1024);
  at = dalloc<float>(96);
  rates<uchar1>("r8", true);
  rates<uchar4>("rgba8", true);
  rates<ushort4>("rgba16", true);
  rates<float>("r32f", false);
  rates<float2>("rg32f", false);
  rates<float4>("rgba32f", false);
  places<uchar4>("rgba8", true);
  places<float2>("rg32f", false);
  places<float4>("rgba32f", false);
  for (int kib : {4, 16, 32, 64, 96, 128, 160, 176, 192, 208, 224, 240, 256, 320, 512, 1024}) {
    int lines = kib * 8;
    std::vector<int> next((size_t)lines * 32);
    for (int i = 0; i < lines; i++) next[(size_t)i * 32] = (i + 1) % lines * 32;
    int *buf = dalloc<int>(next.size()), *end = dalloc<int>(1);
    CK(cudaMemcpy(buf, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = buf;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = next.size() * 4;
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    CK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    k_walk<<<1, 1>>>(t, lines, TIMES, out, end);
    SYNC();
    auto v = spans(d2h(out, (size_t)TIMES * 2), TIMES, 1, lines);
    Row("texture_walk").p("kib", kib).out("cycles_per_read", v, "cycle");
    CK(cudaDestroyTextureObject(t));
    CK(cudaFree(buf));
    CK(cudaFree(end));
  }
}
