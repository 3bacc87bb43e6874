//// lockstep
kernel void k(global const int *in, global int *out) {
  local int s[64]; local int2 v[40]; int i = get_local_id(0);
  s[i] = i; s[i + 32] = 0;
  s[i] += s[i + 16]; s[i] += s[i + 8]; s[i] += s[i + 4]; s[i] += s[i + 2]; s[i] += s[i + 1];
  out[i] = s[i];
  s[i + 32] = i; s[i + 31] = i * 3; s[i + 32] += s[i + 31];
  out[32 + i] = s[i + 32];
  v[i].x = i; v[i + 1].x = 5 * i; v[i].y = 2 * i; int a = v[i].x; v[i + 2].x = 7 * i; int b = v[i].y;
  out[64 + i] = a + b; out[96 + i] = v[i].x;
  s[2 * i] = i; s[2 * i + 2] = 2 * i; s[2 * i + 1] = 3 * i;
  out[128 + i] = s[i];
}
//// cpp
template <typename T> T twice(T x) { return x + x; }
template <int N> struct table { int at[N]; constexpr int size() const { return N; } };
class counter {
  int n;
public:
  counter(int n) : n(n) {}
  ~counter() { n = 0; }
  counter &operator+=(const counter &other) { n += other.n; return *this; }
  int get() const { return n; }
  int get() const __global { return n + 1000; }
};
struct base { int b; int get() { return b; } };
struct derived : base { int both() { return get() + 2; } };
namespace ns { int f(int x) { return x + 1; } int f(float x) { return (int)(x * 2); } }
constexpr int square(int x) { return x * x; }
void add(int &x) { x += 1; }
void add(__global int &x) { x += 2; }
kernel void k(global const int *in, global int *out) {
  int i = get_global_id(0), seven = 7;
  counter c(i), more(in[i]);
  c += more;
  table<4> t = {{1, 2, 3, 4}};
  derived d; d.b = 5;
  auto by = [seven](int x) { return x * seven; };
  int v = twice(i) + c.get() + t.at[i & 3] + t.size() + square(4) + ns::f(2) + ns::f(2.5f) + d.both() + by(3);
  add(v);
  out[i] = v;
  add(out[i]);
}
//// optimized_code_loses_what
kernel void k(global int *a, int n) {
  int s = 0, x = a[0], y = a[1];
  for (int i = 0; i < n; i++) s += i * i;
  for (int i = 0; i < n; i++) if (x / (y + i) > 3 && y) a[i + 9] = a[i] / y;
  switch (y & 7) { case 0: s = 3; break; case 1: s = 99; break; case 4: s = 12; break;
                   case 7: s = 5; }
  a[2] = s;
}
//// optimized_code_computes_in
kernel void k(global int *a, uint n) {
  switch ((a[n] + 5) & 7) {
  case 0: a[0] = n; break; case 1: a[1] = 99; break; case 4: a[2] = 12; break;
  case 6: a[3] = n * 3; break; case 7: a[4] = 5; }
  for (uint i = 0; i < n; i++) a[9] += (i * (i + 1)) / 2;
  a[8] = (a[1] & 7) * 5 + ((a[2] & 15) << 3 & 7) + (a[3] * 3 >> 2 & 1);
}
//// code_optimized_into_24
union word { uint u; uchar c[4]; };
kernel void k(global uint *a) {
  union word w;
  w.u = a[0];
  for (uint i = 0; i < (a[5] & 3); i++)
    for (short j = (short)(a[1] & 7) - 4; j <= 1; j++) w.u = 0;
  a[1] = w.c[0];
  a[2] = w.u;
}
