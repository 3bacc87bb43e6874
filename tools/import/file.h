/* A kernel's trace from Accel-Sim's tracer: a header, and a line for each instruction that a warp ran.
 *
 *     -kernel name = ...            header: grid, block, shared memory, registers, version of the tracer
 *     #BEGIN_TB                     a thread block, grouped (.traceg)
 *     thread block = 0,0,0
 *     warp = 0
 *     insts = 2
 *     0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4
 *     0020 ffffffff 0 EXIT 0 0
 *     #END_TB
 *
 * A raw file (.trace) has no thread blocks: each line begins with the block's three numbers and the warp's, and the
 * lines of all warps are interleaved as they ran. Grouped files of tracers before version 3 have these numbers too.
 *
 *     [x y z warp] [line] PC mask n [n registers] opcode n [n registers] width [addresses] [immediate]
 *
 * Addresses, if the width is not 0: `0` and one for each lane of the mask; `1`, the first lane's address and a stride;
 * `2`, the first lane's address and a difference for each other lane.
 *
 * Invariant: a line is passed on only if all of it is valid, so that visitors need no checks. A grouped file that ends
 * inside a block is an error.
 *
 * Not modeled: files of tracers that write the core's number into each line. */
#ifndef TOOLS_IMPORT_FILE_H
#define TOOLS_IMPORT_FILE_H

#include "sim/base/message.h"

enum {
  SASS_LANES = 32,
  SASS_SOURCES = 8,      /* registers that an instruction may read */
  SASS_ZERO = 255,       /* RZ, not a real register */
  SASS_GROUPS = 1 << 28, /* of a grid, at most */
  SASS_THREADS = 1024,   /* of a block */
  SASS_FIRST_VERSION = 1,
  SASS_LAST_VERSION = 5,
};

struct sass_header {
  char *name; /* the kernel's */
  uint32_t grid[3], block[3];
  uint64_t groups;
  uint32_t warps; /* of a block */
  uint32_t lds_bytes, registers, version;
  uint64_t shared_base, local_base; /* where generic addresses of these spaces begin; 0: unknown */
  bool lines;                       /* instructions begin with a source line */
};

/* A decoded line. Pointers are valid until the visitor returns. */
struct sass_line {
  uint64_t number; /* of the line in the file */
  uint64_t group;  /* the thread block's linear number */
  uint32_t warp, source_line, mask;
  uint64_t pc;
  const char *opcode;
  uint8_t result, sources, source[SASS_SOURCES]; /* result: SASS_ZERO if there is none */
  bool memory, has_immediate;
  int64_t immediate;
  uint64_t address[SASS_LANES]; /* of the lanes of the mask */
};

/* Receives what is read. Each function returns false, with the message filled, to stop. */
struct sass_visitor {
  void *self;
  bool (*begin)(void *self, const struct sass_header *header, struct message *message);
  bool (*instruction)(void *self, const struct sass_line *line, struct message *message);
  bool (*end_group)(void *self, uint64_t group, struct message *message); /* of grouped files only */
};

/* Reads a kernel's whole trace. */
bool sass_read(const char *path, const struct sass_visitor *visitor, struct message *message);

#endif
