/* A host: whoever steps the islands. sim/host has a plain loop, bindings/systemc has SystemC; models only know this. */
#ifndef SIM_CORE_HOST_H
#define SIM_CORE_HOST_H

#include "sim/core/component.h"

/* `run` steps the islands until none has anything to do (returns NEVER) or all have reached `limit`
 * (returns the earliest next step). With a waveform (sim/host/vcd.h), which it tells the time, no island runs ahead of
 * another, so that every change is seen in its cycle; NULL: there is none.
 *
 * A host may step islands of different shares (island.share) at once, in threads; the hub runs alone. So what islands
 * of different shares write is apart. */
struct waveform;
struct host {
  cycle_t (*run)(struct host *host, cycle_t limit);
  void (*free)(struct host *host);
  struct waveform *waveform;
  unsigned shares; /* 0: it steps one island at a time, in the caller's thread; */
  bool one_by_one; /* and so it does while this is set */
};

#endif
