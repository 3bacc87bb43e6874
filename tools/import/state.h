/* State shared by both readings of an import. */
#ifndef TOOLS_IMPORT_STATE_H
#define TOOLS_IMPORT_STATE_H

#include "tools/import/import.h"

struct sass_import {
  char *list;
  const struct sass_watch *watch;
  struct sass_launch *launches;
  size_t launch_count, launch_room;
  struct sass_kernel *kernels;
  size_t kernel_count, kernel_room;
  struct isa_program *program;
  struct sass_count *unknown;
  size_t unknown_count, unknown_room;
  struct sass_count lost[SASS_LOSSES];
  uint64_t *regions; /* memory that prefetches access, ascending, without duplicates */
  size_t region_count;
  uint64_t copies;
  uint64_t instructions, total; /* lines read in this reading, and in total */
};

/* Counts a loss; records the place of the first one. */
void sass_lose(struct sass_import *import, enum sass_loss loss, const char *path, uint64_t line);

/* Reports that a line was read. */
void sass_report(struct sass_import *import, size_t launch);

#endif
