/* Programs, from source, SPIR-V or binaries. One build serves all devices. */
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"
#include "bindings/icd/sizes.h"

void icd_destroy_program(cl_program program) {
  free(program->source);
  free(program->il);
  free(program->binary);
  free(program->options);
  free(program->log);
  free(program->constants);
  for (size_t i = 0; i < program->unit_count; i++)
    free(program->units[i].data);
  free(program->units);
  ww_program_unref(program->program);
  icd_unref(program->context);
}

bool icd_add(void *self, const void *data, size_t size) {
  struct icd_text *text = self;
  char *more = realloc(text->text, text->length + size + 1);
  if (!more)
    return false;
  text->text = more;
  memcpy(text->text + text->length, data, size);
  text->text[text->length += size] = '\0';
  return true;
}

void icd_add_line(struct icd_text *text, const char *line) {
  icd_add(text, line, strlen(line));
  icd_add(text, "\n", 1);
}

/* ---- creating programs ---------------------------------------------------------------------------------- */

cl_program icd_new_program(cl_context context, cl_int *status) {
  *status = icd_is(context, ICD_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
  cl_program made = icd_create(ICD_PROGRAM, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->status = CL_BUILD_NONE;
  return made;
}

/* NULL: out of memory. */
static char *join(cl_uint count, const char **strings, const size_t *lengths) {
  size_t size = 1;
  bool good = true;
  for (cl_uint i = 0; good && i < count; i++)
    good = icd_plus(size, lengths && lengths[i] ? lengths[i] : strlen(strings[i]), &size);
  char *text = good ? malloc(size) : NULL;
  if (!text)
    return NULL;
  text[size = 0] = '\0';
  for (cl_uint i = 0; i < count; i++) {
    const size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    memcpy(text + size, strings[i], length);
    text[size += length] = '\0';
  }
  return text;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                                              const size_t *lengths, cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  bool good = count && strings;
  for (cl_uint i = 0; good && i < count; i++)
    good = strings[i];
  cl_program made = icd_new_program(context, status);
  if (!made)
    return NULL;
  if (good && (made->source = join(count, strings, lengths)))
    return made;
  icd_give_up(made);
  *status = good ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_VALUE;
  return NULL;
}

static bool copy(void **to, size_t *size, const void *from, size_t bytes) {
  *to = malloc(bytes);
  if (!*to)
    return false;
  memcpy(*to, from, bytes);
  *size = bytes;
  return true;
}

static bool is_spirv(const void *il, size_t size) {
  uint32_t word = 0;
  if (il && size >= sizeof word)
    memcpy(&word, il, sizeof word);
  return word == 0x07230203 || word == 0x03022307;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t size,
                                                          cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  cl_program made = icd_new_program(context, status);
  if (made && !is_spirv(il, size))
    *status = CL_INVALID_VALUE;
  else if (made && !copy(&made->il, &made->il_size, il, size))
    *status = CL_OUT_OF_HOST_MEMORY;
  if (!made || *status == CL_SUCCESS)
    return made;
  icd_give_up(made);
  return NULL;
}

/* Stores the value until the program is built or compiled. Setting a constant again replaces its value. */
CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                                                   const void *value) {
  ICD_LOCKED;
  if (!icd_is(program, ICD_PROGRAM) || !program->il)
    return CL_INVALID_PROGRAM;
  const size_t bytes = ww_constant_bytes((ww_bytes){program->il, program->il_size, NULL}, id);
  if (!bytes)
    return CL_INVALID_SPEC_ID;
  if (size != bytes || !value)
    return CL_INVALID_VALUE;
  size_t i = 0;
  while (i < program->constant_count && program->constants[i].id != id)
    i++;
  struct icd_constant *more = realloc(program->constants, (program->constant_count + 1) * sizeof *more);
  if (!more)
    return CL_OUT_OF_HOST_MEMORY;
  program->constants = more;
  program->constant_count += i == program->constant_count;
  more[i] = (struct icd_constant){id, size, {0}};
  memcpy(more[i].value, value, size);
  return CL_SUCCESS;
}

bool icd_give_constants(const struct _cl_program *program, ww_build *build) {
  ww_constant *constants = calloc(program->constant_count + 1, sizeof *constants);
  for (size_t i = 0; constants && i < program->constant_count; i++)
    constants[i] = (ww_constant){program->constants[i].id, program->constants[i].value, program->constants[i].size};
  build->constants = constants;
  build->constant_count = program->constant_count;
  return constants;
}

cl_int icd_check_devices(cl_context context, cl_uint count, const cl_device_id *devices) {
  if (!devices != !count)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++)
    if (!icd_is(devices[i], ICD_DEVICE) || !icd_context_has(context, devices[i]))
      return CL_INVALID_DEVICE;
  return CL_SUCCESS;
}

/* Our binaries: the magic; E, C or L for executable, compiled unit or library; the build options, ended by a zero byte;
 * then for E the SPIR-V or, without SPIR-V, an object file, and for C and L the units, each after its size in eight
 * bytes. */
static const char binary_magic[8] = {'W', 'W', 'O', 'P', 'E', 'N', 'C', 'L'};

static const struct {
  char letter;
  cl_program_binary_type type;
} types[] = {{'E', CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
             {'C', CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT},
             {'L', CL_PROGRAM_BINARY_TYPE_LIBRARY}};

bool icd_add_unit(cl_program program, const void *data, size_t size) {
  struct icd_unit *more = realloc(program->units, (program->unit_count + 1) * sizeof *more);
  if (!more)
    return false;
  program->units = more;
  if (!copy(&more[program->unit_count].data, &more[program->unit_count].size, data, size))
    return false;
  program->unit_count++;
  return true;
}

static cl_int read_units(cl_program program, const unsigned char *data, size_t size) {
  uint64_t bytes = 0;
  while (size) {
    if (size < sizeof bytes)
      return CL_INVALID_BINARY;
    memcpy(&bytes, data, sizeof bytes);
    data += sizeof bytes;
    size -= sizeof bytes;
    if (!bytes || bytes > size)
      return CL_INVALID_BINARY;
    if (!icd_add_unit(program, data, bytes))
      return CL_OUT_OF_HOST_MEMORY;
    data += bytes;
    size -= bytes;
  }
  return program->unit_count ? CL_SUCCESS : CL_INVALID_BINARY;
}

static cl_int read_binary(cl_program program, const unsigned char *data, size_t size) {
  const unsigned char *options = data + sizeof binary_magic + 1,
                      *end = memchr(options, 0, (size_t)(data + size - options));
  const unsigned char *bytes = end ? end + 1 : NULL;
  size_t type = 0;
  while (type < 3 && types[type].letter != options[-1])
    type++;
  if (!bytes || bytes == data + size || type == 3)
    return CL_INVALID_BINARY;
  const size_t left = (size_t)(data + size - bytes);
  program->options = strdup((const char *)options);
  program->type = types[type].type;
  if (program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
    program->status = CL_BUILD_SUCCESS;
    return read_units(program, bytes, left);
  }
  return program->options && copy(&program->binary, &program->binary_size, bytes, left) ? CL_SUCCESS
                                                                                        : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *each,
                                                              cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  cl_program made = icd_new_program(context, status);
  if (!made)
    return NULL;
  *status = !count || !devices || !lengths || !binaries ? CL_INVALID_VALUE : icd_check_devices(context, count, devices);
  for (cl_uint i = 0; *status == CL_SUCCESS && i < count; i++) {
    const bool there = binaries[i] && lengths[i] && lengths[i] <= ICD_MOST_HOST;
    const bool ours =
        there && lengths[i] > sizeof binary_magic + 1 && memcmp(binaries[i], binary_magic, sizeof binary_magic) == 0;
    *status = !there ? CL_INVALID_VALUE : !ours ? CL_INVALID_BINARY : CL_SUCCESS;
    if (each)
      each[i] = *status;
  }
  if (*status == CL_SUCCESS)
    *status = read_binary(made, binaries[0], lengths[0]);
  if (*status == CL_SUCCESS)
    return made;
  icd_give_up(made);
  return NULL;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                                      const cl_device_id *devices, const char *names,
                                                                      cl_int *error) {
  ICD_LOCKED;
  const cl_int status = icd_is(context, ICD_CONTEXT) ? icd_check_devices(context, count, devices) : CL_INVALID_CONTEXT;
  (void)names; /* there are none */
  if (error)
    *error = status == CL_SUCCESS ? CL_INVALID_VALUE : status;
  return NULL;
}

ICD_COUNTED(Program, cl_program, ICD_PROGRAM, CL_INVALID_PROGRAM)

/* ---- building ------------------------------------------------------------------------------------------- */

/* Adds to the log why kernels could not be translated. */
static void log_refused(struct icd_text *log, const ww_program *program) {
  for (size_t i = 0; i < ww_program_kernel_count(program); i++) {
    const ww_kernel *kernel = ww_program_kernel_at(program, i);
    if (kernel->refused)
      icd_add_line(log, kernel->refused);
  }
}

ww_bytes icd_source(const struct _cl_program *program) {
  if (program->source)
    return ww_text(program->source);
  return program->il ? (ww_bytes){program->il, program->il_size, NULL}
                     : (ww_bytes){program->binary, program->binary_size, NULL};
}

/* The library returns WW_BAD_INPUT for these; only the message distinguishes them. */
static bool is_empty(const ww_error *error) { return strstr(error->text, ": has no kernel"); }

static bool is_of_options(const ww_error *error) {
  return strncmp(error->text, "build option '", 14) == 0 || strncmp(error->text, "invalid value '", 15) == 0;
}

cl_int icd_end_build(cl_program program, ww_status status, const ww_error *error, struct icd_text *log,
                     const char *options, cl_int failure) {
  if (status != WW_OK && (!log->text || !strstr(log->text, error->text)))
    icd_add_line(log, error->text);
  free(program->log);
  program->log = log->text;
  if (!program->binary) { /* a binary contains its options */
    free(program->options);
    program->options = strdup(options ? options : "");
  }
  program->status = status == WW_OK ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  if (status == WW_OK)
    return CL_SUCCESS;
  program->type = CL_PROGRAM_BINARY_TYPE_NONE;
  icd_notify(program->context, error->text);
  if (status == WW_NO_MEMORY)
    return CL_OUT_OF_HOST_MEMORY;
  if (!is_of_options(error))
    return failure;
  return failure == CL_COMPILE_PROGRAM_FAILURE ? CL_INVALID_COMPILER_OPTIONS
         : failure == CL_LINK_PROGRAM_FAILURE  ? CL_INVALID_LINKER_OPTIONS
                                               : CL_INVALID_BUILD_OPTIONS;
}

/* A program without kernels builds successfully, although the library refuses it. */
static cl_int build(cl_program program, const char *options) {
  struct icd_text log = {NULL, 0};
  ww_error error;
  ww_build how = {.size = sizeof how,
                  .options = program->source ? options : NULL,
                  .log = {icd_add, &log},
                  .checked = icd_settings()->check};
  ww_program *made = NULL;
  if (!icd_give_constants(program, &how))
    return CL_OUT_OF_HOST_MEMORY;
  ww_status status = ww_program_build(icd_context, icd_source(program), &how, &made, &error);
  free((void *)(uintptr_t)how.constants);
  if (status == WW_OK)
    log_refused(&log, made);
  else if (is_empty(&error))
    status = WW_OK;
  ww_program_unref(program->program);
  program->program = made;
  program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return icd_end_build(program, status, &error, &log, options, CL_BUILD_PROGRAM_FAILURE);
}

static cl_int build_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                            bool call_without) {
  ICD_LOCKED;
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (call_without)
    return CL_INVALID_VALUE;
  const cl_int status = icd_check_devices(program->context, count, devices);
  if (status != CL_SUCCESS)
    return status;
  if (program->kernels || program->unit_count)
    return CL_INVALID_OPERATION;
  return build(program, options);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *options, void(CL_CALLBACK *call)(cl_program, void *),
                                               void *self) {
  const cl_int status = build_program(program, count, devices, options, !call && self);
  if (call && (status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE || status == CL_INVALID_BUILD_OPTIONS))
    call(program, self);
  return status;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static void add_units(struct icd_text *to, const struct _cl_program *program) {
  for (size_t i = 0; i < program->unit_count; i++) {
    const uint64_t size = program->units[i].size;
    icd_add(to, &size, sizeof size);
    icd_add(to, program->units[i].data, program->units[i].size);
  }
}

/* The binary, as clCreateProgramWithBinary() reads it. */
static struct icd_text binary_of(const struct _cl_program *program) {
  struct icd_text binary = {NULL, 0};
  size_t type = 0;
  while (type < 3 && types[type].type != program->type)
    type++;
  if (type == 3)
    return binary;
  icd_add(&binary, binary_magic, sizeof binary_magic);
  icd_add(&binary, &types[type].letter, 1);
  icd_add(&binary, program->options ? program->options : "", program->options ? strlen(program->options) + 1 : 1);
  const ww_sink sink = {icd_add, &binary};
  if (program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    add_units(&binary, program);
  else if (!program->program)
    icd_add(&binary, program->binary, program->binary_size);
  else if (ww_program_write(program->program, WW_PROGRAM_SPIRV, sink, NULL) != WW_OK)
    ww_program_write(program->program, WW_PROGRAM_OBJECT, sink, NULL);
  return binary;
}

static cl_int answer_binary_sizes(cl_program program, struct icd_query query) {
  size_t sizes[ICD_MOST_DEVICES];
  struct icd_text binary = binary_of(program);
  for (cl_uint i = 0; i < program->context->devices; i++)
    sizes[i] = binary.length;
  free(binary.text);
  return icd_answer(query, sizes, program->context->devices * sizeof *sizes);
}

static cl_int answer_binaries(cl_program program, struct icd_query query) {
  unsigned char **to = query.value;
  const size_t bytes = program->context->devices * sizeof *to;
  if (to && query.size < bytes)
    return CL_INVALID_VALUE;
  struct icd_text binary = binary_of(program);
  for (cl_uint i = 0; to && i < program->context->devices; i++)
    if (to[i] && binary.length)
      memcpy(to[i], binary.text, binary.length);
  free(binary.text);
  if (query.needed)
    *query.needed = bytes;
  return CL_SUCCESS;
}

static size_t count_kernels(const struct _cl_program *program) {
  size_t count = 0;
  for (size_t i = 0; i < ww_program_kernel_count(program->program); i++)
    count += !ww_program_kernel_at(program->program, i)->refused;
  return count;
}

static cl_int answer_names(cl_program program, struct icd_query query) {
  struct icd_text names = {NULL, 0};
  for (size_t i = 0; i < ww_program_kernel_count(program->program); i++) {
    const ww_kernel *kernel = ww_program_kernel_at(program->program, i);
    if (kernel->refused)
      continue;
    if (names.length)
      icd_add(&names, ";", 1);
    icd_add(&names, kernel->name, strlen(kernel->name));
  }
  const cl_int status = icd_answer(query, names.text ? names.text : "", names.length + 1);
  free(names.text);
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                                                 size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  const bool built = program->status == CL_BUILD_SUCCESS && program->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  switch (name) {
  case CL_PROGRAM_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, program->object.references);
  case CL_PROGRAM_CONTEXT:
    ICD_ANSWER(cl_context, program->context);
  case CL_PROGRAM_NUM_DEVICES:
    ICD_ANSWER(cl_uint, program->context->devices);
  case CL_PROGRAM_DEVICES:
    return icd_answer(query, program->context->device, program->context->devices * sizeof(cl_device_id));
  case CL_PROGRAM_SOURCE:
    ICD_ANSWER_TEXT(program->source ? program->source : "");
  case CL_PROGRAM_IL:
    return icd_answer(query, program->il, program->il_size);
  case CL_PROGRAM_BINARY_SIZES:
    return answer_binary_sizes(program, query);
  case CL_PROGRAM_BINARIES:
    return answer_binaries(program, query);
  case CL_PROGRAM_NUM_KERNELS:
    if (!built)
      return CL_INVALID_PROGRAM_EXECUTABLE;
    ICD_ANSWER(size_t, count_kernels(program));
  case CL_PROGRAM_KERNEL_NAMES:
    return built ? answer_names(program, query) : CL_INVALID_PROGRAM_EXECUTABLE;
  case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
  case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
    ICD_ANSWER(cl_bool, CL_FALSE);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t size, void *value,
                                                      size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (!icd_is(device, ICD_DEVICE) || !icd_context_has(program->context, device))
    return CL_INVALID_DEVICE;
  switch (name) {
  case CL_PROGRAM_BUILD_STATUS:
    ICD_ANSWER(cl_build_status, program->status);
  case CL_PROGRAM_BUILD_OPTIONS:
    ICD_ANSWER_TEXT(program->options ? program->options : "");
  case CL_PROGRAM_BUILD_LOG:
    ICD_ANSWER_TEXT(program->log ? program->log : "");
  case CL_PROGRAM_BINARY_TYPE:
    ICD_ANSWER(cl_program_binary_type, program->type);
  case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
    ICD_ANSWER(size_t, ww_program_variable_bytes(program->program));
  default:
    return CL_INVALID_VALUE;
  }
}
