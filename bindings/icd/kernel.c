/* Kernels, their arguments, and enqueueing them. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"
#include "bindings/icd/sizes.h"

/* ---- arguments ------------------------------------------------------------------------------------------ */

/* As the specification requires, a kernel does not keep its memory objects alive; a launch does. */
static void unset(struct icd_argument *argument) {
  free(argument->value);
  *argument = (struct icd_argument){0};
}

void icd_unset_arguments(struct icd_argument *arguments, size_t count) {
  for (size_t i = 0; arguments && i < count; i++)
    unset(&arguments[i]);
  free(arguments);
}

void icd_destroy_kernel(cl_kernel kernel) {
  if (kernel->kernel)
    icd_unset_arguments(kernel->arguments, kernel->kernel->argument_count);
  if (kernel->program)
    kernel->program->kernels--;
  ww_program_unref(kernel->built);
  icd_unref(kernel->program);
}

/* Copies the arguments; NULL: out of memory. */
static struct icd_argument *copy_arguments(const struct _cl_kernel *kernel) {
  const size_t count = kernel->kernel->argument_count;
  struct icd_argument *made = calloc(count + 1, sizeof *made);
  for (size_t i = 0; made && i < count; i++) {
    const struct icd_argument *from = &kernel->arguments[i];
    made[i] = *from;
    made[i].value = from->value ? malloc(from->size) : NULL;
    if (made[i].value) {
      memcpy(made[i].value, from->value, from->size);
    } else if (from->value) {
      icd_unset_arguments(made, count);
      made = NULL;
    }
  }
  return made;
}

/* ---- creating kernels ----------------------------------------------------------------------------------- */

static cl_kernel new_kernel(cl_program program, const ww_kernel *of) {
  cl_kernel made = icd_new(ICD_KERNEL, sizeof *made);
  if (!made)
    return NULL;
  made->program = icd_ref(program);
  made->program->kernels++;
  made->built = ww_program_ref(program->program);
  made->kernel = of;
  made->arguments = calloc(of->argument_count + 1, sizeof *made->arguments);
  if (made->arguments)
    return made;
  icd_give_up(made);
  return NULL;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  const ww_kernel *found = NULL;
  *status = !icd_is(program, ICD_PROGRAM) ? CL_INVALID_PROGRAM
            : program->status != CL_BUILD_SUCCESS || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                ? CL_INVALID_PROGRAM_EXECUTABLE
            : !name ? CL_INVALID_VALUE
                    : CL_SUCCESS;
  if (*status == CL_SUCCESS && ww_program_kernel(program->program, name, &found, NULL) != WW_OK)
    *status = CL_INVALID_KERNEL_NAME;
  cl_kernel made = *status == CL_SUCCESS ? new_kernel(program, found) : NULL;
  if (*status == CL_SUCCESS && !made)
    *status = CL_OUT_OF_HOST_MEMORY;
  return made;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel *kernels,
                                                         cl_uint *made) {
  ICD_LOCKED;
  cl_uint count = 0;
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (program->status != CL_BUILD_SUCCESS || program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  const size_t all = ww_program_kernel_count(program->program);
  for (size_t i = 0; i < all; i++)
    count += !ww_program_kernel_at(program->program, i)->refused;
  if (kernels && room < count)
    return CL_INVALID_VALUE;
  for (size_t i = 0, to = 0; kernels && i < all; i++) {
    const ww_kernel *kernel = ww_program_kernel_at(program->program, i);
    if (kernel->refused)
      continue;
    kernels[to] = new_kernel(program, kernel);
    if (kernels[to++])
      continue;
    while (--to)
      icd_give_up(kernels[to - 1]);
    return CL_OUT_OF_HOST_MEMORY;
  }
  if (made)
    *made = count;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  *status = icd_is(source, ICD_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL;
  cl_kernel made = *status == CL_SUCCESS ? new_kernel(source->program, source->kernel) : NULL;
  struct icd_argument *arguments = made ? copy_arguments(source) : NULL;
  if (arguments) {
    free(made->arguments);
    made->arguments = arguments;
  } else if (*status == CL_SUCCESS) {
    icd_give_up(made);
    made = NULL;
    *status = CL_OUT_OF_HOST_MEMORY;
  }
  return made;
}

ICD_COUNTED(Kernel, cl_kernel, ICD_KERNEL, CL_INVALID_KERNEL)

/* ---- setting arguments ---------------------------------------------------------------------------------- */

static cl_int set_memory(struct icd_argument *to, cl_context context, cl_mem_object_type type, size_t size,
                         const void *value) {
  cl_mem memory = NULL;
  if (size != sizeof memory)
    return CL_INVALID_ARG_SIZE;
  if (value)
    memcpy(&memory, value, sizeof memory);
  if (memory && (!icd_is(memory, ICD_MEMORY) || memory->type != type))
    return CL_INVALID_MEM_OBJECT;
  if (memory && memory->context != context)
    return CL_INVALID_MEM_OBJECT;
  if (!memory && type == CL_MEM_OBJECT_PIPE)
    return CL_INVALID_ARG_VALUE;
  unset(to);
  to->memory = memory;
  return CL_SUCCESS;
}

/* The image must be of the kind that the argument takes, and allow its accesses. */
static cl_int set_image(struct icd_argument *to, cl_context context, const ww_argument *wanted, size_t size,
                        const void *value) {
  cl_mem memory = NULL;
  if (size != sizeof memory)
    return CL_INVALID_ARG_SIZE;
  if (value)
    memcpy(&memory, value, sizeof memory);
  if (!icd_is(memory, ICD_MEMORY) || !memory->image || memory->context != context)
    return CL_INVALID_MEM_OBJECT;
  const bool reads = !wanted->access || strcmp(wanted->access, "write_only") != 0;
  const bool writes = wanted->access && strcmp(wanted->access, "read_only") != 0;
  if (strcmp(memory->image->shape.kind, wanted->image) != 0 || (reads && memory->flags & CL_MEM_WRITE_ONLY) ||
      (writes && memory->flags & CL_MEM_READ_ONLY))
    return CL_INVALID_ARG_VALUE;
  unset(to);
  to->memory = memory;
  return CL_SUCCESS;
}

/* Copies the sampler's properties; the object itself is not kept. */
static cl_int set_sampler(struct icd_argument *to, cl_context context, size_t size, const void *value) {
  cl_sampler sampler = NULL;
  if (value && size == sizeof sampler)
    memcpy(&sampler, value, sizeof sampler);
  if (!icd_is(sampler, ICD_SAMPLER) || sampler->context != context)
    return size == sizeof sampler ? CL_INVALID_SAMPLER : CL_INVALID_ARG_SIZE;
  unset(to);
  icd_sampler_words(sampler, to->sampler);
  return CL_SUCCESS;
}

static cl_int set_value(struct icd_argument *to, size_t wanted, size_t size, const void *value) {
  if (!value)
    return CL_INVALID_ARG_VALUE;
  if (size != wanted)
    return CL_INVALID_ARG_SIZE;
  void *copy = malloc(size);
  if (!copy)
    return CL_OUT_OF_HOST_MEMORY;
  memcpy(copy, value, size);
  unset(to);
  to->value = copy;
  to->size = size;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const ww_argument *argument = ww_kernel_argument(kernel->kernel, index);
  if (!argument)
    return CL_INVALID_ARG_INDEX;
  struct icd_argument *to = &kernel->arguments[index];
  cl_int status = CL_SUCCESS;
  switch (argument->kind) {
  case WW_ARGUMENT_BUFFER:
    status = set_memory(to, kernel->program->context, CL_MEM_OBJECT_BUFFER, size, value);
    break;
  case WW_ARGUMENT_PIPE:
    status = set_memory(to, kernel->program->context, CL_MEM_OBJECT_PIPE, size, value);
    break;
  case WW_ARGUMENT_VALUE:
    status = set_value(to, argument->bytes, size, value);
    break;
  case WW_ARGUMENT_LOCAL:
    if (value || !size)
      return value ? CL_INVALID_ARG_VALUE : CL_INVALID_ARG_SIZE;
    unset(to);
    to->size = size;
    break;
  case WW_ARGUMENT_IMAGE:
    status = set_image(to, kernel->program->context, argument, size, value);
    break;
  case WW_ARGUMENT_SAMPLER:
    status = set_sampler(to, kernel->program->context, size, value);
    break;
  }
  if (status != CL_SUCCESS)
    return status;
  to->kind = argument->kind;
  to->set = true;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *pointer) {
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const ww_argument *argument = ww_kernel_argument(kernel->kernel, index);
  if (!argument)
    return CL_INVALID_ARG_INDEX;
  if (argument->kind != WW_ARGUMENT_BUFFER || (pointer && !icd_find_svm(kernel->program->context, pointer, 1)))
    return CL_INVALID_ARG_VALUE;
  unset(&kernel->arguments[index]);
  kernel->arguments[index] = (struct icd_argument){.set = true, .kind = WW_ARGUMENT_BUFFER, .pointer = pointer};
  return CL_SUCCESS;
}

/* Only checks the arguments: kernels can always access all shared virtual memory of their context. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                                    const void *value) {
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS) /* an empty list is valid: it clears the list */
    return !value != !size || size % sizeof(void *) ? CL_INVALID_VALUE : CL_SUCCESS;
  if (!value)
    return CL_INVALID_VALUE;
  if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || size != sizeof(cl_bool))
    return CL_INVALID_VALUE;
  return *(const cl_bool *)value ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                                                size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  switch (name) {
  case CL_KERNEL_FUNCTION_NAME:
    ICD_ANSWER_TEXT(kernel->kernel->name);
  case CL_KERNEL_NUM_ARGS:
    ICD_ANSWER(cl_uint, (cl_uint)kernel->kernel->argument_count);
  case CL_KERNEL_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, kernel->object.references);
  case CL_KERNEL_CONTEXT:
    ICD_ANSWER(cl_context, kernel->program->context);
  case CL_KERNEL_PROGRAM:
    ICD_ANSWER(cl_program, kernel->program);
  case CL_KERNEL_ATTRIBUTES:
    ICD_ANSWER_TEXT(kernel->kernel->attributes);
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_kernel_arg_type_qualifier qualifiers_of(const ww_argument *argument) {
  static const struct {
    const char *word;
    cl_kernel_arg_type_qualifier bit;
  } rows[] = {{"const", CL_KERNEL_ARG_TYPE_CONST},
              {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
              {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
              {"pipe", CL_KERNEL_ARG_TYPE_PIPE}};
  const char *words = argument->source_qualifiers ? argument->source_qualifiers : "";
  cl_kernel_arg_type_qualifier all = CL_KERNEL_ARG_TYPE_NONE;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    all |= strstr(words, rows[i].word) ? rows[i].bit : 0;
  return all;
}

static cl_kernel_arg_access_qualifier access_of(const ww_argument *argument) {
  return !argument->access                             ? CL_KERNEL_ARG_ACCESS_NONE
         : strcmp(argument->access, "read_only") == 0  ? CL_KERNEL_ARG_ACCESS_READ_ONLY
         : strcmp(argument->access, "write_only") == 0 ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                                                       : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

static cl_int answer_argument(const ww_argument *argument, cl_kernel_arg_info name, struct icd_query query) {
  static const cl_kernel_arg_address_qualifier places[] = {
      [WW_ARGUMENT_BUFFER] = CL_KERNEL_ARG_ADDRESS_GLOBAL, [WW_ARGUMENT_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
      [WW_ARGUMENT_VALUE] = CL_KERNEL_ARG_ADDRESS_PRIVATE, [WW_ARGUMENT_PIPE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
      [WW_ARGUMENT_IMAGE] = CL_KERNEL_ARG_ADDRESS_GLOBAL,  [WW_ARGUMENT_SAMPLER] = CL_KERNEL_ARG_ADDRESS_PRIVATE};
  switch (name) {
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    ICD_ANSWER(cl_kernel_arg_address_qualifier,
               argument->constant ? CL_KERNEL_ARG_ADDRESS_CONSTANT : places[argument->kind]);
  case CL_KERNEL_ARG_ACCESS_QUALIFIER:
    ICD_ANSWER(cl_kernel_arg_access_qualifier, access_of(argument));
  case CL_KERNEL_ARG_NAME:
    ICD_ANSWER_TEXT(argument->name);
  case CL_KERNEL_ARG_TYPE_NAME:
    ICD_ANSWER_TEXT(argument->source_type);
  case CL_KERNEL_ARG_TYPE_QUALIFIER:
    ICD_ANSWER(cl_kernel_arg_type_qualifier, qualifiers_of(argument));
  default:
    return CL_INVALID_VALUE;
  }
}

/* Available only if the program was built with -cl-kernel-arg-info. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                                   size_t size, void *value, size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const ww_argument *argument = ww_kernel_argument(kernel->kernel, index);
  const char *options = kernel->program->options;
  if (!argument)
    return CL_INVALID_ARG_INDEX;
  if (!argument->source_type || !options || !strstr(options, "-cl-kernel-arg-info"))
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  return answer_argument(argument, name, query);
}

/* If *device is NULL, sets it to the context's only device. */
static cl_int find_device(cl_kernel kernel, cl_device_id *device) {
  const cl_context context = kernel->program->context;
  if (!*device && context->devices == 1)
    *device = context->device[0];
  return icd_is(*device, ICD_DEVICE) && icd_context_has(context, *device) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

/* The largest number if there are more bytes. */
static cl_ulong local_bytes(const struct _cl_kernel *kernel) {
  size_t bytes = kernel->kernel->lds_bytes;
  for (size_t i = 0; i < kernel->kernel->argument_count; i++)
    if (kernel->arguments[i].set && kernel->arguments[i].kind == WW_ARGUMENT_LOCAL &&
        !icd_plus(bytes, kernel->arguments[i].size, &bytes))
      return CL_ULONG_MAX;
  return bytes;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info name, size_t size, void *value,
                                                         size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const cl_int status = find_device(kernel, &device);
  const uint32_t *required = kernel->kernel->required_local;
  if (status != CL_SUCCESS)
    return status;
  switch (name) {
  case CL_KERNEL_WORK_GROUP_SIZE:
    ICD_ANSWER(size_t, icd_most_items(device, kernel->kernel));
  case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
    return icd_answer(query, (size_t[]){required[0], required[1], required[2]}, 3 * sizeof(size_t));
  case CL_KERNEL_LOCAL_MEM_SIZE:
    ICD_ANSWER(cl_ulong, local_bytes(kernel));
  case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    ICD_ANSWER(size_t, device->warp_size);
  case CL_KERNEL_PRIVATE_MEM_SIZE:
    ICD_ANSWER(cl_ulong, kernel->kernel->private_bytes);
  default: /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels only */
    return CL_INVALID_VALUE;
  }
}

/* The number of sub-groups of a work-group; false: `input` is no local size, or none that a number can count. */
static bool count_warps(const void *input, size_t input_size, size_t warp, size_t *count) {
  const size_t *local = input;
  size_t items = 1;
  if (!input || !input_size || input_size % sizeof *local || input_size > 3 * sizeof *local)
    return false;
  for (size_t i = 0; i < input_size / sizeof *local; i++)
    if (!icd_times(items, local[i], &items))
      return false;
  *count = items / warp + (items % warp != 0);
  return true;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info name, size_t input_size,
                                                        const void *input, size_t size, void *value, size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  const cl_int status = find_device(kernel, &device);
  if (status != CL_SUCCESS)
    return status;
  const size_t warp = device->warp_size;
  size_t count = 0;
  switch (name) {
  case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
  case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
    if (!count_warps(input, input_size, warp, &count))
      return CL_INVALID_VALUE;
    ICD_ANSWER(size_t, name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE ? count : warp);
  case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
    if (!input || input_size != sizeof count || !query.value || query.size % sizeof(size_t))
      return CL_INVALID_VALUE;
    memcpy(&count, input, sizeof count);
    count = count <= icd_most_items(device, kernel->kernel) / warp ? count * warp : 0;
    return icd_answer(query, (size_t[]){count, count ? 1 : 0, count ? 1 : 0},
                      query.size < 3 * sizeof(size_t) ? query.size : 3 * sizeof(size_t));
  case CL_KERNEL_MAX_NUM_SUB_GROUPS:
    ICD_ANSWER(size_t, icd_most_items(device, kernel->kernel) / warp);
  case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
    ICD_ANSWER(size_t, 0);
  default:
    return CL_INVALID_VALUE;
  }
}

/* ---- enqueueing ----------------------------------------------------------------------------------------- */

static cl_int check_local(cl_command_queue queue, const struct _cl_kernel *kernel, cl_uint dimensions,
                          const size_t *local) {
  const uint32_t *required = kernel->kernel->required_local;
  size_t items = 1;
  if (!local)
    return CL_SUCCESS;
  for (cl_uint i = dimensions; i < 3; i++)
    if (required[0] && required[i] != 1)
      return CL_INVALID_WORK_GROUP_SIZE;
  for (cl_uint i = 0; i < dimensions; i++) {
    if (local[i] > queue->device->most_items)
      return CL_INVALID_WORK_ITEM_SIZE;
    if (!local[i] || (required[0] && local[i] != required[i]))
      return CL_INVALID_WORK_GROUP_SIZE;
    items *= local[i];
  }
  /* If not even one warp fits, no other size would help: check_resources() says what is missing. */
  const size_t most = icd_most_items(queue->device, kernel->kernel);
  return items <= most || !most ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

/* Whether the argument is set and its memory object still exists. Another object may have reused its address. */
static bool is_there(const struct icd_argument *argument, cl_context context) {
  const cl_mem memory = argument->memory;
  return argument->set && (!memory || (icd_is(memory, ICD_MEMORY) && memory->context == context &&
                                       !memory->pipe == (argument->kind != WW_ARGUMENT_PIPE) &&
                                       !memory->image == (argument->kind != WW_ARGUMENT_IMAGE)));
}

static bool is_uniform(cl_uint dimensions, const size_t *global, const size_t *local) {
  for (cl_uint i = 0; global && local && i < dimensions; i++)
    if (local[i] && global[i] % local[i])
      return false;
  return true;
}

static cl_int check_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                           const size_t *global, const size_t *local) {
  if (!icd_is(queue, ICD_QUEUE))
    return CL_INVALID_COMMAND_QUEUE;
  if (!icd_is(kernel, ICD_KERNEL))
    return CL_INVALID_KERNEL;
  if (kernel->program->context != queue->context)
    return CL_INVALID_CONTEXT;
  for (size_t i = 0; i < kernel->kernel->argument_count; i++)
    if (!is_there(&kernel->arguments[i], queue->context))
      return CL_INVALID_KERNEL_ARGS;
  if (dimensions < 1 || dimensions > 3)
    return CL_INVALID_WORK_DIMENSION;
  for (cl_uint i = 0; global && i < dimensions; i++) {
    if (global[i] > UINT32_MAX)
      return CL_INVALID_GLOBAL_WORK_SIZE;
    if (offset && offset[i] > UINT32_MAX - global[i])
      return CL_INVALID_GLOBAL_OFFSET;
  }
  if (kernel->kernel->uniform_groups && !is_uniform(dimensions, global, local))
    return CL_INVALID_WORK_GROUP_SIZE;
  return check_local(queue, kernel, dimensions, local);
}

static bool has_items(cl_uint dimensions, const size_t *global) {
  for (cl_uint i = 0; global && i < dimensions; i++)
    if (!global[i])
      return false;
  return global;
}

static struct icd_launch *new_launch(cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                                     const size_t *local) {
  struct icd_launch *made = calloc(1, sizeof *made);
  if (!made)
    return NULL;
  made->arguments = copy_arguments(kernel);
  if (!made->arguments) {
    free(made);
    return NULL;
  }
  made->kernel = icd_ref(kernel);
  for (size_t i = 0; i < kernel->kernel->argument_count; i++)
    icd_ref(made->arguments[i].memory);
  made->dimensions = dimensions;
  made->has_local = local;
  if (icd_settings()->check)
    made->caller = icd_find_caller();
  for (cl_uint i = 0; i < dimensions; i++) {
    made->offset[i] = offset ? offset[i] : 0;
    made->global[i] = global ? global[i] : 0; /* no sizes: no work-items */
    made->local[i] = local ? local[i] : 0;
  }
  return made;
}

/* The kernel's reqd_work_group_size, in the form of a local size; NULL: none. */
static const size_t *required_local(cl_kernel kernel, size_t required[3]) {
  if (!icd_is(kernel, ICD_KERNEL) || !kernel->kernel->required_local[0])
    return NULL;
  for (size_t i = 0; i < 3; i++)
    required[i] = kernel->kernel->required_local[i];
  return required;
}

/* Whether the device has what the launch needs. The program learns it now, and the log why not. */
static cl_int check_resources(struct icd_command *command) {
  uint64_t local[3];
  ww_error error;
  const cl_int status = icd_find_local(command->launch, command->event->queue->device, local, &error);
  if (status == CL_SUCCESS)
    return CL_SUCCESS;
  icd_explain(command, error.text);
  icd_log_failure(command, status);
  return status;
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_command_type type, cl_kernel kernel, cl_uint dimensions,
                             const size_t *offset, const size_t *global, const size_t *local, ICD_WAITS) {
  size_t required[3];
  if (!local)
    local = required_local(kernel, required);
  cl_int status = check_launch(queue, kernel, dimensions, offset, global, local);
  if (status != CL_SUCCESS)
    return status;
  const bool some = has_items(dimensions, global);
  struct icd_command *command = icd_command(queue, type, count, waits, some ? icd_run_launch : NULL, &status);
  if (!command)
    return status;
  command->drop = icd_drop_launch;
  command->launch = new_launch(kernel, dimensions, offset, global, local);
  status = !command->launch ? CL_OUT_OF_HOST_MEMORY : some ? check_resources(command) : CL_SUCCESS;
  if (status != CL_SUCCESS) {
    icd_drop(command);
    return status;
  }
  return icd_enqueue(command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                                       const size_t *offset, const size_t *global, const size_t *local,
                                                       ICD_WAITS) {
  ICD_LOCKED;
  return enqueue_kernel(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, dimensions, offset, global, local, count, waits,
                        event);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue queue, cl_kernel kernel,
                                                                     cl_uint dimensions, const size_t *offset,
                                                                     const size_t *global, size_t *suggested) {
  ICD_LOCKED;
  size_t required[3];
  uint64_t local[3] = {0, 0, 0};
  cl_int status = check_launch(queue, kernel, dimensions, offset, global, required_local(kernel, required));
  if (status != CL_SUCCESS)
    return status;
  if (!has_items(dimensions, global))
    return CL_INVALID_GLOBAL_WORK_SIZE;
  if (!suggested)
    return CL_INVALID_VALUE;
  struct icd_launch *launch = new_launch(kernel, dimensions, offset, global, NULL);
  ww_error error = {.text = "out of memory"};
  status = launch ? icd_find_local(launch, queue->device, local, &error) : CL_OUT_OF_HOST_MEMORY;
  icd_free_launch(launch);
  if (status != CL_SUCCESS)
    icd_notify(queue->context, error.text);
  for (cl_uint i = 0; status == CL_SUCCESS && i < dimensions; i++)
    suggested[i] = (size_t)local[i];
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, ICD_WAITS) {
  const size_t one = 1;
  ICD_LOCKED;
  return enqueue_kernel(queue, CL_COMMAND_TASK, kernel, 1, NULL, &one, &one, count, waits, event);
}
