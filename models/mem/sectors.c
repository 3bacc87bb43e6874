#include "models/mem/sectors.h"

#include <string.h>

/* ---- a warp's access ---------------------------------------------------------------------- */

static struct mem_line *find_line(struct mem_line *lines, uint32_t *count, uint64_t line) {
  /* Addresses of lanes mostly ascend, so the last line is the likely one. */
  for (uint32_t i = *count; i-- > 0;)
    if (lines[i].line == line)
      return &lines[i];
  lines[*count] = (struct mem_line){.line = line};
  return &lines[(*count)++];
}

/* Sectors of the run [address, address + bytes) in line `line`, as a mask. */
static uint32_t sectors_in(const struct mem_params *params, uint64_t address, uint64_t bytes, uint64_t line) {
  unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  uint64_t last = address + bytes - 1, in_line = params->line - 1;
  uint64_t from = line == address >> shift ? address & in_line : 0,
           to = line == last >> shift ? last & in_line : in_line;
  return sector_span(from >> sector, to >> sector);
}

/* The end of the bytes of a run of all lanes. */
static uint64_t end_of_run(const struct isa_access *access) {
  return access->address[access->warp->group->launch->warp_size - 1] + access->bytes;
}

/* The lanes' bytes are contiguous from each head to the next. */
static uint32_t merge_whole(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines) {
  const unsigned shift = (unsigned)__builtin_ctz(params->line);
  uint32_t count = 0;
  for (uint64_t heads = access->heads; heads; heads &= heads - 1) {
    const uint64_t others = heads & (heads - 1);
    const uint32_t end = others ? (uint32_t)__builtin_ctzll(others) : access->warp->group->launch->warp_size;
    const uint64_t first = access->address[__builtin_ctzll(heads)], last = access->address[end - 1] + access->bytes - 1;
    for (uint64_t line = first >> shift; line <= last >> shift; line++)
      find_line(lines, &count, line)->sectors |= sectors_in(params, first, last - first + 1, line);
  }
  return count;
}

bool mem_aligned(const struct isa_access *access) {
  uint64_t low_bits = 0;
  for (uint64_t lanes = access->whole ? 0 : access->mask; lanes; lanes &= lanes - 1)
    low_bits |= access->address[__builtin_ctzll(lanes)];
  return !(low_bits & (access->bytes - 1u));
}

/* Each lane's bytes are in one sector, and mostly in the line of the lane before. */
static uint32_t merge_aligned(const struct mem_params *params, const struct isa_access *access,
                              struct mem_line *lines) {
  const unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  const uint64_t in_line = params->line / params->sector - 1;
  struct mem_line *found = NULL;
  uint32_t count = 0;
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    const uint64_t address = access->address[__builtin_ctzll(lanes)];
    if (!found || found->line != address >> shift)
      found = find_line(lines, &count, address >> shift);
    found->sectors |= 1u << (address >> sector & in_line);
  }
  return count;
}

void mem_add_bytes(const struct mem_params *params, uint64_t address, uint32_t bytes, struct mem_line *lines,
                   uint32_t *count) {
  const unsigned shift = (unsigned)__builtin_ctz(params->line);
  for (uint64_t line = address >> shift; line <= (address + bytes - 1) >> shift; line++)
    find_line(lines, count, line)->sectors |= sectors_in(params, address, bytes, line);
}

uint32_t mem_sectors(const struct mem_line *lines, uint32_t count) {
  uint32_t sectors = 0;
  for (uint32_t i = 0; i < count; i++)
    sectors += sector_count(lines[i].sectors);
  return sectors;
}

static uint32_t merge_lanes(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines) {
  uint32_t count = 0;
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1)
    mem_add_bytes(params, access->address[__builtin_ctzll(lanes)], access->bytes, lines, &count);
  return count;
}

uint32_t mem_merge(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                   uint32_t *sectors) {
  enum { FEW = 8 }; /* with more parts than this, one lane at a time is faster */
  uint32_t count;
  if (access->whole && __builtin_popcountll(access->heads) <= FEW)
    count = merge_whole(params, access, lines);
  else if (access->bytes <= params->sector && mem_aligned(access))
    count = merge_aligned(params, access, lines);
  else
    count = merge_lanes(params, access, lines);
  *sectors = mem_sectors(lines, count);
  return count;
}

/* Bytes that lanes write in each line. Assumes that lanes write different bytes, as they mostly do. */
static void count_written(const struct mem_params *params, const struct isa_access *access,
                          const struct mem_line *lines, uint32_t count, uint32_t *written) {
  unsigned shift = (unsigned)__builtin_ctz(params->line);
  for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
    uint64_t at = access->address[__builtin_ctzll(lanes)], end = at + access->bytes;
    while (at < end) {
      uint64_t line_end = ((at >> shift) + 1) << shift, piece = cycle_min(end, line_end) - at;
      uint32_t i = count - 1;
      while (lines[i].line != at >> shift)
        i--;
      written[i] += (uint32_t)piece;
      at += piece;
    }
  }
}

static void count_run(const struct mem_params *params, const struct isa_access *access, const struct mem_line *lines,
                      uint32_t count, uint32_t *written) {
  const uint64_t first = access->address[0], end = end_of_run(access);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t line = lines[i].line * params->line;
    written[i] = (uint32_t)(cycle_min(end, line + params->line) - cycle_max(first, line));
  }
}

uint32_t mem_partial_lines(const struct mem_params *params, const struct isa_access *access,
                           const struct mem_line *lines, uint32_t count, uint32_t *sectors) {
  uint32_t written[MEM_ACCESS_LINES], partial = 0;
  memset(written, 0, count * sizeof *written);
  if (access->run)
    count_run(params, access, lines, count, written);
  else
    count_written(params, access, lines, count, written);
  *sectors = 0;
  for (uint32_t i = 0; i < count; i++)
    if (written[i] < sector_count(lines[i].sectors) * params->sector) {
      partial++;
      *sectors += sector_count(lines[i].sectors);
    }
  return partial;
}

void mem_count_updates(const struct mem_params *params, const struct isa_access *access, struct mem_line *lines,
                       uint32_t count) {
  unsigned shift = (unsigned)__builtin_ctz(params->line);
  /* Each word once: lanes with the same address are removed together. */
  for (uint64_t left = access->mask; left;) {
    uint64_t word = access->address[__builtin_ctzll(left)];
    uint8_t updates = 0;
    for (uint64_t lanes = left; lanes; lanes &= lanes - 1)
      if (access->address[__builtin_ctzll(lanes)] == word) {
        updates++;
        left &= ~(lanes & -lanes);
      }
    struct mem_line *line = find_line(lines, &count, word >> shift);
    if (line->updates < updates)
      line->updates = updates;
  }
}

/* ---- runs --------------------------------------------------------------------------------- */

uint32_t mem_gather(const struct mem_params *params, struct mem_cursor *cursor, struct mem_line *lines, uint32_t room) {
  unsigned shift = (unsigned)__builtin_ctz(params->line), sector = (unsigned)__builtin_ctz(params->sector);
  uint64_t in_line = params->line - 1;
  struct rect *left = &cursor->left;
  uint32_t count = 0;
  for (; left->lines; left->lines--, left->base += left->pitch, cursor->done = 0) {
    uint64_t from = left->base + cursor->done, last = left->base + left->bytes - 1;
    for (uint64_t line = from >> shift; line <= last >> shift; from = ++line << shift) {
      uint64_t to = line == last >> shift ? last & in_line : in_line;
      uint32_t sectors = sector_span((from & in_line) >> sector, to >> sector);
      if (count && lines[count - 1].line == line) {
        lines[count - 1].sectors |= sectors;
      } else if (count < room) {
        lines[count++] = (struct mem_line){.line = line, .sectors = sectors};
      } else {
        cursor->done = from - left->base;
        return count;
      }
    }
  }
  return count;
}

uint64_t mem_sector_bytes_of_runs(const struct mem_params *params, const struct rect *runs, uint64_t bytes) {
  /* All runs have the same offset in their sectors, and share none. */
  if (!(runs->pitch & (params->sector - 1)) && runs->pitch >= bytes && runs->pitch <= UINT32_MAX)
    return runs->lines * bytes;
  enum { AT_ONCE = 32 };
  struct mem_line lines[AT_ONCE];
  struct mem_cursor cursor = {.left = *runs};
  uint64_t sectors = 0;
  for (uint32_t count; (count = mem_gather(params, &cursor, lines, AT_ONCE));)
    for (uint32_t i = 0; i < count; i++)
      sectors += sector_count(lines[i].sectors);
  return sectors * params->sector;
}
