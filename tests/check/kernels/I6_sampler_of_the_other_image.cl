// A picture is filtered and its labels are not, with two samplers that the host passes; -D WRONG filters both.
#ifdef WRONG
#define EXACT smooth
#else
#define EXACT exact
#endif

kernel void enlarge(read_only image2d_t picture, read_only image2d_t labels, sampler_t smooth, sampler_t exact,
                    global float *out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1)), size = (int2)(get_global_size(0), get_global_size(1));
  float2 center = (convert_float2(at) + 0.5f) / convert_float2(size);
  float color = read_imagef(picture, smooth, center).x;
  int label = read_imagei(labels, EXACT, center).x; /* HERE */
  out[at.y * size.x + at.x] = label > 0 ? color : 0;
}
