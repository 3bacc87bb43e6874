/* Functions that are not supported. They return what the specification requires of a device without the feature. */
#include "bindings/icd/icd.h"

static cl_int not_of(cl_program program) {
  ICD_LOCKED;
  return icd_is(program, ICD_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
                                                            void(CL_CALLBACK *call)(cl_program, void *), void *self) {
  (void)call, (void)self;
  return not_of(program);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *),
                                                      void *arguments, size_t size, cl_uint memory_count,
                                                      const cl_mem *memory, const void **places, ICD_WAITS) {
  (void)call, (void)arguments, (void)size, (void)memory_count, (void)memory, (void)places, (void)count, (void)waits,
      (void)event;
  ICD_LOCKED;
  return icd_is(queue, ICD_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}
