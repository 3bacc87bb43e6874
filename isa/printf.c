/* What printf prints: OpenCL C's formatted output (6.15.14), lane by lane.
 *
 * The instruction names a block of the lane's private memory and a descriptor in the program's constants: two
 * zero-terminated strings. The first describes the block, one letter per argument:
 *
 *     b 1 byte   h 2 bytes   w 4 bytes   d 8 bytes   s an 8-byte pointer to a string
 *
 * For a vector, the number of its components precedes the letter ("3w"). Arguments start at multiples of 8 from the
 * block's address; the components of a vector are contiguous. The second string is the format.
 *
 * The letters give the width of the values, the format their meaning. Where they disagree, OpenCL leaves the behavior
 * undefined, and the conversion does its best here. Conversions that are malformed or have no argument left are printed
 * as they are. */
#include "isa/numbers.h"
#include "isa/step.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  PRINT_MOST = 1 << 16,     /* bytes that one printf of a work-item can print; the rest is cut off */
  LONGEST_TYPES = 1 << 12,  /* of a descriptor */
  MOST_WIDTH = 4095,        /* of a conversion, and its precision */
  MOST_COMPONENTS = 16,     /* of a vector */
  CONSTANT_SPACE = 1 << 29, /* bytes from the aperture of the constants to the next */
};

_Static_assert(ISA_CONSTANT_APERTURE + CONSTANT_SPACE == ISA_VARIABLE_BASE, "the constants' aperture ends there");

/* ---- descriptors -------------------------------------------------------------------------------- */

/* An argument and its place in the block. */
struct argument {
  char letter;
  uint32_t components, bytes; /* `bytes` each */
  uint32_t offset;
};

static uint32_t letter_bytes(char letter) {
  return letter == 'b' ? 1 : letter == 'h' ? 2 : letter == 'w' ? 4 : letter == 'd' || letter == 's' ? 8 : 0;
}

/* Takes the next argument of a list and advances *end, the end of the block so far. Returns false at the end of the
 * list, and where it is malformed; then **types is not zero. */
static bool take_argument(const char **types, uint32_t *end, struct argument *argument) {
  const char *at = *types;
  uint32_t components = *at >= '0' && *at <= '9' ? 0 : 1;
  for (; *at >= '0' && *at <= '9' && components <= MOST_COMPONENTS; at++)
    components = 10 * components + (uint32_t)(*at - '0');
  const uint32_t bytes = letter_bytes(*at);
  if (!bytes || !components || components > MOST_COMPONENTS)
    return false;
  *argument = (struct argument){*at, components, bytes, (*end + 7) & ~7u};
  *end = argument->offset + components * bytes;
  *types = at + 1;
  return true;
}

/* The size of the block, or UINT32_MAX if the list is malformed. */
static uint32_t block_bytes(const char *types) {
  struct argument argument;
  uint32_t end = 0;
  while (take_argument(&types, &end, &argument))
    ;
  return *types ? UINT32_MAX : end;
}

bool isa_find_printf(const struct isa_program *program, uint32_t offset, struct isa_printf *out) {
  if (offset >= program->constant_bytes)
    return false;
  const char *types = (const char *)program->constants + offset;
  const size_t left = program->constant_bytes - offset;
  const char *end = memchr(types, 0, left < LONGEST_TYPES ? left : LONGEST_TYPES);
  if (!end || block_bytes(types) == UINT32_MAX)
    return false;
  const char *format = end + 1;
  const size_t rest = left - (size_t)(format - types);
  *out = (struct isa_printf){types, format};
  return memchr(format, 0, rest < PRINT_MOST ? rest : PRINT_MOST) != NULL;
}

/* ---- output ------------------------------------------------------------------------------------- */

struct output {
  char text[PRINT_MOST + 1]; /* snprintf() ends with a zero */
  size_t length;
};

static void put_bytes(struct output *out, const char *bytes, size_t count) {
  const size_t room = PRINT_MOST - out->length;
  count = count < room ? count : room;
  memcpy(out->text + out->length, bytes, count);
  out->length += count;
}

static void put_spaces(struct output *out, size_t count) {
  while (count--)
    put_bytes(out, " ", 1);
}

/* Accounts for an snprintf() at the end of the text with space for `room` bytes and a zero. */
static void put_written(struct output *out, int written) {
  const size_t room = PRINT_MOST - out->length, count = written > 0 ? (size_t)written : 0;
  out->length += count < room ? count : room;
}

/* ---- conversions -------------------------------------------------------------------------------- */

struct conversion {
  char flags[8];
  uint32_t width, precision;
  bool precise; /* has a precision */
  uint32_t components;
  uint32_t bytes; /* of an integer, according to the length modifier; 0 without one */
  char letter;
};

static bool take_digits(const char **at, uint32_t *value) {
  for (*value = 0; **at >= '0' && **at <= '9'; ++*at)
    if ((*value = 10 * *value + (uint32_t)(**at - '0')) > MOST_WIDTH)
      return false;
  return true;
}

static void take_flags(const char **at, char *flags) {
  size_t count = 0;
  for (; **at && strchr("-+ #0", **at); ++*at)
    if (!memchr(flags, **at, count))
      flags[count++] = **at;
  flags[count] = '\0';
}

static bool take_vector(const char **at, uint32_t *components) {
  *components = 1;
  if (**at != 'v')
    return true;
  ++*at;
  return take_digits(at, components) &&
         (*components == 2 || *components == 3 || *components == 4 || *components == 8 || *components == 16);
}

static uint32_t take_length(const char **at) {
  static const struct {
    const char *text;
    uint32_t bytes;
  } lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"l", 8}};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    if (strncmp(*at, lengths[i].text, strlen(lengths[i].text)) == 0) {
      *at += strlen(lengths[i].text);
      return lengths[i].bytes;
    }
  return 0;
}

/* Takes the conversion after a '%' and moves *at past it. */
static bool take_conversion(const char **at, struct conversion *conversion) {
  *conversion = (struct conversion){0};
  take_flags(at, conversion->flags);
  if (!take_digits(at, &conversion->width))
    return false;
  conversion->precise = **at == '.';
  *at += conversion->precise;
  if (conversion->precise && !take_digits(at, &conversion->precision))
    return false;
  if (!take_vector(at, &conversion->components))
    return false;
  conversion->bytes = take_length(at);
  conversion->letter = **at;
  *at += **at != '\0';
  return conversion->letter &&
         strchr(conversion->components > 1 ? "diouxXfFeEgGaA" : "diouxXfFeEgGaAcsp", conversion->letter);
}

/* The conversion in the syntax of the host's printf, with the given length modifier. */
static void host_format(const struct conversion *conversion, const char *length, char text[40]) {
  char width[12] = "", precision[12] = "";
  if (conversion->width)
    snprintf(width, sizeof width, "%u", conversion->width);
  if (conversion->precise)
    snprintf(precision, sizeof precision, ".%u", conversion->precision);
  snprintf(text, 40, "%%%s%s%s%s%c", conversion->flags, width, precision, length, conversion->letter);
}

static void put_float(struct output *out, const struct conversion *conversion, uint32_t bytes, uint64_t bits) {
  char format[40];
  const double value = bytes == 8   ? double_of(bits)
                       : bytes == 4 ? float_of((uint32_t)bits)
                                    : half_of((uint32_t)bits & 0xffff);
  host_format(conversion, "", format);
  put_written(out, snprintf(out->text + out->length, PRINT_MOST + 1 - out->length, format, value));
}

static void put_integer(struct output *out, const struct conversion *conversion, uint32_t bytes, uint64_t bits) {
  char format[40];
  /* Without a modifier a scalar is an int. A vector must have one; without it, use the width of the argument. */
  const uint32_t meant = conversion->bytes ? conversion->bytes : conversion->components > 1 ? bytes : 4;
  const unsigned unused = 64 - 8 * (meant < bytes ? meant : bytes);
  host_format(conversion, "ll", format);
  char *at = out->text + out->length;
  const size_t room = PRINT_MOST + 1 - out->length;
  if (conversion->letter == 'd' || conversion->letter == 'i')
    put_written(out, snprintf(at, room, format, (long long)((int64_t)(bits << unused) >> unused)));
  else
    put_written(out, snprintf(at, room, format, (unsigned long long)(bits << unused >> unused)));
}

static void put_component(struct output *out, const struct conversion *conversion, uint32_t bytes, uint64_t bits) {
  char format[40];
  char *at = out->text + out->length;
  const size_t room = PRINT_MOST + 1 - out->length;
  if (strchr("fFeEgGaA", conversion->letter)) {
    put_float(out, conversion, bytes, bits);
  } else if (conversion->letter == 'c') {
    host_format(conversion, "", format);
    put_written(out, snprintf(at, room, format, (int)(uint8_t)bits));
  } else if (conversion->letter == 'p') {
    host_format(conversion, "", format);
    put_written(out, snprintf(at, room, format, (void *)(uintptr_t)bits));
  } else {
    put_integer(out, conversion, bytes, bits);
  }
}

/* ---- strings ------------------------------------------------------------------------------------ */

/* The string at a generic pointer, up to its zero or the end of the memory around it. NULL if there is none. */
static const char *find_string(const struct isa_launch *launch, uint64_t address, size_t *length) {
  const struct isa_program *program = launch->program;
  const uint64_t offset = address - ISA_CONSTANT_APERTURE;
  const char *text = NULL;
  size_t room = 0;
  if (address >= ISA_CONSTANT_APERTURE && offset < program->constant_bytes) {
    text = (const char *)program->constants + offset;
    room = (size_t)(program->constant_bytes - offset);
  } else if ((text = (const char *)isa_memory_at(launch->memory, address, 1))) {
    const struct isa_buffer *buffer = isa_memory_near(launch->memory, address);
    room = (size_t)(buffer->bytes - (address - buffer->base));
  }
  *length = text ? strnlen(text, room) : 0;
  return text;
}

/* Returns false if there is no string. */
static bool put_string(struct output *out, const struct conversion *conversion, const struct isa_launch *launch,
                       uint64_t address) {
  static const char null[] = "(null)";
  size_t length = sizeof null - 1;
  const char *text = address ? find_string(launch, address, &length) : null;
  if (conversion->precise && length > conversion->precision)
    length = conversion->precision;
  const size_t padding = conversion->width > length ? conversion->width - length : 0;
  const bool left = strchr(conversion->flags, '-') != NULL;
  put_spaces(out, left ? 0 : padding);
  if (text)
    put_bytes(out, text, length);
  put_spaces(out, left ? padding : 0);
  return text != NULL;
}

/* ---- lanes -------------------------------------------------------------------------------------- */

/* The state of one lane's printf: its block and the remaining arguments. */
struct printing {
  const struct isa_launch *launch;
  const uint8_t *block;
  const char *types;
  uint32_t end;
  uint64_t bad_string; /* a string argument that points to no string */
};

static uint64_t component_bits(const struct printing *printing, const struct argument *argument, uint32_t i) {
  uint64_t bits = 0;
  memcpy(&bits, printing->block + argument->offset + i * argument->bytes, argument->bytes);
  return bits;
}

static void put_argument(struct output *out, struct printing *printing, const struct conversion *conversion,
                         const struct argument *argument) {
  if (conversion->letter == 's') {
    const uint64_t address = component_bits(printing, argument, 0);
    if (!put_string(out, conversion, printing->launch, address))
      printing->bad_string = address;
    return;
  }
  const uint32_t wanted = conversion->components;
  for (uint32_t i = 0; i < wanted && i < argument->components; i++) {
    put_bytes(out, ",", i > 0);
    put_component(out, conversion, argument->bytes, component_bits(printing, argument, i));
  }
}

static void put_text(struct output *out, struct printing *printing, const char *format) {
  while (*format) {
    const size_t plain = strcspn(format, "%");
    put_bytes(out, format, plain);
    format += plain;
    if (!*format)
      return;
    const char *at = format + 1;
    struct conversion conversion;
    struct argument argument;
    if (*at == '%')
      put_bytes(out, at++, 1);
    else if (take_conversion(&at, &conversion) && take_argument(&printing->types, &printing->end, &argument))
      put_argument(out, printing, &conversion, &argument);
    else
      put_bytes(out, format, (size_t)(at - format));
    format = at;
  }
}

void print_lanes(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask) {
  const struct isa_launch *launch = warp->group->launch;
  struct isa_printf what = {"", ""};
  const bool found = isa_find_printf(launch->program, printf_descriptor(inst), &what);
  assert(found && "isa_validate() has seen the descriptor");
  (void)found;
  uint64_t address[ISA_LANES];
  mask = access_block(warp, inst, pc, mask, block_bytes(what.types), address);
  EACH_LANE(lane, mask) {
    struct output out;
    struct printing printing = {.launch = launch, .types = what.types};
    printing.block = warp->private_memory + (size_t)lane * launch->kernel->private_bytes + address[lane];
    out.length = 0;
    put_text(&out, &printing, what.format);
    if (printing.bad_string)
      step_report(warp, pc, HAZARD_M1, (uint32_t)lane, "a string of printf at address 0x%" PRIx64, printing.bad_string);
    if (launch->print)
      launch->print(launch->print_context, warp->group, warp->index * launch->warp_size + (uint32_t)lane, out.text,
                    out.length);
  }
}
