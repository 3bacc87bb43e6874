/* A kernel's distinct instructions, and the program made of them.
 *
 * Lines with the same PC, opcode and registers are one instruction. The first reading of a trace finds them.
 * sass_program() then places them in the order of their PCs, and gives each an operation of the ISA with the same
 * registers:
 *
 *     0070 LDG.E.64 R4 <- R2        ld.global.b64 r4, [r2]        class global, 8 bytes, writes r4 r5, reads r2 r3
 *
 * Operands that the trace does not name (RZ, constants, immediates, uniform registers, predicates) are read from a pair
 * of registers that no instruction of the kernel writes or, if there is no such pair, from the first register read.
 * Predicates are written in turn, and never read. The trace names the first of several registers; the operation
 * determines how many there are. If they would exceed the kernel's last register, they begin lower.
 *
 * Invariant: an operation's class, width and registers depend only on its instruction, so the program does not depend
 * on the order in which warps ran.
 *
 * Not modeled: dependencies through predicates and uniform registers, and of operands that the operation does not
 * have. */
#ifndef TOOLS_IMPORT_KERNEL_H
#define TOOLS_IMPORT_KERNEL_H

#include "isa/isa.h"
#include "tools/import/file.h"
#include "tools/import/opcodes.h"

struct sass_inst {
  uint64_t pc;
  char *name;
  const struct sass_opcode *opcode; /* NULL: unknown */
  enum sass_family family;
  enum sass_space space;
  int loss;                                      /* the loss counted for each execution, or -1 */
  uint8_t result, sources, source[SASS_SOURCES]; /* as in the trace */
  bool memory, is_signed, partial;
  uint8_t bytes; /* per lane */
  bool has_immediate;
  int64_t immediate;
  uint32_t source_line;
  uint32_t hash;
  uint32_t place; /* index in the program, once there is one */
};

struct sass_kernel {
  char *name;
  uint32_t registers; /* as in the trace */
  struct sass_inst *insts;
  uint32_t count;
  size_t room;
  uint32_t *slots; /* 1 + index of the instruction, by hash */
  uint32_t slot_count;
  bool lane_copies;
  uint32_t end; /* index in the program of an added exit that no line of the trace has */
};

/* The space of a line's access; only used for generic addresses. */
enum sass_space sass_space_of(const struct sass_header *header, uint64_t address);

/* The instruction of a line, or NULL. */
struct sass_inst *sass_kernel_find(const struct sass_kernel *kernel, const struct sass_header *header,
                                   const struct sass_line *line);

/* The same, but adds an instruction if there is none. */
struct sass_inst *sass_kernel_add(struct sass_kernel *kernel, const struct sass_header *header,
                                  const struct sass_line *line);

void sass_kernel_free(struct sass_kernel *kernel);

/* The program of all kernels, named after `file`; sets the instructions' places. NULL with the message filled. */
struct isa_program *sass_program(struct sass_kernel *kernels, size_t count, const char *file, struct message *message);

enum { SASS_SHARED_BYTES = 1 << 24 }; /* size of the window, and the maximum of shared memory */

/* Whether a line of a lane copy has the shared addresses: global addresses are never that low. */
bool sass_is_place(const struct sass_line *line);

/* Whether an instruction has generic addresses; accesses the LDS; loads or stores matrices. */
bool sass_is_generic(const struct sass_inst *inst);
bool sass_is_shared(const struct sass_inst *inst);
bool sass_is_matrix(const struct sass_inst *inst);

#endif
