/* Reference texts made from the rows that declare parameters, statistics, stalls and hazards. */
#ifndef SIM_CLI_MANUAL_H
#define SIM_CLI_MANUAL_H

#include "models/machine.h"
#include "sim/base/text.h"

/* A table of the parameters whose full names start with `prefix` (NULL: all) and their values in
 * `machine`. Nothing is printed when there are none. */
void manual_params(const struct machine *machine, const char *prefix, bool markdown, struct text *text);

/* Pages of docs/, in Markdown; the caller frees them. */
char *params_manual(void);
char *report_manual(void);
char *hazards_manual(void);
char *check_manual(void);
char *timeline_manual(void);

#endif
