// SystemC as the host of islands, with one SC_METHOD each. It contains no decision about timing.
//
// A method runs its island ahead by the lookahead, then notifies its own event for the island's next
// step. A message from another island notifies the same event earlier (SystemC keeps the earliest).
// One statically sensitive event and no next_trigger() means that a visit allocates nothing.
#include "bindings/systemc/systemc.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "bindings/systemc/clock.hpp"
#include "sim/base/heap.h"
#include "sim/host/vcd.h"

// libsystemc has a main that calls sc_main, although our main is elsewhere. Weak, so that users of the
// library may define their own.
extern "C" __attribute__((weak)) int sc_main(int, char **) { return 0; }

namespace {

class Shell;

class IslandModule : public sc_core::sc_module {
public:
  SC_HAS_PROCESS(IslandModule);
  IslandModule(const sc_core::sc_module_name &name, Shell *shell, island *island)
      : sc_module(name), shell_(shell), island_(island) {
    SC_METHOD(step);
    sensitive << due_;
    dont_initialize();
    island_->host = this;
    island_->woken = [](void *module, cycle_t at) { static_cast<IslandModule *>(module)->wake(at); };
  }

  void wake(cycle_t at);
  void step();
  void run() { next_ = island_run(island_, until_); }
  island *get() const { return island_; }

private:
  Shell *shell_;
  island *island_;
  cycle_t until_ = 0, next_ = NEVER; // of the current step
  sc_core::sc_event due_;
};

class Shell {
public:
  Shell(island **islands, size_t count, uint32_t clock_mhz) : clock_(systemc_clock()) {
    clock_.set_mhz(clock_mhz);
    for (size_t i = 0; i < count; i++)
      modules_.push_back(std::make_unique<IslandModule>(islands[i]->name, this, islands[i]));
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates; no event is due yet
  }

  ~Shell() {
    for (auto &module : modules_)
      module->get()->woken = nullptr;
  }

  // SystemC stops when no event is left, because wake() does not notify events at or after the limit.
  // A jump out of a step must not leave SystemC's frames: it ends in helped(), and goes on here.
  cycle_t run(cycle_t limit, waveform *waveform) {
    limit_ = limit;
    waveform_ = waveform;
    const cycle_t first = earliest();
    if (first >= limit)
      return first;
    clock_.not_before(first);
    running_ = true;
    recovery_ = heap_suspend();
    for (auto &module : modules_)
      module->wake(module->get()->next);
    sc_core::sc_start();
    heap_resume(recovery_);
    running_ = false;
    if (failed_)
      heap_out_for(wanted_, defect_);
    if (wanted_)
      heap_refuse(wanted_);
    wanted_ = 0;
    return earliest();
  }

  // Runs work(self), which steps an island, behind the recovery point of the run. False: it has failed.
  bool helped(void (*work)(void *self), void *self) {
    size_t wanted = 0;
    failed_ = failed_ || !heap_help(recovery_, work, self, &wanted, defect_);
    wanted_ = wanted ? wanted : wanted_;
    if (failed_)
      sc_core::sc_pause();
    return !failed_;
  }

  bool running() const { return running_; }
  cycle_t limit() const { return limit_; }
  cycle_t ahead(const island *island) const { return waveform_ ? 1 : island->lookahead; }
  void advance_waveform(cycle_t now) const {
    if (waveform_)
      waveform_advance(waveform_, now);
  }

  Clock &clock() { return clock_; }

private:
  cycle_t earliest() const {
    cycle_t next = NEVER;
    for (const auto &module : modules_)
      next = cycle_min(next, module->get()->next);
    return next;
  }

  std::vector<std::unique_ptr<IslandModule>> modules_;
  Clock &clock_;
  cycle_t limit_ = 0;
  bool running_ = false;
  waveform *waveform_ = nullptr;
  recovery *recovery_ = nullptr; // where running out of memory ends
  bool failed_ = false;
  size_t wanted_ = 0; // by an allocation that failed
  char defect_[HEAP_TEXT] = "";
};

void IslandModule::wake(cycle_t at) {
  // Between runs nothing is notified, because run() starts with every island's next step. NEVER is
  // not before any limit.
  if (shell_->running() && at < shell_->limit())
    due_.notify(shell_->clock().until(at));
}

void IslandModule::step() {
  const cycle_t now = shell_->clock().now();
  until_ = cycle_min(now + shell_->ahead(island_), shell_->limit());
  shell_->advance_waveform(now);
  if (shell_->helped([](void *self) { static_cast<IslandModule *>(self)->run(); }, this))
    wake(next_);
}

struct SystemcHost {
  host base; // first, so that a struct host * can be cast to SystemcHost *
  std::unique_ptr<Shell> shell;
};

cycle_t systemc_run(host *host, cycle_t limit) {
  return reinterpret_cast<SystemcHost *>(host)->shell->run(limit, host->waveform);
}

void systemc_free(host *host) { delete reinterpret_cast<SystemcHost *>(host); }

} // namespace

Clock &systemc_clock() {
  static Clock clock;
  return clock;
}

host *host_systemc(island **islands, size_t count, uint32_t clock_mhz, const char **message) {
  static bool taken = false;
  if (taken) {
    *message = "one SystemC host may exist in a process, and only once";
    return nullptr;
  }
  taken = true;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  try {
    auto shell = std::make_unique<Shell>(islands, count, clock_mhz);
    auto *host = new SystemcHost{{systemc_run, systemc_free, nullptr, 0, false}, std::move(shell)};
    return &host->base;
  } catch (const std::exception &error) {
    static std::string text;
    text = error.what();
    *message = text.c_str();
    return nullptr;
  }
}
