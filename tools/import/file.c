#include "tools/import/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "tools/import/lines.h"

struct reader {
  const char *path;
  struct sass_lines *lines;
  const struct sass_visitor *visitor;
  struct message *message;
  struct sass_header header;
  bool begun;               /* the header is complete and passed on */
  bool raw;                 /* some instructions are outside thread blocks */
  bool grouped, in_group;   /* there are thread blocks; the reader is inside one */
  bool has_block, in_warp;  /* the number of the block, of the warp is known */
  uint64_t announced, left; /* instructions that the warp declares, and those still to come */
  struct sass_line line;
};

#define FAIL(reader, ...)                                                                                              \
  message_fail_at((reader)->message, (reader)->path, sass_lines_number((reader)->lines), __VA_ARGS__)

/* ---- numbers and words --------------------------------------------------------------------------------- */

/* The next word of a line, or NULL. */
static char *take_word(char **at) {
  char *word = *at;
  while (*word == ' ' || *word == '\t')
    word++;
  if (!*word)
    return NULL;
  char *end = word;
  while (*end && *end != ' ' && *end != '\t')
    end++;
  *at = end + (*end != '\0');
  *end = '\0';
  return word;
}

static bool read_decimal(const char *word, uint64_t most, uint64_t *number) {
  *number = 0;
  if (!*word)
    return false;
  for (; *word; word++) {
    const uint64_t digit = (uint64_t)(uint8_t)*word - '0';
    if (digit > 9 || *number > (most - digit) / 10 || *number * 10 + digit > most)
      return false;
    *number = *number * 10 + digit;
  }
  return true;
}

static bool read_signed(const char *word, int64_t *number) {
  uint64_t size = 0;
  const bool negative = *word == '-';
  if (!read_decimal(word + negative, (uint64_t)INT64_MAX + negative, &size))
    return false;
  *number = (int64_t)(negative ? 0 - size : size);
  return true;
}

static bool read_hex(const char *word, uint64_t *number) {
  unsigned digits = 0;
  *number = 0;
  if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
    word += 2;
  for (; *word; word++, digits++) {
    const int c = *word | 32;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 || digits == 16)
      return false;
    *number = *number << 4 | (uint64_t)digit;
  }
  return digits;
}

/* "(x,y,z)" or "x,y,z". */
static bool read_triple(const char *text, uint64_t most, uint32_t to[3]) {
  char copy[64], *at = copy;
  const size_t bare = *text == '(', length = strlen(text);
  if (length >= sizeof copy || (bare && text[length - 1] != ')'))
    return false;
  memcpy(copy, text + bare, length + 1 - bare);
  if (bare)
    copy[length - 2] = '\0';
  for (unsigned i = 0; i < 3; i++) {
    uint64_t number = 0;
    char *comma = strchr(at, ',');
    if (!comma != (i == 2))
      return false;
    if (comma)
      *comma = '\0';
    if (!read_decimal(at, most, &number))
      return false;
    to[i] = (uint32_t)number;
    at += strlen(at) + 1;
  }
  return true;
}

/* ---- the header ------------------------------------------------------------------------------------------ */

static bool read_size(struct reader *reader, const char *key, const char *value, uint32_t to[3]) {
  if (read_triple(value, INT32_MAX, to) && to[0] && to[1] && to[2])
    return true;
  return FAIL(reader, "%s: '%.60s' is not (x,y,z) with positive numbers", key, value);
}

static bool read_count(struct reader *reader, const char *key, const char *value, uint64_t most, uint32_t *to) {
  uint64_t number = 0;
  if (!read_decimal(value, most, &number))
    return FAIL(reader, "%s: '%.60s' is not a whole number in [0, %" PRIu64 "]", key, value, most);
  *to = (uint32_t)number;
  return true;
}

static bool read_base(struct reader *reader, const char *key, const char *value, uint64_t *to) {
  return read_hex(value, to) || FAIL(reader, "%s: '%.60s' is not a hexadecimal address", key, value);
}

/* "1.2" is 1. */
static bool read_version(struct reader *reader, const char *key, const char *value) {
  char whole[8] = "";
  uint64_t number = 0;
  const size_t length = strcspn(value, ".");
  if (length < sizeof whole)
    memcpy(whole, value, length);
  if (!read_decimal(whole, UINT32_MAX, &number) || number < SASS_FIRST_VERSION || number > SASS_LAST_VERSION)
    return FAIL(reader, "%s: '%.60s' is not one of the readable versions, %d to %d", key, value, SASS_FIRST_VERSION,
                SASS_LAST_VERSION);
  reader->header.version = (uint32_t)number;
  return true;
}

static char *trimmed(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
    text[--length] = '\0';
  return text;
}

/* "-key = value"; ignores unknown keys. */
static bool read_header(struct reader *reader, char *text) {
  struct sass_header *header = &reader->header;
  uint32_t flag = 0;
  char *equals = strchr(text, '=');
  if (reader->begun)
    return FAIL(reader, "a header line, '%.60s', follows the first instruction", text);
  if (!equals)
    return FAIL(reader, "'%.60s' is not -KEY = VALUE", text);
  *equals = '\0';
  const char *key = trimmed(text + 1), *value = trimmed(equals + 1);
  if (strcmp(key, "kernel name") == 0) {
    free(header->name);
    header->name = need_copy(value);
    return *value || FAIL(reader, "kernel name: is empty");
  }
  if (strcmp(key, "grid dim") == 0)
    return read_size(reader, key, value, header->grid);
  if (strcmp(key, "block dim") == 0)
    return read_size(reader, key, value, header->block);
  if (strcmp(key, "shmem") == 0)
    return read_count(reader, key, value, 16 << 20, &header->lds_bytes);
  if (strcmp(key, "nregs") == 0)
    return read_count(reader, key, value, 256, &header->registers);
  if (strcmp(key, "shmem base_addr") == 0)
    return read_base(reader, key, value, &header->shared_base);
  if (strcmp(key, "local mem base_addr") == 0)
    return read_base(reader, key, value, &header->local_base);
  if (strcmp(key, "accelsim tracer version") == 0)
    return read_version(reader, key, value);
  if (strcmp(key, "enable lineinfo") == 0) {
    const bool good = read_count(reader, key, value, 1, &flag);
    header->lines = flag;
    return good;
  }
  return true;
}

/* The header is complete at the first block or instruction. */
static bool end_header(struct reader *reader) {
  struct sass_header *header = &reader->header;
  if (reader->begun)
    return true;
  if (!header->name || !header->grid[0] || !header->block[0])
    return FAIL(reader, "the header has no '%s'",
                !header->name      ? "-kernel name"
                : !header->grid[0] ? "-grid dim"
                                   : "-block dim");
  header->groups = 1;
  uint64_t items = 1;
  for (unsigned i = 0; i < 3; i++) {
    header->groups *= header->grid[i];
    items *= header->block[i];
    if (header->groups > SASS_GROUPS)
      return FAIL(reader, "grid dim: more than %d thread blocks", SASS_GROUPS);
    if (items > SASS_THREADS)
      return FAIL(reader, "block dim: more than %d threads", SASS_THREADS);
  }
  header->warps = (uint32_t)((items + SASS_LANES - 1) / SASS_LANES);
  reader->begun = true;
  return reader->visitor->begin(reader->visitor->self, header, reader->message);
}

/* ---- an instruction -------------------------------------------------------------------------------------- */

static bool wrong_word(struct reader *reader, const char *field, const char *word, const char *legal) {
  if (!word)
    return FAIL(reader, "the line ends before %s, %s", field, legal);
  return FAIL(reader, "%s: '%.60s' is not %s", field, word, legal);
}

static bool take_number(struct reader *reader, char **at, const char *field, uint64_t most, uint64_t *number) {
  const char *word = take_word(at);
  return (word && read_decimal(word, most, number)) || wrong_word(reader, field, word, "a whole number in its range");
}

static bool find_group(struct reader *reader, const uint32_t id[3]) {
  const struct sass_header *header = &reader->header;
  for (unsigned i = 0; i < 3; i++)
    if (id[i] >= header->grid[i])
      return FAIL(reader, "thread block %u,%u,%u is outside the grid of %u,%u,%u", id[0], id[1], id[2], header->grid[0],
                  header->grid[1], header->grid[2]);
  reader->line.group = id[0] + header->grid[0] * (id[1] + (uint64_t)header->grid[1] * id[2]);
  return true;
}

static bool find_warp(struct reader *reader, uint64_t warp) {
  if (warp >= reader->header.warps)
    return FAIL(reader, "warp %" PRIu64 " is outside [0, %u) warps of the block", warp, reader->header.warps);
  reader->line.warp = (uint32_t)warp;
  return true;
}

static bool take_place(struct reader *reader, char **at) {
  uint32_t id[3];
  uint64_t number = 0;
  for (unsigned i = 0; i < 3; i++) {
    if (!take_number(reader, at, "the thread block", INT32_MAX, &number))
      return false;
    id[i] = (uint32_t)number;
  }
  const uint64_t group = reader->line.group;
  const uint32_t warp = reader->line.warp;
  if (!find_group(reader, id) || !take_number(reader, at, "the warp", UINT32_MAX, &number) ||
      !find_warp(reader, number))
    return false;
  if (!reader->grouped || (group == reader->line.group && warp == reader->line.warp))
    return true;
  return FAIL(reader, "an instruction belongs to another warp");
}

static bool take_register(struct reader *reader, char **at, uint8_t *to) {
  const char *word = take_word(at);
  uint64_t number = 0;
  if (!word || *word != 'R' || !read_decimal(word + 1, 255, &number))
    return wrong_word(reader, "a register", word, "R0 to R255");
  *to = (uint8_t)number;
  return true;
}

static bool take_registers(struct reader *reader, char **at) {
  struct sass_line *line = &reader->line;
  uint64_t results = 0, sources = 0;
  uint8_t spare = 0;
  line->result = SASS_ZERO;
  if (!take_number(reader, at, "the count of results", 4, &results))
    return false;
  for (uint64_t i = 0; i < results; i++)
    if (!take_register(reader, at, i ? &spare : &line->result))
      return false;
  line->opcode = take_word(at);
  if (!line->opcode || *line->opcode < 'A' || *line->opcode > 'Z' || strlen(line->opcode) > 100)
    return wrong_word(reader, "the opcode", line->opcode, "a name in capitals");
  if (!take_number(reader, at, "the count of sources", SASS_SOURCES, &sources))
    return false;
  line->sources = (uint8_t)sources;
  for (uint64_t i = 0; i < sources; i++)
    if (!take_register(reader, at, &line->source[i]))
      return false;
  return true;
}

static bool take_address(struct reader *reader, char **at, uint64_t *address) {
  const char *word = take_word(at);
  return (word && read_hex(word, address)) || wrong_word(reader, "an address", word, "a hexadecimal number");
}

static bool take_step(struct reader *reader, char **at, int64_t *step) {
  const char *word = take_word(at);
  return (word && read_signed(word, step)) ||
         wrong_word(reader, "a step from lane to lane", word, "a number, perhaps negative");
}

enum { LIST_ALL, BASE_STRIDE, BASE_DELTA, MODES };

static bool take_addresses(struct reader *reader, char **at) {
  struct sass_line *line = &reader->line;
  uint64_t mode = 0, base = 0;
  int64_t step = 0;
  const char *word = take_word(at);
  if (!word || !read_decimal(word, MODES - 1, &mode))
    return wrong_word(reader, "the form of the addresses", word, "0, 1 or 2");
  if (mode != LIST_ALL && !take_address(reader, at, &base))
    return false;
  if (mode == BASE_STRIDE && !take_step(reader, at, &step))
    return false;
  if (!line->mask)
    return true;
  const int first = __builtin_ctz(line->mask);
  for (uint32_t left = line->mask; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    if (mode == LIST_ALL && !take_address(reader, at, &base))
      return false;
    if (mode == BASE_DELTA && lane != first) {
      if (!take_step(reader, at, &step))
        return false;
      base += (uint64_t)step;
    }
    line->address[lane] = mode == BASE_STRIDE ? base + (uint64_t)step * (uint64_t)(lane - first) : base;
  }
  return true;
}

static bool take_pc(struct reader *reader, char **at) {
  struct sass_line *line = &reader->line;
  uint64_t number = 0;
  line->source_line = 0;
  if (reader->header.lines) {
    if (!take_number(reader, at, "the line of the source", UINT32_MAX, &number))
      return false;
    line->source_line = (uint32_t)number;
  }
  const char *word = take_word(at);
  if (!word || !read_hex(word, &line->pc))
    return wrong_word(reader, "the PC", word, "a hexadecimal number");
  word = take_word(at);
  if (!word || strlen(word) != 8 || !read_hex(word, &number) || number > UINT32_MAX)
    return wrong_word(reader, "the mask", word, "8 hexadecimal digits");
  line->mask = (uint32_t)number;
  return true;
}

static bool read_instruction(struct reader *reader, char *at) {
  struct sass_line *line = &reader->line;
  uint64_t width = 0;
  if (!end_header(reader))
    return false;
  if (reader->grouped && !reader->left)
    return reader->in_warp
               ? FAIL(reader, "the warp has more instructions than the %" PRIu64 " announced", reader->announced)
               : FAIL(reader, "an instruction outside a warp");
  line->number = sass_lines_number(reader->lines);
  reader->raw = !reader->grouped;
  if ((!reader->grouped || reader->header.version < 3) && !take_place(reader, &at))
    return false;
  if (!take_pc(reader, &at) || !take_registers(reader, &at) ||
      !take_number(reader, &at, "the width", UINT32_MAX, &width))
    return false;
  line->memory = width;
  if (line->memory && !take_addresses(reader, &at))
    return false;
  const char *word = take_word(&at);
  line->has_immediate = word;
  line->immediate = 0;
  if (word && !read_signed(word, &line->immediate))
    return wrong_word(reader, "the immediate", word, "a number");
  if ((word = take_word(&at)))
    return FAIL(reader, "'%.60s' is too much on this line", word);
  if (reader->grouped)
    reader->left--;
  return reader->visitor->instruction(reader->visitor->self, line, reader->message);
}

/* ---- blocks and warps ------------------------------------------------------------------------------------ */

static bool end_warp(struct reader *reader) {
  reader->in_warp = false;
  return !reader->left || FAIL(reader, "warp %u has %" PRIu64 " of the %" PRIu64 " instructions announced",
                               reader->line.warp, reader->announced - reader->left, reader->announced);
}

static bool begin_block(struct reader *reader) {
  if (!end_header(reader))
    return false;
  if (reader->in_group || reader->raw)
    return FAIL(reader, "#BEGIN_TB %s",
                reader->raw ? "in a file with instructions outside thread blocks" : "inside a thread block");
  reader->grouped = reader->in_group = true;
  reader->has_block = false;
  return true;
}

static bool end_block(struct reader *reader) {
  if (!reader->in_group || !reader->has_block)
    return FAIL(reader, "#END_TB outside a thread block");
  reader->in_group = false;
  return end_warp(reader) && reader->visitor->end_group(reader->visitor->self, reader->line.group, reader->message);
}

/* "key = value" inside a block: `key` is one of a block's keys. */
static bool read_block_line(struct reader *reader, const char *key, const char *value) {
  uint32_t id[3];
  uint64_t number = 0;
  if (!reader->in_group)
    return FAIL(reader, "'%s' outside a thread block", key);
  if (*key == 't') {
    if (reader->has_block || !read_triple(value, INT32_MAX, id))
      return FAIL(reader, "thread block: '%.60s' is not x,y,z, or is the second one since #BEGIN_TB", value);
    reader->has_block = true;
    return find_group(reader, id);
  }
  if (!read_decimal(value, UINT64_MAX, &number))
    return FAIL(reader, "%s: '%.60s' is not a whole number", key, value);
  if (*key == 'w')
    return end_warp(reader) && find_warp(reader, number);
  if (!reader->has_block || reader->in_warp)
    return FAIL(reader, "insts: no warp begins here");
  reader->in_warp = true;
  reader->announced = reader->left = number;
  return true;
}

static bool read_line(struct reader *reader, char *text) {
  static const char *const keys[] = {"thread block", "warp", "insts"};
  text += strspn(text, " \t");
  if (!*text)
    return true;
  if (*text == '-')
    return read_header(reader, text);
  if (*text == '#')
    return strncmp(text, "#BEGIN_TB", 9) == 0 ? begin_block(reader)
           : strncmp(text, "#END_TB", 7) == 0 ? end_block(reader)
                                              : true;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const size_t length = strlen(keys[i]);
    if (strncmp(text, keys[i], length) != 0)
      continue;
    char *equals = strchr(text, '=');
    return equals ? read_block_line(reader, keys[i], trimmed(equals + 1))
                  : FAIL(reader, "'%.60s' is not %s = VALUE", text, keys[i]);
  }
  return read_instruction(reader, text);
}

bool sass_read(const char *path, const struct sass_visitor *visitor, struct message *message) {
  struct reader reader = {.path = path, .visitor = visitor, .message = message};
  reader.header.version = SASS_FIRST_VERSION;
  reader.lines = sass_lines_open(path, message);
  if (!reader.lines)
    return false;
  bool good = true;
  for (char *text; good && (text = sass_lines_next(reader.lines, &good, message));)
    good = read_line(&reader, text);
  if (good && reader.in_group)
    good = FAIL(&reader, "the file ends inside a thread block");
  good = good && end_header(&reader);
  sass_lines_close(reader.lines);
  free(reader.header.name);
  return good;
}
