/* Jobs given on the command line: a kernel, its NDRange and its arguments, without a launch file.
 *
 *     --arg buffer:a=4096:float:iota      4096 bytes, filled 0.0, 1.0, 2.0, ...
 *     --arg buffer:b=4096:int:@in.bin     ... with a file's bytes
 *     --arg buffer:a                      the same buffer once more
 *     --arg local:512                     bytes of LDS
 *     --arg int:7   --arg float4:1,2,3,4  a value by its OpenCL C type
 *     --arg bytes:00ff                    a struct by value */
#ifndef SIM_LAUNCH_DIRECT_H
#define SIM_LAUNCH_DIRECT_H

#include "sim/launch/launch_file.h"

struct direct {
  const char *program, *kernel, *global, *local, *offset;
  const char *const *args;
  size_t arg_count;
};

/* Reads "X[,Y[,Z]]", each at least `minimum`. Returns the number of entries, or 0 with the message filled. */
uint32_t direct_range(const char *option, const char *text, uint32_t minimum, uint32_t range[3],
                      struct message *message);

/* Fills an empty *job. The caller frees the job, also after a failure. */
bool direct_job(const struct direct *direct, const struct job_request *request, struct job *job,
                struct message *message);

#endif
