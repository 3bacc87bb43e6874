#include "sim/session/dump.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

bool job_dump_find(const struct job *job, const char *word, struct job_dump *dump, struct message *message) {
  const char *equals = strchr(word, '=');
  struct message ignored;
  if (!equals || !equals[1])
    return message_fail(message, "--dump: '%.60s' is not BUFFER=FILE", word);
  char *name = need_copy(word);
  name[equals - word] = '\0';
  dump->pipe = job_find_pipe(job, name, &dump->number, &ignored);
  const bool found = dump->pipe || job_find_buffer(job, name, &dump->number, message);
  free(name);
  dump->path = equals + 1;
  return found || message_within(message, "--dump");
}

const uint8_t *job_dump_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes, uint8_t **owned) {
  *owned = NULL;
  if (dump->pipe)
    return *owned = job_packets(&job->memory.pipes[dump->number], bytes);
  *bytes = job->memory.buffers[dump->number].bytes;
  return job->memory.buffers[dump->number].data;
}
