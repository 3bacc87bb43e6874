// Someone else's memory, as a user might bring it: a TLM-2.0 target with a blocking transport, or with a
// non-blocking one that takes the next request while others are under way.
#ifndef TESTS_HOST_TARGET_HPP
#define TESTS_HOST_TARGET_HPP

#include <cstring>

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

enum class Transport { kBlocking, kNonBlocking };

class Target : public sc_core::sc_module {
public:
  SC_HAS_PROCESS(Target);
  static constexpr uint64_t kBytes = 4096;
  tlm_utils::simple_target_socket<Target, 64> socket;
  unsigned char bytes[kBytes];

  Target(const sc_core::sc_module_name &name, Transport transport, const sc_core::sc_time &delay, uint64_t base = 0)
      : sc_module(name), socket("socket"), due_("due"), delay_(delay), base_(base) {
    if (transport == Transport::kBlocking)
      socket.register_b_transport(this, &Target::blocking);
    else
      socket.register_nb_transport_fw(this, &Target::forward);
    SC_METHOD(respond);
    sensitive << due_.get_event();
    dont_initialize();
    for (uint64_t i = 0; i < kBytes; i++)
      bytes[i] = static_cast<unsigned char>(i * 7);
  }

private:
  void blocking(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    delay += delay_;
    access(payload);
  }

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) {
    due_.notify(payload, delay + delay_);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void respond() {
    while (tlm::tlm_generic_payload *payload = due_.get_next_transaction()) {
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      access(*payload);
      socket->nb_transport_bw(*payload, phase, delay);
    }
  }

  void access(tlm::tlm_generic_payload &payload) {
    const uint64_t address = payload.get_address() - base_, length = payload.get_data_length();
    if (address > kBytes || length > kBytes - address) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write())
      memcpy(bytes + address, payload.get_data_ptr(), length);
    else
      memcpy(payload.get_data_ptr(), bytes + address, length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  tlm_utils::peq_with_get<tlm::tlm_generic_payload> due_;
  const sc_core::sc_time delay_;
  const uint64_t base_; // address of the first byte
};

#endif
