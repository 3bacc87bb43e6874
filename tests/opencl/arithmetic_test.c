/* Integer instructions of SPIR-V that clang never generates from OpenCL C: remainders with the divisor's sign, carries,
 * products of double width, bit fields. Each in 8 to 64 bits, compared with a computation here. */
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 swide;

enum { TYPE = 20, POINTER, KERNEL_TYPE, PAIR, IN, OUT, ENTRY, A, B, COUNTS, INDEX = 100, NUMBER = 200, RESULT = 400 };
enum { ALIGNED = 2, MOST_RESULTS = 24 };

/* Bit fields: offset and length, in sixteenths of the width. */
static const struct { unsigned offset, count; } fields[] = {{0, 0}, {0, 16}, {4, 8}, {8, 8}, {2, 0}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint64_t mask_of(unsigned bits) { return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1; }
static int64_t sign_of(uint64_t value, unsigned bits) { return (int64_t)(value << (64 - bits)) >> (64 - bits); }

/* ---- the module ------------------------------------------------------------------------------------ */

struct maker {
  struct words words;
  uint32_t id, results;
};

static void store(struct maker *m, uint32_t value) {
  const uint32_t place = m->id++;
  PUT(&m->words, OpInBoundsPtrAccessChain, POINTER, place, OUT, INDEX + m->results++);
  PUT(&m->words, OpStore, place, value, ALIGNED, 1);
}

static void one(struct maker *m, uint32_t op) {
  PUT(&m->words, op, TYPE, m->id, A, B);
  store(m, m->id++);
}

static void two(struct maker *m, uint32_t op) {
  const uint32_t both = m->id++;
  PUT(&m->words, op, PAIR, both, A, B);
  for (uint32_t i = 0; i < 2; i++) {
    PUT(&m->words, OpCompositeExtract, TYPE, m->id, both, i);
    store(m, m->id++);
  }
}

static void field(struct maker *m, unsigned i) {
  const uint32_t offset = NUMBER + fields[i].offset, count = NUMBER + fields[i].count;
  PUT(&m->words, OpBitFieldInsert, TYPE, m->id, A, B, offset, count);
  store(m, m->id++);
  PUT(&m->words, OpBitFieldUExtract, TYPE, m->id, A, offset, count);
  store(m, m->id++);
  PUT(&m->words, OpBitFieldSExtract, TYPE, m->id, A, offset, count);
  store(m, m->id++);
}

static void types(struct maker *m, unsigned bits) {
  struct words *w = &m->words;
  begin(w);
  w->word[3] = 1000;
  PUT(w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  begin_types(w);
  PUT(w, OpTypeInt, TYPE, bits, 0);
  PUT(w, OpTypePointer, POINTER, GLOBAL, TYPE);
  PUT(w, OpTypeStruct, PAIR, TYPE, TYPE);
  PUT(w, OpTypeFunction, KERNEL_TYPE, VOID, POINTER, POINTER);
  for (uint32_t i = 0; i < MOST_RESULTS + 8; i++)
    PUT(w, OpConstant, U64, INDEX + i, i, 0);
  for (uint32_t i = 0; i <= 16; i++)
    PUT(w, OpConstant, U32, NUMBER + i, i * bits / 16);
}

static void make_module(struct maker *m, unsigned bits) {
  *m = (struct maker){.id = RESULT};
  types(m, bits);
  PUT(&m->words, OpFunction, VOID, KERNEL_ID, 0, KERNEL_TYPE);
  PUT(&m->words, OpFunctionParameter, POINTER, IN);
  PUT(&m->words, OpFunctionParameter, POINTER, OUT);
  PUT(&m->words, OpLabel, ENTRY);
  PUT(&m->words, OpInBoundsPtrAccessChain, POINTER, m->id, IN, INDEX);
  PUT(&m->words, OpLoad, TYPE, A, m->id++, ALIGNED, 1);
  PUT(&m->words, OpInBoundsPtrAccessChain, POINTER, m->id, IN, INDEX + 1);
  PUT(&m->words, OpLoad, TYPE, B, m->id++, ALIGNED, 1);
  one(m, OpSMod);
  two(m, OpIAddCarry);
  two(m, OpISubBorrow);
  two(m, OpUMulExtended);
  two(m, OpSMulExtended);
  for (unsigned i = 0; i < FIELDS; i++)
    field(m, i);
  PUT0(&m->words, OpReturn);
  PUT0(&m->words, OpFunctionEnd);
}

/* ---- expected results ------------------------------------------------------------------------------------ */

static unsigned field_results(uint64_t a, uint64_t b, unsigned bits, unsigned i, uint64_t *to) {
  const unsigned offset = fields[i].offset * bits / 16, count = fields[i].count * bits / 16;
  const uint64_t ones = count ? mask_of(count) : 0, part = a >> offset & ones;
  to[0] = (a & ~(ones << offset)) | (b & ones) << offset;
  to[1] = part;
  to[2] = count ? (uint64_t)sign_of(part, count) : 0;
  return 3;
}

static void expect(uint64_t a, uint64_t b, unsigned bits, uint64_t *to) {
  const swide x = sign_of(a, bits), y = sign_of(b, bits), rest = x % y;
  *to++ = (uint64_t)(rest && (rest < 0) != (y < 0) ? rest + y : rest);
  *to++ = a + b;
  *to++ = (uint64_t)(((wide)a + b) >> bits);
  *to++ = a - b;
  *to++ = a < b;
  *to++ = a * b;
  *to++ = (uint64_t)((wide)a * b >> bits);
  *to++ = (uint64_t)(x * y);
  *to++ = (uint64_t)((x * y) >> bits);
  for (unsigned i = 0; i < FIELDS; i++)
    to += field_results(a, b, bits, i, to);
}

static bool try_pair(struct group_rig *rig, const struct maker *m, unsigned bits, uint64_t a, uint64_t b) {
  uint64_t expected[MOST_RESULTS];
  const size_t bytes = bits / 8;
  memcpy(rig->buffers[0].data, &a, bytes);
  memcpy(rig->buffers[0].data + bytes, &b, bytes);
  if (!EXPECT_TRUE(group_rig_run(rig)))
    return false;
  expect(a, b, bits, expected);
  for (uint32_t i = 0; i < m->results; i++) {
    uint64_t got = 0;
    memcpy(&got, rig->buffers[1].data + i * bytes, bytes);
    ct_note("%u bits, %llx and %llx, result %u", bits, (unsigned long long)a, (unsigned long long)b, i);
    if (!EXPECT_EQ(got, expected[i] & mask_of(bits)))
      return false;
  }
  return true;
}

static void try_width(unsigned bits) {
  struct maker m;
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  make_module(&m, bits);
  ct_note("%u bits", bits);
  if (!group_rig_lower(&rig, (const uint8_t *)m.words.word, m.words.count * sizeof(uint32_t), &error)) {
    ct_true(false, error.text, __FILE__, __LINE__);
    return;
  }
  group_rig_range(&rig, 1, 1, 32);
  const uint64_t mask = mask_of(bits),
                 edges[] = {0, 1, 2, mask >> 1, (mask >> 1) + 1, mask - 1, mask, mask / 3, mask / 5};
  bool good = true;
  for (size_t i = 0; good && i < sizeof edges / sizeof *edges; i++)
    for (size_t k = 1; good && k < sizeof edges / sizeof *edges; k++)
      good = try_pair(&rig, &m, bits, edges[i], edges[k]);
  EXPECT_EQ(rig.hazards, 0);
}

TEST(opencl_arithmetic, remainders_carries_wide_products_and_bit_fields_are_exact_at_all_widths) {
  for (unsigned bits = 8; bits <= 64; bits *= 2)
    try_width(bits);
}
