/* Where copies leave their bytes in the LDS (padding, swizzles, packs), and that copies out find them there. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

static const char *const layouts[] = {"",
                                      "dma.pad_interval=64 dma.pad=16",
                                      "dma.pad_interval=12 dma.pad=4",
                                      "dma.swizzle=32",
                                      "dma.swizzle=64",
                                      "dma.swizzle=128",
                                      "dma.swizzle=128 dma.pad_interval=128 dma.pad=16",
                                      "dma.misaligned=split dma.alignment=16 dma.pad_interval=40 dma.pad=8",
                                      "dma.dimensions=1 dma.decoupling=off dma.quota=2 dma.gather=16"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

/* Copies 64 words, every stride-th, and writes 128 words of the LDS to buffer 1. */
#define SHOW                                                                                                           \
  ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e, i, v\n.reg64 p, q\n ld.arg.b64 p, src\n"          \
  " ld.arg.b64 q, dst\n get.local_id i, x\n shl.b32 i, i, 2\n copy.to_lds.strided e, [t], [p], 64, %u, size=4\n"       \
  " wait e\n ld.lds.b32 v, [t + i]\n st.global.b32 [q + i], v\n exit\n"

TEST(places, a_copy_writes_its_bytes_where_dma_place_says) {
  for (unsigned layout = 0; layout < LAYOUTS; layout++)
    for (uint32_t stride = 1; stride <= 3; stride++) {
      char text[512];
      ct_freed(rig_free) struct rig rig;
      uint32_t expected[128] = {0};
      snprintf(text, sizeof text, SHOW, stride);
      ct_note("%s, stride %u", layouts[layout], stride);
      rig_run(&rig, layouts[layout], 128, 128, text);
      for (uint32_t i = 0; i < 64; i++)
        expected[dma_place(&rig.machine.dma, 0, 4 * i) / 4] = i * stride;
      for (uint32_t i = 0; i < 128; i++)
        EXPECT_EQ(rig_word(&rig, 1, i), expected[i]);
    }
}

TEST(places, a_copy_out_reads_what_a_copy_in_wrote) {
  for (unsigned layout = 0; layout < LAYOUTS; layout++)
    for (uint32_t size = 1; size <= 64; size *= 2) {
      char text[512];
      ct_freed(rig_free) struct rig rig;
      snprintf(text, sizeof text,
               ".kernel k\n.arg src global\n.arg dst global\n.lds t 8192\n.reg e\n.reg64 p, q\n ld.arg.b64 p, src\n"
               " ld.arg.b64 q, dst\n copy.to_lds.strided e, [t], [p], 50, 3, size=%u\n wait e\n mov.b32 e, 0\n"
               " copy.to_global.strided e, [q], [t], 50, 5, size=%u\n wait e\n exit\n",
               size, size);
      ct_note("%s, elements of %u bytes", layouts[layout], size);
      rig_run(&rig, layouts[layout], 64, 64, text);
      for (uint32_t i = 0; i < 50; i++)
        EXPECT_EQ(memcmp(rig.buffers[1].data + (size_t)5 * i * size, rig.buffers[0].data + (size_t)3 * i * size, size),
                  0);
      for (uint32_t i = 0; i < 49 * size; i++) /* and nothing between them */
        EXPECT_EQ(rig.buffers[1].data[i / size * 5 * size + size + i % size], 0);
    }
}

/* The kernel was not written for the padding: its copy ends beyond the LDS. */
TEST(places, bytes_that_padding_moves_beyond_the_lds_are_lost) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "lds.size=1024 dma.pad_interval=64 dma.pad=64", 64, 64,
          ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e\n.reg64 p, q\n ld.arg.b64 p, src\n"
          " ld.arg.b64 q, dst\n copy.to_lds e, [t], [p], 256, size=4\n wait e\n mov.b32 e, 0\n"
          " copy.to_global e, [q], [t], 128, size=4\n wait e\n exit\n");
  EXPECT_EQ(memcmp(rig.buffers[1].data, rig.buffers[0].data, 512), 0);
  EXPECT_EQ(rig.result.dma.bytes, 1024 + 512);
}
