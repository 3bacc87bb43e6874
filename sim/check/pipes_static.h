/* What a launch passes to its kernel as pipes, held against what the kernel's code does with them: one pipe that is
 * both read and written breaks P5, whether or not this run comes to the instructions that do so.
 *
 * Not modelled: what isa_pipe_first_use() does not see, such as a pipe's address that has been in memory. */
#ifndef SIM_CHECK_PIPES_STATIC_H
#define SIM_CHECK_PIPES_STATIC_H

#include "isa/pipe.h"

/* A pipe's user: the argument by its index in the kernel, and the first instruction that reads, or writes, through it.
 */
struct check_pipe_user {
  size_t arg;
  uint32_t pc;
};

/* `here` is of the later argument, of one and the same argument the later instruction; `other` goes the other way. */
struct check_pipe_clash {
  uint64_t address; /* of the pipe */
  struct check_pipe_user here, other;
};

/* Finds the first pipe, by the later argument, that the launch has both read and written. False: there is none. */
bool check_pipe_directions(const struct isa_launch *launch, struct check_pipe_clash *clash);

#endif
