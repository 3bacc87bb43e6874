//// source
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int row[5] __attribute__((depth(2)));
channel int deep __attribute__((depth(64)));
kernel void put(int n) { for (int i = 0; i < n; i++) write_channel_intel(row[0], i); }
kernel void take(global int *a, int n) { for (int i = 0; i < n; i++) a[i] = read_channel_intel(row[4]); }
__attribute__((autorun)) __attribute__((num_compute_units(4))) kernel void step(void) {
  int i = get_compute_id(0);
  write_channel_intel(row[i + 1], read_channel_intel(row[i]) + 1);
}
kernel void keep(int n) { for (int i = 0; i < n; i++) write_channel_intel(deep, 10 + i); }
kernel void give(global int *a, int n) {
  for (int i = 0; i < n; i++) { bool got; int x = read_channel_nb_intel(deep, &got); a[i] = got ? x : -1; }
}
//// polling_source
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int low __attribute__((depth(4))), high __attribute__((depth(4))), merged, out;
kernel void put_low(int n) { for (int i = 0; i < n; i++) write_channel_intel(low, i); }
kernel void put_high(int n) { for (int i = 0; i < n; i++) write_channel_intel(high, 50 + i); }
kernel void take(global int *a, int n) { for (int i = 0; i < n; i++) a[read_channel_intel(out)]++; }
__attribute__((autorun)) kernel void pass(void) { write_channel_intel(out, read_channel_intel(merged)); }
__attribute__((autorun)) kernel void merge(void) {
  for (;;) {
    bool got;
    int x = read_channel_nb_intel(low, &got);
    while (got && !write_channel_nb_intel(merged, x)) continue;
    x = read_channel_nb_intel(high, &got);
    while (got && !write_channel_nb_intel(merged, x)) continue;
  }
}
//// wide_source
#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int c __attribute__((depth(3)));
channel int row[3], alone[1];
kernel void put_all(global int *a, int n) { write_channel_intel(c, a[get_global_id(0)]); }
kernel void take_each(global int *a, int n) { for (int i = 0; i < n; i++) a[i] = read_channel_intel(c); }
kernel void put_each(global int *a, int n) { for (int i = 0; i < n; i++) write_channel_intel(c, a[i]); }
kernel void take_all(global int *a, int n) { a[get_global_id(0)] = read_channel_intel(c); }
kernel void beyond(global int *a, int n) { if (n < 9) write_channel_intel(row[n], 1);
  else write_channel_intel(alone[n], 1); }
