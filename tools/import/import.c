#include "tools/import/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "tools/import/lines.h"

enum { RESERVED = 1024 /* bytes of shared memory that GPUs since Ampere reserve in each block */, REPORTED_EVERY = 1 << 18 };

struct scan {
  struct sass_import *import;
  size_t launch;
  const struct sass_header *header;
  struct sass_kernel *kernel;
  uint64_t lowest, end; /* of the shared addresses */
};

static char *place_of(const char *path, uint64_t line) {
  char text[400];
  if (line)
    snprintf(text, sizeof text, "%.300s:%" PRIu64, path, line);
  else
    snprintf(text, sizeof text, "%.300s", path);
  return need_copy(text);
}

void sass_lose(struct sass_import *import, enum sass_loss loss, const char *path, uint64_t line) {
  struct sass_count *lost = &import->lost[loss];
  if (!lost->count++)
    lost->place = place_of(path, line);
}

void sass_report(struct sass_import *import, size_t launch) {
  if (++import->instructions % REPORTED_EVERY == 0 && import->watch)
    import->watch->read(import->watch->self, launch, import->launch_count, import->instructions, import->total);
}

/* ---- the first reading ----------------------------------------------------------------------------------- */

static struct sass_kernel *kernel_of(struct sass_import *import, const struct sass_header *header, uint32_t *number) {
  for (*number = 0; *number < import->kernel_count; ++*number) {
    struct sass_kernel *kernel = &import->kernels[*number];
    if (kernel->registers == header->registers && strcmp(kernel->name, header->name) == 0)
      return kernel;
  }
  struct sass_kernel *kernel = vector_next(import->kernels, import->kernel_count, import->kernel_room);
  *kernel = (struct sass_kernel){.name = need_copy(header->name), .registers = header->registers};
  return kernel;
}

static bool scan_begin(void *self, const struct sass_header *header, struct message *message) {
  struct scan *scan = self;
  struct sass_launch *launch = &scan->import->launches[scan->launch];
  (void)message;
  scan->header = header;
  scan->kernel = kernel_of(scan->import, header, &launch->kernel);
  launch->groups = (uint32_t)header->groups;
  launch->warps = header->warps;
  launch->lds_bytes = header->lds_bytes;
  memcpy(launch->grid, header->grid, sizeof launch->grid);
  memcpy(launch->block, header->block, sizeof launch->block);
  return true;
}

static void count_unknown(struct scan *scan, const struct sass_line *line) {
  struct sass_import *import = scan->import;
  const size_t length = strcspn(line->opcode, ".");
  size_t i = 0;
  while (i < import->unknown_count &&
         (strlen(import->unknown[i].what) != length || strncmp(import->unknown[i].what, line->opcode, length) != 0))
    i++;
  if (i == import->unknown_count) {
    *vector_next(import->unknown, import->unknown_count, import->unknown_room) =
        (struct sass_count){.what = need_copy(line->opcode),
                            .text = "is unknown; treated as an integer operation",
                            .place = place_of(import->launches[scan->launch].path, line->number)};
    import->unknown[i].what[length] = '\0';
  }
  import->unknown[i].count++;
}

/* A row of a matrix has 16 bytes. */
static void note_shared(struct scan *scan, const struct sass_inst *inst, const struct sass_line *line) {
  const uint64_t bytes = sass_is_matrix(inst) ? 16 : inst->bytes;
  const bool generic = sass_is_generic(inst);
  for (uint32_t left = line->mask; left; left &= left - 1) {
    uint64_t address = line->address[__builtin_ctz(left)];
    if (generic && sass_space_of(scan->header, address) != SASS_SHARED_SPACE)
      continue;
    address -= generic ? scan->header->shared_base : 0;
    scan->lowest = address < scan->lowest ? address : scan->lowest;
    const uint64_t end = address <= SASS_SHARED_BYTES ? address + bytes : UINT64_MAX;
    scan->end = end > scan->end ? end : scan->end;
  }
}

static bool note_region(struct sass_import *import, uint64_t base) {
  size_t at = import->region_count;
  while (at && import->regions[at - 1] >= base)
    at--;
  if (at < import->region_count && import->regions[at] == base)
    return true;
  if (import->region_count == SASS_REGIONS)
    return false;
  import->regions = need_more(import->regions, import->region_count + 1, sizeof base);
  memmove(import->regions + at + 1, import->regions + at, (import->region_count++ - at) * sizeof base);
  import->regions[at] = base;
  return true;
}

/* Records the memory that is prefetched: a replay prefetches only from memory that it knows. */
static bool note_prefetch(struct scan *scan, const struct sass_line *line, struct message *message) {
  for (uint32_t left = line->mask; left; left &= left - 1)
    if (!note_region(scan->import, line->address[__builtin_ctz(left)] / SASS_REGION * SASS_REGION))
      return message_fail_at(message, scan->import->launches[scan->launch].path, line->number,
                             "prefetches cover more than %d GiB of memory", SASS_REGIONS);
  return true;
}

static bool scan_instruction(void *self, const struct sass_line *line, struct message *message) {
  struct scan *scan = self;
  struct sass_launch *launch = &scan->import->launches[scan->launch];
  struct sass_inst *inst = sass_kernel_add(scan->kernel, scan->header, line);
  if (!inst->opcode)
    count_unknown(scan, line);
  const bool place = inst->family == SASS_LANE_COPY && sass_is_place(line);
  if (line->memory && (sass_is_shared(inst) || place))
    note_shared(scan, inst, line);
  if (inst->family == SASS_CACHE && !note_prefetch(scan, line, message))
    return false;
  launch->instructions++;
  sass_report(scan->import, scan->launch);
  return scan->end <= SASS_SHARED_BYTES ||
         message_fail_at(message, launch->path, line->number, "a shared address is beyond 16 MiB");
}

static bool scan_end_group(void *self, uint64_t group, struct message *message) {
  (void)self;
  (void)group;
  (void)message;
  return true;
}

static void settle_lds(const struct scan *scan) {
  struct sass_launch *launch = &scan->import->launches[scan->launch];
  const uint32_t announced = launch->lds_bytes;
  if (scan->end <= announced)
    return;
  launch->lds_shift = scan->lowest >= RESERVED && scan->end <= announced + RESERVED ? RESERVED : 0;
  launch->lds_bytes = launch->lds_shift ? announced : (uint32_t)scan->end;
}

static bool scan_launch(struct sass_import *import, size_t number, struct message *message) {
  struct scan scan = {.import = import, .launch = number, .lowest = UINT64_MAX};
  const struct sass_visitor visitor = {&scan, scan_begin, scan_instruction, scan_end_group};
  if (!sass_read(import->launches[number].path, &visitor, message))
    return false;
  settle_lds(&scan);
  return true;
}

/* ---- the list --------------------------------------------------------------------------------------------- */

static char *joined(const char *folder, size_t length, const char *name, const char *tail) {
  char *path = need(length + strlen(name) + strlen(tail) + 1, 1);
  memcpy(path, folder, length);
  strcpy(path + length, name);
  strcat(path, tail);
  return path;
}

/* A kernel's file next to the list; it may have been compressed or decompressed since the list was written. */
static char *find_file(const struct sass_import *import, const char *name) {
  static const char *const tails[] = {"", ".xz", ".gz"};
  const char *slash = strrchr(import->list, '/');
  const size_t folder = slash ? (size_t)(slash - import->list) + 1 : 0;
  for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
    char *path = joined(import->list, folder, name, tails[i]);
    const size_t length = strlen(path);
    if (access(path, F_OK) == 0)
      return path;
    if (!i && length > 3 && (strcmp(path + length - 3, ".xz") == 0 || strcmp(path + length - 3, ".gz") == 0)) {
      path[length - 3] = '\0';
      if (access(path, F_OK) == 0)
        return path;
    }
    free(path);
  }
  return NULL;
}

/* Messages quote the file's contents, so it must not be a link to another file. */
static bool is_kernels_own(const char *path) {
  char *real = realpath(path, NULL);
  const char *slash = real ? strrchr(real, '/') : NULL;
  const bool good = slash && strncmp(slash + 1, "kernel", 6) == 0;
  free(real);
  return good;
}

static bool read_entry(struct sass_import *import, const char *name, uint64_t line, struct message *message) {
  if (strncmp(name, "Memcpy", 6) == 0) {
    import->copies++;
    return true;
  }
  if (strncmp(name, "kernel", 6) != 0 || strchr(name, '/'))
    return message_fail_at(message, import->list, line, "'%.60s' is neither a kernel's file nor a Memcpy", name);
  char *path = find_file(import, name);
  if (!path)
    return message_fail_at(message, import->list, line, "there is no file '%.100s' beside the list", name);
  if (!is_kernels_own(path)) {
    free(path);
    return message_fail_at(message, import->list, line, "'%.60s' leads to a file that is not a kernel's", name);
  }
  *vector_next(import->launches, import->launch_count, import->launch_room) = (struct sass_launch){.path = path};
  return true;
}

static bool read_list(struct sass_import *import, struct message *message) {
  struct sass_lines *lines = sass_lines_open(import->list, message);
  bool good = lines;
  for (char *text; good && (text = sass_lines_next(lines, &good, message));) {
    text += strspn(text, " \t");
    text[strcspn(text, " \t")] = '\0';
    good = !*text || read_entry(import, text, sass_lines_number(lines), message);
  }
  if (lines)
    sass_lines_close(lines);
  return good && (import->launch_count || message_fail_at(message, import->list, 0, "lists no kernel"));
}

/* ---- the import -------------------------------------------------------------------------------------------- */

static bool scan_all(struct sass_import *import, struct message *message) {
  const char *slash = strrchr(import->list, '/');
  if (!read_list(import, message))
    return false;
  for (size_t i = 0; i < import->launch_count; i++)
    if (!scan_launch(import, i, message))
      return false;
  import->total = import->instructions;
  import->program = sass_program(import->kernels, import->kernel_count, slash ? slash + 1 : import->list, message);
  return import->program;
}

struct sass_import *sass_import_open(const char *list, const struct sass_watch *watch, struct message *message) {
  struct sass_import *import = need(1, sizeof *import);
  import->list = need_copy(list);
  import->watch = watch;
  if (scan_all(import, message))
    return import;
  sass_import_free(import);
  return NULL;
}

void sass_import_free(struct sass_import *import) {
  for (size_t i = 0; i < import->launch_count; i++)
    free(import->launches[i].path);
  for (size_t i = 0; i < import->kernel_count; i++)
    sass_kernel_free(&import->kernels[i]);
  for (size_t i = 0; i < import->unknown_count; i++) {
    free(import->unknown[i].what);
    free(import->unknown[i].place);
  }
  for (size_t i = 0; i < SASS_LOSSES; i++)
    free(import->lost[i].place);
  isa_program_free(import->program);
  free(import->unknown);
  free(import->regions);
  free(import->kernels);
  free(import->launches);
  free(import->list);
  free(import);
}
