global int counter = 7;
constant int offsets[4] = {10, 20, 30, 40};
constant int *constant chosen = offsets + 0;

kernel void count(global int *out) {
  atomic_max(out, atomic_inc(&counter) + 1);
}

kernel void table(global int *out) {
  int i = get_global_id(0);
  out[i] = chosen[i & 3] + (i & 3);
}
