/* The common start of the library's tests: a machine with a program of small kernels. */
#ifndef TESTS_API_RIG_H
#define TESTS_API_RIG_H

#include <warpwait.h>
#include <warpwait/analyse.h>

#include "tests/ct.h"

CT_FREES(ww_buffer, ww_buffer_unref)
CT_FREES(ww_context, ww_context_unref)
CT_FREES(ww_device, ww_device_unref)
CT_FREES(ww_expression, ww_expression_unref)
CT_FREES(ww_image, ww_image_unref)
CT_FREES(ww_launch, ww_launch_unref)
CT_FREES(ww_machine, ww_machine_unref)
CT_FREES(ww_pipe, ww_pipe_unref)
CT_FREES(ww_program, ww_program_unref)
CT_FREES(ww_report, ww_report_unref)
CT_FREES(ww_trace, ww_trace_unref)

/* plus(data, add): data[i] += add. copies(from, data): data[i] = what an asynchronous copy reads from there. room(data,
 * local): has a local argument. hang(): waits for an event that no copy makes. spin(): never ends. */
extern const char rig_source[];

struct rig {
  ww_context *context;
  ww_machine *machine;
  ww_program *program;
  ww_device *device;
  ww_error error;
};

/* On `machine` with rig_source, or another program. An error is a test failure. */
struct rig rig_new(const char *machine);
struct rig rig_with(const char *machine, const char *source);
void rig_free(struct rig *rig);

/* A launch of a kernel over `global` work-items in groups of `local` (0: the machine chooses). */
ww_launch *rig_launch(struct rig *rig, const char *kernel, uint64_t global, uint64_t local);

/* A launch of plus() over its own buffer of 64 elements that count 0, 1, 2, ... */
ww_launch *rig_plus(struct rig *rig, ww_buffer **data, uint32_t add);

/* A test failure unless the status is OK, or is `wanted` with a message that contains `part`. */
bool rig_fine(const struct rig *rig, ww_status status);
bool rig_refused(const struct rig *rig, ww_status status, ww_status wanted, const char *part);

/* A sink that stores what it gets: `kept` begins as zeros, and its owner frees the text. */
struct kept {
  char *text; /* ended by a zero byte */
  size_t length;
};
ww_sink rig_sink(struct kept *kept);

/* A report in one of its forms; the caller frees it. */
char *rig_write(struct rig *rig, const ww_report *report, ww_form form);

/* A number of a report; a test failure if there is none. */
double rig_number(const ww_report *report, const char *key);

/* A trace of the launch's run. */
ww_trace *rig_record(struct rig *rig, ww_launch *launch);

#endif
