/* Traces of all launches of each device. WARPWAIT_TRACE names the file of the first device; for the others, the
 * device's number goes before the extension. The trace is complete when the program ends: until then it is
 * FILE.unfinished. One that cannot be written is removed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/icd/icd.h"

struct recording {
  char path[ICD_PATH], unfinished[ICD_PATH];
  int file, error;   /* errno of the first write that failed */
  ww_device *device; /* a reference */
  pid_t owner;       /* its forked children write nothing */
  struct recording *next;
};

static struct recording *first;

static bool write_piece(void *self, const void *data, size_t size) {
  struct recording *recording = self;
  if (recording->owner != getpid())
    return false;
  if (!recording->error && !icd_write(recording->file, data, size))
    recording->error = errno;
  return !recording->error;
}

static void name_file(struct recording *recording, const char *path, unsigned number) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const int stem = dot && (!slash || dot > slash) ? (int)(dot - path) : (int)strlen(path);
  if (number)
    snprintf(recording->path, ICD_PATH, "%.*s.%u%.200s", stem > 3000 ? 3000 : stem, path, number, path + stem);
  else
    snprintf(recording->path, ICD_PATH, "%.3500s", path);
  snprintf(recording->unfinished, ICD_PATH, "%.3600s.unfinished", recording->path);
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
  struct recording *made = path && !is_known(device->device) ? calloc(1, sizeof *made) : NULL;
  if (!made)
    return;
  name_file(made, path, count++);
  made->file = icd_open(made->unfinished, O_TRUNC);
  made->owner = getpid();
  made->device = ww_device_ref(device->device);
  made->next = first;
  first = made; /* even without a file, so that it is not tried again */
  if (made->file < 0)
    icd_report_lost(made->path, errno);
  else if (ww_device_record(made->device, (ww_sink){write_piece, made}, NULL) != WW_OK && !made->error)
    made->error = ENOMEM;
}

/* When the program ends, or the driver is unloaded. */
__attribute__((destructor)) static void finish(void) {
  ww_error error;
  for (struct recording *at = first; at; at = at->next) {
    if (at->file < 0 || at->owner != getpid())
      continue;
    const ww_status status = ww_device_record_end(at->device, &error);
    const bool whole = !at->error && (status == WW_OK || status == WW_UNSUPPORTED);
    if (whole && status == WW_UNSUPPORTED)
      fprintf(stderr, "warpwait: %s: %s\n", at->path, error.text);
    errno = at->error ? at->error : ENOMEM;
    icd_finish_file(at->file, whole, at->unfinished, at->path);
  }
}
