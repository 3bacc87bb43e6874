/* The parameters of a machine as a table, from the rows that declare them. */
#ifndef SIM_REPORT_PARAMS_H
#define SIM_REPORT_PARAMS_H

#include <stdbool.h>

#include "sim/base/text.h"

struct machine;

/* Prints the parameters whose full names start with `prefix` (NULL: all), with their values in `machine` (NULL: no
 * values). Prints nothing if there are none. */
void report_params(const struct machine *machine, const char *prefix, bool markdown, struct text *text);

#endif
