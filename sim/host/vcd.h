/* Waveforms, as VCD (IEEE 1364, 18.2): values that change from cycle to cycle, for GTKWave and its like.
 *
 *     $var wire 7 aaaac resident_warps [6:0] $end      a wave: its bits, its short name, its name
 *     #10000                                           10000 ps
 *     b10 aaaac                                        from here on it is 2
 *
 * All waves begin with 0. Of a cycle only what is left at its end is written. The file has no date: two runs compare
 * byte for byte. Errors of writing are the stream's.
 *
 * Why not SystemC's own tracing: it tells nobody that a disk is full. */
#ifndef SIM_HOST_VCD_H
#define SIM_HOST_VCD_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdint.h>
#include <stdio.h>

#include "sim/core/component.h"
#include "sim/core/time.h"

struct wave {
  const char *name; /* dots are levels of the hierarchy */
  unsigned bits;    /* 1 to 64; of a value more are left out */
};

struct vcd;

/* Writes the head, with a comment unless that is NULL. NULL: out of memory. */
struct vcd *vcd_new(FILE *stream, const struct wave *wave, size_t count, uint32_t clock_mhz, const char *comment);

/* From cycle `at` on wave number `wave` is `value`, or larger by `step`. Cycles do not go back. */
void vcd_set(struct vcd *vcd, cycle_t at, size_t wave, uint64_t value);
void vcd_add(struct vcd *vcd, cycle_t at, size_t wave, uint64_t step);

/* Writes what is left, and that the waves last until the cycle after. */
void vcd_free(struct vcd *vcd);

/* The probes of islands, watched by a host (host.h), which steps them cycle by cycle. */
struct waveform;

/* NULL: out of memory. The islands must outlive it. */
struct waveform *waveform_new(FILE *stream, struct island *const *islands, size_t count, uint32_t clock_mhz);

/* Nothing before cycle `now` can change any more. */
void waveform_reach(struct waveform *waveform, cycle_t now);
void waveform_free(struct waveform *waveform);

#ifdef __cplusplus
}
#endif

#endif
