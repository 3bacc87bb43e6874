/* A machine's name, and its parameters as groups of rows, for code that does not need struct machine (machine.h). */
#ifndef MODELS_MACHINE_GROUPS_H
#define MODELS_MACHINE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/params.h"
#include "sim/core/params.h"

struct machine;

const char *machine_name(const struct machine *machine);
const struct cu_params *machine_cu(const struct machine *machine);

/* The groups cu, lds, dma, mem, texture, isa and host, with offsets into struct machine. The models read the first
 * five. */
enum { MACHINE_GROUPS = 7, MACHINE_MODEL_GROUPS = 5 };
extern const struct param_group machine_groups[MACHINE_GROUPS];

/* A copy, which the caller frees. */
struct machine *machine_copy(const struct machine *machine);

/* All parameters, one after the other: for (struct machine_param at = {0}; machine_param_next(&at);) */
struct machine_param {
  const struct param_group *group;
  const struct param_row *row;
  char key[64];    /* "dma.channels" */
  size_t in, next; /* of the next one: the indices of its group and of its row */
};
bool machine_param_next(struct machine_param *at);

/* Sets every parameter to its default. */
void machine_defaults(struct machine *machine);

/* False if parameters are invalid together, with what and why in `message`. */
bool machine_check(const struct machine *machine, char message[PARAM_MESSAGE]);

/* The most work-items of a work-group whose warps have `warp_size` lanes. */
uint32_t machine_group_size(const struct machine *machine, uint32_t warp_size);

#endif
