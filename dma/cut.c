/* The geometry of copies: normal form, places in the LDS, and how copies are cut into requests. */
#include <assert.h>

#include "dma/work.h"

/* ---- normal form ---------------------------------------------------------------------------- */

/* Lines without a gap between them on both sides become one, unless dma.lines is separate. Planes of one line become
 * lines. Planes that continue where the lines of the last plane ended become more lines. */
void dma_normalize(const struct dma_params *params, struct dma_descriptor *copy) {
  struct rect *const global = &copy->global, *const lds = &copy->lds;
  if (!global->bytes || !global->lines || !global->planes)
    global->bytes = global->lines = global->planes = 0;
  for (bool changed = global->bytes; changed;) {
    const uint64_t lines = (uint64_t)global->lines * global->planes;
    changed = false;
    if (params->lines == DMA_JOINED && global->lines > 1 && global->pitch == global->bytes &&
        lds->pitch == global->bytes) {
      global->bytes *= global->lines;
      global->lines = 1;
      changed = true;
    } else if (global->planes > 1 && lines <= UINT32_MAX) {
      const bool single = global->lines == 1;
      if (single) {
        global->pitch = global->plane;
        lds->pitch = lds->plane;
      }
      changed = single || (global->plane == global->lines * global->pitch && lds->plane == global->lines * lds->pitch);
      if (changed) {
        global->lines = (uint32_t)lines;
        global->planes = 1;
      }
    }
  }
  lds->bytes = global->bytes;
  lds->lines = global->lines;
  lds->planes = global->planes;
}

uint32_t dma_dimensions(const struct rect *normal) { return normal->planes > 1 ? 3 : normal->lines > 1 ? 2 : 1; }

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

bool dma_aligned(const struct dma_params *params, const struct rect *global, const struct rect *lds) {
  const uint64_t ends = global->base | lds->base | global->bytes;
  const uint64_t lines = global->lines > 1 ? global->pitch | lds->pitch : 0;
  const uint64_t planes = global->planes > 1 ? global->plane | lds->plane : 0;
  return !rect_all(global) || ((ends | lines | planes) & (params->alignment - 1)) == 0;
}

/* ---- where a line must be cut --------------------------------------------------------------- */

/* The offset of a line's first byte on the copy's LDS side. */
static uint32_t line_offset(const struct channel *channel, uint32_t line) {
  const struct rect *lds = &channel->walk.lds;
  return channel->lds_offset + (uint32_t)(rect_line(lds, channel->plane, line) - lds->base);
}

/* The LDS address of a byte of the copy's LDS side, before the swizzle. */
static uint32_t linear_place(const struct dma *dma, const struct channel *channel, uint32_t offset) {
  return (uint32_t)channel->walk.lds.base + pad_to(dma->params, offset);
}

static uint32_t least(uint64_t a, uint64_t b) { return (uint32_t)(a < b ? a : b); }

void dma_inside(const struct dma_descriptor *copy, uint64_t global, uint32_t *from, uint32_t *to) {
  uint64_t element = copy->element_bytes ? copy->element_bytes : 1;
  uint64_t below = copy->from > global ? copy->from - global : 0;
  uint64_t above = copy->to > global ? copy->to - global : 0;
  *from = least((below + element - 1) / element * element, copy->global.bytes);
  *to = least(above / element * element, copy->global.bytes);
}

/* Bytes up to the place where an engine that cannot shift must stop: a multiple of `unit`, the largest power of two up
 * to `alignment` that divides the difference of the addresses. */
static uint32_t cut_at_alignment(const struct dma *dma, uint64_t global, uint32_t lds, uint32_t bytes) {
  uint64_t alignment = dma->params->alignment, apart = (global - lds) | alignment, unit = apart & -apart;
  uint32_t in_unit = (uint32_t)(global & (unit - 1));
  if (in_unit || unit < alignment)
    return least(bytes, unit - in_unit);
  return bytes > unit ? bytes & -(uint32_t)unit : bytes;
}

/* Bytes of a line from byte `at` on that one request could hold, without granularity. */
static uint32_t uncut(const struct dma *dma, const struct channel *channel, uint64_t global, uint32_t offset,
                      uint32_t at, uint32_t bytes, bool *outside) {
  const struct dma_params *params = dma->params;
  if (channel->bounded) { /* up to the place where the buffer begins or ends */
    uint32_t from, to;
    dma_inside(&channel->walk, global, &from, &to);
    *outside = at < from || at >= to;
    bytes = least(bytes, (at < from ? from : at < to ? to : channel->walk.global.bytes) - at);
  }
  if (params->pad_interval && params->pad)
    bytes = least(bytes, params->pad_interval - (offset + at) % params->pad_interval);
  if (params->misaligned == DMA_SPLIT && params->alignment > 1)
    bytes = cut_at_alignment(dma, global + at, linear_place(dma, channel, offset + at), bytes);
  return bytes;
}

/* ---- requests ------------------------------------------------------------------------------- */

/* The most lines of a train, which has no limits and gaps between its requests: each line makes one request wherever it
 * is, because it starts at a multiple of a power of two that is at least as long as the line. 0: no trains. */
static uint32_t most_in_train(const struct dma_params *params, const struct channel *channel) {
  const struct rect *global = &channel->walk.global, *lds = &channel->walk.lds;
  const uint32_t most = least(params->train, least(params->outstanding / 64, params->buffer / 16));
  if (params->lines != DMA_SEPARATE || most < 2 || !channel->walk.to_lds || global->lines < 2 || channel->cut_short ||
      params->quota || params->line_cycles || params->decoupling == DMA_COUPLED)
    return 0;
  const uint64_t starts =
      global->base | global->pitch | global->plane | lds->base | channel->lds_offset | lds->pitch | lds->plane;
  uint32_t unit = 1;
  while (unit < global->bytes)
    unit *= 2;
  const bool whole_sectors = unit <= params->sector || global->bytes % params->sector == 0;
  return unit <= params->granularity && (starts & (unit - 1)) == 0 && whole_sectors ? most : 0;
}

void dma_prepare(const struct dma *dma, struct channel *channel) {
  const struct dma_params *params = dma->params;
  const struct dma_descriptor *walk = &channel->walk;
  const struct rect *global = &walk->global;
  const uint64_t bytes = global->bytes, starts = global->base | global->pitch | global->plane;
  const uint64_t end = rect_line(global, global->planes - 1u, global->lines - 1u) + bytes;
  const uint32_t fit = bytes ? least(params->granularity / bytes, UINT32_MAX) : 0;
  const bool known = walk->from || walk->to;
  channel->bounded = params->out_of_bounds != DMA_ERROR && known && (global->base < walk->from || end > walk->to);
  channel->cut_short = channel->bounded || (params->pad_interval && params->pad) ||
                       (params->misaligned == DMA_SPLIT && params->alignment > 1);
  channel->pack = global->lines > 1 && fit > 1 && params->lines == DMA_JOINED ? fit : 0;
  /* A line whose length is a power of two, at multiples of it, never crosses a boundary. */
  channel->crossing = (bytes & (bytes - 1)) || (starts & (bytes - 1));
  channel->train = most_in_train(params, channel);
}

/* How many lines, from the current one on, one request can hold; 0: not even the first. */
static uint32_t pack_lines(const struct dma *dma, const struct channel *channel, bool *outside) {
  const struct rect *global = &channel->walk.global;
  uint32_t most = least(channel->pack, global->lines - channel->line), lines = 0;
  uint32_t pad = dma->params->pad ? dma->params->pad_interval : 0,
           interval = pad ? line_offset(channel, channel->line) / pad : 0;
  if (!most || channel->sent || !channel->cut_short)
    return channel->sent ? 0 : most;
  for (; lines < most; lines++) {
    uint32_t line = channel->line + lines, offset = line_offset(channel, line);
    bool out = false;
    uint32_t bytes =
        uncut(dma, channel, rect_line(global, channel->plane, line), offset, 0, (uint32_t)global->bytes, &out);
    if (bytes < global->bytes || (lines && out != *outside) || (pad && offset / pad != interval))
      break;
    *outside = out;
  }
  return lines;
}

/* A piece of one line, up to the next multiple of `granularity` or the place where the line must be cut. */
static uint32_t cut_piece(const struct dma *dma, const struct channel *channel, uint64_t global, uint32_t offset,
                          bool *outside) {
  const struct dma_params *params = dma->params;
  uint32_t in_window = params->granularity - 1, lds = linear_place(dma, channel, offset + channel->sent);
  uint32_t bytes = params->granularity - (uint32_t)((global + channel->sent) & in_window);
  bytes = least(channel->walk.global.bytes - channel->sent, bytes);
  if (params->cut == DMA_CUT_BOTH)
    bytes = least(bytes, params->granularity - (lds & in_window));
  if (channel->cut_short)
    bytes = uncut(dma, channel, global, offset, channel->sent, bytes, outside);
  if (!channel->walk.to_lds)
    return bytes;
  /* inbound: whole sectors, but for what is before the first and after the last */
  const uint32_t sector = params->sector, in_sector = (uint32_t)((global + channel->sent) & (sector - 1));
  return in_sector ? least(bytes, sector - in_sector) : bytes > sector ? bytes & -sector : bytes;
}

void dma_cut(const struct dma *dma, const struct channel *channel, struct sending *sending) {
  const struct dma_descriptor *walk = &channel->walk;
  const uint64_t start = rect_line(&walk->global, channel->plane, channel->line);
  const uint32_t offset = line_offset(channel, channel->line);
  bool outside = false;
  uint32_t lines = channel->pack ? pack_lines(dma, channel, &outside) : 0;
  struct dma_request *covers = &sending->covers;
  struct rect *const global = &covers->global;
  *covers = (struct dma_request){.tag = walk->tag, .to_lds = walk->to_lds, .global = walk->global, .lds = walk->lds};
  global->base = start + channel->sent;
  global->lines = lines ? lines : 1;
  global->planes = 1;
  sending->addresses = 1;
  if (channel->train) {
    sending->addresses = global->lines = least(channel->train, walk->global.lines - channel->line);
    covers->train = global->lines > 1;
  } else if (lines) { /* one address for each line; two for a line across a boundary */
    const uint64_t granularity = dma->params->granularity;
    sending->addresses = lines;
    for (uint32_t line = 0; channel->crossing && line < lines; line++)
      sending->addresses += (rect_line(global, 0, line) & (granularity - 1)) + global->bytes > granularity;
  } else {
    global->bytes = cut_piece(dma, channel, start, offset, &outside);
  }
  covers->lds.base = linear_place(dma, channel, offset + channel->sent);
  covers->lds.bytes = global->bytes;
  covers->lds.lines = global->lines;
  covers->lds.planes = 1;
  covers->zero = outside && walk->to_lds && dma->params->out_of_bounds == DMA_ZERO;
  sending->dropped = outside && !covers->zero;
}

bool dma_advance(const struct dma *dma, struct channel *channel, const struct dma_request *sent, bool *more) {
  const struct rect *walk = &channel->walk.global;
  const bool pack = channel->pack && !channel->sent && sent->global.bytes == walk->bytes;
  channel->sent += (uint32_t)sent->global.bytes;
  *more = true;
  if (channel->sent < walk->bytes)
    return ((sent->global.base + sent->global.bytes) & (dma->params->burst - 1)) == 0;
  channel->sent = 0;
  channel->line += sent->global.lines;
  channel->ready += dma->params->line_cycles;
  if (channel->line >= walk->lines) {
    channel->line = 0;
    channel->ready += dma->params->plane_cycles;
    *more = ++channel->plane != walk->planes;
  }
  channel->burst += dma_bytes(sent);
  return !pack || !*more || channel->burst >= dma->params->burst;
}
