/* Diverged warps and lanes of a work-group, which do not reach the same calls. One mistake gives one report, by the
 * rule of the call that only some have reached, whichever warp arrives first. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

#define COPY " copy.to_lds e, [t], [p], 4, size=4\n"

/* i is the work-item's number, w its warp, l its lane. c holds in the first warp, h in the lower half of each warp. The
 * warp that `late` names arrives much later than the others. */
#define HEAD                                                                                                           \
  ".kernel k\n.arg src global\n.lds t 1024\n.reg e, f, i, w, l, n, late\n.reg64 p\n.pred c, h, d\n"                    \
  " ld.arg.b64 p, src\n get.local_id i, x\n get.warp w\n get.lane l\n setp.eq.u32 c, w, 0\n setp.lt.u32 h, l, 16\n"    \
  " mov.b32 late, %u\n setp.ne.u32 d, w, late\n@d bra go\n mov.b32 n, 400\nspin: sub.i32 n, n, 1\n"                    \
  " setp.ne.u32 d, n, 0\n@d bra spin\ngo: mov.b32 e, 0\n"

static const struct {
  const char *mnemonic; /* of the instruction that the report names: the first with this mnemonic */
  enum isa_hazard_rule rule;
  bool lanes; /* lanes of a warp diverge: any such warp may be the first one reported */
  const char *text;
} kernels[] = {
    /* some warps skip the call and reach the next one or their end */
    {"copy.to_lds", HAZARD_G2, false, "@c" COPY " wait e\n bar\n exit\n"},
    {"copy.to_lds", HAZARD_G2, false, "@!c bra over\n" COPY " wait e\nover: bar\n exit\n"},
    {"copy.to_lds", HAZARD_G2, false, "@c" COPY " exit\n"},
    {"copy.to_lds", HAZARD_G2, false, "@c exit\n" COPY " wait e\n bar\n exit\n"},
    {"wait", HAZARD_G2, false, COPY "@c wait e\n bar\n exit\n"},
    {"wait", HAZARD_G2, false, COPY "@!c wait e\n exit\n"},
    {"bar", HAZARD_M8, false, "@c bar\n" COPY " wait e\n exit\n"},
    {"bar", HAZARD_M8, false, "@c exit\n bar\n" COPY " wait e\n exit\n"},
    {"copy.fence", HAZARD_N3, false, COPY "@c copy.fence.lds\n wait e\n exit\n"},
    {"bar.pipe", HAZARD_R10, false, "@c bar.pipe [p], p\n bar\n exit\n"},
    /* each warp reaches a different call */
    {"bar.lds", HAZARD_M8, false, "@c bra one\n bar.lds\n exit\none: bar.global\n exit\n"},
    {"copy.to_lds", HAZARD_G2, false, "@c bra one\n" COPY " wait e\n exit\none:" COPY " wait e\n exit\n"},
    {"copy.fence.global", HAZARD_N3, false, "@c bra one\n copy.fence.global\n exit\none: copy.fence.lds\n exit\n"},
    {"bar.lds", HAZARD_M8, false,
     " setp.eq.u32 d, w, 1\n@d bra two\n@c bra one\n bar.lds\n exit\none: bar.global\n exit\ntwo: bar.all\n exit\n"},
    /* loops with as many iterations as the warp's number, and one */
    {"bar", HAZARD_M8, false,
     " mov.b32 n, w\nagain: bar\n sub.i32 n, n, 1\n setp.ge.s32 d, n, 0\n@d bra again\n exit\n"},
    {"copy.to_lds", HAZARD_G3, false,
     " mov.b32 n, w\nagain: mov.b32 e, 0\n" COPY
     " wait e\n sub.i32 n, n, 1\n setp.ge.s32 d, n, 0\n@d bra again\n bar\n exit\n"},
    {"wait", HAZARD_G3, false,
     " mov.b32 n, w\n" COPY "again: wait e\n mov.b32 e, 0\n" COPY
     " sub.i32 n, n, 1\n setp.ge.s32 d, n, 0\n@d bra again\n bar\n"
     " exit\n"},
    {"copy.fence", HAZARD_N3, false,
     " mov.b32 n, w\nagain: copy.fence.all\n sub.i32 n, n, 1\n setp.ge.s32 d, n, 0\n@d bra again\n bar\n exit\n"},
    /* half the lanes of one warp diverge */
    {"copy.to_lds", HAZARD_G2, true, " setp.lt.u32 d, i, 16\n@d" COPY " wait e\n bar\n exit\n"},
    {"bar", HAZARD_M8, true, " setp.lt.u32 d, i, 16\n@d bar\n" COPY " wait e\n exit\n"},
    {"copy.fence", HAZARD_N3, true, " setp.lt.u32 d, i, 16\n@d copy.fence.lds\n" COPY " wait e\n exit\n"},
    /* half the lanes of every warp diverge; all others, or none of them, wait for a copy's event */
    {"copy.to_lds", HAZARD_G2, true, "@h" COPY " wait e\n bar\n exit\n"},
    {"copy.to_lds", HAZARD_G2, true, "@!h" COPY " wait e\n bar\n exit\n"},
    {"wait", HAZARD_G2, true, COPY "@h wait e\n bar\n exit\n"},
    {"bar", HAZARD_M8, true, "@h bar\n" COPY " wait e\n exit\n"},
    {"copy.to_lds", HAZARD_G2, true, "@h exit\n" COPY " wait e\n bar\n exit\n"},
    {"copy.to_lds", HAZARD_G3, true,
     " mov.b32 n, l\nagain: mov.b32 e, 0\n" COPY
     " wait e\n sub.i32 n, n, 1\n setp.ge.s32 d, n, 0\n@d bra again\n bar\n exit\n"},
    {"wait", HAZARD_G2, true, COPY "@h wait e\n@!h wait e\n bar\n exit\n"},
    {"copy.to_lds", HAZARD_G2, true, "@h" COPY "@!h" COPY " wait e\n bar\n exit\n"},
    /* arguments on which the warps disagree */
    {"copy.to_lds", HAZARD_G1, false, " copy.to_lds e, [t], [p], w, size=4\n wait e\n exit\n"},
    {"bar.pipe", HAZARD_R10, false, " cvt.u64.u32 p, w\n bar.pipe [p], p\n exit\n"},
};

enum { WARPS = 3, ITEMS = 32 * WARPS };

/* What a run reported: at which instructions, one bit each, and for which warp first. */
struct found {
  uint64_t at;
  uint32_t item;
};

static uint32_t first_of(const struct rig *rig, const char *mnemonic) {
  for (uint32_t pc = 0; pc < rig->program->count; pc++)
    if (strncmp(isa_op_name(rig->program->code[pc].op), mnemonic, strlen(mnemonic)) == 0)
      return pc;
  return UINT32_MAX;
}

static struct found run(size_t kernel, unsigned late, const char *settings) {
  char text[2048];
  ct_freed(rig_free) struct rig rig;
  struct found found = {0};
  snprintf(text, sizeof text, HEAD "%s", late, kernels[kernel].text);
  ct_note("kernel %zu, warp %u late, %s", kernel, late, settings);
  rig_run(&rig, settings, ITEMS, ITEMS, text);
  for (size_t i = 0; i < rig.result.hazard_count; i++) {
    const struct isa_hazard *hazard = &rig.result.hazards[i].first;
    EXPECT_EQ(hazard->rule, kernels[kernel].rule);
    found.at |= UINT64_C(1) << hazard->pc;
    found.item = kernels[kernel].lanes ? 0 : hazard->item;
  }
  const uint32_t pc = first_of(&rig, kernels[kernel].mnemonic);
  EXPECT_TRUE(pc < 64 && found.at >> pc & 1);
  EXPECT_TRUE(kernels[kernel].lanes || rig.result.hazard_count == 1);
  return found;
}

TEST(diverged, one_mistake_gives_one_rule_at_one_call_whichever_warp_arrives_first) {
  static const char *const machines[] = {"", "cu.meet=barriers", "cu.barrier_blocks=accesses", "dma.copy=lanes",
                                         "cu.schedulers=4 cu.meet=barriers dma.full=retry"};
  for (size_t kernel = 0; kernel < sizeof kernels / sizeof *kernels; kernel++) {
    const struct found usual = run(kernel, WARPS, "");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
      for (unsigned late = 0; late <= WARPS; late++) {
        const struct found found = run(kernel, late, machines[i]);
        EXPECT_EQ(found.at, usual.at);
        EXPECT_EQ(found.item, usual.item);
      }
  }
}

TEST(diverged, warps_that_do_not_meet_wait_for_each_other_and_not_for_an_event) {
  for (size_t kernel = 0; kernel < sizeof kernels / sizeof *kernels; kernel++) {
    char text[2048];
    ct_freed(rig_free) struct rig rig;
    snprintf(text, sizeof text, HEAD "%s", WARPS, kernels[kernel].text);
    ct_note("kernel %zu", kernel);
    rig_run(&rig, "", ITEMS, ITEMS, text);
    EXPECT_TRUE(rig.result.end == END_DEADLOCK || kernels[kernel].lanes || strstr(kernels[kernel].text, ", w\n bar") ||
                kernels[kernel].rule == HAZARD_G1);
    for (size_t w = 0; w < rig.result.stuck_count; w++)
      EXPECT_EQ(rig.result.stuck[w].event, 0);
  }
}

/* The message contains the last call's line and the first warp that is there. */
TEST(diverged, the_report_shows_where_the_other_warps_are) {
  ct_freed(rig_free) struct rig rig;
  rig_run(
      &rig, "", 96, 96,
      ".kernel k\n.reg w\n.pred c\n get.warp w\n setp.eq.u32 c, w, 2\n@!c bra over\n bar.lds\nover:\n bar\n exit\n");
  ASSERT_EQ(rig.result.hazard_count, 1);
  EXPECT_EQ(rig.result.hazards[0].first.item, 64);
  EXPECT_STREQ(rig.result.hazards[0].first.detail, "warp 2 is here, but others are at line 9");
}
