// How much a volume changes from slice to slice. The last slice has no next one; -D WRONG reads beyond it.
kernel void change(read_only image3d_t volume, sampler_t nearest, global int *out) {
  int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0), next = at;
#ifdef WRONG
  next.z++;
#else
  next.z = min(at.z + 1, get_image_depth(volume) - 1);
#endif
  int here = read_imagei(volume, nearest, at).x;
  int behind = read_imagei(volume, nearest, next).x; /* HERE */
  out[(at.z * get_global_size(1) + at.y) * get_global_size(0) + at.x] = behind - here;
}
