/* One pipe (P5) or image (I5) used in both directions, as the code and arguments of a launch show. */
#include "isa/asm/asm.h"
#include "sim/check/directions.h"

#include <stdio.h>
#include <string.h>

#include "tests/ct.h"

CT_FREES(struct isa_program, isa_program_free)

#define HEAD                                                                                                           \
  ".kernel k\n.arg n u32\n.arg a %s\n.arg b %s\n.arg c %s\n.reg64 p, q, r, id\n.reg t[4], s\n ld.arg.b64 p, a\n"       \
  " ld.arg.b64 q, b\n ld.arg.b64 r, c\n"
enum { HEAD_LENGTH = 3 };

#define READ(PIPE) " pipe.reserve.read id, [" #PIPE "], 1, kind=item\n pipe.commit.read [" #PIPE "], id, kind=item\n"
#define WRITE(PIPE) " pipe.reserve.write id, [" #PIPE "], 1, kind=item\n pipe.commit.write [" #PIPE "], id, kind=item\n"

#define LOAD(IMAGE) " image.load.1d t, [" #IMAGE "], s, s, as=int\n"
#define STORE(IMAGE) " image.store.1d [" #IMAGE "], s, t, as=int\n"

/* Three pipes or images as arguments. `objects` has one letter for each argument; equal letters are equal addresses. */
static bool clash_of(const char *kind, const char *body, const char *objects, struct check_clash *clash) {
  struct isa_error error = {""};
  char source[1024];
  uint8_t args[64] = {0};
  snprintf(source, sizeof source, HEAD "%s exit\n", kind, kind, kind, body);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "clash", &error);
  if (!EXPECT_STREQ(error.text, ""))
    return false;
  const struct isa_kernel *kernel = &program->kernels[0];
  for (size_t i = 0; i < 3; i++) {
    const uint64_t address = UINT64_C(4096) * (uint8_t)objects[i];
    memcpy(args + kernel->args[1 + i].offset, &address, sizeof address);
  }
  const struct isa_launch launch = {.program = program, .kernel = kernel, .args = args};
  const bool found =
      (kernel->args[1].kind == ISA_ARG_PIPE ? check_pipe_directions : check_image_directions)(&launch, clash);
  return found;
}

static void expect_clash(const char *body, const char *pipes, size_t here, uint32_t here_pc, size_t other,
                         uint32_t other_pc) {
  struct check_clash clash = {0};
  ct_note("%s of %s", body, pipes);
  ASSERT_TRUE(clash_of("pipe", body, pipes, &clash));
  EXPECT_EQ(clash.here.arg, here);
  EXPECT_EQ(clash.here.pc, HEAD_LENGTH + here_pc);
  EXPECT_EQ(clash.other.arg, other);
  EXPECT_EQ(clash.other.pc, HEAD_LENGTH + other_pc);
  EXPECT_EQ(clash.address, UINT64_C(4096) * (uint8_t)pipes[here - 1]);
}

static void expect_none(const char *body, const char *pipes) {
  struct check_clash clash = {0};
  ct_note("%s of %s", body, pipes);
  EXPECT_FALSE(clash_of("pipe", body, pipes, &clash));
}

TEST(directions, reading_and_writing_one_pipe_is_found_at_the_later_argument) {
  expect_clash(READ(p) WRITE(q), "xxy", 2, 2, 1, 0);
  expect_clash(WRITE(p) READ(q), "xxy", 2, 2, 1, 0);
  expect_clash(WRITE(q) READ(p), "xxy", 2, 0, 1, 2);
  expect_clash(WRITE(p) READ(q) READ(r), "xyx", 3, 4, 1, 0);
  expect_clash(WRITE(p) WRITE(q) READ(r), "xyy", 3, 4, 2, 2);
  expect_clash(READ(p) READ(q) WRITE(r), "xxx", 3, 4, 1, 0);
}

TEST(directions, an_argument_used_both_ways_is_found_at_the_later_instruction) {
  expect_clash(READ(p) WRITE(p), "xyz", 1, 2, 1, 0);
  expect_clash(WRITE(q) READ(q), "xyz", 2, 2, 2, 0);
}

TEST(directions, two_pipes_or_one_direction_are_correct) {
  expect_none(READ(p) WRITE(q), "xyz");
  expect_none(READ(p) READ(q) READ(r), "xxx");
  expect_none(WRITE(p) WRITE(r), "xxx");
  expect_none(READ(p), "xxx");
  expect_none("", "xxx");
}

TEST(directions, unexecuted_code_counts_and_packet_queries_do_not) {
  expect_clash("@!p0 bra out\n" READ(p) WRITE(q) "out:\n", "xxy", 2, 3, 1, 1);
  expect_none(READ(p) " pipe.num q.lo, [q]\n", "xxy");
}

TEST(directions, an_argument_is_followed_through_moves_and_selects) {
  expect_clash(READ(p) " mov.b64 r, q\n" WRITE(r), "xxy", 2, 3, 1, 0);
  expect_clash(READ(p) " setp.eq.u32 p0, r.lo, 0\n sel.b64 q, q, r, p0\n" WRITE(q), "xyx", 3, 4, 1, 0);
  expect_clash(READ(p) "@p0 mov.b64 q, r\n" WRITE(q), "xxy", 2, 3, 1, 0);
  expect_clash(" bra b\na:" WRITE(q) " exit\nb: mov.b64 q, p\n" READ(r) " bra a\n", "xyx", 3, 5, 1, 1);
  /* what one branch does with the register says nothing about the other branch */
  expect_clash(READ(p) "@p0 bra b\n mov.b64 q, 0\n exit\nb:" WRITE(q), "xxy", 2, 5, 1, 0);
  expect_none(READ(p) " mov.b64 q, r\n" WRITE(q), "xxy");
  expect_none(READ(p) "@p0 bra b\n mov.b64 q, 0\n" WRITE(q) "b: exit\n", "xxy");
  expect_none(READ(p) " mov.b64 q, 0\n" WRITE(q), "xxy");
}

TEST(directions, an_image_read_through_one_argument_and_written_through_another_is_found) {
  struct check_clash clash = {0};
  ASSERT_TRUE(clash_of("image1d", LOAD(p) STORE(q), "xxy", &clash));
  EXPECT_EQ(clash.here.arg, 2);
  EXPECT_EQ(clash.here.pc, HEAD_LENGTH + 1);
  EXPECT_EQ(clash.other.arg, 1);
  EXPECT_EQ(clash.other.pc, HEAD_LENGTH);
  EXPECT_EQ(clash.address, UINT64_C(4096) * 'x');
  EXPECT_TRUE(clash_of("image1d", STORE(p) LOAD(r), "xyx", &clash));
  EXPECT_FALSE(clash_of("image1d", LOAD(p) STORE(q), "xyx", &clash));
  EXPECT_FALSE(clash_of("image1d", LOAD(p) LOAD(q), "xxx", &clash));
}

TEST(directions, an_image_read_and_written_through_one_argument_is_correct) {
  struct check_clash clash = {0};
  EXPECT_FALSE(clash_of("image1d", LOAD(p) STORE(p), "xyz", &clash));
  EXPECT_FALSE(clash_of("image1d", LOAD(p) STORE(p) LOAD(q), "xxy", &clash));
}
