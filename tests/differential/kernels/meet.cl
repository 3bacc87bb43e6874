/* Exits from divergent branches that all work-items take or none; the lanes must reconverge before the barrier. */

/* `count` is 6: every lane leaves only at the end of the loop. */
kernel void nobody_leaves(global const int *in, global int *out, int count) {
  local int shared[64];
  int g = get_global_id(0), own = get_local_id(0), x = in[g], sum = 0;
  for (int i = 0; i < count; i++) {
    if (x >> i & 1) {
      for (int j = 0; j < (x & 3); j++) {
        if (count < 0)
          return;
        sum += j * i;
      }
      if (count > 100)
        continue;
      if (count > 1000)
        goto out;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[own] = x + sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += shared[own + i & 63];
  }
out:
  out[g] = sum;
}

int leaves_together(local int *shared, int own, int x, int last) {
  int sum = 0;
  for (int i = 0;; i++) {
    if (x >> i & 1) {
      sum += 3 * i;
      if (i == last)
        return sum;
    } else {
      sum ^= x;
      if (i == last)
        break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[own] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += shared[own ^ 1];
  }
  return -sum;
}

kernel void all_leave(global const int *in, global int *out, int count) {
  local int shared[64];
  int g = get_global_id(0), own = get_local_id(0);
  int sum = leaves_together(shared, own, in[g], count);
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[own] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[g] = shared[63 - own];
}

kernel void copies(global const int *in, global int *out, int count) {
  local int shared[64];
  int g = get_global_id(0), own = get_local_id(0), x = in[g], sum = 0;
  for (int i = 0; i < count; i++) {
    switch (x >> i & 3) {
    case 0:
      sum += i * x;
      if (count > 50)
        goto out;
    case 1:
      sum ^= x;
      break;
    case 2:
      if (count > 60)
        continue;
    }
    event_t done = async_work_group_copy(shared, in + i, 64, 0);
    wait_group_events(1, &done);
    sum += 3 * shared[own];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
out:
  out[g] = sum;
}
