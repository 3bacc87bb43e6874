/* Replaces what a browser lacks: SystemC, processes, threads, and unnamed files. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/systemc/systemc.h"
#include "sim/base/crew.h"
#include "sim/base/file.h"
#include "sim/cli/processes.h"

/* The plain loop gives the same cycles and results, to the bit. */
struct host *load_systemc(struct island **islands, size_t count, uint32_t clock_mhz, const char **message) {
  (void)clock_mhz;
  *message = "out of memory";
  return host_plain(islands, count, ORDER_ASCENDING, 0);
}

/* The caller does all the work. */
struct crew {
  unsigned shares;
  void (*work)(void *self, unsigned share);
  void *self;
};

struct crew *crew_new(unsigned threads, unsigned shares, void (*work)(void *self, unsigned share), void *self) {
  struct crew *crew = malloc(sizeof *crew);
  (void)threads;
  if (crew)
    *crew = (struct crew){shares, work, self};
  return crew;
}

void crew_free(struct crew *crew) { free(crew); }

void crew_round(struct crew *crew) {
  for (unsigned share = 0; share < crew->shares; share++)
    crew->work(crew->self, share);
}

/* A file named by its descriptor, the lowest free number; it disappears with the instance. Emscripten duplicates a
 * descriptor by opening its path again, and so does our code: the path must stay, and opening must not truncate the
 * file. A reader of an earlier file with this name keeps that file. */
int file_nameless(const char *what, struct message *message) {
  char path[FILE_NAMELESS_PATH];
  const int next = open("/", O_RDONLY);
  if (next >= 0)
    close(next);
  file_nameless_path(next, path);
  unlink(path);
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  assert(file == next && "files get the lowest number that is free");
  if (file >= 0)
    return file;
  message_fail(message, "no file for %s: %s", what, strerror(errno));
  return -1;
}

void file_nameless_path(int file, char path[FILE_NAMELESS_PATH]) {
  snprintf(path, FILE_NAMELESS_PATH, "/tmp/%d", file);
}

void file_nameless_name(const char *what, char name[FILE_NAMELESS_NAME]) {
  snprintf(name, FILE_NAMELESS_NAME, "%s", what);
}

/* Runs tasks one after the other: there are neither processes nor threads. */
static bool run(const struct workload *work, unsigned workers, struct message *message) {
  return serial_workers.run(work, workers, message);
}

const struct worker_pool processes = {run}, thread_workers = {run};
