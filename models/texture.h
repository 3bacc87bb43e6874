/* The texture unit of a compute unit: reads of images.
 *
 *     warp ──► quads ──► addresses, tags ──► all texels there ──► filter ──► registers, latency after the last quad
 *                              │
 *                              └── else: the missing lines go on to the L2 ──► reply ──► fill_latency
 *
 * A read is cut into quads, four consecutive lanes each, of which those with no active lane take no time. A quad takes as
 * many turns as the most of: one; a texel's bytes over texel_width; with a linear filter the bytes of a lane's texels
 * over filter_width; the lines of the lanes' first texels over tags. The unit makes quad_rate turns in 100 cycles. Reads
 * pass it one after the other, in the order of their issue. Texels that lanes or quads share are asked for once.
 *
 * Texels lie in a cache of the unit's own or in the L1 (texture.cache_size); l1.h says how either works. The unit takes
 * no part in the L1's width and banks. A read whose lines are on their way for others joins them as loads do, with
 * mem.l1_join.
 *
 * Invariant: what a read brings is what the L2 had when it accepted it, or the read that filled the line: images obey
 * the rules of global memory (isa/image.h).
 *
 * Not modelled: the lines of the cache of compressed formats, a filter's precision on hardware, stores of images in this
 * unit (they are stores to global memory). */
#ifndef MODELS_TEXTURE_H
#define MODELS_TEXTURE_H

#include "models/cu.h"

enum { TEXTURE_TURN = 100 }; /* of the unit's rate */

/* A read has been issued: its texels are in the unit, or on their way. */
void texture_issue(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now);

/* All of its texels are there: the cycle from which on its data may be used. `reads`: they are all in the cache. */
cycle_t texture_ready(const struct cu *cu, struct cu_access *access, bool reads, cycle_t now);

/* It is over. */
void texture_end(struct cu_access *access);

#endif
