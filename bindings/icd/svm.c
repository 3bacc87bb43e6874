/* Shared virtual memory, at one address for the host and all devices of a context. Commands run one after the other, so
 * each sees what earlier ones wrote, mapped or not. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/sizes.h"

enum { MOST_ALIGNMENT = 128 };
#define ACCESS_FLAGS ((cl_svm_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY))
#define MOST_BYTES (UINT64_C(4) << 30)

static struct icd_svm *first;

/* ---- allocations -------------------------------------------------------------------------------------------- */

const struct icd_svm *icd_find_svm(cl_context context, const void *at, size_t size) {
  const uintptr_t from = (uintptr_t)at;
  for (const struct icd_svm *svm = first; svm; svm = svm->next) {
    const uintptr_t begin = (uintptr_t)svm->at;
    if (svm->context == context && from >= begin && from - begin < svm->size && size <= svm->size - (from - begin))
      return svm;
  }
  return NULL;
}

ww_buffer *icd_svm_on_device(const struct icd_svm *svm, cl_device_id device) {
  return svm->buffer[icd_index_of(svm->context, device)];
}

static void destroy(struct icd_svm *svm) {
  for (int i = 0; i < ICD_MOST_DEVICES; i++)
    ww_buffer_unref(svm->buffer[i]);
  icd_unref(svm->context);
  free(svm);
}

static void free_at(const void *at) {
  for (struct icd_svm **svm = &first; *svm; svm = &(*svm)->next)
    if ((*svm)->at == at) {
      struct icd_svm *gone = *svm;
      *svm = gone->next;
      destroy(gone);
      return;
    }
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  ICD_LOCKED;
  const cl_svm_mem_flags access = flags & ACCESS_FLAGS;
  if (!icd_is(context, ICD_CONTEXT) || flags & ~(ACCESS_FLAGS | CL_MEM_SVM_FINE_GRAIN_BUFFER) ||
      access & (access - 1) || !size || size > MOST_BYTES || alignment & (alignment - 1) || alignment > MOST_ALIGNMENT)
    return NULL;
  struct icd_svm *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->size = size;
  for (cl_uint i = 0; i < context->devices; i++)
    if (ww_buffer_new_shared(context->device[i]->device, "svm", size, i ? made->buffer[0] : NULL, &made->buffer[i],
                             NULL) != WW_OK) {
      destroy(made);
      return NULL;
    }
  made->at = ww_buffer_data(made->buffer[0]);
  made->next = first;
  first = made;
  return made->at;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *at) {
  ICD_LOCKED;
  if (icd_find_svm(context, at, 1))
    free_at(at);
}

/* ---- freeing by a command ------------------------------------------------------------------------------------- */

struct icd_free {
  cl_command_queue queue; /* a reference */
  cl_uint count;
  void **pointers;
  void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *);
  void *self;
};

static void drop_free(struct icd_free *freed) {
  if (!freed)
    return;
  icd_unref(freed->queue);
  free(freed->pointers);
  free(freed);
}

static void call_to_free(void *self) {
  struct icd_free *freed = self;
  freed->call(freed->queue, freed->count, freed->pointers, freed->self);
  ICD_LOCKED;
  drop_free(freed);
}

static cl_int run_free(struct icd_command *command, struct icd_work *work) {
  struct icd_free *freed = command->freed;
  (void)work;
  for (cl_uint i = 0; !freed->call && i < freed->count; i++)
    free_at(freed->pointers[i]);
  if (freed->call && icd_call_later(call_to_free, freed))
    command->freed = NULL;
  return CL_COMPLETE;
}

static void drop_command(struct icd_command *command) { drop_free(command->freed); }

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint number, void *pointers[],
                                                 void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                                                 void *self, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!number != !pointers)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < number; i++)
    if (!pointers[i])
      return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, CL_COMMAND_SVM_FREE, count, waits, run_free, &status);
  if (!command)
    return status;
  struct icd_free *freed = command->freed = calloc(1, sizeof *freed);
  command->drop = drop_command;
  if (freed)
    *freed = (struct icd_free){icd_ref(queue), number, malloc((size_t)number * sizeof *pointers + 1), call, self};
  if (!freed || !freed->pointers) {
    icd_drop(command);
    return CL_OUT_OF_HOST_MEMORY;
  }
  memcpy(freed->pointers, pointers, number * sizeof *pointers);
  return icd_enqueue(command, false, event);
}

/* ---- moving and filling ---------------------------------------------------------------------------------------- */

static bool is_svm(const struct icd_command *command, const void *at) {
  return icd_find_svm(command->event->context, at, 1);
}

/* Whether a range that starts in an allocation also ends there; any other is in host memory. */
static bool is_range(cl_context context, const void *at, size_t size) {
  return icd_find_svm(context, at, 1) ? icd_find_svm(context, at, size) != NULL : size <= ICD_MOST_HOST;
}

static cl_int run_memcpy(struct icd_command *command, struct icd_work *work) {
  const size_t size = command->region[0];
  const bool to = is_svm(command, command->host), from = is_svm(command, command->source);
  memcpy(command->host, command->source, size);
  *work = icd_moving(command, to && from ? ICD_COMPUTE : to ? ICD_TO_DEVICE : ICD_TO_HOST, size, to && from ? 2 : 1);
  return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                                   size_t size, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!to || !from || !is_range(queue->context, to, size) || !is_range(queue->context, from, size))
    return CL_INVALID_VALUE;
  if ((uintptr_t)to < (uintptr_t)from + size && (uintptr_t)from < (uintptr_t)to + size)
    return CL_MEM_COPY_OVERLAP;
  struct icd_command *command = icd_command(queue, CL_COMMAND_SVM_MEMCPY, count, waits, run_memcpy, &status);
  if (!command)
    return status;
  command->host = to;
  command->source = from;
  command->region[0] = size;
  return icd_enqueue(command, blocking, event);
}

static cl_int run_fill(struct icd_command *command, struct icd_work *work) {
  for (size_t i = 0; i < command->region[0]; i += command->pattern_size)
    memcpy((uint8_t *)command->host + i, command->pattern, command->pattern_size);
  *work = icd_moving(command, ICD_COMPUTE, command->region[0], 1);
  return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *at, const void *pattern,
                                                    size_t pattern_size, size_t size, ICD_WAITS) {
  ICD_LOCKED;
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!at || !pattern || !pattern_size || pattern_size > ICD_PATTERN || pattern_size & (pattern_size - 1) ||
      (uintptr_t)at % pattern_size || size % pattern_size || !icd_find_svm(queue->context, at, size))
    return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, CL_COMMAND_SVM_MEMFILL, count, waits, run_fill, &status);
  if (!command)
    return status;
  command->host = at;
  command->region[0] = size;
  command->pattern_size = pattern_size;
  memcpy(command->pattern, pattern, pattern_size);
  return icd_enqueue(command, false, event);
}

/* ---- mapping and migration, which have nothing to move ----------------------------------------------------------- */

static cl_int enqueue_nothing(cl_command_queue queue, cl_command_type type, bool good, bool blocking, ICD_WAITS) {
  cl_int status = CL_SUCCESS;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!good)
    return CL_INVALID_VALUE;
  struct icd_command *command = icd_command(queue, type, count, waits, NULL, &status);
  return command ? icd_enqueue(command, blocking, event) : status;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *at,
                                                size_t size, ICD_WAITS) {
  ICD_LOCKED;
  const bool good = at && size && flags && flags < 8 && (flags < 4 || flags == CL_MAP_WRITE_INVALIDATE_REGION) &&
                    icd_is(queue, ICD_QUEUE) && icd_find_svm(queue->context, at, size);
  return enqueue_nothing(queue, CL_COMMAND_SVM_MAP, good, blocking, count, waits, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *at, ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_nothing(queue, CL_COMMAND_SVM_UNMAP, at, false, count, waits, event);
}

static bool can_migrate(cl_command_queue queue, cl_uint number, const void **pointers, const size_t *sizes) {
  if (!number || !pointers || !icd_is(queue, ICD_QUEUE))
    return false;
  for (cl_uint i = 0; i < number; i++)
    if (!icd_find_svm(queue->context, pointers[i], sizes && sizes[i] ? sizes[i] : 1))
      return false;
  return true;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint number, const void **pointers,
                                                       const size_t *sizes, cl_mem_migration_flags flags, ICD_WAITS) {
  ICD_LOCKED;
  const bool good = flags <= (CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) &&
                    can_migrate(queue, number, pointers, sizes);
  return enqueue_nothing(queue, CL_COMMAND_SVM_MIGRATE_MEM, good, false, count, waits, event);
}
