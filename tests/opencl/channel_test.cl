//// nonblocking_calls_reserve_without
#pragma OPENCL EXTENSION cl_altera_channels : enable;
channel int c;
kernel void k(global int *a) {
  bool good;
  int x = read_channel_nb_altera(c, &good);
  a[0] = good ? x : -1;
  a[1] = write_channel_nb_altera(c, 3);
}
