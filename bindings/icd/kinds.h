/* Clean-up of objects, by kind. icd_unref() calls these after it has removed an object from the registry and before it
 * frees the object. */
#ifndef BINDINGS_ICD_KINDS_H
#define BINDINGS_ICD_KINDS_H

#include "bindings/icd/icd.h"

void icd_destroy_device(cl_device_id device);
void icd_destroy_context(cl_context context);
void icd_destroy_queue(cl_command_queue queue);
void icd_destroy_memory(cl_mem memory);
void icd_destroy_program(cl_program program);
void icd_destroy_kernel(cl_kernel kernel);
void icd_destroy_event(cl_event event);
void icd_destroy_sampler(cl_sampler sampler);

#endif
