/* Recordings of random kernels come back from their text to the byte, programs and all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/trace_text.h"
#include "tests/ct.h"
#include "tests/models/random_kernel.h"
#include "tests/replay/play.h"

enum { KERNELS = 4 };

static bool to_text(const char *path, FILE *to) {
  struct trace_error error = {.text = ""};
  struct trace *trace = trace_open(path, TRACE_WHOLE, &error);
  if (!EXPECT_TRUE(trace != NULL))
    return false;
  struct trace_text *text = trace_text_new(trace);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_write(trace, to, &hooks, &error);
  trace_text_free(text);
  trace_close(trace);
  return EXPECT_STREQ(error.text, "") && good;
}

static bool from_text(FILE *from, const char *path) {
  struct trace_error error = {.text = ""};
  struct trace_writer *writer = trace_writer_open(path, &error);
  struct trace_text *text = trace_text_new(NULL);
  const struct text_hooks hooks = trace_text_hooks(text);
  const bool good = trace_text_read(from, "text", writer, &hooks, &error) && trace_writer_close(writer, &error);
  trace_text_free(text);
  return EXPECT_STREQ(error.text, "") && good;
}

static bool comes_back(const char *path, const char *back) {
  FILE *text = tmpfile();
  bool good = to_text(path, text);
  rewind(text);
  good = good && from_text(text, back) && EXPECT_TRUE(play_same_files(path, back));
  fclose(text);
  return good;
}

TEST(replay, recordings_of_random_kernels_come_back_from_text_to_the_byte) {
  char *kernels = malloc(RANDOM_TEXT), path[PLAY_PATH], back[PLAY_PATH];
  play_path(path, "text");
  play_path(back, "back");
  bool good = true;
  for (unsigned machine = 0; good && machine < MACHINES; machine++)
    for (unsigned number = 0; good && number < KERNELS; number++) {
      *kernels = '\0';
      random_kernel(kernels, "k", machine * KERNELS + number + 1);
      if (number % 2)
        random_kernel(kernels, "second", machine * KERNELS + number + 1000);
      ct_note("machine %u (%s), kernel %u", machine, machines[machine], number);
      play_record(&(struct play){.settings = machines[machine], .text = kernels, .global = 256, .local = 64}, path);
      good = comes_back(path, back);
    }
  unlink(path);
  unlink(back);
  free(kernels);
}
