/* The texture unit of a compute unit: reads of images.
 *
 *     warp ──► quads ──► addresses, tags ──► all texels there ──► filter ──► registers, latency after the last quad
 *                              │
 *                              └── else: the missing lines go on to the L2 ──► reply ──► fill_latency
 *
 * A read is cut into quads, four consecutive lanes each, of which those with no active lane take no time. What the
 * lanes of a quad want are words of texel_width bytes, each once. Those pass in groups: a group has at most one line of
 * each tag bank, and takes as many turns as one bank has words to give. A quad takes the turns of its groups, but at
 * least as many as a texel has words, and with a linear filter as many as the bytes of a lane's texels over
 * filter_width, for each word of a texel. The unit makes quad_rate turns in 100 cycles. Reads pass it one after the
 * other, in the order of their issue.
 *
 * Line i of an image has its tag in bank i modulo tag_banks, and word i lies in bank i modulo banks, except that i is
 * altered so that neighbors do not meet: of a line, by the parity of the row of blocks that it lies in; of a word, by
 * the parity of its line.
 *
 * Texels lie in a cache of the unit's own or in the L1 (texture.cache_size); l1.h says how either works. The unit takes
 * no part in the L1's width and banks. A read whose lines are on their way for others joins them as loads do, with
 * mem.l1_join.
 *
 * Invariant: what a read brings is what the L2 had when it accepted it, or the read that filled the line: images obey
 * the rules of global memory (isa/image.h).
 *
 * Not modelled: how texels of 16 bytes lie in the banks of hardware, which is another way; the lines of the cache of
 * compressed formats, a filter's precision on hardware, stores of images in this unit (they are stores to global
 * memory). */
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
