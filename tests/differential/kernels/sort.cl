kernel void bitonic(global int *keys, global uint *values, local int *k, local uint *v) {
  uint lid = get_local_id(0), n = get_local_size(0) * 2, base = get_group_id(0) * n;
  for (uint i = lid; i < n; i += get_local_size(0)) {
    k[i] = keys[base + i];
    v[i] = values[base + i];
  }
  for (uint size = 2; size <= n; size <<= 1)
    for (uint stride = size >> 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      uint low = 2 * lid - (lid & (stride - 1)), high = low + stride;
      bool ascending = (low & size) == 0;
      if ((k[low] > k[high]) == ascending) {
        int key = k[low];
        k[low] = k[high];
        k[high] = key;
        uint value = v[low];
        v[low] = v[high];
        v[high] = value;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = lid; i < n; i += get_local_size(0)) {
    keys[base + i] = k[i];
    values[base + i] = v[i];
  }
}

/* Insertion sort of a private array: dynamic indices into private memory. */
kernel void insertion(global short *data) {
  short item[12];
  size_t base = get_global_id(0) * 12;
  for (int i = 0; i < 12; i++) {
    short key = data[base + i];
    int at = i;
    while (at > 0 && item[at - 1] > key) {
      item[at] = item[at - 1];
      at--;
    }
    item[at] = key;
  }
  for (int i = 0; i < 12; i++)
    data[base + i] = item[i];
}
