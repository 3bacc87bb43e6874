/* Programs of several translation units: compiled one by one, and linked into executables or libraries. */
#include <stdlib.h>

#include "bindings/icd/icd.h"

/* ---- compiling -------------------------------------------------------------------------------------------- */

static cl_int check_headers(cl_uint count, const cl_program *headers, const char **names) {
  if (!count != !headers || !count != !names)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(headers[i], ICD_PROGRAM))
      return CL_INVALID_PROGRAM;
    if (!headers[i]->source || !names[i])
      return CL_INVALID_VALUE;
  }
  return CL_SUCCESS;
}

static cl_int compile(cl_program program, const char *options, cl_uint count, const cl_program *headers,
                      const char **names) {
  struct icd_text log = {NULL, 0}, unit = {NULL, 0};
  ww_bytes *texts = calloc((size_t)count + 1, sizeof *texts);
  ww_error error;
  if (!texts)
    return CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count; i++)
    texts[i] = (ww_bytes){headers[i]->source, strlen(headers[i]->source), names[i]};
  ww_build how = {.size = sizeof how,
                  .options = program->source ? options : NULL,
                  .log = {icd_add, &log},
                  .headers = texts,
                  .header_count = count};
  if (!icd_give_constants(program, &how)) {
    free(texts);
    return CL_OUT_OF_HOST_MEMORY;
  }
  ww_status status = ww_unit_compile(icd_context, icd_source(program), &how, (ww_sink){icd_add, &unit}, &error);
  free((void *)(uintptr_t)how.constants);
  free(texts);
  while (program->unit_count)
    free(program->units[--program->unit_count].data);
  ww_program_unref(program->program);
  program->program = NULL;
  program->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  if (status == WW_OK && !icd_add_unit(program, unit.text, unit.length))
    status = WW_NO_MEMORY;
  free(unit.text);
  return icd_end_build(program, status, &error, &log, options, CL_COMPILE_PROGRAM_FAILURE);
}

static cl_int compile_program(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                              cl_uint header_count, const cl_program *headers, const char **names, bool call_without) {
  ICD_LOCKED;
  if (!icd_is(program, ICD_PROGRAM))
    return CL_INVALID_PROGRAM;
  if (call_without)
    return CL_INVALID_VALUE;
  cl_int status = icd_check_devices(program->context, count, devices);
  if (status == CL_SUCCESS)
    status = check_headers(header_count, headers, names);
  if (status != CL_SUCCESS)
    return status;
  if (program->kernels || !(program->source || program->il))
    return CL_INVALID_OPERATION;
  return compile(program, options, header_count, headers, names);
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                                 const char *options, cl_uint header_count, const cl_program *headers,
                                                 const char **names, void(CL_CALLBACK *call)(cl_program, void *),
                                                 void *self) {
  const cl_int status = compile_program(program, count, devices, options, header_count, headers, names, !call && self);
  if (call && (status == CL_SUCCESS || status == CL_COMPILE_PROGRAM_FAILURE || status == CL_INVALID_COMPILER_OPTIONS))
    call(program, self);
  return status;
}

/* ---- linking ---------------------------------------------------------------------------------------------- */

/* Accepts the linker's options. The mathematical ones have no effect on units that are already compiled. */
static cl_int read_options(const char *options, bool *library) {
  static const char *const known[] = {
      "-enable-link-options", "-cl-denorms-are-zero",  "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations",
      "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp"};
  char *text = strdup(options ? options : ""), *rest = NULL;
  cl_int status = text ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  *library = false;
  for (char *word = text ? strtok_r(text, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest)) {
    bool is_known = strcmp(word, "-create-library") == 0;
    *library |= is_known;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      is_known |= strcmp(word, known[i]) == 0;
    if (!is_known)
      status = CL_INVALID_LINKER_OPTIONS;
  }
  free(text);
  return status;
}

/* Inputs must be compiled units or libraries, not executables. */
static cl_int check_inputs(cl_context context, cl_uint count, const cl_program *inputs) {
  if (!count || !inputs)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!icd_is(inputs[i], ICD_PROGRAM))
      return CL_INVALID_PROGRAM;
    if (inputs[i]->context != context || !inputs[i]->unit_count || inputs[i]->status != CL_BUILD_SUCCESS)
      return CL_INVALID_OPERATION;
  }
  return CL_SUCCESS;
}

static bool take_units(cl_program to, cl_uint count, const cl_program *inputs) {
  for (cl_uint i = 0; i < count; i++)
    for (size_t u = 0; u < inputs[i]->unit_count; u++)
      if (!icd_add_unit(to, inputs[i]->units[u].data, inputs[i]->units[u].size))
        return false;
  return true;
}

static cl_int link_units(cl_program program, const char *options) {
  struct icd_text log = {NULL, 0};
  ww_bytes *units = calloc(program->unit_count, sizeof *units);
  ww_error error;
  const ww_build how = {.size = sizeof how, .log = {icd_add, &log}, .checked = icd_settings()->check};
  if (!units)
    return CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; i < program->unit_count; i++)
    units[i] = (ww_bytes){program->units[i].data, program->units[i].size, NULL};
  const ww_status status = ww_program_link(icd_context, units, program->unit_count, &how, &program->program, &error);
  free(units);
  while (program->unit_count)
    free(program->units[--program->unit_count].data);
  program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return icd_end_build(program, status, &error, &log, options, CL_LINK_PROGRAM_FAILURE);
}

/* Once linking begins, the new program exists even if linking fails, because it has the log. */
static cl_program link_program(cl_context context, cl_uint count, const cl_device_id *devices, const char *options,
                               cl_uint input_count, const cl_program *inputs, bool call_without, cl_int *status) {
  ICD_LOCKED;
  bool library = false;
  *status = !icd_is(context, ICD_CONTEXT) ? CL_INVALID_CONTEXT : icd_check_devices(context, count, devices);
  if (*status == CL_SUCCESS)
    *status = call_without ? CL_INVALID_VALUE : check_inputs(context, input_count, inputs);
  if (*status == CL_SUCCESS)
    *status = read_options(options, &library);
  cl_program made = *status == CL_SUCCESS ? icd_new_program(context, status) : NULL;
  if (!made)
    return NULL;
  if (!take_units(made, input_count, inputs)) {
    icd_give_up(made);
    *status = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  if (!library) {
    *status = link_units(made, options);
    return made;
  }
  made->options = strdup(options);
  made->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
  made->status = CL_BUILD_SUCCESS;
  return made;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                                  const char *options, cl_uint input_count, const cl_program *inputs,
                                                  void(CL_CALLBACK *call)(cl_program, void *), void *self,
                                                  cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  cl_program made = link_program(context, count, devices, options, input_count, inputs, !call && self, status);
  if (call && made)
    call(made, self);
  return made;
}
