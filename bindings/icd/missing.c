/* What there is none of, in the words of the specification: a device that leaves it out answers so. */
#include "bindings/icd/icd.h"

#define NOT_MADE(status)                                                                                               \
  do {                                                                                                                 \
    if (error)                                                                                                         \
      *error = (status);                                                                                               \
    return NULL;                                                                                                       \
  } while (0)

/* ---- images and samplers ----------------------------------------------------------------------------------- */

static cl_int not_here(cl_context context) {
  icd_enter();
  return icd_leave(icd_is(context, ICD_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
}

static cl_int not_there(cl_command_queue queue) {
  icd_enter();
  return icd_leave(icd_is(queue, ICD_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host, cl_int *error) {
  (void)properties, (void)flags, (void)format, (void)desc, (void)host;
  NOT_MADE(not_here(context));
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host, cl_int *error) {
  return clCreateImageWithProperties(context, NULL, flags, format, desc, host, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t pitch, void *host, cl_int *error) {
  (void)flags, (void)format, (void)width, (void)height, (void)pitch, (void)host;
  NOT_MADE(not_here(context));
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t pitch, size_t slice,
                                                void *host, cl_int *error) {
  (void)flags, (void)format, (void)width, (void)height, (void)depth, (void)pitch, (void)slice, (void)host;
  NOT_MADE(not_here(context));
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint room,
                                                           cl_image_format *formats, cl_uint *count) {
  (void)flags, (void)type;
  icd_enter();
  const cl_int status = icd_is(context, ICD_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
  if (status == CL_SUCCESS && formats && !room)
    return icd_leave(CL_INVALID_VALUE);
  if (status == CL_SUCCESS && count)
    *count = 0;
  return icd_leave(status);
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void *value,
                                               size_t *needed) {
  (void)image, (void)name, (void)size, (void)value, (void)needed;
  return CL_INVALID_MEM_OBJECT;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode addressing, cl_filter_mode filter,
                                                    cl_int *error) {
  (void)normalized, (void)addressing, (void)filter;
  NOT_MADE(not_here(context));
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *error) {
  (void)properties;
  NOT_MADE(not_here(context));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainSampler(cl_sampler sampler) {
  (void)sampler;
  return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler) {
  (void)sampler;
  return CL_INVALID_SAMPLER;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value,
                                                 size_t *needed) {
  (void)sampler, (void)name, (void)size, (void)value, (void)needed;
  return CL_INVALID_SAMPLER;
}

#define WAITS cl_uint count, const cl_event *waits, cl_event *event
#define NO_WAITS (void)count, (void)waits, (void)event

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                   const size_t *at, const size_t *region, size_t row, size_t slice,
                                                   void *host, WAITS) {
  (void)image, (void)blocking, (void)at, (void)region, (void)row, (void)slice, (void)host, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                    const size_t *at, const size_t *region, size_t row, size_t slice,
                                                    const void *host, WAITS) {
  (void)image, (void)blocking, (void)at, (void)region, (void)row, (void)slice, (void)host, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                                                   const size_t *at, const size_t *region, WAITS) {
  (void)image, (void)color, (void)at, (void)region, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                   const size_t *from_at, const size_t *to_at, const size_t *region,
                                                   WAITS) {
  (void)from, (void)to, (void)from_at, (void)to_at, (void)region, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           const size_t *from_at, const size_t *region, size_t to_at,
                                                           WAITS) {
  (void)from, (void)to, (void)from_at, (void)to_at, (void)region, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                           size_t from_at, const size_t *to_at, const size_t *region,
                                                           WAITS) {
  (void)from, (void)to, (void)from_at, (void)to_at, (void)region, NO_WAITS;
  return not_there(queue);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *at, const size_t *region,
                                                 size_t *row, size_t *slice, WAITS, cl_int *error) {
  (void)image, (void)blocking, (void)flags, (void)at, (void)region, (void)row, (void)slice, NO_WAITS;
  NOT_MADE(not_there(queue));
}

/* ---- native kernels ------------------------------------------------------------------------------------------- */

static cl_int not_of(cl_program program) {
  icd_enter();
  return icd_leave(icd_is(program, ICD_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
                                                            void(CL_CALLBACK *call)(cl_program, void *), void *self) {
  (void)call, (void)self;
  return not_of(program);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *),
                                                      void *arguments, size_t size, cl_uint memory_count,
                                                      const cl_mem *memory, const void **places, WAITS) {
  (void)call, (void)arguments, (void)size, (void)memory_count, (void)memory, (void)places, NO_WAITS;
  return not_there(queue);
}
