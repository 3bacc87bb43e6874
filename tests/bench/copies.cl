/* Copies eight KiB into the LDS repeatedly, in pieces of all sizes, and does nothing else: this measures how fast a
 * simulator moves bytes. */
#define BYTES 8192

#define BODY(TYPE, COPY)                                                                                               \
  local TYPE tile[BYTES / sizeof(TYPE) * 2];                                                                           \
  for (uint loop = 0; loop < loops; loop++) {                                                                          \
    event_t event = COPY;                                                                                              \
    wait_group_events(1, &event);                                                                                      \
  }                                                                                                                    \
  out[get_global_id(0)] = tile[get_local_id(0)];

#define COPIES(NAME, TYPE, COPY)                                                                                       \
  kernel __attribute__((reqd_work_group_size(32, 1, 1))) void NAME(global const TYPE *in, global TYPE *out, uint loops) { \
    BODY(TYPE, COPY)                                                                                                   \
  }

COPIES(contiguous, uint, async_work_group_copy(tile, in, BYTES / 4, 0))
COPIES(words, uint, async_work_group_strided_copy(tile, in, BYTES / 4, 8, 0))
COPIES(bytes, uchar, async_work_group_strided_copy(tile, in, BYTES, 16, 0))
/* Lines of 16 bytes, 64 bytes apart in global memory and separated by one word in the LDS. */
COPIES(lines, uint, async_work_group_copy_2D2D(tile, 0, in, 0, 4, 4, BYTES / 16, 16, 5, 0))
/* Lines of one byte each. */
COPIES(byte_lines, uchar, async_work_group_copy_2D2D(tile, 0, in, 0, 1, 1, BYTES, 16, 2, 0))
