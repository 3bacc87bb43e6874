/* A timeline as comma-separated values: a row an event, in the file's order, and columns for the fields of all kinds,
 * which are empty where a kind has none of the name. Numbers that stand for words are written as words, masks and
 * addresses with 0x. Behind the fields are the source and the text of the instruction that the event's pc means. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/file.h"
#include "sim/cli/timeline_export.h"
#include "sim/cli/timeline_run.h"

enum { MOST = TIMELINE_KINDS * TIMELINE_FIELDS, NONE = UINT8_MAX };

/* How a field is written. */
enum form { FORM_NUMBER, FORM_HEX, FORM_STALL, FORM_WORD };

struct columns {
  const char *name[MOST]; /* of the fields, each once */
  unsigned count;
  uint8_t field[TIMELINE_KINDS][MOST]; /* which field of the kind a column has, or NONE */
  enum form form[TIMELINE_KINDS][TIMELINE_FIELDS];
  uint8_t pc[TIMELINE_KINDS], launch[TIMELINE_KINDS]; /* these fields of the kind, or NONE */
};

static enum form form_of(const char *type) {
  return strcmp(type, "mask") == 0 || strcmp(type, "address") == 0 ? FORM_HEX
         : strcmp(type, "stall") == 0                              ? FORM_STALL
         : strchr(type, '|')                                       ? FORM_WORD
                                                                   : FORM_NUMBER;
}

static void add_kind(struct columns *columns, unsigned kind) {
  const struct timeline_kind_row *row = &timeline_kind_rows[kind];
  for (unsigned i = 0; i < row->fields; i++) {
    const char *name = row->field[i].name;
    unsigned column = 0;
    while (column < columns->count && strcmp(columns->name[column], name) != 0)
      column++;
    columns->name[column] = name;
    columns->count += column == columns->count;
    columns->field[kind][column] = (uint8_t)i;
    columns->form[kind][i] = form_of(row->field[i].type);
    if (strcmp(row->field[i].type, "pc") == 0)
      columns->pc[kind] = (uint8_t)i;
    if (strcmp(name, "launch") == 0)
      columns->launch[kind] = (uint8_t)i;
  }
}

static void make_columns(struct columns *columns) {
  columns->count = 0;
  memset(columns->field, NONE, sizeof columns->field);
  memset(columns->pc, NONE, sizeof columns->pc);
  memset(columns->launch, NONE, sizeof columns->launch);
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++)
    add_kind(columns, kind);
}

/* ---- a row ------------------------------------------------------------------------------------- */

/* The word number `value` of "a|b|c"; the number when there are fewer. */
static void print_word(FILE *file, const char *words, uint64_t value) {
  for (uint64_t i = 0; i < value; i++) {
    const char *bar = strchr(words, '|');
    if (!bar) {
      fprintf(file, "%" PRIu64, value);
      return;
    }
    words = bar + 1;
  }
  fwrite(words, 1, strcspn(words, "|"), file);
}

static void print_field(FILE *file, const struct columns *columns, const struct timeline_run *run,
                        const struct timeline_event *event, unsigned field) {
  const uint64_t value = event->field[field];
  switch (columns->form[event->kind][field]) {
  case FORM_HEX:
    fprintf(file, "0x%" PRIx64, value);
    return;
  case FORM_STALL:
    fputs(timeline_run_stall(run, value), file);
    return;
  case FORM_WORD:
    print_word(file, timeline_kind_rows[event->kind].field[field].type, value);
    return;
  default:
    fprintf(file, "%" PRIu64, value);
  }
}

/* Text that may hold commas and quotes. */
static void print_quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"')
      fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void print_code(FILE *file, const struct columns *columns, const struct timeline_run *run,
                       const struct timeline_event *event) {
  const uint8_t pc = columns->pc[event->kind], launch = columns->launch[event->kind];
  const struct timeline_code *code =
      pc == NONE || launch == NONE ? NULL : timeline_run_code(run, event->field[launch], event->field[pc]);
  if (!code || !*code->text) {
    fputs(",,,", file);
    return;
  }
  fputc(',', file);
  print_quoted(file, code->file);
  fprintf(file, ",%u,", code->line);
  print_quoted(file, code->text);
}

static void print_event(FILE *file, const struct columns *columns, const struct timeline_run *run,
                        const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  fprintf(file, "%s,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, timeline_block_rows[row->block].name, row->name,
          event->cu, event->unit, event->from, event->to);
  for (unsigned column = 0; column < columns->count; column++) {
    const uint8_t field = columns->field[event->kind][column];
    fputc(',', file);
    if (field != NONE)
      print_field(file, columns, run, event, field);
  }
  print_code(file, columns, run, event);
  fputc('\n', file);
}

/* ---- the file ---------------------------------------------------------------------------------- */

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

bool timeline_export_csv(struct timeline_file *timeline, const char *path, struct message *message) {
  struct file_piecewise file;
  struct timeline_run run;
  bool good = timeline_run_read(timeline, &run, message) || message_within(message, "cannot be made") ||
              message_within(message, path);
  good = good && file_begin(&file, path, message);
  if (good)
    good = file_end(&file, print_all(file.stream, timeline, &run, message), message);
  timeline_run_free(&run);
  return good;
}
