#include "tests/opencl/group_rig.h"
#include "isa/ops.h"
#include "tests/ct.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_buffer(struct group_rig *rig, unsigned number, uint64_t base, uint64_t bytes) {
  struct isa_buffer *buffer = &rig->buffers[number];
  snprintf(buffer->name, sizeof buffer->name, "b%u", number);
  *buffer = (struct isa_buffer){.base = base, .bytes = bytes, .data = calloc(bytes ? bytes : 1, 1)};
}

static bool lower(struct group_rig *rig, const uint8_t *spirv, size_t size, struct opencl_limits limits,
                  struct isa_error *error) {
  limits.target.registers = 255;
  *rig = (struct group_rig){.program = opencl_lower(spirv, size, "kernel.cl", &limits, error)};
  if (!rig->program)
    return false;
  for (unsigned i = 0; i < GROUP_RIG_BUFFERS; i++)
    add_buffer(rig, i, ISA_GLOBAL_BASE + 2ull * i * GROUP_RIG_BYTES, GROUP_RIG_BYTES);
  add_buffer(rig, GROUP_RIG_BUFFERS, ISA_VARIABLE_BASE, rig->program->variable_bytes);
  if (rig->program->variable_bytes)
    memcpy(rig->buffers[GROUP_RIG_BUFFERS].data, rig->program->variables, rig->program->variable_bytes);
  rig->print = open_memstream(&rig->printed, &rig->printed_size);
  group_rig_range(rig, 64, 64, 32);
  return rig->print != NULL;
}

bool group_rig_lower(struct group_rig *rig, const uint8_t *spirv, size_t size, struct isa_error *error) {
  return lower(rig, spirv, size, (struct opencl_limits){.copies = OPENCL_COPIES_MACHINE}, error);
}

bool group_rig_spirv(const char *source, const char *standard, uint8_t **spirv, size_t *size, struct isa_error *error) {
  const struct opencl_build build = {.standard = standard, .text = source, .in_memory = true};
  return opencl_compile("kernel.cl", &build, spirv, size, error);
}

bool group_rig_compile(struct group_rig *rig, const char *source, const char *standard, struct isa_error *error) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  *rig = (struct group_rig){0};
  const bool good = group_rig_spirv(source, standard, &spirv, &size, error) && group_rig_lower(rig, spirv, size, error);
  return good;
}

/* The whole output of a command; the caller frees it. */
static char *output_of(const char *command) {
  char *text = NULL, part[4096];
  size_t size = 0;
  FILE *made = open_memstream(&text, &size), *from = popen(command, "r");
  for (size_t got; made && from && (got = fread(part, 1, sizeof part, from));)
    fwrite(part, 1, got, made);
  if (!made || fclose(made) || !from || pclose(from))
    abort();
  return text;
}

bool group_rig_clang(struct group_rig *rig, const char *source, const char *standard, const char *level,
                     struct isa_error *error) {
  char path[] = "/tmp/warpwait-rig-XXXXXX", command[256];
  const int file = mkstemp(path);
  const size_t length = strlen(source);
  if (file < 0 || write(file, source, length) != (ssize_t)length || close(file))
    abort();
  snprintf(command, sizeof command, "clang-15 -x cl -cl-std=%s -target spir64 %s -g1 -w -emit-llvm -S -o - %s",
           standard, level, path);
  ct_freed(ct_free) char *text = output_of(command);
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  remove(path);
  *rig = (struct group_rig){0};
  return llvm_to_spirv(text, strlen(text), "kernel.ll", &spirv, &size, error) &&
         group_rig_lower(rig, spirv, size, error);
}

bool group_rig_limits(struct group_rig *rig, const char *source, struct opencl_limits limits, struct isa_error *error) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  *rig = (struct group_rig){0};
  const bool good = group_rig_spirv(source, "CL3.0", &spirv, &size, error) && lower(rig, spirv, size, limits, error);
  return good;
}

bool group_rig_open(struct group_rig *rig, const char *source) {
  struct isa_error error = {""};
  const bool good = group_rig_compile(rig, source, "CL3.0", &error);
  if (!good)
    ct_true(false, error.text, __FILE__, __LINE__);
  return good;
}

void group_rig_range(struct group_rig *rig, uint32_t items, uint32_t local, uint32_t warp_size) {
  rig->dimensions = 1;
  rig->warp_size = warp_size;
  for (int axis = 0; axis < 3; axis++) {
    rig->global[axis] = axis ? 1 : items;
    rig->local[axis] = axis ? 1 : local;
    rig->offset[axis] = 0;
  }
}

static void note_hazard(void *context, const struct isa_hazard *hazard) {
  struct group_rig *rig = context;
  rig->hazards++;
  rig->hazard = *hazard;
}

static void note_print(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  struct group_rig *rig = context;
  (void)group;
  (void)item;
  fwrite(text, 1, length, rig->print);
}

static void carry_out(struct isa_group *group, const struct isa_copy *copy) {
  for (uint32_t plane = 0; plane < copy->global.planes; plane++)
    for (uint32_t line = 0; line < copy->global.lines; line++)
      for (uint64_t at = 0; at < copy->global.bytes; at += copy->element_bytes) {
        uint8_t *there =
            isa_memory_at(group->launch->memory, rect_line(&copy->global, plane, line) + at, copy->element_bytes);
        uint8_t *here = group->lds + rect_line(&copy->lds, plane, line) + at;
        if (there)
          memcpy(copy->to_lds ? here : there, copy->to_lds ? there : here, copy->element_bytes);
      }
}

static bool meets(uint8_t class_) {
  return class_ == ISA_CLASS_BARRIER || class_ == ISA_CLASS_COPY || class_ == ISA_CLASS_WAIT ||
         class_ == ISA_CLASS_COPY_FENCE;
}

/* Called when all warps have arrived. */
static void meet(struct group_rig *rig, struct isa_group *group, uint8_t class_, const struct isa_result *result) {
  if (rig->meetings < GROUP_RIG_MEETINGS)
    rig->met[rig->meetings] = *result;
  rig->meetings++;
  if (class_ == ISA_CLASS_COPY && !rig->moves_nothing)
    carry_out(group, &result->copy);
}

/* Runs one warp up to the next place where it meets the others. False if it takes too long. */
static bool run_warp(struct isa_warp *warp, bool last, struct isa_access *access) {
  struct isa_group *group = warp->group;
  struct group_rig *rig = group->launch->report_context;
  for (uint32_t steps = 0; warp->live; steps++) {
    struct isa_result result;
    if (steps > 1u << 20)
      return false;
    warp->clock = rig->clock++;
    isa_step(warp, access, &result);
    const uint8_t class_ = group->launch->program->info[result.pc].class_;
    if (class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL || class_ == ISA_CLASS_PIPE)
      isa_access_commit(access);
    if (class_ == ISA_CLASS_PIPE)
      isa_pipe_report(access);
    if (meets(class_) && last && result.mask)
      meet(rig, group, class_, &result);
    if (meets(class_))
      return true;
  }
  return true;
}

static bool run_group(const struct isa_launch *launch, uint32_t linear) {
  static struct isa_warp warp[GROUP_RIG_WARPS];
  static struct isa_access_lanes lanes;
  struct isa_access access = isa_access_with(&lanes);
  struct isa_group group = {0};
  isa_group_place(&group, launch, linear);
  if (!EXPECT_LE(group.warps, GROUP_RIG_WARPS))
    return false;
  group.lds = calloc(launch->lds_bytes + 1, 1);
  memset(group.lds, 0xcd, launch->lds_bytes);
  for (uint32_t i = 0; i < group.warps; i++) {
    isa_warp_place(&warp[i], launch, aligned_alloc(64, isa_warp_bytes(launch)));
    isa_warp_start(&warp[i], &group, i);
  }
  bool good = true, running = true;
  while (good && running) {
    running = false;
    for (uint32_t i = 0; i < group.warps && good; i++) {
      running = running || warp[i].live;
      good = run_warp(&warp[i], i + 1 == group.warps, &access);
    }
  }
  for (uint32_t i = 0; i < group.warps; i++)
    free(warp[i].reg);
  free(group.lds);
  return good;
}

bool group_rig_run(struct group_rig *rig) {
  struct isa_memory memory = {
      .buffers = rig->buffers, .count = GROUP_RIG_BUFFERS + 1, .pipes = rig->pipes, .pipe_count = rig->pipe_count};
  const struct isa_kernel *kernel = &rig->program->kernels[0];
  uint8_t args[8 * GROUP_RIG_BUFFERS];
  for (unsigned i = 0; i < GROUP_RIG_BUFFERS; i++)
    memcpy(args + 8 * i, &rig->buffers[i].base, 8);
  struct isa_launch launch = {.program = rig->program,
                              .kernel = kernel,
                              .dimensions = rig->dimensions,
                              .warp_size = rig->warp_size,
                              .args = args,
                              .memory = &memory,
                              .lds_bytes = kernel->lds_bytes,
                              .report = note_hazard,
                              .report_context = rig,
                              .print = note_print,
                              .print_context = rig};
  for (int axis = 0; axis < 3; axis++) {
    launch.global[axis] = rig->global[axis];
    launch.local[axis] = rig->local[axis];
    launch.offset[axis] = rig->offset[axis];
    launch.groups[axis] = (rig->global[axis] + rig->local[axis] - 1) / rig->local[axis];
  }
  bool good = true;
  for (uint32_t i = 0; i < launch.groups[0] * launch.groups[1] * launch.groups[2] && good; i++)
    good = run_group(&launch, i);
  fflush(rig->print);
  return EXPECT_TRUE(good);
}

enum isa_op group_rig_met(const struct group_rig *rig, unsigned i) {
  return i < rig->meetings && i < GROUP_RIG_MEETINGS ? (enum isa_op)rig->program->code[rig->met[i].pc].op : ISA_OPS;
}

unsigned group_rig_count(const struct group_rig *rig, enum isa_op op) {
  unsigned count = 0;
  for (uint32_t i = 0; i < rig->program->count; i++)
    count += rig->program->code[i].op == op;
  return count;
}

struct isa_pipe *group_rig_pipe(struct group_rig *rig, unsigned argument, uint32_t packet_size, uint32_t max_packets) {
  struct isa_pipe *pipe = &rig->pipes[rig->pipe_count++];
  EXPECT_LE(isa_pipe_bytes(packet_size, max_packets), GROUP_RIG_BYTES);
  isa_pipe_init(pipe, "p", rig->pipe_count, rig->buffers[argument].base, rig->buffers[argument].data, packet_size,
                max_packets);
  return pipe;
}

void group_rig_close(struct group_rig *rig) {
  for (unsigned i = 0; i < rig->pipe_count; i++)
    isa_pipe_free(&rig->pipes[i]);
  for (int i = 0; i <= GROUP_RIG_BUFFERS; i++)
    free(rig->buffers[i].data);
  if (rig->print)
    fclose(rig->print);
  free(rig->printed);
  isa_program_free(rig->program);
}
