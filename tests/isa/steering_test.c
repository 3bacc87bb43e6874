/* Which values steer a program, and which only seem to. */
#include "isa/asm/asm.h"
#include "isa/steering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/rows.h"
#include "tests/ct.h"

CT_FREES(struct isa_program, isa_program_free)

#define HEAD                                                                                                           \
  ".kernel k\n.arg a global\n.arg f pipe\n.arg m image2d\n.lds t 1024\n.private 64\n.reg i, n, v, e, q[4]\n"           \
  ".reg64 p, c, id\n.pred b\n"                                                                                         \
  " ld.arg.b64 p, a\n get.local_id i, x\n"

/* Whether the first instruction with this mnemonic steers. */
static bool steers(const char *mnemonic, const char *body) {
  char text[2000];
  struct isa_error error = {.text = ""};
  struct isa_steering steering;
  snprintf(text, sizeof text, HEAD "%s exit\n", body);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "k.wws", &error);
  ct_note("%s", body);
  if (!EXPECT_STREQ(error.text, ""))
    return false;
  isa_steering_find(program, &steering);
  uint32_t pc = 0;
  while (pc < program->count && strncmp(isa_rows[program->code[pc].op].mnemonic, mnemonic, strlen(mnemonic)) != 0)
    pc++;
  const bool found = EXPECT_LT(pc, program->count) && steering.steers[pc];
  free(steering.steers);
  return found;
}

static const struct {
  const char *what, *steers, *just_not;
} twins[] = {
    {"get.clock", " get.clock c\n setp.eq.u64 b, c, 0\n@b bra out\nout:\n",
     " get.clock c\n setp.eq.u64 b, c, 0\n cvt.u32.pred v, b\n st.global.b32 [p], v\n"},
    {"get.clock", " get.clock c\n setp.eq.u64 b, c, 0\n@b add.i32 v, v, 1\n",
     " get.clock c\n setp.eq.u64 b, c, 0\n sel.b32 v, i, n, b\n"},
    {"get.clock", " get.clock c\n ld.global.b32 v, [c]\n", " get.clock c\n mov.b64 c, p\n ld.global.b32 v, [c]\n"},
    {"get.clock", " get.clock c\n st.private.b64 [0], c\n ld.private.b32 v, [0]\n ld.lds.b32 n, [v]\n",
     " get.clock c\n st.private.b64 [0], c\n ld.private.b32 v, [0]\n st.lds.b32 [n], v\n"},
    {"get.clock", "again: setp.ne.u64 b, c, 0\n@b bra out\n get.clock c\n bra again\nout:\n",
     "again: setp.ne.u64 b, p, 0\n@b bra out\n get.clock c\n bra again\nout:\n"},
    {"get.clock", " get.clock c\n@b mov.b64 c, p\n ld.global.b32 v, [c]\n",
     " get.clock c\n mov.b64 c, p\n@b ld.global.b32 v, [c]\n"},
    {"atom.global", " atom.global.add.i32 v, [p], i\n ld.lds.b32 n, [v]\n",
     " atom.global.add.i32 v, [p], i\n st.global.b32 [p + 4], v\n"},
    {"atom.lds", " atom.lds.add.i32 v, [t], i\n setp.eq.u32 b, v, 0\n@b exit\n", " atom.lds.add.i32 v, [t], i\n"},
    {"atom.lds", " atom.lds.add.i32 v, [t], i\n copy.to_lds e, [v], [p], 4, size=4\n wait e\n",
     " atom.lds.add.i32 v, [t], i\n copy.to_lds e, [0], [p], 4, size=4\n wait e\n"},
    {"atom.lds", " atom.lds.add.i32 v, [t], i\n shfl.idx.b32 n, v, 0\n st.lds.b32 [n], i\n",
     " atom.lds.add.i32 v, [t], i\n shfl.idx.b32 n, v, 0\n st.lds.b32 [i], n\n"},
    {"pipe.num", " ld.arg.b64 c, f\n pipe.num v, [c]\n setp.eq.u32 b, v, 0\n@b exit\n",
     " ld.arg.b64 c, f\n pipe.num v, [c]\n st.global.b32 [p], v\n"},
    {"pipe.reserve",
     " ld.arg.b64 c, f\n pipe.reserve.read id, [c], 1, kind=item\n pipe.commit.read [c], id, kind=item\n",
     " ld.arg.b64 c, f\n pipe.reserve.read id, [c], 1, kind=item\n"},
    {"ld.global", " ld.global.b32 v, [p]\n ld.global.b32 n, [p + v]\n", " ld.global.b32 v, [p]\n fma.f32 n, v, v, v\n"},
    {"ld.lds", " ld.lds.b32 v, [t]\n setp.eq.u32 b, v, 0\n@b bra out\nout:\n",
     " ld.lds.b32 v, [t]\n st.global.b32 [p], v\n"},
    /* through memory: a stored value steers because a load from there does */
    {"atom.global", " atom.global.add.i32 v, [p], i\n st.lds.b32 [t], v\n ld.lds.b32 n, [t]\n ld.lds.b32 n, [n]\n",
     " atom.global.add.i32 v, [p], i\n st.lds.b32 [t], v\n ld.lds.b32 n, [t]\n"},
    /* the source of a copy, and its stride */
    {"atom.lds", " atom.lds.add.i32 v, [t], i\n copy.to_lds.strided e, [t], [p], 4, v, size=4\n wait e\n",
     " atom.lds.add.i32 v, [t], i\n copy.to_lds.strided e, [t], [p], 4, i, size=4\n wait e\n"},
    /* a copy brings the value */
    {"copy.to_lds", " copy.to_lds e, [t], [p], 4, size=4\n wait e\n ld.lds.b32 n, [t]\n ld.lds.b32 n, [n]\n",
     " copy.to_lds e, [t], [p], 4, size=4\n wait e\n ld.lds.b32 n, [t]\n"},
    /* an image's coordinates, and its texels; a stored texel steers only if a texel does */
    {"get.clock", " get.clock c\n ld.arg.b64 id, m\n image.load.2d q, [id], i, c, as=int\n",
     " get.clock c\n ld.arg.b64 id, m\n image.load.2d q, [id], i, p, as=int\n"},
    {"get.clock", " get.clock c\n ld.arg.b64 id, m\n image.store.2d [id], c, q, as=int\n",
     " get.clock c\n cvt.u32.u64 q[0], c\n ld.arg.b64 id, m\n image.store.2d [id], p, q, as=int\n"},
    {"image.load", " ld.arg.b64 id, m\n image.load.2d q, [id], i, p, as=int\n ld.lds.b32 n, [q[0]]\n",
     " ld.arg.b64 id, m\n image.load.2d q, [id], i, p, as=int\n st.lds.b32 [n], q[0]\n"},
    {"get.clock",
     " get.clock c\n cvt.u32.u64 q[0], c\n ld.arg.b64 id, m\n image.store.2d [id], p, q, as=int\n"
     " image.load.2d q, [id], i, p, as=int\n ld.lds.b32 n, [q[0]]\n",
     " get.clock c\n cvt.u32.u64 q[0], c\n ld.arg.b64 id, m\n image.store.2d [id], p, q, as=int\n"
     " image.load.2d q, [id], i, p, as=int\n"},
};

TEST(steering, a_value_steers_if_it_reaches_something_observable) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
    EXPECT_TRUE(steers(twins[i].what, twins[i].steers));
}

TEST(steering, a_value_that_ends_in_registers_or_bytes_does_not_steer) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
    EXPECT_FALSE(steers(twins[i].what, twins[i].just_not));
}

TEST(steering, a_value_in_global_memory_can_steer_another_kernel) {
  EXPECT_TRUE(steers("get.clock", " get.clock c\n st.global.b64 [p], c\n exit\n"
                                  ".kernel second\n.arg a global\n.reg v\n.reg64 p\n ld.arg.b64 p, a\n"
                                  " ld.global.b32 v, [p]\n ld.global.b32 v, [p + v]\n"));
  EXPECT_FALSE(steers("get.clock", " get.clock c\n st.global.b64 [p], c\n exit\n"
                                   ".kernel second\n.arg a global\n.reg v\n.reg64 p\n ld.arg.b64 p, a\n"
                                   " ld.global.b32 v, [p]\n st.global.b32 [p], v\n"));
}
