// An outside memory (sim/core/outside.h) reached through a TLM-2.0 initiator socket.
//
//     TlmOutside port("port");
//     port.socket.bind(someone_elses_memory.socket);
//     ... port.outside() is given to the memory component, before the SystemC host is made ...
//
// Transactions use nb_transport with the approximately-timed base protocol: BEGIN_REQ forward, one at
// a time until END_REQ; any number may then wait for their BEGIN_RESP, which ends them. A target with
// b_transport only works too: simple_target_socket converts, but never ends a request before its
// response, so that such a target serves one after the other.
//
// Not modelled: byte enables, streaming, DMI; a response that says it failed is passed on as such.
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
    struct outside outside; // first: a struct outside * is a Base *
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
  std::deque<Request> waiting_;                    // for the request channel, oldest first
  tlm::tlm_generic_payload *requesting_ = nullptr; // between BEGIN_REQ and END_REQ
  std::vector<tlm::tlm_generic_payload *> spare_;
};

#endif
