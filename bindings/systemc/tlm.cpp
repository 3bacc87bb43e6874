// The TLM-2.0 side of an outside memory. It contains no decision about timing.
#include "bindings/systemc/tlm.hpp"

#include "bindings/systemc/clock.hpp"
#include "sim/base/heap.h"

namespace {

// An extension of the payload, which carries a request's tag and start cycle.
struct Label : tlm::tlm_extension<Label> {
  uint32_t tag = 0;
  cycle_t started = 0;
  tlm::tlm_extension_base *clone() const override { return new Label(*this); }
  void copy_from(const tlm::tlm_extension_base &other) override { *this = static_cast<const Label &>(other); }
};

} // namespace

TlmOutside::TlmOutside(const sc_core::sc_module_name &name) : sc_module(name), socket("socket") {
  socket.register_nb_transport_bw(this, &TlmOutside::on_backward);
  base_.self = this;
  base_.outside.start = [](struct outside *outside, cycle_t now, const transfer *transfer, uint8_t *data) {
    recovery *recovery = heap_suspend();
    reinterpret_cast<Base *>(outside)->self->begin(now, *transfer, data);
    heap_resume(recovery);
  };
}

TlmOutside::~TlmOutside() {
  for (auto *payload : spare_)
    delete payload;
}

void TlmOutside::free(tlm::tlm_generic_payload *payload) { spare_.push_back(payload); }

void TlmOutside::begin(cycle_t now, const transfer &transfer, uint8_t *data) {
  tlm::tlm_generic_payload *payload = nullptr;
  if (spare_.empty()) {
    payload = new tlm::tlm_generic_payload(this);
    payload->set_extension(new Label);
  } else {
    payload = spare_.back();
    spare_.pop_back();
  }
  payload->acquire();
  payload->set_command(transfer.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload->set_address(transfer.rect.base);
  payload->set_data_ptr(data);
  payload->set_data_length(static_cast<unsigned>(transfer.rect.bytes));
  payload->set_streaming_width(static_cast<unsigned>(transfer.rect.bytes));
  payload->set_byte_enable_ptr(nullptr);
  payload->set_dmi_allowed(false);
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  Label *label = payload->get_extension<Label>();
  label->tag = transfer.tag;
  label->started = now;
  waiting_.push_back({payload, now});
  if (!requesting_)
    send_next();
}

// Sends waiting requests, the oldest first, until one occupies the request channel.
void TlmOutside::send_next() {
  while (!requesting_ && !waiting_.empty()) {
    const Request request = waiting_.front();
    waiting_.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const cycle_t now = systemc_clock().not_sooner(sc_core::sc_time_stamp());
    sc_core::sc_time delay = systemc_clock().until(cycle_max(request.now, now));
    requesting_ = request.payload;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*request.payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP))
      responded(*request.payload, delay);
    else if (answer == tlm::TLM_UPDATED && requesting_ == request.payload)
      requesting_ = nullptr; // the target returned END_REQ
  }
}

// The transaction ends in the cycle in which the response has arrived, at least one cycle after its start.
void TlmOutside::responded(tlm::tlm_generic_payload &payload, const sc_core::sc_time &delay) {
  const Label *label = payload.get_extension<Label>();
  const uint32_t tag = label->tag;
  const bool good = payload.is_response_ok();
  const cycle_t at = cycle_max(systemc_clock().not_sooner(sc_core::sc_time_stamp() + delay), label->started + 1);
  if (requesting_ == &payload)
    requesting_ = nullptr;
  payload.release();
  base_.outside.done(base_.outside.context, tag, at, good);
}

tlm::tlm_sync_enum TlmOutside::on_backward(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay) {
  const bool response = phase == tlm::BEGIN_RESP;
  if (response)
    responded(payload, delay);
  else if (requesting_ == &payload)
    requesting_ = nullptr;
  send_next();
  return response ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}
