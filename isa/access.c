/* Loads, stores and atomics: addresses and checks at issue, the accesses themselves at commit.
 *
 * The common case is a full warp with every lane aligned and inside one buffer. The loops of isa/addresses.h recognize
 * it. In all other cases lanes are checked one by one, so that hazards can be reported. */
#include "isa/addresses.h"
#include "isa/numbers.h"
#include "isa/ops.h"
#include "isa/step.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "registers are copied to memory byte for byte");

/* ---- one lane's bytes, to and from registers --------------------------------------------------- */

static void load_lane(enum isa_type type, uint32_t *row, uint32_t stride, const uint8_t *from) {
  uint32_t words[4] = {0};
  const struct isa_type_row *row_type = &isa_types[type];
  memcpy(words, from, row_type->bytes);
  if (type == TYPE_S8)
    words[0] = (uint32_t)(int32_t)(int8_t)words[0];
  if (type == TYPE_S16)
    words[0] = (uint32_t)(int32_t)(int16_t)words[0];
  for (uint32_t word = 0; word < row_type->registers; word++)
    row[word * stride] = words[word];
}

static void store_lane(enum isa_type type, const uint32_t *row, uint32_t stride, uint8_t *to) {
  uint32_t words[4] = {0};
  const struct isa_type_row *row_type = &isa_types[type];
  for (uint32_t word = 0; word < row_type->registers; word++)
    words[word] = row[word * stride];
  memcpy(to, words, row_type->bytes);
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* A load gives 0 in lanes that are out of bounds. */
static void clear_lanes(struct isa_warp *warp, const struct isa_inst *inst, uint64_t lanes) {
  const uint32_t stride = warp->group->launch->warp_size;
  const enum isa_type type = isa_rows[inst->op].d;
  if (type == TYPE_NONE || inst->d == ISA_NO_REGISTER)
    return;
  for (uint32_t word = 0; word < isa_types[type].registers; word++)
    EACH_LANE(lane, lanes) warp->reg[(size_t)(inst->d + word) * stride + lane] = 0;
}

static void check_alignment(const struct isa_warp *warp, uint32_t pc, const char *space, const uint64_t *address,
                            uint64_t base, uint64_t mask, uint32_t bytes) {
  uint64_t low_bits = 0;
  EACH_LANE(lane, mask) low_bits |= address[lane] - base;
  if (!(low_bits & (bytes - 1)))
    return;
  EACH_LANE(lane, mask) {
    if (!((address[lane] - base) & (bytes - 1)))
      continue;
    step_report(warp, pc, HAZARD_M2, (uint32_t)lane, "%s address 0x%" PRIx64 " of a %u-byte access", space,
                address[lane] - base, bytes);
    return;
  }
}

/* The lanes of `mask` whose bytes are in [base, base + room). */
static uint64_t lanes_inside(const uint64_t *address, uint64_t base, uint64_t room, uint64_t mask, uint32_t bytes) {
  if (room < bytes)
    return 0;
  const uint64_t most = room - bytes;
  uint64_t inside = 0;
  EACH_LANE(lane, mask) inside |= (uint64_t)(address[lane] - base <= most) << lane;
  return inside;
}

/* Checks 32-bit offsets into a space of `room` bytes whose first byte has address `base`. Returns the lanes that are in
 * bounds. */
static uint64_t check_room(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, const char *space,
                           const uint64_t *address, uint64_t base, uint32_t room, uint64_t mask, uint32_t bytes) {
  const uint64_t inside = lanes_inside(address, base, room, mask, bytes), outside = mask & ~inside;
  if (outside) {
    const uint32_t lane = first_lane(outside);
    step_report(warp, pc, HAZARD_M1, lane, "%s offset %" PRIu64 ", %u bytes; there are %u", space, address[lane] - base,
                bytes, room);
    clear_lanes(warp, inst, outside);
  }
  return inside;
}

/* The same for one value of `bytes`, which should be aligned. */
static uint64_t check_offsets(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, const char *space,
                              const uint64_t *address, uint64_t base, uint32_t room, uint64_t mask, uint32_t bytes) {
  const uint64_t inside = check_room(warp, inst, pc, space, address, base, room, mask, bytes);
  check_alignment(warp, pc, space, address, base, inside, bytes);
  return inside;
}

static void report_global(const struct isa_warp *warp, uint32_t pc, uint64_t address, uint32_t bytes, uint32_t lane) {
  const struct isa_buffer *buffer = isa_memory_near(warp->group->launch->memory, address);
  if (buffer)
    step_report(warp, pc, HAZARD_M1, lane,
                "address 0x%" PRIx64 ", %u bytes: offset %" PRIu64 " of '%s', which has %" PRIu64, address, bytes,
                address - buffer->base, buffer->name, buffer->bytes);
  else
    step_report(warp, pc, HAZARD_M1, lane, "address 0x%" PRIx64 ", %u bytes, is below every buffer", address, bytes);
}

static void check_global(struct isa_access *access, const struct isa_inst *inst) {
  struct isa_warp *warp = access->warp;
  struct isa_memory *memory = warp->group->launch->memory;
  const uint64_t mask = access->mask;
  if (!mask)
    return;
  uint64_t inside = 0;
  if (isa_memory_at(memory, access->address[first_lane(mask)], access->bytes)) {
    const struct isa_buffer *buffer = &memory->buffers[memory->last];
    inside = lanes_inside(access->address, buffer->base, buffer->bytes, mask, access->bytes);
  }
  EACH_LANE(lane, mask & ~inside) {
    if (isa_memory_at(memory, access->address[lane], access->bytes))
      inside |= UINT64_C(1) << lane;
  }
  const uint64_t outside = mask & ~inside;
  if (outside) {
    const uint32_t lane = first_lane(outside);
    report_global(warp, access->pc, access->address[lane], access->bytes, lane);
    clear_lanes(warp, inst, outside);
  }
  access->mask = inside;
  check_alignment(warp, access->pc, "global", access->address, 0, inside, access->bytes);
}

/* ---- addresses ---------------------------------------------------------------------------------- */

enum { BLOCK = 16 };

static bool full(const struct isa_warp *warp, uint64_t mask) {
  return mask ==
         (warp->group->launch->warp_size == 64 ? UINT64_MAX : (UINT64_C(1) << warp->group->launch->warp_size) - 1);
}

/* base + (register a + imm) modulo 2^32, in every lane: cheaper than testing which lanes are active. */
static struct isa_common offset_addresses(const struct isa_warp *warp, const struct isa_inst *inst, uint64_t base,
                                          uint64_t most, uint64_t *address) {
  const uint32_t stride = warp->group->launch->warp_size, imm = (uint32_t)inst->imm;
  if (inst->a != ISA_NO_REGISTER)
    return isa_addresses()->offsets(register_row(warp, inst->a, stride), imm, base, most, stride, address);
  for (uint32_t lane = 0; lane < stride; lane++)
    address[lane] = base + imm;
  return (struct isa_common){imm, most - imm};
}

static void global_addresses(const struct isa_warp *warp, const struct isa_inst *inst, uint64_t imm,
                             uint64_t *address) {
  const uint32_t stride = warp->group->launch->warp_size, *low = register_row(warp, inst->a, stride);
  const bool indexed = isa_rows[inst->op].format != FORMAT_CAS_GLOBAL && inst->b != ISA_NO_REGISTER;
  isa_addresses()->global(low, low + stride, indexed ? register_row(warp, inst->b, stride) : NULL, imm, stride,
                          address);
}

/* All lanes take part, aligned and in bounds. */
static void note_whole(struct isa_access *access) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  access->whole = true;
  access->heads = isa_addresses()->heads(access->address, access->bytes, stride);
  access->run = access->heads == 1 && access->address[stride - 1] != access->address[0] &&
                access->address[stride - 1] - access->address[0] == (stride - 1) * (uint64_t)access->bytes;
}

/* Whether every lane of the warp takes part, aligned and inside the buffer of the first lane. */
static bool is_whole(const struct isa_access *access, struct isa_memory *memory) {
  if (!full(access->warp, access->mask))
    return false;
  const struct isa_buffer *buffer = isa_memory_holding(memory, access->address[0], access->bytes);
  if (!buffer)
    return false;
  const struct isa_common common = isa_addresses()->within(access->address, buffer->base, buffer->bytes - access->bytes,
                                                           access->warp->group->launch->warp_size);
  return !(common.over >> 63) && !(common.low_bits & (access->bytes - 1u));
}

/* The data to store: operand c, or b followed by c for a compare-and-swap. */
static void take_data(const struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const uint32_t stride = warp->group->launch->warp_size;
  const struct isa_row *row = &isa_rows[inst->op];
  const size_t b_words = row->b == TYPE_NONE ? 0 : (size_t)isa_types[row->b].registers * stride;
  const size_t c_words = row->c == TYPE_NONE ? 0 : (size_t)isa_types[row->c].registers * stride;
  if (b_words)
    memcpy(access->data, register_row(warp, inst->b, stride), b_words * sizeof(uint32_t));
  if (c_words)
    memcpy(access->data + b_words, register_row(warp, inst->c, stride), c_words * sizeof(uint32_t));
}

/* ---- at issue ----------------------------------------------------------------------------------- */

void access_arg(struct isa_warp *warp, const struct isa_inst *inst, uint64_t mask) {
  const struct isa_launch *launch = warp->group->launch;
  const uint8_t *from = launch->args + inst->imm; /* in bounds: isa_validate() checked */
  const uint32_t stride = launch->warp_size;
  const enum isa_type type = isa_rows[inst->op].a;
  uint32_t words[4];
  load_lane(type, words, 1, from); /* the same in all lanes */
  for (uint32_t word = 0; word < isa_types[type].registers; word++) {
    uint32_t *row = warp->reg + (size_t)(inst->d + word) * stride;
    uint32_t block[BLOCK];
    for (uint32_t i = 0; i < BLOCK; i++)
      block[i] = words[word];
    if (full(warp, mask))
      for (uint32_t lane = 0; lane < stride; lane += BLOCK)
        memcpy(row + lane, block, sizeof block);
    else
      EACH_LANE(lane, mask) row[lane] = words[word];
  }
}

static uint32_t count_different(const uint64_t *address, uint64_t mask) {
  uint32_t count = 0;
  for (; mask; count++) {
    const uint64_t one = address[__builtin_ctzll(mask)];
    EACH_LANE(lane, mask) mask &= ~((uint64_t)(address[lane] == one) << lane);
  }
  return count;
}

void access_const(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result, uint64_t mask) {
  const struct isa_launch *launch = warp->group->launch;
  const enum isa_type type = isa_rows[inst->op].a;
  uint64_t address[ISA_LANES];
  offset_addresses(warp, inst, 0, 0, address);
  uint32_t *row = warp->reg + (size_t)inst->d * launch->warp_size;
  mask = check_offsets(warp, inst, result->pc, "constant", address, 0, (uint32_t)launch->program->constant_bytes, mask,
                       isa_types[type].bytes);
  result->addresses = inst->a == ISA_NO_REGISTER ? 0 : count_different(address, mask);
  EACH_LANE(lane, mask) load_lane(type, row + lane, launch->warp_size, launch->program->constants + address[lane]);
}

void access_private(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask) {
  const struct isa_launch *launch = warp->group->launch;
  const uint32_t stride = launch->warp_size, room = launch->kernel->private_bytes;
  const struct isa_row *row = &isa_rows[inst->op];
  uint64_t address[ISA_LANES];
  offset_addresses(warp, inst, 0, 0, address);
  mask = check_offsets(warp, inst, pc, "private", address, 0, room, mask, isa_types[row->a].bytes);
  EACH_LANE(lane, mask) {
    uint8_t *at = warp->private_memory + (size_t)lane * room + address[lane];
    if (row->format == FORMAT_LOAD_PRIVATE)
      load_lane(row->a, warp->reg + (size_t)inst->d * stride + lane, stride, at);
    else
      store_lane(row->a, register_row(warp, inst->c, stride) + lane, stride, at);
  }
}

uint64_t access_block(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask, uint32_t bytes,
                      uint64_t *address) {
  offset_addresses(warp, inst, 0, 0, address);
  if (!bytes)
    return mask;
  const uint32_t room = warp->group->launch->kernel->private_bytes;
  const uint64_t inside = check_room(warp, inst, pc, "private", address, 0, room, mask, bytes);
  check_alignment(warp, pc, "private", address, 0, inside, 8);
  return inside;
}

void access_lds(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const struct isa_group *group = warp->group;
  access->bytes = isa_types[isa_rows[inst->op].a].bytes;
  if (!access->mask)
    return;
  const uint32_t room = group->launch->lds_bytes;
  const struct isa_common common =
      offset_addresses(warp, inst, group->lds_base, (uint64_t)room - access->bytes, access->address);
  const bool good = room >= access->bytes && !(common.over >> 63) && !(common.low_bits & (access->bytes - 1u));
  if (!good || !full(warp, access->mask))
    access->mask = check_offsets(warp, inst, access->pc, "LDS", access->address, group->lds_base, room, access->mask,
                                 access->bytes);
  else
    note_whole(access);
  take_data(warp, inst, access);
}

void access_global(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  access->bytes = isa_types[isa_rows[inst->op].a].bytes;
  if (!access->mask)
    return;
  global_addresses(warp, inst, inst->imm, access->address);
  if (is_whole(access, warp->group->launch->memory))
    note_whole(access);
  else
    check_global(access, inst);
  take_data(warp, inst, access);
}

/* Drops lanes whose bytes are out of bounds on either side. If both sides are, only the global one is reported. */
void access_copy_lane(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const struct isa_group *group = warp->group;
  const uint32_t stride = group->launch->warp_size, *offset = register_row(warp, inst->c, stride);
  uint64_t lds[ISA_LANES];
  access_global(warp, inst, access);
  if (!access->mask)
    return;
  for (uint32_t lane = 0; lane < stride; lane++) {
    lds[lane] = (uint64_t)group->lds_base + offset[lane];
    access->lds[lane] = (uint32_t)lds[lane];
  }
  access->mask = check_offsets(warp, inst, access->pc, "LDS", lds, group->lds_base, group->launch->lds_bytes,
                               access->mask, access->bytes);
  access->whole &= full(warp, access->mask);
  access->run &= access->whole;
}

void access_prefetch(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const uint32_t stride = warp->group->launch->warp_size;
  access->bytes = 0;
  if (!access->mask)
    return;
  global_addresses(warp, inst, 0, access->address);
  if (!(inst->flags & ISA_FLAG_IMM_C))
    memcpy(access->data, register_row(warp, inst->c, stride), stride * sizeof(uint32_t));
  else
    for (uint32_t lane = 0; lane < stride; lane++)
      access->data[lane] = (uint32_t)inst->imm;
}

/* ---- at commit ---------------------------------------------------------------------------------- */

/* Where a lane's bytes are now. The check at issue ensures that they exist. */
static inline uint8_t *lane_bytes(const struct isa_access *access, bool lds, uint64_t lane) {
  const struct isa_group *group = access->warp->group;
  const uint64_t address = access->address[lane];
  if (lds)
    return group->lds + (address - group->lds_base);
  return isa_memory_at(group->launch->memory, address, access->bytes);
}

/* By far the most common accesses: a full warp's words. `first` is the byte at address `base`. As parameters, both stay
 * in registers; the compiler cannot know that by itself while bytes are written. */
static void commit_words(const uint64_t *address, uint32_t stride, uint8_t *first, uint64_t base, uint32_t *words,
                         bool store) {
  if (store)
    for (uint32_t lane = 0; lane < stride; lane++)
      memcpy(first + (address[lane] - base), &words[lane], 4);
  else
    for (uint32_t lane = 0; lane < stride; lane++)
      memcpy(&words[lane], first + (address[lane] - base), 4);
}

/* Moves the bytes of all lanes at once. `first` is the byte at address `base`. */
static void commit_whole(const struct isa_access *access, uint8_t *first, uint64_t base, uint32_t *words, bool store) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  uint8_t *const lane0 = first + (access->address[0] - base);
  if (access->run && access->bytes == sizeof *words)
    memcpy(store ? lane0 : (uint8_t *)words, store ? (uint8_t *)words : lane0, stride * sizeof *words);
  else
    for (uint32_t word = 0; word < access->bytes / sizeof *words; word++)
      commit_words(access->address, stride, first + word * sizeof *words, base, words + word * stride, store);
}

/* Takes the fast path if possible: all lanes, whole words, one buffer. */
static bool commit_at_once(const struct isa_access *access, uint32_t *words, bool lds, bool store) {
  const struct isa_group *group = access->warp->group;
  if (!access->whole || access->bytes < sizeof *words)
    return false;
  if (lds) {
    commit_whole(access, group->lds, group->lds_base, words, store);
    return true;
  }
  const struct isa_buffer *buffer = isa_memory_holding(group->launch->memory, access->address[0], access->bytes);
  commit_whole(access, buffer->data, buffer->base, words, store);
  return true;
}

#define TO_B32(bits) ((uint32_t)(bits))
#define TO_U32(bits) ((uint32_t)(bits))
#define TO_S32(bits) ((int32_t)(uint32_t)(bits))
#define TO_F32(bits) float_of((uint32_t)(bits))
#define TO_F64(bits) double_of(bits)
#define TO_B64(bits) (bits)
#define TO_U64(bits) (bits)
#define TO_S64(bits) ((int64_t)(bits))
#define BITS_B32(value) (value)
#define BITS_U32(value) (value)
#define BITS_S32(value) ((uint32_t)(value))
#define BITS_F32(value) float_bits(value)
#define BITS_F64(value) double_bits(value)
#define BITS_B64(value) (value)
#define BITS_U64(value) (value)
#define BITS_S64(value) ((uint64_t)(value))

/* What an atomic stores: the expression of its row. */
static uint64_t atomic_result(enum isa_op op, uint64_t old_bits, uint64_t b_bits, uint64_t c_bits) {
  switch (op) {
#define OP(id, mnemonic, format, class_, D, A, B, C, text, ...) CASE_##format(id, C, __VA_ARGS__)
#define CASE_ATOMIC_LDS(id, T, ...)                                                                                    \
  case ISA_##id: {                                                                                                     \
    const __typeof__(TO_##T(old_bits)) old = TO_##T(old_bits), c = TO_##T(c_bits);                                     \
    (void)old;                                                                                                         \
    return BITS_##T(__VA_ARGS__);                                                                                      \
  }
#define CASE_CAS_LDS(id, T, ...)                                                                                       \
  case ISA_##id: {                                                                                                     \
    const __typeof__(TO_##T(old_bits)) old = TO_##T(old_bits), b = TO_##T(b_bits), c = TO_##T(c_bits);                 \
    return BITS_##T(__VA_ARGS__);                                                                                      \
  }
#define CASE_ATOMIC_GLOBAL CASE_ATOMIC_LDS
#define CASE_CAS_GLOBAL CASE_CAS_LDS
#define CASE_ALU(...)
#define CASE_QUERY(...)
#define CASE_QUERY_AXIS(...)
#define CASE_CLOCK(...)
#define CASE_SHUFFLE(...)
#define CASE_VOTE(...)
#define CASE_REDUCE(...)
#define CASE_SCAN(...)
#define CASE_SCAN_BEFORE(...)
#define CASE_BRANCH(...)
#define CASE_EXIT(...)
#define CASE_LOAD_ARG(...)
#define CASE_LOAD_CONST(...)
#define CASE_LOAD_PRIVATE(...)
#define CASE_STORE_PRIVATE(...)
#define CASE_PRINTF(...)
#define CASE_LOAD_LDS(...)
#define CASE_STORE_LDS(...)
#define CASE_LOAD_GLOBAL(...)
#define CASE_STORE_GLOBAL(...)
#define CASE_PREFETCH(...)
#define CASE_SYNC(...)
#define CASE_COPY_IN(...)
#define CASE_COPY_OUT(...)
#define CASE_COPY_IN_STRIDED(...)
#define CASE_COPY_OUT_STRIDED(...)
#define CASE_COPY_IN_2D(...)
#define CASE_COPY_OUT_2D(...)
#define CASE_COPY_IN_3D(...)
#define CASE_COPY_OUT_3D(...)
#define CASE_WAIT(...)
#define CASE_WAIT_FIRST(...)
#define CASE_PIPE_RESERVE(...)
#define CASE_PIPE_COMMIT(...)
#define CASE_PIPE_NUM(...)
#define CASE_PIPE_SLOT(...)
#define CASE_PIPE_BAR(...)
#define CASE_COPY_LANE(...)
#define CASE_LANE_COMMIT(...)
#define CASE_LANE_WAIT(...)
#define CASE_MBARRIER_INIT(...)
#define CASE_MBARRIER_ARRIVE(...)
#define CASE_MBARRIER_TEST(...)
#define CASE_EXPECT(...)
#define CASE_YIELD(...)
#define CASE_LOGIC(...)
#define CASE_SHIFT(...)
#define CASE_IMAGE_READ(...)
#define CASE_IMAGE_STORE(...)
#define CASE_IMAGE_QUERY(...)
#include "isa/ops.def"
#undef OP
  default:
    return old_bits;
  }
}

static uint64_t data_bits(const struct isa_access *access, uint32_t word, uint32_t words, uint64_t lane) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  const uint32_t *row = access->data + word * stride + lane;
  return words == 2 ? (uint64_t)row[stride] << 32 | row[0] : row[0];
}

static void commit_atomic(struct isa_access *access, const struct isa_row *row, bool lds) {
  const struct isa_inst *inst = access->inst;
  const uint32_t stride = access->warp->group->launch->warp_size, words = isa_types[row->c].registers;
  EACH_LANE(lane, access->mask) {
    uint8_t *at = lane_bytes(access, lds, lane);
    uint64_t old = 0;
    memcpy(&old, at, access->bytes);
    const bool compares = row->b != TYPE_NONE;
    const uint64_t b = compares ? data_bits(access, 0, words, lane) : 0;
    const uint64_t c = data_bits(access, compares ? words : 0, words, lane);
    const uint64_t new_ = atomic_result(inst->op, old, b, c);
    memcpy(at, &new_, access->bytes);
    if (inst->d == ISA_NO_REGISTER)
      continue;
    uint32_t *d = access->warp->reg + (size_t)inst->d * stride + lane;
    d[0] = (uint32_t)old;
    if (words == 2)
      d[stride] = (uint32_t)(old >> 32);
  }
}

/* Fast because most lanes read a word from the line of the lane before. */
static void commit_cached(struct isa_access *access, enum isa_type type, uint32_t *d, uint32_t stride) {
  const struct isa_cache *cache = access->cache;
  const uint64_t size = cache->line;
  const bool words = access->bytes == sizeof *d;
  const uint8_t *bytes = NULL;
  uint64_t line = 0 - size; /* a line that contains no lane's bytes */
  EACH_LANE(lane, access->mask) {
    uint64_t within = access->address[lane] - line;
    if (within >= size) {
      line += within & ~(size - 1);
      within &= size - 1;
      bytes = cache->at(cache->self, line);
    }
    if (words)
      memcpy(d + lane, bytes + within, sizeof *d);
    else
      load_lane(type, d + lane, stride, bytes + within);
  }
}

static void commit_load(struct isa_access *access, const struct isa_row *row, bool lds) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  uint32_t *d = access->warp->reg + (size_t)access->inst->d * stride;
  if (access->cache) {
    commit_cached(access, row->a, d, stride);
    return;
  }
  if (!commit_at_once(access, d, lds, false))
    EACH_LANE(lane, access->mask) load_lane(row->a, d + lane, stride, lane_bytes(access, lds, lane));
}

static void commit_store(struct isa_access *access, const struct isa_row *row, bool lds) {
  const uint32_t stride = access->warp->group->launch->warp_size;
  if (!commit_at_once(access, access->data, lds, true))
    EACH_LANE(lane, access->mask) store_lane(row->a, access->data + lane, stride, lane_bytes(access, lds, lane));
}

/* Copies both sides at once, for callers that do not model the time between them. */
static void commit_copy_lane(struct isa_access *access) {
  const struct isa_group *group = access->warp->group;
  EACH_LANE(lane, access->mask)
  memcpy(group->lds + (access->lds[lane] - group->lds_base), lane_bytes(access, false, lane), access->bytes);
}

struct isa_access isa_access_with(struct isa_access_lanes *lanes) {
  return (struct isa_access){.address = lanes->address, .data = lanes->data, .lds = lanes->lds};
}

void isa_access_commit(struct isa_access *access) {
  const struct isa_row *row = &isa_rows[access->inst->op];
  switch ((enum isa_format)row->format) {
  case FORMAT_LOAD_LDS:
  case FORMAT_LOAD_GLOBAL:
    commit_load(access, row, row->format == FORMAT_LOAD_LDS);
    break;
  case FORMAT_STORE_LDS:
  case FORMAT_STORE_GLOBAL:
    commit_store(access, row, row->format == FORMAT_STORE_LDS);
    break;
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
    commit_atomic(access, row, true);
    break;
  case FORMAT_ATOMIC_GLOBAL:
  case FORMAT_CAS_GLOBAL:
    commit_atomic(access, row, false);
    break;
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_COMMIT:
  case FORMAT_PIPE_NUM:
    pipe_commit(access);
    break;
  case FORMAT_IMAGE_READ:
  case FORMAT_IMAGE_STORE:
    image_commit(access);
    break;
  case FORMAT_COPY_LANE:
    commit_copy_lane(access);
    break;
  case FORMAT_MBARRIER_INIT:
  case FORMAT_MBARRIER_ARRIVE:
  case FORMAT_MBARRIER_TEST:
    mbarrier_commit(access);
    break;
  default: /* a prefetch has nothing to commit */
    break;
  }
}
