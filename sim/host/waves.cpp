// Waves played back: one SC_METHOD that changes values when their time has come, and SystemC's tracing.
#include "sim/host/waves.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "sim/host/clock.hpp"
#include "sim/host/vcd.h"

namespace {

// A kernel of its own for as long as it lives: SystemC's time does not go back, and its models are made once.
class Kernel {
public:
  Kernel() : before_(sc_core::sc_curr_simcontext) { sc_core::sc_curr_simcontext = new sc_core::sc_simcontext; }
  ~Kernel() {
    delete sc_core::sc_curr_simcontext;
    sc_core::sc_curr_simcontext = before_;
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

private:
  sc_core::sc_simcontext *before_;
};

class Player : public sc_core::sc_module {
public:
  SC_HAS_PROCESS(Player);
  Player(const sc_core::sc_module_name &name, const waves &waves)
      : sc_module(name), waves_(waves), value_(waves.count), more_(waves.next(waves.self, &change_)) {
    clock_.set_mhz(waves.clock_mhz);
    SC_METHOD(play);
  }

  void trace(sc_core::sc_trace_file *file) const {
    for (size_t i = 0; i < waves_.count; i++)
      sc_core::sc_trace(file, value_[i], waves_.wave[i].name, waves_.wave[i].bits);
  }

private:
  void play() {
    const cycle_t now = clock_.now();
    while (more_ && change_.at <= now) {
      value_[change_.wave] += change_.step;
      more_ = waves_.next(waves_.self, &change_);
    }
    if (more_)
      next_trigger(clock_.until(change_.at));
    else if (now == last_)
      return;
    else
      next_trigger(clock_.until(last_ = now + 1)); // an instant is traced when another follows it
  }

  const waves &waves_;
  std::vector<uint64_t> value_;
  Clock clock_;
  wave_change change_ = {};
  bool more_;
  cycle_t last_ = NEVER;
};

void play(const waves &waves, const std::string &stem) {
  Kernel kernel;
  Player player("waves", waves);
  const std::unique_ptr<sc_core::sc_trace_file, decltype(&sc_core::sc_close_vcd_trace_file)> file(
      sc_core::sc_create_vcd_trace_file(stem.c_str()), sc_core::sc_close_vcd_trace_file);
  file->set_time_unit(1, sc_core::SC_PS);
  sc_core::sc_write_comment(file.get(), waves.comment);
  player.trace(file.get());
  sc_core::sc_start();
}

} // namespace

bool host_waves(const waves *waves, const char *path, const char **message) {
  static std::string text;
  const std::string stem = std::string(path) + ".part"; // SystemC adds the ending
  // What goes wrong is told once, by the message.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_DO_NOTHING);
  try {
    play(*waves, stem);
  } catch (const std::exception &error) {
    std::remove((stem + ".vcd").c_str());
    text = error.what();
    *message = text.c_str();
    return false;
  }
  const bool good = vcd_finish((stem + ".vcd").c_str(), path);
  if (!good)
    *message = std::strerror(errno);
  return good;
}
