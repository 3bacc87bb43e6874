#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

kernel void subgroups(global const int *in, global int *total, global int *least, global int *running, global int *before,
                      global int *first, global int *shuffled, global int *ballot, global int *shape) {
  size_t i = get_global_id(0);
  int value = in[i];
  total[i] = sub_group_reduce_add(value);
  least[i] = sub_group_reduce_min(value);
  running[i] = sub_group_scan_inclusive_add(value);
  before[i] = sub_group_scan_exclusive_add(value);
  first[i] = sub_group_broadcast(value, 3);
  shuffled[i] = sub_group_shuffle_xor(value, 1);
  ballot[i] = sub_group_ballot_bit_count(sub_group_ballot(value > 0)) * 4 + (sub_group_any(value > 900) ? 2 : 0) +
              (sub_group_all(value > -900) ? 1 : 0);
  shape[i] = get_sub_group_local_id() + 100 * get_sub_group_size() + 10000 * get_sub_group_id() + 100000 * get_num_sub_groups();
}
