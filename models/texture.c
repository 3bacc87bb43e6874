#include "models/texture.h"

#include "isa/image.h"
#include "models/emit.h"
#include "sim/base/need.h"

enum {
  QUAD = 4,
  TEXEL_BYTES = 16, /* maximum */
  WORDS = QUAD * ISA_IMAGE_TEXELS * TEXEL_BYTES,
};

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* texel_width bytes of a line that lanes of a quad want. */
struct word {
  uint64_t number; /* index in the image */
  uint64_t line;
  uint32_t tag_bank, bank;
  uint32_t share; /* words of different shares never pass together */
};

/* How the texels of a read pass. */
struct manner {
  uint64_t words; /* per texel */
  unsigned lanes; /* lanes that pass together */
  uint64_t least; /* least turns for these lanes */
  bool by_pieces; /* words of a texel, and slices, pass separately */
};

static struct manner manner_of(const struct texture_params *params, const struct isa_access *access, unsigned texels) {
  const uint64_t words = div_up(access->bytes, params->texel_width), of_lane = texels * words;
  if (texels <= 1)
    return (struct manner){.words = words, .lanes = QUAD, .least = words};
  return (struct manner){.words = words,
                         .lanes = (unsigned)most(1, least(QUAD, params->filter_words / of_lane)),
                         .least = div_up(of_lane, params->filter_words),
                         .by_pieces = words > 1};
}

/* Which bits of the address choose the banks follows from timing on an H200. Why wide texels use other bits is not
 * known. */
static struct word word_at(const struct texture_params *params, const struct mem_params *mem,
                           const struct isa_image *image, const struct manner *manner, uint64_t number) {
  const uint64_t offset = number * params->texel_width, line = offset / mem->line, column = line >> 1;
  const uint64_t quarter = mem->line / params->texel_width / 4;
  uint64_t tag = line, bank = number ^ (line & 1) * quarter, odd_slice = 0;
  if (manner->words > 1) {
    tag = column ^ (line & 1) << 1;
    bank ^= (column & 1) * (quarter + 1);
  }
  if (image->kind == ISA_IMAGE_3D) {
    odd_slice = offset / image->slice_pitch & 1;
    tag ^= odd_slice * 3;
    bank ^= odd_slice * 2 * quarter;
  } else if (manner->words == 1) {
    const uint64_t row = offset % image->slice_pitch / (image->row_pitch * ISA_IMAGE_BLOCK_ROWS);
    tag ^= (row & 1) << 1;
  }
  return (struct word){
      .number = number,
      .line = line,
      .tag_bank = (uint32_t)(tag % params->tag_banks),
      .bank = (uint32_t)(bank % params->banks),
      .share = manner->by_pieces ? (uint32_t)(number % manner->words * 2 + odd_slice) : 0,
  };
}

static unsigned add_word(struct word *words, unsigned count, struct word word) {
  for (unsigned i = 0; i < count; i++)
    if (words[i].number == word.number)
      return count;
  words[count] = word;
  return count + 1;
}

/* Passes a group: the words of one line from each tag bank, in the given order, which take as many turns as the busiest
 * bank has words. Moves the words that are left to the front; returns their number, and the turns. */
static unsigned pass_group(struct word *words, unsigned count, uint64_t *turns) {
  const uint32_t share = words[0].share;
  unsigned left = 0, taken = 0;
  struct word take[WORDS];
  *turns = 0;
  for (unsigned i = 0; i < count; i++) {
    const struct word word = words[i];
    uint64_t queue = 1;
    bool is_taken = word.share == share;
    for (unsigned j = 0; j < taken && is_taken; j++) {
      is_taken = take[j].tag_bank != word.tag_bank || take[j].line == word.line;
      queue += take[j].bank == word.bank;
    }
    if (is_taken) {
      take[taken++] = word;
      *turns = most(*turns, queue);
    } else {
      words[left++] = word;
    }
  }
  return left;
}

/* Totals of the quads of a read. */
struct tally {
  uint64_t quads, texels, turns, busy;
  struct mem_line *lines;
  uint32_t count; /* lines */
};

/* Time of a group, in units of TEXTURE_TURN per turn. */
static uint64_t busy_of(const struct texture_params *params, uint64_t turns) {
  return most(turns * TEXTURE_TURN, params->group_turns);
}

static void pass_words(const struct texture_params *params, struct word *words, unsigned count, uint64_t least_turns,
                       struct tally *tally) {
  uint64_t turns = 0, busy = 0;
  while (count) {
    uint64_t of_group;
    count = pass_group(words, count, &of_group);
    turns += of_group;
    busy += busy_of(params, of_group);
  }
  tally->turns += most(turns, least_turns);
  tally->busy += most(busy, busy_of(params, least_turns));
}

static unsigned add_texels(const struct texture_params *params, const struct mem_params *mem,
                           const struct isa_access *access, const struct manner *manner,
                           const struct isa_samples *samples, struct word *words, unsigned count) {
  for (unsigned i = 0; i < samples->count; i++) {
    if (samples->border[i])
      continue;
    const uint64_t offset = samples->address[i] - access->image->base;
    const uint64_t last = (offset + access->bytes - 1) / params->texel_width;
    for (uint64_t number = offset / params->texel_width; number <= last; number++)
      count = add_word(words, count, word_at(params, mem, access->image, manner, number));
  }
  return count;
}

/* Finds the samples of a quad's lanes (none for an inactive lane) and adds their lines. Returns the samples per
 * lane. */
static unsigned find_samples(const struct mem_params *mem, const struct isa_access *access, uint32_t first,
                             struct isa_samples samples[QUAD], struct tally *tally) {
  unsigned of_lane = 0;
  for (uint32_t i = 0; i < QUAD; i++) {
    samples[i].count = 0;
    if (!(access->mask >> (first + i) & 1))
      continue;
    isa_access_samples(access, first + i, &samples[i]);
    of_lane = samples[i].count;
    tally->texels += of_lane;
    for (unsigned j = 0; j < of_lane; j++)
      if (!samples[i].border[j])
        mem_add_bytes(mem, samples[i].address[j], access->bytes, tally->lines, &tally->count);
  }
  return of_lane;
}

static void add_quad(const struct texture_params *params, const struct mem_params *mem, const struct isa_access *access,
                     uint32_t first, struct tally *tally) {
  static const unsigned order[QUAD] = {0, 2, 1, 3}; /* order of lanes that pass together, from timing on an H200 */
  struct isa_samples samples[QUAD];
  struct word words[WORDS];
  const unsigned texels = find_samples(mem, access, first, samples, tally);
  const struct manner manner = manner_of(params, access, texels);
  for (unsigned from = 0; from < QUAD; from += manner.lanes) {
    unsigned count = 0;
    bool wanted = false;
    for (unsigned i = from; i < QUAD && i < from + manner.lanes; i++) {
      const struct isa_samples *of_lane = &samples[manner.lanes == QUAD ? order[i] : i];
      wanted |= of_lane->count > 0;
      count = add_texels(params, mem, access, &manner, of_lane, words, count);
    }
    if (wanted)
      pass_words(params, words, count, manner.least, tally);
  }
  tally->quads++;
}

static void add_quads(const struct texture_params *params, const struct mem_params *mem,
                      const struct isa_access *access, struct tally *tally) {
  const uint32_t lanes = access->warp->group->launch->warp_size;
  for (uint32_t first = 0; first < lanes; first += QUAD)
    if (access->mask >> first & 0xf)
      add_quad(params, mem, access, first, tally);
}

/* A read may have far more lines than a load, so it uses other memory for them while it is in flight. */
static void take_room(const struct cu *cu, struct cu_access *access) {
  if (!access->texels)
    access->texels = need((size_t)ISA_IMAGE_TEXELS * cu->params->warp_size, sizeof *access->texels);
  access->room = access->lines;
  access->lines = access->texels;
}

static void wait_for_reply(struct cu *cu, uint32_t index, const struct isa_info *info, uint64_t moved, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  if (cu->emitter)
    emit_global_access(cu, warp->kernel, index, (enum emit_global)MEM_LOAD, moved, now);
  warp->global_in_flight++;
  cu_set_results(warp, info, NEVER, CU_NO_UNIT, STALL_TEXTURE);
}

/* The read hits in the cache. */
static void hit(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t ready, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  commit_cached(cu->source, &access->isa, &access->cache->cache);
  texture_end(access);
  cu_set_results(cu_warp(cu, access->warp), info, ready, CU_NO_UNIT, STALL_TEXTURE);
  if (cu->emitter)
    emit_l1_hit(cu, index, ready, now);
  cu_free_access(&cu->lsu.global_pool, index);
}

/* Images of one dimension have a lower latency. */
static cycle_t latency_of(const struct cu *cu, const struct isa_access *access, uint32_t latency) {
  const struct texture_params *params = cu->texture;
  if (!isa_image_is_flat(access->image->kind) || params->flat_latency >= params->latency)
    return latency;
  const uint32_t less = params->latency - params->flat_latency;
  return latency > less ? latency - less : 0;
}

/* Requests missing texels from the L2, unless they are on their way for others. */
static void miss(struct cu *cu, uint32_t index, const struct isa_info *info, uint32_t sectors, cycle_t passed,
                 cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_stats *stats = &cu_warp(cu, access->warp)->kernel->stats;
  struct mem_message message = {
      .kind = MEM_LOAD, .tag = index, .lines = access->lines, .count = access->all, .access = &access->isa};
  if (access->cache->sets) {
    message.count = access->fills = l1_miss(access->cache, access->lines, access->all, &access->joined);
    message.fills = access->fills ? access->cache : NULL;
  }
  uint32_t missing = 0;
  for (uint32_t i = 0; i < message.count; i++)
    missing += sector_count(access->lines[i].sectors);
  stats->texture_hits += sectors - missing;
  stats->texture_misses += missing;
  message.moved = (uint64_t)missing * cu->mem->sector;
  message.passes = cu_passes(cu, MEM_LOAD, message.count);
  wait_for_reply(cu, index, info, message.moved, now);
  if (message.count)
    cu_send_memory(cu, &message, passed - 1, now);
  else
    l1_wait(access->cache, access->lines, access->joined, index);
}

void texture_issue(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_kernel *kernel = cu_warp(cu, access->warp)->kernel;
  take_room(cu, access);
  struct tally tally = {.lines = access->lines};
  add_quads(cu->texture, cu->mem, &access->isa, &tally);
  const uint32_t sectors = mem_sectors(tally.lines, tally.count);
  const cycle_t passed = rate_take(&cu->lsu.texture, now, tally.busy);
  access->cache = cu->texture->cache_size ? &cu->lsu.texels : &cu->lsu.l1;
  access->all = tally.count;
  access->moved = (uint64_t)sectors * cu->mem->sector;
  access->fills = access->joined = access->stored = 0;
  access->prefetch = false;
  kernel->stats.texture_quads += tally.quads;
  kernel->stats.texture_texels += tally.texels;
  kernel->stats.texture_turns += tally.turns;
  kernel->stats.texture_busy += tally.busy;
  kernel->by_pc[access->isa.pc].sectors += sectors;
  const bool borders = !access->all;
  if (borders || (access->cache->sets && l1_hit(access->cache, access->lines, access->all))) {
    kernel->stats.texture_hits += sectors;
    hit(cu, index, info, passed - 1 + latency_of(cu, &access->isa, cu->texture->latency), now);
  } else {
    miss(cu, index, info, sectors, passed, now);
  }
}

cycle_t texture_ready(const struct cu *cu, struct cu_access *access, bool reads, cycle_t now) {
  if (reads)
    commit_cached(cu->source, &access->isa, &access->cache->cache);
  return now + latency_of(cu, &access->isa, cu->texture->fill_latency);
}

void texture_end(struct cu_access *access) { access->lines = access->room; }
