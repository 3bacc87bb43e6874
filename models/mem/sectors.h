/* Sectors: the accesses of lanes and DMA engines, divided into lines and the sectors of each.
 *
 *     line 128, sector 32        line 0                line 1
 *     lane 0: 4 bytes at 12      [x] [ ] [ ] [ ]                            {0, 0001}
 *     lane 1: 8 bytes at 124     [x] [ ] [ ] [x]       [x] [ ] [ ] [ ]      {0, 1001} {1, 0001}
 *
 * A warp's access is merged over all of its lanes. A run of a DMA request is merged with the run before it, so a sector
 * that two adjacent runs share moves once. Runs that return to a line after another one (a pitch that is not ascending)
 * count it again.
 *
 * Invariant: every byte of an access is in a sector of one of its lines, and every sector of a line holds such a
 * byte. */
#ifndef MODELS_MEM_SECTORS_H
#define MODELS_MEM_SECTORS_H

#include "isa/image.h"
#include "isa/isa.h"
#include "models/mem/params.h"
#include "sim/core/rect.h"
#include "sim/core/time.h"

/* A line of a message, with the sectors that it touches. */
struct mem_line {
  uint64_t line;    /* address / mem.line */
  uint32_t sectors; /* bit i: sector i of the line; at most 16 */
  uint16_t fills;   /* of a load: sectors that it brings to the L1, */
  uint8_t way;      /* and their way in the set */
  uint8_t updates;  /* of an atomic access: the most lanes on one word; otherwise 0 */
};

/* Progress of mem_gather() through the lines of a rectangle of one plane, the runs. */
struct mem_cursor {
  struct rect left;
  uint64_t done; /* bytes of the first remaining run that are done */
};

/* Sectors [first, last] of a line, as a mask. */
static inline uint32_t sector_span(uint64_t first, uint64_t last) { return (2u << last) - (1u << first); }

/* Number of sectors in a mask. */
static inline uint32_t sector_count(uint32_t sectors) {
  /* The builtin would be a function call on hosts without popcnt. */
  sectors -= sectors >> 1 & 0x5555;
  sectors = (sectors & 0x3333) + (sectors >> 2 & 0x3333);
  sectors = (sectors + (sectors >> 4)) & 0x0f0f;
  return (sectors + (sectors >> 8)) & 0x1f;
}

/* A hash in which the structure of stripes and rows disappears (the last steps of MurmurHash3). */
static inline uint32_t mem_hash(uint64_t number) {
  uint32_t hash = (uint32_t)(number ^ number >> 32);
  hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
  hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
  return hash ^ hash >> 16;
}

/* Whether each lane's bytes start at a multiple of their number, and so are in one line. */
bool mem_aligned(const struct isa_access *access);

/* Finds the lines and sectors of a warp's access, merged over its lanes: at most MEM_ACCESS_LINES lines. Returns their
 * number; *sectors is the number of sectors. */
enum { MEM_ACCESS_LINES = 2 * ISA_LANES };
uint32_t mem_merge(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                   uint32_t *sectors);

/* Adds bytes at any address to `lines`. An image read has at most MEM_TEXEL_LINES. */
enum { MEM_TEXEL_LINES = ISA_IMAGE_TEXELS * ISA_LANES };
void mem_add_bytes(const struct mem_params *params, uint64_t address, uint32_t bytes, struct mem_line *lines,
                   uint32_t *count);
uint32_t mem_sectors(const struct mem_line *lines, uint32_t count);

/* The number of lines in which an access covers a sector only in part; *sectors counts all sectors of these lines. */
uint32_t mem_partial_lines(const struct mem_params *params, const struct isa_access *access,
                           const struct mem_line *lines, uint32_t count, uint32_t *sectors);

/* Sets mem_line.updates of an atomic access. */
void mem_count_updates(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                       uint32_t count);

/* The common case, a single run within a single line: returns true, and the line. */
static inline bool mem_one_line(const struct mem_params *params, const struct rect *runs, struct mem_line *line) {
  unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  uint64_t last = runs->base + runs->bytes - 1, in_line = params->line - 1;
  if (runs->lines != 1 || runs->base >> shift != last >> shift)
    return false;
  *line = (struct mem_line){
      .line = last >> shift,
      .sectors = sector_span((runs->base & in_line) >> sector, (last & in_line) >> sector),
  };
  return true;
}

/* Moves up to `room` lines from the runs left to `lines`; returns their number. */
uint32_t mem_gather(const struct mem_params *params, struct mem_cursor *cursor, struct mem_line *lines, uint32_t room);

/* Bytes of all sectors of several runs. */
uint64_t mem_sector_bytes_of_runs(const struct mem_params *params, const struct rect *runs, uint64_t bytes);

/* The same for any number of runs. */
static inline uint64_t mem_sector_bytes(const struct mem_params *params, const struct rect *runs) {
  uint64_t in_sector = params->sector - 1;
  uint64_t bytes = ((runs->base + runs->bytes + in_sector) & ~in_sector) - (runs->base & ~in_sector);
  return runs->lines == 1 ? bytes : mem_sector_bytes_of_runs(params, runs, bytes);
}

#endif
