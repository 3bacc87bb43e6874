/* A chain of stages, as you would build it on an FPGA: numbers enter at one end, and each stage passes on the sum of
 * the last two that it received. Four stages weight five neighbors by 1, 4, 6, 4 and 1. With WIDE, a packet has one
 * number from each of sixteen rows. */
#pragma OPENCL EXTENSION cl_intel_channels : enable

#ifndef DEPTH
#define DEPTH 8 /* packets that can wait between two stages */
#endif
#ifdef WIDE
typedef int16 packet;
#else
typedef int packet;
#endif
enum { STAGES = 4, PACKETS = 256 };

channel packet chain[STAGES + 1] __attribute__((depth(DEPTH)));

kernel void feed(global const packet *in) {
  for (int i = 0; i < PACKETS; i++)
    write_channel_intel(chain[0], in[i]);
}

/* The host does not launch this kernel: its four work-groups start with the others, and restart when they finish. */
__attribute__((max_global_work_dim(0))) __attribute__((autorun)) __attribute__((num_compute_units(STAGES)))
kernel void stage(void) {
  const int number = get_compute_id(0);
  packet before = 0;
  for (int i = 0; i < PACKETS; i++) {
    const packet now = read_channel_intel(chain[number]);
    write_channel_intel(chain[number + 1], before + now);
    before = now;
  }
}

kernel void drain(global packet *out) {
  for (int i = 0; i < PACKETS; i++)
    out[i] = read_channel_intel(chain[STAGES]);
}
