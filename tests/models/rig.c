#include "tests/models/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/asm/asm.h"
#include "models/functional.h"
#include "tests/ct.h"
#include "tests/models/rig_replay.h"

bool rig_machine(struct machine *machine, const char *settings) {
  char copy[1024], message[PARAM_MESSAGE] = "";
  machine_defaults(machine);
  snprintf(copy, sizeof copy, "%s", settings ? settings : "");
  for (char *at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
    char *equals = strchr(at, '=');
    *equals = '\0';
    if (!param_set(machine_groups, MACHINE_GROUPS, machine, at, equals + 1, message))
      return EXPECT_STREQ(message, "");
  }
  return machine_check(machine, message) || EXPECT_STREQ(message, "");
}

/* Adds the next pipe, in its own buffer after the others. */
static void add_pipe(struct rig *rig) {
  const uint32_t number = (uint32_t)rig->memory.pipe_count++;
  const uint64_t bytes = isa_pipe_bytes(4, RIG_PACKETS);
  struct isa_buffer *buffer = &rig->buffers[rig->memory.count++];
  *buffer = (struct isa_buffer){.name = "pipe",
                                .base = ISA_GLOBAL_BASE + (RIG_BUFFERS + number) * (uint64_t)(4 * RIG_BUFFER),
                                .bytes = bytes,
                                .data = calloc(1, bytes)};
  rig->memory.pipes = rig->pipes;
  isa_pipe_init(&rig->pipes[number], number ? "other" : "fifo", number + 1, buffer->base, buffer->data, 4, RIG_PACKETS);
}

/* Adds an image of the argument's kind over the bytes of one of the last buffers: RIG_IMAGE texels in each
 * direction. */
static void add_image(struct rig *rig, const struct isa_arg *arg) {
  struct isa_image *image = &rig->images[rig->memory.image_count];
  const enum isa_image_kind kind = isa_image_argument(arg->type, strlen(arg->type));
  const bool flat = kind == ISA_IMAGE_1D || kind == ISA_IMAGE_1D_ARRAY || kind == ISA_IMAGE_1D_BUFFER;
  const bool layered = kind == ISA_IMAGE_1D_ARRAY || kind == ISA_IMAGE_2D_ARRAY;
  *image = (struct isa_image){
      .kind = kind,
      .order = ISA_ORDER_RGBA,
      .type = rig->image_type,
      .layout = rig->machine.texture.layout == TEXTURE_BLOCKS ? ISA_IMAGE_BLOCKS : ISA_IMAGE_ROWS,
      .width = RIG_IMAGE,
      .height = flat ? 1 : RIG_IMAGE,
      .depth = kind == ISA_IMAGE_3D ? RIG_IMAGE_DEPTH : 1,
      .layers = layered ? RIG_IMAGE_DEPTH : 1,
      .base = rig->buffers[RIG_BUFFERS - 1 - rig->memory.image_count].base,
  };
  snprintf(image->name, sizeof image->name, "image%zu", rig->memory.image_count);
  EXPECT_TRUE(!isa_image_init(image) && isa_image_bytes(image) <= RIG_BUFFER);
  const uint64_t handle = isa_image_handle(rig->memory.image_count++);
  memcpy(rig->args + arg->offset, &handle, sizeof handle);
  rig->memory.images = rig->images;
}

static void set_args(struct rig *rig) {
  unsigned buffer = 0, value = 0;
  for (size_t i = 0; i < rig->launch.kernel->arg_count; i++) {
    const struct isa_arg *arg = &rig->launch.kernel->args[i];
    if (arg->kind == ISA_ARG_PIPE) {
      add_pipe(rig);
      memcpy(rig->args + arg->offset, &rig->pipes[rig->memory.pipe_count - 1].base, 8);
    } else if (arg->kind == ISA_ARG_IMAGE)
      add_image(rig, arg);
    else if (arg->kind == ISA_ARG_GLOBAL)
      memcpy(rig->args + arg->offset, &rig->buffers[buffer++].base, 8);
    else
      memcpy(rig->args + arg->offset, &rig->value[value++], 4);
  }
}

static void set_buffers(struct rig *rig) {
  for (unsigned i = 0; i < RIG_BUFFERS; i++) {
    rig->buffers[i] = (struct isa_buffer){
        .base = ISA_GLOBAL_BASE + i * (uint64_t)(4 * RIG_BUFFER), .bytes = RIG_BUFFER, .data = calloc(1, RIG_BUFFER)};
    snprintf(rig->buffers[i].name, sizeof rig->buffers[i].name, "buffer%u", i);
  }
  for (uint32_t i = 0; i < RIG_BUFFER / 4; i++)
    memcpy(rig->buffers[0].data + 4 * (size_t)i, &i, 4);
  rig->memory = (struct isa_memory){.buffers = rig->buffers, .count = RIG_BUFFERS};
}

bool rig_build(struct rig *rig, const char *settings, uint32_t global, uint32_t local, const char *text) {
  struct isa_error error = {.text = ""};
  if (!rig_machine(&rig->machine, settings))
    return false;
  rig->program = isa_assemble(text, strlen(text), "test.wws", &error);
  if (!rig->program)
    return EXPECT_STREQ(error.text, "");
  set_buffers(rig);
  rig->launch = (struct isa_launch){
      .program = rig->program,
      .kernel = &rig->program->kernels[0],
      .dimensions = 1,
      .global = {global, 1, 1},
      .local = {local, 1, 1},
      .groups = {(global + local - 1) / local, 1, 1},
      .warp_size = rig->machine.cu.warp_size,
      .args = rig->args,
      .memory = &rig->memory,
      .lds_bytes = rig->program->kernels[0].lds_bytes,
  };
  set_args(rig);
  if (!rig->sources && !rig->functional)
    rig->recording = rig_record(rig);
  rig->simulation = simulation_new_with(&rig->machine, rig->sources);
  size_t count = 0;
  struct island **islands = simulation_islands(rig->simulation, &count);
  rig->host = host_plain(islands, count, rig->order, 1);
  if (!rig->limit)
    rig->limit = 10000000;
  return EXPECT_TRUE(rig->host != NULL);
}

static void rig_execute(struct rig *rig) {
  struct isa_launch *launch = &rig->launch;
  struct functional *functional = functional_new(&rig->machine);
  functional_run(functional, &launch, 1, rig->limit, NULL, &rig->result);
  rig->ok = true;
  functional_free(functional);
}

void rig_start(struct rig *rig) {
  if (rig->functional) {
    rig_execute(rig);
    return;
  }
  simulation_run(rig->simulation, rig->host, &rig->launch, rig->limit, NULL, &rig->result);
  rig->ok = true;
  if (rig->recording)
    rig_recorded(rig->recording, rig);
}

void rig_run(struct rig *rig, const char *settings, uint32_t global, uint32_t local, const char *text) {
  *rig = (struct rig){.order = ORDER_ASCENDING};
  if (rig_build(rig, settings, global, local, text))
    rig_start(rig);
}

void rig_free(struct rig *rig) {
  launch_result_free(&rig->result);
  if (rig->host)
    rig->host->free(rig->host);
  simulation_free(rig->simulation);
  if (rig->recording)
    rig_replay(rig->recording, rig);
  isa_program_free(rig->program);
  for (size_t i = 0; i < rig->memory.pipe_count; i++)
    isa_pipe_free(&rig->pipes[i]);
  for (unsigned i = 0; i < RIG_BUFFERS + RIG_PIPES; i++)
    free(rig->buffers[i].data);
}

uint32_t rig_word(const struct rig *rig, unsigned buffer, uint32_t index) {
  uint32_t word = 0;
  memcpy(&word, rig->buffers[buffer].data + 4 * (size_t)index, 4);
  return word;
}

const struct pc_result *rig_pc(const struct rig *rig, const char *mnemonic) {
  for (uint32_t pc = 0; pc < rig->program->count; pc++)
    if (strncmp(isa_op_name(rig->program->code[pc].op), mnemonic, strlen(mnemonic)) == 0)
      return &rig->result.by_pc[pc];
  EXPECT_STREQ(mnemonic, "an instruction of the kernel");
  return &rig->result.by_pc[0];
}

uint64_t rig_hazards(const struct rig *rig, enum isa_hazard_rule rule) {
  uint64_t count = 0;
  for (size_t i = 0; i < rig->result.hazard_count; i++)
    if (rig->result.hazards[i].first.rule == rule)
      count += rig->result.hazards[i].count;
  return count;
}

uint64_t rig_cycles(const char *settings, uint32_t global, uint32_t local, const char *text) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, settings, global, local, text);
  uint64_t cycles = rig.result.cycles;
  if (rig.ok)
    EXPECT_EQ(rig.result.end, END_FINISHED);
  return cycles;
}
