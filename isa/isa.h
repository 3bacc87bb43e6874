/* The kernel ISA: what an instruction is and what it does. Nothing here knows of time.
 *
 * A program is a list of 16-byte instructions and the kernels that start in it. A warp of 16, 32
 * or 64 lanes runs a kernel in lockstep over vector-free registers: R 32-bit registers a lane
 * (pairs, low half first, hold 64 bits) and 16 one-bit predicates a lane. A guard `@p` or `@!p`
 * switches lanes of one instruction off.
 *
 * Divergence. A branch names the instruction where its two sides meet again (its join, the
 * immediate post-dominator; the assembler finds it). The warp keeps a stack of
 * { pc, join, mask }; a divergent branch leaves the join on the stack and runs the two sides one
 * after the other; a side ends when its pc reaches the join. A join equal to the one already on
 * top is not pushed again, so loops with different trip counts, `break` and `continue` keep the
 * stack as deep as the nesting, not as long as the run. `exit` takes lanes out of every entry.
 *
 * Commit points. ALU results are written by isa_step(). Accesses to LDS and global memory are
 * described by isa_step() (addresses, and the data to store) and carried out by
 * isa_access_commit() when the memory serves them: LDS in the cycle of the first bank pass,
 * global memory when the L2 accepts the access. Timing decides when; the scoreboard keeps a
 * warp from reading a register before. Copies are described here and carried out by the DMA
 * engine; a lane's own copy (copy.lane) is read as a load is, and written as a store to the LDS.
 * An mbarrier is read and changed as the LDS is; the commit of a wait for one may leave it open, and that of an arrival
 * ends it.
 * Private and constant memory are read and written at issue. Operations on pipes (isa/pipe.h) are accesses to
 * global memory.
 *
 * Address spaces. Global addresses are 64-bit and start at ISA_GLOBAL_BASE, buffer by buffer with
 * unmapped gaps between; LDS and private addresses are 32-bit offsets into the work-group's
 * allocation and the lane's own bytes; constant addresses are offsets into the program's table.
 * Pointers that may point into any of them are a convention of programs, not of instructions: a
 * generic pointer is a global address as it is, or an offset plus its space's aperture, and 0 is
 * null. The apertures lie where no buffer of the host's is.
 *
 * Not modelled: instruction fetch, uniform registers, independent thread scheduling (a lane that
 * spins on another lane of its warp hangs, as on any machine with a divergence stack). */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ISA_LANES = 64,      /* the widest warp */
  ISA_REGISTERS = 255, /* r0..r254; 255 in an operand field means "none" */
  ISA_NO_REGISTER = 255,
  ISA_PREDICATES = 16,
  ISA_SLOTS = 256 + ISA_PREDICATES, /* what a scoreboard tracks: registers, then predicates */
  ISA_INFO_SLOTS = 16,
  ISA_WAIT_EVENTS = 8,   /* events that one wait instruction may name */
  ISA_LANE_BATCHES = 63, /* batches of a warp's own copies that may be under way: a wait leaves as many alone at most */
};

#define ISA_GLOBAL_BASE UINT64_C(0x100000000)
/* Generic pointers: [aperture, next aperture) is the space. Program-scope variables are global memory: whoever
 * builds the isa_memory of a launch adds a buffer of isa_variable_room() bytes at ISA_VARIABLE_BASE, if there are any,
 * filled with the program's `variables`, and makes pipes of its channels there. */
#define ISA_LOCAL_APERTURE UINT64_C(0x40000000)
#define ISA_PRIVATE_APERTURE UINT64_C(0x80000000)
#define ISA_CONSTANT_APERTURE UINT64_C(0xa0000000)
#define ISA_VARIABLE_BASE UINT64_C(0xc0000000)
#define ISA_NEVER UINT32_MAX /* the join of a branch whose sides never meet */

/* Operations: isa/ops.def, a row each. */
enum isa_op {
#define OP(id, ...) ISA_##id,
#include "isa/ops.def"
#undef OP
  ISA_OPS
};

/* Timing classes: isa/classes.def, a row each. A class says which unit runs the operation and
 * when it commits; latencies belong to the machine. */
enum isa_class {
#define CLASS(id, ...) ISA_CLASS_##id,
#include "isa/classes.def"
#undef CLASS
  ISA_CLASSES
};

/* One instruction, as encoded: 16 bytes, little-endian, no padding. */
struct isa_inst {
  uint16_t op;
  uint8_t guard; /* 0: always; 1 + 2 * predicate + negated otherwise */
  uint8_t flags; /* ISA_FLAG_* */
  uint8_t d, a, b, c;
  uint64_t imm; /* the immediate, offset, element size or targets, as the format says */
};

/* isa_inst.flags: which operand is `imm` instead of a register; at most one of A, B, C. */
enum { ISA_FLAG_IMM_A = 1, ISA_FLAG_IMM_B = 2, ISA_FLAG_IMM_C = 4, ISA_FLAG_IMM_STRIDE = 8 };

/* A branch's imm holds where it goes and where its sides meet again. */
static inline uint32_t isa_branch_target(const struct isa_inst *inst) { return (uint32_t)inst->imm; }
static inline uint32_t isa_branch_join(const struct isa_inst *inst) { return (uint32_t)(inst->imm >> 32); }
static inline void isa_branch_set(struct isa_inst *inst, uint32_t target, uint32_t join) {
  inst->imm = (uint64_t)join << 32 | target;
}

/* What timing must know of an instruction; made once per program by isa_describe(). */
struct isa_info {
  uint8_t class_;     /* enum isa_class */
  uint8_t bytes;      /* bytes a lane moves, for memory classes */
  bool store, atomic; /* for memory classes; a load is neither */
  bool indivisible;   /* an atomic, or a load or store that is one: no race with others of these */
  bool past_l1;       /* a load that no L1 serves */
  bool to_global;     /* a copy that writes global memory */
  uint8_t sent;       /* 32-bit registers that a lane's store or atomic takes along, besides its address */
  bool local_fence,
      global_fence; /* barriers and fences: which accesses (of copy fences: whose, the copies') are first */
  bool in_loop;     /* control flow can come here again from here; isa_validate() sees it, who sees the whole kernel */
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

/* A kernel argument: `bytes` at `offset` of the argument block. A global argument is a 64-bit
 * address, a local one a 32-bit LDS offset, a value any scalar, vector or struct, an image its handle and a sampler
 * its word (isa/image.h). */
struct isa_arg {
  char *name;
  char *type; /* as written, for error messages: "global", "u32", ... */
  enum isa_arg_kind kind;
  uint32_t bytes, offset;
};

/* A part of a kernel's static LDS that has a name, for reports. */
struct isa_lds_variable {
  char *name; /* as an argument's: a word, and no other argument or variable of the kernel has it */
  uint32_t offset, bytes;
};

struct isa_kernel {
  char *name;
  uint32_t entry, end;        /* instructions [entry, end) */
  uint32_t registers;         /* per lane, as written in the source (at least 1) */
  uint32_t lds_bytes;         /* static LDS; local arguments follow it */
  uint32_t private_bytes;     /* per lane */
  uint32_t spilled;           /* words a lane of these that hold registers for which there was no room */
  uint32_t required_local[3]; /* 0 0 0: any */
  struct isa_arg *args;
  size_t arg_count;
  uint32_t arg_bytes;           /* size of the argument block */
  struct isa_lds_variable *lds; /* those that are known, by offset; none lies on another */
  size_t lds_count;
  uint32_t scratch, scratch_bytes; /* where in the static LDS, on no variable, compilers keep their own; 0 0: nowhere */
  /* Work-groups of an autorun kernel, which runs along with every launch of the program's other kernels until they have
   * finished. 0 0 0: it is an ordinary kernel. */
  uint32_t autorun[3];
};

/* A channel: a pipe, or `count` of them in a row, that all kernels of the program know. They lie behind the program's
 * variables, header and packets each, from `offset` on and `pitch` bytes apart. */
struct isa_channel {
  char *name;
  uint32_t packet_size, max_packets, count;
  uint64_t offset, pitch; /* isa_place_channel() */
};

/* A file that instructions come from. */
struct isa_source {
  char *name;  /* never NULL */
  char *path;  /* where it was read; NULL: it goes by its name */
  char **text; /* its lines, text[0] is line 1; NULL when unknown */
  uint32_t lines;
};

struct isa_program {
  char *file; /* the program's own name, for reports */
  struct isa_inst *code;
  struct isa_info *info;
  uint32_t *line;   /* source line of each instruction, 0 when unknown */
  uint16_t *column; /* and its column there, from 1; 0 when unknown, or beyond 65535; never NULL, as `line` */
  uint16_t *source; /* and the index of its file in `sources`, 0 when there are none; never NULL, as `line` */
  uint32_t count;
  struct isa_kernel *kernels;
  size_t kernel_count;
  uint8_t *constants;
  size_t constant_bytes;
  uint8_t *variables; /* what program-scope variables hold when a launch file begins */
  size_t variable_bytes;
  struct isa_channel *channels; /* by address */
  size_t channel_count;
  struct isa_source *sources; /* none, or first the file that the program is named after */
  uint32_t source_count;
  uint32_t stack_entries; /* enough for any nesting in this program */
};

/* One line for a person: "kernel.wws:12:9: ...". */
struct isa_error {
  char text[512];
};

/* The object format (.wwo): header, kernels, constants, variables, channels, code, lines, columns;
 * documented in encode.c. isa_encode allocates *bytes. isa_decode checks everything: a
 * hostile file gets an error. */
bool isa_encode(const struct isa_program *program, uint8_t **bytes, size_t *size);
struct isa_program *isa_decode(const uint8_t *bytes, size_t size, const char *file, struct isa_error *error);

void isa_program_free(struct isa_program *program);

/* The source file and the text of the source line that an instruction comes from; NULL when unknown. */
const char *isa_source_name(const struct isa_program *program, uint32_t pc);
const char *isa_source_text(const struct isa_program *program, uint32_t pc);

const struct isa_kernel *isa_find_kernel(const struct isa_program *program, const char *name);

/* Bytes from ISA_VARIABLE_BASE on that variables and channels take. */
uint64_t isa_variable_room(const struct isa_program *program);

/* Puts a channel behind `room` bytes of variables and channels. An array's pitch is a multiple of the packet's size, so
 * that a front end can tell a pipe's address by that of an element. */
void isa_place_channel(uint64_t room, struct isa_channel *channel);
uint64_t isa_channel_end(const struct isa_channel *channel);

const char *isa_op_name(enum isa_op op);
const char *isa_class_name(enum isa_class class_);

/* ---- functional state ------------------------------------------------------------------ */

/* Global memory: named buffers at fixed addresses, in launch-file order. */
struct isa_buffer {
  char name[64];
  uint64_t base, bytes;
  uint8_t *data;
};

struct isa_memory {
  struct isa_buffer *buffers; /* those of pipes among them */
  size_t count;
  size_t last;            /* the buffer found last: accesses cluster */
  struct isa_pipe *pipes; /* isa/pipe.h */
  size_t pipe_count;
  struct isa_image *images; /* isa/image.h */
  size_t image_count;
};

/* The bytes at [address, address + bytes), or NULL when they are not all in one buffer. */
uint8_t *isa_memory_at(struct isa_memory *memory, uint64_t address, uint64_t bytes);

/* The buffer that has all of them, or NULL. */
const struct isa_buffer *isa_memory_holding(struct isa_memory *memory, uint64_t address, uint64_t bytes);

/* The buffer that holds `address`, or the nearest below it, for messages; NULL if there is none. */
const struct isa_buffer *isa_memory_near(const struct isa_memory *memory, uint64_t address);

/* Hazards: isa/hazards.def, a row each. */
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
  const char *advice; /* to be read through isa_hazard_advice() */
  enum isa_hazard_level level;
  enum isa_hazard_finder by;
};
extern const struct isa_hazard_row isa_hazard_rows[HAZARDS];
extern const char *const isa_hazard_levels[2]; /* "error", "warning" */

/* The rule that is broken where not all work-items of a work-group come to this barrier, copy, copy fence or wait, or
 * of a sub-group to this operation on a pipe. */
enum isa_hazard_rule isa_divergence_rule(const struct isa_program *program, uint32_t pc);

/* Advice on a hazard whose two places have these source lines; 0: there is none, or it is not known. */
enum { ISA_ADVICE = 320 };
void isa_hazard_advice(enum isa_hazard_rule rule, uint32_t here_line, uint32_t other_line, char text[ISA_ADVICE]);

struct isa_hazard {
  enum isa_hazard_rule rule;
  uint32_t pc;
  uint32_t group[3];
  uint32_t item;    /* first work-item concerned, linear in its work-group */
  char detail[160]; /* values: address, buffer, sizes */
};

struct isa_group;

/* Everything a launch shares; constant while it runs, but for memory's bytes. */
struct isa_launch {
  const struct isa_program *program;
  const struct isa_kernel *kernel;
  uint32_t dimensions;
  uint32_t global[3], local[3], offset[3]; /* 1 and 0 beyond `dimensions` */
  uint32_t groups[3];
  uint32_t first_group, part_groups; /* a part alone runs: so many of them, from this number on; 0: all of them */
  uint32_t warp_size;
  const uint8_t *args;
  struct isa_memory *memory;
  uint32_t lds_bytes;                                             /* static and local arguments */
  uint32_t number;                                                /* among the launches that run at once */
  void (*report)(void *context, const struct isa_hazard *hazard); /* may be NULL */
  void *report_context;
  /* What a work-item prints, once per printf and item, in lane order; `item` is linear in its group. No zero ends the
   * text, and there may be some in it. May be NULL. */
  void (*print)(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length);
  void *print_context;
};

/* The work-groups that run. */
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
  uint32_t warps;                          /* that hold them */
  uint8_t *lds;                            /* lds_bytes of the launch */
  uint32_t lds_base;                       /* where `lds` lies in the CU's LDS, for bank numbers */
  struct isa_access *waits;                /* the first mbarrier.try_wait that arrivals are to end */
  uint64_t committed[ISA_GROUP_COMMITTED]; /* ids of pipes' reservations that it committed lately (isa/pipe.c) */
};

struct isa_frame {
  uint32_t pc, join;
  uint64_t mask;
};

struct isa_warp {
  struct isa_group *group;
  uint32_t index; /* of the warp in its group; lane l is work-item index * warp_size + l */
  uint32_t pc;
  uint64_t active; /* lanes that run at pc */
  uint64_t live;   /* lanes that have not exited */
  uint64_t all;    /* lanes that exist */
  uint32_t *reg;   /* reg[r * warp_size + lane] */
  uint64_t pred[ISA_PREDICATES];
  struct isa_frame *stack; /* program->stack_entries of them */
  uint32_t depth;
  uint32_t join;           /* of the entry that runs now */
  uint32_t *local_id;      /* local_id[axis * warp_size + lane] */
  uint8_t *private_memory; /* lane l's bytes start at l * private_bytes */
  uint32_t events;         /* events this warp has seen created: the next one is events + 1 */
  uint64_t missed;         /* lanes that have left, and have been reported as missing at a call of their group */
  uint64_t strayed;        /* lanes that were missing at a copy: what they hold as events means nothing */
  uint64_t clock;          /* what get.clock reads; told before each step, isa/ itself has no time */
};

/* Host bytes that one warp's `reg`, `stack`, `local_id` and `private_memory` take together, and the
 * carving of them: the CU allocates once per launch. */
size_t isa_warp_bytes(const struct isa_launch *launch);
void isa_warp_place(struct isa_warp *warp, const struct isa_launch *launch, void *storage);

/* Starts warp `index` of `group` at the kernel's entry: registers, predicates and private memory zero. */
void isa_warp_start(struct isa_warp *warp, struct isa_group *group, uint32_t index);

/* The same in storage that holds zeros already: what the warp never touches of it costs no memory of the host's. */
void isa_warp_start_in_zeros(struct isa_warp *warp, struct isa_group *group, uint32_t index);

/* Fills id, size, items and warps of group number `linear` of the launch. */
void isa_group_place(struct isa_group *group, const struct isa_launch *launch, uint32_t linear);

/* A step of a copy that work-items carry out themselves, as a mask: which side it touches, and which way. */
enum { ISA_COPY_STEP = 1, ISA_COPY_GLOBAL = 2, ISA_COPY_STORE = 4 };
/* What became of an operation on a pipe, a bit a lane. */
struct isa_pipe_access {
  uint64_t refused; /* got no reservation for want of packets or room */
  uint64_t waiting; /* of pipe.reserve.*.wait: still to be served; commit again when the pipe has changed */
  uint64_t value;   /* of the rule: the id, the limit */
  uint8_t rule;     /* 1 + the rule that is broken, to be reported when the reply arrives; 0: none */
  uint8_t lane;     /* the first that breaks it */
  bool held;        /* some lane had to wait */
  bool changed;     /* the pipe is another than before */
};

/* A cache that has the bytes of a load, of which no lane's are in two of its lines. */
struct isa_cache {
  const void *self;
  uint64_t line;                                            /* bytes of a line, a power of two */
  const uint8_t *(*at)(const void *self, uint64_t address); /* of a line's first byte: where the line is */
};

/* An access to LDS or global memory between issue and commit. */
struct isa_access {
  struct isa_warp *warp;
  const struct isa_inst *inst;
  uint32_t pc;
  uint64_t mask;  /* lanes that take part; out-of-bounds lanes are already out */
  uint8_t bytes;  /* per lane */
  uint8_t copy;   /* ISA_COPY_*: no instruction's own access, and lane l's bytes are data's from l * bytes
                   * on; 0 for all that isa_access_commit() knows */
  bool whole;     /* all lanes of the warp take part, aligned to `bytes`, in one buffer or in the work-group's LDS */
  bool run;       /* and their bytes lie side by side, from the first lane's on */
  uint64_t heads; /* of a whole one: the lanes at which its bytes part (isa/addresses.h) */
  const struct isa_cache *cache; /* a load of global memory: where its bytes are instead of there, or NULL */
  uint64_t zeros;                /* of a copy's store: lanes of `mask` that write zeros */
  /* Whoever makes room for an access has room for a warp's lanes, too: hundreds of accesses can be under way in a CU,
   * and what is not touched of these must not lie between what is. */
  uint64_t *address;             /* global address, or byte offset in the CU's LDS */
  uint32_t *data;                /* data[word * warp_size + lane], up to 4 words: what to store, atomic operands */
  uint32_t *lds;                 /* of class copy lane: where each lane's bytes go, as an offset in the CU's LDS */
  struct isa_pipe_access pipe;   /* of class pipe */
  const struct isa_image *image; /* of reads and stores of one; a read has its coordinates as data */
  uint32_t sampler;
  /* of classes mbarrier and phase */
  bool suspended;           /* an mbarrier.try_wait whose commit has found that it must wait for arrivals, */
  uint64_t waiting;         /* in these lanes */
  uint64_t broken;          /* lanes at what is no mbarrier */
  struct isa_access *waits; /* of an arrival: the first of the waits that its commit has ended; of one of these, or of
                             * one that has not ended, the next */
};

/* Room for the lanes of one access of the widest warp. */
struct isa_access_lanes {
  uint64_t address[ISA_LANES];
  uint32_t data[4 * ISA_LANES], lds[ISA_LANES];
};

struct isa_access isa_access_with(struct isa_access_lanes *lanes);

/* Carries an access out: loads write their registers, stores and atomics memory. One that is `suspended` then must stay
 * where it is until an arrival's `waits` has it. */
void isa_access_commit(struct isa_access *access);

/* Reports lanes that an access to an mbarrier has found broken. */
void isa_mbarrier_report(const struct isa_access *access);

/* Which call a copy comes from: what its arguments may be depends on it. */
enum isa_copy_form { ISA_COPY_PLAIN, ISA_COPY_STRIDED, ISA_COPY_2D, ISA_COPY_3D };

/* A copy, as its last warp will hand it to a DMA engine: planes of lines of elements. Pitches are in elements and from
 * start to start. A plain copy is one line; a strided one has a line an element. */
struct isa_copy {
  enum isa_copy_form form;
  bool to_lds;
  uint64_t global; /* address of the first element on the global side */
  uint32_t lds;    /* its offset in the work-group's LDS */
  uint32_t element_bytes;
  uint32_t elements, lines, planes; /* of a line, of a plane, of the copy */
  uint32_t global_line, lds_line;   /* from line to line; the strided form's stride is global_line */
  uint32_t global_plane, lds_plane; /* from plane to plane */
  uint32_t event_in;                /* 0: a new event was made */
  uint32_t event;                   /* the event that covers this copy */
};

struct isa_wait {
  uint32_t count; /* none: all the work-items of the group meet, and go on */
  bool more;      /* a part of a list: the next wait without this releases these events too */
  uint32_t event[ISA_WAIT_EVENTS];
};

/* What one executed instruction asks of the machine. */
struct isa_result {
  uint32_t pc;          /* of this instruction */
  uint64_t mask;        /* lanes that ran it, after the guard */
  bool done;            /* the warp has no live lane left */
  bool diverged;        /* a branch whose lanes went both ways */
  struct isa_copy copy; /* of class copy, when mask is not empty */
  struct isa_wait wait; /* of class wait, likewise */
  uint64_t pipe[2];     /* of bar.pipe, likewise: the pipe, and the count or id */
  uint32_t addresses;   /* of a load of constants: different ones in a register that the lanes want */
};

/* Executes the instruction at warp->pc and moves the warp on. For LDS and global accesses and
 * prefetches it fills *access (the caller's room for one) instead of touching memory; for a
 * prefetch the bytes per lane are access->data[lane]. An access whose lanes are all out of bounds
 * or switched off has mask 0. */
void isa_step(struct isa_warp *warp, struct isa_access *access, struct isa_result *result);

#endif
