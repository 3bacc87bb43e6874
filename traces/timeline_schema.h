/* The rows of sim/core/timeline.def as text, as in a timeline's first block: see traces/schema.h. */
#ifndef TRACES_TIMELINE_SCHEMA_H
#define TRACES_TIMELINE_SCHEMA_H

#include "traces/timeline_code.h"

/* Appends the text. */
void timeline_schema_write(struct bytes *into);

/* Whether a file with this schema can be read. Returns NULL and sets *layout to the rows that it has; or the wrong
 * line. */
const char *timeline_schema_fault(const char *schema, struct timeline_layout *layout, char line[100]);

#endif
