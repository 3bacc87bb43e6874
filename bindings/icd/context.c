/* Contexts and queues. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

/* ---- contexts ------------------------------------------------------------------------------------------- */

bool icd_context_has(cl_context context, cl_device_id device) {
  for (cl_uint i = 0; i < context->devices; i++)
    if (context->device[i] == device)
      return true;
  return false;
}

int icd_index_of(cl_context context, cl_device_id device) {
  int i = 0;
  while (context->device[i] != device)
    i++;
  return i;
}

struct notice {
  void(CL_CALLBACK *call)(const char *, const void *, size_t, void *);
  void *self;
  char text[];
};

static void call_notice(void *self) {
  struct notice *notice = self;
  notice->call(notice->text, NULL, 0, notice->self);
  free(notice);
}

void icd_notify(cl_context context, const char *text) {
  struct notice *notice = context->notify ? malloc(sizeof *notice + strlen(text) + 1) : NULL;
  if (!notice)
    return;
  notice->call = context->notify;
  notice->self = context->notify_self;
  memcpy(notice->text, text, strlen(text) + 1);
  icd_call_later(call_notice, notice);
}

void icd_destroy_context(cl_context context) {
  icd_call_destroyed(context->destroyed, context);
  for (cl_uint i = 0; i < context->devices; i++)
    icd_unref(context->device[i]);
  free(context->properties.list);
}

static cl_int check_properties(const cl_context_properties *list) {
  bool platform = false, sync = false;
  for (; list && *list; list += 2) {
    if (*list == CL_CONTEXT_PLATFORM && !platform) {
      platform = true;
      if ((cl_platform_id)list[1] != &icd_platform)
        return CL_INVALID_PLATFORM;
    } else if (*list == CL_CONTEXT_INTEROP_USER_SYNC && !sync && (list[1] == CL_TRUE || list[1] == CL_FALSE)) {
      sync = true;
    } else {
      return CL_INVALID_PROPERTY;
    }
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *properties, cl_uint num_devices, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *self, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  *status = check_properties(properties);
  if (*status == CL_SUCCESS && (!devices || !num_devices || num_devices > ICD_MOST_DEVICES || (self && !notify)))
    *status = CL_INVALID_VALUE;
  for (cl_uint i = 0; *status == CL_SUCCESS && i < num_devices; i++)
    if (!icd_is(devices[i], ICD_DEVICE))
      *status = CL_INVALID_DEVICE;
  cl_context made = icd_create(ICD_CONTEXT, sizeof *made, status);
  if (!made || !icd_keep_properties(&made->properties, (const cl_ulong *)properties)) {
    icd_give_up(made);
    *status = *status == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : *status;
    return NULL;
  }
  for (cl_uint i = 0; i < num_devices; i++)
    if (!icd_context_has(made, devices[i]))
      made->device[made->devices++] = icd_ref(devices[i]);
  made->notify = notify;
  made->notify_self = self;
  return made;
}

CL_API_ENTRY cl_context CL_API_CALL clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type type,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *self, cl_int *error) {
  cl_device_id devices[ICD_MOST_DEVICES];
  cl_uint count = 0;
  cl_int status = check_properties(properties);
  if (status == CL_SUCCESS)
    status = clGetDeviceIDs(&icd_platform, type, ICD_MOST_DEVICES, devices, &count);
  if (status == CL_SUCCESS)
    return clCreateContext(properties, count, devices, notify, self, error);
  if (error)
    *error = status;
  return NULL;
}

ICD_COUNTED(Context, cl_context, ICD_CONTEXT, CL_INVALID_CONTEXT)

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size, void *value,
                                                 size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(context, ICD_CONTEXT))
    return CL_INVALID_CONTEXT;
  switch (name) {
  case CL_CONTEXT_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, context->object.references);
  case CL_CONTEXT_NUM_DEVICES:
    ICD_ANSWER(cl_uint, context->devices);
  case CL_CONTEXT_DEVICES:
    return icd_answer(query, context->device, context->devices * sizeof *context->device);
  case CL_CONTEXT_PROPERTIES:
    return icd_answer_properties(query, &context->properties);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                               void(CL_CALLBACK *call)(cl_context, void *),
                                                               void *self) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(context, ICD_CONTEXT))
    status = CL_INVALID_CONTEXT;
  else if (!call)
    status = CL_INVALID_VALUE;
  else if (!icd_add_callback(&context->destroyed, (void (*)(void))call, self, 0))
    status = CL_OUT_OF_HOST_MEMORY;
  return status;
}

/* ---- queues --------------------------------------------------------------------------------------------- */

#define HOST_FLAGS ((cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))
#define ANY_FLAGS (HOST_FLAGS | (cl_command_queue_properties)(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT))

void icd_destroy_queue(cl_command_queue queue) {
  icd_unref(queue->last);
  icd_unref(queue->barrier);
  icd_unref(queue->device);
  icd_unref(queue->context);
  free(queue->properties.list);
}

static cl_int read_flags(const cl_queue_properties *list, cl_command_queue_properties *flags) {
  for (; list && *list; list += 2) {
    if (*list == CL_QUEUE_SIZE)
      return list[1] ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE;
    if (*list != CL_QUEUE_PROPERTIES || list[1] & ~ANY_FLAGS)
      return CL_INVALID_VALUE;
    *flags = list[1];
  }
  return *flags & ~HOST_FLAGS ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                             const cl_queue_properties *list,
                                                                             cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  cl_command_queue_properties flags = 0;
  *status = CL_SUCCESS;
  if (!icd_is(context, ICD_CONTEXT))
    *status = CL_INVALID_CONTEXT;
  else if (!icd_is(device, ICD_DEVICE) || !icd_context_has(context, device))
    *status = CL_INVALID_DEVICE;
  else
    *status = read_flags(list, &flags);
  static cl_uint queues;
  cl_command_queue made = icd_create(ICD_QUEUE, sizeof *made, status);
  if (!made || !icd_keep_properties(&made->properties, list)) {
    icd_give_up(made);
    *status = *status == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : *status;
    return NULL;
  }
  made->context = icd_ref(context);
  made->device = icd_ref(device);
  made->flags = flags;
  made->number = ++queues;
  return made;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue_properties flags, cl_int *error) {
  const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
  cl_int status = CL_SUCCESS;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &status);
  if (made) { /* the program gave no list */
    free(made->properties.list);
    made->properties = (struct icd_properties){NULL, 0};
  }
  if (error)
    *error = status;
  return made;
}

ICD_COUNTED(CommandQueue, cl_command_queue, ICD_QUEUE, CL_INVALID_COMMAND_QUEUE)

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size,
                                                      void *value, size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  switch (name) {
  case CL_QUEUE_CONTEXT:
    ICD_ANSWER(cl_context, queue->context);
  case CL_QUEUE_DEVICE:
    ICD_ANSWER(cl_device_id, queue->device);
  case CL_QUEUE_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, queue->object.references);
  case CL_QUEUE_PROPERTIES:
    ICD_ANSWER(cl_command_queue_properties, queue->flags);
  case CL_QUEUE_PROPERTIES_ARRAY:
    return icd_answer_properties(query, &queue->properties);
  case CL_QUEUE_SIZE:
    return CL_INVALID_COMMAND_QUEUE; /* only device-side queues have a size */
  case CL_QUEUE_DEVICE_DEFAULT:
    ICD_ANSWER(cl_command_queue, NULL);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags,
                                                          cl_bool enable, cl_command_queue_properties *before) {
  cl_int status = CL_SUCCESS;
  ICD_LOCKED;
  if (!icd_is(queue, ICD_QUEUE))
    status = CL_INVALID_COMMAND_QUEUE;
  else if (flags & ~HOST_FLAGS)
    status = CL_INVALID_VALUE;
  else {
    if (before)
      *before = queue->flags;
    queue->flags = enable ? queue->flags | flags : queue->flags & ~flags;
  }
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue queue) {
  (void)context, (void)device, (void)queue;
  return CL_INVALID_OPERATION; /* device-side queues are not supported */
}
