// Bursts leave through a TLM-2.0 socket and return in the right cycle with the right bytes.
#include <cstdio>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include "bindings/systemc/systemc.h"
#include "bindings/systemc/tlm.hpp"
extern "C" {
#include "isa/asm/asm.h"
#include "models/machine.h"
#include "models/simulation.h"
}
#include "tests/ct.h"
#include "tests/host/target.hpp"

namespace {

constexpr uint32_t kRequests = 12, kLine = 64;

// A component that starts a request every `gap` cycles and records when it completes.
struct Client {
  component part{};
  struct outside *outside = nullptr;
  cycle_t gap = 1;
  bool write = false;
  uint64_t base = 0;
  uint32_t started = 0, done = 0, failed = 0;
  cycle_t start[kRequests] = {}, end[kRequests] = {};
  uint8_t data[kRequests][kLine] = {};
};

cycle_t client_step(void *self, cycle_t now) {
  auto *client = static_cast<Client *>(self);
  if (client->started == kRequests)
    return NEVER;
  if (client->started && now < client->start[client->started - 1] + client->gap)
    return client->start[client->started - 1] + client->gap;
  const uint32_t tag = client->started++;
  client->start[tag] = now;
  transfer transfer = {};
  transfer.tag = tag;
  transfer.rect.bytes = kLine;
  transfer.rect.lines = 1;
  transfer.rect.base = client->base + tag * kLine;
  transfer.write = client->write;
  client->outside->start(client->outside, now, &transfer, client->data[tag]);
  return client->started == kRequests ? NEVER : now + client->gap;
}

void client_done(void *context, uint32_t tag, cycle_t at, bool good) {
  auto *client = static_cast<Client *>(context);
  client->end[tag] = at;
  client->failed += !good;
  client->done++;
  component_wake(&client->part, at);
}

// All SystemC code runs in a child process, because SystemC elaborates once per process.
void in_child(const std::function<bool()> &test) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0)
    _exit(test() ? 0 : 1);
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

struct Bench {
  Client client;
  island only{};
  island *islands[1] = {&only};
  TlmOutside port{"port"};
  Target target;
  host *systemc = nullptr;

  Bench(uint32_t mhz, const sc_core::sc_time &delay, Transport transport = Transport::kNonBlocking)
      : target("target", transport, delay) {
    const char *why = nullptr;
    port.socket.bind(target.socket);
    client.part.name = "client";
    client.part.step = client_step;
    client.part.self = &client;
    client.outside = port.outside();
    client.outside->done = client_done;
    client.outside->context = &client;
    snprintf(only.name, sizeof only.name, "client");
    only.lookahead = 1;
    island_add(&only, &client.part);
    systemc = host_systemc(islands, 1, mhz, &why);
  }

  bool run() { return systemc->run(systemc, NEVER) == NEVER && client.done == kRequests; }
};

// A whole machine whose buffer is in an external memory: its copies, loads and stores go there.
bool run_machine(Transport transport, uint64_t *cycles) {
  static const char text[] =
      ".kernel k\n.arg data global\n.lds t 1024\n.reg e, i, v\n.reg64 p\n ld.arg.b64 p, data\n"
      " get.local_id i, x\n shl.b32 i, i, 2\n copy.to_lds e, [t], [p], 256, size=4\n wait e\n"
      " ld.lds.b32 v, [t + i]\n add.i32 v, v, 1\n st.lds.b32 [t + i], v\n bar.lds\n mov.b32 e, 0\n"
      " add.i64 p, p, 1024\n copy.to_global e, [p], [t], 256, size=4\n wait e\n"
      " ld.global.b32 v, [p + i]\n add.i32 v, v, 1\n st.global.b32 [p + i], v\n exit\n";
  isa_error error{};
  machine machine{};
  machine_defaults(&machine);
  isa_program *program = isa_assemble(text, sizeof text - 1, "test.wws", &error);
  static uint8_t mirror[Target::kBytes];
  isa_buffer buffer{};
  buffer.base = ISA_GLOBAL_BASE;
  buffer.bytes = sizeof mirror;
  buffer.data = mirror;
  isa_memory memory{};
  memory.buffers = &buffer;
  memory.count = 1;
  const uint64_t argument = ISA_GLOBAL_BASE;
  isa_launch launch{};
  launch.program = program;
  launch.kernel = &program->kernels[0];
  launch.dimensions = 1;
  for (int axis = 0; axis < 3; axis++)
    launch.global[axis] = launch.local[axis] = launch.groups[axis] = 1;
  launch.global[0] = launch.local[0] = 64;
  launch.warp_size = machine.cu.warp_size;
  launch.args = reinterpret_cast<const uint8_t *>(&argument);
  launch.memory = &memory;
  launch.lds_bytes = launch.kernel->lds_bytes;

  TlmOutside port("port");
  Target target("target", transport, sc_core::sc_time(50, sc_core::SC_NS), ISA_GLOBAL_BASE);
  port.socket.bind(target.socket);
  simulation *simulation = simulation_new(&machine);
  simulation_attach(simulation, port.outside());
  size_t count = 0;
  const char *why = nullptr;
  struct island **islands = simulation_islands(simulation, &count);
  host *host = host_systemc(islands, count, machine.cu.clock_mhz, &why);
  launch_result result{};
  simulation_run(simulation, host, &launch, 100000, nullptr, &result);
  bool good = result.end == END_FINISHED;
  good &= result.mem.outside_errors == 0 && result.mem.outside_requests > 0 && result.hazard_count == 0;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t in = 0, out = 0;
    memcpy(&in, target.bytes + 4 * i, 4);
    memcpy(&out, target.bytes + 1024 + 4 * i, 4);
    /* Work-items incremented the first 64 words, once in the LDS and once in global memory. */
    good &= out == in + (i < 64 ? 2 : 0);
  }
  *cycles = result.cycles;
  return good;
}

} // namespace

extern "C" {

TEST(tlm, bursts_reach_an_external_memory_and_return) {
  in_child([] {
    uint64_t cycles = 0;
    return run_machine(Transport::kNonBlocking, &cycles) && cycles > 4 * 50;
  });
  in_child([] {
    uint64_t cycles = 0;
    return run_machine(Transport::kBlocking, &cycles) && cycles > 16 * 50;
  });
}

TEST(tlm, a_read_returns_its_bytes_after_the_targets_delay) {
  in_child([] {
    Bench bench(1000, sc_core::sc_time(37, sc_core::SC_NS));
    bench.client.gap = 5;
    bool good = bench.run() && bench.client.failed == 0;
    for (uint32_t i = 0; i < kRequests; i++) {
      good &= bench.client.end[i] == bench.client.start[i] + 37;
      good &= memcmp(bench.client.data[i], bench.target.bytes + i * kLine, kLine) == 0;
    }
    return good;
  });
}

TEST(tlm, a_delay_between_two_cycles_counts_as_the_later) {
  in_child([] {
    Bench bench(1980, sc_core::sc_time(10, sc_core::SC_NS)); /* 19.8 cycles */
    bench.client.gap = 40;
    bool good = bench.run();
    for (uint32_t i = 0; i < kRequests; i++)
      good &= bench.client.end[i] == bench.client.start[i] + 20;
    return good;
  });
}

TEST(tlm, requests_of_all_cycles_overlap) {
  in_child([] {
    Bench bench(1000, sc_core::sc_time(100, sc_core::SC_NS));
    bool good = bench.run();
    for (uint32_t i = 0; i < kRequests; i++)
      good &= bench.client.start[i] == i && bench.client.end[i] == i + 100;
    return good;
  });
}

/* The converter of simple_target_socket never ends a request before its response, so by the protocol the next request
 * has to wait. */
TEST(tlm, a_blocking_target_serves_one_request_at_a_time) {
  in_child([] {
    Bench bench(1000, sc_core::sc_time(100, sc_core::SC_NS), Transport::kBlocking);
    bool good = bench.run();
    for (uint32_t i = 0; i < kRequests; i++) {
      good &= bench.client.start[i] == i && bench.client.end[i] == (i + 1) * 100;
      good &= memcmp(bench.client.data[i], bench.target.bytes + i * kLine, kLine) == 0;
    }
    return good;
  });
}

TEST(tlm, a_write_reaches_the_target) {
  in_child([] {
    Bench bench(1000, sc_core::sc_time(3, sc_core::SC_NS));
    bench.client.write = true;
    memset(bench.client.data, 0xab, sizeof bench.client.data);
    bool good = bench.run();
    for (uint32_t i = 0; i < kRequests * kLine; i++)
      good &= bench.target.bytes[i] == 0xab;
    return good && bench.target.bytes[kRequests * kLine] != 0xab;
  });
}

TEST(tlm, an_immediate_answer_still_takes_a_cycle) {
  in_child([] {
    Bench bench(1000, sc_core::SC_ZERO_TIME);
    bool good = bench.run();
    for (uint32_t i = 0; i < kRequests; i++)
      good &= bench.client.end[i] == bench.client.start[i] + 1;
    return good;
  });
}

TEST(tlm, an_address_error_is_propagated) {
  in_child([] {
    Bench bench(1000, sc_core::sc_time(3, sc_core::SC_NS));
    bench.client.base = Target::kBytes;
    return bench.run() && bench.client.failed == kRequests;
  });
}

} // extern "C"
