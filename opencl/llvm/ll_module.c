/* The file as a whole. A first pass finds where everything is: types, variables, functions, metadata come in any order,
 * and most are read when something names them. Then each function is read. */
#include "opencl/llvm/ll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "opencl/llvm/llvm.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

enum { MOST_BYTES = 64 << 20 };

/* ---- what stands around values -------------------------------------------------------------------- */

/* Words that begin a value. Any other word before one is an attribute. */
static bool starts_value(const struct ll *ll) {
  static const char *const words[] = {
      "null",  "undef", "poison",       "zeroinitializer",      "true",   "false",  "none",
      "splat", "asm",   "blockaddress", "dso_local_equivalent", "no_cfi", "ptrauth"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (ll_is(ll, words[i]))
      return true;
  return ll_is_operation(&ll->token);
}

/* A word, perhaps with something in brackets or a number behind it. */
static void skip_attribute(struct ll *ll) {
  ll_advance(ll);
  if (ll_is(ll, "(")) /* a "{" begins a type */
    ll_skip_brackets(ll);
  else if (ll->token.kind == LL_INTEGER)
    ll_advance(ll);
}

uint32_t ll_skip_attributes(struct ll *ll) {
  uint64_t align = 0;
  while (ll->token.kind == LL_WORD && !starts_value(ll)) {
    const bool aligned = ll_is(ll, "align");
    ll_advance(ll);
    if (aligned && ll->token.kind == LL_INTEGER)
      ll_take_number(ll, &align);
    else if (ll_is(ll, "("))
      ll_skip_brackets(ll);
  }
  return align <= 1 << 20 ? (uint32_t)align : 1 << 20;
}

void ll_skip_to_type(struct ll *ll) {
  while (ll->token.kind != LL_END && !ll_starts_type(ll)) {
    if (ll->token.kind == LL_META) /* !dbg !12 */
      ll_advance(ll);
    skip_attribute(ll);
  }
}

/* ---- functions ----------------------------------------------------------------------------------- */

/* What a parameter's attributes say of it. */
struct attributes {
  bool by_value, sret;
  uint32_t pointee; /* type number */
  uint64_t align;
};

static struct attributes read_attributes(struct ll *ll) {
  struct attributes attributes = {0};
  while (ll->token.kind == LL_WORD || ll->token.kind == LL_STRING) {
    const struct ll_token word = ll->token;
    ll_advance(ll);
    const bool value = ll_token_is(&word, "byval") || ll_token_is(&word, "byref"), sret = ll_token_is(&word, "sret");
    if (ll_token_is(&word, "align")) {
      const bool bracket = ll_take(ll, "(");
      ll_take_number(ll, &attributes.align);
      if (bracket)
        ll_expect(ll, ")");
    } else if ((value || sret) && ll_take(ll, "(")) {
      attributes.by_value |= value;
      attributes.sret |= sret;
      attributes.pointee = ll_read_type(ll);
      ll_expect(ll, ")");
    } else if (ll_is(ll, "(")) {
      ll_skip_brackets(ll);
    } else if (ll_take(ll, "=")) {
      ll_advance(ll);
    }
  }
  return attributes;
}

/* A kernel's buffers are in global memory, even if its pointers could point anywhere. */
static uint32_t written_type(struct ll *ll, uint32_t type, const struct attributes *attributes, bool kernel) {
  if (attributes->by_value || attributes->sret)
    return ll_typed_pointer(ll, SPIRV_FUNCTION_STORAGE, ll_spirv_type(ll, attributes->pointee));
  if (kernel && ll_type(ll, type)->kind == LL_POINTER && ll_type(ll, type)->count == SPIRV_GENERIC)
    type = ll_pointer_type(ll, SPIRV_CROSS_WORKGROUP);
  return ll_spirv_type(ll, type);
}

static void decorate_parameter(struct ll *ll, uint32_t id, const struct attributes *attributes) {
  if (attributes->by_value || attributes->sret)
    ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationFuncParamAttr,
            attributes->by_value ? FunctionParameterAttributeByVal : FunctionParameterAttributeSret);
  if (attributes->align && attributes->align <= 1 << 20 && !(attributes->align & (attributes->align - 1)))
    ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationAlignment, (uint32_t)attributes->align);
}

/* "(ptr noundef %a, i32 %n)" of a definition; a parameter without a name has the next number. */
static void read_parameters(struct ll *ll, bool kernel) {
  ll->parameters = 0;
  ll_expect(ll, "(");
  while (!ll_is(ll, ")") && ll->token.kind != LL_END) {
    if (ll_take(ll, "..."))
      break;
    struct ll_parameter parameter = {.type = ll_read_type(ll)};
    const struct attributes attributes = read_attributes(ll);
    parameter.written = written_type(ll, parameter.type, &attributes, kernel);
    parameter.id = ll_id(ll);
    decorate_parameter(ll, parameter.id, &attributes);
    if (ll->token.kind == LL_LOCAL) {
      parameter.name = ll->token;
      ll_name(&ll->values, parameter.name.at, parameter.name.length);
      ll_write_name(ll, parameter.id, &parameter.name);
      ll_advance(ll);
    }
    *vector_next(ll->parameter, ll->parameters, ll->parameter_room) = parameter;
    if (!ll_take(ll, ","))
      break;
  }
  ll_expect(ll, ")");
}

void ll_bind_parameters(struct ll *ll) {
  for (size_t i = 0; i < ll->parameters; i++) {
    const struct ll_parameter *parameter = &ll->parameter[i];
    const bool generic =
        ll_type(ll, parameter->type)->kind == LL_POINTER && ll_type(ll, parameter->type)->count == SPIRV_GENERIC;
    const uint32_t wanted = ll_spirv_type(ll, parameter->type);
    struct ll_value value = ll_value(parameter->id, parameter->type);
    if (generic && parameter->written != wanted)
      value.id = ll_make(ll, OpPtrCastToGeneric, wanted, parameter->id);
    if (parameter->name.at)
      ll_define(ll, &parameter->name, value);
  }
}

static void write_entry(struct ll *ll, uint32_t function, const struct ll_token *name) {
  ll_begin(ll, LL_HEAD, OpEntryPoint);
  ll_put(ll, ExecutionModelKernel);
  ll_put(ll, function);
  ll_put_text(ll, name->at, name->length);
  ll_finish(ll);
}

/* Does "!nvvm.annotations" name this function as a kernel? "!{ptr @k, !"kernel", i32 1}" */
static bool is_annotated(struct ll *ll, const struct ll_token *name) {
  bool found = false;
  if (!ll->annotations.at)
    return false;
  const struct ll_mark mark = ll_go(ll, ll->annotations.at, ll->annotations.line);
  for (uint32_t node; ll->token.kind != LL_END && !ll_is(ll, "}"); ll_advance(ll)) {
    if (!ll_node(ll, &ll->token, &node))
      continue;
    bool mine = false;
    const struct ll_mark here = ll_go(ll, ll->node[node], ll->node_line[node]);
    for (; ll->token.kind != LL_END && !ll_is(ll, "}"); ll_advance(ll)) {
      mine |= ll->token.kind == LL_GLOBAL && ll->token.length == name->length &&
              !memcmp(ll->token.at, name->at, name->length);
      found |= mine && ll->token.kind == LL_STRING && ll_token_is(&ll->token, "kernel");
    }
    ll_return(ll, here);
  }
  ll_return(ll, mark);
  return found;
}

/* "attributes #0 = { nounwind "nvvm.reqntid"="128" }": the size of a work-group. */
static void read_group(struct ll *ll, const struct ll_token *token, uint32_t function) {
  const struct ll_name *group = ll_find(&ll->groups, token->at, token->length);
  if (!group)
    return;
  const struct ll_mark mark = ll_go(ll, ll->text + group->word, group->line);
  while (ll->token.kind != LL_END && !ll_is(ll, "}")) {
    const bool size = ll->token.kind == LL_STRING && ll_token_is(&ll->token, "nvvm.reqntid");
    ll_advance(ll);
    if (!size || !ll_take(ll, "=") || ll->token.kind != LL_STRING)
      continue;
    char *text = ll_string(&ll->token);
    unsigned local[3] = {0, 1, 1};
    if (sscanf(text, "%9u,%9u,%9u", &local[0], &local[1], &local[2]) > 0)
      ll_emit(ll, LL_HEAD, OpExecutionMode, function, ExecutionModeLocalSize, local[0], local[1], local[2]);
    free(text);
  }
  ll_return(ll, mark);
}

/* From "define" on. */
static void read_function(struct ll *ll, uint32_t id, const struct ll_token *name) {
  bool kernel = ll->target == LL_NVPTX && is_annotated(ll, name);
  uint32_t linkage = LinkageTypeExport;
  for (ll_expect(ll, "define"); ll->token.kind != LL_END && !ll_starts_type(ll);) {
    linkage = ll_is(ll, "external") ? linkage : ll_linkage(ll, linkage); /* of a definition, it is what others see */
    kernel |= ll_is(ll, "spir_kernel") || ll_is(ll, "ptx_kernel") || ll_is(ll, "amdgpu_kernel");
    skip_attribute(ll);
  }
  const uint32_t result = ll_read_type(ll);
  ll_advance(ll); /* the name */
  ll_names_clear(&ll->values);
  ll_names_clear(&ll->labels);
  ll->block = 0;
  read_parameters(ll, kernel);
  /* attributes, section, !dbg !8 !kernel_arg_type !40 */
  while (ll->token.kind != LL_END && !ll_is(ll, "{")) {
    const struct ll_token word = ll->token;
    uint32_t node;
    ll_advance(ll);
    if (kernel && word.kind == LL_GROUP)
      read_group(ll, &word, id);
    if (kernel && word.kind == LL_META && ll_node(ll, &ll->token, &node))
      ll_kernel_metadata(ll, &word, node, id, name);
    if (ll_is(ll, "("))
      ll_skip_brackets(ll);
  }
  if (kernel)
    write_entry(ll, id, name);
  ll_write_name(ll, id, name);
  ll_write_linkage(ll, id, name, linkage);
  const uint32_t written = ll_spirv_type(ll, result);
  uint32_t *types = need(ll->parameters + 1, sizeof *types);
  types[0] = written;
  for (size_t i = 0; i < ll->parameters; i++)
    types[1 + i] = ll->parameter[i].written;
  const uint32_t type = ll_function_type(ll, types, ll->parameters + 1);
  free(types);
  ll_emit(ll, LL_CODE, OpFunction, written, id, 0, type);
  for (size_t i = 0; i < ll->parameters; i++)
    ll_emit(ll, LL_CODE, OpFunctionParameter, ll->parameter[i].written, ll->parameter[i].id);
  ll_expect(ll, "{");
  ll_read_body(ll);
  ll_emit_words(ll, LL_CODE, OpFunctionEnd, NULL, 0);
}

/* Functions that are called and defined nowhere; lowering knows them, or refuses the kernel. */
static void write_imports(struct ll *ll) {
  for (size_t i = 0; i < ll->imports.count; i++) {
    const struct ll_name *name = &ll->imports.at[i];
    const uint32_t *type = ll_definition(ll, name->type, 1); /* head, id, result, parameters */
    ll_emit(ll, LL_CODE, OpFunction, type[2], name->id, 0, name->type);
    for (uint32_t k = 3; k < type[0] >> 16; k++)
      ll_emit(ll, LL_CODE, OpFunctionParameter, type[k], ll_id(ll));
    ll_emit_words(ll, LL_CODE, OpFunctionEnd, NULL, 0);
    const struct ll_token token = {.at = name->at, .length = strcspn(name->at, "\n")};
    ll_write_linkage(ll, name->id, &token, LinkageTypeImport);
  }
}

/* ---- the first pass ------------------------------------------------------------------------------ */

static void add_global(struct ll *ll, const struct ll_token *name, bool function, bool defined) {
  char room[80];
  struct ll_global *global = ll_find_global(ll, name->at, name->length);
  if (global && global->is_defined && defined) {
    ll_fail_at(ll, name->line, "'@%s' is already defined", ll_text(name, room));
    return;
  }
  if (!global) {
    map_add(&ll->global_map, hash_bytes(name->at, name->length), ll->globals);
    global = vector_next(ll->global, ll->globals, ll->global_room);
  }
  *global = (struct ll_global){.token = *name, .is_function = function, .is_defined = defined};
  if (function && defined)
    global->id = ll_id(ll);
}

/* "define ... @name(...) ... { ... }" or "declare ... @name(...)". */
static void find_function(struct ll *ll) {
  const struct ll_token start = ll->token;
  const bool defined = ll_is(ll, "define");
  while (ll->token.kind != LL_END && ll->token.kind != LL_GLOBAL)
    ll_advance(ll);
  const struct ll_token name = ll->token;
  ll_advance(ll);
  if (!ll_is(ll, "(")) {
    ll_fail(ll, "a list of parameters is expected");
    return;
  }
  ll_skip_brackets(ll);
  while (defined && ll->token.kind != LL_END && !ll_is(ll, "{"))
    ll_advance(ll);
  if (defined)
    ll_skip_brackets(ll);
  if (ll->failed)
    return;
  add_global(ll, &name, true, defined);
  struct ll_global *global = ll_find_global(ll, name.at, name.length);
  global->start = start;
}

/* "!12 = ..." or "!name = !{...}" */
static void find_node(struct ll *ll) {
  const struct ll_token name = ll->token;
  ll_advance(ll);
  if (!ll_take(ll, "=") || !name.length)
    return;
  const struct ll_token content = ll->token;
  if (strspn(name.at, "0123456789") >= name.length && name.length < 10) {
    const size_t number = strtoul(name.at, NULL, 10);
    if (number >= (size_t)(ll->end - ll->text)) {
      ll_fail_at(ll, name.line, "metadata node %zu in a file of fewer bytes", number);
      return;
    }
    const size_t before = ll->nodes;
    if (number >= before) {
      ll->nodes = number + 1;
      ll->node = vector_room(ll->node, &ll->node_room, ll->nodes, sizeof *ll->node);
      ll->node_line = vector_room(ll->node_line, &ll->node_line_room, ll->nodes, sizeof *ll->node_line);
      ll->node_file = vector_room(ll->node_file, &ll->node_file_room, ll->nodes, sizeof *ll->node_file);
      for (size_t i = before; i < ll->nodes; i++) {
        ll->node[i] = NULL;
        ll->node_line[i] = ll->node_file[i] = 0;
      }
    }
    ll->node[number] = content.at - (content.kind == LL_META);
    ll->node_line[number] = content.line;
  } else if (ll_token_is(&name, "nvvm.annotations")) {
    ll->annotations = content;
  }
  ll_take(ll, "distinct");
  ll_advance(ll);
  if (ll_is(ll, "(") || ll_is(ll, "{"))
    ll_skip_brackets(ll);
}

static void read_triple(struct ll *ll) {
  static const struct {
    const char *begin;
    enum ll_target target;
  } triples[] = {{"spir64", LL_SPIR}, {"spirv64", LL_SPIR}, {"nvptx64", LL_NVPTX}, {"amdgcn", LL_AMDGCN}};
  char room[80];
  ll_advance(ll);
  ll_expect(ll, "=");
  for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
    if (ll->token.length >= strlen(triples[i].begin) &&
        !memcmp(ll->token.at, triples[i].begin, strlen(triples[i].begin))) {
      ll->target = triples[i].target;
      ll_advance(ll);
      return;
    }
  ll_fail(ll, "target '%s'; legal: spir64, spirv64, nvptx64 and amdgcn", ll_text(&ll->token, room));
}

/* Triton's modules, and those that clang prints from bitcode, do not name their target, but it shows. */
static enum ll_target target_by_marks(const struct ll *ll) {
  static const struct {
    const char *mark;
    enum ll_target target;
  } rows[] = {{" ptx_kernel ", LL_NVPTX},
              {"!nvvm.annotations = ", LL_NVPTX},
              {"@llvm.nvvm.", LL_NVPTX},
              {" amdgpu_kernel ", LL_AMDGCN},
              {"@llvm.amdgcn.", LL_AMDGCN}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (memmem(ll->text, (size_t)(ll->end - ll->text), rows[i].mark, strlen(rows[i].mark)))
      return rows[i].target;
  return LL_SPIR;
}

static void find_all(struct ll *ll) {
  ll->target = target_by_marks(ll);
  for (ll_go(ll, ll->text, 1); ll->token.kind != LL_END;) {
    const struct ll_token token = ll->token;
    if (ll_is(ll, "define") || ll_is(ll, "declare")) {
      find_function(ll);
    } else if (token.kind == LL_META) {
      find_node(ll);
    } else if (ll_take(ll, "attributes")) {
      struct ll_name *group = ll_name(&ll->groups, ll->token.at, ll->token.length);
      group->word = (size_t)(ll_behind(&ll->token) - ll->text);
      group->line = ll->token.line;
    } else if (ll_take(ll, "target")) {
      if (ll_is(ll, "triple"))
        read_triple(ll);
    } else {
      ll_advance(ll);
      if (token.kind == LL_GLOBAL && ll_is(ll, "="))
        add_global(ll, &token, false, true);
      else if (token.kind == LL_LOCAL && ll_is(ll, "="))
        ll_name(&ll->type_names, token.at, token.length)->line = token.line;
    }
  }
}

/* ---- annotations --------------------------------------------------------------------------------- */

/* The text of a variable "@.str = ... c"text\00""; the caller frees it. NULL: it is something else. */
static char *text_of(struct ll *ll, const struct ll_token *name) {
  const struct ll_global *global = ll_find_global(ll, name->at, name->length);
  char *text = NULL;
  if (!global || global->is_function)
    return NULL;
  const struct ll_mark mark = ll_go(ll, ll_behind(&global->token), global->token.line);
  while (ll->token.kind != LL_END && ll->token.kind != LL_BYTES && ll->token.line == global->token.line)
    ll_advance(ll);
  if (ll->token.kind == LL_BYTES)
    text = ll_string(&ll->token);
  ll_return(ll, mark);
  return text;
}

/* The id of a variable or function that is annotated; 0: it is neither. */
static uint32_t annotated(struct ll *ll, const struct ll_token *name) {
  const struct ll_global *global = ll_find_global(ll, name->at, name->length);
  return !global ? 0 : global->is_function ? global->id : ll_global_id(ll, name);
}

/* "@llvm.global.annotations = ... [{ ... } { ptr @x, ptr @.str, ptr @.str.1, i32 2, ptr null }, ...]": the annotation
 * of x is the text @.str. */
static void read_annotations(struct ll *ll) {
  static const char name[] = "llvm.global.annotations";
  const struct ll_global *list = ll_find_global(ll, name, sizeof name - 1);
  unsigned seen = 0;
  struct ll_token what = {0};
  if (!list)
    return;
  ll_go(ll, ll_behind(&list->token), list->token.line);
  while (ll->token.kind != LL_END && ll->token.line == list->token.line) {
    const struct ll_token token = ll->token;
    if (ll_is(ll, "{")) {
      seen = 0;
    } else if (token.kind == LL_GLOBAL && seen++ == 0) {
      what = token;
    } else if (token.kind == LL_GLOBAL && seen == 2) {
      char *text = text_of(ll, &token);
      const uint32_t id = text ? annotated(ll, &what) : 0;
      if (id) {
        ll_begin(ll, LL_DECORATIONS, OpDecorate);
        ll_put(ll, id);
        ll_put(ll, DecorationUserSemantic);
        ll_put_text(ll, text, strlen(text));
        ll_finish(ll);
      }
      free(text);
    }
    ll_advance(ll);
  }
}

/* "@llvm.global_ctors" lists functions that would run before the first kernel. */
static void refuse_constructors(struct ll *ll) {
  static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const struct ll_global *list = ll_find_global(ll, lists[i], strlen(lists[i]));
    if (list)
      ll_fail_at(ll, list->token.line,
                 "a variable at program scope is initialized or destroyed by code; legal: constant initializers");
  }
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static void write_head(struct ll *ll) {
  static const char set[] = "OpenCL.std";
  static const uint8_t capabilities[] = {4,  5,  6,  9, 10,
                                         11, 12, 38, 39}; /* Addresses ... Kernel ... Int64, Int16, Int8 */
  for (size_t i = 0; i < sizeof capabilities; i++)
    ll_emit(ll, LL_HEAD, OpCapability, capabilities[i]);
  ll->std = ll_id(ll);
  ll_begin(ll, LL_HEAD, OpExtInstImport);
  ll_put(ll, ll->std);
  ll_put_text(ll, set, sizeof set - 1);
  ll_finish(ll);
  ll_emit(ll, LL_HEAD, OpMemoryModel, AddressingModelPhysical64, 2 /* OpenCL */);
}

static void read_module(struct ll *ll) {
  ll_add_type(ll, (struct ll_type){.kind = LL_OTHER, .name = need_copy("?")}); /* number 0: of what cannot be read */
  find_all(ll);
  refuse_constructors(ll);
  write_head(ll);
  for (size_t i = 0; i < ll->globals && !ll->failed; i++)
    if (!ll->global[i].is_function && !(ll->global[i].token.length > 5 && !memcmp(ll->global[i].token.at, "llvm.", 5)))
      ll_global_id(ll, &ll->global[i].token);
  for (size_t i = 0; i < ll->globals && !ll->failed; i++)
    if (ll->global[i].is_function && ll->global[i].is_defined) {
      ll_go(ll, ll->global[i].start.at, ll->global[i].start.line);
      const struct ll_token name = ll->global[i].token;
      read_function(ll, ll->global[i].id, &name);
    }
  read_annotations(ll);
  write_imports(ll);
}

static void free_all(struct ll *ll) {
  for (int i = 0; i < LL_SECTIONS; i++)
    free(ll->section[i].at);
  for (size_t i = 0; i < ll->types; i++) {
    free(ll->type[i].member);
    free((char *)ll->type[i].name);
  }
  for (size_t i = 0; i < ll->imports.count; i++)
    free((char *)ll->imports.at[i].at);
  for (size_t i = 0; i < ll->helpers.count; i++)
    free((char *)ll->helpers.at[i].at);
  ll_names_free(&ll->helpers);
  ll_names_free(&ll->groups);
  free(ll->type);
  map_free(&ll->type_map);
  map_free(&ll->once);
  map_free(&ll->where_is);
  map_free(&ll->global_map);
  ll_names_free(&ll->type_names);
  ll_names_free(&ll->imports);
  ll_names_free(&ll->values);
  ll_names_free(&ll->labels);
  free(ll->global);
  free(ll->node);
  free(ll->node_line);
  free(ll->node_file);
  free(ll->entry.at);
  free(ll->parameter);
  free(ll->spec);
}

bool llvm_is_text(const uint8_t *bytes, size_t size) {
  static const char *const begins[] = {"; ModuleID",    "source_filename", "target datalayout",
                                       "target triple", "define ",         "declare "};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    if (size > strlen(begins[i]) && !memcmp(bytes, begins[i], strlen(begins[i])))
      return true;
  return false;
}

bool llvm_is_bitcode(const uint8_t *bytes, size_t size) {
  static const uint8_t bare[] = {'B', 'C', 0xc0, 0xde}, wrapped[] = {0xde, 0xc0, 0x17, 0x0b};
  return size >= sizeof bare && (!memcmp(bytes, bare, sizeof bare) || !memcmp(bytes, wrapped, sizeof wrapped));
}

bool llvm_to_spirv(const char *text, size_t size, const char *file, uint8_t **spirv, size_t *spirv_size,
                   struct isa_error *error) {
  struct ll *ll = need(1, sizeof *ll);
  /* Tokens end at a byte behind the text at the latest. */
  char *copy = need_bytes(text, size < MOST_BYTES ? size : 0);
  *ll = (struct ll){.text = copy, .end = copy + size, .file = file, .error = error, .bound = 1};
  if (size >= MOST_BYTES) {
    ll->end = copy;
    ll_fail_at(ll, 1, "larger than 64 MiB");
  } else {
    read_module(ll);
  }
  const bool good = !ll->failed;
  if (good)
    *spirv = ll_module_bytes(ll, spirv_size);
  free_all(ll);
  free(copy);
  free(ll);
  return good;
}
