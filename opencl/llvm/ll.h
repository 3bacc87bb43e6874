/* Shared by the reader of LLVM IR.
 *
 * ll_lex.c        tokens; failure
 * ll_words.c      words of SPIR-V, by section; equal types and constants once
 * ll_type.c       types
 * ll_constant.c   constants and global variables
 * ll_metadata.c   source lines, loop hints, what kernels say about themselves
 * ll_module.c     the file as a whole, functions
 * ll_function.c   instructions
 * ll_number.c     arithmetic, comparisons, conversions, vectors
 * ll_call.c       calls; ll_intrinsic.c: llvm.*; ll_gpu.c: llvm.nvvm.* and llvm.amdgcn.*; ll_opencl.c: OpenCL's
 *                 built-ins, ll_mangle.c: their names
 *
 * The first failure stays. After it, the lexer returns only the end of the file, so loops that stop there stop. */
#ifndef OPENCL_LLVM_LL_H
#define OPENCL_LLVM_LL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl/spirv/spirv.h"
#include "sim/base/map.h"

/* ---- tokens -------------------------------------------------------------------------------------- */

enum ll_kind {
  LL_END,
  LL_WORD,    /* i32, add, x, ... */
  LL_LABEL,   /* name: */
  LL_LOCAL,   /* %name */
  LL_GLOBAL,  /* @name */
  LL_META,    /* !name or !12; a lone ! has no text */
  LL_GROUP,   /* #12 */
  LL_COMDAT,  /* $name */
  LL_INTEGER, /* -12 */
  LL_FLOAT,   /* 1.5e+10, 0x3FF0000000000000, 0xH3C00 */
  LL_STRING,  /* "text" */
  LL_BYTES,   /* c"text" */
  LL_SIGN,    /* one character, or "..." */
};

struct ll_token {
  enum ll_kind kind;
  const char *at; /* without sigil, quotes and colon; escapes as in the file */
  size_t length;
  uint32_t line;
};

/* ---- types and values ---------------------------------------------------------------------------- */

enum ll_type_kind {
  LL_VOID,
  LL_INT,
  LL_REAL,    /* half, float, double */
  LL_BFLOAT,  /* bfloat: the upper half of a float, kept in an integer of 16 bits and computed in float */
  LL_POINTER, /* its storage class in `count` */
  LL_VECTOR,
  LL_ARRAY,
  LL_STRUCT,
  LL_FUNCTION,
  LL_HANDLE, /* an event, image, sampler, pipe, ...; as SPIR-V names it */
  LL_OTHER,  /* label, metadata, token, opaque, and types that no value here can have */
};

struct ll_type {
  uint8_t kind;     /* enum ll_type_kind */
  bool packed;      /* struct */
  uint32_t bits;    /* int, real */
  uint64_t count;   /* elements, members, parameters; pointer: enum spirv_storage */
  uint32_t element; /* of a vector or array; function: result */
  uint32_t *member; /* struct, function */
  uint64_t size;    /* bytes in memory */
  uint32_t align, depth;
  uint32_t spirv;   /* id; 0: not written yet */
  const char *name; /* of a named struct, a handle, or a type of another kind */
};

/* A value and its type, a number in ll.type[]. Vectors of one element are scalars in SPIR-V. */
struct ll_value {
  uint32_t id, type;
  uint32_t align; /* of a call's argument, as its attributes say; 0: unknown */
};

static inline struct ll_value ll_value(uint32_t id, uint32_t type) { return (struct ll_value){.id = id, .type = type}; }

/* ---- sections of the module ---------------------------------------------------------------------- */

enum ll_section { LL_HEAD, LL_STRINGS, LL_NAMES, LL_DECORATIONS, LL_DEFINITIONS, LL_CODE, LL_HELPERS, LL_SECTIONS };

struct ll_words {
  uint32_t *at;
  size_t count, room;
};

/* ---- names --------------------------------------------------------------------------------------- */

struct ll_name {
  const char *at;
  size_t length;
  uint32_t id;   /* 0: not known yet */
  uint32_t type; /* of a value */
  uint32_t line; /* where it is first mentioned */
  size_t word;   /* of a label: what follows it in LL_CODE */
  bool defined;
};

struct ll_names {
  struct ll_name *at;
  size_t count, room;
  struct map map;
};

/* A global variable or function, wherever the file defines it. */
struct ll_global {
  struct ll_token token; /* its name */
  bool is_function, is_defined;
  enum { LL_TO_READ, LL_READING, LL_READ } state;
  struct ll_token start; /* of a function: "define" */
  uint32_t id;           /* of a variable once it is read, of a function that is defined */
};

enum { LL_BUILTINS = 64 };

enum ll_target { LL_SPIR, LL_NVPTX, LL_AMDGCN };

struct ll_place {
  uint32_t file, line, column; /* file: id of an OpString */
};

/* A parameter as SPIR-V has it, and as the function knows it. */
struct ll_parameter {
  struct ll_token name; /* at NULL: it has none */
  uint32_t id, written; /* and its type's id */
  uint32_t type;
};

struct ll {
  const char *text, *end, *file;
  struct isa_error *error;
  bool failed;
  const char *next; /* behind the current token */
  uint64_t read;    /* bytes, some of them again and again: those of nodes that many instructions name */
  uint32_t next_line;
  struct ll_token token;
  enum ll_target target;

  struct ll_words section[LL_SECTIONS];
  uint32_t bound, std;
  size_t start; /* of the instruction that is being written */
  enum ll_section where;
  struct map once;     /* of LL_DEFINITIONS: instructions by their words but the result */
  struct map where_is; /* the same by their results */

  struct ll_type *type;
  size_t types, type_room;
  struct map type_map;
  struct ll_names type_names; /* `line`: where it is defined; `id`: the type's number once it is read */
  unsigned depth;             /* of nested types and constants */

  struct ll_global *global;
  size_t globals, global_room;
  struct map global_map;
  struct ll_names helpers; /* our own functions, by what they do; `at` is owned */
  struct ll_names imports; /* functions that are called and nowhere defined; `at` is owned, `type` the id of its type */

  const char **node; /* by number of a metadata node: its text behind "=" */
  uint32_t *node_line, *node_file;
  size_t nodes, node_room, node_line_room, node_file_room;
  struct ll_names groups;      /* of attributes, "#0"; `word` is where its name begins in the text */
  struct ll_token annotations; /* the list !nvvm.annotations; at NULL: there is none */

  struct ll_spec {
    uint32_t number, type, id;
  } * spec; /* specialization constants: SpecId, type, and id */
  size_t specs, spec_room;

  uint32_t builtin[LL_BUILTINS + 8]; /* ids of built-in variables; the masks of sub-groups are the last */

  /* The function that is being read. */
  struct ll_names values, labels;
  size_t back_to;          /* `word` of a label before, to which the current branch leads; 0: none */
  char entry_name[12];     /* of a first block without a label */
  struct ll_place written; /* by the last OpLine of the block */
  uint32_t block;          /* label of the current block; 0: none is open */
  uint32_t named_phi;      /* id of the last phi that has a name */
  bool in_phi;             /* where an instruction cannot stand */
  bool folding;            /* ll_make() writes constants instead of instructions */
  struct ll_words entry;   /* OpVariables of the function, which its first block begins with */
  struct ll_parameter *parameter;
  size_t parameters, parameter_room;
};

/* ---- ll_lex.c ------------------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) bool ll_fail(struct ll *ll, const char *format, ...); /* at the current token */
__attribute__((format(printf, 3, 4))) bool ll_fail_at(struct ll *ll, uint32_t line, const char *format, ...);
void ll_advance(struct ll *ll);
/* Goes to another place of the file, and back. There, no block is open. After a failure, it stays at the end. */
struct ll_mark {
  struct ll_token token;
  const char *next;
  uint32_t line, block;
};
struct ll_mark ll_go(struct ll *ll, const char *at, uint32_t line);
void ll_return(struct ll *ll, struct ll_mark mark);
const char *ll_behind(const struct ll_token *name); /* where what follows a name begins */
bool ll_is(const struct ll *ll, const char *word);  /* a word or sign */
bool ll_take(struct ll *ll, const char *word);      /* if it is there */
bool ll_expect(struct ll *ll, const char *word);
bool ll_take_number(struct ll *ll, uint64_t *number);
/* Takes a comma, unless metadata follows it, which ends an instruction's operands. */
bool ll_take_comma(struct ll *ll);
/* Skips a bracket that is open now, with all that it contains. */
void ll_skip_brackets(struct ll *ll);
/* A token's text, for messages. */
const char *ll_text(const struct ll_token *token, char room[80]);
bool ll_token_is(const struct ll_token *token, const char *word);
/* Decodes \xx; returns the number of bytes. `to` has room for token->length. */
size_t ll_unescape(const struct ll_token *token, char *to);
char *ll_string(const struct ll_token *token); /* decoded, terminated; the caller frees it */

/* The entry of a name; adds it if it is missing. Valid until the next addition. */
struct ll_name *ll_name(struct ll_names *names, const char *at, size_t length);
struct ll_name *ll_find(struct ll_names *names, const char *at, size_t length);
void ll_names_clear(struct ll_names *names);
void ll_names_free(struct ll_names *names);

/* ---- ll_words.c ---------------------------------------------------------------------------------- */

uint32_t ll_id(struct ll *ll);
void ll_begin(struct ll *ll, enum ll_section section, uint16_t op);
void ll_put(struct ll *ll, uint32_t word);
void ll_put_text(struct ll *ll, const char *text, size_t length);
void ll_write_name(struct ll *ll, uint32_t id, const struct ll_token *name);
/* The linkage as SPIR-V has it; LL_INTERNAL: other modules do not see the id, and nothing is written. */
enum { LL_INTERNAL = 3 };
void ll_write_linkage(struct ll *ll, uint32_t id, const struct ll_token *name, uint32_t linkage);
/* The linkage of a definition with the current token among its words, if it would be `linkage` without it. */
uint32_t ll_linkage(const struct ll *ll, uint32_t linkage);
void ll_finish(struct ll *ll);
/* Finishes an instruction of LL_DEFINITIONS whose result is word `result`, which is 0 so far. Returns the id, that of
 * an equal instruction if there is one. */
uint32_t ll_finish_once(struct ll *ll, unsigned result);
#define LL_WORDS(...) (const uint32_t[]){__VA_ARGS__}, sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t)
void ll_emit_words(struct ll *ll, enum ll_section section, uint16_t op, const uint32_t *word, size_t count);
#define ll_emit(ll, section, op, ...) ll_emit_words(ll, section, op, LL_WORDS(__VA_ARGS__))
/* One in the current block with a result of a type, an id; returns the result. While ll->folding, a constant. */
uint32_t ll_make_words(struct ll *ll, uint16_t op, uint32_t type, const uint32_t *word, size_t count);
#define ll_make(ll, op, type, ...) ll_make_words(ll, op, type, LL_WORDS(__VA_ARGS__))
/* The words of a type or constant that was written once, whose id is word `result`. */
const uint32_t *ll_definition(const struct ll *ll, uint32_t id, unsigned result);
/* The value of an integer constant; false: the id is none. */
bool ll_constant_value(const struct ll *ll, uint32_t id, uint64_t *value);
uint8_t *ll_module_bytes(struct ll *ll, size_t *size);

/* ---- ll_type.c ----------------------------------------------------------------------------------- */

uint32_t ll_read_type(struct ll *ll);
bool ll_starts_type(const struct ll *ll);
uint32_t ll_add_type(struct ll *ll, struct ll_type type);
uint32_t ll_int_type(struct ll *ll, unsigned bits);
uint32_t ll_real_type(struct ll *ll, unsigned bits);
uint32_t ll_vector_type(struct ll *ll, uint32_t element, uint64_t count);
uint32_t ll_pointer_type(struct ll *ll, enum spirv_storage storage);
uint32_t ll_spirv_type(struct ll *ll, uint32_t type); /* an id */
/* The id of a function's type, from the ids of its result's and its parameters' types. */
uint32_t ll_function_type(struct ll *ll, const uint32_t *type, size_t count);
uint32_t ll_typed_pointer(struct ll *ll, enum spirv_storage storage, uint32_t element /* type id */);
enum spirv_storage ll_storage(struct ll *ll, uint64_t space);
static inline struct ll_type *ll_type(const struct ll *ll, uint32_t type) { return &ll->type[type]; }
/* The type itself, or of a vector its element. */
static inline const struct ll_type *ll_scalar(const struct ll *ll, uint32_t type) {
  return ll->type[type].kind == LL_VECTOR ? &ll->type[ll->type[type].element] : &ll->type[type];
}
static inline uint32_t ll_components(const struct ll *ll, uint32_t type) {
  return ll->type[type].kind == LL_VECTOR ? (uint32_t)ll->type[type].count : 1;
}
/* A type with as many components and another scalar. */
uint32_t ll_like(struct ll *ll, uint32_t type, uint32_t scalar);
/* Is this an integer, or a vector of integers, with bits above it, as SPIR-V has it? Those of more than 64 bits are
 * refused where lowering meets them. */
bool ll_is_odd(const struct ll *ll, uint32_t type);
unsigned ll_width(unsigned bits); /* 8, 16, 32 or 64, at least `bits`; 0: more than 64 */

/* ---- ll_constant.c ------------------------------------------------------------------------------- */

/* An integer constant, in each component of a vector. */
uint32_t ll_integer(struct ll *ll, uint32_t type, uint64_t value);
uint32_t ll_word(struct ll *ll, uint32_t value); /* of 32 bits */
uint32_t ll_real(struct ll *ll, uint32_t type, double value);
uint32_t ll_null(struct ll *ll, uint32_t type);
uint32_t ll_undef(struct ll *ll, uint32_t type);
uint32_t ll_splat(struct ll *ll, uint32_t type, uint32_t scalar /* id of a constant */);
/* Reads a value of a type, constant or not. */
uint32_t ll_read_value(struct ll *ll, uint32_t type);
struct ll_value ll_read_operand(struct ll *ll);                                 /* a type and a value */
void ll_read_operands(struct ll *ll, struct ll_value *operand, unsigned count); /* with commas between them */
/* Whether the current token is a constant integer; its value is not consumed. */
bool ll_peek_integer(const struct ll *ll, int64_t *value);
uint32_t ll_global_id(struct ll *ll, const struct ll_token *name);
struct ll_global *ll_find_global(struct ll *ll, const char *at, size_t length);

/* ---- ll_metadata.c ------------------------------------------------------------------------------- */

/* The number of a token like !12; false: it has none, or the file has no such node. */
bool ll_node(const struct ll *ll, const struct ll_token *token, uint32_t *node);
struct ll_place ll_place(struct ll *ll, uint32_t node); /* of a DILocation; file 0: none */
/* How often LLVM's loop metadata asks to copy a loop's body, as struct spirv_block counts; 0: nothing is asked. */
uint32_t ll_loop_copies(struct ll *ll, uint32_t node);
/* An attachment of a kernel, "!kernel_arg_type !40": writes what SPIR-V has for it. */
void ll_kernel_metadata(struct ll *ll, const struct ll_token *kind, uint32_t node, uint32_t function,
                        const struct ll_token *name);

/* ---- ll_module.c, ll_function.c ------------------------------------------------------------------- */

void ll_read_body(struct ll *ll);
void ll_bind_parameters(struct ll *ll); /* in the first block: casts them to what the function expects */
/* Skips what a file says about a value between its type and itself: "noundef align 4". Returns the alignment. */
uint32_t ll_skip_attributes(struct ll *ll);
/* Skips what stands before a function's result: linkage, calling convention, attributes. */
void ll_skip_to_type(struct ll *ll);
uint32_t ll_local(struct ll *ll, const struct ll_token *name, uint32_t type);
void ll_define(struct ll *ll, const struct ll_token *name, struct ll_value value);
/* A result that cannot be computed: calls a function whose name says why. */
__attribute__((format(printf, 3, 4))) uint32_t ll_unsupported(struct ll *ll, uint32_t type, const char *format, ...);

/* ---- ll_number.c --------------------------------------------------------------------------------- */

/* Words between an operation and its operands, such as "nsw" and "fast"; returns 1 for nsw and 2 for nuw. */
unsigned ll_skip_flags(struct ll *ll);

/* Whether this is an arithmetic instruction, comparison, conversion or one on vectors; if so, reads the rest. */
bool ll_read_number(struct ll *ll, const struct ll_token *op, struct ll_value *result);
/* Whether a word is an operation that constant expressions may have. */
bool ll_is_operation(const struct ll_token *word);
/* Reads a constant expression of one of these, in brackets. */
uint32_t ll_read_expression(struct ll *ll, const struct ll_token *op, uint32_t type);
uint32_t ll_convert(struct ll *ll, const char *op, struct ll_value from, uint32_t to);
uint32_t ll_select(struct ll *ll, uint32_t type, uint32_t condition, uint32_t yes, uint32_t no);
uint32_t ll_binary(struct ll *ll, const char *op, uint32_t type, uint32_t a, uint32_t b);
uint32_t ll_extract(struct ll *ll, struct ll_value from, uint32_t index);
/* Between bfloat, or a vector of it, and as many floats. */
uint32_t ll_widen(struct ll *ll, struct ll_value from);
uint32_t ll_narrow(struct ll *ll, uint32_t id, uint32_t to);
bool ll_is_bfloat(const struct ll *ll, uint32_t type);
uint32_t ll_bool_to(struct ll *ll, uint32_t condition, uint32_t type, bool all_ones);

/* OpenCL.std's instructions, by the names of std.def: LL_STD_sin. */
enum ll_std {
#define STD(number, name, ...) LL_STD_##name = number,
#include "opencl/lower/std.def"
#undef STD
};

/* ---- calls --------------------------------------------------------------------------------------- */

enum { LL_MOST_ARGUMENTS = 64 };

struct ll_call {
  const char *name; /* terminated */
  uint32_t result;  /* type number */
  unsigned count;
  struct ll_value argument[LL_MOST_ARGUMENTS];
};

struct ll_value ll_read_call(struct ll *ll);
/* Each: whether it knows the function; *id is then the result, 0 for none. */
bool ll_call_intrinsic(struct ll *ll, const struct ll_call *call, uint32_t *id);
bool ll_call_opencl(struct ll *ll, const struct ll_call *call, uint32_t *id);
bool ll_call_gpu(struct ll *ll, const struct ll_call *call, uint32_t *id);
/* Inline PTX (ll_ptx.c): whether it is known; *id is then the result, 0 for none. */
bool ll_ptx(struct ll *ll, const char *text, const char *constraints, uint32_t result, unsigned count,
            const struct ll_value *argument, uint32_t *id);
uint32_t ll_call_import(struct ll *ll, const char *name, uint32_t result, unsigned count,
                        const struct ll_value *argument);
uint32_t ll_std(struct ll *ll, uint32_t instruction, uint32_t type /* number */, unsigned count, ...);
/* The value of a built-in variable: one component of a vector of three, a scalar, or a whole vector. */
enum { LL_SCALAR = -1, LL_WHOLE = -2 };
uint32_t ll_builtin(struct ll *ll, uint32_t builtin, int component);

#endif
