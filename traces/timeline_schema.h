/* The rows of sim/core/timeline.def as text, as a timeline's first block has them: see traces/schema.h. */
#ifndef TRACES_TIMELINE_SCHEMA_H
#define TRACES_TIMELINE_SCHEMA_H

#include "traces/timeline_code.h"

/* Appends the text. False when memory is out. */
bool timeline_schema_write(struct bytes *into);

/* Whether a file with this schema can be read: NULL, and in *layout the rows that it has; or the line that cannot. */
const char *timeline_schema_fault(const char *schema, struct timeline_layout *layout, char line[100]);

#endif
