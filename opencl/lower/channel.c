/* Channels (cl_intel_channels, cl_altera_channels): the module's declarations, and the accesses of kernels.
 *
 * clang does not know channels. The prelude turns a channel into a program-scope variable of its packet type, and reads
 * and writes into calls that take the variable's address. Such a variable is not stored as one. It becomes a row of
 * isa_channel, pipes behind the program's variables; element i of an array stands for pipe i.
 *
 *     channel float4 c[3] __attribute__((depth(8)));
 *         OpDecorate %c UserSemantic "warpwait.depth.5"           names the depth
 *         %.args = OpVariable ... {8, 5}                          gives the depth of that name
 *
 * An autorun kernel's function has the annotation "warpwait.autorun"; its size hint gives the number of compute
 * units. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/pipe.h"
#include "isa/rows.h"
#include "opencl/lower/build_core.h"
#include "sim/base/need.h"

static const char depth_note[] = "warpwait.depth.", autorun_note[] = "warpwait.autorun";

enum { CHANNEL_PACKETS = 16 /* if the program gives no depth, or 0 */ };

static const struct spirv_inst *definition(const struct spirv *module, uint32_t id) {
  return &module->inst[module->id[id].index];
}

/* The operand that the pointer is derived from; 0: none. */
static uint32_t counted_from(const struct spirv *module, uint32_t id) {
  const struct spirv_id *row = &module->id[id];
  const struct spirv_inst *inst = definition(module, id);
  const bool constant = row->kind == SPIRV_CONSTANT;
  if ((!constant && row->kind != SPIRV_VALUE) || (constant && (inst->op != OpSpecConstantOp || inst->words < 5)))
    return 0;
  const uint32_t op = constant ? inst->word[3] : inst->op;
  const unsigned base = spirv_chain_base((uint16_t)op) + constant;
  return core_stays_in(op) && base < inst->words ? inst->word[base] : 0;
}

/* The variable that a pointer is derived from; 0: unknown. */
static uint32_t root_of(const struct spirv *module, uint32_t id) {
  enum { STEPS = 100 /* a module may contain cycles, which have not been checked for yet */ };
  for (unsigned step = 0; id && step < STEPS; step++) {
    const struct spirv_id *row = &module->id[id];
    if (row->kind == SPIRV_VARIABLE)
      return id;
    id = row->kind == SPIRV_CONSTANT && row->base ? row->base : counted_from(module, id);
  }
  return 0;
}

/* ---- the module's channels ------------------------------------------------------------------------- */

/* The depth with this name; the largest one if several linked units define it; 0: none. */
static uint64_t depth_of(const struct spirv *module, uint64_t name) {
  uint64_t depth = 0;
  for (uint32_t id = 1; id < module->bound; id++) {
    const struct spirv_id *row = &module->id[id];
    if (row->kind != SPIRV_VARIABLE || !row->name || strncmp(row->name, ".args", 5) != 0 ||
        definition(module, id)->words < 5)
      continue;
    const struct spirv_inst *pair = definition(module, definition(module, id)->word[4]);
    uint64_t said = 0, of = 0;
    if (pair->op == OpConstantComposite && pair->words == 5 && spirv_integer(module, pair->word[3], &said) &&
        spirv_integer(module, pair->word[4], &of) && of == name && said > depth)
      depth = said;
  }
  return depth;
}

static bool __attribute__((format(printf, 4, 5)))
fail_channel(const struct spirv *module, const struct isa_channel *channel, struct isa_error *error, const char *format,
             ...) {
  char what[120];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  snprintf(error->text, sizeof error->text, "%.200s: channel '%.100s' %s", module->file, channel->name, what);
  return false;
}

/* The type of the packets; *count is the number of array elements, over all dimensions. */
static const struct spirv_type *packet_of(const struct spirv *module, uint32_t id, uint64_t *count) {
  const struct spirv_type *type = spirv_type(module, spirv_type_of(module, id)->element);
  for (*count = 1; type->kind == SPIRV_ARRAY; type = spirv_type(module, type->element))
    *count = *count > ISA_MOST_PIPES ? *count : *count * type->count;
  return type;
}

static bool is_taken(const struct build_tables *tables, const char *name) {
  for (size_t i = 0; i < tables->channel_count; i++)
    if (strcmp(tables->channels[i].name, name) == 0)
      return true;
  return false;
}

/* The name in the source as a valid word that no earlier channel has. Static channels of linked units may be called
 * "c.1", and other front ends choose names freely. */
static char *name_of(const struct build_tables *tables, const char *said) {
  enum { MOST = 1000 };
  char *name = need_print("%.*s", MOST, said);
  for (char *at = name; *at; at++)
    *at = isalnum((unsigned char)*at) ? *at : '_';
  for (bool legal = isa_is_name(name, strlen(name)); !legal || is_taken(tables, name); legal = true) {
    char *longer = need_print(legal ? "%s_" : "channel_%s", name);
    free(name);
    name = longer;
  }
  return name;
}

static bool add_channel(const struct spirv *module, uint32_t id, struct build_tables *tables, struct isa_error *error) {
  const struct spirv_id *row = &module->id[id];
  const char *note = row->decoration.note ? row->decoration.note : "";
  uint64_t count = 0, depth = 0;
  const struct spirv_type *packet = packet_of(module, id, &count);
  char *name = name_of(tables, row->name ? row->name : "");
  tables->channels = need_more(tables->channels, tables->channel_count + 1, sizeof *tables->channels);
  struct isa_channel *channel = &tables->channels[tables->channel_count++];
  *channel = (struct isa_channel){.name = name};
  if (strncmp(note, depth_note, sizeof depth_note - 1) == 0)
    depth = depth_of(module, strtoull(note + sizeof depth_note - 1, NULL, 10));
  if (depth > ISA_MOST_PACKETS)
    return fail_channel(module, channel, error, "is deeper than %d packets", ISA_MOST_PACKETS);
  if (!packet->size || packet->size > ISA_MOST_PACKET_BYTES)
    return fail_channel(module, channel, error, "has packets of %llu bytes; legal: 1 to %d",
                        (unsigned long long)packet->size, ISA_MOST_PACKET_BYTES);
  channel->packet_size = (uint32_t)packet->size;
  channel->max_packets = depth ? (uint32_t)depth : CHANNEL_PACKETS;
  channel->count = (uint32_t)count;
  const struct isa_channel *last = tables->channel_count > 1 ? channel - 1 : NULL;
  isa_place_channel(last ? isa_channel_end(last) : tables->variable_bytes, channel);
  tables->address[id] = ISA_VARIABLE_BASE + channel->offset;
  tables->channel_of[id] = (uint32_t)tables->channel_count;
  return true;
}

void channels_find(const struct spirv *module, struct build_tables *tables) {
  tables->channel_of = need(module->bound, sizeof *tables->channel_of);
  for (uint32_t i = 0; i < module->insts; i++) {
    const struct spirv_inst *inst = &module->inst[i];
    if (inst->op != OpFunctionCall || inst->words < 5 || module->id[inst->word[3]].kind != SPIRV_FUNCTION ||
        strncmp(module->function[module->id[inst->word[3]].index].name, "__ocl_channel_", 14) != 0)
      continue;
    const uint32_t id = root_of(module, inst->word[4]);
    if (id && spirv_type_of(module, id)->storage == SPIRV_CROSS_WORKGROUP)
      tables->channel_of[id] = UINT32_MAX; /* replaced by the number later */
  }
}

bool channels_place(const struct spirv *module, struct build_tables *tables, struct isa_error *error) {
  uint64_t pipes = 0;
  for (uint32_t id = 1; id < module->bound; id++) {
    if (!tables->channel_of[id])
      continue;
    if (!add_channel(module, id, tables, error))
      return false;
    const struct isa_channel *channel = &tables->channels[tables->channel_count - 1];
    pipes += channel->count;
    if (!channel->count || pipes > ISA_MOST_PIPES)
      return fail_channel(module, channel, error,
                          "is one too many; legal: at most %d in a program, counting each element of an array",
                          ISA_MOST_PIPES);
    if (isa_channel_end(channel) > ISA_MOST_VARIABLE_BYTES + ISA_MOST_CHANNEL_BYTES)
      return fail_channel(module, channel, error, "does not fit; legal: at most %d MiB of channels in a program",
                          ISA_MOST_CHANNEL_BYTES >> 20);
  }
  return true;
}

/* ---- a kernel's accesses --------------------------------------------------------------------------- */

ir_ref channel_pipe(struct build *b, uint32_t id, uint32_t *bytes, uint32_t *align) {
  const uint32_t root = root_of(b->module, id), number = root ? b->tables->channel_of[root] : 0;
  if (!number) {
    build_fail(b, "a channel must be named where it is read or written; it cannot be passed to a function or stored in "
                  "a variable");
    return 0;
  }
  const struct isa_channel *channel = &b->tables->channels[number - 1];
  uint64_t count = 0;
  *bytes = channel->packet_size;
  *align = packet_of(b->module, root, &count)->align;
  const ir_ref base = build_64(b, b->tables->address[root]);
  const ir_ref element = build_op(b, ISA_SUB_64, build_pointer(b, id).address, base, 0);
  const ir_ref end = build_64(b, (uint64_t)channel->packet_size * channel->count);
  const ir_ref scale = build_64(b, channel->count > 1 ? channel->pitch / channel->packet_size : 1);
  const ir_ref pipe = build_op(b, ISA_ADD_64, build_op(b, ISA_MUL_64, element, scale, 0), base, 0);
  /* Address 0 has no pipe. */
  return build_select(b, build_op(b, ISA_SETP_LT_U64, element, end, 0), pipe, build_64(b, 0));
}

bool channel_is_memory(struct build *b, uint32_t id) {
  const uint32_t root = b->tables->channel_count ? root_of(b->module, id) : 0, number = b->tables->channel_of[root];
  return !number || build_fail(b, "channel '%.60s' is not a variable: use read_channel_intel and write_channel_intel",
                               b->tables->channels[number - 1].name);
}

static bool has_autorun_note(const struct spirv *module, uint32_t id) {
  const char *note = module->id[id].decoration.note;
  return note && strcmp(note, autorun_note) == 0;
}

bool build_is_autorun(const struct spirv *module, uint32_t entry) {
  const struct spirv_function *function = &module->function[module->entry[entry].function];
  bool autorun = has_autorun_note(module, function->id);
  for (uint32_t i = 0; function->blocks && i < function->block[0].count; i++) { /* clang's entry calls the kernel */
    const struct spirv_inst *inst = &module->inst[function->block[0].first + i];
    autorun = autorun || (inst->op == OpFunctionCall && has_autorun_note(module, inst->word[3]));
  }
  return autorun;
}

bool channel_autorun(struct build *b, const struct spirv_entry *entry) {
  const uint32_t *size = entry->required_local;
  if (!build_is_autorun(b->module, (uint32_t)(entry - b->module->entry)))
    return true;
  for (int axis = 0; axis < 3; axis++)
    b->ir->autorun[axis] = entry->hint[axis] ? entry->hint[axis] : 1;
  return !size[0] || (uint64_t)size[0] * size[1] * size[2] == 1 ||
         build_fail(b, "autorun kernel '%.60s' has work-groups of %u x %u x %u work-items; legal: 1 x 1 x 1",
                    entry->name, size[0], size[1], size[2]);
}
