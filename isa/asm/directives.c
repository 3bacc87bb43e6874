/* Directives: the lines that start with a period. */
#include "isa/asm/assembler.h"
#include "isa/numbers.h"
#include "isa/pipe.h"
#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/core/params.h"

#include <stdlib.h>
#include <string.h>

static bool in_kernel(struct assembler *as, struct token name) {
  return as->scope || fail(as, name, "start one with .kernel NAME", "directive outside a kernel:");
}

/* ---- arguments ---------------------------------------------------------------------------------- */

static const struct scalar {
  const char *name;
  uint32_t bytes;
  enum isa_type type; /* type of the numbers in .const */
} scalars[] = {
    {"u8", 1, TYPE_U8},   {"s8", 1, TYPE_S8},   {"u16", 2, TYPE_U16}, {"s16", 2, TYPE_S16}, {"f16", 2, TYPE_F16},
    {"u32", 4, TYPE_U32}, {"s32", 4, TYPE_S32}, {"f32", 4, TYPE_F32}, {"u64", 8, TYPE_U64}, {"s64", 8, TYPE_S64},
    {"f64", 8, TYPE_F64}, {"b8", 1, TYPE_U8},   {"b16", 2, TYPE_U16}, {"b32", 4, TYPE_B32}, {"b64", 8, TYPE_B64},
};
enum { SCALARS = sizeof scalars / sizeof scalars[0], ARG_SCALARS = 11 };

static const struct scalar *find_scalar(const char *text, size_t length, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strlen(scalars[i].name) == length && memcmp(text, scalars[i].name, length) == 0)
      return &scalars[i];
  return NULL;
}

uint32_t isa_value_bytes(const char *text, size_t length) {
  static const struct {
    const char *text;
    uint32_t elements;
  } widths[] = {{"2", 2}, {"3", 4}, {"4", 4}, {"8", 8}, {"16", 16}};
  const char *x = memchr(text, 'x', length);
  const size_t head = x ? (size_t)(x - text) : length;
  const struct scalar *scalar = find_scalar(text, head, ARG_SCALARS);
  if (!scalar || !x)
    return scalar ? scalar->bytes : 0;
  const size_t rest = length - head - 1;
  for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
    if (strlen(widths[i].text) == rest && memcmp(x + 1, widths[i].text, rest) == 0)
      return scalar->bytes * widths[i].elements;
  return 0;
}

static bool arg_type(struct assembler *as, struct isa_arg *arg, uint32_t *align) {
  const struct token type = lexer_take(&as->lexer);
  arg->bytes = *align = 8;
  if (token_is(type, "global"))
    arg->kind = ISA_ARG_GLOBAL;
  else if (token_is(type, "pipe"))
    arg->kind = ISA_ARG_PIPE;
  else if (type.kind == TOKEN_WORD && isa_image_argument(type.text, type.length) < ISA_IMAGE_KINDS)
    arg->kind = ISA_ARG_IMAGE;
  else if (token_is(type, "local") || token_is(type, "sampler")) {
    arg->kind = token_is(type, "local") ? ISA_ARG_LOCAL : ISA_ARG_SAMPLER;
    arg->bytes = *align = 4;
  } else if (token_is(type, "bytes")) {
    uint64_t bytes = 0;
    if (!take_count(as, "the size of an argument", ISA_MOST_ARG_BYTES, &bytes))
      return false;
    arg->kind = ISA_ARG_VALUE;
    arg->bytes = (uint32_t)bytes;
    *align = 16;
  } else {
    arg->kind = ISA_ARG_VALUE;
    arg->bytes = *align = type.kind == TOKEN_WORD ? isa_value_bytes(type.text, type.length) : 0;
  }
  if (!arg->bytes)
    return fail(as, type, "use global, local, pipe, image2d, sampler, u32, f32x4, ... or bytes N",
                "unknown type of an argument:");
  arg->type = need_bytes(type.text, type.length);
  return true;
}

static bool place_arg(struct assembler *as, struct token name, struct isa_arg *arg, uint32_t align) {
  struct isa_kernel *kernel = current_kernel(as);
  uint64_t offset = ((uint64_t)kernel->arg_bytes + align - 1) / align * align;
  if (token_is(as->lexer.next, "at")) {
    lexer_take(&as->lexer);
    if (!take_count(as, "the offset of an argument", ISA_MOST_ARG_BYTES, &offset))
      return false;
  }
  if (offset + arg->bytes > ISA_MOST_ARG_BYTES || kernel->arg_count == ISA_MOST_ARGS)
    return fail(as, name, NULL, "more than %d arguments or %d bytes of them at", ISA_MOST_ARGS, ISA_MOST_ARG_BYTES);
  arg->offset = (uint32_t)offset;
  const uint32_t end = arg->offset + arg->bytes;
  kernel->arg_bytes = end > kernel->arg_bytes ? end : kernel->arg_bytes;
  return declare(as, name, (struct symbol){.kind = SYMBOL_NUMBER, .value = arg->offset});
}

static bool directive_arg(struct assembler *as) {
  struct isa_kernel *kernel = current_kernel(as);
  const struct token name = lexer_take(&as->lexer);
  struct isa_arg arg = {0};
  uint32_t align = 1;
  if (!arg_type(as, &arg, &align) || !place_arg(as, name, &arg, align)) {
    free(arg.type);
    return false;
  }
  arg.name = need_bytes(name.text, name.length);
  kernel->args = need_more(kernel->args, kernel->arg_count + 1, sizeof *kernel->args);
  kernel->args[kernel->arg_count++] = arg;
  return true;
}

/* ---- storage ------------------------------------------------------------------------------------ */

static bool name_lds(struct assembler *as, struct token name, uint32_t offset, uint32_t bytes) {
  struct isa_kernel *kernel = current_kernel(as);
  if (!declare(as, name, (struct symbol){.kind = SYMBOL_NUMBER, .value = offset}))
    return false;
  if (kernel->lds_count == ISA_MOST_LDS_VARIABLES)
    return fail(as, name, NULL, "more than %d named blocks of LDS at", ISA_MOST_LDS_VARIABLES);
  kernel->lds = need_more(kernel->lds, kernel->lds_count + 1, sizeof *kernel->lds);
  kernel->lds[kernel->lds_count++] = (struct isa_lds_variable){need_bytes(name.text, name.length), offset, bytes};
  return true;
}

/* BYTES [align N]: the size of an LDS block, which is placed behind the previous ones. */
static bool place_lds(struct assembler *as, struct token name, uint32_t *offset, uint32_t *size) {
  struct isa_kernel *kernel = current_kernel(as);
  uint64_t bytes = 0, align = 16;
  if (!take_count(as, "the size of an LDS block", ISA_MOST_LDS_BYTES, &bytes))
    return false;
  const struct token word = as->lexer.next;
  if (token_is(word, "align")) {
    lexer_take(&as->lexer);
    if (!take_count(as, "an alignment", 1 << 16, &align))
      return false;
    if (!align || align & (align - 1))
      return fail(as, word, NULL, "an alignment is a power of two:");
  }
  const uint64_t at = (kernel->lds_bytes + align - 1) & ~(align - 1);
  if (at + bytes > ISA_MOST_LDS_BYTES)
    return fail(as, name, NULL, "more than %d bytes of LDS at", ISA_MOST_LDS_BYTES);
  kernel->lds_bytes = (uint32_t)(at + bytes);
  *offset = (uint32_t)at;
  *size = (uint32_t)bytes;
  return true;
}

static bool directive_lds(struct assembler *as) {
  const struct token name = lexer_take(&as->lexer);
  uint32_t offset = 0, bytes = 0;
  return place_lds(as, name, &offset, &bytes) && (token_is(name, "_") || name_lds(as, name, offset, bytes));
}

static bool directive_scratch(struct assembler *as) {
  struct isa_kernel *kernel = current_kernel(as);
  const struct token at = as->lexer.next;
  if (kernel->scratch_bytes)
    return fail(as, at, NULL, "a kernel has only one scratch:");
  if (!place_lds(as, at, &kernel->scratch, &kernel->scratch_bytes))
    return false;
  return kernel->scratch_bytes || fail(as, at, NULL, "a scratch must have at least 1 byte, not");
}

static bool directive_private(struct assembler *as) {
  uint64_t bytes = 0;
  if (!take_count(as, "the size of private memory", ISA_MOST_PRIVATE_BYTES, &bytes))
    return false;
  current_kernel(as)->private_bytes = (uint32_t)bytes;
  return true;
}

static bool directive_spilled(struct assembler *as) {
  uint64_t words = 0;
  const uint32_t most = current_kernel(as)->private_bytes / 4;
  const struct token at = as->lexer.next;
  if (!take_count(as, "a number of spilled words", ISA_MOST_PRIVATE_BYTES, &words))
    return false;
  current_kernel(as)->spilled = (uint32_t)words;
  return words <= most || fail(as, at, "spilled words are part of .private, which must come first",
                               "the private memory has room for %u words, not", most);
}

static bool directive_registers(struct assembler *as) {
  uint64_t count = 0;
  const struct token at = as->lexer.next;
  if (!take_count(as, "a number of registers", ISA_REGISTERS, &count))
    return false;
  as->registers_wanted = (uint32_t)count;
  return count || fail(as, at, "1 to 255", "a kernel must have at least 1 register, not");
}

static bool directive_reqd_local(struct assembler *as) {
  uint32_t *local = current_kernel(as)->required_local;
  uint64_t items = 1;
  const struct token at = as->lexer.next;
  local[0] = local[1] = local[2] = 1;
  for (int axis = 0; axis < 3; axis++) {
    uint64_t size = 0;
    if (axis && !lexer_take_sign(&as->lexer, ','))
      break;
    if (!take_count(as, "a work-group size", ISA_MOST_GROUP_ITEMS, &size))
      return false;
    local[axis] = (uint32_t)size;
    items *= size;
  }
  return (items && items <= ISA_MOST_GROUP_ITEMS) ||
         fail(as, at, "1 to 65536 work-items", "impossible work-group size");
}

/* ---- registers ---------------------------------------------------------------------------------- */

/* [N] after a name; 1 without it. */
static bool take_elements(struct assembler *as, uint64_t most, uint64_t *elements) {
  *elements = 1;
  if (!lexer_take_sign(&as->lexer, '['))
    return true;
  const struct token at = as->lexer.next;
  if (!take_count(as, "the length of an array", most, elements) || !expect_sign(as, ']'))
    return false;
  return *elements || fail(as, at, NULL, "an array must have at least 1 element, not");
}

static bool declare_register(struct assembler *as, uint32_t width) {
  const struct token name = lexer_take(&as->lexer);
  uint64_t elements = 1;
  if (!take_elements(as, ISA_REGISTERS, &elements))
    return false;
  if (as->bare_registers)
    return fail(as, name, "name all registers of a kernel, or none", "a name after bare registers:");
  if (as->registers + width * elements > ISA_REGISTERS)
    return fail(as, name, NULL, "more than %d registers at", ISA_REGISTERS);
  const uint32_t first = as->registers;
  as->registers += (uint32_t)(width * elements);
  return declare(
      as, name,
      (struct symbol){.kind = SYMBOL_REGISTER, .value = first, .width = width, .elements = (uint32_t)elements});
}

static bool declare_predicate(struct assembler *as) {
  const struct token name = lexer_take(&as->lexer);
  if (as->bare_predicates)
    return fail(as, name, "name all predicates of a kernel, or none", "a name after bare predicates:");
  if (as->predicates == ISA_PREDICATES)
    return fail(as, name, NULL, "more than %d predicates at", ISA_PREDICATES);
  return declare(as, name, (struct symbol){.kind = SYMBOL_PREDICATE, .value = as->predicates++});
}

static bool directive_reg(struct assembler *as) {
  do
    if (!declare_register(as, 1))
      return false;
  while (lexer_take_sign(&as->lexer, ','));
  return true;
}

static bool directive_reg64(struct assembler *as) {
  do
    if (!declare_register(as, 2))
      return false;
  while (lexer_take_sign(&as->lexer, ','));
  return true;
}

static bool directive_pred(struct assembler *as) {
  do
    if (!declare_predicate(as))
      return false;
  while (lexer_take_sign(&as->lexer, ','));
  return true;
}

/* ---- constants and variables ---------------------------------------------------------------------------- */

/* A growing block of bytes: the constants, or the initial values of the variables. */
struct image {
  uint8_t **bytes;
  size_t *count, *room;
  size_t most;
  const char *what;
};

static bool add_bytes(struct assembler *as, const struct image *image, const void *bytes, size_t count) {
  if (!count)
    return true;
  if (count > image->most - *image->count)
    return fail(as, as->lexer.next, NULL, "more than %zu bytes of %s at", image->most, image->what);
  *image->bytes = vector_room(*image->bytes, image->room, *image->count + count, 1);
  memcpy(*image->bytes + *image->count, bytes, count);
  *image->count += count;
  return true;
}

/* Integers of 1 and 2 bytes are parsed as 32-bit ones and then checked against their range. */
static bool take_constant(struct assembler *as, const struct scalar *scalar, uint64_t *bits) {
  const struct token at = lexer_signed(&as->lexer);
  const bool narrow = scalar->bytes < 4 && scalar->type != TYPE_F16;
  if (!take_number(as, narrow ? TYPE_S32 : scalar->type, bits))
    return false;
  const int64_t value = (int32_t)(uint32_t)*bits;
  const int64_t span = narrow ? INT64_C(1) << 8 * scalar->bytes : 0;
  return !narrow || (value >= -span / 2 && value < span) ||
         fail(as, at, NULL, "number does not fit into %s:", scalar->name);
}

/* NAME TYPE v, v, ...: the value of the name is `base` plus the offset of the first. */
static bool take_image(struct assembler *as, const struct image *image, uint32_t base) {
  static const uint8_t zero[8];
  const struct token name = lexer_take(&as->lexer), type = lexer_take(&as->lexer);
  const struct scalar *scalar = type.kind == TOKEN_WORD ? find_scalar(type.text, type.length, SCALARS) : NULL;
  if (!scalar)
    return fail(as, type, "use u8, s8, u16, ... f64, or b8, b16, b32, b64", "unknown type of %s:", image->what);
  if (!add_bytes(as, image, zero, -*image->count & (scalar->bytes - 1)))
    return false;
  const uint32_t value = base + (uint32_t)*image->count;
  do {
    uint64_t bits = 0;
    if (!take_constant(as, scalar, &bits) || !add_bytes(as, image, &bits, scalar->bytes))
      return false;
  } while (lexer_take_sign(&as->lexer, ','));
  return token_is(name, "_") || declare(as, name, (struct symbol){.kind = SYMBOL_NUMBER, .value = value});
}

static bool directive_const(struct assembler *as) {
  struct isa_program *program = as->program;
  const struct image image = {&program->constants, &program->constant_bytes, &as->constant_room,
                              ISA_MOST_CONSTANT_BYTES, "constants"};
  return take_image(as, &image, 0);
}

static bool directive_variable(struct assembler *as) {
  struct isa_program *program = as->program;
  if (program->channel_count)
    return fail(as, as->lexer.next, "move it up", "all variables must come before the first channel:");
  const struct image image = {&program->variables, &program->variable_bytes, &as->variable_room,
                              ISA_MOST_VARIABLE_BYTES, "variables"};
  return take_image(as, &image, (uint32_t)ISA_VARIABLE_BASE);
}

/* ---- channels ------------------------------------------------------------------------------------------- */

/* NAME[N] SIZE PACKETS: the value of the name is the address of the first pipe. */
static bool directive_channel(struct assembler *as) {
  struct isa_program *program = as->program;
  const struct token name = lexer_take(&as->lexer);
  uint64_t count = 0, size = 0, packets = 0;
  if (!take_elements(as, ISA_MOST_PIPES, &count))
    return false;
  const struct token at = as->lexer.next;
  if (!take_count(as, "the bytes of a packet", ISA_MOST_PACKET_BYTES, &size) ||
      !take_count(as, "a number of packets", ISA_MOST_PACKETS, &packets))
    return false;
  if (!size || !packets)
    return fail(as, at, NULL, "a channel must hold at least 1 packet of at least 1 byte, not");
  if (count > ISA_MOST_PIPES - isa_channel_pipes(program))
    return fail(as, name, NULL, "more than %d channels at", ISA_MOST_PIPES);
  struct isa_channel channel = {
      .packet_size = (uint32_t)size, .max_packets = (uint32_t)packets, .count = (uint32_t)count};
  isa_place_channel(isa_variable_room(program), &channel);
  if (isa_channel_end(&channel) > ISA_MOST_VARIABLE_BYTES + ISA_MOST_CHANNEL_BYTES)
    return fail(as, name, NULL, "more than %d MiB of channels at", ISA_MOST_CHANNEL_BYTES >> 20);
  const uint32_t address = (uint32_t)(ISA_VARIABLE_BASE + channel.offset);
  if (!declare(as, name, (struct symbol){.kind = SYMBOL_NUMBER, .value = address}))
    return false;
  channel.name = need_bytes(name.text, name.length);
  program->channels = need_more(program->channels, program->channel_count + 1, sizeof *program->channels);
  program->channels[program->channel_count++] = channel;
  return true;
}

static bool directive_autorun(struct assembler *as) {
  uint32_t *groups = current_kernel(as)->autorun;
  for (int axis = 0; axis < 3; axis++) {
    uint64_t count = 0;
    if (axis && !expect_sign(as, ','))
      return false;
    const struct token at = as->lexer.next;
    if (!take_count(as, "a number of work-groups", ISA_MOST_GROUP_ITEMS, &count))
      return false;
    if (!count)
      return fail(as, at, NULL, "an autorun kernel must have at least 1 work-group, not");
    groups[axis] = (uint32_t)count;
  }
  return true;
}

/* ---- table of directives ------------------------------------------------------------------------ */

static const struct {
  const char *name;
  bool (*take)(struct assembler *as);
  bool anywhere;
} directives[] = {
    {".kernel", begin_kernel, true},
    {".const", directive_const, true},
    {".variable", directive_variable, true},
    {".channel", directive_channel, true},
    {".arg", directive_arg, false},
    {".lds", directive_lds, false},
    {".scratch", directive_scratch, false},
    {".private", directive_private, false},
    {".spilled", directive_spilled, false},
    {".registers", directive_registers, false},
    {".reqd_local", directive_reqd_local, false},
    {".autorun", directive_autorun, false},
    {".reg", directive_reg, false},
    {".reg64", directive_reg64, false},
    {".pred", directive_pred, false},
};
enum { DIRECTIVES = sizeof directives / sizeof directives[0] };

bool directive(struct assembler *as, struct token name) {
  for (size_t i = 0; i < DIRECTIVES; i++)
    if (token_is(name, directives[i].name))
      return (directives[i].anywhere || in_kernel(as, name)) && directives[i].take(as);
  char text[32] = "";
  memcpy(text, name.text, name.length < sizeof text ? name.length : sizeof text - 1);
  return fail_nearest(as, name, nearest_word(text, &directives[0].name, DIRECTIVES, sizeof directives[0]),
                      "unknown directive");
}
