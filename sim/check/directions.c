#include "sim/check/directions.h"

#include <string.h>

static bool is_of(const struct isa_launch *launch, enum isa_arg_kind kind, size_t arg, uint64_t *address) {
  const struct isa_arg *at = &launch->kernel->args[arg];
  if (at->kind != kind)
    return false;
  memcpy(address, launch->args + at->offset, sizeof *address);
  return true;
}

static bool uses(const struct isa_launch *launch, size_t arg, enum isa_pipe_direction direction,
                 struct check_user *user) {
  const struct isa_kernel *kernel = launch->kernel;
  *user = (struct check_user){arg, isa_arg_first_use(launch->program, kernel, &kernel->args[arg], direction)};
  return user->pc < kernel->end;
}

/* Is one of `here` and `other` read, and the other written? */
static bool clash_of(const struct isa_launch *launch, size_t other, size_t here, struct check_clash *clash) {
  if (uses(launch, here, ISA_PIPE_WRITE, &clash->here) && uses(launch, other, ISA_PIPE_READ, &clash->other))
    return true;
  return uses(launch, here, ISA_PIPE_READ, &clash->here) && uses(launch, other, ISA_PIPE_WRITE, &clash->other);
}

/* An argument that is read and written is a read_write image, which may also be another argument. */
static bool goes_both_ways(const struct isa_launch *launch, size_t arg) {
  struct check_user user;
  return uses(launch, arg, ISA_PIPE_READ, &user) && uses(launch, arg, ISA_PIPE_WRITE, &user);
}

static void later_first(struct check_clash *clash) {
  if (clash->here.pc > clash->other.pc)
    return;
  const struct check_user here = clash->here;
  clash->here = clash->other;
  clash->other = here;
}

bool check_pipe_directions(const struct isa_launch *launch, struct check_clash *clash) {
  for (size_t here = 0; here < launch->kernel->arg_count; here++) {
    if (!is_of(launch, ISA_ARG_PIPE, here, &clash->address))
      continue;
    for (size_t other = 0; other <= here; other++) {
      uint64_t address = 0;
      if (!is_of(launch, ISA_ARG_PIPE, other, &address) || address != clash->address ||
          !clash_of(launch, other, here, clash))
        continue;
      if (other == here)
        later_first(clash);
      return true;
    }
  }
  return false;
}

bool check_image_directions(const struct isa_launch *launch, struct check_clash *clash) {
  for (size_t here = 0; here < launch->kernel->arg_count; here++) {
    if (!is_of(launch, ISA_ARG_IMAGE, here, &clash->address) || goes_both_ways(launch, here))
      continue;
    for (size_t other = 0; other < here; other++) {
      uint64_t address = 0;
      if (is_of(launch, ISA_ARG_IMAGE, other, &address) && address == clash->address &&
          !goes_both_ways(launch, other) && clash_of(launch, other, here, clash))
        return true;
    }
  }
  return false;
}
