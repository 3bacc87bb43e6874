/* All of a vector is undefined, and nothing else of the kernel needs a move: a copy of no moves must not be made. */
kernel void k(global float4 *p) { float4 x; *p = x; }
