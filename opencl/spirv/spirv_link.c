#include "opencl/spirv/spirv_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/spirv/spirv_reader.h"
#include "sim/base/map.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum section {
  HEAD,
  EXTENSIONS,
  SETS,
  MODEL,
  ENTRIES,
  MODES,
  SOURCES,
  NAMES,
  DECORATIONS,
  DEFINITIONS,
  FUNCTIONS,
  SECTIONS
};

struct words {
  uint32_t *at;
  size_t count, room;
};

struct symbol {
  const char *name;
  size_t unit;
  uint32_t id; /* in the linked module */
  bool once;   /* LinkOnceODR */
};

struct link {
  struct spirv **module; /* one each unit */
  uint32_t *first;       /* what is added to a unit's ids */
  size_t units;
  uint32_t bound;
  struct symbol *export;
  size_t exports, export_room;
  struct map names; /* of exports */
  uint32_t *stands; /* by linked id: the id that is used in its place */
  struct words section[SECTIONS];
  struct isa_error *error;
};

/* ---- symbols --------------------------------------------------------------------------------------------------- */

/* The linkage that an instruction gives an id; UINT32_MAX: it is another instruction. The reader has checked that the
 * name ends before the last word. */
static uint32_t linkage_of(const uint32_t *word) {
  const bool is = (uint16_t)word[0] == OpDecorate && word[2] == DecorationLinkageAttributes;
  return is ? word[(word[0] >> 16) - 1] : UINT32_MAX;
}

static struct symbol *find_export(const struct link *link, const char *name) {
  for (size_t at = 0, i; map_next(&link->names, hash_bytes(name, strlen(name)), &at, &i);)
    if (strcmp(link->export[i].name, name) == 0)
      return &link->export[i];
  return NULL;
}

static bool add_export(struct link *link, size_t unit, const uint32_t *word, bool once) {
  const char *name = link->module[unit]->id[word[1]].name;
  const struct symbol *known = find_export(link, name);
  if (known && !(known->once && once)) {
    snprintf(link->error->text, sizeof link->error->text, "units[%zu]: '%.100s' is also defined in units[%zu]", unit,
             name, known->unit);
    return false;
  }
  if (known)
    return true;
  map_add(&link->names, hash_bytes(name, strlen(name)), link->exports);
  *vector_next(link->export, link->exports, link->export_room) =
      (struct symbol){name, unit, link->first[unit] + word[1], once};
  return true;
}

/* Steps through a module's words from `word` on. */
static bool next_instruction(const struct spirv *module, const uint32_t **word) {
  *word = *word ? *word + (**word >> 16) : module->words + READER_HEADER_WORDS;
  return *word < module->words + module->word_count;
}

/* Calls take() with each instruction before the functions, until one returns false. */
static bool each_declaration(struct link *link, bool (*take)(struct link *link, size_t unit, const uint32_t *word)) {
  for (size_t i = 0; i < link->units; i++)
    for (const uint32_t *word = NULL; next_instruction(link->module[i], &word) && (uint16_t)*word != OpFunction;)
      if (!take(link, i, word))
        return false;
  return true;
}

static bool take_export(struct link *link, size_t unit, const uint32_t *word) {
  const uint32_t linkage = linkage_of(word);
  return (linkage != LinkageTypeExport && linkage != LinkageTypeLinkOnceODR) ||
         add_export(link, unit, word, linkage == LinkageTypeLinkOnceODR);
}

static bool resolve_import(struct link *link, size_t unit, const uint32_t *word) {
  const struct symbol *found =
      linkage_of(word) == LinkageTypeImport ? find_export(link, link->module[unit]->id[word[1]].name) : NULL;
  if (found)
    link->stands[link->first[unit] + word[1]] = found->id;
  return true;
}

/* ---- instructions ---------------------------------------------------------------------------------------------- */

struct copy {
  const struct link *link;
  size_t unit;
  uint32_t *word; /* of the copy, changed in place */
};

/* An id that is used. The reader has not checked all of them; that of nothing remains one. */
static void use(const struct copy *copy, uint32_t position) {
  uint32_t *word = &copy->word[position];
  const bool known = *word && *word < copy->link->module[copy->unit]->bound;
  *word = known ? copy->link->stands[copy->link->first[copy->unit] + *word] : 0;
}

static void use_all(const struct copy *copy, uint32_t from, uint32_t end) {
  for (; from < end; from++)
    use(copy, from);
}

static void use_listed(const struct copy *copy, const char *letter, uint32_t position);

/* Operands of the letter `x`, from `position` on. Memory operands, decorations and the like have no ids. */
static void use_special(const struct copy *copy, uint32_t position) {
  const struct spirv *module = copy->link->module[copy->unit];
  const uint32_t end = copy->word[0] >> 16;
  switch ((uint16_t)copy->word[0]) {
  case OpExtInst:
    use_all(copy, position, end - spirv_ends_in_number(copy->word[4]));
    break;
  case OpSpecConstantOp: { /* of an operation, whose operands follow without type and result */
    const struct spirv_op_row *row = spirv_op_row(copy->word[3]);
    if (row && strncmp(row->operands, "tr", 2) == 0 && !strchr(row->operands, 'x'))
      use_listed(copy, row->operands + 2, position);
    break;
  }
  case OpSwitch: { /* of a selector that use_listed() has renumbered */
    const struct spirv_type *type = spirv_type_of(module, copy->word[1] - copy->link->first[copy->unit]);
    const uint32_t step = type && type->bits == 64 ? 3 : 2;
    for (; position + step <= end; position += step)
      use(copy, position + step - 1);
    break;
  }
  case OpGroupMemberDecorate:
    for (; position < end; position += 2)
      use(copy, position);
    break;
  case OpExecutionModeId:
  case OpDecorateId: /* mode or decoration first */
    use_all(copy, position + 1, end);
    break;
  default:
    if (strncmp(spirv_op_row((uint16_t)copy->word[0])->name, "OpImage", 7) == 0) /* which operands follow, and these */
      use_all(copy, position + 1, end);
    break;
  }
}

/* Renumbers the operands that letters of spirv_ops.def describe. */
static void use_listed(const struct copy *copy, const char *letter, uint32_t position) {
  const uint32_t end = copy->word[0] >> 16;
  for (; *letter && position < end; letter++) {
    const bool repeated = letter[1] == '*';
    do
      switch (*letter) {
      case 'r':
        copy->word[position++] += copy->link->first[copy->unit];
        break;
      case 'p':
        use_all(copy, position, position + 2);
        position += 2;
        break;
      case 't':
      case 'i':
        use(copy, position++);
        break;
      case 's':
        while (position < end && copy->word[position] >> 24)
          position++;
        position++;
        break;
      case 'c': /* nothing follows */
        position = end;
        break;
      case 'x':
        use_special(copy, position);
        position = end;
        break;
      default:
        position++;
        break;
      }
    while (repeated && position < end);
    letter += repeated || letter[1] == '?';
  }
}

static enum section section_of(uint16_t op, bool in_functions) {
  switch (op) {
  case OpCapability:
    return HEAD;
  case OpExtension:
    return EXTENSIONS;
  case OpExtInstImport:
    return SETS;
  case OpMemoryModel:
    return MODEL;
  case OpEntryPoint:
    return ENTRIES;
  case OpExecutionMode:
  case OpExecutionModeId:
    return MODES;
  case OpString:
  case OpSource:
  case OpSourceExtension:
  case OpSourceContinued:
    return SOURCES;
  case OpName:
  case OpMemberName:
  case OpModuleProcessed:
    return NAMES;
  case OpDecorate:
  case OpMemberDecorate:
  case OpDecorationGroup:
  case OpGroupDecorate:
  case OpGroupMemberDecorate:
  case OpDecorateId:
  case OpDecorateString:
  case OpMemberDecorateString:
    return DECORATIONS;
  default:
    return in_functions ? FUNCTIONS : DEFINITIONS;
  }
}

/* Does another unit's definition stand for this id? Then what declares and describes it is dropped. */
static bool is_replaced(const struct link *link, size_t unit, uint32_t id) {
  const uint32_t linked = link->first[unit] + id;
  return link->stands[linked] != linked;
}

static void copy_instruction(struct link *link, size_t unit, enum section section, const uint32_t *word) {
  struct words *words = &link->section[section];
  const size_t start = words->count;
  for (uint32_t i = 0; i < word[0] >> 16; i++)
    *vector_next(words->at, words->count, words->room) = word[i];
  const struct copy copy = {link, unit, words->at + start};
  use_listed(&copy, spirv_op_row((uint16_t)word[0])->operands, 1);
}

static void copy_unit(struct link *link, size_t unit) {
  const struct spirv *module = link->module[unit];
  bool in_functions = false, dropped = false;
  for (const uint32_t *word = NULL; next_instruction(module, &word);) {
    const uint16_t op = (uint16_t)word[0];
    in_functions |= op == OpFunction;
    const enum section section = section_of(op, in_functions);
    dropped = op == OpFunction ? is_replaced(link, unit, word[2]) : dropped && section == FUNCTIONS;
    const bool described = (section == NAMES && op != OpModuleProcessed) || section == DECORATIONS,
               variable = section == DEFINITIONS && op == OpVariable,
               debug = op == OpExtInst && strcmp(module->id[word[3]].name, "OpenCL.std") != 0;
    if (!dropped && !debug && !(section == MODEL && unit) && !(described && is_replaced(link, unit, word[1])) &&
        !(variable && is_replaced(link, unit, word[2])))
      copy_instruction(link, unit, section, word);
  }
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static bool read_units(struct link *link, const struct spirv_unit *units) {
  link->bound = 1;
  for (size_t i = 0; i < link->units; i++) {
    char name[32];
    snprintf(name, sizeof name, "units[%zu]", i);
    link->module[i] = spirv_read(units[i].data, units[i].size, name, link->error);
    if (!link->module[i])
      return false;
    link->first[i] = link->bound - 1;
    if (link->module[i]->bound > READER_MOST_BOUND - link->bound) {
      snprintf(link->error->text, sizeof link->error->text, "%s: more than %d ids together with the units before", name,
               READER_MOST_BOUND - 1);
      return false;
    }
    link->bound += link->module[i]->bound - 1;
  }
  link->stands = need(link->bound, sizeof *link->stands);
  for (uint32_t id = 0; id < link->bound; id++)
    link->stands[id] = id;
  return true;
}

static uint8_t *join(const struct link *link, size_t *size) {
  uint32_t head[READER_HEADER_WORDS] = {SPIRV_MAGIC, 0, 0, link->bound, 0};
  size_t words = READER_HEADER_WORDS;
  for (size_t i = 0; i < link->units; i++)
    head[1] = link->module[i]->words[1] > head[1] ? link->module[i]->words[1] : head[1];
  for (unsigned i = 0; i < SECTIONS; i++)
    words += link->section[i].count;
  uint8_t *made = need(words, sizeof *head), *to = made;
  memcpy(to, head, sizeof head);
  to += sizeof head;
  for (unsigned i = 0; i < SECTIONS; i++) {
    const size_t bytes = link->section[i].count * sizeof *head;
    if (bytes)
      memcpy(to, link->section[i].at, bytes);
    to += bytes;
  }
  *size = words * sizeof *head;
  return made;
}

bool spirv_link(const struct spirv_unit *units, size_t count, uint8_t **spirv, size_t *size, struct isa_error *error) {
  struct link link = {.module = need(count, sizeof *link.module),
                      .first = need(count, sizeof *link.first),
                      .units = count,
                      .error = error};
  const bool good =
      read_units(&link, units) && each_declaration(&link, take_export) && each_declaration(&link, resolve_import);
  if (good) {
    for (size_t i = 0; i < count; i++)
      copy_unit(&link, i);
    *spirv = join(&link, size);
  }
  for (size_t i = 0; i < count; i++)
    spirv_free(link.module[i]);
  for (unsigned i = 0; i < SECTIONS; i++)
    free(link.section[i].at);
  free(link.module);
  free(link.first);
  free(link.export);
  free(link.stands);
  map_free(&link.names);
  return good;
}
