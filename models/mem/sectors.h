/* Sectors: what lanes and DMA engines touch, cut into lines and the sectors of each.
 *
 *     line 128, sector 32        line 0                line 1
 *     lane 0: 4 bytes at 12      [x] [ ] [ ] [ ]                            {0, 0001}
 *     lane 1: 8 bytes at 124     [x] [ ] [ ] [x]       [x] [ ] [ ] [ ]      {0, 1001} {1, 0001}
 *
 * A warp's access is merged over all of its lanes; runs of a DMA request with the run before, so a sector that
 * two neighbouring runs share moves once. Runs that come back to a line after others have touched another one
 * (a pitch that is not ascending) count it again.
 *
 * Invariant: every byte of an access lies in a sector of one of its lines, and no line has a sector without one. */
#ifndef MODELS_MEM_SECTORS_H
#define MODELS_MEM_SECTORS_H

#include "isa/image.h"
#include "isa/isa.h"
#include "models/mem/params.h"
#include "sim/core/time.h"

/* Sectors of one line that a message touches. */
struct mem_line {
  uint64_t line;    /* address / mem.line */
  uint32_t sectors; /* bit i: sector i of the line; at most 16 */
  uint16_t fills;   /* of a load: sectors that it brings to the L1, */
  uint8_t way;      /* and in which way of their set */
  uint8_t updates;  /* of an atomic access: the most lanes on one word. Else 0 */
};

/* Runs of bytes, at least one, the start of each `pitch` after the one before. */
struct mem_runs {
  uint64_t address, pitch;
  uint32_t bytes; /* of a run, at least one */
  uint32_t count;
};

/* How far mem_gather() has come. */
struct mem_cursor {
  struct mem_runs left;
  uint32_t done; /* bytes of the first run left that it has taken */
};

/* Sectors [first, last] of a line as a mask. */
static inline uint32_t sector_span(uint64_t first, uint64_t last) { return (2u << last) - (1u << first); }

/* How many sectors of a line a mask holds. */
static inline uint32_t sector_count(uint32_t sectors) {
  /* Without a popcnt instruction the builtin is a call. */
  sectors -= sectors >> 1 & 0x5555;
  sectors = (sectors & 0x3333) + (sectors >> 2 & 0x3333);
  sectors = (sectors + (sectors >> 4)) & 0x0f0f;
  return (sectors + (sectors >> 8)) & 0x1f;
}

/* A number that says nothing of the stripe or row that it belongs to (the last steps of MurmurHash3). */
static inline uint32_t mem_hash(uint64_t number) {
  uint32_t hash = (uint32_t)(number ^ number >> 32);
  hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
  hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
  return hash ^ hash >> 16;
}

/* Each lane's bytes begin at a multiple of their number, so that they lie in one line. */
bool mem_aligned(const struct isa_access *access);

/* The lines and sectors of a warp's access, merged over its lanes: writes at most
 * MEM_ACCESS_LINES lines and returns how many; *sectors counts them. */
enum { MEM_ACCESS_LINES = 2 * ISA_LANES };
uint32_t mem_merge(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                   uint32_t *sectors);

/* Adds to `lines` those of bytes that may lie anywhere; and the sectors of all. A read of an image has at most
 * MEM_TEXEL_LINES. */
enum { MEM_TEXEL_LINES = ISA_IMAGE_TEXELS * ISA_LANES };
void mem_add_bytes(const struct mem_params *params, uint64_t address, uint32_t bytes, struct mem_line *lines,
                   uint32_t *count);
uint32_t mem_sectors(const struct mem_line *lines, uint32_t count);

/* How many of an access's lines have a sector of which it wants a part only; *sectors counts the sectors of these. */
uint32_t mem_partial_lines(const struct mem_params *params, const struct isa_access *access,
                           const struct mem_line *lines, uint32_t count, uint32_t *sectors);

/* Fills in mem_line.updates of an atomic access. */
void mem_count_updates(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                       uint32_t count);

/* A single run within a single line, as most are: true, with the line. */
static inline bool mem_one_line(const struct mem_params *params, const struct mem_runs *runs, struct mem_line *line) {
  unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  uint64_t last = runs->address + runs->bytes - 1, in_line = params->line - 1;
  if (runs->count != 1 || runs->address >> shift != last >> shift)
    return false;
  *line = (struct mem_line){
      .line = last >> shift,
      .sectors = sector_span((runs->address & in_line) >> sector, (last & in_line) >> sector),
  };
  return true;
}

/* Takes lines off what is left until nothing is or the next one would be number room + 1, and returns how many. */
uint32_t mem_gather(const struct mem_params *params, struct mem_cursor *cursor, struct mem_line *lines, uint32_t room);

/* Bytes of all sectors of several runs. */
uint64_t mem_reach_runs(const struct mem_params *params, const struct mem_runs *runs, uint64_t reach);

/* The same of however many. */
static inline uint64_t mem_reach(const struct mem_params *params, const struct mem_runs *runs) {
  uint64_t in_sector = params->sector - 1;
  uint64_t reach = ((runs->address + runs->bytes + in_sector) & ~in_sector) - (runs->address & ~in_sector);
  return runs->count == 1 ? reach : mem_reach_runs(params, runs, reach);
}

#endif
