/* Traces of all launches of each device. WARPWAIT_TRACE names the file of the first device; for the others, the
 * device's number goes before the extension. The trace is complete when the program ends: until then it is
 * FILE.unfinished. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/icd/icd.h"

enum { PATH = 4096 };

struct recording {
  char path[PATH], unfinished[PATH];
  FILE *file;
  ww_device *device; /* a reference */
  pid_t owner;       /* its forked children write nothing */
  struct recording *next;
};

static struct recording *first;

static bool write_piece(void *self, const void *data, size_t size) {
  const struct recording *recording = self;
  return recording->owner == getpid() && fwrite(data, 1, size, recording->file) == size;
}

static void name_file(struct recording *recording, const char *path, unsigned number) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
  if (number)
    snprintf(recording->path, PATH, "%.*s.%u%.200s", stem > 3000 ? 3000 : stem, path, number, path + stem);
  else
    snprintf(recording->path, PATH, "%.3500s", path);
  snprintf(recording->unfinished, PATH, "%.3600s.unfinished", recording->path);
}

static bool is_known(const ww_device *device) {
  const struct recording *at = first;
  while (at && at->device != device)
    at = at->next;
  return at;
}

void icd_record(const struct _cl_device_id *device) {
  static unsigned count;
  const char *path = icd_settings()->trace;
  ww_error error;
  struct recording *made = path && !is_known(device->device) ? calloc(1, sizeof *made) : NULL;
  if (!made)
    return;
  name_file(made, path, count++);
  made->file = fopen(made->unfinished, "wb");
  made->owner = getpid();
  made->device = ww_device_ref(device->device);
  made->next = first;
  first = made; /* even without a file, so that it is not tried again */
  if (made->file)
    setvbuf(made->file, NULL, _IONBF, 0); /* a forked child would also write what is left in a buffer */
  if (!made->file)
    perror(made->unfinished);
  else if (ww_device_record(made->device, (ww_sink){write_piece, made}, &error) != WW_OK)
    fprintf(stderr, "warpwait: %s\n", error.text);
}

/* When the program ends, or the driver is unloaded. */
__attribute__((destructor)) static void finish(void) {
  ww_error error;
  for (struct recording *at = first; at; at = at->next) {
    if (!at->file || at->owner != getpid())
      continue;
    const ww_status status = ww_device_record_end(at->device, &error);
    if (status != WW_OK)
      fprintf(stderr, "warpwait: %s: %s\n", at->path, error.text);
    if (fclose(at->file) == 0 && (status == WW_OK || status == WW_UNSUPPORTED))
      rename(at->unfinished, at->path);
  }
}
