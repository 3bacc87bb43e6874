/* Buffers, sub-buffers and pipes. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

#define ACCESS_FLAGS ((cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY))
#define HOST_ACCESS_FLAGS ((cl_mem_flags)(CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
#define HOST_FLAGS ((cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
enum { ORIGIN_ALIGN = 128 };

/* ---- where the bytes are -------------------------------------------------------------------------------- */

static ww_buffer *buffer_on(cl_mem root, int i) {
  if (!root->buffer[i] &&
      ww_buffer_new(root->context->device[i]->device, NULL, root->size, &root->buffer[i], NULL) != WW_OK)
    return NULL;
  return root->buffer[i];
}

/* Copies the newest bytes to the device. */
static ww_buffer *bring(cl_mem root, int i) {
  ww_buffer *buffer = buffer_on(root, i);
  if (buffer && root->newest >= 0 && root->newest != i)
    memcpy(ww_buffer_data(buffer), ww_buffer_data(root->buffer[root->newest]), root->size);
  if (buffer)
    root->newest = i;
  return buffer;
}

/* The memory object that has the bytes. */
static cl_mem root_of(cl_mem memory) {
  while (memory->parent)
    memory = memory->parent;
  return memory;
}

uint8_t *icd_bytes(cl_mem memory) {
  cl_mem root = root_of(memory);
  if (root->in_svm)
    return memory->host;
  ww_buffer *buffer = bring(root, root->newest < 0 ? 0 : root->newest);
  return buffer ? (uint8_t *)ww_buffer_data(buffer) + memory->origin : NULL;
}

ww_buffer *icd_on_device(cl_mem memory, cl_device_id device, uint64_t *offset) {
  cl_mem root = root_of(memory);
  const struct icd_svm *svm = root->in_svm ? icd_find_svm(root->context, root->host, root->size) : NULL;
  if (svm) {
    *offset = (uint64_t)((uint8_t *)memory->host - svm->at);
    return icd_svm_on_device(svm, device);
  }
  *offset = memory->origin;
  return root->in_svm ? NULL : bring(root, icd_index_of(root->context, device));
}

cl_int icd_check_range(cl_mem memory, size_t offset, size_t size) {
  return size && offset <= memory->size && size <= memory->size - offset ? CL_SUCCESS : CL_INVALID_VALUE;
}

void icd_destroy_memory(cl_mem memory) {
  icd_call_destroyed(memory->destroyed, memory);
  for (struct icd_map *next, *at = memory->maps; at; at = next) {
    next = at->next;
    free(at->own);
    free(at);
  }
  icd_free_image(memory->image);
  for (int i = 0; i < ICD_MOST_DEVICES; i++)
    ww_buffer_unref(memory->buffer[i]);
  ww_pipe_unref(memory->pipe);
  icd_unref(memory->parent);
  icd_unref(memory->context);
  free(memory->properties.list);
}

/* ---- buffers -------------------------------------------------------------------------------------------- */

static bool is_one_of(cl_mem_flags flags, cl_mem_flags of) {
  flags &= of;
  return !(flags & (flags - 1));
}

cl_int icd_check_flags(cl_mem_flags flags, const void *host) {
  const cl_mem_flags known = ACCESS_FLAGS | HOST_ACCESS_FLAGS | HOST_FLAGS;
  if (flags & ~known || !is_one_of(flags, ACCESS_FLAGS) || !is_one_of(flags, HOST_ACCESS_FLAGS) ||
      (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
    return CL_INVALID_VALUE;
  return !host == !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_mem_flags icd_with_access(cl_mem_flags flags) { return flags & ACCESS_FLAGS ? flags : flags | CL_MEM_READ_WRITE; }

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *list,
                                                             cl_mem_flags flags, size_t size, void *host,
                                                             cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  *status = !icd_is(context, ICD_CONTEXT)    ? CL_INVALID_CONTEXT
            : list && *list                  ? CL_INVALID_PROPERTY
            : !size || size > ICD_MOST_BYTES ? CL_INVALID_BUFFER_SIZE
                                             : icd_check_flags(flags, host);
  if (*status == CL_INVALID_BUFFER_SIZE && icd_check_flags(flags, host) == CL_INVALID_VALUE)
    *status = CL_INVALID_VALUE;
  cl_mem made = icd_create(ICD_MEMORY, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->type = CL_MEM_OBJECT_BUFFER;
  made->flags = icd_with_access(flags);
  made->size = size;
  made->newest = -1;
  made->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
  made->in_svm = made->host && icd_find_svm(context, host, 1);
  if (made->in_svm && !icd_find_svm(context, host, size)) {
    icd_give_up(made);
    *status = CL_INVALID_BUFFER_SIZE;
    return NULL;
  }
  uint8_t *bytes = host ? icd_bytes(made) : NULL;
  if (host && bytes && !made->in_svm)
    memcpy(bytes, host, size);
  if (!icd_keep_properties(&made->properties, list) || (host && !bytes)) {
    icd_give_up(made);
    *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
  }
  return made;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                               cl_int *error) {
  return clCreateBufferWithProperties(context, NULL, flags, size, host, error);
}

/* A part may allow the same accesses as the whole, or fewer. */
cl_int icd_part_flags(cl_mem whole, cl_mem_flags asked, cl_mem_flags *flags) {
  const cl_mem_flags access = whole->flags & ACCESS_FLAGS, host = whole->flags & HOST_ACCESS_FLAGS;
  if (asked & ~(ACCESS_FLAGS | HOST_ACCESS_FLAGS) || !is_one_of(asked, ACCESS_FLAGS) ||
      !is_one_of(asked, HOST_ACCESS_FLAGS))
    return CL_INVALID_VALUE;
  if (asked & ACCESS_FLAGS && access != CL_MEM_READ_WRITE && (asked & ACCESS_FLAGS) != access)
    return CL_INVALID_VALUE;
  if ((host == CL_MEM_HOST_WRITE_ONLY && asked & CL_MEM_HOST_READ_ONLY) ||
      (host == CL_MEM_HOST_READ_ONLY && asked & CL_MEM_HOST_WRITE_ONLY) ||
      (host == CL_MEM_HOST_NO_ACCESS && asked & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
    return CL_INVALID_VALUE;
  *flags = (asked & ACCESS_FLAGS ? asked & ACCESS_FLAGS : access) |
           (asked & HOST_ACCESS_FLAGS ? asked & HOST_ACCESS_FLAGS : host) | (whole->flags & HOST_FLAGS);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem whole, cl_mem_flags asked, cl_buffer_create_type type,
                                                  const void *info, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  const cl_buffer_region *region = info;
  ICD_LOCKED;
  cl_mem_flags flags = 0;
  *status = CL_INVALID_VALUE;
  if (!icd_is(whole, ICD_MEMORY) || whole->parent || whole->type != CL_MEM_OBJECT_BUFFER) {
    *status = CL_INVALID_MEM_OBJECT;
    return NULL;
  }
  if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || icd_part_flags(whole, asked, &flags) != CL_SUCCESS ||
      region->origin > whole->size || region->size > whole->size - region->origin)
    return NULL;
  *status = !region->size                   ? CL_INVALID_BUFFER_SIZE
            : region->origin % ORIGIN_ALIGN ? CL_MISALIGNED_SUB_BUFFER_OFFSET
                                            : CL_SUCCESS;
  cl_mem made = icd_create(ICD_MEMORY, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(whole->context);
  made->parent = icd_ref(whole);
  made->type = CL_MEM_OBJECT_BUFFER;
  made->flags = flags;
  made->origin = region->origin;
  made->size = region->size;
  made->host = whole->host ? (uint8_t *)whole->host + region->origin : NULL;
  return made;
}

ICD_COUNTED(MemObject, cl_mem, ICD_MEMORY, CL_INVALID_MEM_OBJECT)

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void *value,
                                                   size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(memory, ICD_MEMORY))
    return CL_INVALID_MEM_OBJECT;
  switch (name) {
  case CL_MEM_TYPE:
    ICD_ANSWER(cl_mem_object_type, memory->type);
  case CL_MEM_FLAGS:
    ICD_ANSWER(cl_mem_flags, memory->flags);
  case CL_MEM_SIZE:
    ICD_ANSWER(size_t, memory->size);
  case CL_MEM_HOST_PTR:
    ICD_ANSWER(void *, memory->host);
  case CL_MEM_MAP_COUNT:
    ICD_ANSWER(cl_uint, memory->mapped);
  case CL_MEM_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, memory->object.references);
  case CL_MEM_CONTEXT:
    ICD_ANSWER(cl_context, memory->context);
  case CL_MEM_ASSOCIATED_MEMOBJECT:
    ICD_ANSWER(cl_mem, memory->parent);
  case CL_MEM_OFFSET:
    ICD_ANSWER(size_t, memory->origin);
  case CL_MEM_USES_SVM_POINTER:
    ICD_ANSWER(cl_bool, root_of(memory)->in_svm);
  case CL_MEM_PROPERTIES:
    return icd_answer_properties(query, &memory->properties);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory, void(CL_CALLBACK *call)(cl_mem, void *),
                                                                 void *self) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(memory, ICD_MEMORY))
    status = CL_INVALID_MEM_OBJECT;
  else if (!call)
    status = CL_INVALID_VALUE;
  else if (!icd_add_callback(&memory->destroyed, (void (*)(void))call, self, 0))
    status = CL_OUT_OF_HOST_MEMORY;
  return status;
}

/* ---- pipes, which are on the first device of their context ------------------------------------------------- */

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_bytes,
                                             cl_uint packets, const cl_pipe_properties *list, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  *status = !icd_is(context, ICD_CONTEXT)                                                ? CL_INVALID_CONTEXT
            : flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS) || list ? CL_INVALID_VALUE
            : !packet_bytes || packet_bytes > 1 << 20 || !packets                        ? CL_INVALID_PIPE_SIZE
                                                                                         : CL_SUCCESS;
  cl_mem made = icd_create(ICD_MEMORY, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->type = CL_MEM_OBJECT_PIPE;
  made->flags = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
  made->size = (size_t)packet_bytes * packets;
  made->packet_bytes = packet_bytes;
  made->packets = packets;
  made->newest = -1;
  if (ww_pipe_new(context->device[0]->device, NULL, packet_bytes, packets, &made->pipe, NULL) == WW_OK)
    return made;
  icd_give_up(made);
  *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void *value,
                                              size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(pipe, ICD_MEMORY) || pipe->type != CL_MEM_OBJECT_PIPE)
    return CL_INVALID_MEM_OBJECT;
  switch (name) {
  case CL_PIPE_PACKET_SIZE:
    ICD_ANSWER(cl_uint, pipe->packet_bytes);
  case CL_PIPE_MAX_PACKETS:
    ICD_ANSWER(cl_uint, pipe->packets);
  case CL_PIPE_PROPERTIES:
    ICD_ANSWER_NOTHING;
  default:
    return CL_INVALID_VALUE;
  }
}
