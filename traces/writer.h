/* A writer whose caller decides where batches end, and in which order they are in the file. Used with traces/trace.h by
 * the text form of traces. */
#ifndef TRACES_WRITER_H
#define TRACES_WRITER_H

#include "traces/trace.h"

/* What has been written so far. */
uint32_t writer_programs(const struct trace_writer *writer);
const uint8_t *writer_kinds(const struct trace_writer *writer, uint32_t program, uint32_t *count);
uint32_t writer_launches(const struct trace_writer *writer);
const struct trace_launch *writer_launch(const struct trace_writer *writer, uint32_t launch);

/* Like trace_encode(), but never ends a batch. */
void writer_encode(struct trace_group *group, uint32_t warp, const struct trace_op *op);

/* Bytes of the group's streams since the last batch. */
size_t writer_bytes(const struct trace_group *group);

/* What has been encoded since the last batch becomes the file's next batch. */
void writer_close_batch(struct trace_group *group, cycle_t from, cycle_t to, bool last);

/* The group's memory is reused. What has been encoded since the last batch is lost. */
void writer_release(struct trace_group *group);

#endif
