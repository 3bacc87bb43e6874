/* The kernel ISA: what an instruction is and what it does. Nothing here depends on time.
 *
 * A program is a list of 16-byte instructions and the kernels that start in it. A warp of 16, 32 or 64 lanes runs a
 * kernel in lockstep. Each lane has R 32-bit registers (a pair, low half first, holds 64 bits) and 16 one-bit
 * predicates. A guard `@p` or `@!p` switches lanes off for one instruction.
 *
 * Divergence. A branch names its join, the instruction where its two sides meet again: the immediate post-dominator,
 * which the assembler finds. The warp keeps a stack of { pc, join, mask }. A divergent branch pushes the join and runs
 * the two sides one after the other; a side ends when its pc reaches the join. A join that is already on top is not
 * pushed again. So loops with different trip counts, `break` and `continue` keep the stack as deep as the nesting, not
 * as long as the run. `exit` removes lanes from every entry.
 *
 * Commit points. isa_step() writes ALU results. For an access to LDS or global memory it only records the addresses and
 * the data to store. isa_access_commit() carries the access out when the memory serves it: LDS in the cycle of the
 * first bank pass, global memory when the L2 accepts the access. The timing model decides when, and the scoreboard
 * keeps the warp from reading a register too early. Further kinds:
 *
 *     copies              isa_step() describes them, the DMA engine carries them out
 *     copy.lane           reads like a load and writes like a store to the LDS
 *     mbarriers           like LDS accesses; the commit of a wait may leave it open until the commit of an arrival
 *     private, constant   read and written at issue
 *     pipes, images       accesses to global memory (isa/pipe.h, isa/image.h)
 *
 * Address spaces. Global addresses have 64 bits; buffers start at ISA_GLOBAL_BASE, with unmapped gaps between them. LDS
 * and private addresses are 32-bit offsets into the work-group's allocation and the lane's private memory. Constant
 * addresses are offsets into the program's table. Generic pointers are a convention of programs that instructions do
 * not know: a generic pointer is a global address, or an offset plus the aperture of its space. 0 is null. No host
 * buffer lies in an aperture.
 *
 * Not modeled: instruction fetch, uniform registers, independent thread scheduling (a lane that spins on another lane
 * of its warp hangs, as on any machine with a divergence stack). */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/core/copy.def"
#include "sim/core/rect.h"

enum {
  ISA_LANES = 64,      /* the widest warp */
  ISA_REGISTERS = 255, /* r0..r254; 255 in an operand field: none */
  ISA_NO_REGISTER = 255,
  ISA_PREDICATES = 16,
  ISA_SLOTS = 256 + ISA_PREDICATES, /* scoreboard slots: registers, then predicates */
  ISA_INFO_SLOTS = 16,
  ISA_WAIT_EVENTS = 8,   /* events that one wait instruction may name */
  ISA_LOCAL_ALIGN = 128, /* bytes: local arguments follow the static LDS, each at a multiple of this */
  ISA_LANE_BATCHES = 63, /* batches of copy.lane that a warp may have in flight, and that a wait may leave */
};

#define ISA_GLOBAL_BASE UINT64_C(0x100000000)
/* Generic pointers: a space reaches from its aperture to the next one. Program-scope variables are global memory. If a
 * program has any, the code that builds the isa_memory of a launch adds a buffer of isa_variable_room() bytes at
 * ISA_VARIABLE_BASE, fills it with the program's `variables`, and creates the pipes of its channels there. */
#define ISA_LOCAL_APERTURE UINT64_C(0x40000000)
#define ISA_PRIVATE_APERTURE UINT64_C(0x80000000)
#define ISA_CONSTANT_APERTURE UINT64_C(0xa0000000)
#define ISA_VARIABLE_BASE UINT64_C(0xc0000000)
#define ISA_NEVER UINT32_MAX /* the join of a branch whose sides never meet */

/* Timing classes: the rows of isa/classes.def. A class says which unit runs the operation and when it commits (column
 * RUNS). Latencies belong to the machine. */
enum isa_class {
#define CLASS(id, ...) ISA_CLASS_##id,
#include "isa/classes.def"
#undef CLASS
  ISA_CLASSES
};
enum isa_runs { ISA_RUNS_UNIT, ISA_RUNS_PATH, ISA_RUNS_ELSEWHERE };

/* Does a class run on an execution unit, and commit at issue? */
static inline bool isa_on_unit(unsigned class_) {
  const uint64_t units = 0
#define CLASS(id, name, runs, text) | (uint64_t)(ISA_RUNS_##runs == ISA_RUNS_UNIT) << ISA_CLASS_##id
#include "isa/classes.def"
#undef CLASS
      ;
  return units >> class_ & 1;
}

/* One instruction, as encoded: 16 bytes, little-endian, no padding. */
struct isa_inst {
  uint16_t op;   /* enum isa_op (isa/ops.h) */
  uint8_t guard; /* 0: always; 1 + 2 * predicate + negated otherwise */
  uint8_t flags; /* ISA_FLAG_* */
  uint8_t d, a, b, c;
  uint64_t imm; /* the immediate, offset, element size or targets, depending on the format */
};

/* isa_inst.flags: which operand is in `imm` instead of a register. At most one of A, B, C. */
enum { ISA_FLAG_IMM_A = 1, ISA_FLAG_IMM_B = 2, ISA_FLAG_IMM_C = 4, ISA_FLAG_IMM_STRIDE = 8 };

/* A branch's imm holds its target and its join. */
static inline uint32_t isa_branch_target(const struct isa_inst *inst) { return (uint32_t)inst->imm; }
static inline uint32_t isa_branch_join(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> 32); }
static inline void isa_branch_set(struct isa_inst *inst, uint32_t target, uint32_t join) {
  inst->imm = (uint64_t)join << 32 | target;
}

/* What timing needs to know about an instruction. isa_describe() fills it in once per program. */
struct isa_info {
  uint8_t class_;     /* enum isa_class */
  uint8_t bytes;      /* bytes that a lane moves, for memory classes */
  bool on_unit;       /* isa_on_unit() of its class */
  bool store, atomic; /* for memory classes; a load is neither */
  bool indivisible;   /* an atomic operation, load or store: does not race with other such accesses */
  bool past_l1;       /* a load that bypasses the L1 */
  bool to_global;     /* a copy that writes global memory */
  uint8_t sent;       /* 32-bit registers of data that each lane of a store or atomic sends */
  bool local_fence,
      global_fence; /* barriers and fences: the accesses that must be performed first (copy fences: the copies') */
  bool in_loop;     /* control flow can come back here; isa_validate() sets it, because it takes the whole kernel */
  uint8_t writes;   /* the first `writes` of slot[] are written, the rest read */
  uint8_t slots;
  uint16_t slot[ISA_INFO_SLOTS]; /* scoreboard slots: register, or 256 + predicate */
};

void isa_describe(const struct isa_inst *inst, struct isa_info *info);

enum isa_arg_kind {
  ISA_ARG_GLOBAL,
  ISA_ARG_LOCAL,
  ISA_ARG_VALUE,
  ISA_ARG_PIPE,
  ISA_ARG_IMAGE,
  ISA_ARG_SAMPLER,
  ISA_ARG_KINDS
};

/* A kernel argument: `bytes` at `offset` of the argument block. A global argument is a 64-bit address, a local one a
 * 32-bit LDS offset, a value any scalar, vector or struct. An image is its handle and a sampler its word
 * (isa/image.h). */
struct isa_arg {
  char *name;
  char *type; /* as written, for error messages: "global", "u32", ... */
  enum isa_arg_kind kind;
  uint32_t bytes, offset;
};

/* A named part of a kernel's static LDS, for reports. */
struct isa_lds_variable {
  char *name; /* a word, unique among the kernel's arguments and variables */
  uint32_t offset, bytes;
};

struct isa_kernel {
  char *name;
  uint32_t entry, end;        /* instructions [entry, end) */
  uint32_t registers;         /* per lane, as written in the source (at least 1) */
  uint32_t lds_bytes;         /* static; local arguments follow */
  uint32_t private_bytes;     /* per lane */
  uint32_t spilled;           /* words of private_bytes that hold spilled registers */
  uint32_t required_local[3]; /* 0 0 0: any */
  struct isa_arg *args;
  size_t arg_count;
  uint32_t arg_bytes;           /* size of the argument block */
  struct isa_lds_variable *lds; /* named parts, sorted by offset; they do not overlap */
  size_t lds_count;
  uint32_t scratch, scratch_bytes; /* static LDS of the compiler's own, outside `lds`; 0 0: none */
  /* Work-groups of an autorun kernel, which runs with every launch of the program's other kernels until they finish.
   * 0 0 0: an ordinary kernel. */
  uint32_t autorun[3];
};

/* A channel: a pipe, or an array of `count` pipes, that all kernels of the program can use. Channels follow the
 * program's variables: header and packets of each pipe, the first at `offset`, `pitch` bytes apart. */
struct isa_channel {
  char *name;
  uint32_t packet_size, max_packets, count;
  uint64_t offset, pitch; /* isa_place_channel() */
};

/* A source file. */
struct isa_source {
  char *name;  /* never NULL */
  char *path;  /* where it was read; NULL: use `name` */
  char **text; /* text[0] is line 1; NULL when unknown */
  uint32_t lines;
};

/* What an instruction promises about memory: isa_program.order. Execution does not depend on it, because this machine
 * has one order for all. An atomic operation orders its own memory, and also the one whose bit is set. */
enum {
  ISA_ORDERS_KNOWN = 1, /* else a fence or barrier acquires and releases for the device, an atomic is relaxed */
  ISA_ORDERS_ACQUIRE = 2,
  ISA_ORDERS_RELEASE = 4,
  ISA_ORDERS_LDS = 8,
  ISA_ORDERS_GLOBAL = 16,
  ISA_ORDERS_SCOPE = 5, /* enum isa_scope, shifted by this */
};
enum isa_scope { ISA_SCOPE_ITEM, ISA_SCOPE_SUB_GROUP, ISA_SCOPE_WORK_GROUP, ISA_SCOPE_DEVICE };

struct isa_program {
  char *file; /* for reports */
  struct isa_inst *code;
  struct isa_info *info;
  uint32_t *line;   /* source line of each instruction, 0 when unknown */
  uint16_t *column; /* source column, from 1; 0 when unknown or beyond 65535; never NULL */
  uint16_t *source; /* index of the file in `sources`; 0 when there are none; never NULL */
  uint8_t *order;   /* ISA_ORDERS_*; NULL, all 0: assembly and object files have none */
  uint32_t count;
  struct isa_kernel *kernels;
  size_t kernel_count;
  uint8_t *constants;
  size_t constant_bytes;
  uint8_t *variables; /* initial values of the program-scope variables */
  size_t variable_bytes;
  struct isa_channel *channels; /* sorted by address */
  size_t channel_count;
  struct isa_source *sources; /* may be empty; the first is the file that the program is named after */
  uint32_t source_count;
  uint32_t stack_entries; /* bounds any nesting in this program (isa/step.c) */
};

/* One line for the user: "kernel.wws:12:9: ...". */
struct isa_error {
  char text[512];
};

/* The object format (.wwo), documented in encode.c: header, kernels, constants, variables, channels, code, lines,
 * columns. The caller frees isa_encode()'s bytes. isa_decode() checks everything and rejects malicious files. */
uint8_t *isa_encode(const struct isa_program *program, size_t *size);
struct isa_program *isa_decode(const uint8_t *bytes, size_t size, const char *file, struct isa_error *error);

void isa_program_free(struct isa_program *program);

/* The source file of an instruction and the text of its source line. NULL when unknown. */
const char *isa_source_name(const struct isa_program *program, uint32_t pc);
const char *isa_source_text(const struct isa_program *program, uint32_t pc);

const struct isa_kernel *isa_find_kernel(const struct isa_program *program, const char *name);

/* Bytes from ISA_VARIABLE_BASE on that variables and channels take up. */
uint64_t isa_variable_room(const struct isa_program *program);

/* Places a channel behind `room` bytes of variables and channels. The pitch of an array is a multiple of the packet
 * size, so that a front end can compute a pipe's address from that of an array element. */
void isa_place_channel(uint64_t room, struct isa_channel *channel);
uint64_t isa_channel_end(const struct isa_channel *channel);

const char *isa_op_name(unsigned op); /* of isa/ops.h; "?" if there is no such operation */
const char *isa_class_name(enum isa_class class_);
enum isa_runs isa_class_runs(enum isa_class class_);

/* ---- functional state ------------------------------------------------------------------ */

/* Global memory: named buffers at fixed addresses, in launch-file order. */
struct isa_buffer {
  char name[64];
  uint64_t base, bytes;
  uint8_t *data;
};

struct isa_memory {
  struct isa_buffer *buffers; /* includes those of pipes */
  size_t count;
  size_t last;            /* the buffer found last, tried first because accesses cluster */
  struct isa_pipe *pipes; /* isa/pipe.h */
  size_t pipe_count;
  struct isa_image *images; /* isa/image.h */
  size_t image_count;
};

/* The bytes at [address, address + bytes). NULL unless all are in one buffer. */
uint8_t *isa_memory_at(struct isa_memory *memory, uint64_t address, uint64_t bytes);

/* The buffer that contains all of these bytes, or NULL. */
const struct isa_buffer *isa_memory_holding(struct isa_memory *memory, uint64_t address, uint64_t bytes);

/* For messages: the buffer that contains `address`, or else the nearest one below it. NULL if there is none. */
const struct isa_buffer *isa_memory_near(const struct isa_memory *memory, uint64_t address);

/* Hazards: the rows of isa/hazards.def. */
enum isa_hazard_rule {
#define HAZARD(id, ...) HAZARD_##id,
#include "isa/hazards.def"
#undef HAZARD
  HAZARDS
};

enum isa_hazard_level { ISA_HAZARD_ERROR, ISA_HAZARD_WARNING };
enum isa_hazard_finder { ISA_BY_RUN, ISA_BY_CHECK };

struct isa_hazard_row {
  const char *rule;   /* "X1-stride-zero" */
  const char *text;   /* what is wrong, one sentence */
  const char *advice; /* with placeholders, which isa_hazard_advice() fills in */
  enum isa_hazard_level level;
  enum isa_hazard_finder by;
};
extern const struct isa_hazard_row isa_hazard_rows[HAZARDS];
extern const char *const isa_hazard_levels[2]; /* "error", "warning" */

/* The rule that a program breaks if only some work-items of a work-group reach this barrier, copy, copy fence or wait,
 * or only some of a sub-group reach this operation on a pipe. */
enum isa_hazard_rule isa_divergence_rule(const struct isa_program *program, uint32_t pc);

/* Advice on a hazard with the source lines of its two places. 0: no such place, or its line is unknown. */
enum { ISA_ADVICE = 320 };
void isa_hazard_advice(enum isa_hazard_rule rule, uint32_t here_line, uint32_t other_line, char text[ISA_ADVICE]);

struct isa_hazard {
  enum isa_hazard_rule rule;
  uint32_t pc;
  uint32_t group[3];
  uint32_t item;    /* first work-item affected, linear in its work-group */
  char detail[160]; /* values: address, buffer, sizes */
};

struct isa_group;

/* What the work-groups of a launch share. Constant while it runs, except for the bytes of memory. */
struct isa_launch {
  const struct isa_program *program;
  const struct isa_kernel *kernel;
  uint32_t dimensions;
  uint32_t global[3], local[3], offset[3]; /* 1 and 0 beyond `dimensions` */
  uint32_t groups[3];
  uint32_t first_group, part_groups; /* run only part_groups work-groups, from number first_group on; 0: all */
  uint32_t warp_size;
  const uint8_t *args;
  struct isa_memory *memory;
  uint32_t lds_bytes;                                             /* static LDS and local arguments */
  uint32_t number;                                                /* among concurrent launches */
  bool checked;                                                   /* rules of ISA_BY_CHECK are reported, too */
  void (*report)(void *context, const struct isa_hazard *hazard); /* may be NULL */
  void *report_context;
  /* Receives what a work-item prints, once per printf and work-item, in lane order. `item` is linear in its work-group.
   * The text is not zero-terminated and may contain zeros. May be NULL. */
  void (*print)(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length);
  void *print_context;
};

/* How many work-groups run. */
static inline uint64_t isa_launch_groups(const struct isa_launch *launch) {
  const uint64_t all = (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2];
  return launch->part_groups ? launch->part_groups : all;
}

enum { ISA_GROUP_COMMITTED = 64 };

/* A resident work-group. */
struct isa_group {
  const struct isa_launch *launch;
  uint32_t id[3];
  uint32_t size[3];                        /* the last group of a non-uniform NDRange is smaller */
  uint32_t items;                          /* product of size */
  uint32_t warps;                          /* that hold the items */
  uint8_t *lds;                            /* lds_bytes of the launch */
  uint32_t lds_base;                       /* offset of `lds` in the CU's LDS, for bank numbers */
  struct isa_access *waits;                /* list of suspended mbarrier.try_wait, oldest first; arrivals end them */
  uint64_t committed[ISA_GROUP_COMMITTED]; /* hash table of recently committed pipe reservations (isa/pipe.c) */
};

struct isa_frame {
  uint32_t pc, join;
  uint64_t mask;
};

struct isa_warp {
  struct isa_group *group;
  uint32_t index; /* of the warp in its group; lane l is work-item index * warp_size + l */
  uint32_t pc;
  uint64_t active; /* lanes that are at pc */
  uint64_t live;   /* lanes that have not exited */
  uint64_t all;    /* lanes that exist */
  uint32_t *reg;   /* reg[r * warp_size + lane] */
  uint64_t pred[ISA_PREDICATES];
  struct isa_frame *stack; /* program->stack_entries of them */
  uint32_t depth;
  uint32_t join;           /* where the active lanes stop and the stack is popped */
  uint32_t *local_id;      /* local_id[axis * warp_size + lane] */
  uint8_t *private_memory; /* lane l's bytes start at l * private_bytes */
  uint32_t events;         /* events that this warp has created; the next one is events + 1 */
  uint64_t missed;         /* exited lanes that were already reported as missing at a group call */
  uint64_t diverged;       /* lanes that missed a copy: their event registers mean nothing */
  uint64_t clock;          /* what get.clock reads; the caller sets it before each step */
};

/* isa_warp_bytes() returns the host bytes that one warp's `reg`, `stack`, `local_id` and `private_memory` take
 * together. isa_warp_place() lays them out in `storage`. The CU allocates once per launch. */
size_t isa_warp_bytes(const struct isa_launch *launch);
void isa_warp_place(struct isa_warp *warp, const struct isa_launch *launch, void *storage);

/* Starts warp `index` of `group` at the kernel's entry, with registers, predicates and private memory set to zero. */
void isa_warp_start(struct isa_warp *warp, struct isa_group *group, uint32_t index);

/* The same for storage that is already zero. Parts that the warp never uses stay untouched and cost no host memory. */
void isa_warp_start_in_zeros(struct isa_warp *warp, struct isa_group *group, uint32_t index);

/* Fills in id, size, items and warps of work-group number `linear` of the launch. */
void isa_group_place(struct isa_group *group, const struct isa_launch *launch, uint32_t linear);

/* isa_access.copy: a step of a copy that work-items carry out themselves. The bits say which side it accesses and
 * whether it stores. */
enum { ISA_COPY_STEP = 1, ISA_COPY_GLOBAL = 2, ISA_COPY_STORE = 4 };
/* The state of an operation on a pipe. Masks have a bit per lane. */
struct isa_pipe_access {
  uint64_t refused; /* got no reservation, because there were too few packets or too little room */
  uint64_t waiting; /* for pipe.reserve.*.wait: not served yet; commit again when the pipe has changed */
  uint64_t value;   /* for the report on `rule`: the id or the limit */
  uint8_t rule;     /* 1 + the broken rule, reported when the reply arrives; 0: none */
  uint8_t lane;     /* the first lane that breaks it */
  bool held;        /* some lane had to wait */
  bool changed;     /* the operation changed the pipe */
};

/* A cache that contains the bytes of a load. No lane's bytes span two of its lines. */
struct isa_cache {
  const void *self;
  uint64_t line;                                            /* bytes per line, a power of two */
  const uint8_t *(*at)(const void *self, uint64_t address); /* the line that starts at `address` */
};

/* An access to LDS or global memory between issue and commit. */
struct isa_access {
  struct isa_warp *warp;
  const struct isa_inst *inst;
  uint32_t pc;
  uint64_t mask; /* lanes that take part, without those that are out of bounds */
  uint8_t bytes; /* per lane */
  uint8_t copy;  /* ISA_COPY_*: a step of a copy, whose bytes for lane l are at l * bytes of `data`; isa_access_commit()
                  * does not handle these. 0: the instruction's own access */
  bool whole;    /* all lanes of the warp take part, aligned to `bytes`, in one buffer or in the work-group's LDS */
  bool run;      /* whole, and the bytes are contiguous in lane order */
  uint64_t heads;                /* if whole: the lanes at which a contiguous run of bytes starts (isa/addresses.h) */
  const struct isa_cache *cache; /* for a load of global memory: read the bytes from here instead; NULL: from memory */
  uint64_t zeros;                /* for a copy's store: lanes of `mask` that write zeros */
  /* The caller provides these arrays. They are outside the struct because a CU can have hundreds of accesses in
   * flight, and the unused parts of the arrays would lie between the fields in use. */
  uint64_t *address;             /* global address, or byte offset in the CU's LDS */
  uint32_t *data;                /* data[word * warp_size + lane], up to 4 words: what to store, atomic operands */
  uint32_t *lds;                 /* class COPY_LANE: where each lane's bytes go, an offset in the CU's LDS */
  struct isa_pipe_access pipe;   /* class PIPE */
  const struct isa_image *image; /* for image reads and stores; a read has its coordinates in `data` */
  uint32_t sampler;
  /* Classes MBARRIER and PHASE. */
  bool suspended;           /* the commit of this mbarrier.try_wait found that it must wait for arrivals */
  uint64_t waiting;         /* the lanes that must wait */
  uint64_t broken;          /* lanes whose address is not that of an mbarrier */
  struct isa_access *waits; /* for an arrival: the first of the waits that its commit ended; for a wait, ended or open:
                             * the next in its list */
};

/* Room for the lanes of one access of the widest warp. */
struct isa_access_lanes {
  uint64_t address[ISA_LANES];
  uint32_t data[4 * ISA_LANES], lds[ISA_LANES];
};

struct isa_access isa_access_with(struct isa_access_lanes *lanes);

/* Carries out an access: loads write registers, stores and atomics write memory. An access that is `suspended`
 * afterwards must stay at its address until it appears in the `waits` of an arrival. */
void isa_access_commit(struct isa_access *access);

/* Reports the lanes that the commit of an mbarrier access found `broken`. */
void isa_mbarrier_report(const struct isa_access *access);

/* The call that a copy comes from. It decides which arguments are legal. */
enum isa_copy_form { ISA_COPY_PLAIN, ISA_COPY_STRIDED, ISA_COPY_2D, ISA_COPY_3D, ISA_COPY_FORMS };

/* A copy as its last warp hands it to a DMA engine. A plain copy is one line; a strided copy has one element per line.
 * If elements have 0 bytes, nothing moves, and the rectangles have 1 byte for each element. */
struct isa_copy {
  struct rect global, lds; /* the LDS side starts at an offset in the work-group's LDS */
  uint32_t element_bytes;
  uint32_t event_in; /* 0: the copy created a new event */
  uint32_t event;    /* the event that covers this copy */
  uint8_t form;      /* enum isa_copy_form */
  bool to_lds;
};

/* The fields of a copy as its call and traces have them, in elements: the rows of sim/core/copy.def. */
enum copy_field {
#define COPY_FIELD(id, ...) COPY_##id,
#define COPY_NAMED(byte, operand, id, ...) COPY_##id,
  COPY_ROWS(COPY_FIELD, COPY_NAMED)
#undef COPY_FIELD
#undef COPY_NAMED
      COPY_FIELDS
};
struct isa_copy isa_copy_of(const uint64_t field[COPY_FIELDS]);
void isa_copy_fields(const struct isa_copy *copy, uint64_t field[COPY_FIELDS]);

/* Whether two warps call a copy with the same arguments. */
bool isa_same_copy(const struct isa_copy *a, const struct isa_copy *b);

struct isa_wait {
  uint32_t count; /* 0: the work-items of the group only meet */
  bool more;      /* part of a list: the next wait without `more` releases these events too */
  uint32_t event[ISA_WAIT_EVENTS];
};

/* What one executed instruction requests from the machine. */
struct isa_result {
  uint32_t pc;          /* of this instruction */
  uint64_t mask;        /* lanes that ran it, after the guard */
  bool done;            /* no lane of the warp is live */
  bool diverged;        /* a branch that lanes took both ways */
  struct isa_copy copy; /* class COPY, if mask is not empty */
  struct isa_wait wait; /* class WAIT, if mask is not empty */
  uint64_t pipe[2];     /* bar.pipe, if mask is not empty: the pipe's address, and the count or id */
  uint32_t addresses;   /* load of constants through a register: how many different addresses the lanes read */
};

/* Executes the instruction at warp->pc and advances the warp. For LDS and global accesses and prefetches it fills
 * *access (room that the caller provides) instead of touching memory; the bytes that lane l prefetches are
 * access->data[l]. If all lanes are out of bounds or switched off, the mask is 0. */
void isa_step(struct isa_warp *warp, struct isa_access *access, struct isa_result *result);

#endif
