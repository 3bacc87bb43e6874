/* Waveforms: each change has its time, and a full disk is the stream's error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/vcd.h"
#include "tests/ct.h"

static const struct wave wave[] = {{"a.count", 4}, {"a.b.mask", 64}};

/* A counter is 1, 3, 0 in cycles 4, 5 and 1000, and a mask of 64 bits arrives in cycle 5. The caller frees the text. */
static char *play(void) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  struct vcd *vcd = vcd_new(stream, wave, 2, 500, "two waves");
  EXPECT_TRUE(vcd);
  vcd_add(vcd, 4, 0, 1);
  vcd_add(vcd, 5, 0, 7);
  vcd_set(vcd, 5, 1, UINT64_C(0x8000000000000001));
  vcd_add(vcd, 5, 0, (uint64_t)-5);
  vcd_add(vcd, 1000, 0, (uint64_t)-3);
  vcd_free(vcd);
  fclose(stream);
  return text;
}

TEST(waves, every_change_has_its_time) {
  ct_freed(ct_free) char *vcd = play();
  EXPECT_CONTAINS(vcd, "$comment\ntwo waves\n$end");
  EXPECT_CONTAINS(vcd, "$scope module a $end");
  EXPECT_CONTAINS(vcd, "\n#8000\nb1 aaaaa\n"); /* 500 MHz: cycle 4 is at 8 ns */
  EXPECT_CONTAINS(vcd,
                  "\n#10000\nb11 aaaaa\nb1000000000000000000000000000000000000000000000000000000000000001 aaaab\n");
  EXPECT_CONTAINS(vcd, "\n#2000000\nb0 aaaaa\n");
  EXPECT_TRUE(strstr(vcd, "$date") == NULL);
}

TEST(waves, a_wave_has_its_declared_width) {
  ct_freed(ct_free) char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  struct vcd *vcd = vcd_new(stream, wave, 2, 1000, NULL);
  vcd_set(vcd, 1, 0, 16 + 2); /* four of its bits belong to the wave */
  vcd_free(vcd);
  fclose(stream);
  EXPECT_CONTAINS(text, "$var wire 4 aaaaa count [3:0] $end");
  EXPECT_CONTAINS(text, "\n#1000\nb10 aaaaa\n#2000\n");
}

TEST(waves, a_cycle_without_changes_is_not_written) {
  ct_freed(ct_free) char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  struct vcd *vcd = vcd_new(stream, wave, 2, 1000, NULL);
  vcd_set(vcd, 7, 0, 5);
  vcd_set(vcd, 8, 0, 6);
  vcd_set(vcd, 8, 0, 5);
  vcd_free(vcd);
  fclose(stream);
  EXPECT_CONTAINS(text, "\n#7000\nb101 aaaaa\n#9000\n");
}

TEST(waves, a_full_disk_sets_the_streams_error) {
  FILE *stream = fopen("/dev/full", "w");
  struct vcd *vcd = vcd_new(stream, wave, 2, 500, NULL);
  vcd_free(vcd);
  EXPECT_NE(fclose(stream), 0);
}
