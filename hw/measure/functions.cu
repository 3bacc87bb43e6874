// How many warp instructions a call of a library function takes: ncu counts a kernel of one warp for each function. Subtract
// the count of kernel id1 (functions of one argument) or id2 (of two) from the others; one of id2's instructions is an addition.
//
//   nvcc -O3 -arch=sm_90 -prec-div=false -prec-sqrt=false functions.cu -o functions
//   ncu --csv --metrics smsp__inst_executed.sum ./functions
#include <cstdio>
#include <cuda_runtime.h>

#define FUNCTIONS(ONE, TWO)                                                                                            \
  ONE(id1, x) TWO(id2, x + y) TWO(div, x / y) ONE(rcp, 1 / x) ONE(sqrt, sqrt(x)) ONE(rsqrt, rsqrt(x))                  \
  ONE(exp2, exp2(x)) ONE(log2, log2(x)) TWO(rem, fmod(x, y)) ONE(exp, exp(x)) ONE(log, log(x)) ONE(sin, sin(x))        \
  ONE(cos, cos(x)) TWO(pow, pow(x, y)) ONE(tan, tan(x)) ONE(asin, asin(x)) ONE(acos, acos(x)) ONE(atan, atan(x))       \
  TWO(atan2, atan2(x, y)) ONE(sinh, sinh(x)) ONE(cosh, cosh(x)) ONE(tanh, tanh(x)) ONE(asinh, asinh(x))                \
  ONE(acosh, acosh(1 + x)) ONE(atanh, atanh(x)) ONE(sinpi, sinpi(x)) ONE(cospi, cospi(x)) ONE(cbrt, cbrt(x))           \
  ONE(exp10, exp10(x)) ONE(expm1, expm1(x)) ONE(log10, log10(x)) ONE(log1p, log1p(x)) ONE(erf, erf(x))                 \
  ONE(erfc, erfc(x)) ONE(tgamma, tgamma(x)) ONE(lgamma, lgamma(x)) TWO(hypot, hypot(x, y))                             \
  TWO(remainder, remainder(x, y)) TWO(ldexp, ldexp(x, (int)y)) ONE(frexp, fraction(x)) ONE(logb, logb(x))              \
  ONE(ilogb, ilogb(x)) TWO(nextafter, nextafter(x, y))
#define NATIVE(ONE, TWO)                                                                                               \
  ONE(native_sin, __sinf(x)) ONE(native_cos, __cosf(x)) ONE(native_tan, __tanf(x)) ONE(native_exp, __expf(x))          \
  ONE(native_exp10, __exp10f(x)) ONE(native_log, __logf(x)) ONE(native_log2, __log2f(x))                               \
  ONE(native_log10, __log10f(x)) TWO(native_powr, __powf(x, y)) TWO(native_divide, __fdividef(x, y))

template <class T> __device__ T fraction(T x) {
  int unused;
  return frexp(x, &unused);
}

#define ONE_FLOAT(name, call) __global__ void f_##name(const float* a, const float*, float* o) { float x = a[threadIdx.x]; o[threadIdx.x] = call; }
#define TWO_FLOAT(name, call) __global__ void f_##name(const float* a, const float* b, float* o) { float x = a[threadIdx.x], y = b[threadIdx.x]; o[threadIdx.x] = call; }
#define ONE_DOUBLE(name, call) __global__ void d_##name(const double* a, const double*, double* o) { double x = a[threadIdx.x]; o[threadIdx.x] = call; }
#define TWO_DOUBLE(name, call) __global__ void d_##name(const double* a, const double* b, double* o) { double x = a[threadIdx.x], y = b[threadIdx.x]; o[threadIdx.x] = call; }
FUNCTIONS(ONE_FLOAT, TWO_FLOAT)
FUNCTIONS(ONE_DOUBLE, TWO_DOUBLE)
NATIVE(ONE_FLOAT, TWO_FLOAT)

int main() {
  float* f;
  double* d;
  if (cudaMallocManaged(&f, 96 * sizeof *f) != cudaSuccess || cudaMallocManaged(&d, 96 * sizeof *d) != cudaSuccess) {
    fprintf(stderr, "functions: no memory on the GPU\n");
    return 2;
  }
  for (int i = 0; i < 64; i++) d[i] = f[i] = 0.15f + 0.8f * (i * 37 % 64) / 64;
#define RUN_FLOAT(name, call) f_##name<<<1, 32>>>(f, f + 32, f + 64);
#define RUN_DOUBLE(name, call) d_##name<<<1, 32>>>(d, d + 32, d + 64);
  FUNCTIONS(RUN_FLOAT, RUN_FLOAT)
  FUNCTIONS(RUN_DOUBLE, RUN_DOUBLE)
  NATIVE(RUN_FLOAT, RUN_FLOAT)
  return cudaDeviceSynchronize() != cudaSuccess;
}
