/* What SPIR-V records about its source: types and qualifiers of kernel arguments, and attributes.
 *
 * OpString is "kernel_arg_type.NAME.float4*,int," or "kernel_arg_type_qual.NAME.const,,", as llvm-spirv began to write
 * them: an item for each argument. Constant memory shows in the parameters' types. */
#include <inttypes.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/base/text.h"

enum {
  HEAD = 5, /* words */
  OP_STRING = 7,
  OP_ENTRY_POINT = 15,
  OP_EXECUTION_MODE = 16,
  OP_TYPE_IMAGE = 25,
  OP_TYPE_POINTER = 32,
  OP_TYPE_PIPE = 38,
  OP_FUNCTION = 54,
  OP_FUNCTION_PARAMETER = 55,
  OP_TYPE_UNTYPED_POINTER = 4417,
  MODE_LOCAL_SIZE = 17,
  MODE_LOCAL_SIZE_HINT = 18,
  MODE_VECTOR_TYPE_HINT = 30,
  CLASS_UNIFORM_CONSTANT = 0,
  IMAGE_ACCESS = 9, /* index of a word in OpTypeImage */
};
#define MAGIC 0x07230203u

struct walk {
  const uint32_t *words;
  size_t count, at;
  uint32_t op, length; /* of the instruction at `at` */
};

/* A module in the other byte order counts as empty. */
static struct walk begin(const struct program *program) {
  struct walk walk = {
      .words = (const uint32_t *)(const void *)program->spirv, .count = program->spirv_bytes / 4, .at = HEAD};
  if (!walk.words || walk.count < HEAD || *walk.words != MAGIC)
    walk.count = 0;
  return walk;
}

static bool next(struct walk *walk) {
  walk->at += walk->length;
  if (walk->at >= walk->count)
    return false;
  walk->op = walk->words[walk->at] & 0xffff;
  walk->length = walk->words[walk->at] >> 16;
  return walk->length && walk->length <= walk->count - walk->at;
}

/* The string at word `from` of the instruction; NULL: there is none. */
static const char *string_at(const struct walk *walk, uint32_t from) {
  if (walk->length <= from)
    return NULL;
  const char *text = (const char *)&walk->words[walk->at + from];
  return memchr(text, 0, 4 * (size_t)(walk->length - from)) ? text : NULL;
}

/* Item `index` of the list after "WHAT.KERNEL."; NULL: there is none. */
static char *item(const struct program *program, const char *what, const char *kernel, size_t index) {
  char *head = need_print("%s.%s.", what, kernel), *found = NULL;
  const size_t length = strlen(head);
  for (struct walk walk = begin(program); !found && next(&walk);) {
    const char *text = walk.op == OP_STRING ? string_at(&walk, 2) : NULL;
    if (!text || strncmp(text, head, length) != 0)
      continue;
    text += length;
    for (size_t i = 0; i < index && text; i++)
      text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
    if (text && *text)
      found = need_print("%.*s", (int)strcspn(text, ","), text);
  }
  free(head);
  return found;
}

static uint32_t function_of(const struct program *program, const char *kernel) {
  for (struct walk walk = begin(program); next(&walk);) {
    const char *name = walk.op == OP_ENTRY_POINT ? string_at(&walk, 3) : NULL;
    if (name && strcmp(name, kernel) == 0)
      return walk.words[walk.at + 2];
  }
  return 0;
}

static bool is_constant_pointer(const struct program *program, uint32_t type) {
  for (struct walk walk = begin(program); next(&walk);)
    if ((walk.op == OP_TYPE_POINTER || walk.op == OP_TYPE_UNTYPED_POINTER) && walk.length > 2 &&
        walk.words[walk.at + 1] == type)
      return walk.words[walk.at + 2] == CLASS_UNIFORM_CONSTANT;
  return false;
}

/* The access qualifier in the type of a pipe or image; NULL: neither of them, or no qualifier. */
static const char *access_of(const struct program *program, uint32_t type) {
  static const char *const words[] = {"read_only", "write_only", "read_write"};
  for (struct walk walk = begin(program); next(&walk);) {
    const uint32_t at = walk.op == OP_TYPE_PIPE ? 2 : IMAGE_ACCESS;
    if ((walk.op != OP_TYPE_PIPE && walk.op != OP_TYPE_IMAGE) || walk.length <= at || walk.words[walk.at + 1] != type)
      continue;
    const uint32_t access = walk.words[walk.at + at];
    return access < sizeof words / sizeof *words ? words[access] : NULL;
  }
  return NULL;
}

/* The type id of a parameter; 0: there is no such parameter. */
static uint32_t type_of(const struct program *program, uint32_t function, size_t index) {
  bool inside = false;
  for (struct walk walk = begin(program); next(&walk);) {
    if (walk.op == OP_FUNCTION)
      inside = walk.length > 2 && walk.words[walk.at + 2] == function;
    else if (inside && walk.op == OP_FUNCTION_PARAMETER && index-- == 0)
      return walk.words[walk.at + 1];
  }
  return 0;
}

void api_source_argument(const struct program *program, const char *kernel, size_t index, ww_argument *argument) {
  argument->source_type = item(program, "kernel_arg_type", kernel, index);
  argument->source_qualifiers = item(program, "kernel_arg_type_qual", kernel, index);
  if (argument->kind == WW_ARGUMENT_VALUE || argument->kind == WW_ARGUMENT_LOCAL)
    return;
  const uint32_t type = type_of(program, function_of(program, kernel), index);
  argument->constant = is_constant_pointer(program, type);
  argument->access = access_of(program, type);
}

/* vec_type_hint: the number of a type and its vector width. SPIR-V does not record the sign of integers. */
static void add_vector_hint(struct text *text, uint32_t hint) {
  static const char *const types[] = {"uchar", "ushort", "uint", "ulong", "half", "float", "double"};
  const uint32_t type = hint & 0xffff, count = hint >> 16;
  if (type >= sizeof types / sizeof *types)
    return;
  text_print(text, "%svec_type_hint(%s", text->length ? " " : "", types[type]);
  text_print(text, count > 1 ? "%" PRIu32 ")" : ")", count);
}

char *api_source_attributes(const struct program *program, const char *kernel) {
  const uint32_t function = function_of(program, kernel);
  struct text text = {0};
  for (struct walk walk = begin(program); next(&walk);) {
    const uint32_t *word = &walk.words[walk.at];
    if (walk.op != OP_EXECUTION_MODE || walk.length < 4 || word[1] != function)
      continue;
    if (word[2] == MODE_VECTOR_TYPE_HINT)
      add_vector_hint(&text, word[3]);
    if (walk.length < 6)
      continue;
    if (word[2] == MODE_LOCAL_SIZE || word[2] == MODE_LOCAL_SIZE_HINT)
      text_print(&text, "%s%s(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", text.length ? " " : "",
                 word[2] == MODE_LOCAL_SIZE ? "reqd_work_group_size" : "work_group_size_hint", word[3], word[4],
                 word[5]);
  }
  return text.data ? text.data : need_copy("");
}
