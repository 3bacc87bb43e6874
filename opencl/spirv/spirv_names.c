/* What a module says about ids before it defines them: names, decorations, entry points and their execution modes,
 * imported instruction sets, and source files. */
#include "isa/rows.h"
#include "opencl/spirv/spirv_reader.h"
#include "sim/base/need.h"

#include <string.h>

/* ---- decorations --------------------------------------------------------------------------------- */

/* Checks that a string starts at word 3 and ends before the last `behind` words. */
static bool has_string(struct reader *r, uint32_t behind) {
  const uint32_t *word = r->module->words + r->at;
  for (uint32_t i = 3; i + behind < reader_words(r); i++)
    if (!(word[i] >> 24))
      return true;
  return reader_fail(r, "the name in a decoration does not end");
}

/* The linkage name is more precise than OpName and replaces it. SPIR-V puts OpName first. */
static bool read_linkage(struct reader *r) {
  const uint32_t last = reader_word(r, reader_words(r) - 1);
  if (!has_string(r, 1))
    return false;
  struct spirv_id *id = &r->module->id[reader_word(r, 1)];
  id->name = reader_string(r, 3);
  id->import = last == LinkageTypeImport;
  return true;
}

static bool read_alignment(struct reader *r, struct spirv_decoration *decoration, uint32_t value) {
  if (!value || value & (value - 1) || value > 1 << 20)
    return reader_fail(r, "an alignment of %u is not a power of two up to 2^20", value);
  decoration->alignment = value;
  return true;
}

/* `value` is the first operand of the decoration, 0 if it has none. */
static bool read_decoration(struct reader *r, uint32_t kind, uint32_t value) {
  struct spirv_decoration *decoration = &r->module->id[reader_word(r, 1)].decoration;
  switch (kind) {
  case DecorationCPacked:
    decoration->packed = true;
    break;
  case DecorationConstant:
    decoration->constant = true;
    break;
  case DecorationSaturatedConversion:
    decoration->saturated = true;
    break;
  case DecorationNoSignedWrap:
    decoration->no_signed_wrap = true;
    break;
  case DecorationNoUnsignedWrap:
    decoration->no_unsigned_wrap = true;
    break;
  case DecorationBuiltIn:
    if (value > INT16_MAX)
      return reader_fail(r, "built-in %u is unknown", value);
    decoration->builtin = (int16_t)value;
    break;
  case DecorationFPRoundingMode:
    if (value > FPRoundingModeRTN)
      return reader_fail(r, "rounding mode %u is outside [0, 3]", value);
    decoration->rounding = (int8_t)value;
    break;
  case DecorationFuncParamAttr:
    decoration->by_value |= value == FunctionParameterAttributeByVal;
    decoration->sret |= value == FunctionParameterAttributeSret;
    break;
  case DecorationAlignment:
    return read_alignment(r, decoration, value);
  case DecorationLinkageAttributes:
    return read_linkage(r);
  case DecorationUserSemantic:
    decoration->note = has_string(r, 0) ? reader_string(r, 3) : NULL;
    return decoration->note;
  default: /* has no effect on what a kernel computes */
    break;
  }
  return true;
}

static bool decorate(struct reader *r) {
  if (reader_words(r) < 3)
    return reader_fail(r, "operands are missing: 3 words are too few");
  r->decorated[reader_word(r, 1)] = r->at;
  return read_decoration(r, reader_word(r, 2), reader_words(r) > 3 ? reader_word(r, 3) : 0);
}

/* Copies a group's decorations to each id that follows, except linkage, which cannot apply to several ids. */
static bool decorate_group(struct reader *r) {
  const struct spirv_decoration from = r->module->id[reader_word(r, 1)].decoration;
  for (uint32_t i = 2; i < reader_words(r); i++) {
    r->decorated[reader_word(r, i)] = r->at;
    struct spirv_decoration *to = &r->module->id[reader_word(r, i)].decoration;
    to->alignment = from.alignment ? from.alignment : to->alignment;
    to->builtin = from.builtin >= 0 ? from.builtin : to->builtin;
    to->rounding = from.rounding >= 0 ? from.rounding : to->rounding;
    to->saturated |= from.saturated;
    to->by_value |= from.by_value;
    to->sret |= from.sret;
    to->packed |= from.packed;
    to->constant |= from.constant;
    to->no_signed_wrap |= from.no_signed_wrap;
    to->no_unsigned_wrap |= from.no_unsigned_wrap;
  }
  return true;
}

bool reader_check_decorations(struct reader *r) {
  for (uint32_t id = 1; id < r->module->bound; id++)
    if (r->decorated[id] && r->module->id[id].kind == SPIRV_NOTHING) {
      r->at = r->decorated[id];
      return reader_fail(r,
                         "id %u is decorated but not defined; llvm-spirv loses ids that loops carry: "
                         "translate code that is not optimized, without --spirv-mem2reg",
                         id);
    }
  return true;
}

/* ---- entry points -------------------------------------------------------------------------------- */

static bool read_entry(struct reader *r) {
  struct spirv *module = r->module;
  if (reader_word(r, 1) != ExecutionModelKernel)
    return reader_fail(r, "execution model %u; only kernels (6) run here", reader_word(r, 1));
  if (module->entries == ISA_MOST_KERNELS)
    return reader_fail(r, "more than %u kernels", ISA_MOST_KERNELS);
  module->entry = need_more(module->entry, module->entries + 1, sizeof *module->entry);
  struct spirv_entry *entry = &module->entry[module->entries++];
  *entry = (struct spirv_entry){.name = reader_string(r, 3), .function = reader_word(r, 2)};
  for (uint32_t i = 0; i + 1 < module->entries; i++)
    if (!strcmp(module->entry[i].name, entry->name))
      return reader_fail(r, "kernel '%s' is already defined", entry->name);
  return true;
}

static bool read_mode(struct reader *r) {
  const uint32_t mode = reader_words(r) > 2 ? reader_word(r, 2) : 0;
  if (mode == ExecutionModeInitializer || mode == ExecutionModeFinalizer)
    return reader_fail(r,
                       "a variable at program scope is initialized or destroyed by code; legal: constant initializers");
  if (mode != ExecutionModeLocalSize && mode != ExecutionModeLocalSizeId && mode != ExecutionModeLocalSizeHint)
    return true;
  if (reader_words(r) != 6)
    return reader_fail(r, "a work-group's size must be three numbers");
  (mode == ExecutionModeLocalSizeHint ? r->size_hint : r->local_size)[reader_word(r, 1)] = r->at;
  return true;
}

static bool read_local_size(struct reader *r, uint32_t mode, uint32_t sizes[3]) {
  if (!mode)
    return true;
  r->at = mode;
  for (unsigned axis = 0; axis < 3; axis++) {
    uint64_t size = reader_word(r, 3 + axis);
    if (reader_word(r, 2) == ExecutionModeLocalSizeId && !spirv_integer(r->module, (uint32_t)size, &size))
      return reader_fail(r, "a work-group's size is not an integer constant");
    if (!size || size > ISA_MOST_GROUP_ITEMS)
      return reader_fail(r, "a kernel requires work-groups of %llu work-items; legal: 1 to %u",
                         (unsigned long long)size, ISA_MOST_GROUP_ITEMS);
    sizes[axis] = (uint32_t)size;
  }
  return true;
}

bool reader_entries(struct reader *r) {
  struct spirv *module = r->module;
  r->at = READER_HEADER_WORDS;
  for (uint32_t i = 0; i < module->entries; i++) {
    struct spirv_entry *entry = &module->entry[i];
    const struct spirv_id *id = &module->id[entry->function];
    if (id->kind != SPIRV_FUNCTION)
      return reader_fail(r, "the function of kernel '%s' is missing", entry->name);
    if (!read_local_size(r, r->local_size[entry->function], entry->required_local) ||
        !read_local_size(r, r->size_hint[entry->function], entry->hint))
      return false;
    entry->function = id->index;
  }
  return true;
}

/* ---- sources ------------------------------------------------------------------------------------- */

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Reports must not depend on a file's directory, so a source is named by the last part of its path. The program's own
 * file keeps the name that the user gave. */
static const char *name_for_people(const struct spirv *module, const char *path) {
  const char *part = last_part(path);
  return strcmp(part, last_part(module->file)) ? part : module->file;
}

static void add_source(struct spirv *module, const char *path) {
  module->source = need_more(module->source, module->sources + 1, sizeof *module->source);
  module->path = need_more(module->path, module->sources + 1, sizeof *module->path);
  module->source[module->sources] = name_for_people(module, path);
  module->path[module->sources++] = path;
}

bool reader_line(struct reader *r, struct ir_place *place) {
  struct spirv *module = r->module;
  const uint32_t file = reader_word(r, 1);
  if (module->id[file].kind != SPIRV_STRING)
    return reader_fail(r, "id %u is not a string", file);
  if (!r->work[file] && module->sources < READER_MOST_SOURCES) {
    add_source(module, module->id[file].name);
    r->work[file] = module->sources;
  }
  const uint32_t column = reader_word(r, 3);
  if (r->work[file])
    *place = (struct ir_place){.line = reader_word(r, 2),
                               .source = (uint16_t)(r->work[file] - 1),
                               .column = column <= UINT16_MAX ? (uint16_t)column : 0};
  return true;
}

static void swap_place(struct ir_place *place, uint32_t number) {
  if (place->source == number)
    place->source = 0;
  else if (!place->source)
    place->source = (uint16_t)number;
}

/* Swaps sources 0 and `number`. */
static void swap_sources(struct spirv *module, uint32_t number) {
  const char *name = module->source[0], *path = module->path[0];
  module->source[0] = module->source[number];
  module->path[0] = module->path[number];
  module->source[number] = name;
  module->path[number] = path;
  for (uint32_t i = 0; i < module->insts; i++)
    swap_place(&module->inst[i].place, number);
  for (uint32_t i = 0; i < module->functions; i++)
    swap_place(&module->function[i].place, number);
}

/* Source 0 always exists. It is the program's own file if that occurs, even if code of a header came first. */
void reader_sources_done(struct reader *r) {
  struct spirv *module = r->module;
  if (!module->sources)
    add_source(module, module->file);
  uint32_t own = 0;
  while (own < module->sources && module->source[own] != module->file)
    own++;
  if (own && own < module->sources)
    swap_sources(module, own);
}

/* ---- any instruction ----------------------------------------------------------------------------- */

static bool read_import(struct reader *r) {
  const uint32_t id = reader_word(r, 1);
  const char *name = reader_string(r, 2);
  r->module->id[id].name = name;
  if (!strcmp(name, "OpenCL.std") && !r->module->opencl_std)
    r->module->opencl_std = id;
  return reader_define(r, id, SPIRV_IMPORT, 0, 0);
}

static bool read_file_name(struct reader *r) {
  const uint32_t id = reader_word(r, 1);
  r->module->id[id].name = reader_string(r, 2);
  return reader_define(r, id, SPIRV_STRING, 0, 0);
}

static bool read_memory_model(struct reader *r) {
  const uint32_t model = reader_word(r, 1);
  r->module->address_bits = model == AddressingModelPhysical64 ? 64 : model == AddressingModelPhysical32 ? 32 : 0;
  return true;
}

static bool read_name(struct reader *r) {
  struct spirv_id *id = &r->module->id[reader_word(r, 1)];
  if (!id->name)
    id->name = reader_string(r, 2);
  return true;
}

bool reader_name(struct reader *r) {
  switch (reader_op(r)) {
  case OpExtInstImport:
    return read_import(r);
  case OpString:
    return read_file_name(r);
  case OpMemoryModel:
    return read_memory_model(r);
  case OpEntryPoint:
    return read_entry(r);
  case OpExecutionMode:
  case OpExecutionModeId:
    return read_mode(r);
  case OpName:
    return read_name(r);
  case OpDecorate:
    return decorate(r);
  case OpDecorateId:
  case OpDecorateString:
    r->decorated[reader_word(r, 1)] = r->at;
    return true;
  case OpGroupDecorate:
    return decorate_group(r);
  case OpDecorationGroup: /* its own decorations precede it */
    r->decorated[reader_word(r, 1)] = 0;
    return true;
  default:
    return true;
  }
}

bool reader_skips_extended(const struct reader *r) {
  const struct spirv *module = r->module;
  const struct spirv_id *set = &module->id[reader_word(r, 3)];
  if (set->kind != SPIRV_IMPORT || !strcmp(set->name, "OpenCL.std"))
    return false;
  const struct spirv_type *type = spirv_type(module, reader_word(r, 1));
  return !strncmp(set->name, "OpenCL.DebugInfo", 16) || !strncmp(set->name, "NonSemantic.", 12) ||
         (type && type->kind == SPIRV_VOID);
}
