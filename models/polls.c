#include "models/polls.h"

#include <stdio.h>
#include <stdlib.h>

#include "isa/ops.h"
#include "sim/base/map.h"
#include "sim/base/need.h"

enum {
  SEEN = 4,        /* different accesses that a polling loop may have */
  TURNS = 2,       /* times that each must have been repeated */
  LEAST = 1 << 20, /* cycles that are watched, */
  PART = 16,       /* or this part of the limit if it is longer: many warps that poll one word take long turns */
};

struct seen {
  uint64_t key, mask, low, high; /* high: after the last byte */
  uint32_t pc;
};

struct polled {
  struct seen seen[SEEN];
  uint32_t count, oldest;
  uint32_t used; /* those that were repeated since another access came: a bit each */
  uint32_t repeats;
  uint64_t ran; /* lanes that ran anything since then */
};

struct polls {
  struct warp_source source;
  const struct warp_source *inner;
  struct cu *cu;
  struct polled warp[CU_WARPS];
};

cycle_t polls_from(cycle_t start, cycle_t end) {
  const cycle_t watched = cycle_max(LEAST, (end - start) / PART);
  return end - start > watched ? end - watched : start;
}

/* ---- watching -------------------------------------------------------------------------------------- */

static struct seen seen_of(const struct isa_access *access, bool local) {
  const uint64_t base = local ? access->warp->group->lds_base : 0;
  struct seen seen = {.key = access->pc ^ access->mask, .mask = access->mask, .low = UINT64_MAX, .pc = access->pc};
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint64_t address = access->address[__builtin_ctzll(left)] - base;
    seen.key = hash_join(seen.key, address);
    seen.low = address < seen.low ? address : seen.low;
    seen.high = address + access->bytes > seen.high ? address + access->bytes : seen.high;
  }
  return seen;
}

static void note(struct polled *polled, const struct isa_access *access, bool local) {
  const struct seen seen = seen_of(access, local);
  for (uint32_t i = 0; i < polled->count; i++)
    if (polled->seen[i].key == seen.key && polled->seen[i].pc == seen.pc && polled->seen[i].mask == seen.mask) {
      polled->used |= 1u << i;
      polled->repeats++;
      return;
    }
  const uint32_t at = polled->count < SEEN ? polled->count++ : polled->oldest++ % SEEN;
  polled->seen[at] = seen;
  polled->used = polled->repeats = 0;
  polled->ran = 0;
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  struct polls *polls = self;
  const struct warp_source *inner = polls->inner;
  const uint32_t next = warp_source_call(inner, step, slot, now, access, result);
  const uint8_t class_ = polls->cu->warps[slot].kernel->info[result->pc].class_;
  if (access && access->mask && (class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_GLOBAL))
    note(&polls->warp[slot], access, class_ == ISA_CLASS_LDS);
  polls->warp[slot].ran |= result->mask;
  return next;
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  struct polls *polls = self;
  const struct warp_source *inner = polls->inner;
  polls->warp[slot] = (struct polled){.count = 0};
  return warp_source_call(inner, start_warp, slot, group_slot, index);
}

struct polls *polls_new(struct cu *cu, const struct warp_source *inner) {
  struct polls *polls = need(1, sizeof *polls);
  polls->inner = inner;
  polls->cu = cu;
  warp_source_wrap(&polls->source, inner, &(struct warp_source){.step.call = step, .start_warp.call = start_warp},
                   polls);
  cu->source = &polls->source;
  return polls;
}

void polls_free(struct polls *polls) {
  if (polls)
    polls->cu->source = polls->inner;
  free(polls);
}

/* ---- reporting ------------------------------------------------------------------------------------- */

/* Names the variable of the kernel, or its only local argument, which follows the variables. */
static void name_local(const struct isa_kernel *kernel, uint64_t offset, struct warp_poll *poll) {
  const struct isa_arg *argument = NULL;
  const uint64_t first = div_up(kernel->lds_bytes, ISA_LOCAL_ALIGN) * ISA_LOCAL_ALIGN;
  size_t arguments = 0;
  poll->offset = offset;
  for (size_t i = 0; i < kernel->lds_count; i++)
    if (offset >= kernel->lds[i].offset && offset - kernel->lds[i].offset < kernel->lds[i].bytes) {
      snprintf(poll->name, sizeof poll->name, "%s", kernel->lds[i].name);
      poll->offset = offset - kernel->lds[i].offset;
      return;
    }
  for (size_t i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == ISA_ARG_LOCAL && !arguments++)
      argument = &kernel->args[i];
  if (arguments == 1 && offset >= first) {
    snprintf(poll->name, sizeof poll->name, "%s", argument->name);
    poll->offset = offset - first;
  }
}

static void name_global(const struct isa_memory *memory, uint64_t address, struct warp_poll *poll) {
  const struct isa_buffer *buffer = isa_memory_near(memory, address);
  poll->offset = address;
  if (!buffer || address - buffer->base >= buffer->bytes)
    return;
  snprintf(poll->name, sizeof poll->name, "%s", buffer->name);
  poll->offset = address - buffer->base;
}

enum { RANK_STORE, RANK_LOAD, RANK_ATOMIC, RANK_EXCHANGE };

static unsigned rank_of(const struct cu_kernel *kernel, uint32_t pc) {
  switch ((enum isa_op)kernel->program->code[pc].op) {
  case ISA_ATOM_LDS_XCHG_32:
  case ISA_ATOM_LDS_XCHG_64:
  case ISA_ATOM_LDS_CAS_32:
  case ISA_ATOM_LDS_CAS_64:
  case ISA_ATOM_GLOBAL_XCHG_32:
  case ISA_ATOM_GLOBAL_XCHG_64:
  case ISA_ATOM_GLOBAL_CAS_32:
  case ISA_ATOM_GLOBAL_CAS_64:
    return RANK_EXCHANGE;
  default:
    return kernel->info[pc].atomic ? RANK_ATOMIC : kernel->info[pc].store ? RANK_STORE : RANK_LOAD;
  }
}

bool polls_find(const struct polls *polls, uint32_t slot, const bool *steers, struct warp_poll *poll) {
  const struct polled *polled = &polls->warp[slot];
  const struct cu_warp *warp = &polls->cu->warps[slot];
  const struct isa_launch *launch = warp->kernel->launch;
  const struct seen *found = NULL;
  if (polled->repeats < TURNS * (uint32_t)__builtin_popcount(polled->used) || !polled->used)
    return false;
  /* An exchange before other atomic operations, and these before loads: the loop may load what it stores. */
  for (uint32_t i = 0; i < polled->count; i++) {
    const struct seen *seen = &polled->seen[i];
    if (!(polled->used >> i & 1) || !steers[seen->pc] || !rank_of(warp->kernel, seen->pc))
      continue;
    const unsigned rank = rank_of(warp->kernel, seen->pc), best = found ? rank_of(warp->kernel, found->pc) : 0;
    if (rank > best || (rank == best && seen->pc < found->pc))
      found = seen;
  }
  if (!found)
    return false;
  *poll = (struct warp_poll){
      .pc = found->pc,
      .lanes = found->mask,
      .waiting = polls->inner->live.call(polls->inner->live.self, slot) & ~polled->ran,
      .local = warp->kernel->info[found->pc].class_ == ISA_CLASS_LDS,
      .exchange = rank_of(warp->kernel, found->pc) == RANK_EXCHANGE,
      .same = found->high - found->low == warp->kernel->info[found->pc].bytes,
      .first_item = warp->index * launch->warp_size,
      .bytes = found->high - found->low,
  };
  if (poll->local)
    name_local(launch->kernel, found->low, poll);
  else
    name_global(launch->memory, found->low, poll);
  return true;
}
