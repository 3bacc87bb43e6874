#include "tests/models/rig_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/replay/recorder.h"
#include "sim/replay/replayer.h"
#include "tests/ct.h"
#include "tools/trace/text.h"

CT_FREES(struct trace, trace_close)
CT_FREES(struct simulation, simulation_free)

/* ---- fingerprints */

/* By words: by bytes, it took a third of the time of the laws. */
uint64_t rig_mix(uint64_t hash, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, (const char *)bytes + i, size - i < sizeof word ? size - i : sizeof word);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return hash;
}

/* Excludes host addresses, and entries that are not valid. */
uint64_t rig_fingerprint(const struct isa_program *program, const struct launch_result *result) {
  ct_freed(ct_free) struct launch_result *copy = calloc(1, sizeof *copy);
  memcpy(copy, result, offsetof(struct launch_result, hazards));
  memcpy(copy->hazards, result->hazards, result->hazard_count * sizeof *copy->hazards);
  copy->by_pc = NULL;
  copy->pipes = NULL;
  copy->dma_latency = NULL;
  for (size_t i = 0; i < result->stuck_count && i < RESULT_STUCK; i++) {
    copy->stuck[i] = result->stuck[i];
    copy->stuck[i].pipe = NULL;
  }
  uint64_t hash = rig_mix(UINT64_C(0xcbf29ce484222325), copy, sizeof *copy);
  hash = rig_mix(hash, launch_copy_latency(result), sizeof(struct histogram));
  for (size_t i = 0; i < result->stuck_count && i < RESULT_STUCK; i++) {
    const char *pipe = result->stuck[i].pipe ? result->stuck[i].pipe->name : "";
    hash = rig_mix(hash, pipe, strlen(pipe));
  }
  for (size_t i = 0; i < result->pipe_count; i++) {
    hash = rig_mix(hash, &result->pipes[i].stats, sizeof result->pipes[i].stats);
    hash = rig_mix(hash, &result->pipes[i].left, sizeof result->pipes[i].left);
  }
  return rig_mix(hash, result->by_pc, program->count * sizeof *result->by_pc);
}

/* ---- recording and replaying a rig */

enum { LAUNCHES = 8 };

struct rig_recording {
  char path[64];
  struct recorder *recorder;
  struct source_maker sources;
  size_t count;
  struct isa_launch launches[LAUNCHES];
  uint64_t fingerprint[LAUNCHES];
  cycle_t cycles[LAUNCHES];
};

struct rig_recording *rig_record(struct rig *rig) {
  struct message error = {0};
  if (!getenv("WARPWAIT_RIG_REPLAY"))
    return NULL;
  struct rig_recording *recording = calloc(1, sizeof *recording);
  static unsigned number;
  snprintf(recording->path, sizeof recording->path, "%s/warpwait-rig-%d-%u.wwt", P_tmpdir, (int)getpid(), number++);
  recording->recorder = recorder_new(trace_writer_open(recording->path, &error));
  EXPECT_STREQ(error.text, "");
  recording->sources = recorder_sources(recording->recorder);
  rig->sources = &recording->sources;
  return recording;
}

void rig_recorded(struct rig_recording *recording, const struct rig *rig) {
  if (recording->count == LAUNCHES || rig->result.mem.outside_requests) /* an outside memory is not in the trace */
    return;
  recording->launches[recording->count] = rig->launch;
  recording->cycles[recording->count] = rig->result.cycles;
  recording->fingerprint[recording->count++] = rig_fingerprint(rig->program, &rig->result);
}

/* Pipes in their initial state, without bytes. */
static void make_memory(const struct isa_memory *from, struct isa_memory *to, struct isa_buffer *buffers,
                        struct isa_pipe *pipes) {
  *to = (struct isa_memory){.buffers = buffers,
                            .count = from->count,
                            .pipes = pipes,
                            .pipe_count = from->pipe_count,
                            .images = from->images,
                            .image_count = from->image_count};
  memcpy(buffers, from->buffers, from->count * sizeof *buffers);
  for (size_t i = 0; i < from->count; i++)
    buffers[i].data = NULL;
  for (size_t i = 0; i < from->pipe_count; i++) {
    const struct isa_pipe *pipe = &from->pipes[i];
    struct isa_buffer *buffer = buffers;
    while (buffer->base != pipe->base)
      buffer++;
    buffer->data = calloc(1, buffer->bytes);
    isa_pipe_init(&pipes[i], pipe->name, pipe->number, pipe->base, buffer->data, pipe->packet_size, pipe->max_packets);
  }
}

static void run_all(struct rig_recording *recording, const struct rig *rig, const struct replayer *replayer,
                    const struct source_maker *sources) {
  struct isa_buffer buffers[RIG_BUFFERS + RIG_PIPES];
  struct isa_pipe pipes[RIG_PIPES];
  struct isa_memory memory;
  ct_freed(simulation_free_at) struct simulation *simulation = simulation_new_with(&rig->machine, sources);
  size_t count = 0;
  struct island **islands = simulation_islands(simulation, &count);
  struct host *host = host_plain(islands, count, rig->order, 1);
  make_memory(&rig->memory, &memory, buffers, pipes);
  for (size_t i = 0; i < recording->count; i++) {
    ct_freed(launch_result_free) struct launch_result result;
    memset(&result, 0, sizeof result);
    recording->launches[i].memory = &memory;
    simulation_run(simulation, host, &recording->launches[i], rig->limit, NULL, &result);
    EXPECT_STREQ(replayer_fault(replayer) ? replayer_fault(replayer) : "", "");
    EXPECT_EQ(result.cycles, recording->cycles[i]);
    EXPECT_EQ(rig_fingerprint(rig->program, &result), recording->fingerprint[i]);
  }
  host->free(host);
  for (size_t i = 0; i < memory.pipe_count; i++)
    isa_pipe_free(&pipes[i]);
  for (size_t i = 0; i < memory.count; i++)
    free(buffers[i].data);
}

/* ---- the text of a recording */

static bool to_text(const char *path, FILE *to) {
  struct message error = {.text = ""};
  ct_freed(trace_close_at) struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  if (!EXPECT_TRUE(trace != NULL))
    return false;
  struct trace_text *text = trace_text_new(trace);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_write(trace, to, &hooks, &error);
  trace_text_free(text);
  return EXPECT_STREQ(error.text, "") && good;
}

static bool from_text(FILE *from, const char *path) {
  struct message error = {.text = ""};
  struct trace_writer *writer = trace_writer_open(path, &error);
  struct trace_text *text = trace_text_new(NULL);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_read(from, "text", writer, &hooks, &error) && trace_writer_close(writer, &error);
  trace_text_free(text);
  return EXPECT_STREQ(error.text, "") && good;
}

static bool same_files(FILE *a, FILE *b) {
  bool same = a && b;
  for (int byte = 0; same && byte != EOF;) {
    byte = getc(a);
    same = getc(b) == byte;
  }
  return same;
}

bool rig_text_comes_back(const char *path) {
  FILE *text = tmpfile();
  char back[100];
  snprintf(back, sizeof back, "%s.back", path);
  bool good = to_text(path, text);
  rewind(text);
  good = good && from_text(text, back);
  FILE *before = fopen(path, "rb"), *after = good ? fopen(back, "rb") : NULL;
  good = good && EXPECT_TRUE(same_files(before, after));
  fclose(text);
  fclose(before);
  if (after)
    fclose(after);
  unlink(back);
  return good;
}

void rig_replay(struct rig_recording *recording, struct rig *rig) {
  struct message error = {0};
  EXPECT_TRUE(recorder_close(recording->recorder, &error));
  rig_text_comes_back(recording->path);
  struct trace *trace = trace_open(recording->path, TRACE_WHOLE, &error);
  struct replayer *replayer = trace ? replayer_new(trace, &error) : NULL;
  EXPECT_STREQ(error.text, "");
  if (replayer && recording->count && recording->count == trace_launches(trace)) {
    const struct source_maker sources = replayer_sources(replayer);
    run_all(recording, rig, replayer, &sources);
  }
  if (replayer)
    replayer_free(replayer);
  if (trace)
    trace_close(trace);
  unlink(recording->path);
  free(recording);
}
