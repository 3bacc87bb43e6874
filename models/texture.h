/* The texture unit of a compute unit: reads of images.
 *
 *     warp ──► quads ──► addresses, tags ──► all texels there ──► filter ──► registers, latency after the last quad
 *                              │
 *                              └── otherwise: missing lines go to the L2 ──► reply ──► fill_latency
 *
 * A read is divided into quads of four consecutive lanes; quads without active lanes take no time. The lanes of a quad
 * want words of texel_width bytes, each once. These pass in groups. A group takes at most one line of each tag bank,
 * the first one in the lane order 0, 2, 1, 3. It takes as many turns as its busiest bank has words, but at least
 * group_turns hundredths of a turn. A quad takes the turns of its groups, but at least one for each word of a texel.
 * The unit makes quad_rate turns in 100 cycles. Reads pass it one after the other, in the order of their issue.
 *
 * A linear filter takes filter_words words at a time. Lanes with more texels pass in parts. Texels wider than a word
 * are filtered piece by piece and slice by slice, in separate groups. Groups of a quad on an H200:
 *
 *     texels of           8 bytes or less           16 bytes
 *     nearest             1                         1, of two turns
 *     linear, 2 x 2       1                         2 parts x 2 pieces
 *     linear, 2 x 2 x 2   2 parts                   4 parts x 2 pieces x 2 slices
 *
 * The bank is the number of the line or word, changed so that neighbors do not conflict. In an image stored in blocks,
 * the bits of a bank, lowest first, are bits of y and of x in bytes (y0: y is odd):
 *
 *     texels of   8 bytes or less           16 bytes                         of a volume
 *     tag bank    y2, x5 ^ y3               x5, x6 ^ y2                      no y3; odd slices: both bits change
 *     bank        x3, y0, x4 ^ y2, y1       x3 ^ x5, y0, x4 ^ x5 ^ y2, y1    odd slices: y1 changes
 *
 * Texels are in a cache of the unit or in the L1 (texture.cache_size); l1.h describes both. The unit does not use the
 * width and banks of the L1. With mem.l1_join, a read whose lines are on their way for others joins them, as loads do.
 *
 * Invariant: a read returns what the L2 had when it accepted the read, or the read that filled the line. Images obey
 * the rules of global memory (isa/image.h).
 *
 * Not modeled: latency that a filter adds to the time of its groups, cache lines of compressed formats, the precision
 * of filters in hardware, stores to images in this unit (they are stores to global memory). */
#ifndef MODELS_TEXTURE_H
#define MODELS_TEXTURE_H

#include "models/cu.h"

enum { TEXTURE_TURN = 100 }; /* a turn, in the unit of quad_rate and group_turns */

/* A read has issued: looks up its texels, and requests the missing ones. */
void texture_issue(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now);

/* All texels have arrived; returns the cycle in which the data are ready. `reads`: they are all in the cache. */
cycle_t texture_ready(const struct cu *cu, struct cu_access *access, bool reads, cycle_t now);

/* The read is over. */
void texture_end(struct cu_access *access);

#endif
