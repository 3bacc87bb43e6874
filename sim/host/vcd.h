/* Waveforms as VCD (IEEE 1364, 18.2): values over cycles, for viewers such as GTKWave.
 *
 *     $var wire 7 aaaac resident_warps [6:0] $end      a wave: its bits, its short name, its name
 *     #10000                                           10000 ps
 *     b10 aaaac                                        from here on it is 2
 *
 * All waves begin with 0. If a value changes several times in a cycle, only the last one is written. The file has no
 * date, so that two runs can be compared byte for byte. Write errors are left in the stream.
 *
 * SystemC's own tracing is not used, because it does not report a full disk. */
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
  const char *name; /* dots separate levels of the hierarchy */
  unsigned bits;    /* 1 to 64; higher bits of a value are dropped */
};

struct vcd;

/* Writes the header, with a comment unless that is NULL. */
struct vcd *vcd_new(FILE *stream, const struct wave *wave, size_t count, uint32_t clock_mhz, const char *comment);

/* From cycle `at` on, wave number `wave` has the value, or its old value plus `step`. `at` must not decrease. */
void vcd_set(struct vcd *vcd, cycle_t at, size_t wave, uint64_t value);
void vcd_add(struct vcd *vcd, cycle_t at, size_t wave, uint64_t step);

/* Writes the rest, and ends the waves one cycle after the last change. */
void vcd_free(struct vcd *vcd);

/* The probes of islands, sampled by a host (host.h), which steps the islands cycle by cycle. */
struct waveform;

/* The islands must outlive the waveform. */
struct waveform *waveform_new(FILE *stream, struct island *const *islands, size_t count, uint32_t clock_mhz);

/* Values before cycle `now` are final. */
void waveform_advance(struct waveform *waveform, cycle_t now);
void waveform_free(struct waveform *waveform);

#ifdef __cplusplus
}
#endif

#endif
