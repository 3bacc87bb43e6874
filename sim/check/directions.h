/* Compares the pipes and images that a launch passes to its kernel with what the kernel's code does with them, even in
 * instructions that this run does not reach. A pipe that is both read and written breaks P5. An image that is read
 * through one argument and written through another breaks I5.
 *
 * An argument that is itself read and written is an error for a pipe, and legal for a read_write image.
 *
 * Not modeled: uses that isa_arg_first_use() does not see, such as those of a pipe address loaded from memory. */
#ifndef SIM_CHECK_DIRECTIONS_H
#define SIM_CHECK_DIRECTIONS_H

#include "isa/pipe.h"

/* A user of a pipe or image: the index of the kernel's argument, and the first instruction that reads, or writes,
 * through it. */
struct check_user {
  size_t arg;
  uint32_t pc;
};

/* `here` is the later argument, or the later instruction of the same argument; `other` has the opposite direction. */
struct check_clash {
  uint64_t address; /* of the pipe, or the image's handle */
  struct check_user here, other;
};

/* Finds a pipe that the launch has both read and written, the first by its later argument. False: there is none. */
bool check_pipe_directions(const struct isa_launch *launch, struct check_clash *clash);

/* The same for images. */
bool check_image_directions(const struct isa_launch *launch, struct check_clash *clash);

#endif
