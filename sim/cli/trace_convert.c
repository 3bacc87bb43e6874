/* warpwait trace convert: a file of one kind into one of another. Which kinds those are, a table says: the input's
 * first bytes and the output's suffix choose. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/cli/cli.h"
#include "sim/cli/timeline_options.h"
#include "sim/cli/trace_verbs.h"
#include "sim/console/output.h"
#include "sim/timeline/export.h"
#include "sim/tracetools/text.h"

struct invocation {
  struct message message;
  const char *in, *out;
  enum trace_open_mode mode;
};

/* Writes the output, which has been begun; it gets its name when all went well. */
typedef bool converter(struct invocation *call, struct output *out);

/* ---- traces ------------------------------------------------------------------------------------------ */

static bool to_text(struct invocation *call, struct output *out) {
  struct trace_error error = {0};
  struct trace *trace = trace_open(call->in, call->mode, &error);
  if (!trace)
    return trace_fail(&call->message, &error);
  trace_tell_prefix(trace, &error, &console_caller);
  struct trace_text *text = trace_text_new(trace);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_write(trace, out->stream, &hooks, &error);
  trace_text_free(text);
  trace_close(trace);
  return good || trace_fail(&call->message, &error);
}

static bool read_text(struct invocation *call, FILE *in, struct trace_writer *writer) {
  struct trace_error error = {0}, unwritten = {0};
  struct trace_text *text = trace_text_new(NULL);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_read(in, call->in, writer, &hooks, &error);
  trace_text_free(text);
  if (good || !error.text[0])
    return trace_writer_close(writer, &unwritten) || trace_fail(&call->message, &unwritten);
  trace_writer_abandon(writer);
  return trace_fail(&call->message, &error);
}

static bool from_text(struct invocation *call, struct output *out) {
  struct trace_error error = {0};
  FILE *in = fopen(call->in, "rb");
  if (!in)
    return message_fail(&call->message, "%s: cannot be read: %s", call->in, strerror(errno));
  struct trace_writer *writer = trace_writer_open_on(output_duplicate(out), call->out, &error);
  const bool good = writer ? read_text(call, in, writer) : trace_fail(&call->message, &error);
  fclose(in);
  return good;
}

/* ---- which -------------------------------------------------------------------------------------------- */

static const struct {
  const char *what, *magic; /* what files are that begin so */
  size_t bytes;             /* of it that decide */
  const char *suffix;       /* of what they become */
  converter *convert;
} rows[] = {
    {"a trace", "\x89WWT\r\n\x1a\n", 8, ".wwtt", to_text},
    {"the text of a trace", "wwtt", 4, ".wwt", from_text},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* The row of the input and the output's suffix; NULL with the message filled. */
static converter *choose(struct invocation *call) {
  char start[8] = "", legal[64] = "";
  const char *what = NULL;
  FILE *in = fopen(call->in, "rb");
  if (!in) {
    message_fail(&call->message, "%s: cannot be read: %s", call->in, strerror(errno));
    return NULL;
  }
  const size_t size = fread(start, 1, sizeof start, in);
  const int error = ferror(in) ? errno : 0;
  fclose(in);
  if (error) {
    message_fail(&call->message, "%s: cannot be read: %s", call->in, strerror(error));
    return NULL;
  }
  for (size_t i = 0; i < ROWS; i++) {
    if (size < rows[i].bytes || memcmp(start, rows[i].magic, rows[i].bytes) != 0)
      continue;
    if (strcmp(file_extension(call->out), rows[i].suffix) == 0)
      return rows[i].convert;
    what = rows[i].what;
    strncat(legal, " ", sizeof legal - strlen(legal) - 1);
    strncat(legal, rows[i].suffix, sizeof legal - strlen(legal) - 1);
  }
  if (what)
    message_fail(&call->message, "%s: is %s, which does not become '%s' (legal:%s)", call->in, what, call->out, legal);
  else
    message_fail(&call->message, "%s: is neither a trace, nor the text of one, nor a timeline", call->in);
  return NULL;
}

/* Timelines have a table of their own, of what they become. */
static bool convert_timeline(struct invocation *call) {
  char legal[64];
  timeline_export_suffixes(legal, sizeof legal);
  if (!timeline_export_of(call->out))
    return message_fail(&call->message, "%s: is a timeline, which does not become '%s' (legal:%s)", call->in, call->out,
                        legal);
  return timeline_export_file(call->in, call->mode, call->out, &call->message);
}

static bool convert(struct invocation *call) {
  struct output out;
  if (file_is_same(call->in, call->out))
    return message_fail(&call->message, "%s: is the input, too", call->out);
  if (timeline_is_one(call->in))
    return convert_timeline(call);
  converter *chosen = choose(call);
  if (!chosen)
    return false;
  if (!output_begin(&out, call->out, &call->message))
    return false;
  return output_end(&out, chosen(call, &out), &call->message);
}

int verb_trace_convert(struct command *command) {
  struct invocation call = {.mode = trace_mode(command)};
  const char *in;
  const bool good = command_in_and_out(command, &in, &call.out, &call.message) &&
                    console_input(in, &call.in, &call.message) && convert(&call);
  return good ? STATUS_FINE : console_bad_input(&call.message);
}
