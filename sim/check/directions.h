/* What a launch passes to its kernel as pipes and images, held against what the kernel's code does with them, whether
 * or not this run comes to the instructions that do so: one pipe that is both read and written breaks P5, one image
 * that is read through an argument and written through another breaks I5.
 *
 * An argument that is itself used both ways is a mistake of a pipe's, and what read_write images are for.
 *
 * Not modelled: what isa_arg_first_use() does not see, such as a pipe's address that has been in memory. */
#ifndef SIM_CHECK_DIRECTIONS_H
#define SIM_CHECK_DIRECTIONS_H

#include "isa/pipe.h"

/* A pipe's or image's user: the argument by its index in the kernel, and the first instruction that reads, or writes,
 * through it. */
struct check_user {
  size_t arg;
  uint32_t pc;
};

/* `here` is of the later argument, of one and the same argument the later instruction; `other` goes the other way. */
struct check_clash {
  uint64_t address; /* of the pipe, or the image's handle */
  struct check_user here, other;
};

/* Finds the first pipe, by the later argument, that the launch has both read and written. False: there is none. */
bool check_pipe_directions(const struct isa_launch *launch, struct check_clash *clash);

/* The same of images. */
bool check_image_directions(const struct isa_launch *launch, struct check_clash *clash);

#endif
