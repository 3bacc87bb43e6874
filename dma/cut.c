/* The geometry of copies: normal form, places in the LDS, and how copies are cut into requests. */
#include <assert.h>

#include "dma/work.h"

/* ---- normal form ---------------------------------------------------------------------------- */

/* Lines without a gap between them on both sides become one, unless dma.lines is separate. */
static bool merge_lines(const struct dma_params *params, struct dma_descriptor *copy) {
  uint64_t bytes = (uint64_t)copy->line_bytes * copy->lines;
  bool touch = copy->global_pitch == copy->line_bytes && copy->lds_pitch == copy->line_bytes;
  if (params->lines == DMA_SEPARATE || copy->lines == 1 || !touch || bytes > UINT32_MAX)
    return false;
  copy->line_bytes = (uint32_t)bytes;
  copy->lines = 1;
  return true;
}

/* Planes of one line become lines. Planes that continue where the lines of the last plane ended become more lines. */
static bool merge_planes(struct dma_descriptor *copy) {
  uint64_t lines = (uint64_t)copy->lines * copy->planes;
  if (copy->planes == 1 || lines > UINT32_MAX)
    return false;
  if (copy->lines == 1) {
    copy->global_pitch = copy->global_plane;
    copy->lds_pitch = copy->lds_plane;
  } else if (copy->global_plane != copy->lines * copy->global_pitch ||
             copy->lds_plane != (uint64_t)copy->lines * copy->lds_pitch) {
    return false;
  }
  copy->lines = (uint32_t)lines;
  copy->planes = 1;
  return true;
}

void dma_normalize(const struct dma_params *params, struct dma_descriptor *copy) {
  if (!copy->line_bytes || !copy->lines || !copy->planes)
    copy->line_bytes = copy->lines = copy->planes = 0;
  else
    while (merge_lines(params, copy) || merge_planes(copy))
      ;
}

uint32_t dma_dimensions(const struct dma_descriptor *normal) {
  return normal->planes > 1 ? 3 : normal->lines > 1 ? 2 : 1;
}

/* ---- places --------------------------------------------------------------------------------- */

static uint32_t pad_to(const struct dma_params *params, uint32_t offset) {
  return params->pad_interval ? offset + offset / params->pad_interval * params->pad : offset;
}

uint32_t dma_swizzled(const struct dma_params *params, uint32_t address) {
  static const uint32_t pieces[] = {
      [DMA_LINEAR] = 1, [DMA_SWIZZLE_32] = 2, [DMA_SWIZZLE_64] = 4, [DMA_SWIZZLE_128] = 8};
  uint32_t in_row = pieces[params->swizzle] - 1, row = (address / 16) / pieces[params->swizzle];
  return address ^ (row & in_row) * 16;
}

uint32_t dma_place(const struct dma_params *params, uint32_t lds, uint32_t offset) {
  return dma_swizzled(params, lds + pad_to(params, offset));
}

bool dma_aligned(const struct dma_params *params, const struct dma_descriptor *copy) {
  uint64_t ends = copy->global | copy->lds | copy->line_bytes;
  uint64_t lines = copy->lines > 1 ? copy->global_pitch | copy->lds_pitch : 0;
  uint64_t planes = copy->planes > 1 ? copy->global_plane | copy->lds_plane : 0;
  bool nothing = !copy->line_bytes || !copy->lines || !copy->planes;
  return nothing || ((ends | lines | planes) & (params->alignment - 1)) == 0;
}

/* ---- where a line must be cut --------------------------------------------------------------- */

static uint64_t line_global(const struct channel *channel, uint32_t line) {
  return channel->walk.global + channel->plane * channel->walk.global_plane + line * channel->walk.global_pitch;
}

/* The offset of a line's first byte on the copy's LDS side. */
static uint32_t line_offset(const struct channel *channel, uint32_t line) {
  return channel->lds_offset + channel->plane * channel->walk.lds_plane + line * channel->walk.lds_pitch;
}

/* The LDS address of a byte of the copy's LDS side, before the swizzle. */
static uint32_t linear_place(const struct dma *dma, const struct channel *channel, uint32_t offset) {
  return channel->walk.lds + pad_to(&dma->params, offset);
}

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

void dma_inside(const struct dma_descriptor *copy, uint64_t global, uint32_t *from, uint32_t *to) {
  uint64_t element = copy->element_bytes ? copy->element_bytes : 1;
  uint64_t below = copy->global_from > global ? copy->global_from - global : 0;
  uint64_t above = copy->global_to > global ? copy->global_to - global : 0;
  *from = least((below + element - 1) / element * element, copy->line_bytes);
  *to = least(above / element * element, copy->line_bytes);
}

/* Bytes up to the place where the buffer begins or ends. */
static uint32_t cut_at_limits(const struct channel *channel, uint64_t global, uint32_t at, uint32_t bytes,
                              bool *outside) {
  uint32_t from, to;
  dma_inside(&channel->walk, global, &from, &to);
  *outside = at < from || at >= to;
  uint32_t end = at < from ? from : at < to ? to : channel->walk.line_bytes;
  return least(bytes, end - at);
}

/* Bytes up to the place where an engine that cannot shift must stop: a multiple of `unit`, the largest power of two up
 * to `alignment` that divides the difference of the addresses. */
static uint32_t cut_at_alignment(const struct dma *dma, uint64_t global, uint32_t lds, uint32_t bytes) {
  uint64_t alignment = dma->params.alignment, apart = (global - lds) | alignment, unit = apart & -apart;
  uint32_t in_unit = (uint32_t)(global & (unit - 1));
  if (in_unit || unit < alignment)
    return least(bytes, unit - in_unit);
  return bytes > unit ? bytes & -(uint32_t)unit : bytes;
}

/* Bytes of a line from byte `at` on that one request could hold, without granularity. */
static uint32_t uncut(const struct dma *dma, const struct channel *channel, uint64_t global, uint32_t offset,
                      uint32_t at, uint32_t bytes, bool *outside) {
  const struct dma_params *params = &dma->params;
  if (channel->bounded)
    bytes = cut_at_limits(channel, global, at, bytes, outside);
  if (params->pad_interval && params->pad)
    bytes = least(bytes, params->pad_interval - (offset + at) % params->pad_interval);
  if (params->misaligned == DMA_SPLIT && params->alignment > 1)
    bytes = cut_at_alignment(dma, global + at, linear_place(dma, channel, offset + at), bytes);
  return bytes;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* A line whose length is a power of two, at multiples of it, never crosses a boundary. */
static bool may_cross(const struct dma_descriptor *walk) {
  uint64_t bytes = walk->line_bytes, starts = walk->global | walk->global_pitch | walk->global_plane;
  return (bytes & (bytes - 1)) || (starts & (bytes - 1));
}

static bool leaves_buffer(const struct dma *dma, const struct dma_descriptor *walk) {
  uint64_t end = walk->global + (walk->planes - 1) * walk->global_plane + (walk->lines - 1) * walk->global_pitch +
                 walk->line_bytes;
  bool known = walk->global_from || walk->global_to;
  return dma->params.out_of_bounds != DMA_ERROR && known && (walk->global < walk->global_from || end > walk->global_to);
}

/* Whether each line makes one request wherever it is: every line starts at a multiple of a power of two that is at
 * least as long as the line. */
static bool whole_lines(const struct dma_params *params, const struct channel *channel) {
  const struct dma_descriptor *walk = &channel->walk;
  uint64_t starts = walk->global | walk->global_pitch | walk->global_plane | walk->lds | channel->lds_offset |
                    walk->lds_pitch | walk->lds_plane;
  uint32_t unit = 1;
  while (unit < walk->line_bytes)
    unit *= 2;
  bool whole_sectors = unit <= params->sector || walk->line_bytes % params->sector == 0;
  return unit <= params->granularity && (starts & (unit - 1)) == 0 && whole_sectors;
}

/* No trains where single requests are limited or spaced. */
static uint32_t most_in_train(const struct dma_params *params, const struct channel *channel) {
  const struct dma_descriptor *walk = &channel->walk;
  uint32_t most = least(params->train, least(params->outstanding / 64, params->buffer / 16));
  if (params->lines != DMA_SEPARATE || most < 2 || !walk->to_lds || walk->lines < 2 || channel->cut_short ||
      params->quota || params->line_cycles || params->decoupling == DMA_COUPLED || !whole_lines(params, channel))
    return 0;
  return most;
}

void dma_prepare(const struct dma *dma, struct channel *channel) {
  const struct dma_params *params = &dma->params;
  const struct dma_descriptor *walk = &channel->walk;
  uint32_t fit = walk->line_bytes ? params->granularity / walk->line_bytes : 0;
  channel->bounded = leaves_buffer(dma, walk);
  channel->cut_short = channel->bounded || (params->pad_interval && params->pad) ||
                       (params->misaligned == DMA_SPLIT && params->alignment > 1);
  channel->pack = walk->lines > 1 && fit > 1 && params->lines == DMA_JOINED ? fit : 0;
  channel->crossing = may_cross(walk);
  channel->train = most_in_train(params, channel);
}

/* How many lines, from the current one on, one request can hold; 0: not even the first. */
static uint32_t pack_lines(const struct dma *dma, const struct channel *channel, bool *outside) {
  const struct dma_descriptor *walk = &channel->walk;
  uint32_t most = least(channel->pack, walk->lines - channel->line), lines = 0;
  uint32_t pad = dma->params.pad ? dma->params.pad_interval : 0,
           interval = pad ? line_offset(channel, channel->line) / pad : 0;
  if (!most || channel->sent || !channel->cut_short)
    return channel->sent ? 0 : most;
  for (; lines < most; lines++) {
    uint32_t line = channel->line + lines, offset = line_offset(channel, line);
    bool out = false;
    uint32_t bytes = uncut(dma, channel, line_global(channel, line), offset, 0, walk->line_bytes, &out);
    if (bytes < walk->line_bytes || (lines && out != *outside) || (pad && offset / pad != interval))
      break;
    *outside = out;
  }
  return lines;
}

/* One address for each line; two for a line across a boundary. */
static uint32_t count_addresses(const struct dma *dma, const struct channel *channel, const struct dma_request *pack) {
  uint32_t in_window = dma->params.granularity - 1, addresses = pack->lines;
  uint64_t global = pack->global;
  if (!channel->crossing)
    return addresses;
  for (uint32_t line = 0; line < pack->lines; line++, global += pack->global_pitch)
    addresses += (global & in_window) + pack->bytes > dma->params.granularity;
  return addresses;
}

/* Bytes up to the place where whole sectors begin or end. */
static uint32_t cut_at_sectors(uint64_t global, uint32_t sector, uint32_t bytes) {
  uint32_t in_sector = (uint32_t)(global & (sector - 1));
  if (in_sector)
    return least(bytes, sector - in_sector);
  return bytes > sector ? bytes & -sector : bytes;
}

/* A piece of one line, up to the next multiple of `granularity` or the place where the line must be cut. */
static uint32_t cut_piece(const struct dma *dma, const struct channel *channel, uint64_t global, uint32_t offset,
                          bool *outside) {
  const struct dma_params *params = &dma->params;
  uint32_t in_window = params->granularity - 1, lds = linear_place(dma, channel, offset + channel->sent);
  uint32_t bytes = params->granularity - (uint32_t)((global + channel->sent) & in_window);
  bytes = least(channel->walk.line_bytes - channel->sent, bytes);
  if (params->cut == DMA_CUT_BOTH)
    bytes = least(bytes, params->granularity - (lds & in_window));
  if (channel->cut_short)
    bytes = uncut(dma, channel, global, offset, channel->sent, bytes, outside);
  return channel->walk.to_lds ? cut_at_sectors(global + channel->sent, params->sector, bytes) : bytes;
}

void dma_cut(const struct dma *dma, const struct channel *channel, struct sending *sending) {
  const struct dma_descriptor *walk = &channel->walk;
  uint64_t global = line_global(channel, channel->line);
  uint32_t offset = line_offset(channel, channel->line);
  bool outside = false;
  uint32_t lines = channel->pack ? pack_lines(dma, channel, &outside) : 0;
  struct dma_request *covers = &sending->covers;
  *covers = (struct dma_request){.tag = walk->tag,
                                 .to_lds = walk->to_lds,
                                 .global = global + channel->sent,
                                 .lds = linear_place(dma, channel, offset + channel->sent),
                                 .bytes = walk->line_bytes,
                                 .lines = lines ? lines : 1,
                                 .global_pitch = walk->global_pitch,
                                 .lds_pitch = walk->lds_pitch};
  sending->addresses = 1;
  if (channel->train) {
    sending->addresses = covers->lines = least(channel->train, walk->lines - channel->line);
    covers->train = covers->lines > 1;
  } else if (lines)
    sending->addresses = count_addresses(dma, channel, covers);
  else
    covers->bytes = cut_piece(dma, channel, global, offset, &outside);
  covers->zero = outside && walk->to_lds && dma->params.out_of_bounds == DMA_ZERO;
  sending->dropped = outside && !covers->zero;
}

/* Counts finished lines. True if that was the end of the walk. */
static bool next_line(const struct dma *dma, struct channel *channel, uint32_t lines) {
  channel->sent = 0;
  channel->line += lines;
  channel->ready += dma->params.line_cycles;
  if (channel->line < channel->walk.lines)
    return false;
  channel->line = 0;
  channel->ready += dma->params.plane_cycles;
  return ++channel->plane == channel->walk.planes;
}

bool dma_advance(const struct dma *dma, struct channel *channel, const struct dma_request *sent, bool *more) {
  bool pack = channel->pack && !channel->sent && sent->bytes == channel->walk.line_bytes;
  channel->sent += sent->bytes;
  *more = true;
  if (channel->sent < channel->walk.line_bytes)
    return ((sent->global + sent->bytes) & (dma->params.burst - 1)) == 0;
  *more = !next_line(dma, channel, sent->lines);
  channel->burst += sent->bytes * sent->lines;
  return !pack || !*more || channel->burst >= dma->params.burst;
}
