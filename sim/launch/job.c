#include "sim/launch/job_images.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "models/machine.h"
#include "models/simulation.h"
#include "sim/base/need.h"
#include "sim/base/sizes.h"

enum { BUFFER_ALIGN = 4096, BUFFER_GAP = 65536, CHOSEN_WARPS = 4 };

const char *const job_fill_names[3] = {"zero", "iota", "random"};

void job_free(struct job *job) {
  for (size_t i = 0; i < job->memory.pipe_count; i++)
    isa_pipe_free(&job->memory.pipes[i]);
  free(job->memory.pipes);
  free(job->memory.images);
  for (size_t i = 0; i < job->memory.count; i++)
    free(job->memory.buffers[i].data);
  for (size_t i = 0; i < job->launch_count; i++) {
    free(job->launches[i].args);
    free(job->launches[i].given);
    printed_free(&job->launches[i].printed);
  }
  for (size_t i = 0; i < job->check_count; i++)
    free(job->checks[i].expected);
  for (size_t i = 0; i < job->diagnostic_count; i++)
    free(job->diagnostics[i]);
  for (size_t i = 0; i < job->refitted_count; i++)
    isa_program_free(job->refitted[i]);
  free(job->refitted);
  program_free(&job->program);
  program_build_free(&job->build);
  reads_free(&job->reads);
  free(job->memory.buffers);
  free(job->elements);
  free(job->launches);
  free(job->checks);
  for (size_t i = 0; i < job->set_count; i++)
    free(job->sets[i]);
  free(job->sets);
  free(job->diagnostics);
  free(job->machine);
  free(job->machine_file);
  free(job->name);
  free(job->file);
  *job = (struct job){0};
}

static void set_machine(struct machine **at, const struct machine *machine) {
  if (!*at)
    *at = need(1, sizeof **at);
  **at = *machine;
}

void job_set_machine(struct job *job, const struct machine *machine, const struct machine *file) {
  set_machine(&job->machine, machine);
  if (file)
    set_machine(&job->machine_file, file);
}

struct reads *job_reads(struct job *job, const struct reads *reads) {
  if (!reads)
    return NULL;
  job->reads = reads_apart(reads);
  return &job->reads;
}

void job_say_set(struct job *job, const char *key, const char *value) {
  const size_t size = strlen(key) + strlen(value) + 2;
  char *set = need(size, 1);
  snprintf(set, size, "%s=%s", key, value);
  job->sets = need_more(job->sets, job->set_count + 1, sizeof *job->sets);
  job->sets[job->set_count++] = set;
}

/* ---- buffers ---------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t unit) { return div_up(value, unit) * unit; }

static bool room_for(const struct job *job, uint64_t bytes, uint64_t *base, struct message *message) {
  uint64_t total = 0;
  *base = ISA_GLOBAL_BASE;
  for (size_t i = 0; i < job->memory.count; i++) {
    const struct isa_buffer *other = &job->memory.buffers[i];
    total += other->bytes;
    *base = round_up(other->base + other->bytes + BUFFER_GAP, BUFFER_ALIGN);
  }
  if (bytes >= 1 && bytes <= JOB_MEMORY_BYTES - total)
    return true;
  return message_fail(message,
                      "%" PRIu64 " is outside [1, %" PRIu64 "] bytes (all buffers together: at most %" PRIu64 ")",
                      bytes, JOB_MEMORY_BYTES - total, JOB_MEMORY_BYTES);
}

static void append_buffer(struct job *job, const struct isa_buffer *buffer, struct type element) {
  size_t count = job->memory.count++;
  job->memory.buffers = need_more(job->memory.buffers, count + 1, sizeof *buffer);
  job->elements = need_more(job->elements, count + 1, sizeof element);
  job->memory.buffers[count] = *buffer;
  job->elements[count] = element;
}

bool job_buffer(struct job *job, const char *name, uint64_t bytes, struct type element, struct message *message) {
  struct isa_buffer buffer = {.bytes = bytes};
  if (!*name || strlen(name) >= sizeof buffer.name)
    return message_fail(message, "a buffer's name must have 1 to %zu characters", sizeof buffer.name - 1);
  strcpy(buffer.name, name);
  if (job->memory.count == JOB_BUFFERS)
    return message_fail(message, "more than %d buffers", JOB_BUFFERS);
  if (!room_for(job, bytes, &buffer.base, message))
    return false;
  buffer.data = calloc(need_size(bytes), 1);
  if (!buffer.data)
    return message_fail(message, "out of memory for %" PRIu64 " bytes", bytes);
  append_buffer(job, &buffer, element);
  return true;
}

uint64_t job_variable_bytes(const struct job *job) {
  uint64_t most = isa_variable_room(job->program.isa);
  for (size_t i = 0; i < job->refitted_count; i++) {
    const uint64_t room = isa_variable_room(job->refitted[i]);
    most = room > most ? room : most;
  }
  return most;
}

/* Adds the program's channels after the other pipes, in place of those of an earlier run. */
static bool make_channels(struct job *job, uint8_t *variables, struct message *message) {
  struct isa_memory *memory = &job->memory;
  const size_t count = isa_channel_pipes(job->program.isa);
  while (memory->pipe_count && isa_pipe_is_channel(&memory->pipes[memory->pipe_count - 1]))
    isa_pipe_free(&memory->pipes[--memory->pipe_count]);
  if (!count)
    return true;
  if (memory->pipe_count + count > ISA_MOST_PIPES)
    return message_fail(message, "more than %d pipes and channels", ISA_MOST_PIPES);
  memory->pipes = need_more(memory->pipes, memory->pipe_count + count, sizeof *memory->pipes);
  isa_channels_init(job->program.isa, variables, memory->pipes + memory->pipe_count);
  memory->pipe_count += count;
  return true;
}

/* The other programs of a trace are in job->refitted. Nothing reads the contents of their variables. */
bool job_variables(struct job *job, struct message *message) {
  const struct isa_program *program = job->program.isa;
  struct isa_buffer buffer = {.name = "program variables", .base = ISA_VARIABLE_BASE, .bytes = job_variable_bytes(job)};
  const struct isa_buffer *last = job->memory.count ? &job->memory.buffers[job->memory.count - 1] : NULL;
  const bool there = last && last->base == buffer.base && last->bytes == buffer.bytes && last->data;
  if (!buffer.bytes)
    return true;
  buffer.data = there ? last->data : calloc(need_size(buffer.bytes), 1);
  if (!buffer.data)
    return message_fail(message, "out of memory for %" PRIu64 " bytes of program-scope variables", buffer.bytes);
  if (program->variable_bytes)
    memcpy(buffer.data, program->variables, program->variable_bytes);
  if (!there)
    append_buffer(job, &buffer, (struct type){TYPE_UNSIGNED, 1, 1});
  return make_channels(job, buffer.data, message);
}

/* Hashes packed texels, because their place in memory depends on the machine. */
static uint64_t hash_image(const struct job *job, const struct isa_image *image, uint64_t seed) {
  uint64_t bytes = 0;
  uint8_t *packed = job_image_bytes(job, image, &bytes);
  const uint64_t hash = XXH3_64bits_withSeed(packed, bytes, seed);
  free(packed);
  return hash;
}

uint64_t job_hash_buffers(const struct job *job) {
  uint64_t hash = 0;
  for (size_t i = 0; i < job->memory.count; i++) {
    const struct isa_buffer *buffer = &job->memory.buffers[i];
    const struct isa_image *image = job_image_of(job, i);
    if (image)
      hash = hash_image(job, image, hash);
    else if (buffer->base != ISA_VARIABLE_BASE && !job_pipe_of(job, i))
      hash = XXH3_64bits_withSeed(buffer->data, buffer->bytes, hash);
  }
  return hash;
}

/* Is it a pipe or an image, which cannot be named as a buffer? */
static bool job_is_special(const struct job *job, size_t buffer) {
  return job_pipe_of(job, buffer) || job_image_of(job, buffer);
}

bool job_find_buffer(const struct job *job, const char *name, size_t *buffer, struct message *message) {
  size_t count = 0;
  for (*buffer = 0; *buffer < job->memory.count; (*buffer)++)
    if (strcmp(job->memory.buffers[*buffer].name, name) == 0)
      return !job_is_special(job, *buffer) || message_fail(message, "'%.60s' is %s, not a buffer", name,
                                                           job_pipe_of(job, *buffer) ? "a pipe" : "an image");
  const char **names = need(job->memory.count, sizeof *names);
  char hint[400];
  for (size_t i = 0; i < job->memory.count; i++)
    if (!job_is_special(job, i))
      names[count++] = job->memory.buffers[i].name;
  message_suggest(hint, sizeof hint, name, names, count);
  free(names);
  return message_fail(message, "no buffer '%.60s'%s", name, count ? hint : "; there are no buffers");
}

/* SplitMix64: any seed is good, and element i depends only on the seed and i. */
static uint64_t random_bits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void fill_component(struct type type, uint8_t *at, enum job_fill fill, uint64_t seed, uint64_t index) {
  uint64_t bits = fill == FILL_RANDOM ? random_bits(seed, index) : index;
  if (type.kind != TYPE_FLOATING) {
    memcpy(at, &bits, type.bytes);
    return;
  }
  /* 11 bits are exact even in half precision and never round up to 1. */
  unsigned kept = type.bytes == 2 ? 11 : type.bytes == 4 ? 24 : 53;
  double value = fill == FILL_RANDOM ? (double)(bits >> (64 - kept)) / (double)(UINT64_C(1) << kept) : (double)bits;
  type_store(type, value, at);
}

static void fill_elements(struct type type, uint8_t *data, uint64_t bytes, enum job_fill fill, uint64_t seed) {
  const unsigned size = type_size(type);
  for (uint64_t element = 0; element < bytes / size; element++)
    for (unsigned c = 0; c < size / type.bytes; c++) {
      uint64_t index = fill == FILL_IOTA ? element : element * (size / type.bytes) + c;
      fill_component(type, data + element * size + c * type.bytes, fill, seed, index);
    }
}

/* The texels of an image are filled in packed order, so that the values do not depend on the machine's layout. */
bool job_fill(struct job *job, size_t buffer, enum job_fill fill, uint64_t seed, struct message *message) {
  struct isa_buffer *target = &job->memory.buffers[buffer];
  const struct isa_image *image = job_image_of(job, buffer);
  struct type type = job->elements[buffer];
  unsigned size = type_size(type);
  if (fill == FILL_ZERO)
    return true;
  if (target->bytes % size)
    return message_fail(message, "fill '%s' needs whole elements: %" PRIu64 " bytes are not a multiple of %u",
                        job_fill_names[fill], target->bytes, size);
  if (!image) {
    fill_elements(type, target->data, target->bytes, fill, seed);
    return true;
  }
  uint64_t bytes = 0;
  uint8_t *packed = job_image_bytes(job, image, &bytes);
  fill_elements(type, packed, bytes, fill, seed);
  isa_image_unpack(image, packed, target->data);
  free(packed);
  return true;
}

/* ---- launches --------------------------------------------------------------------------------- */

const char *const launch_field_names[] = {
    [LAUNCH_KERNEL] = "kernel", [LAUNCH_FIT] = "kernel",  [LAUNCH_ARGUMENTS] = "args", [LAUNCH_ARGUMENT] = "args",
    [LAUNCH_GLOBAL] = "global", [LAUNCH_LOCAL] = "local", [LAUNCH_OFFSET] = "offset"};

/* Appends a launch without arguments. */
static struct job_launch *append_launch(struct job *job, const struct launch *from, struct message *message) {
  struct program *program = from->program;
  const struct isa_kernel *found = program_kernel(program ? program : &job->program, from->kernel, message);
  if (!found)
    return NULL;
  job->launches = need_more(job->launches, job->launch_count + 1, sizeof *job->launches);
  struct job_launch *launch = &job->launches[job->launch_count++];
  *launch = (struct job_launch){
      .program = program,
      .first = job->launch_count - 1,
      .together = 1,
      .args = need(found->arg_bytes, 1),
      .given = need(found->arg_count, sizeof(bool)),
      .isa = {.program = program ? program->isa : job->program.isa,
              .kernel = found,
              .dimensions = from->dimensions,
              .warp_size = job->machine->cu.warp_size,
              .memory = &job->memory,
              .lds_bytes = found->lds_bytes},
  };
  memcpy(launch->isa.global, from->global, sizeof from->global);
  memcpy(launch->isa.local, from->local, sizeof from->local);
  memcpy(launch->isa.offset, from->offset, sizeof from->offset);
  launch->isa.args = launch->args;
  return launch;
}

static const char *const wanted[] = {
    [ISA_ARG_GLOBAL] = "a buffer", [ISA_ARG_LOCAL] = "a local size", [ISA_ARG_VALUE] = "a value",
    [ISA_ARG_PIPE] = "a pipe",     [ISA_ARG_IMAGE] = "an image",     [ISA_ARG_SAMPLER] = "a sampler"};

static bool fail_argument(const struct isa_arg *arg, const char *got, struct message *message) {
  return message_fail(message, "%s does not fit: the kernel's argument '%s' is %s (%s, %u bytes)", got, arg->name,
                      wanted[arg->kind], arg->type, arg->bytes);
}

/* A floating-point parameter takes floating-point numbers, and an integer parameter takes integers of either sign.
 * Parameters of type b32 and "bytes", structs, and arguments given as bytes match any kind. */
static bool same_kind(const struct isa_arg *arg, const struct job_argument *argument) {
  struct type type;
  bool named = type_find(arg->type, &type); /* OpenCL C's name; assembly uses f32, u32, s32 */
  bool floating = named ? type.kind == TYPE_FLOATING : arg->type[0] == 'f';
  bool whole = named ? !floating : arg->type[0] == 'u' || (arg->type[0] == 's' && arg->type[1] != 't');
  return !(floating && argument->whole) && !(whole && argument->floating);
}

bool job_argument_fits(const struct isa_arg *arg, const struct job_argument *argument, struct message *message) {
  static const struct {
    enum isa_arg_kind wants;
    const char *got;
  } kinds[] = {[ARGUMENT_BUFFER] = {ISA_ARG_GLOBAL, "a buffer"},   [ARGUMENT_NULL] = {ISA_ARG_GLOBAL, "null"},
               [ARGUMENT_LOCAL] = {ISA_ARG_LOCAL, "a local size"}, [ARGUMENT_VALUE] = {ISA_ARG_VALUE, NULL},
               [ARGUMENT_PIPE] = {ISA_ARG_PIPE, "a pipe"},         [ARGUMENT_IMAGE] = {ISA_ARG_IMAGE, "an image"},
               [ARGUMENT_SAMPLER] = {ISA_ARG_SAMPLER, "a sampler"}};
  const bool fits = arg->kind == kinds[argument->kind].wants;
  if (argument->kind != ARGUMENT_VALUE)
    return fits || fail_argument(arg, kinds[argument->kind].got, message);
  if (fits && argument->bytes == arg->bytes && same_kind(arg, argument))
    return true;
  char got[80];
  snprintf(got, sizeof got, "%.40s (%" PRIu64 " bytes)", argument->type, argument->bytes);
  return fail_argument(arg, got, message);
}

static bool give_buffer(struct job *job, uint8_t *to, const struct job_argument *argument, struct message *message) {
  if (argument->kind == ARGUMENT_NULL) {
    memset(to, 0, sizeof(uint64_t));
    return true;
  }
  const struct isa_buffer *buffer = &job->memory.buffers[argument->buffer];
  if (argument->bytes >= buffer->bytes)
    return message_fail(message, "offset: %" PRIu64 " is outside [0, %" PRIu64 "] bytes of buffer '%s'",
                        argument->bytes, buffer->bytes - 1, buffer->name);
  uint64_t address = buffer->base + argument->bytes;
  memcpy(to, &address, sizeof address);
  return true;
}

static bool give_local(struct job *job, struct job_launch *launch, uint8_t *to, uint64_t bytes,
                       struct message *message) {
  uint64_t size = job->machine->lds.size, start = round_up(launch->isa.lds_bytes, ISA_LOCAL_ALIGN);
  uint64_t room = start < size ? size - start : 0;
  if (bytes < 1 || bytes > room)
    return message_fail(message,
                        "%" PRIu64 " is outside [1, %" PRIu64 "] bytes: the rest of the %" PRIu64 " of lds.size", bytes,
                        room, size);
  uint32_t offset = (uint32_t)start;
  memcpy(to, &offset, sizeof offset);
  launch->isa.lds_bytes = (uint32_t)(start + bytes);
  return true;
}

/* The size that the change makes of a local argument's; UINT64_MAX, which fits no LDS, if it is too large. */
static uint64_t local_bytes(const struct job_change *change, uint64_t bytes) {
  if (!change || !change->lds_times)
    return bytes;
  return size_times(bytes, change->lds_times, &bytes) ? bytes / change->lds_over : UINT64_MAX;
}

static bool give_image(const struct job *job, const struct isa_arg *arg, uint8_t *to, size_t number,
                       struct message *message) {
  const uint64_t handle = isa_image_handle(number);
  memcpy(to, &handle, sizeof handle);
  return job_image_fits(arg, &job->memory.images[number], message);
}

/* Replaces a numeric argument if the change names it. */
static bool change_number(const struct job_change *change, const struct isa_arg *arg,
                          const struct job_argument *argument, uint8_t *to, struct message *message) {
  struct type type;
  if (!change || !change->argument || strcmp(change->argument, arg->name) != 0)
    return true;
  if (!type_find(argument->type, &type) || type.components != 1)
    return message_fail(message, "argument '%s' is not a number", arg->name);
  return type_parse(type, change->word, to, message);
}

/* Sets argument `index` of the launch. */
static bool set_argument(struct job *job, struct job_launch *launch, size_t index, const struct job_argument *argument,
                         struct message *message) {
  const struct isa_kernel *kernel = launch->isa.kernel;
  const struct job_change *change = job->change;
  if (index >= kernel->arg_count)
    return message_fail(message, "kernel '%s' has %zu argument%s", kernel->name, kernel->arg_count,
                        kernel->arg_count == 1 ? "" : "s");
  const struct isa_arg *arg = &kernel->args[index];
  uint8_t *to = launch->args + arg->offset;
  launch->given[index] = true;
  if (!job_argument_fits(arg, argument, message))
    return false;
  switch (argument->kind) {
  case ARGUMENT_BUFFER:
  case ARGUMENT_NULL:
    return give_buffer(job, to, argument, message);
  case ARGUMENT_PIPE:
    memcpy(to, &job->memory.pipes[argument->buffer].base, sizeof job->memory.pipes->base);
    return true;
  case ARGUMENT_IMAGE:
    return give_image(job, arg, to, argument->buffer, message);
  case ARGUMENT_SAMPLER:
    memcpy(to, &argument->sampler, sizeof argument->sampler);
    return true;
  case ARGUMENT_LOCAL:
    return give_local(job, launch, to, local_bytes(change, argument->bytes), message);
  case ARGUMENT_VALUE:
  case ARGUMENT_MISSING:
    break;
  }
  memcpy(to, argument->value, arg->bytes);
  return change_number(change, arg, argument, to, message);
}

/* ---- the NDRange ------------------------------------------------------------------------------ */

static bool check_global(const struct isa_launch *launch, struct message *message) {
  uint64_t items = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (!launch->global[i] || launch->global[i] > JOB_ITEMS / items)
      return message_fail(message, "%u x %u x %u is outside [1, %" PRIu64 "] work-items", launch->global[0],
                          launch->global[1], launch->global[2], JOB_ITEMS);
    items *= launch->global[i];
  }
  return true;
}

static bool check_offset(const struct isa_launch *launch, struct message *message) {
  for (unsigned i = 0; i < 3; i++)
    if (launch->offset[i] > UINT32_MAX - launch->global[i])
      return message_fail(message, "%u is outside [0, %u]: a work-item's id has 32 bits", launch->offset[i],
                          UINT32_MAX - launch->global[i]);
  return true;
}

static void count_groups(struct isa_launch *launch) {
  for (unsigned i = 0; i < 3; i++)
    launch->groups[i] = (uint32_t)div_up(launch->global[i], launch->local[i]);
}

/* The kernel's required size, or a row of at most four warps that fits a CU. */
static void choose_local(const struct machine *machine, struct isa_launch *launch, bool uniform) {
  const uint32_t *required = launch->kernel->required_local;
  for (unsigned i = 0; i < 3; i++)
    launch->local[i] = required[0] ? required[i] : 1;
  if (required[0])
    return;
  for (uint32_t warps = CHOSEN_WARPS; warps; warps /= 2) {
    uint32_t row = warps * launch->warp_size;
    launch->local[0] = row < launch->global[0] ? row : launch->global[0];
    while (uniform && launch->global[0] % launch->local[0])
      launch->local[0]--;
    count_groups(launch);
    if (simulation_occupancy(machine, launch).groups_per_cu)
      return;
  }
}

/* If no local size would help, the kernel itself is wrong. */
static bool fail_occupancy(const struct machine *machine, const struct isa_launch *launch, const struct occupancy *fit,
                           enum launch_field *field, struct message *message) {
  char reserved[48] = "";
  bool one_warp = fit->registers_per_warp <= machine->cu.registers;
  if (fit->limit == LIMIT_LDS || (fit->limit == LIMIT_REGISTERS && !one_warp))
    *field = LAUNCH_FIT;
  switch (fit->limit) {
  case LIMIT_REGISTERS:
    if (!one_warp)
      return message_fail(message,
                          "kernel '%s' needs %u registers a warp (%u a lane, in units of cu.register_unit); "
                          "cu.registers is %u",
                          launch->kernel->name, fit->registers_per_warp, launch->kernel->registers,
                          machine->cu.registers);
    return message_fail(message, "a work-group of %u warps needs %u registers, more than the %u of cu.registers",
                        fit->warps_per_group, fit->warps_per_group * fit->registers_per_warp, machine->cu.registers);
  case LIMIT_LDS:
    if (machine->cu.lds_reserved)
      snprintf(reserved, sizeof reserved, " and cu.lds_reserved, %u", machine->cu.lds_reserved);
    return message_fail(message,
                        "kernel '%s' needs %u bytes of LDS (%u declared%s%s, in units of cu.lds_unit and of a row of "
                        "banks); lds.size is %u",
                        launch->kernel->name, fit->lds_per_group, launch->lds_bytes,
                        launch->lds_bytes > launch->kernel->lds_bytes ? " and given as arguments" : "", reserved,
                        machine->lds.size);
  default:
    return message_fail(message, "%u x %u x %u work-items are %u warps, outside [1, %u] warps of cu.warps",
                        launch->local[0], launch->local[1], launch->local[2], fit->warps_per_group, machine->cu.warps);
  }
}

/* The largest register count per lane, below the kernel's, with which a work-group fits a CU; 0 if there is none. */
static uint32_t fitting_registers(const struct machine *machine, const struct isa_launch *launch) {
  struct isa_kernel kernel = *launch->kernel;
  struct isa_launch fewer = *launch;
  fewer.kernel = &kernel;
  while (--kernel.registers >= PROGRAM_LEAST_REGISTERS)
    if (simulation_occupancy(machine, &fewer).groups[LIMIT_REGISTERS])
      return kernel.registers;
  return 0;
}

/* Makes the launch use its kernel as lowered for the machine's instructions, with at most `registers` per lane; 0: as
 * many as the build allows. */
static bool lower_for_machine(struct job *job, struct job_launch *launch, uint32_t registers, struct message *message) {
  struct program *owner = launch->program ? launch->program : &job->program;
  struct opencl_target target = owner->target;
  target.isa = job->machine->isa;
  target.registers = registers ? registers : target.registers;
  const struct isa_program *program = program_for(owner, &target, launch->isa.kernel->name, message);
  if (!program)
    return false;
  const struct isa_kernel *kernel = isa_find_kernel(program, launch->isa.kernel->name);
  assert(kernel && kernel->arg_bytes == launch->isa.kernel->arg_bytes &&
         "a kernel's arguments do not depend on its target");
  launch->isa.program = program;
  launch->isa.kernel = kernel;
  return true;
}

static bool take_features(struct job *job, struct job_launch *launch, struct message *message) {
  const bool lowered = job_program(job, launch)->spirv;
  if (lowered && !lower_for_machine(job, launch, 0, message))
    return false;
  launch->fit =
      (struct job_fit){.lowered = lowered, .isa = job->machine->isa, .registers = launch->isa.kernel->registers};
  return true;
}

/* Lowers the launch's kernel again, with as many registers as fit; other values are spilled. */
static bool refit(struct job *job, struct job_launch *launch, struct message *message) {
  const uint32_t registers = fitting_registers(job->machine, &launch->isa);
  if (!registers)
    return true; /* the occupancy is still 0: fail_occupancy() reports it */
  launch->fit.fitted = registers;
  launch->refitted = true;
  return lower_for_machine(job, launch, registers, message);
}

static bool check_uniform(const struct isa_launch *launch, struct message *message) {
  const uint32_t *local = launch->local, *global = launch->global;
  if (!(global[0] % local[0] || global[1] % local[1] || global[2] % local[2]))
    return true;
  return message_fail(message,
                      "%u x %u x %u does not divide the %u x %u x %u work-items, as OpenCL C 1.x and "
                      "-cl-uniform-work-group-size require",
                      local[0], local[1], local[2], global[0], global[1], global[2]);
}

/* A work-group has at least one work-item, and at most as many as the machine allows. */
static bool check_group_size(const struct machine *machine, const struct isa_launch *launch, struct message *message) {
  const uint32_t most = machine_group_size(machine, launch->warp_size), *local = launch->local;
  uint32_t items = 1;
  for (unsigned i = 0; i < 3; i++) {
    if (!local[i] || local[i] > most / items)
      return message_fail(message, "%u x %u x %u is outside [1, %u] work-items of a work-group (%s)", local[0],
                          local[1], local[2], most,
                          most == machine->cu.group_size ? "cu.group_size" : "cu.warps x cu.warp_size");
    items *= local[i];
  }
  return true;
}

static bool check_local(struct job *job, struct job_launch *job_launch, enum launch_field *field,
                        struct message *message) {
  const struct machine *machine = job->machine;
  struct isa_launch *launch = &job_launch->isa;
  const uint32_t *required = launch->kernel->required_local;
  if (!check_group_size(machine, launch, message))
    return false;
  if (required[0] && memcmp(required, launch->local, sizeof launch->local) != 0)
    return message_fail(message, "%u x %u x %u is not the %u x %u x %u that kernel '%s' requires", launch->local[0],
                        launch->local[1], launch->local[2], required[0], required[1], required[2],
                        launch->kernel->name);
  const struct program *program = job_program(job, job_launch);
  if (program->uniform_groups && !check_uniform(launch, message))
    return false;
  count_groups(launch);
  struct occupancy fit = simulation_occupancy(machine, launch);
  if (!fit.groups[LIMIT_REGISTERS] && program->spirv) {
    if (!refit(job, job_launch, message))
      return false;
    fit = simulation_occupancy(machine, launch);
  }
  return fit.groups_per_cu ? true : fail_occupancy(machine, launch, &fit, field, message);
}

static bool check_groups(const struct isa_launch *launch, struct message *message) {
  uint64_t groups = (uint64_t)launch->groups[0] * launch->groups[1]; /* cannot overflow: at most JOB_ITEMS */
  if (groups <= UINT32_MAX && groups * launch->groups[2] <= UINT32_MAX)
    return true;
  return message_fail(message, "%u x %u x %u work-groups are outside [1, %u]", launch->groups[0], launch->groups[1],
                      launch->groups[2], UINT32_MAX);
}

static bool check_given(const struct job_launch *launch, struct message *message) {
  const struct isa_kernel *kernel = launch->isa.kernel;
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (!launch->given[i])
      return message_fail(message, "argument %zu, '%s', %s (%s), is missing: kernel '%s' has %zu", i + 1,
                          kernel->args[i].name, wanted[kernel->args[i].kind], kernel->args[i].type, kernel->name,
                          kernel->arg_count);
  return true;
}

/* Multiplies by times / over; false when the result is no positive whole number of 32 bits. */
static bool scale(uint32_t *number, uint32_t times, uint32_t over) {
  const uint64_t scaled = (uint64_t)*number * times;
  *number = (uint32_t)(scaled / over);
  return scaled % over == 0 && scaled && scaled / over <= UINT32_MAX;
}

/* Applies the job's change to the NDRange. */
static bool change_ndrange(const struct job *job, struct isa_launch *launch, struct message *message) {
  const struct job_change *change = job->change;
  bool good = true;
  if (!change)
    return true;
  if (change->global_over)
    good = scale(&launch->global[0], 1, change->global_over);
  if (!launch->local[0] && (change->local_over[0] || change->groups))
    choose_local(job->machine, launch, job->program.uniform_groups);
  for (unsigned i = 0; i < launch->dimensions && good; i++)
    good = !change->local_over[i] || scale(&launch->local[i], change->local_times[i], change->local_over[i]);
  if (change->groups && good && launch->dimensions == 1) {
    launch->global[0] = launch->local[0];
    good = scale(&launch->global[0], change->groups, 1);
  }
  return good || message_fail(message, "cannot be divided so");
}

bool job_add(struct job *job, const struct launch *from, struct launch_fault *fault, struct message *message) {
  enum launch_field *field = &fault->field;
  *field = LAUNCH_KERNEL;
  struct job_launch *launch = append_launch(job, from, message);
  if (!launch)
    return false;
  *field = LAUNCH_ARGUMENT;
  for (size_t *i = &fault->argument; *i < from->argument_count; (*i)++)
    if (from->arguments[*i].kind != ARGUMENT_MISSING && !set_argument(job, launch, *i, &from->arguments[*i], message))
      return false;
  *field = LAUNCH_FIT;
  if (!take_features(job, launch, message))
    return false;
  *field = LAUNCH_LOCAL;
  if (!change_ndrange(job, &launch->isa, message))
    return false;
  *field = LAUNCH_ARGUMENTS;
  if (!check_given(launch, message))
    return false;
  *field = LAUNCH_GLOBAL;
  if (!check_global(&launch->isa, message))
    return false;
  *field = LAUNCH_OFFSET;
  if (!check_offset(&launch->isa, message))
    return false;
  *field = LAUNCH_LOCAL;
  launch->local_chosen = !launch->isa.local[0];
  if (launch->local_chosen)
    choose_local(job->machine, &launch->isa, job_program(job, launch)->uniform_groups);
  if (!check_local(job, launch, field, message))
    return false;
  *field = LAUNCH_GLOBAL;
  return check_groups(&launch->isa, message);
}

/* ---- recorded launches ---------------------------------------------------------------------------- */

/* The launch with the kernel as it was before it was lowered for fewer registers. */
static struct isa_launch as_first(const struct isa_launch *launch, uint32_t registers, struct isa_kernel *kernel) {
  struct isa_launch first = *launch;
  *kernel = *launch->kernel;
  kernel->registers = registers;
  first.kernel = kernel;
  return first;
}

/* The register limit for which a run would lower the kernel again; 0: it would not, or could not. */
static uint32_t wanted_registers(const struct machine *machine, const struct isa_launch *first) {
  return simulation_occupancy(machine, first).groups[LIMIT_REGISTERS] ? 0 : fitting_registers(machine, first);
}

static bool same_local(const struct job *job, const struct job_launch *launch, const struct isa_launch *first,
                       struct message *message) {
  struct isa_launch chosen = *first;
  const uint32_t *local = launch->isa.local, *here = chosen.local;
  if (!launch->local_chosen)
    return true;
  choose_local(job->machine, &chosen, false);
  if (memcmp(here, local, sizeof chosen.local) == 0)
    return true;
  return message_fail(message,
                      "work-groups of %u x %u x %u were chosen for the recording's machine, but this machine would get "
                      "%u x %u x %u; record with --local to fix the size",
                      local[0], local[1], local[2], here[0], here[1], here[2]);
}

static bool same_lowering(const struct job *job, const struct isa_launch *first, const struct job_fit *fit,
                          struct message *message) {
  const uint32_t wants = fit->lowered ? wanted_registers(job->machine, first) : 0;
  if (fit->lowered && !isa_same_features(&fit->isa, &job->machine->isa))
    return message_fail(message,
                        "kernel '%s' was compiled for a machine with other instructions (isa.*), so a run on this one "
                        "has a different program; record on this machine",
                        first->kernel->name);
  if (wants == fit->fitted)
    return true;
  char was[40] = "any number of registers", here[40] = "any number";
  if (fit->fitted)
    snprintf(was, sizeof was, "%u registers a lane", fit->fitted);
  if (wants)
    snprintf(here, sizeof here, "%u", wants);
  return message_fail(message,
                      "kernel '%s' was compiled for %s, but for %s on this machine, so a run has a different program; "
                      "record on this machine",
                      first->kernel->name, was, here);
}

bool job_fits(const struct job *job, const struct job_launch *launch, struct message *message) {
  const struct job_fit *fit = &launch->fit;
  const struct machine *machine = job->machine;
  enum launch_field field;
  struct isa_kernel kernel;
  const struct isa_launch first = as_first(&launch->isa, fit->registers, &kernel);
  if (!same_local(job, launch, &first, message))
    return false;
  if (!check_group_size(machine, &launch->isa, message))
    return false;
  if (!same_lowering(job, &first, fit, message))
    return false;
  const struct occupancy occupancy = simulation_occupancy(machine, &launch->isa);
  return occupancy.groups_per_cu ? true : fail_occupancy(machine, &launch->isa, &occupancy, &field, message);
}
