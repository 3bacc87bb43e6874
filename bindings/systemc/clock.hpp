// Cycles as SystemC time.
//
// Cycle c is SystemC time c / clock, rounded to a picosecond. A cycle is at least ten picoseconds
// (cu.clock_mhz is at most 100000), so the cycle can be recovered exactly. 64 bits are enough for
// 18 x 10^12 cycles, months of simulation.
//
// Islands outlive a launch, and SystemC's time never goes back. If an island starts again at a cycle
// before the time that SystemC has reached, `origin_` shifts its cycles.
#ifndef BINDINGS_SYSTEMC_CLOCK_HPP
#define BINDINGS_SYSTEMC_CLOCK_HPP

#include <systemc>

#include "sim/core/time.h"

class Clock {
public:
  void set_mhz(uint32_t mhz) { mhz_ = mhz; }

  // Shifts the origin, if necessary, so that `cycle` is not before SystemC's current time.
  void not_before(cycle_t cycle) {
    const cycle_t reached = cycle_of(sc_core::sc_time_stamp());
    if (cycle + origin_ < reached)
      origin_ = reached - cycle;
    seen_ = UINT64_MAX;
  }

  // The current cycle. Every visit at an instant needs it, so the first one's result is kept.
  cycle_t now() {
    const uint64_t time = sc_core::sc_time_stamp().value();
    if (time != seen_) {
      seen_ = time;
      now_ = at(sc_core::sc_time_stamp());
    }
    return now_;
  }

  // The cycle nearest to `time`.
  cycle_t at(const sc_core::sc_time &time) const { return cycle_of(time) - origin_; }

  // The first cycle that is not before `time`. Other modules' times may be between two cycles.
  cycle_t not_sooner(const sc_core::sc_time &time) const {
    const cycle_t cycle = at(time);
    return cycle + (time_of(cycle) < time.value());
  }

  // The time from now to `cycle`, which must not be in the past.
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

// The clock of this process. There is only one, because there is only one SystemC kernel.
Clock &systemc_clock();

#endif
