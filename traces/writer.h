/* A writer whose batches are told, not found: who says where one ends, and in which order they lie in the file, needs
 * these besides traces/trace.h. For the text form of traces. */
#ifndef TRACES_WRITER_H
#define TRACES_WRITER_H

#include "traces/trace.h"

/* What has been written. */
uint32_t writer_programs(const struct trace_writer *writer);
const uint8_t *writer_kinds(const struct trace_writer *writer, uint32_t program, uint32_t *count);
uint32_t writer_launches(const struct trace_writer *writer);
const struct trace_launch *writer_launch(const struct trace_writer *writer, uint32_t launch);

/* As trace_encode(), but no batch ends here. False when memory has run out. */
bool writer_encode(struct trace_group *group, uint32_t warp, const struct trace_op *op);

/* Of the streams, since the last batch. */
size_t writer_bytes(const struct trace_group *group);

/* What has been encoded since becomes the file's next batch. */
void writer_close_batch(struct trace_group *group, cycle_t from, cycle_t to, bool last);

/* The group's memory is used again; what has been encoded and is in no batch is lost. */
void writer_release(struct trace_group *group);

#endif
