/* The texture unit of a compute unit: reads of images.
 *
 *     warp ──► quads ──► addresses, tags ──► all texels there ──► filter ──► registers, latency after the last quad
 *                              │
 *                              └── else: the missing lines go on to the L2 ──► reply ──► fill_latency
 *
 * A read is cut into quads, four consecutive lanes each, of which those with no active lane take no time. What the
 * lanes of a quad want are words of texel_width bytes, each once. Those pass in groups: a group has at most one line of
 * each tag bank, of lane 0, 2, 1 or 3, who comes first, and takes as many turns as one bank has words to give, but at
 * least group_turns hundredths of one. A quad takes the turns of its groups, at least as many as a texel has words. The
 * unit makes quad_rate turns in 100 cycles. Reads pass it one after the other, in the order of their issue.
 *
 * A linear filter takes filter_words words at a time. Lanes whose texels are more pass in parts, and texels wider than
 * a word are filtered piece by piece, slice by slice, all of them groups of their own. Groups of an H200, a quad:
 *
 *     texels of           8 bytes or less           16 bytes
 *     nearest             1                         1, of two turns
 *     linear, 2 x 2       1                         2 parts x 2 pieces
 *     linear, 2 x 2 x 2   2 parts                   4 parts x 2 pieces x 2 slices
 *
 * Banks are by number of line and word, but altered so that neighbors do not meet. In an image that lies in blocks the
 * bits of a bank are, the lowest first, of bits of y and of x in bytes (y0 is whether y is odd):
 *
 *     texels of   8 bytes or less           16 bytes                         of a volume
 *     tag bank    y2, x5 ^ y3               x5, x6 ^ y2                      no y3; odd slices: both bits change
 *     bank        x3, y0, x4 ^ y2, y1       x3 ^ x5, y0, x4 ^ x5 ^ y2, y1    odd slices: y1 changes
 *
 * Texels lie in a cache of the unit's own or in the L1 (texture.cache_size); l1.h says how either works. The unit takes
 * no part in the L1's width and banks. A read whose lines are on their way for others joins them as loads do, with
 * mem.l1_join.
 *
 * Invariant: what a read brings is what the L2 had when it accepted it, or the read that filled the line: images obey
 * the rules of global memory (isa/image.h).
 *
 * Not modelled: what a filter adds to the latency beside the time of its groups, the lines of the cache of compressed
 * formats, a filter's precision on hardware, stores of images in this unit (they are stores to global memory). */
#ifndef MODELS_TEXTURE_H
#define MODELS_TEXTURE_H

#include "models/cu.h"

enum { TEXTURE_TURN = 100 }; /* of the unit's rate, and of group_turns */

/* A read has been issued: its texels are in the unit, or on their way. */
void texture_issue(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now);

/* All of its texels are there: the cycle from which on its data may be used. `reads`: they are all in the cache. */
cycle_t texture_ready(const struct cu *cu, struct cu_access *access, bool reads, cycle_t now);

/* It is over. */
void texture_end(struct cu_access *access);

#endif
