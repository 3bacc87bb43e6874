/* Examples as the text of traces: the round trip keeps every byte, and the trace written by hand replays as its golden
 * report shows. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ct.h"

static char folder[64];

/* Runs a command in which W is the program and T a folder of the test; returns its exit status. */
static int run(const char *command) {
  const char *program = getenv("WARPWAIT");
  char line[2000];
  snprintf(line, sizeof line, "W='%s'; T='%s'; %s", program ? program : "build/warpwait", folder, command);
  ct_note("%s", line);
  const int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void make_folder(void) {
  strcpy(folder, "/tmp/warpwait-text-XXXXXX");
  if (!mkdtemp(folder))
    abort();
}

static void remove_folder(void) { run("rm -r \"$T\""); }

/* A sanitizer keeps freed memory for a while. */
#ifndef __SANITIZE_ADDRESS__

/* The peak memory of the command in KiB; -1 if it fails. */
static long memory_of(const char *arguments) {
  const char *program = getenv("WARPWAIT");
  char line[500];
  struct rusage usage;
  int status = 0;
  snprintf(line, sizeof line, "cd '%s' && exec \"$W\" %s", folder, arguments);
  ct_freed(ct_free) char *full = realpath(program ? program : "build/warpwait", NULL);
  setenv("W", full, 1);
  const pid_t child = fork();
  if (!child) {
    execl("/bin/sh", "sh", "-c", line, NULL);
    _exit(127);
  }
  return wait4(child, &status, 0, &usage) == child && status == 0 ? usage.ru_maxrss : -1;
}

/* Work-groups one after the other, each with its own streams; to text and back. */
static void measure(unsigned groups, long memory[2]) {
  char path[100];
  snprintf(path, sizeof path, "%s/long.wwtt", folder);
  FILE *file = fopen(path, "w");
  fprintf(file,
          "wwtt 1\nprogram {\n access*2 plain\n}\nlaunch groups=%u warps=4\ngroup 0..%u\nwarp 0..3\nrepeat 4 {\n"
          "0 address=64*lane+4096*warp+65536*group step 4\n1 address=[1 3 2 7+9*29] step 1000\n}\n2 done\n",
          groups, groups - 1);
  fclose(file);
  EXPECT_TRUE(memory_of("trace convert long.wwtt long.wwt") > 0);
  memory[0] = memory_of("trace convert long.wwt again.wwtt");
  memory[1] = memory_of("trace convert again.wwtt again.wwt");
}

TEST(examples, memory_use_of_converting_to_text_and_back_does_not_grow_with_the_trace) {
  long few[2], many[2];
  make_folder();
  measure(100, few);
  measure(5000, many);
  for (unsigned i = 0; i < 2; i++) {
    EXPECT_GT(few[i], 0);
    EXPECT_GT(many[i], 0);
    EXPECT_LT(many[i] - few[i], 4096);
  }
  remove_folder();
}

#endif

TEST(examples, traces_of_all_examples_survive_a_text_round_trip) {
  ct_freed(globfree) glob_t found = {0};
  make_folder();
  ASSERT_EQ(glob("examples/*/launch*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char command[1000];
    snprintf(command, sizeof command,
             "$W run '%s' --trace $T/a.wwt >$T/out && $W trace convert $T/a.wwt $T/a.wwtt && "
             "$W trace convert $T/a.wwtt $T/b.wwt && cmp $T/a.wwt $T/b.wwt && ! grep -q base64 $T/a.wwtt",
             found.gl_pathv[i]);
    EXPECT_EQ(run(command), 0);
  }
  remove_folder();
}

/* The page's example is the block that begins with its version; its result is the block that begins with `group`. */
TEST(examples, the_trace_text_page_shows_what_convert_produces) {
  make_folder();
  EXPECT_EQ(run("sed -n '/^```wwtt$/,/^```$/p' docs/trace-text.md | sed '1d;$d' >$T/a.wwtt && "
                "sed -n '/^group 0 launch/,/^```$/p' docs/trace-text.md | sed '$d' >$T/part && "
                "$W trace convert $T/a.wwtt $T/a.wwt && $W trace convert $T/a.wwt $T/b.wwtt && "
                "grep -A 5 '^group 0' $T/b.wwtt | diff - $T/part && test $(grep -c '^[0-9]' $T/b.wwtt) = 388 && "
                "$W replay $T/a.wwt | grep -q '^instructions   388 '"),
            0);
  remove_folder();
}

TEST(examples, a_trace_written_by_hand_replays_as_its_report_shows) {
  make_folder();
  EXPECT_EQ(run("$W trace convert examples/14_trace_by_hand/trace.wwtt $T/t.wwt && $W trace validate $T/t.wwt && "
                "$W replay $T/t.wwt | diff - examples/14_trace_by_hand/report.txt"),
            0);
  remove_folder();
}
