// Cycles as SystemC time.
//
// Cycle c is SystemC time c / clock, rounded to a picosecond. A cycle is at least ten picoseconds
// (cu.clock_mhz is at most 100000), so the rounding is undone exactly. 64 bits are enough for
// 18 x 10^12 cycles, months of simulation.
//
// Islands outlive a launch, and SystemC's time does not go back: `origin` shifts cycles when an island
// starts again before the moment that SystemC has reached.
#ifndef BINDINGS_SYSTEMC_CLOCK_HPP
#define BINDINGS_SYSTEMC_CLOCK_HPP

#include <systemc>

#include "sim/core/time.h"

class Clock {
public:
  void set_mhz(uint32_t mhz) { mhz_ = mhz; }

  // Makes `cycle` no earlier than the present instant.
  void not_before(cycle_t cycle) {
    const cycle_t reached = cycle_of(sc_core::sc_time_stamp());
    if (cycle + origin_ < reached)
      origin_ = reached - cycle;
    seen_ = UINT64_MAX;
  }

  // The present cycle; asked by every visit of an instant, worked out by the first.
  cycle_t now() {
    const uint64_t time = sc_core::sc_time_stamp().value();
    if (time != seen_) {
      seen_ = time;
      now_ = at(sc_core::sc_time_stamp());
    }
    return now_;
  }

  // The cycle at `time`: the nearest one.
  cycle_t at(const sc_core::sc_time &time) const { return cycle_of(time) - origin_; }

  // The first cycle that is not before `time`, which others may choose between two cycles.
  cycle_t not_sooner(const sc_core::sc_time &time) const {
    const cycle_t cycle = at(time);
    return cycle + (time_of(cycle) < time.value());
  }

  // From the present instant to `cycle`, which is not before it.
  sc_core::sc_time until(cycle_t cycle) const {
    return sc_core::sc_time::from_value(time_of(cycle) - sc_core::sc_time_stamp().value());
  }

private:
  static constexpr uint64_t kPicoseconds = 1000000; // of a cycle at 1 MHz

  uint64_t time_of(cycle_t cycle) const { return ((cycle + origin_) * kPicoseconds + mhz_ / 2) / mhz_; }
  cycle_t cycle_of(const sc_core::sc_time &time) const {
    return (time.value() * mhz_ + kPicoseconds / 2) / kPicoseconds;
  }

  uint64_t mhz_ = 1000, seen_ = UINT64_MAX;
  cycle_t origin_ = 0, now_ = 0;
};

// The clock of this process's SystemC: there is one of either.
Clock &systemc_clock();

#endif
