// An outside memory (sim/core/outside.h) behind a TLM-2.0 initiator socket.
//
//     TlmOutside port("port");
//     port.socket.bind(someone_elses_memory.socket);
//     ... pass port.outside() to the memory component before you make the SystemC host ...
//
// Transactions use nb_transport with the approximately-timed base protocol. BEGIN_REQ goes forward, one
// at a time until END_REQ. Any number of transactions may then wait for BEGIN_RESP, which ends them. A
// target that has only b_transport works too: simple_target_socket converts the calls, but ends each
// request with its response, so such a target serves one transaction at a time.
//
// Not modeled: byte enables, streaming, DMI. A response with an error status is passed on.
#ifndef BINDINGS_SYSTEMC_TLM_HPP
#define BINDINGS_SYSTEMC_TLM_HPP

#include <deque>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

extern "C" {
#include "sim/core/outside.h"
}

class TlmOutside : public sc_core::sc_module, private tlm::tlm_mm_interface {
public:
  tlm_utils::simple_initiator_socket<TlmOutside, 64> socket;

  explicit TlmOutside(const sc_core::sc_module_name &name);
  ~TlmOutside() override;
  struct outside *outside() {
    return &base_.outside;
  }

private:
  struct Base {
    struct outside outside; // first, so that a struct outside * can be cast to Base *
    TlmOutside *self;
  };
  struct Request {
    tlm::tlm_generic_payload *payload;
    cycle_t now;
  };

  void begin(cycle_t now, const transfer &transfer, uint8_t *data);
  void send_next();
  void responded(tlm::tlm_generic_payload &payload, const sc_core::sc_time &delay);
  tlm::tlm_sync_enum on_backward(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay);
  void free(tlm::tlm_generic_payload *payload) override;

  Base base_{};
  std::deque<Request> waiting_;                    // for the request channel, the oldest first
  tlm::tlm_generic_payload *requesting_ = nullptr; // between BEGIN_REQ and END_REQ
  std::vector<tlm::tlm_generic_payload *> spare_;
};

#endif
