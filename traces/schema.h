/* The rows as text, as a trace's first block has them. */
#ifndef TRACES_SCHEMA_H
#define TRACES_SCHEMA_H

#include "traces/bytes.h"

/* Appends the text. False when memory is out. */
bool schema_write(struct bytes *into);

#endif
