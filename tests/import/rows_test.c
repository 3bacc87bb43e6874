/* The rows of opcodes, families and losses are all used, and each opcode maps to what its family defines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tools/import/kernel.h"

CT_FREES(struct isa_program, isa_program_free)

static struct sass_header header(void) {
  return (struct sass_header){.name = "k",
                              .grid = {1, 1, 1},
                              .block = {32, 1, 1},
                              .groups = 1,
                              .warps = 1,
                              .version = 5,
                              .shared_base = 1ull << 40,
                              .local_base = 2ull << 40};
}

/* An instruction at some PC that writes R4 and reads R8 and R12, at one address. */
static struct sass_line line(const char *opcode, uint64_t address, bool memory) {
  struct sass_line made = {.pc = 16, .mask = 1, .opcode = opcode, .result = 4, .sources = 2, .source = {8, 12}};
  made.memory = memory;
  made.address[0] = address;
  return made;
}

/* The operation for a line, in a kernel with or without lane copies. */
static struct isa_inst become(const struct sass_line *of, bool lane_copies, struct isa_info *info) {
  const struct sass_header head = header();
  struct sass_kernel kernel = {.name = "k", .registers = 32, .lane_copies = lane_copies};
  struct message message = {""};
  kernel.name = strdup("k");
  sass_kernel_add(&kernel, &head, of);
  ct_freed(isa_program_free_at) struct isa_program *program = sass_program(&kernel, 1, "list", &message);
  struct isa_inst inst = {.op = ISA_OPS};
  EXPECT_STREQ(message.text, "");
  if (program) {
    EXPECT_EQ(program->count, 2);
    inst = program->code[0];
    *info = program->info[0];
  }
  sass_kernel_free(&kernel);
  return inst;
}

static bool begins_with_any(const char *mnemonic, const char *words) {
  while (*words) {
    const size_t length = strcspn(words, " ");
    if (strncmp(mnemonic, words, length) == 0)
      return true;
    words += length + (words[length] == ' ');
  }
  return false;
}

static bool is_one_of(uint16_t op, enum sass_family family) {
  for (unsigned i = 0; i < 4; i++)
    if (sass_families[family].op[i] == op)
      return true;
  return false;
}

/* Whether an operation is of the ALU family with this name. */
static bool is_of_family(uint16_t op, const char *name) {
  for (enum sass_family family = 0; family < SASS_FAMILIES; family++)
    if (sass_is_alu(family) && strcmp(sass_families[family].name, name) == 0)
      return is_one_of(op, family);
  return false;
}

TEST(rows, every_opcode_maps_to_its_family) {
  static const uint64_t addresses[] = {64, (1ull << 40) + 64, (2ull << 40) + 64};
  for (size_t i = 0; i < sass_opcode_count; i++)
    for (size_t k = 0; k < 3; k++) {
      const struct sass_opcode *row = &sass_opcodes[i];
      const struct sass_family_row *family = &sass_families[row->family];
      char name[64];
      snprintf(name, sizeof name, "%s%s", row->name, row->family == SASS_CACHE ? ".PF2" : "");
      const struct sass_line of = line(name, addresses[k], !sass_is_alu(row->family));
      struct isa_info info = {0};
      const struct isa_inst inst = become(&of, true, &info);
      ct_note("%s", name);
      if (family->operations)
        EXPECT_TRUE(inst.op < ISA_OPS && (begins_with_any(isa_rows[inst.op].mnemonic, family->operations) ||
                                          is_of_family(inst.op, family->operations)));
      else
        EXPECT_TRUE(is_one_of(inst.op, row->family));
    }
}

TEST(rows, registers_are_those_of_the_trace) {
  for (size_t i = 0; i < sass_opcode_count; i++) {
    const struct sass_opcode *row = &sass_opcodes[i];
    if (!sass_is_alu(row->family))
      continue;
    const struct sass_line of = line(row->name, 0, false);
    struct isa_info info = {0};
    const struct isa_inst inst = become(&of, false, &info);
    bool reads = false;
    ct_note("%s", row->name);
    EXPECT_EQ(info.writes, isa_types[isa_rows[inst.op].d].registers);
    EXPECT_EQ(info.slot[0], 4);
    for (unsigned k = info.writes; k < info.slots; k++)
      reads |= info.slot[k] == 8;
    EXPECT_TRUE(reads || row->family == SASS_VOTE); /* which reads only predicates */
  }
}

TEST(rows, names_are_unique) {
  for (size_t i = 0; i < sass_opcode_count; i++) {
    ct_note("%s", sass_opcodes[i].name);
    EXPECT_TRUE(sass_find(sass_opcodes[i].name) == &sass_opcodes[i]);
  }
  for (int i = 0; i < SASS_LOSSES; i++)
    EXPECT_TRUE(*sass_losses[i].name && *sass_losses[i].text);
  EXPECT_TRUE(!sass_find("FOO"));
  EXPECT_TRUE(!sass_find("FAD"));
  EXPECT_TRUE(!sass_find(""));
}

static void expect_op(const char *opcode, bool memory, const char *mnemonic) {
  const struct sass_line of = line(opcode, 4096, memory);
  struct isa_info info = {0};
  const struct isa_inst inst = become(&of, false, &info);
  ct_note("%s", opcode);
  EXPECT_STREQ(inst.op < ISA_OPS ? isa_rows[inst.op].mnemonic : "", mnemonic);
}

TEST(rows, modifiers_set_widths_and_more) {
  static const struct {
    const char *opcode, *mnemonic;
    bool memory;
  } table[] = {
      {"LDG.E", "ld.global.b32", true},
      {"LDG.E.U8", "ld.global.u8", true},
      {"LDG.E.S16.SYS", "ld.global.s16", true},
      {"LDG.E.64", "ld.global.b64", true},
      {"LDG.E.LTC128B.128.CONSTANT", "ld.global.b128", true},
      {"LDG.E.STRONG.GPU", "ld.global.l2.b32", true},
      {"STG.E.U16", "st.global.b16", true},
      {"STS.128", "st.lds.b128", true},
      {"LDSM.16.M88.4", "ld.lds.b128", true},
      {"LDSM.16.MT88.2", "ld.lds.b64", true},
      {"LDSM.16.M88", "ld.lds.b32", true},
      {"ATOMG.E.CAS.64.STRONG.GPU", "atom.global.cas.b64", true},
      {"ATOMS.ADD", "atom.lds.add.i32", true},
      {"LDGSTS.E.BYPASS.128", "copy.lane.b128", true},
      {"MEMBAR.SC.GPU", "fence.global", false},
      {"MEMBAR.ALL.CTA", "fence.lds", false},
      {"IMAD.WIDE.U32", "mad.wide.s32", false},
      {"F2F.F64.F32", "cvt.f64.s32", false},
      {"F2F.F32.F64", "cvt.f32.s64", false},
      {"F2I.F64.TRUNC", "cvt.f32.s64", false},
      {"I2F.F64", "cvt.f64.s32", false},
      {"I2F.F64.S64", "cvt.f64.s64", false},
      {"CCTL.IVALL", "and.b32", true},
      {"CCTL.PF1", "prefetch", true},
      {"DEPBAR.LE", "and.b32", false},
      {"LDG.E", "and.b32", false},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    expect_op(table[i].opcode, table[i].memory, table[i].mnemonic);
}

TEST(rows, a_result_after_a_predicate_is_listed_as_the_first_source) {
  struct sass_line of = line("SHFL.DOWN", 0, false);
  struct isa_info info = {0};
  of.result = SASS_ZERO;
  const struct isa_inst inst = become(&of, false, &info);
  EXPECT_STREQ(isa_rows[inst.op].mnemonic, "bcast.b32");
  EXPECT_EQ(inst.d, 8);
  EXPECT_EQ(inst.a, 12);
}

TEST(rows, unnamed_operands_become_a_pair_that_nothing_writes) {
  struct sass_line of = line("FADD", 0, false);
  struct isa_info info = {0};
  of.sources = 1;
  const struct isa_inst inst = become(&of, false, &info);
  EXPECT_EQ(inst.d, 4);
  EXPECT_EQ(inst.a, 8);
  EXPECT_EQ(inst.b, 30); /* of 32 registers */
}

TEST(rows, wide_operands_stay_below_the_last_register) {
  struct sass_line of = line("LDG.E.128", 0, true);
  struct isa_info info = {0};
  of.result = 254;
  of.source[0] = 254;
  of.sources = 1;
  const struct isa_inst inst = become(&of, false, &info);
  EXPECT_EQ(inst.d, 251); /* of 255 */
  EXPECT_EQ(inst.a, 253);
}
