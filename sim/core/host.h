/* A host steps the islands. sim/host has a plain loop, bindings/systemc has SystemC; models only know this
 * interface. */
#ifndef SIM_CORE_HOST_H
#define SIM_CORE_HOST_H

#include "sim/core/component.h"

/* `run` steps the islands until none has anything to do (returns NEVER) or all have reached `limit` (returns the
 * earliest next step). With a waveform (sim/host/vcd.h), which it updates with the time, no island runs ahead of
 * another, so that every change is recorded in its cycle. NULL: no waveform.
 *
 * A host may step islands of different shares (island.share) concurrently, in threads; the hub runs alone. So islands
 * of different shares must not write the same data. */
struct waveform;
struct host {
  cycle_t (*run)(struct host *host, cycle_t limit);
  void (*free)(struct host *host);
  struct waveform *waveform;
  unsigned shares; /* 0: steps one island at a time, in the caller's thread */
  bool one_by_one; /* the same while this is set */
};

#endif
