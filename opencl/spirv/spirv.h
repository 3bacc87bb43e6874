/* A SPIR-V module, read and checked: what each id is. This folder does not know the ISA.
 *
 * The reader accepts what translators accept (modules that spirv-val rejects are common: see docs/opencl.md) and is
 * strict where a hostile file could do harm. It guarantees:
 *
 *     every id that an instruction names is below `bound`, and every operand lies inside its instruction
 *     types are defined before they are used and contain no cycles, except through forward pointers
 *     sizes do not overflow
 *     a block ends in one terminator; a branch leads to a label of its function, but not to the first block
 *     an operand is a constant, a variable, a function or a value of the same function
 *     a phi names each predecessor of its block once
 *     a decorated id is defined
 *
 * build checks the operands' types where it uses them.
 *
 * Not read: names of types and members, debug information beyond OpLine, merge instructions except loop control,
 * lifetimes, extra operands of image instructions. */
#ifndef OPENCL_SPIRV_SPIRV_H
#define OPENCL_SPIRV_SPIRV_H

#include "isa/image.h"
#include "isa/isa.h"
#include "opencl/ir/place.h"

/* Opcodes by their names in the specification: OpIAdd. */
enum spirv_op {
#define SPIRV_OP(name, number, ...) Op##name = number,
#include "opencl/spirv/spirv_ops.def"
#undef SPIRV_OP
};

/* The enumerants that are needed, also by their names in the specification. */
enum {
  BuiltInNumWorkgroups = 24,
  BuiltInWorkgroupSize = 25,
  BuiltInWorkgroupId = 26,
  BuiltInLocalInvocationId = 27,
  BuiltInGlobalInvocationId = 28,
  BuiltInLocalInvocationIndex = 29,
  BuiltInWorkDim = 30,
  BuiltInGlobalSize = 31,
  BuiltInEnqueuedWorkgroupSize = 32,
  BuiltInGlobalOffset = 33,
  BuiltInGlobalLinearId = 34,
  BuiltInSubgroupSize = 36,
  BuiltInSubgroupMaxSize = 37,
  BuiltInNumSubgroups = 38,
  BuiltInNumEnqueuedSubgroups = 39,
  BuiltInSubgroupId = 40,
  BuiltInSubgroupLocalInvocationId = 41,
  BuiltInSubgroupEqMask = 4416,
  BuiltInSubgroupGeMask = 4417,
  BuiltInSubgroupGtMask = 4418,
  BuiltInSubgroupLeMask = 4419,
  BuiltInSubgroupLtMask = 4420,
};
enum {
  AddressingModelPhysical32 = 1,
  AddressingModelPhysical64 = 2,
  ExecutionModelKernel = 6,
  ExecutionModeLocalSize = 17,
  ExecutionModeLocalSizeHint = 18,
  ExecutionModeVecTypeHint = 30,
  ExecutionModeInitializer = 33,
  ExecutionModeFinalizer = 34,
  ExecutionModeLocalSizeId = 38,
  DecorationSpecId = 1,
  DecorationCPacked = 10,
  DecorationBuiltIn = 11,
  DecorationConstant = 22,
  DecorationSaturatedConversion = 28,
  DecorationFuncParamAttr = 38,
  DecorationFPRoundingMode = 39,
  DecorationLinkageAttributes = 41,
  DecorationAlignment = 44,
  DecorationNoSignedWrap = 4469,
  DecorationNoUnsignedWrap = 4470,
  DecorationUserSemantic = 5635,
  FunctionParameterAttributeByVal = 2,
  FunctionParameterAttributeSret = 3,
  LinkageTypeExport = 0,
  LinkageTypeImport = 1,
  LinkageTypeLinkOnceODR = 2, /* SPV_KHR_linkonce_odr */
};
enum { SPIRV_MAGIC = 0x07230203 };
enum { ScopeCrossDevice = 0, ScopeDevice = 1, ScopeWorkgroup = 2, ScopeSubgroup = 3, ScopeInvocation = 4 };
enum {
  GroupOperationReduce = 0,
  GroupOperationInclusiveScan = 1,
  GroupOperationExclusiveScan = 2,
  GroupOperationClusteredReduce = 3,
};
enum {
  MemorySemanticsAcquire = 0x2,
  MemorySemanticsRelease = 0x4,
  MemorySemanticsAcquireRelease = 0x8,
  MemorySemanticsSequentiallyConsistent = 0x10,
  MemorySemanticsSubgroupMemory = 0x80,
  MemorySemanticsWorkgroupMemory = 0x100,
  MemorySemanticsCrossWorkgroupMemory = 0x200,
  MemorySemanticsImageMemory = 0x800,
};
enum { MemoryAccessVolatile = 1, MemoryAccessAligned = 2, MemoryAccessNontemporal = 4 };
enum { FPRoundingModeRTE = 0, FPRoundingModeRTZ = 1, FPRoundingModeRTP = 2, FPRoundingModeRTN = 3 };

enum spirv_kind { /* what an id is */
                  SPIRV_NOTHING,
                  SPIRV_TYPE,
                  SPIRV_CONSTANT,
                  SPIRV_VARIABLE, /* at module scope */
                  SPIRV_FUNCTION,
                  SPIRV_STRING,
                  SPIRV_IMPORT, /* an extended instruction set */
                  SPIRV_VALUE,  /* a result inside a function, including parameters and labels */
};

enum spirv_type_kind {
  SPIRV_VOID,
  SPIRV_BOOL,
  SPIRV_INT,   /* 8, 16, 32, 64 bits */
  SPIRV_FLOAT, /* 16, 32, 64 bits */
  SPIRV_VECTOR,
  SPIRV_ARRAY,
  SPIRV_STRUCT,
  SPIRV_POINTER,
  SPIRV_EVENT,
  SPIRV_FUNCTION_TYPE,
  SPIRV_PIPE,          /* the address of its header; reservation ids are 64-bit integers */
  SPIRV_IMAGE,         /* a handle */
  SPIRV_SAMPLER,       /* a word, encoded as in isa/image.h */
  SPIRV_SAMPLED_IMAGE, /* an image and a sampler; `element` is the image's type */
  SPIRV_OPAQUE,        /* queues and others: named, and refused where used */
};

enum spirv_storage {
  SPIRV_UNIFORM_CONSTANT = 0,
  SPIRV_INPUT = 1,
  SPIRV_WORKGROUP = 4,
  SPIRV_CROSS_WORKGROUP = 5,
  SPIRV_FUNCTION_STORAGE = 7,
  SPIRV_GENERIC = 8,
};

struct spirv_type {
  uint8_t kind;     /* enum spirv_type_kind */
  uint8_t bits;     /* int, float */
  uint8_t storage;  /* pointer */
  uint8_t image;    /* image: enum isa_image_kind */
  bool untyped;     /* pointer: it has no element; SPV_KHR_untyped_pointers */
  uint32_t element; /* type id of the element of a vector, array or pointer; function type: of the result */
  uint32_t count;   /* components, length (0: unknown), members, parameters */
  uint32_t *member; /* type ids: struct members, function parameters */
  uint32_t *offset; /* struct: each member's offset, bytes */
  uint64_t size;    /* bytes in memory: bool 1, pointers, events and pipes 8; a vector has room for 2^n components */
  uint32_t align;   /* natural; a packed struct's is 1 */
  uint8_t depth;    /* nesting of arrays, structs and vectors: at most SPIRV_MOST_DEPTH */
  uint32_t parts;   /* scalars in it, including those of nested types: at most SPIRV_MOST_PARTS, otherwise that + 1 */
  const char *name; /* opaque: "queue_t", ...; image: "image2d_t", ...; else NULL */
};

enum {
  SPIRV_MOST_COMPONENTS = 64, /* of a vector; the specification has 2, 3, 4, 8 and 16, LLVM any number */
  SPIRV_MOST_PARTS = 4096,
  SPIRV_MOST_DEPTH = 32,
};

struct spirv_inst {
  const uint32_t *word; /* word[0] holds length and opcode; in the host's byte order */
  uint16_t op, words;
  struct ir_place place;
};

struct spirv_block {
  uint32_t label;
  uint32_t first, count; /* in module->inst, without OpLabel, OpLine and merges; the last one is the terminator */
  uint32_t copies; /* of a loop body that OpLoopMerge requests; UINT32_MAX: all, 1: do not unroll; 0: no request */
};

struct spirv_function {
  uint32_t id, type; /* type: function type id */
  uint32_t *parameter;
  uint32_t parameters;
  struct spirv_block *block;    /* NULL: an import that nothing in the module defines */
  uint32_t blocks, first_block; /* first_block: in module->block */
  const char *name;             /* from the linkage, or OpName; "" if neither */
  struct ir_place place;
};

/* The decorations that are used; the reader skips all others. */
struct spirv_decoration {
  uint32_t alignment; /* 0: none */
  int16_t builtin;    /* for variables; -1: none */
  int8_t rounding;    /* FPRoundingMode: 0 RTE, 1 RTZ, 2 RTP, 3 RTN; -1: none */
  bool saturated, by_value, sret, packed, constant, no_signed_wrap, no_unsigned_wrap;
  const char *note; /* an annotation of the source, which SPIR-V gives no meaning, or NULL */
};

struct spirv_id {
  uint8_t kind;     /* enum spirv_kind */
  bool import;      /* a function or variable declared as defined elsewhere; such a function may still have a body */
  bool unfolded;    /* an OpSpecConstantOp that the reader cannot fold; its operands are constants */
  uint32_t base;    /* constants: the variable that `value` is a byte offset from; 0: none */
  uint64_t value;   /* scalar constants: the bits, upper bits 0, folded if it is an OpSpecConstantOp */
  uint32_t type;    /* type id of constants, variables, values; 0: none */
  uint32_t index;   /* SPIRV_TYPE: in type[]; SPIRV_FUNCTION: in function[]; otherwise the definition in inst[] */
  const char *name; /* OpName, or NULL */
  struct spirv_decoration decoration;
};

struct spirv_entry {
  const char *name;
  uint32_t function;          /* in function[] */
  uint32_t required_local[3]; /* 0 0 0: any */
  uint32_t hint[3];           /* work-group size hint; 0 0 0: none */
};

struct spirv {
  const char *file; /* as the caller named it */
  uint32_t *words;  /* owned, in the host's byte order */
  uint32_t word_count, bound;
  struct spirv_id *id; /* `bound` elements */
  struct spirv_type *type;
  uint32_t types;
  struct spirv_inst *inst; /* all instructions from the first OpConstant on, module scope and functions */
  uint32_t insts;
  struct spirv_function *function;
  uint32_t functions;
  struct spirv_entry *entry;
  uint32_t entries;
  uint32_t opencl_std; /* id of the import; 0: none */
  const char **source; /* files of OpLine by display name, numbered as in struct ir_place, at least one: the last part
                          of the path, or `file` where both have the same last part */
  const char **path;   /* the same files as OpLine gives them */
  uint32_t sources;
  uint32_t address_bits; /* 32 or 64, from OpMemoryModel; only 64 is accepted */

  /* Storage that the arrays above point into. */
  char *text;
  uint32_t *numbers;
  struct spirv_block *block;
  size_t type_room, function_room, block_room;
};

/* Reads a module. Returns NULL on bad input and fills *error. */
struct spirv *spirv_read(const uint8_t *bytes, size_t size, const char *file, struct isa_error *error);
void spirv_free(struct spirv *module);

/* The alignment that the optional memory access operand of a load, store or copy gives; 0: none. Word `position` holds
 * its flags, if the instruction is that long. */
uint32_t spirv_alignment(const struct spirv_inst *inst, unsigned position);

/* The word with the id of the pointer that a chain of indices begins at. The untyped chains have the type that the
 * indices go into before it. */
static inline unsigned spirv_chain_base(uint16_t op) {
  return op >= OpUntypedAccessChainKHR && op <= OpUntypedInBoundsPtrAccessChainKHR ? 4 : 3;
}

/* An opcode's name for messages: "OpImageRead", or "instruction 4711". */
const char *spirv_op_name(uint32_t op, char room[32]);

/* An id's type; NULL: it has none. A type id's type is itself. */
const struct spirv_type *spirv_type_of(const struct spirv *module, uint32_t id);
const struct spirv_type *spirv_type(const struct spirv *module, uint32_t type_id);

/* Reads the value of an integer constant (OpConstantNull included); false: it is none. */
bool spirv_integer(const struct spirv *module, uint32_t id, uint64_t *value);

/* Writes a constant's type->size bytes; null and undef are zeros. address(context, variable id, byte offset) returns
 * the number to write for a pointer to a variable. False: not a constant, or its value cannot be written. */
bool spirv_constant_bytes(const struct spirv *module, uint32_t id, uint8_t *to,
                          uint64_t (*address)(void *context, uint32_t variable, uint64_t offset), void *context);

#endif
