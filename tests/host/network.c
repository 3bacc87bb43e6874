#include "tests/host/network.h"

#include <stdio.h>
#include <stdlib.h>

/* Minimum cycles of a link, and of one from the hub; maximum tokens in a star. */
enum { SHORTEST = 3, REACH = 7, MOST_TOKENS = 64 };

static void note(struct node *node, cycle_t now, struct token token) {
  node->hash = (node->hash ^ now ^ (uint64_t)token.name << 40) * UINT64_C(0x9e3779b97f4a7c15);
  node->passed++;
}

/* So irregular that tokens overtake each other: which token reaches an occupied node depends on the timing of both. */
static cycle_t stay_of(struct token token) {
  return (token.name * UINT32_C(0x9e3779b1) ^ token.hops * UINT32_C(0x85ebca6b)) * UINT32_C(0xc2b2ae35) >> 28;
}

static cycle_t node_step(void *self, cycle_t now) {
  struct node *node = self;
  if (node->holds && node->release <= now && port_can_send(node->out, now)) {
    port_send(node->out, &node->held, now);
    node->holds = false;
  }
  const struct token *arrived = node->holds ? NULL : port_peek(node->in, now);
  if (arrived) {
    struct token token = *arrived;
    port_take(node->in, now);
    note(node, now, token);
    node->holds = token.hops > 0;
    node->held = (struct token){token.name, token.hops - 1};
    node->release = now + 1 + stay_of(token);
  }
  if (!node->holds)
    return cycle_max(now + 1, port_next(node->in));
  return cycle_max(now + 1, cycle_max(node->release, port_free_at(node->out)));
}

static void node_init(struct node *node, const char *name, struct island *island, struct port *in, struct port *out) {
  *node = (struct node){.component = {.name = name, .step = node_step}, .in = in, .out = out};
  node->component.self = node;
  island_add(island, &node->component);
  island_probe(island, &node->component, "passed", &node->passed, 16);
}

/* A port to the hub has room for all tokens, so no node waits for a credit from there. */
static void connect(struct network *network, size_t i, bool star) {
  const size_t next = (i + 1) % NETWORK_ISLANDS;
  const uint32_t room = star ? MOST_TOKENS + 1 : 2;
  const cycle_t inner = star ? SHORTEST + i % 3 : 1, ring = (star ? REACH : SHORTEST) + i % 4;
  port_init(&network->inner[i], sizeof(struct token), room, inner, &network->front[i].component,
            &network->back[i].component);
  port_init(&network->ring[i], sizeof(struct token), 2, ring, &network->back[i].component,
            &network->front[next].component);
}

/* Credits arrive over the outgoing link, so its latency also bounds the lookahead. */
static cycle_t lookahead(size_t i) {
  cycle_t in = SHORTEST + (i + NETWORK_ISLANDS - 1) % NETWORK_ISLANDS % 4, out = SHORTEST + i % 4;
  return cycle_min(in, out);
}

void network_init(struct network *network, bool star, uint32_t tokens, uint32_t hops) {
  struct island *hub = &network->island[NETWORK_ISLANDS];
  *network = (struct network){.count = star ? NETWORK_ISLANDS + 1 : NETWORK_ISLANDS};
  *hub = (struct island){.name = "hub", .hub = true, .lookahead = SHORTEST, .hub_lookahead = REACH};
  network->islands[NETWORK_ISLANDS] = hub;
  for (size_t i = 0; i < NETWORK_ISLANDS; i++) {
    struct island *island = &network->island[i];
    size_t before = (i + NETWORK_ISLANDS - 1) % NETWORK_ISLANDS;
    network->islands[i] = island;
    snprintf(island->name, sizeof island->name, "node%zu", i);
    island->lookahead = star ? SHORTEST : lookahead(i);
    node_init(&network->front[i], "front", island, &network->ring[before], &network->inner[i]);
    node_init(&network->back[i], "back", star ? hub : island, &network->inner[i], &network->ring[i]);
  }
  for (size_t i = 0; i < NETWORK_ISLANDS; i++)
    connect(network, i, star);
  for (uint32_t i = 0; i < tokens; i++)
    network_inject(network, 2 * i % NETWORK_ISLANDS, i + 1, hops, 0);
}

void network_free(struct network *network) {
  for (size_t i = 0; i < NETWORK_ISLANDS; i++) {
    port_free(&network->inner[i]);
    port_free(&network->ring[i]);
  }
}

void network_inject(struct network *network, size_t index, uint32_t name, uint32_t hops, cycle_t at) {
  struct node *node = &network->front[index];
  node->holds = true;
  node->held = (struct token){name, hops};
  node->release = at;
  component_wake(&node->component, at);
}

uint64_t network_hash(const struct network *network) {
  uint64_t hash = 0;
  for (size_t i = 0; i < NETWORK_ISLANDS; i++)
    hash = (hash ^ network->front[i].hash ^ network->back[i].hash << 1) * UINT64_C(0xbf58476d1ce4e5b9);
  return hash;
}

uint64_t network_arrivals(const struct network *network) {
  uint64_t arrivals = 0;
  for (size_t i = 0; i < NETWORK_ISLANDS; i++)
    arrivals += network->front[i].passed + network->back[i].passed;
  return arrivals;
}
