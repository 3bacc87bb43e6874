/* Lanes' accesses and runs of bytes, cut into lines and sectors: models/mem/sectors.h. */
#include "models/mem/sectors.h"

#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

/* Sectors of `lanes` accesses of `bytes`, lane i at `first + i * pitch`; *lines receives the number of lines. */
static uint32_t merged(uint32_t lanes, uint64_t first, uint64_t pitch, uint8_t bytes, uint32_t *lines) {
  static struct isa_access_lanes room; /* large */
  struct isa_access access = isa_access_with(&room);
  struct mem_line found[MEM_ACCESS_LINES];
  struct machine machine;
  uint32_t sectors;
  rig_machine(&machine, "");
  access.mask = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
  access.bytes = bytes;
  for (uint32_t lane = 0; lane < lanes; lane++)
    access.address[lane] = first + lane * pitch;
  *lines = mem_merge(&machine.mem, &access, found, &sectors);
  return sectors;
}

TEST(sectors, lanes_are_merged_into_sectors) {
  static const struct {
    const char *what;
    uint32_t lanes;
    uint64_t first, pitch;
    uint8_t bytes;
    uint32_t sectors, lines;
  } rows[] = {
      {"contiguous", 32, 4096, 4, 4, 4, 1},
      {"contiguous, from the middle of a sector", 32, 4096 + 16, 4, 4, 5, 2},
      {"contiguous, 64 lanes", 64, 4096, 4, 4, 8, 2},
      {"contiguous, 16 bytes a lane", 32, 4096, 16, 16, 16, 4},
      {"backwards", 32, 4096 + 31 * 4, (uint64_t)-4, 4, 4, 1},
      {"every other word", 32, 4096, 8, 4, 8, 2},
      {"a sector a lane", 32, 4096, 32, 4, 32, 8},
      {"a line a lane", 64, 4096, 128, 4, 64, 64},
      {"the same word", 64, 4100, 0, 4, 1, 1},
      {"a word over the end of a sector", 32, 4096 + 30, 0, 4, 2, 1},
      {"a word over the end of a line", 32, 4096 + 126, 0, 4, 2, 2},
      {"each over the end of a line", 64, 4096 + 126, 256, 4, 128, 128},
      {"one lane", 1, 4096, 0, 8, 1, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t lines, sectors = merged(rows[i].lanes, rows[i].first, rows[i].pitch, rows[i].bytes, &lines);
    ct_note("%s", rows[i].what);
    EXPECT_EQ(sectors, rows[i].sectors);
    EXPECT_EQ(lines, rows[i].lines);
  }
}

/* Lanes whose addresses are adjacent, and sometimes equal or random; some accesses have only adjacent lanes. */
static void draw_lanes(uint64_t *random, struct isa_access *access, uint32_t lanes) {
  const uint64_t jumps = ct_random(random) % 3, stays = ct_random(random) % 3;
  access->address[0] = ct_random(random) % 256 * access->bytes;
  access->heads = 1;
  access->run = true;
  for (uint32_t lane = 1; lane < lanes; lane++) {
    const uint64_t way = ct_random(random) % 8, before = access->address[lane - 1];
    const uint64_t to =
        way < jumps ? ct_random(random) % 512 * access->bytes : before + (way < jumps + stays ? 0 : access->bytes);
    access->address[lane] = to;
    access->run &= to == before + access->bytes;
    if (to != before && to != before + access->bytes)
      access->heads |= UINT64_C(1) << lane;
  }
}

/* If the lanes' arrangement is known, a faster path gives the same lines. */
TEST(sectors, a_whole_access_is_merged_like_its_lanes) {
  static const char *const settings[] = {"", "mem.line=256 mem.sector=16", "mem.line=32", "mem.line=64 mem.sector=64"};
  static struct isa_access_lanes room;
  struct isa_access access = isa_access_with(&room);
  static struct isa_launch launch;
  struct isa_group group = {.launch = &launch};
  struct isa_warp warp = {.group = &group};
  uint64_t random = 5;
  unsigned runs = 0;
  for (unsigned i = 0; i < 2000; i++) {
    struct mem_line lanes[MEM_ACCESS_LINES], whole[MEM_ACCESS_LINES];
    struct machine machine;
    uint32_t sectors[2], partial[2], part[2];
    rig_machine(&machine, settings[i % 4]);
    launch.warp_size = 16u << ct_random(&random) % 3;
    access.warp = &warp;
    access.bytes = (uint8_t)(1 << ct_random(&random) % 5);
    access.mask = UINT64_MAX >> (64 - launch.warp_size);
    draw_lanes(&random, &access, launch.warp_size);
    runs += access.run;
    const bool run = access.run;
    access.whole = access.run = false;
    ct_note("%s: %u lanes of %u bytes, heads %llx", settings[i % 4], launch.warp_size, access.bytes,
            (unsigned long long)access.heads);
    const uint32_t count = mem_merge(&machine.mem, &access, lanes, &sectors[0]);
    partial[0] = mem_partial_lines(&machine.mem, &access, lanes, count, &part[0]);
    access.whole = true;
    access.run = run;
    ASSERT_EQ(mem_merge(&machine.mem, &access, whole, &sectors[1]), count);
    partial[1] = mem_partial_lines(&machine.mem, &access, whole, count, &part[1]);
    EXPECT_EQ(memcmp(lanes, whole, count * sizeof *lanes), 0);
    EXPECT_EQ(sectors[1], sectors[0]);
    EXPECT_EQ(partial[1], partial[0]);
    EXPECT_EQ(part[1], part[0]);
  }
  EXPECT_TRUE(runs > 100);
}

/* Whether a byte is in one of the lines' sectors. */
static bool touched(const struct mem_params *params, const struct mem_line *lines, uint32_t count, uint64_t byte) {
  for (uint32_t i = 0; i < count; i++)
    if (lines[i].line == byte / params->line)
      return lines[i].sectors >> byte % params->line / params->sector & 1;
  return false;
}

/* Aligned lanes take a faster path than others. */
TEST(sectors, of_an_access_are_exactly_those_of_its_lanes_bytes) {
  static struct isa_access_lanes room;
  struct isa_access access = isa_access_with(&room);
  uint64_t random = 7;
  for (unsigned i = 0; i < 2000; i++) {
    struct mem_line lines[MEM_ACCESS_LINES];
    struct machine machine;
    bool wanted[1024] = {false};
    uint32_t sectors, all = 0;
    rig_machine(&machine, i % 2 ? "" : "mem.line=32 mem.sector=16");
    access.bytes = (uint8_t)(1 << ct_random(&random) % 5);
    access.mask = ct_random(&random);
    const uint64_t grain = i % 3 ? access.bytes : 1;
    for (uint64_t left = access.mask; left; left &= left - 1) {
      uint64_t *const address = &access.address[__builtin_ctzll(left)];
      *address = ct_random(&random) % 900 / grain * grain;
      for (uint64_t byte = *address; byte < *address + access.bytes; byte++)
        wanted[byte / machine.mem.sector] = true;
    }
    const uint32_t count = mem_merge(&machine.mem, &access, lines, &sectors);
    for (uint32_t sector = 0; sector < 1024 / machine.mem.sector; sector++) {
      all += wanted[sector];
      ASSERT_EQ(touched(&machine.mem, lines, count, (uint64_t)sector * machine.mem.sector), wanted[sector]);
    }
    ASSERT_EQ(sectors, all);
  }
}

TEST(sectors, updates_are_the_maximum_lanes_on_one_word_of_a_line) {
  static struct isa_access_lanes room;
  struct isa_access access = isa_access_with(&room);
  static const uint64_t addresses[] = {0, 4, 0, 0, 4, 128, 132, 136, 300, 300};
  struct mem_line lines[MEM_ACCESS_LINES];
  struct machine machine;
  uint32_t sectors;
  rig_machine(&machine, "");
  access.mask = 0x3ff;
  access.bytes = 4;
  memcpy(access.address, addresses, sizeof addresses);
  EXPECT_EQ(mem_merge(&machine.mem, &access, lines, &sectors), 3);
  mem_count_updates(&machine.mem, &access, lines, 3);
  EXPECT_EQ(lines[0].updates, 3);
  EXPECT_EQ(lines[1].updates, 1);
  EXPECT_EQ(lines[2].updates, 2);
}

/* Compares runs with a map of all sectors, byte by byte; `room` lines at a time. */
static void expect_runs(const struct mem_params *mem, struct rect runs, uint32_t room) {
  static uint8_t touched[1 << 16]; /* by sector */
  struct mem_line lines[MEM_ACCESS_LINES];
  struct mem_cursor cursor = {.left = runs};
  uint64_t want = 0, got = 0, last = 0;
  memset(touched, 0, sizeof touched);
  for (uint64_t i = 0; i < runs.lines * runs.bytes; i++) {
    uint64_t sector = (runs.base + i / runs.bytes * runs.pitch + i % runs.bytes) / mem->sector;
    want += !touched[sector];
    touched[sector] = 1;
  }
  while (cursor.left.lines) {
    uint32_t count = mem_gather(mem, &cursor, lines, room);
    EXPECT_TRUE(count > 0 && count <= room);
    for (uint32_t i = 0; i < count; last = lines[i++].line) {
      EXPECT_TRUE(!got || lines[i].line > last); /* each line once */
      for (uint64_t s = 0; s < mem->line / mem->sector; s++)
        if (lines[i].sectors >> s & 1) {
          EXPECT_EQ(touched[lines[i].line * (mem->line / mem->sector) + s], 1);
          got++;
        }
    }
  }
  EXPECT_EQ(got, want);
  EXPECT_EQ(mem_sector_bytes(mem, &runs), want * mem->sector);
}

TEST(sectors, ascending_runs_touch_each_of_their_sectors_once) {
  static const char *const settings[] = {"", "mem.line=256 mem.sector=16", "mem.line=32", "mem.line=64 mem.sector=64"};
  uint64_t random = 11;
  for (unsigned i = 0; i < 2000; i++) {
    struct machine machine;
    struct rect runs = {.lines = 1 + (uint32_t)(ct_random(&random) >> 33) % 40,
                        .bytes = 1 + (uint32_t)(ct_random(&random) >> 33) % (i % 2 ? 16 : 300)};
    runs.base = (ct_random(&random) >> 33) % 4096;
    runs.pitch = runs.bytes + (ct_random(&random) >> 33) % (i % 3 ? 64 : 600);
    if (i % 4 == 0)
      runs.pitch = (runs.pitch + 63) & ~UINT64_C(63);
    ct_note("%s: %u runs of %u bytes at %u, pitch %u", settings[i % 4], runs.lines, (unsigned)runs.bytes,
            (unsigned)runs.base, (unsigned)runs.pitch);
    rig_machine(&machine, settings[i % 4]);
    expect_runs(&machine.mem, runs, 1 + i % 7);
    expect_runs(&machine.mem, runs, MEM_ACCESS_LINES);
  }
}
