/* A kernel's distinct instructions, and the program that they make.
 *
 * Lines with one PC, opcode and registers are one instruction. They are found while a trace is read for the first time;
 * sass_program() then gives each its place, in the order of PCs, and an operation of the ISA with the same registers:
 *
 *     0070 LDG.E.64 R4 <- R2        ld.global.b64 r4, [r2]        class global, 8 bytes, writes r4 r5, reads r2 r3
 *
 * Registers that the trace does not name (RZ, constants, immediates, uniform registers, predicates) are read from a
 * pair that no instruction of the kernel writes, or, where there is none, from the first register that is read;
 * predicates are written in turn, and never read. The trace names the first register of several: how many there are is
 * the operation's business. Where they would go beyond the kernel's last register, they begin lower.
 *
 * Invariant: an operation's class, width and registers depend on its instruction alone, so that the program does not
 * depend on the order in which warps ran.
 *
 * Not modelled: dependences through predicates and uniform registers, and of operands beyond those of an operation. */
#ifndef SIM_IMPORT_KERNEL_H
#define SIM_IMPORT_KERNEL_H

#include "isa/isa.h"
#include "sim/import/file.h"
#include "sim/import/opcodes.h"

/* Where a generic address points. */
enum sass_space { SASS_GLOBAL_SPACE, SASS_SHARED_SPACE, SASS_LOCAL_SPACE, SASS_SPACES };

struct sass_inst {
  uint64_t pc;
  char *name;
  const struct sass_opcode *opcode; /* NULL: not known */
  enum sass_family family;
  enum sass_space space;
  int loss;                                      /* what is counted each time that it runs, or -1 */
  uint8_t result, sources, source[SASS_SOURCES]; /* as the trace says */
  bool memory, is_signed, partial;
  uint8_t bytes; /* a lane's */
  bool has_immediate;
  int64_t immediate;
  uint32_t source_line;
  uint32_t hash;
  uint32_t place; /* in the program, when it is made */
};

struct sass_kernel {
  char *name;
  uint32_t registers; /* as the trace says */
  struct sass_inst *insts;
  uint32_t count, room;
  uint32_t *slots; /* 1 + the instruction, by hash */
  uint32_t slot_count;
  bool lane_copies;
  uint32_t end; /* in the program: the place of an exit that no line stands for */
};

/* The space of a line's access; of instructions without generic addresses it is not looked at. */
enum sass_space sass_space_of(const struct sass_header *header, uint64_t address);

/* The instruction of a line, or NULL. */
struct sass_inst *sass_kernel_find(const struct sass_kernel *kernel, const struct sass_header *header,
                                   const struct sass_line *line);

/* The same, made when there is none. */
struct sass_inst *sass_kernel_add(struct sass_kernel *kernel, const struct sass_header *header,
                                  const struct sass_line *line);

void sass_kernel_free(struct sass_kernel *kernel);

/* The program of all kernels, named after `file`; gives instructions their places. NULL with *error filled. */
struct isa_program *sass_program(struct sass_kernel *kernels, size_t count, const char *file, struct sass_error *error);

enum { SASS_SHARED_BYTES = 1 << 24 }; /* of a window, and of shared memory at most */

/* Whether a line of a lane's copy has the addresses in shared memory, where those in global memory never are. */
bool sass_is_place(const struct sass_line *line);

/* Whether an instruction has generic addresses; whether its accesses go to the LDS; whether they are of matrices. */
bool sass_is_generic(const struct sass_inst *inst);
bool sass_is_shared(const struct sass_inst *inst);
bool sass_is_matrix(const struct sass_inst *inst);

#endif
