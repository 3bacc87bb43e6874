#include "sim/cli/timeline_export.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/file.h"
#include "sim/cli/timeline_look.h"
#include "sim/cli/timeline_viewers.h"

const struct timeline_export_row timeline_export_rows[] = {
    {".json", timeline_export_perfetto},
    {".vcd", timeline_export_vcd},
    {".csv", timeline_export_csv},
};
const size_t timeline_export_count = sizeof timeline_export_rows / sizeof *timeline_export_rows;

const struct timeline_export_row *timeline_export_of(const char *path) {
  for (size_t i = 0; i < timeline_export_count; i++)
    if (strcmp(file_extension(path), timeline_export_rows[i].suffix) == 0)
      return &timeline_export_rows[i];
  return NULL;
}

void timeline_export_suffixes(char *text, size_t size) {
  *text = '\0';
  for (size_t i = 0, used = 0; i < timeline_export_count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, " %s", timeline_export_rows[i].suffix);
}

bool timeline_export_file(const char *from, enum trace_open_mode mode, const char *to, struct message *message) {
  struct timeline_file *file = timeline_look(from, mode, message);
  const bool good = file && timeline_export_of(to)->write(file, to, message);
  timeline_close(file);
  return good;
}
