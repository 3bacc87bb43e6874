/* Reads values of --sample, --events and --cu, which choose parts of a timeline. False with the message filled. */
#ifndef TOOLS_TIMELINE_PARTS_H
#define TOOLS_TIMELINE_PARTS_H

#include "sim/base/message.h"
#include "traces/timeline_file.h"

/* "10/100" */
bool timeline_read_sample(const char *word, struct timeline_window *window, struct message *message);

/* "lds,copy": adds these kinds and blocks of events to those of the window. */
bool timeline_read_events(const char *word, struct timeline_window *window, struct message *message);

/* "0,2,5-7": sets one byte per compute unit, of `count`. */
bool timeline_read_cus(const char *list, uint8_t *cus, uint32_t count, struct message *message);

#endif
