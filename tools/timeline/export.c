#include "tools/timeline/export.h"

#include <stdio.h>
#include <string.h>

#include "sim/base/file.h"

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
