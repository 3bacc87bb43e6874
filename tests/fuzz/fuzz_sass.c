/* libFuzzer: a kernel's trace as if from Accel-Sim's tracer, read as `warpwait trace import` reads it. The first byte
 * says whether a header is prepended, so that lines are reached at once, and of which version. What is accepted must
 * give a valid trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];

static void remove_folder(void) {
  static const char *const names[] = {"kernelslist.g", "kernel-1.traceg", "o.wwt"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void put(const char *name, const char *head, const uint8_t *data, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fputs(head, file) < 0 || (size && fwrite(data, size, 1, file) != 1) || fclose(file) != 0)
    abort();
}

static void make_folder(void) {
  if (*folder)
    return;
  strcpy(folder, "/tmp/fuzz_sass.XXXXXX");
  if (!mkdtemp(folder))
    abort();
  atexit(remove_folder);
  put("kernelslist.g", "MemcpyHtoD,0x10,20\nkernel-1.traceg\nkernel-1.traceg\n", NULL, 0);
}

static void convert(struct sass_import *import) {
  char path[128];
  struct message error = {0};
  struct message wrong = {""};
  snprintf(path, sizeof path, "%s/o.wwt", folder);
  struct trace_writer *writer = trace_writer_open(path, &error);
  if (!writer)
    abort();
  if (!sass_import_write(import, writer, &wrong)) {
    trace_writer_abandon(writer);
    if (!*wrong.text)
      abort();
  } else if (!trace_writer_close(writer, &error) || !trace_validate(path, &error)) {
    fprintf(stderr, "%s\n", error.text);
    abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char head[300] = "";
  struct message message = {""};
  if (!size)
    return 0;
  make_folder();
  if (data[0] & 1)
    snprintf(head, sizeof head,
             "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (40,1,1)\n-shmem = 64\n-nregs = 16\n"
             "-shmem base_addr = 0x40000000\n-local mem base_addr = 0x80000000\n-accelsim tracer version = %d\n"
             "-enable lineinfo = %d\n",
             1 + (data[0] >> 1) % 5, data[0] >> 6 & 1);
  put("kernel-1.traceg", head, data + 1, size - 1);
  char path[128];
  snprintf(path, sizeof path, "%s/kernelslist.g", folder);
  struct sass_import *import = sass_import_open(path, NULL, &message);
  if (import) {
    convert(import);
    sass_import_free(import);
  } else if (!*message.text) {
    abort();
  }
  return 0;
}
