kernel void atomics32(global int *cell, global uint *ucell, global uint *order) {
  int i = get_global_id(0);
  atomic_add(&cell[0], i);
  atomic_sub(&cell[1], i);
  atomic_min(&cell[2], -i);
  atomic_max(&cell[3], i * 7 % 101);
  atomic_and(&cell[4], ~(1 << (i & 15)));
  atomic_or(&cell[5], 1 << (i & 31));
  atomic_xor(&cell[6], i * 77);
  atomic_inc(&ucell[0]);
  atomic_dec(&ucell[1]);
  atomic_max(&ucell[2], (uint)i * 2654435761u);
  atomic_min(&ucell[3], (uint)i * 2654435761u);
  uint ticket = atomic_inc(&ucell[4]);
  order[ticket] = 1;
  while (atomic_cmpxchg(&cell[7], i, i + 1) < i && get_global_size(0) == 1)
    ;
}

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void atomics64(global long *cell, global ulong *ucell) {
  local long near;
  long i = get_global_id(0);
  if (get_local_id(0) == 0)
    near = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  atom_add(&near, i << 20);
  atom_add(&cell[0], i << 33);
  atom_min(&cell[1], -i);
  atom_max(&ucell[0], (ulong)i * 0x9e3779b97f4a7c15ul);
  atom_xor(&ucell[1], (ulong)i << 40);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    atom_add(&cell[2], near);
}
