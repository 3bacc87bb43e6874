kernel void collectives(global const long *in, global long *total, global long *least, global long *most, global long *running,
                        global long *before, global long *mixed) {
  size_t i = get_global_id(0);
  long value = in[i];
  total[i] = work_group_reduce_add(value);
  least[i] = work_group_reduce_min(value);
  most[i] = work_group_reduce_max(value);
  running[i] = work_group_scan_inclusive_add(value);
  before[i] = work_group_scan_exclusive_add(value);
  mixed[i] = work_group_broadcast(value, 3) + (work_group_any(value > 900) ? 2 : 0) + (work_group_all(value > -2000) ? 1 : 0) +
             10000 * (long)get_local_size(0);
}
