/* Kernel arguments of all kinds, offsets, work-item functions. */
struct inner { uchar tag; double weight; };
struct options { int add; float4 scale; struct inner inner[2]; short tail[3]; };

kernel void by_value(struct options o, global double *out, char c, ushort2 u, long16 big, float3 f) {
  size_t i = get_global_id(0);
  double sum = o.add + o.scale.x + o.scale.w * 2 + o.inner[i & 1].weight + o.inner[1].tag + o.tail[i % 3];
  out[i] = sum + c + u.x * 3 + u.y + big.s0 + big.sf * 5 + f.z;
}

kernel void identifiers(global ulong *out) {
  size_t at = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0) +
              (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
  ulong hash = get_work_dim();
  for (uint d = 0; d < 3; d++) {
    hash = hash * 31 + get_global_id(d);
    hash = hash * 31 + get_local_id(d);
    hash = hash * 31 + get_group_id(d);
    hash = hash * 31 + get_local_size(d);
    hash = hash * 31 + get_num_groups(d);
    hash = hash * 31 + get_global_size(d);
    hash = hash * 31 + get_global_offset(d);
  }
  out[at] = hash;
}

kernel void pointers(global int *data, constant short *table, local long *scratch, uint n) {
  size_t lid = get_local_id(0);
  global int *mine = data + get_global_id(0);
  scratch[lid] = *mine + table[lid % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  local long *other = &scratch[get_local_size(0) - 1 - lid];
  *mine = (int)(*other ^ (other - scratch));
}
