#include "tools/timeline/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool timeline_word(const char *words, uint64_t value, char text[TIMELINE_VALUE]) {
  for (; value && (words = strchr(words, '|')); value--)
    words++;
  snprintf(text, TIMELINE_VALUE, "%.*s", words ? (int)strcspn(words, "|") : 0, words ? words : "");
  return words;
}

const char *timeline_value(const struct timeline_run *run, const struct timeline_event *event, unsigned field,
                           char text[TIMELINE_VALUE]) {
  const char *type = timeline_kind_rows[event->kind].field[field].type;
  const uint64_t value = event->field[field];
  if (strcmp(type, "stall") == 0 && *timeline_run_stall(run, value))
    return timeline_run_stall(run, value);
  if (strchr(type, '|') && timeline_word(type, value, text))
    return text;
  const bool hex = strcmp(type, "mask") == 0 || strcmp(type, "address") == 0;
  snprintf(text, TIMELINE_VALUE, hex ? "0x%" PRIx64 : "%" PRIu64, value);
  return text;
}

const struct timeline_code *timeline_code_of(const struct timeline_run *run, const struct timeline_event *event) {
  const struct timeline_kind_row *row = &timeline_kind_rows[event->kind];
  const uint64_t *pc = NULL, *launch = NULL;
  for (unsigned i = 0; i < row->fields; i++) {
    if (strcmp(row->field[i].type, "pc") == 0)
      pc = &event->field[i];
    if (strcmp(row->field[i].name, "launch") == 0)
      launch = &event->field[i];
  }
  const struct timeline_code *code = pc && launch ? timeline_run_code(run, *launch, *pc) : NULL;
  return code && *code->text ? code : NULL;
}
