/* Tests over all rows of ops.def: names, and round trips through text and bytes. */
#include "isa/asm/asm.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_FREES(struct isa_program, isa_program_free)

enum { REGISTERS = 40, ARG_BYTES = 32, PRINT = 4 /* offset of a descriptor in the constants */ };

/* A random operand field for a type, within the kernel's registers. */
static uint8_t some_field(enum isa_type type, uint64_t *seed) {
  if (type == TYPE_PRED)
    return (uint8_t)(ct_random(seed) % ISA_PREDICATES);
  return (uint8_t)(ct_random(seed) % (uint64_t)(REGISTERS + 1 - isa_types[type].registers));
}

static uint64_t some_number(enum isa_type type, uint64_t *seed) {
  static const uint64_t corners[] = {0,
                                     1,
                                     65535,
                                     65536,
                                     UINT64_C(0x7fffffff),
                                     UINT64_C(0x80000000),
                                     UINT32_MAX,
                                     UINT64_C(0x3f800000),
                                     UINT64_C(0x7fc00000),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_MAX,
                                     UINT64_C(0x3ff0000000000000),
                                     UINT64_C(0x3ff8000000000001)};
  const uint64_t random = ct_random(seed);
  const uint64_t number = random & 1 ? ct_random(seed) : corners[random / 2 % (sizeof corners / sizeof corners[0])];
  if (type == TYPE_PRED)
    return number & 1;
  if (type == TYPE_F16)
    return number & 0xffff;
  return isa_types[type].registers == 2 ? number : (uint32_t)number;
}

static void fill_source(struct isa_inst *inst, uint8_t *field, unsigned flag, enum isa_type type, uint64_t *seed) {
  if (type == TYPE_NONE)
    return;
  if (!inst->flags && ct_random(seed) % 3 == 0) {
    inst->flags = (uint8_t)flag;
    inst->imm = some_number(type, seed);
  } else {
    *field = some_field(type, seed);
  }
}

static void fill_operand(struct isa_inst *inst, const struct isa_row *row, char letter, uint64_t *seed) {
  const uint64_t random = ct_random(seed);
  switch (letter) {
  case 'D':
    if (random % 4 == 0)
      break;
    /* fall through */
  case 'd':
    inst->d = some_field(row->d, seed);
    break;
  case 'a':
    fill_source(inst, &inst->a, ISA_FLAG_IMM_A, row->a, seed);
    break;
  case 'b':
    fill_source(inst, &inst->b, ISA_FLAG_IMM_B, row->b, seed);
    break;
  case 'c':
    fill_source(inst, &inst->c, ISA_FLAG_IMM_C, row->c, seed);
    break;
  case 'B':
    inst->b = some_field(row->b, seed);
    break;
  case 'C':
    inst->c = some_field(row->c, seed);
    break;
  case 'x':
    inst->imm = random % 3;
    break;
  case 'o':
    inst->imm = random % (uint64_t)(ARG_BYTES + 1 - isa_types[row->a].bytes);
    break;
  case 'G':
  case 'I':
    if (random & 1)
      inst->b = some_field(TYPE_U32, seed);
    /* fall through */
  case 'H':
    inst->a = some_field(TYPE_U64, seed);
    if (letter != 'I')
      inst->imm = some_number(TYPE_U64, seed);
    break;
  case 'L':
    if (random & 1)
      inst->a = some_field(TYPE_U32, seed);
    inst->imm = some_number(TYPE_U32, seed);
    break;
  case 'T':
    inst->imm = 1 | (inst->guard ? (uint64_t)1 : ISA_NEVER) << 32; /* to the exit after it */
    break;
  case 'l':
    if (random & 1) {
      inst->flags |= ISA_FLAG_IMM_A;
      inst->imm |= (ct_random(seed) & COPY_MOST_LDS) << COPY_LDS_SHIFT;
    } else {
      inst->a = some_field(TYPE_U32, seed);
    }
    break;
  case 'P':
  case 'i':
    inst->a = some_field(TYPE_U64, seed);
    break;
  case 'R':
    inst->c = some_field(TYPE_U32, seed);
    break;
  case 'm':
    inst->imm = random % (ISA_LANE_BATCHES + 1);
    break;
  case 'k':
    inst->imm |= random % ISA_PIPE_KINDS << 32;
    break;
  case 'K':
    inst->imm |= random % ISA_IMAGE_NUMBERS << 32;
    break;
  case 'q':
    inst->imm |= random % ISA_IMAGE_QUERIES << 32;
    break;
  case 'y':
    inst->imm |= random % 256 << 32;
    break;
  case 'h':
    inst->imm |= random % 32 << 32;
    break;
  case 'p':
    inst->imm |= (1 + random % 1000) << 32;
    break;
  case 'g':
    inst->b = some_field(TYPE_U64, seed);
    break;
  case 'n':
    if (random & 1) {
      inst->flags |= ISA_FLAG_IMM_C;
      inst->imm |= (ct_random(seed) & COPY_MOST_COUNT) << COPY_COUNT_SHIFT;
    } else {
      inst->c = some_field(TYPE_U32, seed);
    }
    break;
  case 't':
    inst->flags |= random & 1 ? ISA_FLAG_IMM_STRIDE : 0;
    inst->imm |= (random & 1 ? ct_random(seed) & COPY_MOST_STRIDE : some_field(TYPE_U32, seed)) << COPY_STRIDE_SHIFT;
    break;
  case 'z':
    inst->imm |= random & 7;
    break;
  case 'N':
    inst->c = some_field(TYPE_S32, seed);
    break;
  case 'r':
    inst->a = some_field(TYPE_U32, seed);
    break;
  case 's':
  case 'S':
    inst->imm = UINT64_MAX;
    for (unsigned i = 0; i < isa_operand(letter)->listed; i++)
      inst->imm &= ~((uint64_t)(uint8_t)~some_field(TYPE_U32, seed) << 8 * i);
    break;
  case 'f':
    inst->imm |= (random & 1 ? PRINT : UINT64_C(0)) << 32;
    break;
  case 'w':
    inst->imm = UINT64_MAX;
    for (unsigned i = 0; i <= random % ISA_WAIT_EVENTS; i++)
      inst->imm &= ~((uint64_t)(uint8_t)~some_field(TYPE_U32, seed) << 8 * i);
    break;
  default:
    break;
  }
}

static struct isa_inst some_instruction(enum isa_op op, uint64_t *seed) {
  struct isa_inst inst = {.op = (uint16_t)op, .d = 255, .a = 255, .b = 255, .c = 255};
  if (ct_random(seed) & 1)
    inst.guard = (uint8_t)(1 + ct_random(seed) % 32);
  for (const char *letter = isa_formats[isa_rows[op].format].operands; *letter; letter++)
    fill_operand(&inst, &isa_rows[op], *letter, seed);
  return inst;
}

/* A program of one instruction and an exit. */
static struct isa_program *program_of(struct isa_inst inst) {
  static const char source[] = ".const _ b8 0, 0, 1, 2, 0x77, 0, 0x25, 0x64, 0\n.kernel k\n.registers 40\n.arg a "
                               "global\n.arg b f32x4 at 16\nbra L\nL: exit\n";
  struct isa_error error;
  struct isa_program *program = isa_assemble(source, strlen(source), "row", &error);
  if (program) {
    program->code[0] = inst;
    if (isa_validate(program, &error))
      return program;
  }
  ct_true(false, error.text, __FILE__, __LINE__);
  isa_program_free(program);
  return NULL;
}

static void text_round_trip(const struct isa_program *program) {
  struct isa_error error = {""};
  ct_freed(ct_free) char *text = isa_disassemble(program);
  ct_note("%s", text);
  struct isa_program *again = isa_assemble(text, strlen(text), "again", &error);
  EXPECT_STREQ(error.text, "");
  if (again) {
    EXPECT_EQ(again->count, program->count);
    EXPECT_EQ(memcmp(again->code, program->code, program->count * sizeof *program->code), 0);
    EXPECT_EQ(again->kernels[0].arg_bytes, program->kernels[0].arg_bytes);
    EXPECT_STREQ(again->kernels[0].args[1].type, "f32x4");
    isa_program_free(again);
  }
}

static void bytes_round_trip(const struct isa_program *program) {
  struct isa_error error = {""};
  uint8_t *bytes_again = NULL;
  size_t size = 0, size_again = 0;
  uint8_t *bytes = isa_encode(program, &size);
  ct_freed(isa_program_free_at) struct isa_program *again = isa_decode(bytes, size, "object", &error);
  EXPECT_STREQ(error.text, "");
  if (again) {
    bytes_again = isa_encode(again, &size_again);
    EXPECT_EQ(size, size_again);
    EXPECT_EQ(memcmp(bytes, bytes_again, size), 0);
  }
  free(bytes);
  free(bytes_again);
}

TEST(rows, every_operation_survives_disassembly_and_encoding) {
  uint64_t seed = 1;
  for (enum isa_op op = 0; op < ISA_OPS; op++)
    for (int variant = 0; variant < 12; variant++) {
      ct_freed(isa_program_free_at) struct isa_program *program = program_of(some_instruction(op, &seed));
      ASSERT_TRUE(program != NULL);
      text_round_trip(program);
      bytes_round_trip(program);
    }
}

TEST(rows, mnemonics_are_unique_and_rows_are_complete) {
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    ct_note("%s", row->mnemonic);
    EXPECT_TRUE(strlen(row->text) > 2);
    EXPECT_TRUE(strlen(row->expression) > 0);
    EXPECT_STREQ(isa_op_name(op), row->mnemonic);
    for (enum isa_op other = 0; other < op; other++)
      EXPECT_TRUE(strcmp(row->mnemonic, isa_rows[other].mnemonic) != 0);
  }
}

TEST(rows, the_columns_of_an_access_agree_with_its_mnemonic_and_find_it) {
  static const char *const spaces[ISA_SPACES] = {"", "arg.", "const.", "private.", "lds.", "global."};
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    const bool load = strncmp(row->mnemonic, "ld.", 3) == 0, store = strncmp(row->mnemonic, "st.", 3) == 0;
    ct_note("%s", row->mnemonic);
    EXPECT_EQ(row->access, load ? ISA_ACCESS_LOAD : store ? ISA_ACCESS_STORE : ISA_ACCESS_NONE);
    EXPECT_EQ(row->space != ISA_SPACE_NONE, load || store);
    EXPECT_EQ(row->via, !load && !store                     ? ISA_VIA_PLAIN
                        : strstr(row->mnemonic, ".atomic.") ? ISA_VIA_ATOMIC
                        : strstr(row->mnemonic, ".l2.")     ? ISA_VIA_PAST_L1
                                                            : ISA_VIA_PLAIN);
    if (!load && !store)
      continue;
    EXPECT_EQ(strncmp(row->mnemonic + 3, spaces[row->space], strlen(spaces[row->space])), 0);
    EXPECT_EQ(isa_memory_type(isa_types[row->a].bytes, load && row->d == TYPE_S32), row->a);
    EXPECT_EQ(isa_access_op(row->space, row->access, row->via, row->a), op);
  }
}

/* Classes and formats have columns, too: what runs on an execution unit, and what only computes. */
TEST(rows, pure_operations_run_on_units_and_change_no_memory) {
  uint64_t seed = 4;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    const struct isa_row *row = &isa_rows[op];
    const struct isa_inst inst = some_instruction(op, &seed);
    struct isa_info info;
    isa_describe(&inst, &info);
    ct_note("%s", row->mnemonic);
    EXPECT_EQ(info.on_unit, isa_class_runs(row->class_) == ISA_RUNS_UNIT);
    if (isa_formats[row->format].pure)
      EXPECT_TRUE(info.on_unit && info.writes && !info.store && !info.atomic);
  }
}

static bool is_letter_of_a_format(char letter) {
  for (unsigned format = 0; format < ISA_FORMATS; format++)
    if (strchr(isa_formats[format].operands, letter))
      return true;
  return false;
}

TEST(rows, each_letter_of_a_format_has_a_row_and_each_row_a_letter) {
  for (char letter = 1; letter < 127; letter++) {
    const struct isa_operand *operand = isa_operand(letter);
    ct_note("letter %c", letter);
    EXPECT_EQ(operand->shape || operand->named[0].field, is_letter_of_a_format(letter));
    EXPECT_TRUE(operand->listed <= ISA_OPERAND_SLOTS);
  }
}

/* Every change of a field that its format does not use makes the instruction invalid. */
TEST(rows, an_instruction_has_no_unused_bits) {
  uint64_t seed = 2;
  struct isa_error error;
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    ct_freed(isa_program_free_at) struct isa_program *program = program_of(some_instruction(op, &seed));
    ASSERT_TRUE(program != NULL);
    ct_note("%s", isa_rows[op].mnemonic);
    const struct isa_inst good = program->code[0];
    program->code[0].flags |= 0x40;
    EXPECT_FALSE(isa_validate(program, &error));
    const size_t fields[] = {offsetof(struct isa_inst, d), offsetof(struct isa_inst, a), offsetof(struct isa_inst, b),
                             offsetof(struct isa_inst, c)};
    for (int i = 0; i < 4; i++) {
      program->code[0] = good;
      uint8_t *field = (uint8_t *)&program->code[0] + fields[i];
      if (*field != ISA_NO_REGISTER)
        *field = 253; /* beyond the kernel's registers and the predicates */
      else if (!strpbrk(isa_formats[isa_rows[op].format].operands, i ? "GHIL" : "D"))
        *field = 0;
      else
        continue;
      EXPECT_FALSE(isa_validate(program, &error));
    }
  }
}

TEST(rows, slots_fit_and_lie_inside_the_kernel) {
  uint64_t seed = 3;
  for (enum isa_op op = 0; op < ISA_OPS; op++)
    for (int variant = 0; variant < 8; variant++) {
      const struct isa_inst inst = some_instruction(op, &seed);
      struct isa_info info;
      isa_describe(&inst, &info);
      ct_note("%s", isa_rows[op].mnemonic);
      EXPECT_LE(info.writes, info.slots);
      EXPECT_LE(info.slots, ISA_INFO_SLOTS);
      for (int i = 0; i < info.slots; i++)
        EXPECT_TRUE(info.slot[i] < REGISTERS || (info.slot[i] >= 256 && info.slot[i] < ISA_SLOTS));
      EXPECT_EQ(info.class_, isa_rows[op].class_);
    }
}

static struct isa_info info_of(const char *line) {
  char source[512];
  struct isa_error error = {""};
  struct isa_info info = {0};
  snprintf(source, sizeof source, ".kernel k\n.arg g global\n%s\nexit\n", line);
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(source, strlen(source), "info", &error);
  EXPECT_STREQ(error.text, "");
  if (program)
    info = program->info[0];
  return info;
}

/* `slots` as text: written | read. */
static void expect_slots(const char *line, const char *expected) {
  const struct isa_info info = info_of(line);
  char text[256] = "";
  for (int i = 0; i <= info.slots; i++) {
    if (i == info.writes)
      strcat(text, "|");
    if (i < info.slots)
      snprintf(text + strlen(text), 16, " %u", info.slot[i]);
  }
  ct_note("%s", line);
  EXPECT_STREQ(text, expected);
}

TEST(rows, slots_list_what_an_instruction_writes_and_then_what_it_reads) {
  expect_slots("add.i32 r1, r2, r3", " 1| 2 3");
  expect_slots("add.i64 r0, r2, 5", " 0 1| 2 3");
  expect_slots("@!p3 sel.b64 r0, r2, r4, p1", " 0 1| 2 3 4 5 257 259");
  expect_slots("setp.lt.s32 p2, r0, r1", " 258| 0 1");
  expect_slots("ld.global.b128 r4, [r0 + r2 + 8]", " 4 5 6 7| 2 0 1");
  expect_slots("st.global.b64 [r0], r2", "| 0 1 2 3");
  expect_slots("st.lds.b128 [r9], r2", "| 9 2 3 4 5");
  expect_slots("ld.lds.u8 r4, [12]", " 4|");
  expect_slots("atom.global.cas.b64 r0, [r2 + 8], r4, r6", " 0 1| 2 3 4 5 6 7");
  expect_slots("atom.lds.add.i32 _, [r1], r2", "| 1 2");
  expect_slots("copy.to_lds r0, [r1], [r2], r4, size=4", " 0| 1 2 3 4 0");
  expect_slots("copy.to_global.strided r0, [r2], [64], 16, r9, size=16", " 0| 2 3 9 0");
  expect_slots("wait r3, r1, r2", "| 3 1 2");
  expect_slots("wait.first r3, r1, r2", "| 3 1 2");
  expect_slots("@p1 copy.to_lds.3d r0, [r1], [r2], r4, size=r5, lines=r6, global_line=r7, lds_line=r8, planes=r9, "
               "global_plane=r10, lds_plane=r11",
               " 0| 1 2 3 4 5 6 7 8 9 10 11 0 257");
  expect_slots("copy.to_global.2d r0, [r2], [r1], r4, size=r5, lines=r6, global_line=r7, lds_line=r8",
               " 0| 2 3 1 4 5 6 7 8 0");
  expect_slots("copy.fence.all", "|");
  expect_slots("@p0 bra L, join=L\nL: exit", "| 256");
  expect_slots("prefetch [r0 + r2], r3", "| 2 0 1 3");
  expect_slots("mbarrier.init [r9 + 8], r2", "| 9 2");
  expect_slots("mbarrier.arrive [8]", "|");
  expect_slots("@p1 mbarrier.try_wait p3, [r9], r2", " 259| 9 2 257");
}

TEST(rows, info_reports_stores_atomics_fences_and_bytes) {
  EXPECT_EQ(info_of("st.global.b16 [r0], r2").bytes, 2);
  EXPECT_TRUE(info_of("st.global.b16 [r0], r2").store);
  EXPECT_FALSE(info_of("ld.lds.b128 r0, [r4]").store);
  EXPECT_EQ(info_of("ld.lds.b128 r0, [r4]").bytes, 16);
  EXPECT_TRUE(info_of("atom.lds.add.i64 r0, [r4], r6").atomic);
  EXPECT_EQ(info_of("atom.lds.add.i64 r0, [r4], r6").bytes, 8);
  EXPECT_TRUE(info_of("mbarrier.arrive [8]").atomic && !info_of("mbarrier.arrive [8]").store);
  EXPECT_TRUE(info_of("mbarrier.init [8], r2").store && !info_of("mbarrier.test p0, [8], r2").store);
  EXPECT_FALSE(info_of("bar").local_fence || info_of("bar").global_fence);
  EXPECT_TRUE(info_of("bar.lds").local_fence && !info_of("bar.lds").global_fence);
  EXPECT_TRUE(info_of("fence.global").global_fence && !info_of("fence.global").local_fence);
  EXPECT_TRUE(info_of("bar.all").global_fence && info_of("bar.all").local_fence);
  EXPECT_EQ(info_of("bar.all").class_, ISA_CLASS_BARRIER);
  EXPECT_TRUE(info_of("bar.warp.lds").local_fence && !info_of("bar.warp.lds").global_fence);
  EXPECT_TRUE(info_of("bar.warp.global").global_fence && !info_of("bar.warp.global").local_fence);
  EXPECT_TRUE(info_of("bar.warp.all").global_fence && info_of("bar.warp.all").local_fence);
  EXPECT_EQ(info_of("bar.warp.all").class_, ISA_CLASS_FENCE);
  EXPECT_TRUE(info_of("bar.image").global_fence && !info_of("bar.image").local_fence);
  EXPECT_TRUE(info_of("bar.all.image").global_fence && info_of("bar.all.image").local_fence);
  EXPECT_TRUE(info_of("fence.image").global_fence && info_of("bar.warp.image").global_fence);
  EXPECT_EQ(isa_row_sync(ISA_BAR_ALL_IMAGE), SYNC_LDS | SYNC_GLOBAL | SYNC_IMAGE);
  EXPECT_EQ(isa_row_sync(ISA_BAR_ALL), SYNC_LDS | SYNC_GLOBAL);
  EXPECT_EQ(info_of("copy.fence.lds").class_, ISA_CLASS_COPY_FENCE);
  EXPECT_TRUE(info_of("copy.fence.lds").local_fence && !info_of("copy.fence.lds").global_fence);
  EXPECT_TRUE(info_of("copy.fence.global").global_fence && !info_of("copy.fence.global").local_fence);
  EXPECT_TRUE(info_of("copy.fence.all").global_fence && info_of("copy.fence.all").local_fence);
}

TEST(rows, atomics_and_atomic_loads_and_stores_are_indivisible_and_nothing_else_is) {
  static const char *const texts[] = {
      "ld.lds.atomic.b32 r0, [r4]",    "ld.lds.atomic.b64 r0, [r4]",    "st.lds.atomic.b32 [r4], r0",
      "st.lds.atomic.b64 [r4], r0",    "ld.global.atomic.b32 r0, [r4]", "ld.global.atomic.b64 r0, [r4]",
      "st.global.atomic.b32 [r4], r0", "st.global.atomic.b64 [r4], r0",
  };
  static const char *const plain_texts[] = {
      "ld.lds.b32 r0, [r4]",       "ld.lds.b64 r0, [r4]",       "st.lds.b32 [r4], r0",    "st.lds.b64 [r4], r0",
      "ld.global.l2.b32 r0, [r4]", "ld.global.l2.b64 r0, [r4]", "st.global.b32 [r4], r0", "st.global.b64 [r4], r0",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct isa_info info = info_of(texts[i]), plain = info_of(plain_texts[i]);
    ct_note("%s", texts[i]);
    EXPECT_TRUE(info.indivisible && !plain.indivisible);
    plain.indivisible = true;                                                  /* for a machine both are the same */
    EXPECT_EQ(memcmp(&info, &plain, offsetof(struct isa_info, slots) + 1), 0); /* some padding follows */
    EXPECT_EQ(memcmp(info.slot, plain.slot, sizeof info.slot), 0);
  }
  EXPECT_TRUE(info_of("atom.lds.add.i64 r0, [r4], r6").indivisible);
  EXPECT_TRUE(info_of("atom.global.cas.b32 r0, [r4], r6, r7").indivisible);
}

TEST(rows, a_printed_instruction_names_arguments_of_its_kernel) {
  static const char text[] = ".kernel one\n.arg first global\n ld.arg.b64 r2, first\n exit\n"
                             ".kernel two\n.arg second global\n ld.arg.b64 r2, second\n exit\n"
                             ".kernel three\n.arg third global\n ld.arg.b64 r2, third\n exit\n";
  static const char *const names[] = {"first", "second", "third"};
  struct isa_error error = {""};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_assemble(text, strlen(text), "t", &error);
  ASSERT_TRUE(program != NULL);
  for (size_t i = 0; i < 3; i++) {
    char printed[80], expected[80];
    isa_print(program, program->kernels[i].entry, printed, sizeof printed);
    snprintf(expected, sizeof expected, "%-14s r2, %s", "ld.arg.b64", names[i]);
    EXPECT_STREQ(printed, expected);
  }
}

TEST(rows, the_manual_shows_every_row) {
  ct_freed(ct_free) char *manual = isa_manual();
  for (enum isa_op op = 0; op < ISA_OPS; op++) {
    char cell[64];
    snprintf(cell, sizeof cell, "| `%s` |", isa_rows[op].mnemonic);
    EXPECT_TRUE(strstr(manual, cell) != NULL);
  }
  EXPECT_CONTAINS(manual, "| `mad.i32` | d:u32, a:u32, b:u32, c:u32 | mul | a * b + c, modulo the width | "
                          "`a * b + c` |");
}

/* The number of columns in a line of a table; 0 if it is none. A bar in a cell is written with a backslash. */
static unsigned columns(const char *line) {
  unsigned bars = 0;
  if (*line != '|')
    return 0;
  for (; *line && *line != '\n'; line++)
    bars += *line == '|' && line[-1] != '\\';
  return bars - 1;
}

TEST(rows, each_table_of_the_manual_has_a_heading_and_all_cells) {
  ct_freed(ct_free) char *manual = isa_manual();
  unsigned wide = 0, below = 0, tables = 0; /* columns of the table, and its lines so far */
  ASSERT_EQ(*manual, '#');
  for (const char *line = manual; *line; line = strchr(line, '\n') + 1) {
    const unsigned here = columns(line);
    ct_note("%.*s", (int)strcspn(line, "\n"), line);
    if (here && !below) {
      tables++;
      wide = here;
    }
    if (here)
      EXPECT_EQ(here, wide);
    if (below == 1)
      EXPECT_EQ(strspn(line, "|-"), strcspn(line, "\n"));
    else if (here)
      EXPECT_NE(line[1], '-');
    below = here ? below + 1 : 0;
  }
  EXPECT_EQ(tables, 3);
  EXPECT_CONTAINS(manual, "\n## Classes\n");
  EXPECT_CONTAINS(manual, "\n## Operand types\n");
}

TEST(rows, hazards_have_a_rule_a_sentence_and_advice) {
  for (int i = 0; i < HAZARDS; i++) {
    EXPECT_TRUE(strchr(isa_hazard_rows[i].rule, '-') != NULL);
    EXPECT_TRUE(strlen(isa_hazard_rows[i].text) > 10 && strlen(isa_hazard_rows[i].advice) > 10);
    for (int j = 0; j < i; j++)
      EXPECT_TRUE(strcmp(isa_hazard_rows[i].rule, isa_hazard_rows[j].rule) != 0);
  }
}

TEST(rows, advice_fits_its_buffer_and_names_known_lines) {
  char text[ISA_ADVICE];
  for (int i = 0; i < HAZARDS; i++) {
    isa_hazard_advice((enum isa_hazard_rule)i, UINT32_MAX, UINT32_MAX, text);
    EXPECT_TRUE(strlen(text) < ISA_ADVICE - 1 && !strpbrk(text, "{}"));
  }
  isa_hazard_advice(HAZARD_X8, 14, 0, text);
  EXPECT_STREQ(text, "put a barrier with the fence flag of the memory between the write and the copy at line 14");
  isa_hazard_advice(HAZARD_X8, 14, 9, text);
  EXPECT_STREQ(text,
               "put a barrier with the fence flag of the memory between the write at line 9 and the copy at line 14");
}
