/* Which recordings are flagged and where, each with a similar one that is not. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ct.h"
#include "tests/replay/play.h"

#define HEAD                                                                                                           \
  ".kernel k\n.arg in global\n.arg out global\n.lds t 1024\n.reg i, g, n, v, e\n.reg64 p, q, c\n.pred b\n"             \
  " ld.arg.b64 p, in\n ld.arg.b64 q, out\n get.local_id i, x\n get.group_id g, x\n shl.b32 n, i, 2\n"
/* Ends some work-items depending on the value of v. */
#define STEER " and.b32 v, v, 1\n setp.eq.u32 b, v, 0\n@b exit\n add.i32 v, v, 1\n"

static const struct {
  const char *name, *marked, *just_not;
} twins[] = {
    {"clock", HEAD " get.clock c\n cvt.u32.u64 v, c\n" STEER " exit\n",
     HEAD " get.clock c\n cvt.u32.u64 v, c\n st.global.b32 [q + n], v\n exit\n"},
    {"atomic", HEAD " atom.global.add.i32 v, [q], i\n" STEER " exit\n", HEAD " atom.global.add.i32 _, [q], i\n exit\n"},
    /* other work-groups' words, or the work-item's own words */
    {"shared", HEAD " mov.b32 v, i\n st.global.b32 [q + n], v\n ld.global.b32 v, [q + n]\n" STEER " exit\n",
     HEAD
     " shl.b32 g, g, 8\n add.i32 n, n, g\n mov.b32 v, i\n st.global.b32 [q + n], v\n ld.global.b32 v, [q + n]\n" STEER
     " exit\n"},
    /* reading first, with a later write by another work-group, is no better */
    {"shared",
     HEAD " ld.global.b32 v, [q + n]\n and.b32 v, v, 1\n setp.eq.u32 b, g, 1\n@b st.global.b32 [q + n], i\n" STEER
          " exit\n",
     HEAD " ld.global.b32 v, [p + n]\n and.b32 v, v, 1\n setp.eq.u32 b, g, 1\n@b st.global.b32 [q + n], i\n" STEER
          " exit\n"},
    /* a neighboring warp's word, with and without a barrier between */
    {"local", HEAD " st.lds.b32 [n], i\n xor.b32 n, n, 128\n ld.lds.b32 v, [n]\n" STEER " exit\n",
     HEAD " st.lds.b32 [n], i\n bar.lds\n xor.b32 n, n, 128\n ld.lds.b32 v, [n]\n" STEER " exit\n"},
    /* an unwritten word */
    {"local", HEAD " ld.lds.b32 v, [n]\n" STEER " exit\n",
     HEAD " st.lds.b32 [n], i\n ld.lds.b32 v, [n]\n" STEER " exit\n"},
    /* a copy writes it; the wait comes too late, or in time */
    {"local", HEAD " copy.to_lds e, [t], [p], 64, size=4\n ld.lds.b32 v, [n]\n wait e\n" STEER " exit\n",
     HEAD " copy.to_lds e, [t], [p], 64, size=4\n wait e\n ld.lds.b32 v, [n]\n" STEER " exit\n"},
    /* several warps add in any order: the sum is complete only after a barrier */
    {"local",
     HEAD " mov.b32 v, 0\n st.lds.b32 [n], v\n bar.lds\n atom.lds.add.i32 _, [t], i\n ld.lds.b32 v, [t]\n" STEER
          " exit\n",
     HEAD
     " mov.b32 v, 0\n st.lds.b32 [n], v\n bar.lds\n atom.lds.add.i32 _, [t], i\n bar.lds\n ld.lds.b32 v, [t]\n" STEER
     " exit\n"},
    /* ... and only if no other work-item writes the word meanwhile and one has written it before */
    {"local", HEAD " st.lds.b32 [n], i\n atom.lds.add.i32 _, [t], i\n bar.lds\n ld.lds.b32 v, [t]\n" STEER " exit\n",
     HEAD " st.lds.b32 [n], i\n atom.lds.add.i32 _, [n], i\n bar.lds\n ld.lds.b32 v, [t]\n" STEER " exit\n"},
    {"local", HEAD " atom.lds.add.i32 _, [t], i\n bar.lds\n ld.lds.b32 v, [t]\n" STEER " exit\n",
     HEAD " st.lds.b32 [n], i\n bar.lds\n atom.lds.add.i32 _, [t], i\n bar.lds\n ld.lds.b32 v, [t]\n" STEER " exit\n"},
    /* a copy covers many words, and the last one counts */
    {"local", HEAD " copy.to_lds e, [t], [p], 64, size=4\n ld.lds.b32 v, [n]\n wait e\n" STEER " exit\n",
     HEAD " copy.to_lds e, [512], [p], 64, size=4\n st.lds.b32 [n], i\n ld.lds.b32 v, [n]\n wait e\n" STEER " exit\n"},
};

static char *marks_of(const char *text) {
  char path[PLAY_PATH];
  const struct play play = {.settings = "cu.count=2", .text = text, .global = 256, .local = 64};
  play_path(path, "marks");
  const struct played played = play_record(&play, path);
  EXPECT_TRUE(played.ok);
  char *marks = play_marks(path);
  unlink(path);
  return marks;
}

TEST(marks, each_reason_is_found_exactly_where_it_applies) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    char *marked = marks_of(twins[i].marked), *just_not = marks_of(twins[i].just_not);
    ct_note("twin %zu, %s", i, twins[i].name);
    EXPECT_CONTAINS(marked, twins[i].name);
    EXPECT_STREQ(just_not, "");
    free(marked);
    free(just_not);
  }
}

TEST(marks, a_flag_names_launch_and_instruction) {
  ct_freed(ct_free) char *marks =
      marks_of(".kernel k\n.reg64 c\n.pred b\n get.clock c\n setp.eq.u64 b, c, 0\n@b exit\n exit\n");
  EXPECT_STREQ(marks, "0 0 clock\n");
}

TEST(marks, an_instruction_that_never_runs_is_not_flagged) {
  char *marks =
      marks_of(".kernel k\n.reg64 c\n.pred b\n bra out\n get.clock c\n setp.eq.u64 b, c, 0\n@b exit\nout: exit\n");
  EXPECT_STREQ(marks, "");
  free(marks);
}
