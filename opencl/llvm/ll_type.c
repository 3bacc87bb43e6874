/* Types. Each is written in SPIR-V when an instruction first needs it, so types without a form there, such as labels,
 * need none, and a type that a struct contains is written before the struct. */
#include "opencl/llvm/ll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

#define MOST_TYPE_BYTES (UINT64_C(1) << 47) /* SPIR-V's reader has the same limits */
enum { MOST_DEPTH = 32 };

/* ---- sizes --------------------------------------------------------------------------------------- */

unsigned ll_width(unsigned bits) { return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 0; }

bool ll_is_odd(const struct ll *ll, uint32_t type) {
  const struct ll_type *scalar = ll_scalar(ll, type);
  return scalar->kind == LL_INT && scalar->bits > 1 && scalar->bits < ll_width(scalar->bits);
}

static uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

static uint64_t capped(uint64_t size) { return size < MOST_TYPE_BYTES ? size : MOST_TYPE_BYTES; }

/* A type's size and alignment in memory, as SPIR-V's types have them, from those of its parts. */
static void measure(const struct ll *ll, struct ll_type *type) {
  const struct ll_type *element = ll->types ? &ll->type[type->element] : NULL;
  type->align = 1;
  switch ((enum ll_type_kind)type->kind) {
  case LL_INT:
  case LL_REAL:
  case LL_BFLOAT:
    type->size = type->bits == 1   ? 1
                 : type->bits > 64 ? ((uint64_t)type->bits + 63) / 64 * 8
                                   : ll_width(type->bits) / 8;
    type->align = type->size < 8 ? (uint32_t)type->size : 8;
    break;
  case LL_POINTER:
  case LL_HANDLE:
    type->size = type->align = 8;
    break;
  case LL_VECTOR:
    for (type->size = element->size; type->size < element->size * type->count;)
      type->size *= 2;
    type->align = (uint32_t)type->size;
    type->depth = element->depth + 1;
    break;
  case LL_ARRAY:
    type->size =
        element->size && type->count > MOST_TYPE_BYTES / element->size ? MOST_TYPE_BYTES : element->size * type->count;
    type->align = element->align;
    type->depth = element->depth + 1;
    break;
  case LL_STRUCT:
    for (uint64_t i = 0; i < type->count; i++) {
      const struct ll_type *member = &ll->type[type->member[i]];
      const uint32_t align = type->packed ? 1 : member->align;
      type->align = align > type->align ? align : type->align;
      type->size = capped(round_up(type->size, align) + member->size);
      type->depth = member->depth >= type->depth ? member->depth + 1 : type->depth;
    }
    type->size = round_up(type->size, type->align);
    break;
  default:
    break;
  }
}

/* ---- the table ----------------------------------------------------------------------------------- */

static bool equal(const struct ll_type *a, const struct ll_type *b) {
  if (a->kind != b->kind || a->packed != b->packed || a->bits != b->bits || a->count != b->count ||
      a->element != b->element)
    return false;
  if ((a->name || b->name) && (!a->name || !b->name || strcmp(a->name, b->name)))
    return false;
  return !a->member || !a->count || !memcmp(a->member, b->member, a->count * sizeof *a->member);
}

/* Takes over type.member and type.name. */
uint32_t ll_add_type(struct ll *ll, struct ll_type type) {
  uint64_t hash = hash_join(hash_join(type.kind, type.bits), hash_join(type.count, type.element));
  for (uint64_t i = 0; type.member && i < type.count; i++)
    hash = hash_join(hash, type.member[i]);
  for (size_t step = 0, i; map_next(&ll->type_map, hash, &step, &i);)
    if (equal(&ll->type[i], &type)) {
      free(type.member);
      free((char *)type.name);
      return (uint32_t)i;
    }
  measure(ll, &type);
  if (type.depth > MOST_DEPTH)
    ll_fail(ll, "types nest deeper than %d", MOST_DEPTH);
  map_add(&ll->type_map, hash, ll->types);
  *vector_next(ll->type, ll->types, ll->type_room) = type;
  return (uint32_t)ll->types - 1;
}

uint32_t ll_int_type(struct ll *ll, unsigned bits) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_INT, .bits = bits});
}

uint32_t ll_real_type(struct ll *ll, unsigned bits) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_REAL, .bits = bits});
}

uint32_t ll_vector_type(struct ll *ll, uint32_t element, uint64_t count) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_VECTOR, .element = element, .count = count});
}

uint32_t ll_pointer_type(struct ll *ll, enum spirv_storage storage) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_POINTER, .count = storage});
}

uint32_t ll_like(struct ll *ll, uint32_t type, uint32_t scalar) {
  return ll->type[type].kind == LL_VECTOR ? ll_vector_type(ll, scalar, ll->type[type].count) : scalar;
}

static uint32_t other_type(struct ll *ll, const char *name) {
  return ll_add_type(ll, (struct ll_type){.kind = LL_OTHER, .name = need_copy(name)});
}

/* ---- address spaces ------------------------------------------------------------------------------ */

enum spirv_storage ll_storage(struct ll *ll, uint64_t space) {
  static const enum spirv_storage storages[][6] = {
      [LL_SPIR] = {SPIRV_FUNCTION_STORAGE, SPIRV_CROSS_WORKGROUP, SPIRV_UNIFORM_CONSTANT, SPIRV_WORKGROUP,
                   SPIRV_GENERIC, SPIRV_CROSS_WORKGROUP},
      [LL_NVPTX] = {SPIRV_GENERIC, SPIRV_CROSS_WORKGROUP, SPIRV_GENERIC, SPIRV_WORKGROUP, SPIRV_UNIFORM_CONSTANT,
                    SPIRV_FUNCTION_STORAGE},
      [LL_AMDGCN] = {SPIRV_GENERIC, SPIRV_CROSS_WORKGROUP, SPIRV_GENERIC, SPIRV_WORKGROUP, SPIRV_UNIFORM_CONSTANT,
                     SPIRV_FUNCTION_STORAGE},
  };
  if (space < 6)
    return storages[ll->target][space];
  ll_fail(ll, "address space %llu; legal: 0 to 5", (unsigned long long)space);
  return SPIRV_GENERIC;
}

static enum spirv_storage read_space(struct ll *ll) {
  uint64_t space = 0;
  if (ll_take(ll, "addrspace")) {
    ll_expect(ll, "(");
    ll_take_number(ll, &space);
    ll_expect(ll, ")");
  }
  return ll_storage(ll, space);
}

/* ---- handles ------------------------------------------------------------------------------------- */

/* Types that OpenCL names and memory does not contain: "%opencl.image2d_ro_t" up to version 15,
 * target("spirv.Image", void, 1, ...) since 16. A depth image differs from others in what its functions return. */
static uint32_t handle_type(struct ll *ll, const char *name, uint32_t access) {
  const char *depth = strstr(name, "_depth");
  return ll_add_type(
      ll, (struct ll_type){.kind = LL_HANDLE,
                           .bits = access,
                           .name = need_print("%.*s", (int)(depth ? depth - name : (ptrdiff_t)strlen(name)), name)});
}

/* target("spirv.Image", void, Dim, Depth, Arrayed, MS, Sampled, Format, Access) */
static uint32_t read_target_type(struct ll *ll) {
  static const char *const dimensions[][2] = {{"image1d", "image1d_array"}, {"image2d", "image2d_array"},
                                              {"image3d", "image"},         {"image", "image"},
                                              {"image", "image"},           {"image1d_buffer", "image"}};
  char name[32] = "?";
  uint64_t number[8] = {0};
  unsigned count = 0;
  ll_expect(ll, "(");
  const struct ll_token what = ll->token;
  ll_advance(ll);
  while (ll_take(ll, ","))
    if (ll->token.kind == LL_INTEGER && count < 8)
      ll_take_number(ll, &number[count++]);
    else
      ll_read_type(ll);
  ll_expect(ll, ")");
  const bool is_pipe = ll_token_is(&what, "spirv.Pipe");
  if (ll_token_is(&what, "spirv.Image"))
    snprintf(name, sizeof name, "%s",
             number[0] < 6 && number[2] < 2 && !number[3] ? dimensions[number[0]][number[2]] : "image");
  else if (ll_token_is(&what, "spirv.Event"))
    snprintf(name, sizeof name, "event");
  else if (ll_token_is(&what, "spirv.Sampler"))
    snprintf(name, sizeof name, "sampler");
  else if (is_pipe)
    snprintf(name, sizeof name, "pipe");
  else if (ll_token_is(&what, "spirv.ReserveId"))
    snprintf(name, sizeof name, "reserve_id");
  else if (ll_token_is(&what, "spirv.Queue"))
    snprintf(name, sizeof name, "queue");
  else if (ll_token_is(&what, "spirv.DeviceEvent"))
    snprintf(name, sizeof name, "clk_event");
  return handle_type(ll, name, (uint32_t)number[is_pipe ? 0 : 6]);
}

/* The handle that a pointer to this opaque struct is; 0: none. "opencl.image2d_array_ro_t" becomes image2d_array. */
static uint32_t handle_of(struct ll *ll, uint32_t type) {
  const char *full = ll->type[type].kind == LL_OTHER ? ll->type[type].name : NULL;
  if (!full || strncmp(full, "opencl.", 7))
    return 0;
  char name[64];
  snprintf(name, sizeof name, "%s", full + 7);
  char *end = strstr(name, "_t");
  if (!end || (end[2] && end[2] != '.'))
    return 0;
  *end = '\0';
  static const char *const accesses[] = {"_ro", "_wo", "_rw"}; /* as SPIR-V numbers them */
  const size_t length = strlen(name);
  for (uint32_t access = 0; length > 3 && access < 3; access++)
    if (!strcmp(name + length - 3, accesses[access])) {
      name[length - 3] = '\0';
      return handle_type(ll, name, access);
    }
  return handle_type(ll, name, 0);
}

/* ---- reading ------------------------------------------------------------------------------------- */

static bool is_int(const struct ll_token *token) {
  if (token->length < 2 || token->length > 9 || *token->at != 'i')
    return false;
  for (size_t i = 1; i < token->length; i++)
    if (token->at[i] < '0' || token->at[i] > '9')
      return false;
  return true;
}

static const struct {
  const char *word;
  uint8_t kind, bits;
} simple[] = {{"void", LL_VOID, 0},      {"half", LL_REAL, 16},      {"float", LL_REAL, 32},
              {"double", LL_REAL, 64},   {"label", LL_OTHER, 0},     {"metadata", LL_OTHER, 0},
              {"token", LL_OTHER, 0},    {"bfloat", LL_BFLOAT, 16},  {"fp128", LL_OTHER, 0},
              {"x86_fp80", LL_OTHER, 0}, {"ppc_fp128", LL_OTHER, 0}, {"x86_mmx", LL_OTHER, 0},
              {"x86_amx", LL_OTHER, 0},  {"opaque", LL_OTHER, 0}};

bool ll_starts_type(const struct ll *ll) {
  const struct ll_token *token = &ll->token;
  if (token->kind == LL_LOCAL)
    return true;
  if (token->kind == LL_SIGN)
    return *token->at == '<' || *token->at == '[' || *token->at == '{';
  if (token->kind != LL_WORD)
    return false;
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
    if (ll_token_is(token, simple[i].word))
      return true;
  return is_int(token) || ll_token_is(token, "ptr") || ll_token_is(token, "target");
}

static uint32_t read_simple(struct ll *ll) {
  char room[80];
  if (is_int(&ll->token)) {
    const unsigned long bits = strtoul(ll->token.at + 1, NULL, 10);
    ll_advance(ll);
    return ll_int_type(ll, bits ? (unsigned)bits : 1);
  }
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
    if (ll_is(ll, simple[i].word)) {
      ll_advance(ll);
      return ll_add_type(ll, (struct ll_type){.kind = simple[i].kind,
                                              .bits = simple[i].bits,
                                              .name = simple[i].kind == LL_OTHER ? need_copy(simple[i].word) : NULL});
    }
  ll_fail(ll, "a type is expected, not '%s'", ll_text(&ll->token, room));
  return 0;
}

/* [4 x float] or <4 x float>, behind the bracket. */
static uint32_t read_sequence(struct ll *ll, uint8_t kind) {
  struct ll_type type = {.kind = kind};
  const bool scalable = ll_take(ll, "vscale") && ll_expect(ll, "x");
  ll_take_number(ll, &type.count);
  ll_expect(ll, "x");
  type.element = ll_read_type(ll);
  if (scalable)
    ll_fail(ll, "vectors of unknown length are not supported");
  const uint8_t element = ll->type[type.element].kind;
  if (kind == LL_VECTOR && (!type.count || type.count > SPIRV_MOST_COMPONENTS))
    ll_fail(ll, "a vector of %llu components; legal: 1 to %d", (unsigned long long)type.count, SPIRV_MOST_COMPONENTS);
  else if (element == LL_VOID || element == LL_FUNCTION)
    ll_fail(ll, "a list of something that has no size");
  else if (kind == LL_VECTOR && element != LL_INT && element != LL_REAL && element != LL_BFLOAT)
    return other_type(ll, "a vector of something other than numbers");
  return ll_add_type(ll, type);
}

/* { i32, float } or a function's (i32, ...), behind the first bracket up to `close`. */
static struct ll_type read_members(struct ll *ll, uint8_t kind, const char *close) {
  struct ll_type type = {.kind = kind};
  size_t count = 0, room = 0;
  while (!ll_is(ll, close) && ll->token.kind != LL_END) {
    if (kind == LL_FUNCTION && ll_take(ll, "...")) /* calls show how many arguments there are */
      break;
    const uint32_t member = ll_read_type(ll);
    *vector_next(type.member, count, room) = member;
    if (!ll_take(ll, ","))
      break;
  }
  type.count = count;
  ll_expect(ll, close);
  return type;
}

#define READING UINT32_MAX /* instead of a type's number: it is being read */

/* A named type is read when something first names it, because structs may contain later ones. What a pointer of old
 * files points to is not read. */
static uint32_t read_named(struct ll *ll) {
  char room[80];
  const struct ll_token token = ll->token;
  ll_advance(ll);
  struct ll_name *name = ll_find(&ll->type_names, token.at, token.length);
  if (ll_is(ll, "*") || ll_is(ll, "addrspace"))
    return other_type(ll, ll_text(&token, room));
  if (!name || name->id == READING) {
    ll_fail_at(ll, token.line, name ? "type '%%%s' contains itself" : "type '%%%s' is defined nowhere",
               ll_text(&token, room));
    return 0;
  }
  if (name->defined)
    return name->id;
  const size_t number = (size_t)(name - ll->type_names.at);
  const struct ll_token defined = {LL_LOCAL, name->at, name->length, name->line};
  name->id = READING;
  const struct ll_mark mark = ll_go(ll, ll_behind(&defined), defined.line);
  ll_expect(ll, "=");
  ll_expect(ll, "type");
  const uint32_t type = ll_is(ll, "opaque") ? other_type(ll, ll_text(&token, room)) : ll_read_type(ll);
  ll_return(ll, mark);
  ll->type_names.at[number].id = type;
  ll->type_names.at[number].defined = true;
  return type;
}

static uint32_t read_one(struct ll *ll) {
  if (ll->token.kind == LL_LOCAL)
    return read_named(ll);
  if (ll_take(ll, "ptr"))
    return ll_pointer_type(ll, read_space(ll));
  if (ll_take(ll, "target"))
    return read_target_type(ll);
  if (ll_take(ll, "[")) {
    const uint32_t type = read_sequence(ll, LL_ARRAY);
    ll_expect(ll, "]");
    return type;
  }
  if (ll_take(ll, "{"))
    return ll_add_type(ll, read_members(ll, LL_STRUCT, "}"));
  if (!ll_take(ll, "<"))
    return read_simple(ll);
  uint32_t type;
  if (ll_take(ll, "{")) {
    struct ll_type packed = read_members(ll, LL_STRUCT, "}");
    packed.packed = true;
    type = ll_add_type(ll, packed);
  } else {
    type = read_sequence(ll, LL_VECTOR);
  }
  ll_expect(ll, ">");
  return type;
}

/* What a pointer of old files points to is only kept where its name matters. */
static uint32_t pointer_to(struct ll *ll, uint32_t type) {
  const enum spirv_storage storage = read_space(ll);
  ll_expect(ll, "*");
  const uint32_t handle = handle_of(ll, type);
  return handle ? handle : ll_pointer_type(ll, storage);
}

uint32_t ll_read_type(struct ll *ll) {
  if (++ll->depth > MOST_DEPTH)
    ll_fail(ll, "types nest deeper than %d", MOST_DEPTH);
  uint32_t type = read_one(ll);
  for (;;) {
    if (ll_is(ll, "*") || ll_is(ll, "addrspace")) {
      type = pointer_to(ll, type);
    } else if (ll_take(ll, "(")) {
      struct ll_type function = read_members(ll, LL_FUNCTION, ")");
      function.element = type;
      type = ll_add_type(ll, function);
    } else {
      break;
    }
  }
  ll->depth--;
  return type;
}

/* ---- writing ------------------------------------------------------------------------------------- */

static uint32_t once(struct ll *ll, uint16_t op, const uint32_t *word, size_t count) {
  ll_begin(ll, LL_DEFINITIONS, op);
  ll_put(ll, 0);
  for (size_t i = 0; i < count; i++)
    ll_put(ll, word[i]);
  return ll_finish_once(ll, 1);
}

static uint32_t write_handle(struct ll *ll, const char *name, uint32_t access) {
  static const struct {
    const char *name;
    uint16_t op;
    uint8_t operands, dimension, arrayed;
  } handles[] = {
      {"event", OpTypeEvent, 0, 0, 0},           {"sampler", OpTypeSampler, 0, 0, 0},
      {"reserve_id", OpTypeReserveId, 0, 0, 0},  {"queue", OpTypeQueue, 0, 0, 0},
      {"clk_event", OpTypeDeviceEvent, 0, 0, 0}, {"pipe", OpTypePipe, 1, 0, 0},
      {"image1d", OpTypeImage, 8, 0, 0},         {"image1d_array", OpTypeImage, 8, 0, 1},
      {"image2d", OpTypeImage, 8, 1, 0},         {"image2d_array", OpTypeImage, 8, 1, 1},
      {"image3d", OpTypeImage, 8, 2, 0},         {"image1d_buffer", OpTypeImage, 8, 5, 0},
  };
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
    if (strcmp(handles[i].name, name))
      continue;
    if (handles[i].op != OpTypeImage)
      return once(ll, handles[i].op, &access, handles[i].operands);
    const uint32_t nothing = once(ll, OpTypeVoid, NULL, 0);
    return once(ll, OpTypeImage, LL_WORDS(nothing, handles[i].dimension, 0, handles[i].arrayed, 0, 0, 0, access));
  }
  if (strncmp(name, "image", 5) == 0) /* multisampled, or of another kind that lowering refuses by name */
    return once(ll, OpTypeImage, LL_WORDS(once(ll, OpTypeVoid, NULL, 0), 1, 0, 0, 1, 0, 0, access));
  ll_begin(ll, LL_DEFINITIONS, OpTypeOpaque);
  ll_put(ll, 0);
  ll_put_text(ll, name, strlen(name));
  return ll_finish_once(ll, 1);
}

uint32_t ll_typed_pointer(struct ll *ll, enum spirv_storage storage, uint32_t element) {
  return once(ll, OpTypePointer, LL_WORDS(storage, element));
}

/* A struct has a decoration if it is packed, so two that look alike may differ. */
static uint32_t write_struct(struct ll *ll, const struct ll_type *type) {
  uint32_t *member = need(type->count + 1, sizeof *member);
  for (uint64_t i = 0; i < type->count; i++)
    member[i] = ll_spirv_type(ll, type->member[i]);
  const uint32_t id = ll_id(ll);
  ll_begin(ll, LL_DEFINITIONS, OpTypeStruct);
  ll_put(ll, id);
  for (uint64_t i = 0; i < type->count; i++)
    ll_put(ll, member[i]);
  ll_finish(ll);
  free(member);
  if (type->packed)
    ll_emit(ll, LL_DECORATIONS, OpDecorate, id, DecorationCPacked);
  return id;
}

uint32_t ll_function_type(struct ll *ll, const uint32_t *type, size_t count) {
  return once(ll, OpTypeFunction, type, count);
}

static uint32_t write_function(struct ll *ll, const struct ll_type *type) {
  uint32_t *word = need(type->count + 1, sizeof *word);
  word[0] = ll_spirv_type(ll, type->element);
  for (uint64_t i = 0; i < type->count; i++)
    word[1 + i] = ll_spirv_type(ll, type->member[i]);
  const uint32_t id = ll_function_type(ll, word, (size_t)type->count + 1);
  free(word);
  return id;
}

static uint32_t write_type(struct ll *ll, const struct ll_type *type) {
  switch ((enum ll_type_kind)type->kind) {
  case LL_VOID:
    return once(ll, OpTypeVoid, NULL, 0);
  case LL_INT:
    if (type->bits == 1)
      return once(ll, OpTypeBool, NULL, 0);
    if (ll_width(type->bits))
      return once(ll, OpTypeInt, LL_WORDS(ll_width(type->bits), 0));
    break;
  case LL_BFLOAT:
    return once(ll, OpTypeInt, LL_WORDS(type->bits, 0));
  case LL_REAL:
    return once(ll, OpTypeFloat, LL_WORDS(type->bits));
  case LL_POINTER:
    return once(ll, OpTypeUntypedPointerKHR, LL_WORDS((uint32_t)type->count));
  case LL_VECTOR: {
    const uint32_t element = ll_spirv_type(ll, type->element);
    return type->count == 1 ? element : once(ll, OpTypeVector, LL_WORDS(element, (uint32_t)type->count));
  }
  case LL_ARRAY: {
    const uint32_t element = ll_spirv_type(ll, type->element);
    return once(ll, OpTypeArray, LL_WORDS(element, ll_integer(ll, ll_int_type(ll, 64), type->count)));
  }
  case LL_STRUCT:
    return write_struct(ll, type);
  case LL_FUNCTION:
    return write_function(ll, type);
  case LL_HANDLE:
    return write_handle(ll, type->name, type->bits);
  case LL_OTHER:
    break;
  }
  char name[32];
  snprintf(name, sizeof name, "i%u", type->bits);
  return write_handle(ll, type->kind == LL_INT ? name : type->name, 0);
}

uint32_t ll_spirv_type(struct ll *ll, uint32_t number) {
  if (!ll->type[number].spirv) {
    const struct ll_type type = ll->type[number]; /* the table may move */
    const uint32_t id = write_type(ll, &type);
    ll->type[number].spirv = id;
  }
  return ll->type[number].spirv;
}
