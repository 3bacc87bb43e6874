/* Lessons as the text of traces: what they do comes back from it to the byte, and the one that is written by hand
 * replays as its golden report says. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ct.h"

static char folder[64];

/* Runs a command with W as the program and T as a folder of the test's own; returns its exit status. */
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

TEST(examples, traces_of_all_lessons_come_back_from_text_to_the_byte) {
  glob_t found = {0};
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
  globfree(&found);
  remove_folder();
}

/* The page's example is the block that begins with its version; what it becomes is the one that begins with `group`. */
TEST(examples, the_example_of_the_page_on_the_text_of_traces_is_what_convert_makes_of_it) {
  make_folder();
  EXPECT_EQ(run("sed -n '/^```wwtt$/,/^```$/p' docs/trace-text.md | sed '1d;$d' >$T/a.wwtt && "
                "sed -n '/^group 0 launch/,/^```$/p' docs/trace-text.md | sed '$d' >$T/part && "
                "$W trace convert $T/a.wwtt $T/a.wwt && $W trace convert $T/a.wwt $T/b.wwtt && "
                "grep -A 5 '^group 0' $T/b.wwtt | diff - $T/part && test $(grep -c '^[0-9]' $T/b.wwtt) = 388 && "
                "$W replay $T/a.wwt | grep -q '^instructions   388 '"),
            0);
  remove_folder();
}

TEST(examples, a_trace_by_hand_replays_as_its_report_says) {
  make_folder();
  EXPECT_EQ(run("$W trace convert examples/14_trace_by_hand/trace.wwtt $T/t.wwt && $W trace validate $T/t.wwt && "
                "$W replay $T/t.wwt | diff - examples/14_trace_by_hand/report.txt"),
            0);
  remove_folder();
}
