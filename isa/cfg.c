/* Post-dominators by Lengauer and Tarjan's algorithm ("A fast algorithm for finding dominators in a flowgraph", 1979)
 * with simple path compression, on the reversed graph with a node per instruction. It takes O(edges * log nodes) on any
 * graph, malicious ones included, and for the same reason avoids recursion. */
#include "isa/cfg.h"
#include "isa/ops.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

#define NONE UINT32_MAX

/* Node numbers are pc - entry. Node `count` is the root, to which all exits lead. The second half of the algorithm uses
 * depth-first numbers for nodes; the root is 0. */
struct graph {
  const struct isa_inst *code;
  uint32_t entry, count;
  uint32_t *first, *before; /* predecessors of n: before[first[n] .. first[n + 1]) */
  uint32_t *region;         /* the exit whose region this is; NONE for endless loops */
  uint32_t *number, *node;  /* depth-first number of a node, and back */
  uint32_t *parent, *semi, *ancestor, *label, *dominator, *bucket, *next, *stack;
  void *storage;
};

static bool is_exit(const struct graph *g, uint32_t n, bool guarded) {
  const struct isa_inst *inst = &g->code[g->entry + n];
  return inst->op == ISA_EXIT && !inst->guard == !guarded;
}

uint32_t cfg_successors(const struct isa_inst *code, uint32_t pc, uint32_t to[2]) {
  const struct isa_inst *inst = &code[pc];
  uint32_t count = 0;
  if (inst->op == ISA_BRA)
    to[count++] = isa_branch_target(inst);
  if (inst->guard || (inst->op != ISA_BRA && inst->op != ISA_EXIT))
    to[count++] = pc + 1;
  return count;
}

/* The same as node numbers. */
static uint32_t successors(const struct graph *g, uint32_t n, uint32_t to[2]) {
  const uint32_t count = cfg_successors(g->code, g->entry + n, to);
  for (uint32_t i = 0; i < count; i++)
    to[i] -= g->entry;
  return count;
}

static void make_graph(struct graph *g) {
  const size_t n = (size_t)g->count + 1;
  enum { ARRAYS = 13 };
  uint32_t *at = need_more(NULL, (ARRAYS + 2) * n + 1, sizeof *at);
  g->storage = at;
  uint32_t **arrays[ARRAYS] = {&g->region,   &g->number,          &g->node,      &g->parent, &g->semi,
                               &g->ancestor, &g->label,           &g->dominator, &g->bucket, &g->next,
                               &g->stack,    &g->before /* 2n */, NULL};
  for (size_t i = 0; arrays[i]; i++) {
    *arrays[i] = at;
    at += arrays[i] == &g->before ? 2 * n : n;
  }
  g->first = at; /* n + 1 */
  memset(g->first, 0, (n + 1) * sizeof *at);
}

static void fill_predecessors(struct graph *g) {
  uint32_t to[2];
  for (uint32_t n = 0; n < g->count; n++)
    for (uint32_t i = successors(g, n, to); i--;)
      g->first[to[i] + 1]++;
  for (uint32_t n = 0; n < g->count; n++)
    g->first[n + 1] += g->first[n];
  memcpy(g->next, g->first, g->count * sizeof *g->next);
  for (uint32_t n = 0; n < g->count; n++)
    for (uint32_t i = successors(g, n, to); i--;)
      g->before[g->next[to[i]]++] = n;
}

static void add_regions(struct graph *g, bool guarded) {
  for (uint32_t last = g->count; last--;) {
    if (!is_exit(g, last, guarded) || g->region[last] != NONE)
      continue;
    uint32_t depth = 0;
    g->region[last] = last;
    g->stack[depth++] = last;
    while (depth) {
      const uint32_t n = g->stack[--depth];
      for (uint32_t i = g->first[n]; i < g->first[n + 1]; i++)
        if (g->region[g->before[i]] == NONE) {
          g->region[g->before[i]] = last;
          g->stack[depth++] = g->before[i];
        }
    }
  }
}

/* Lanes for which a guarded exit does not hold go past it and meet behind it. So a guarded exit ends a region only
 * where there is no other way out. */
static void find_regions(struct graph *g) {
  memset(g->region, 0xff, ((size_t)g->count + 1) * sizeof *g->region);
  add_regions(g, false);
  add_regions(g, true);
}

/* Assigns depth-first numbers from the root, against the edges that stay in a region. Returns how many. A node is on
 * the stack once; `next` is its next edge to follow. */
static uint32_t number_nodes(struct graph *g) {
  uint32_t numbers = 0;
  memset(g->number, 0xff, ((size_t)g->count + 1) * sizeof *g->number);
  g->number[g->count] = numbers;
  g->node[numbers++] = g->count;
  for (uint32_t exit_node = 0; exit_node < g->count; exit_node++) {
    if (g->region[exit_node] != exit_node)
      continue;
    uint32_t depth = 0;
    g->parent[numbers] = 0;
    g->number[exit_node] = numbers;
    g->node[numbers++] = exit_node;
    g->next[exit_node] = g->first[exit_node];
    g->stack[depth++] = exit_node;
    while (depth) {
      const uint32_t n = g->stack[depth - 1];
      if (g->next[n] == g->first[n + 1]) {
        depth--;
        continue;
      }
      const uint32_t from = g->before[g->next[n]++];
      if (g->region[from] != exit_node || g->number[from] != NONE)
        continue;
      g->parent[numbers] = g->number[n];
      g->number[from] = numbers;
      g->node[numbers++] = from;
      g->next[from] = g->first[from];
      g->stack[depth++] = from;
    }
  }
  return numbers;
}

/* The node with the least semi-dominator on the path up from v. Compresses the path. */
static uint32_t evaluate(struct graph *g, uint32_t v) {
  if (g->ancestor[v] == NONE)
    return v;
  uint32_t depth = 0;
  for (uint32_t u = v; g->ancestor[g->ancestor[u]] != NONE; u = g->ancestor[u])
    g->stack[depth++] = u;
  while (depth) {
    const uint32_t u = g->stack[--depth], up = g->ancestor[u];
    if (g->semi[g->label[up]] < g->semi[g->label[u]])
      g->label[u] = g->label[up];
    g->ancestor[u] = g->ancestor[up];
  }
  return g->label[v];
}

/* semi[v] from the edges of v that stay in its region. An exit only has the edge to the root. */
static void find_semi(struct graph *g, uint32_t v) {
  const uint32_t n = g->node[v];
  uint32_t to[2];
  if (g->region[n] == n) {
    g->semi[v] = 0;
    return;
  }
  for (uint32_t i = successors(g, n, to); i--;) {
    if (g->region[to[i]] != g->region[n])
      continue;
    const uint32_t least = g->semi[evaluate(g, g->number[to[i]])];
    if (least < g->semi[v])
      g->semi[v] = least;
  }
}

static void find_dominators(struct graph *g, uint32_t numbers) {
  for (uint32_t v = 0; v < numbers; v++) {
    g->semi[v] = g->label[v] = v;
    g->ancestor[v] = g->bucket[v] = NONE;
  }
  g->dominator[0] = 0;
  for (uint32_t v = numbers; --v;) {
    find_semi(g, v);
    g->next[v] = g->bucket[g->semi[v]];
    g->bucket[g->semi[v]] = v;
    const uint32_t parent = g->parent[v];
    g->ancestor[v] = parent;
    for (uint32_t u = g->bucket[parent]; u != NONE; u = g->next[u]) {
      const uint32_t least = evaluate(g, u);
      g->dominator[u] = g->semi[least] < g->semi[u] ? least : parent;
    }
    g->bucket[parent] = NONE;
  }
  for (uint32_t v = 1; v < numbers; v++)
    if (g->dominator[v] != g->semi[v])
      g->dominator[v] = g->dominator[g->dominator[v]];
}

/* The longest chain of joins in each region's tree, summed over the regions: lanes that leave one region for another
 * leave the joins of the first below them on the stack. `semi` flags joins, `label` holds the chain lengths. */
static uint32_t deepest(struct graph *g, uint32_t numbers, const uint32_t *join) {
  memset(g->semi, 0, numbers * sizeof *g->semi);
  for (uint32_t n = 0; n < g->count; n++)
    if (join[n] != ISA_NEVER)
      g->semi[g->number[join[n] - g->entry]] = 1;
  uint32_t sum = 1, most = 0; /* 1: ISA_NEVER may be pushed once, on top of all others */
  g->label[0] = 0;
  for (uint32_t v = 1; v < numbers; v++) {
    if (g->region[g->node[v]] == g->node[v]) { /* a new region begins */
      sum += most;
      most = 0;
    }
    g->label[v] = g->label[g->dominator[v]] + g->semi[v];
    most = g->label[v] > most ? g->label[v] : most;
  }
  return sum + most;
}

void cfg_joins(const struct isa_inst *code, uint32_t entry, uint32_t end, uint32_t *join, uint32_t *depth) {
  struct graph g = {.code = code, .entry = entry, .count = end - entry};
  make_graph(&g);
  fill_predecessors(&g);
  find_regions(&g);
  const uint32_t numbers = number_nodes(&g);
  find_dominators(&g, numbers);
  for (uint32_t n = 0; n < g.count; n++) {
    join[n] = ISA_NEVER;
    if (code[entry + n].op == ISA_BRA && code[entry + n].guard && g.region[n] != NONE)
      join[n] = entry + g.node[g.dominator[g.number[n]]];
  }
  *depth = deepest(&g, numbers, join);
  free(g.storage);
}

/* ---- loops ------------------------------------------------------------------------------ */

/* Strongly connected components by Tarjan ("Depth-first search and linear graph algorithms", 1972). `semi` is the least
 * number that a node leads back to, `label` lists the `open` nodes whose component is not complete, `bucket` says
 * whether a node is in that list, and `next` is its next edge to follow. */
struct search {
  struct graph *g;
  uint32_t numbers, depth, open;
};

static void enter(struct search *search, uint32_t n) {
  struct graph *g = search->g;
  g->number[n] = g->semi[n] = search->numbers++;
  g->stack[search->depth++] = n;
  g->label[search->open++] = n;
  g->bucket[n] = 1;
  g->next[n] = 0;
}

/* The open nodes from `n` on form a component. It is a cycle if it has other nodes than n. */
static void close_component(struct search *search, uint32_t n, struct isa_info *info) {
  const struct graph *g = search->g;
  const bool several = g->label[search->open - 1] != n;
  uint32_t member = g->count;
  while (member != n) {
    member = g->label[--search->open];
    g->bucket[member] = 0;
    info[member].in_loop |= several;
  }
}

static void search_from(struct search *search, uint32_t root, struct isa_info *info) {
  struct graph *g = search->g;
  enter(search, root);
  while (search->depth) {
    const uint32_t n = g->stack[search->depth - 1];
    uint32_t to[2];
    if (g->next[n] < successors(g, n, to)) {
      const uint32_t m = to[g->next[n]++];
      info[n].in_loop |= m == n;
      if (g->number[m] == NONE)
        enter(search, m);
      else if (g->bucket[m] && g->number[m] < g->semi[n])
        g->semi[n] = g->number[m];
      continue;
    }
    const uint32_t from = --search->depth ? g->stack[search->depth - 1] : n;
    if (g->semi[n] < g->semi[from])
      g->semi[from] = g->semi[n];
    if (g->semi[n] == g->number[n])
      close_component(search, n, info);
  }
}

void cfg_loops(struct isa_program *program, const struct isa_kernel *kernel) {
  struct graph g = {.code = program->code, .entry = kernel->entry, .count = kernel->end - kernel->entry};
  make_graph(&g);
  memset(g.number, 0xff, g.count * sizeof *g.number);
  struct search search = {.g = &g};
  for (uint32_t n = 0; n < g.count; n++)
    if (g.number[n] == NONE)
      search_from(&search, n, program->info + kernel->entry);
  free(g.storage);
}
