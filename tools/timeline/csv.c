/* A timeline as comma-separated values: one row per event, in the file's order, and a column for each field of any
 * kind, empty where a kind lacks the field. After the fields come the source file, the source line and the text of the
 * instruction at the event's pc. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/csv.h"
#include "tools/timeline/export.h"
#include "tools/timeline/run.h"

enum { MOST = TIMELINE_KINDS * TIMELINE_FIELDS, NONE = UINT8_MAX };

struct columns {
  const char *name[MOST]; /* distinct field names */
  unsigned count;
  uint8_t field[TIMELINE_KINDS][MOST]; /* the kind's field in this column, or NONE */
};

static void make_columns(struct columns *columns) {
  columns->count = 0;
  memset(columns->field, NONE, sizeof columns->field);
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    for (unsigned i = 0; i < timeline_kind_rows[kind].fields; i++) {
      const char *name = timeline_kind_rows[kind].field[i].name;
      unsigned column = 0;
      while (column < columns->count && strcmp(columns->name[column], name) != 0)
        column++;
      columns->name[column] = name;
      columns->count += column == columns->count;
      columns->field[kind][column] = (uint8_t)i;
    }
}

static void print_code(FILE *file, const struct timeline_code *code) {
  if (!code) {
    fputs(",,,", file);
    return;
  }
  putc(',', file);
  csv_quoted(file, code->file);
  fprintf(file, ",%" PRIu32 ",", code->line);
  csv_quoted(file, code->text);
}

static void print_event(FILE *file, const struct columns *columns, const struct timeline_run *run,
                        const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  char text[TIMELINE_VALUE];
  fprintf(file, "%s,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, timeline_block_rows[row->block].name, row->name,
          event->cu, event->unit, event->from, event->to);
  for (unsigned column = 0; column < columns->count; column++) {
    const uint8_t field = columns->field[event->kind][column];
    putc(',', file);
    if (field != NONE)
      csv_cell(file, timeline_value(run, event, field, text));
  }
  print_code(file, timeline_code_of(run, event));
  putc('\n', file);
}

static bool print_all(FILE *file, struct timeline_file *timeline, const struct timeline_run *run,
                      struct message *message) {
  struct columns columns;
  struct timeline_event event;
  make_columns(&columns);
  fputs("block,name,cu,unit,from,to", file);
  for (unsigned column = 0; column < columns.count; column++)
    fprintf(file, ",%s", columns.name[column]);
  fputs(",file,line,text\n", file);
  timeline_rewind(timeline);
  while (!ferror(file) && timeline_next(timeline, &event))
    print_event(file, &columns, run, &event);
  return !timeline_failed(timeline) || message_fail(message, "%s", timeline_failed(timeline)->text);
}

bool timeline_export_csv(struct timeline_file *timeline, const char *name, FILE *stream, struct message *message) {
  struct timeline_run run;
  bool good = timeline_run_read(timeline, &run, message) || message_within(message, "cannot be created") ||
              message_within(message, name);
  good = good && print_all(stream, timeline, &run, message);
  timeline_run_free(&run);
  return good;
}
