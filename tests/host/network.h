/* Islands that pass tokens around a ring: small enough to understand, busy enough to catch a host that steps an island
 * too far, too late or not at all.
 *
 *     island i:  front --1--> back --(3 + i % 4)--> island i + 1's front ...
 *
 * A node takes a token, records when it arrived, keeps it for a few cycles and sends it on with one hop less.
 *
 * In a star, every `back` is in one more island, the hub; all links are long, and those from the hub longer. Islands
 * are linked only to the hub. */
#ifndef TESTS_HOST_NETWORK_H
#define TESTS_HOST_NETWORK_H

#include "sim/core/port.h"
#include "sim/host/host.h"

enum { NETWORK_ISLANDS = 9 };

struct token {
  uint32_t name, hops;
};

struct node {
  struct component component;
  struct port *in, *out;
  struct token held;
  bool holds;
  cycle_t release;
  uint64_t hash;   /* of every arrival: cycle and token */
  uint32_t passed; /* tokens seen; a waveform shows this */
};

struct network {
  struct island island[NETWORK_ISLANDS + 1];
  struct island *islands[NETWORK_ISLANDS + 1];
  size_t count; /* of islands */
  struct node front[NETWORK_ISLANDS], back[NETWORK_ISLANDS];
  struct port inner[NETWORK_ISLANDS], ring[NETWORK_ISLANDS];
};

void network_init(struct network *network, bool star, uint32_t tokens, uint32_t hops);
void network_free(struct network *network);

/* Gives island `index` a token at cycle `at`, as a new launch would. */
void network_inject(struct network *network, size_t index, uint32_t name, uint32_t hops, cycle_t at);

uint64_t network_hash(const struct network *network);
uint64_t network_arrivals(const struct network *network);

#endif
