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
