/* JSON that the driver writes, for log.c and capture.c. */
#ifndef BINDINGS_ICD_JSON_H
#define BINDINGS_ICD_JSON_H

#include <jansson.h>

#include "bindings/icd/icd.h"

/* Implemented in capture.c. */
json_t *icd_list_of(const uint64_t *numbers, cl_uint count);
/* A text, whose bytes may be anything: a kernel prints what it likes. If it is not UTF-8, question marks replace what
 * is not ASCII. */
json_t *icd_text_of(const char *text, size_t length);

#endif
