/* Copies of lines and planes, in and out, for all element sizes, pitches and bounds. Whether an engine or warps carry
 * them out, memory must equal the result of a loop over the elements. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

enum { LDS = 4096, FILL = 200000, GUARD = 0xEE };

struct form {
  uint32_t size, elements, lines, planes, global_line, lds_line, global_plane, lds_plane;
  uint32_t lds;
  int64_t from, to; /* offsets in the buffers of the copy in and the copy out */
};

static const char *const modes[] = {
    "",
    "dma.engines=2 dma.dimensions=1 dma.granularity=32 dma.channels=2 dma.queue=1 dma.full=retry",
    "dma.dimensions=2 dma.outstanding=3 dma.decoupling=off dma.alignment=16 dma.misaligned=split",
    "dma.copy=lanes",
    "dma.copy=lanes cu.warp_size=64 dma.lane_bytes=4 cu.accesses=3",
    "dma.copy=blocking",
    "dma.copy=blocking dma.lane_bytes=8 cu.accesses=2 lds.queue=1",
};
enum { MODES = sizeof modes / sizeof *modes };

static const char *const policies[] = {"error", "zero", "skip"};

/* ---- the kernel: fills the LDS, copies in, shows the LDS, copies out -------------------------------- */

static void write_kernel(char *text, size_t room, const struct form *form, bool planes) {
  char deep[96] = "";
  if (planes)
    snprintf(deep, sizeof deep, ", planes=k, global_plane=gp, lds_plane=lp");
  snprintf(text, room,
           ".kernel k\n.arg src global\n.arg all global\n.arg out global\n.lds t 4096\n"
           ".reg e, n, s, l, k, gl, ll, gp, lp, at\n.reg64 p, q, r, o\n"
           " ld.arg.b64 p, src\n ld.arg.b64 q, all\n ld.arg.b64 r, out\n mov.b64 o, %u\n add.i64 o, p, o\n"
           " copy.to_lds e, [t], [o], 4096, size=1\n wait e\n"
           " mov.b32 s, %u\n mov.b32 n, %u\n mov.b32 l, %u\n mov.b32 k, %u\n mov.b32 gl, %u\n mov.b32 ll, %u\n"
           " mov.b32 gp, %u\n mov.b32 lp, %u\n mov.b32 at, %u\n mov.b64 o, %lld\n add.i64 p, p, o\n"
           " mov.b64 o, %lld\n add.i64 r, r, o\n mov.b32 e, 0\n"
           " copy.to_lds.%s e, [at], [p], n, size=s, lines=l, global_line=gl, lds_line=ll%s\n wait e\n"
           " mov.b32 e, 0\n copy.to_global e, [q], [t], 4096, size=1\n wait e\n mov.b32 e, 0\n"
           " copy.to_global.%s e, [r], [at], n, size=s, lines=l, global_line=gl, lds_line=ll%s\n wait e\n exit\n",
           FILL, form->size, form->elements, form->lines, form->planes, form->global_line, form->lds_line,
           form->global_plane, form->lds_plane, form->lds, (long long)form->from, (long long)form->to,
           planes ? "3d" : "2d", deep, planes ? "3d" : "2d", deep);
}

/* ---- the expected result ---------------------------------------------------------------------------- */

/* Copies element by element and counts the missing elements on the global side and in the LDS. */
static void move(const struct form *form, uint8_t *lds, uint8_t *global, int64_t at, bool in, bool zero,
                 unsigned *global_missing, unsigned *lds_missing) {
  for (int64_t plane = 0; plane < form->planes; plane++)
    for (int64_t line = 0; line < form->lines; line++)
      for (int64_t i = 0; i < form->elements; i++) {
        int64_t size = form->size, there = at + (plane * form->global_plane + line * form->global_line + i) * size;
        int64_t here = form->lds + (plane * form->lds_plane + line * form->lds_line + i) * size;
        bool outside = there < 0 || there + size > RIG_BUFFER;
        *global_missing += outside;
        *lds_missing += here + size > LDS;
        if (here + size > LDS)
          continue;
        if (outside && in && zero)
          memset(lds + here, 0, form->size);
        else if (!outside)
          memcpy(in ? lds + here : global + there, in ? global + there : lds + here, form->size);
      }
}

static void try_once(const struct form *form, bool planes, const char *mode, const char *policy, bool functional) {
  static uint8_t lds[LDS], out[RIG_BUFFER];
  char kernel[2048], settings[256];
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .functional = functional};
  unsigned global_missing = 0, lds_missing = 0;
  bool error = strcmp(policy, "error") == 0, zero = strcmp(policy, "zero") == 0;
  write_kernel(kernel, sizeof kernel, form, planes);
  snprintf(settings, sizeof settings, "%s dma.out_of_bounds=%s", mode, policy);
  ct_note("%s: %ux%ux%u of %u, lines %u and %u, planes %u and %u apart, from %lld to %u, out to %lld", settings,
          form->elements, form->lines, form->planes, form->size, form->global_line, form->lds_line, form->global_plane,
          form->lds_plane, (long long)form->from, form->lds, (long long)form->to);
  ASSERT_TRUE(rig_build(&rig, settings, 96, 96, kernel));
  memset(rig.buffers[2].data, GUARD, RIG_BUFFER);
  rig_start(&rig);
  memcpy(lds, rig.buffers[0].data + FILL, LDS);
  memset(out, GUARD, sizeof out);
  move(form, lds, rig.buffers[0].data, form->from, true, zero, &global_missing, &lds_missing);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(memcmp(rig.buffers[1].data, lds, LDS), 0);
  move(form, lds, out, form->to, false, zero, &global_missing, &lds_missing);
  EXPECT_EQ(memcmp(rig.buffers[2].data, out, sizeof out), 0);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_X2) > 0, lds_missing || (error && global_missing));
  EXPECT_EQ(rig.result.hazard_count, rig_hazards(&rig, HAZARD_X2));
}

static void try_form(const struct form *form, bool planes, const char *mode, const char *policy) {
  try_once(form, planes, mode, policy, false);
  try_once(form, planes, mode, policy, true);
}

static uint32_t draw(uint64_t *random, uint32_t bound) { return (uint32_t)(ct_random(random) >> 33) % bound; }

/* A form whose lines and planes do not overlap. Pitches are odd about half the time. */
static struct form random_form(uint64_t *random, bool planes) {
  static const uint32_t sizes[] = {1, 2, 3, 4, 8, 16};
  struct form form = {.size = sizes[draw(random, 6)], .elements = 1 + draw(random, 13), .lines = 1 + draw(random, 6)};
  form.planes = planes ? 1 + draw(random, 4) : 1;
  form.global_line = form.elements + draw(random, 9);
  form.lds_line = form.elements + draw(random, 4);
  form.global_plane = form.lines * form.global_line + draw(random, 30);
  form.lds_plane = form.lines * form.lds_line + draw(random, 3);
  form.lds = draw(random, 3);
  form.lds *= draw(random, 60);
  form.from = draw(random, 3000);
  form.to = draw(random, 3000);
  return form;
}

static uint32_t reach(const struct form *form) {
  return ((form->planes - 1) * form->global_plane + (form->lines - 1) * form->global_line + form->elements) *
         form->size;
}

TEST(copy_form, lines_and_planes_move_the_same_bytes_in_every_mode) {
  uint64_t random = 11;
  for (unsigned i = 0; i < 40; i++) {
    bool planes = i % 2;
    struct form form = random_form(&random, planes);
    for (size_t m = 0; m < MODES; m++)
      try_form(&form, planes, modes[m], "error");
  }
}

TEST(copy_form, at_the_ends_of_buffers_and_the_lds_exactly_the_existing_bytes_move) {
  uint64_t random = 12;
  for (unsigned i = 0; i < 36; i++) {
    bool planes = i % 2;
    struct form form = random_form(&random, planes);
    const char *policy = policies[i / 2 % 3];
    form.from = RIG_BUFFER - 1 - draw(&random, reach(&form)); /* starts inside */
    form.to = RIG_BUFFER - 1 - draw(&random, reach(&form));
    if (i % 5 == 0)
      form.lds = LDS - 1 - draw(&random, 200);
    for (size_t m = 0; m < MODES; m++)
      try_form(&form, planes, modes[m], policy);
  }
}

TEST(copy_form, a_tile_border_outside_the_buffer_is_zero_or_unchanged) {
  /* buffer 0 is the first buffer: nothing lies before it */
  struct form form = {.size = 4, .elements = 6, .lines = 4, .planes = 1, .global_line = 20, .lds_line = 7};
  form.from = -(int64_t)(20 + 2) * 4;
  form.to = 400;
  for (size_t m = 0; m < MODES; m++)
    for (unsigned policy = 1; policy < 3; policy++)
      try_form(&form, false, modes[m], policies[policy]);
}

TEST(copy_form, of_an_empty_copy_is_empty_in_every_mode) {
  const struct form whole = {.size = 4,
                             .elements = 5,
                             .lines = 3,
                             .planes = 2,
                             .global_line = 5,
                             .lds_line = 5,
                             .global_plane = 15,
                             .lds_plane = 15};
  for (size_t m = 0; m < MODES; m++)
    for (unsigned zero = 0; zero < 4; zero++) {
      struct form form = whole;
      *(uint32_t *[]){&form.size, &form.elements, &form.lines, &form.planes}[zero] = 0;
      try_form(&form, true, modes[m], "error");
    }
}
