/* Programs: building, describing and writing them. */

#include "isa/asm/asm.h"
#include "isa/image.h"
#include "sim/api/api.h"
#include "sim/base/need.h"

/* ---- descriptions --------------------------------------------------------------------------------------- */

static void describe_argument(ww_argument *to, const struct isa_arg *arg) {
  static const ww_argument_kind kinds[] = {
      [ISA_ARG_GLOBAL] = WW_ARGUMENT_BUFFER, [ISA_ARG_LOCAL] = WW_ARGUMENT_LOCAL,
      [ISA_ARG_VALUE] = WW_ARGUMENT_VALUE,   [ISA_ARG_PIPE] = WW_ARGUMENT_PIPE,
      [ISA_ARG_IMAGE] = WW_ARGUMENT_IMAGE,   [ISA_ARG_SAMPLER] = WW_ARGUMENT_SAMPLER};
  const enum isa_image_kind image = isa_image_argument(arg->type, strlen(arg->type));
  *to = (ww_argument){.name = arg->name,
                      .type = arg->type,
                      .kind = kinds[arg->kind],
                      .bytes = arg->kind == ISA_ARG_VALUE ? arg->bytes : 0,
                      .image = arg->kind == ISA_ARG_IMAGE ? isa_image_kinds[image].name : NULL};
}

static void describe_kernel(ww_kernel *to, const struct isa_kernel *kernel) {
  *to = (ww_kernel){.name = kernel->name,
                    .argument_count = kernel->arg_count,
                    .registers = kernel->registers,
                    .lds_bytes = kernel->lds_bytes,
                    .private_bytes = kernel->private_bytes,
                    .spilled = kernel->spilled};
  memcpy(to->required_local, kernel->required_local, sizeof to->required_local);
}

static void describe(ww_program *made) {
  const struct isa_program *isa = made->program.isa;
  const struct opencl_refusals *refusals = &made->program.refusals;
  size_t count = 0;
  for (size_t i = 0; i < isa->kernel_count; i++)
    count += isa->kernels[i].arg_count;
  made->arguments = need(count, sizeof *made->arguments);
  made->argument_count = count;
  made->kernels = need(isa->kernel_count + refusals->count, sizeof *made->kernels);
  count = 0;
  for (size_t i = 0; i < isa->kernel_count; i++) {
    const struct isa_kernel *kernel = &isa->kernels[i];
    struct api_kernel *to = &made->kernels[made->kernel_count++];
    describe_kernel(&to->face, kernel);
    to->face.uniform_groups = made->program.uniform_groups;
    to->face.attributes = api_source_attributes(&made->program, kernel->name);
    to->arguments = &made->arguments[count];
    for (size_t a = 0; a < kernel->arg_count; a++) {
      describe_argument(&made->arguments[count], &kernel->args[a]);
      api_source_argument(&made->program, kernel->name, a, &made->arguments[count++]);
    }
  }
  for (size_t i = 0; i < refusals->count; i++)
    made->kernels[made->kernel_count++].face =
        (ww_kernel){.name = refusals->row[i].kernel, .refused = refusals->row[i].error.text};
}

/* ---- building ------------------------------------------------------------------------------------------- */

struct build_call {
  const ww_context *context;
  ww_bytes source;
  ww_build build;
  const ww_bytes *given; /* units to link; NULL: build the source */
  const struct spirv_unit *units;
  size_t unit_count;
  struct api_sink sink;
  struct text log;
  bool stopped;
  ww_program *made;
};

static bool stops(void *self) {
  struct build_call *call = self;
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || (call->build.go_on && !call->build.go_on(call->build.self));
  heap_resume(recovery);
  return call->stopped;
}

/* The caller's build options, read as the command line reads them. */
static bool read_build(const ww_build *from, struct program_build *build, struct message *message) {
  if (from->options && !program_say_text(&build->options, from->options))
    return message_fail(message, "options: a quote is not closed: %.200s", from->options);
  if (from->copies && !program_copies(from->copies, build, message))
    return false;
  if (from->registers && (from->registers < PROGRAM_LEAST_REGISTERS || from->registers > PROGRAM_MOST_REGISTERS))
    return message_fail(message, "registers: %u is outside [%d, %d] registers a lane", from->registers,
                        PROGRAM_LEAST_REGISTERS, PROGRAM_MOST_REGISTERS);
  build->registers = from->registers;
  build->near_source = from->checked;
  if (from->optimize && !program_optimize(from->optimize, build, message))
    return message_within(message, "optimize");
  return !from->without || program_without(from->without, build, message) || message_within(message, "without");
}

/* The caller's headers, by name. */
static bool take_headers(const ww_build *from, struct program_build *build, struct message *message) {
  struct opencl_header *headers = need(from->header_count, sizeof *headers);
  build->headers = headers;
  build->header_count = from->header_count;
  for (size_t i = 0; i < from->header_count; i++) {
    if (!from->headers || !from->headers[i].data || !from->headers[i].name)
      return message_fail(message, "headers[%zu]: has no %s", i,
                          from->headers && from->headers[i].data ? "name" : "data");
    headers[i] = (struct opencl_header){from->headers[i].name, from->headers[i].data, from->headers[i].size};
  }
  return true;
}

/* Values of the SPIR-V module's specialization constants; copied into the module after it is read. */
static bool take_constants(const struct build_call *call, struct program_build *build, struct message *message) {
  const ww_build *from = &call->build;
  struct program_constant *constants = need(from->constant_count, sizeof *constants);
  build->constants = constants;
  build->constant_count = from->constant_count;
  for (size_t i = 0; i < from->constant_count; i++) {
    const ww_constant *given = from->constants ? &from->constants[i] : NULL;
    const size_t bytes = given && call->source.data ? ww_constant_bytes(call->source, given->id) : 0;
    if (!given || !given->value)
      return message_fail(message, "constants[%zu]: has no value", i);
    if (!bytes)
      return message_fail(message, "constants[%zu]: the program has no specialization constant %u", i, given->id);
    if (bytes != given->size)
      return message_fail(message, "constants[%zu]: constant %u has %zu bytes, not %zu", i, given->id, bytes,
                          given->size);
    constants[i] = (struct program_constant){given->id, given->value};
  }
  return true;
}

static struct program_build begin_build(struct build_call *call, const struct caller *caller) {
  return (struct program_build){
      .log = call->build.log.write ? &call->log : NULL, .caller = caller, .tools = &call->context->tools};
}

static void end_build(struct program_build *build) {
  free((void *)(uintptr_t)build->headers);
  free((void *)(uintptr_t)build->constants);
  program_build_free(build);
}

size_t ww_constant_bytes(ww_bytes spirv, uint32_t id) {
  return spirv.data ? opencl_constant_bytes(spirv.data, spirv.size, id) : 0;
}

static ww_status judge_build(const struct build_call *call, bool good) {
  return good ? WW_OK : call->stopped ? WW_CANCELLED : WW_BAD_INPUT;
}

static ww_status build_program(void *self, struct message *message) {
  struct build_call *call = self;
  const struct caller caller = {.self = call, .stops = stops};
  struct program_build build = begin_build(call, &caller);
  ww_program *made = need(1, sizeof *made);
  atomic_init(&made->references, 1);
  bool good = read_build(&call->build, &build, message) && take_headers(&call->build, &build, message) &&
              take_constants(call, &build, message);
  if (call->units)
    good = good && program_link(&made->program, call->source.name, call->units, call->unit_count, &build, message);
  else
    good =
        good && program_make(&made->program, call->source.name, call->source.data, call->source.size, &build, message);
  end_build(&build);
  if (good) {
    describe(made);
    call->made = made;
  } else {
    ww_program_unref(made);
  }
  return judge_build(call, good);
}

/* The log goes to its sink even if the build fails. */
static ww_status report_log(struct build_call *call, ww_status status, ww_error *error) {
  if (api_lost(status)) /* the recovery point has freed the log */
    return status;
  if (call->log.length && !call->build.log.write(call->build.log.self, call->log.data, call->log.length)) {
    status = api_fail(error, WW_CANCELLED, "the log's sink refused more data");
    ww_program_unref(call->made);
    call->made = NULL;
  }
  free(call->log.data);
  return status;
}

ww_status ww_program_build(ww_context *context, ww_bytes source, const ww_build *build, ww_program **program,
                           ww_error *error) {
  struct build_call call = {.context = context};
  API_MADE(program);
  API_GIVEN(context);
  API_GIVEN(source.data);
  API_TAKE(call.build, build);
  call.source = api_named(source, program_usual_name(source.data, source.size));
  const ww_status status = report_log(&call, api_try_named(call.source.name, build_program, &call, error), error);
  *program = call.made;
  return status;
}

static ww_status compile_unit(void *self, struct message *message) {
  struct build_call *call = self;
  const struct caller caller = {.self = call, .stops = stops};
  struct program_build build = begin_build(call, &caller);
  uint8_t *data = NULL;
  size_t size = 0;
  const bool good =
      read_build(&call->build, &build, message) && take_headers(&call->build, &build, message) &&
      take_constants(call, &build, message) &&
      program_compile_unit(call->source.name, call->source.data, call->source.size, &build, &data, &size, message);
  end_build(&build);
  ww_status status = judge_build(call, good);
  if (good && !call->sink.sink.write(call->sink.sink.self, (const char *)data, size, message))
    status = WW_CANCELLED;
  free(data);
  return status;
}

ww_status ww_unit_compile(ww_context *context, ww_bytes source, const ww_build *build, ww_sink sink, ww_error *error) {
  struct build_call call = {.context = context};
  API_GIVEN(context);
  API_GIVEN(source.data);
  API_GIVEN(sink.write);
  API_TAKE(call.build, build);
  api_sink(&call.sink, sink);
  call.source = api_named(source, program_usual_name(source.data, source.size));
  return report_log(&call, api_try_named(call.source.name, compile_unit, &call, error), error);
}

/* Units in the compiler's form. */
static ww_status link_units(void *self, struct message *message) {
  struct build_call *call = self;
  struct spirv_unit *units = need(call->unit_count, sizeof *units);
  const ww_bytes *from = call->given;
  bool good = true;
  call->units = units;
  for (size_t i = 0; good && i < call->unit_count; i++) {
    units[i] = (struct spirv_unit){from[i].data, from[i].size};
    good = (from[i].data && from[i].size) || message_fail(message, "units[%zu]: is empty", i);
  }
  const ww_status status = good ? build_program(call, message) : WW_BAD_INPUT;
  free(units);
  return status;
}

ww_status ww_program_link(ww_context *context, const ww_bytes *units, size_t count, const ww_build *build,
                          ww_program **program, ww_error *error) {
  struct build_call call = {.context = context, .given = units, .unit_count = count};
  API_MADE(program);
  API_GIVEN(context);
  API_GIVEN(units);
  if (!count)
    return api_fail(error, WW_BAD_INPUT, "count: 0; a program needs at least one unit");
  API_TAKE(call.build, build);
  call.source.name = "linked.cl";
  const ww_status status = report_log(&call, api_try_named(call.source.name, link_units, &call, error), error);
  *program = call.made;
  return status;
}

API_REF(ww_program)

void ww_program_unref(ww_program *program) {
  if (!program || !api_unref(&program->references))
    return;
  program_free(&program->program);
  for (size_t i = 0; i < program->kernel_count; i++)
    free((void *)(uintptr_t)program->kernels[i].face.attributes);
  for (size_t i = 0; i < program->argument_count; i++) {
    free((void *)(uintptr_t)program->arguments[i].source_type);
    free((void *)(uintptr_t)program->arguments[i].source_qualifiers);
  }
  free(program->kernels);
  free(program->arguments);
  free(program);
}

/* ---- kernels -------------------------------------------------------------------------------------------- */

size_t ww_program_kernel_count(const ww_program *program) { return program ? program->kernel_count : 0; }

size_t ww_program_channels(const ww_program *program) { return program ? isa_channel_pipes(program->program.isa) : 0; }

size_t ww_program_autoruns(const ww_program *program) {
  size_t count = 0;
  for (size_t i = 0; program && i < program->program.isa->kernel_count; i++)
    count += program->program.isa->kernels[i].autorun[0] > 0;
  return count;
}

size_t ww_program_variable_bytes(const ww_program *program) {
  return program ? program->program.isa->variable_bytes : 0;
}

const ww_kernel *ww_program_kernel_at(const ww_program *program, size_t i) {
  return program && i < program->kernel_count ? &program->kernels[i].face : NULL;
}

const ww_argument *ww_kernel_argument(const ww_kernel *kernel, size_t i) {
  return kernel && i < kernel->argument_count ? &((const struct api_kernel *)kernel)->arguments[i] : NULL;
}

struct kernel_call {
  const ww_program *program;
  const char *name;
  const ww_kernel **found;
};

static ww_status find_kernel(void *self, struct message *message) {
  struct kernel_call *call = self;
  const struct program *program = &call->program->program;
  const char *name = call->name ? call->name : program_only_kernel(program);
  if (!name)
    return api_judge(message_fail(message, "which kernel? %.200s has %zu", program->path, call->program->kernel_count));
  const struct isa_kernel *kernel = program_kernel(program, name, message);
  if (!kernel)
    return WW_BAD_INPUT;
  *call->found = &call->program->kernels[kernel - program->isa->kernels].face;
  return WW_OK;
}

ww_status ww_program_kernel(const ww_program *program, const char *name, const ww_kernel **kernel, ww_error *error) {
  struct kernel_call call = {program, name, kernel};
  API_MADE(kernel);
  API_GIVEN(program);
  return api_try(NULL, find_kernel, &call, error);
}

/* ---- writing -------------------------------------------------------------------------------------------- */

struct write_call {
  const struct program *program;
  ww_program_form form;
  struct api_sink sink;
};

static bool write_bytes(struct write_call *call, const void *bytes, size_t size, struct message *message) {
  return call->sink.sink.write(call->sink.sink.self, bytes, size, message);
}

static ww_status write_object(struct write_call *call, struct message *message) {
  size_t size = 0;
  uint8_t *bytes = isa_encode(call->program->isa, &size);
  const bool good = write_bytes(call, bytes, size, message);
  free(bytes);
  return good ? WW_OK : WW_CANCELLED;
}

static ww_status write_assembly(struct write_call *call, struct message *message) {
  char *text = isa_disassemble(call->program->isa);
  const bool good = write_bytes(call, text, strlen(text), message);
  free(text);
  return good ? WW_OK : WW_CANCELLED;
}

static ww_status write_program(void *self, struct message *message) {
  struct write_call *call = self;
  const struct program *program = call->program;
  switch (call->form) {
  case WW_PROGRAM_OBJECT:
    return write_object(call, message);
  case WW_PROGRAM_ASSEMBLY:
    return write_assembly(call, message);
  case WW_PROGRAM_SPIRV:
    if (program->spirv)
      return write_bytes(call, program->spirv, program->spirv_bytes, message) ? WW_OK : WW_CANCELLED;
    message_fail(message, "%.200s: has no SPIR-V; only OpenCL C is compiled to SPIR-V", program->path);
    return WW_UNSUPPORTED;
  }
  message_fail(message, "form: %d is not a program's form", (int)call->form);
  return WW_BAD_INPUT;
}

ww_status ww_program_write(const ww_program *program, ww_program_form form, ww_sink sink, ww_error *error) {
  API_GIVEN(program);
  API_GIVEN(sink.write);
  struct write_call call = {.program = &program->program, .form = form};
  api_sink(&call.sink, sink);
  return api_try(NULL, write_program, &call, error);
}
