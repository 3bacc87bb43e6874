/* The SPIR-V reader: what it makes of small handmade modules, and that it rejects everything that the rest of the
 * folder could not handle. */
#include "opencl/opencl.h"
#include "opencl/spirv/spirv.h"
#include "tests/ct.h"
#include "tests/opencl/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_FREES(struct spirv, spirv_free)

/* A module with one kernel, "k"; `body` adds its code, from the first label to the last terminator. */
static void whole(struct words *w, void (*body)(struct words *w)) {
  begin(w);
  PUT(w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  PUT(w, OpString, FILE_NAME, text("a.c"));
  begin_types(w);
  PUT(w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  body(w);
  PUT0(w, OpFunctionEnd);
}

static struct spirv *read_words(const struct words *w, struct isa_error *error) {
  *error = (struct isa_error){""};
  return spirv_read((const uint8_t *)w->word, (size_t)w->count * 4, "t.spv", error);
}

static struct spirv *accept(const struct words *w) {
  struct isa_error error;
  struct spirv *module = read_words(w, &error);
  EXPECT_STREQ(error.text, "");
  return module;
}

/* Expects the one error line that a bad module gets. */
static void refuse(const struct words *w, const char *part) {
  struct isa_error error;
  ct_freed(spirv_free_at) struct spirv *module = read_words(w, &error);
  EXPECT_TRUE(!module);
  EXPECT_CONTAINS(error.text, part);
  EXPECT_CONTAINS(error.text, "t.spv: ");
  EXPECT_TRUE(!strchr(error.text, '\n'));
}

static void plain_body(struct words *w) {
  PUT(w, OpLabel, FREE);
  PUT0(w, OpReturn);
}

/* ---- specialization constants -------------------------------------------------------------------- */

enum { SPEC_ID = 1, SMALL = FREE + 10, WIDE, YES };

static void with_constants(struct words *w) {
  begin(w);
  PUT(w, OpDecorate, SMALL, SPEC_ID, 4);
  PUT(w, OpDecorate, WIDE, SPEC_ID, 5);
  PUT(w, OpDecorate, YES, SPEC_ID, 6);
  PUT(w, OpDecorate, ONE, SPEC_ID, 7); /* it is not a specialization constant */
  begin_types(w);
  PUT(w, OpSpecConstant, U32, SMALL, 10);
  PUT(w, OpSpecConstant, U64, WIDE, 11, 12);
  PUT(w, OpSpecConstantTrue, BOOL, YES);
}

static void swap(struct words *w) {
  for (uint32_t i = 0; i < w->count; i++)
    w->word[i] = __builtin_bswap32(w->word[i]);
}

TEST(spirv, specialization_constants_are_changed_in_either_byte_order) {
  for (int big = 0; big < 2; big++) {
    struct words w;
    with_constants(&w);
    if (big)
      swap(&w);
    uint8_t *bytes = (uint8_t *)w.word;
    const size_t size = 4 * (size_t)w.count;
    EXPECT_EQ(opencl_constant_bytes(bytes, size, 4), 4);
    EXPECT_EQ(opencl_constant_bytes(bytes, size, 5), 8);
    EXPECT_EQ(opencl_constant_bytes(bytes, size, 6), 1);
    EXPECT_EQ(opencl_constant_bytes(bytes, size, 7), 0);
    EXPECT_EQ(opencl_constant_bytes(bytes, size, 8), 0);
    opencl_specialize(bytes, size, 4, &(uint32_t){77});
    opencl_specialize(bytes, size, 5, &(uint64_t){UINT64_C(88) << 32 | 99});
    opencl_specialize(bytes, size, 6, &(uint8_t){0});
    if (big)
      swap(&w);
    const uint32_t *tail = &w.word[w.count - 12];
    EXPECT_EQ(tail[3], 77);
    EXPECT_EQ(tail[7], 99);
    EXPECT_EQ(tail[8], 88);
    EXPECT_EQ(tail[9], 3 << 16 | OpSpecConstantFalse);
  }
}

TEST(spirv, truncated_modules_have_no_specialization_constants) {
  struct words w;
  with_constants(&w);
  for (size_t size = 0; size < 4 * (size_t)w.count; size++)
    opencl_constant_bytes((const uint8_t *)w.word, size, 6); /* must read nothing beyond; sanitizers check that */
  EXPECT_EQ(opencl_constant_bytes((const uint8_t *)w.word, 4 * (size_t)w.count - 4, 6), 0);
}

/* ---- the file ------------------------------------------------------------------------------------ */

TEST(spirv, decorations_with_texts_are_skipped) {
  enum { USER_SEMANTIC = 5635 };
  struct words w;
  begin(&w);
  PUT(&w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  PUT(&w, OpDecorateString, KERNEL_ID, USER_SEMANTIC, text("foo"));
  PUT(&w, OpMemberDecorateString, FREE + 1, 0, USER_SEMANTIC, text("bar"));
  begin_types(&w);
  PUT(&w, OpTypeStruct, FREE + 1, U32);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  plain_body(&w);
  PUT0(&w, OpFunctionEnd);
  spirv_free(accept(&w));
}

TEST(spirv, both_byte_orders_are_the_same_module) {
  struct words w, big;
  whole(&w, plain_body);
  big = w;
  for (uint32_t i = 0; i < w.count; i++)
    big.word[i] = __builtin_bswap32(w.word[i]);
  struct spirv *one = accept(&w), *two = accept(&big);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(memcmp(one->words, two->words, w.count * sizeof *w.word), 0);
  EXPECT_STREQ(two->entry[0].name, "k");
  spirv_free(one);
  spirv_free(two);
}

TEST(spirv, other_files_are_not_spirv) {
  struct words w = {.word = {0x464c457f, 2, 3, 4, 5}, .count = 5};
  refuse(&w, "not a SPIR-V file");
  w.count = 0;
  refuse(&w, "not a SPIR-V file");
  whole(&w, plain_body);
  w.count = 3;
  refuse(&w, "cut off");
}

TEST(spirv, addresses_of_32_bits_are_refused) {
  struct words w = {.word = {0x07230203, 0x10000, 0, 20, 0}, .count = 5};
  PUT(&w, OpMemoryModel, 1, OPENCL);
  refuse(&w, "compile it for spir64");
}

TEST(spirv, a_bound_of_ids_that_does_not_fit_the_file_is_refused) {
  struct words w;
  whole(&w, plain_body);
  w.word[3] = 4000000;
  refuse(&w, "bound of ids");
  w.word[3] = 0;
  refuse(&w, "bound of ids");
  w.word[3] = FREE;
  refuse(&w, "outside [1, 10]");
}

TEST(spirv, a_module_truncated_anywhere_is_refused_or_lacks_the_kernel) {
  struct words w;
  whole(&w, plain_body);
  for (uint32_t count = w.count; count-- > 5;) {
    ct_note("%u words", count);
    struct isa_error error;
    struct words part = w;
    part.count = count;
    ct_freed(spirv_free_at) struct spirv *module = read_words(&part, &error);
    EXPECT_TRUE(module ? !module->functions && !module->entries : error.text[0] != 0);
  }
}

TEST(spirv, wrong_lengths_and_unknown_instructions_are_refused_with_their_word) {
  struct words w;
  begin(&w);
  w.word[w.count++] = 0;
  refuse(&w, "word 8 (OpNop): a length of 0 words");
  begin(&w);
  PUT(&w, 7777, 1);
  refuse(&w, "word 8 (instruction 7777): unknown instruction");
  begin(&w);
  PUT(&w, OpTypeInt, 1, 32);
  refuse(&w, "(OpTypeInt): operands are missing");
  begin(&w);
  PUT(&w, OpTypeVoid, 1, 2);
  refuse(&w, "(OpTypeVoid): 1 words too many");
  begin(&w);
  PUT(&w, OpPhi, 1, 2, 3);
  refuse(&w, "(OpPhi): the last operand is half a pair");
  begin(&w);
  PUT(&w, OpName, 1, 0x41414141);
  refuse(&w, "(OpName): a string does not end");
}

TEST(spirv, every_row_of_instructions_has_its_own_number) {
  static const uint16_t numbers[] = {
#define SPIRV_OP(name, number, operands) number,
#include "opencl/spirv/spirv_ops.def"
#undef SPIRV_OP
  };
  for (size_t i = 1; i < sizeof numbers / sizeof *numbers; i++) {
    ct_note("instruction %u", numbers[i]);
    EXPECT_LT(numbers[i - 1], numbers[i]);
  }
  char room[32];
  EXPECT_STREQ(spirv_op_name(OpIAdd, room), "OpIAdd");
  EXPECT_STREQ(spirv_op_name(4711, room), "instruction 4711");
}

/* ---- types --------------------------------------------------------------------------------------- */

enum { BYTE = 20, VECTOR, ARRAY, STRUCT, POINTER, LENGTH, OTHER, MORE };

TEST(spirv, a_vector_of_3_takes_the_room_of_4_and_structs_have_gaps) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeInt, BYTE, 8, 0);
  PUT(&w, OpTypeVector, VECTOR, FLOAT, 3);
  PUT(&w, OpConstant, U64, LENGTH, 5, 0);
  PUT(&w, OpTypeArray, ARRAY, BYTE, LENGTH);
  PUT(&w, OpTypePointer, POINTER, GLOBAL, VECTOR);
  PUT(&w, OpTypeStruct, STRUCT, BYTE, VECTOR, ARRAY, POINTER, BOOL);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  const struct spirv_type *vector = spirv_type(module, VECTOR), *type = spirv_type(module, STRUCT);
  EXPECT_EQ(vector->size, 16);
  EXPECT_EQ(vector->align, 16);
  EXPECT_EQ(vector->parts, 3);
  EXPECT_EQ(spirv_type(module, ARRAY)->size, 5);
  EXPECT_EQ(type->offset[1], 16);
  EXPECT_EQ(type->offset[2], 32);
  EXPECT_EQ(type->offset[3], 40);
  EXPECT_EQ(type->offset[4], 48);
  EXPECT_EQ(type->size, 64);
  EXPECT_EQ(type->parts, 1 + 3 + 5 + 1 + 1);
  EXPECT_EQ(type->depth, 2);
}

TEST(spirv, a_packed_struct_has_no_gaps) {
  struct words w;
  begin(&w);
  PUT(&w, OpDecorate, STRUCT, 10);
  begin_types(&w);
  PUT(&w, OpTypeInt, BYTE, 8, 0);
  PUT(&w, OpTypeVector, VECTOR, FLOAT, 4);
  PUT(&w, OpTypeStruct, STRUCT, BYTE, U32, U64, VECTOR);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  const struct spirv_type *type = spirv_type(module, STRUCT);
  EXPECT_EQ(type->size, 29);
  EXPECT_EQ(type->align, 1);
  EXPECT_EQ(type->offset[2], 5);
  EXPECT_EQ(type->offset[3], 13);
}

TEST(spirv, a_forward_pointer_lets_a_struct_point_to_itself) {
  struct words w;
  begin(&w);
  PUT(&w, OpTypeForwardPointer, POINTER, GLOBAL);
  begin_types(&w);
  PUT(&w, OpTypeStruct, STRUCT, U32, POINTER);
  struct words without = w;
  PUT(&w, OpTypePointer, POINTER, GLOBAL, STRUCT);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(spirv_type(module, STRUCT)->size, 16);
  EXPECT_EQ(spirv_type(module, POINTER)->element, STRUCT);
  refuse(&without, "OpTypePointer is missing");
}

TEST(spirv, the_same_type_may_be_declared_twice) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeInt, OTHER, 32, 0);
  PUT(&w, OpConstant, OTHER, MORE, 7);
  PUT(&w, OpTypeVector, VECTOR, U32, 2);
  PUT(&w, OpConstantComposite, VECTOR, MORE + 1, ONE, MORE);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  EXPECT_TRUE(module != NULL);
}

TEST(spirv, impossible_types_are_refused) {
  static const struct {
    uint32_t op, operand[4], count;
    const char *part;
  } rows[] = {
      {OpTypeInt, {BYTE, 24, 0}, 3, "8, 16, 32 or 64"},
      {OpTypeFloat, {BYTE, 8}, 2, "16, 32 or 64"},
      {OpTypeVector, {VECTOR, U32, 65}, 3, "2 to 64"},
      {OpTypeVector, {VECTOR, U32, 1}, 3, "2 to 64"},
      {OpTypeVector, {VECTOR, VOID, 4}, 3, "something other than numbers"},
      {OpTypeVector, {VECTOR, 99, 4}, 3, "not a type defined before"},
      {OpTypeArray, {ARRAY, VOID, ONE}, 3, "nothing can contain"},
      {OpTypeArray, {ARRAY, U32, U32}, 3, "not an integer constant"},
      {OpTypeStruct, {STRUCT, STRUCT}, 2, "not a type defined before"},
      {OpTypeVoid, {VOID}, 1, "is already defined"},
      {OpTypePointer, {POINTER, GLOBAL, POINTER}, 3, "not a type defined before"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    struct words w;
    begin(&w);
    begin_types(&w);
    add(&w, rows[i].op, rows[i].operand, rows[i].count);
    refuse(&w, rows[i].part);
  }
}

TEST(spirv, types_nest_32_deep_and_no_deeper) {
  struct words w;
  begin(&w);
  begin_types(&w);
  uint32_t last = U32;
  for (uint32_t i = 0; i < SPIRV_MOST_DEPTH; i++, last = 50 + i - 1)
    PUT(&w, OpTypeStruct, 50 + i, last);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  EXPECT_TRUE(module != NULL);
  PUT(&w, OpTypeStruct, 50 + SPIRV_MOST_DEPTH, last);
  refuse(&w, "nest deeper than 32");
}

TEST(spirv, sizes_do_not_overflow_and_counts_of_parts_saturate) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpConstant, U64, LENGTH, 0x40000000, 0);
  PUT(&w, OpTypeArray, ARRAY, U64, LENGTH);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(spirv_type(module, ARRAY)->size, INT64_C(0x200000000));
  EXPECT_EQ(spirv_type(module, ARRAY)->parts, SPIRV_MOST_PARTS + 1);
  PUT(&w, OpTypeArray, OTHER, ARRAY, LENGTH);
  refuse(&w, "larger than 2^47 bytes");
}

/* ---- constants ----------------------------------------------------------------------------------- */

TEST(spirv, constants_have_their_bits_and_no_others) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeInt, BYTE, 8, 0);
  PUT(&w, OpConstant, BYTE, 30, 0xfffffff0);
  PUT(&w, OpConstant, U64, 31, 0x89abcdef, 0x01234567);
  PUT(&w, OpConstantTrue, BOOL, 32);
  PUT(&w, OpConstantNull, U32, 33);
  PUT(&w, OpConstant, FLOAT, 34, 0x3f800000);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  uint64_t value = 1;
  EXPECT_EQ(module->id[30].value, 0xf0);
  EXPECT_EQ(module->id[31].value, INT64_C(0x0123456789abcdef));
  EXPECT_EQ(module->id[32].value, 1);
  EXPECT_TRUE(spirv_integer(module, 33, &value));
  EXPECT_EQ(value, 0);
  EXPECT_FALSE(spirv_integer(module, 34, &value));
  EXPECT_FALSE(spirv_integer(module, 9999, &value));
  PUT(&w, OpConstant, U64, 35, 1);
  refuse(&w, "64 bits do not fill 1 words");
}

TEST(spirv, operations_on_constants_are_folded) {
  static const struct {
    uint32_t op, a, b;
    int64_t is;
  } rows[] = {
      {OpIAdd, 0xffffffff, 2, 1},
      {OpISub, 1, 2, 0xffffffff},
      {OpIMul, 0x10000, 0x10001, 0x10000},
      {OpUDiv, 0xfffffff0, 16, 0x0fffffff},
      {OpSDiv, 0xfffffff0, 4, 0xfffffffc},
      {OpSDiv, 0x80000000, 0xffffffff, 0x80000000},
      {OpSRem, 0xfffffff9, 4, 0xfffffffd},
      {OpUMod, 9, 0, 0},
      {OpShiftLeftLogical, 1, 31, 0x80000000},
      {OpShiftRightLogical, 0x80000000, 31, 1},
      {OpShiftRightArithmetic, 0x80000000, 31, 0xffffffff},
      {OpBitwiseXor, 0xff, 0x0f, 0xf0},
      {OpSLessThan, 0xffffffff, 0, 1},
      {OpULessThan, 0xffffffff, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char room[32];
    ct_note("row %zu, %s", i, spirv_op_name(rows[i].op, room));
    struct words w;
    begin(&w);
    begin_types(&w);
    PUT(&w, OpConstant, U32, 30, rows[i].a);
    PUT(&w, OpConstant, U32, 31, rows[i].b);
    PUT(&w, OpSpecConstantOp, U32, 32, rows[i].op, 30, 31);
    ct_freed(spirv_free_at) struct spirv *module = accept(&w);
    ASSERT_TRUE(module != NULL);
    EXPECT_EQ(module->id[32].value, rows[i].is);
  }
}

TEST(spirv, an_address_in_an_initializer_is_a_variable_and_an_offset) {
  enum { TABLE = 40, TABLE_POINTER, BYTE_POINTER, ELEMENT_POINTER };
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeInt, BYTE, 8, 0);
  PUT(&w, OpTypeStruct, STRUCT, U32, FLOAT);
  PUT(&w, OpConstant, U32, LENGTH, 4);
  PUT(&w, OpTypeArray, ARRAY, STRUCT, LENGTH);
  PUT(&w, OpTypePointer, TABLE_POINTER, CONSTANT, ARRAY);
  PUT(&w, OpTypePointer, BYTE_POINTER, CONSTANT, BYTE);
  PUT(&w, OpTypePointer, ELEMENT_POINTER, CONSTANT, FLOAT);
  PUT(&w, OpVariable, TABLE_POINTER, TABLE, CONSTANT);
  PUT(&w, OpSpecConstantOp, ELEMENT_POINTER, 50, OpInBoundsAccessChain, TABLE, ONE, ONE);
  PUT(&w, OpSpecConstantOp, BYTE_POINTER, 51, OpBitcast, 50);
  PUT(&w, OpConstant, U32, 52, 0xfffffffe);
  PUT(&w, OpSpecConstantOp, BYTE_POINTER, 53, OpPtrAccessChain, 51, 52);
  PUT(&w, OpSpecConstantOp, U64, 54, OpConvertPtrToU, 53);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(module->id[50].base, TABLE);
  EXPECT_EQ(module->id[50].value, 12);
  EXPECT_EQ(module->id[54].base, TABLE);
  EXPECT_EQ(module->id[54].value, 10);
  uint64_t value;
  EXPECT_FALSE(spirv_integer(module, 54, &value));
}

TEST(spirv, an_unfolded_constant_is_no_integer_and_has_no_bytes) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypePointer, POINTER, CONSTANT, U32);
  PUT(&w, OpVariable, POINTER, 40, CONSTANT);
  PUT(&w, OpSpecConstantOp, U64, 41, OpConvertPtrToU, 40);
  PUT(&w, OpSpecConstantOp, U64, 42, OpIMul, 41, 41);
  PUT(&w, OpSpecConstantOp, U64, 43, OpIAdd, 42, 42);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  uint64_t value;
  uint8_t bytes[8];
  EXPECT_FALSE(module->id[41].unfolded);
  EXPECT_TRUE(module->id[42].unfolded && module->id[43].unfolded);
  EXPECT_FALSE(spirv_integer(module, 43, &value));
  EXPECT_FALSE(spirv_constant_bytes(module, 43, bytes, NULL, NULL));
  PUT(&w, OpSpecConstantOp, U64, 44, OpIAdd, 42, 44);
  refuse(&w, "id 44 is not a constant defined before");
}

TEST(spirv, a_composite_has_the_number_and_types_of_its_types_parts) {
  struct words w, base;
  begin(&base);
  begin_types(&base);
  PUT(&base, OpTypeVector, VECTOR, U32, 2);
  w = base;
  PUT(&w, OpConstantComposite, VECTOR, 30, ONE);
  refuse(&w, "1 parts, but its type has 2");
  w = base;
  PUT(&w, OpConstantComposite, VECTOR, 30, ONE, U32);
  refuse(&w, "not a constant");
  w = base;
  PUT(&w, OpConstantNull, BOOL, 30);
  PUT(&w, OpConstantComposite, VECTOR, 31, ONE, 30);
  refuse(&w, "part 1 is of another type");
  w = base;
  PUT(&w, OpConstantComposite, VECTOR, 30, ONE, 30);
  refuse(&w, "not a constant defined before");
}

/* Each struct contains the one before twice: 2^31 visits from a few hundred words. */
TEST(spirv, a_constant_of_endless_parts_is_refused) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeStruct, 50, VOID + 1);
  PUT(&w, OpTypeStruct, 51);
  PUT(&w, OpConstantComposite, 51, 100);
  for (uint32_t i = 0; i < 30; i++) {
    PUT(&w, OpTypeStruct, 52 + i, 51 + i, 51 + i);
    PUT(&w, OpConstantComposite, 52 + i, 101 + i, 100 + i, 100 + i);
  }
  refuse(&w, "more than 2^26 parts");
}

/* ---- functions ----------------------------------------------------------------------------------- */

enum { L1 = FREE, L2, L3, V1, V2, V3 };

static void lines_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpIAdd, U32, V1, ONE, ONE);
  PUT(w, OpLine, FILE_NAME, 7, 3);
  PUT(w, OpIAdd, U32, V2, ONE, ONE);
  PUT(w, OpLine, FILE_NAME, 0, 0);
  PUT(w, OpIAdd, U32, V3, ONE, ONE);
  PUT(w, OpLoopMerge, L2, L1, 0);
  PUT(w, OpBranch, L2);
  PUT(w, OpLabel, L2);
  PUT0(w, OpNoLine);
  PUT(w, OpLine, FILE_NAME, 9, 1);
  PUT0(w, OpReturn);
}

TEST(spirv, line_0_is_the_line_before_and_no_line_is_the_functions) {
  struct words w;
  whole(&w, lines_body);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module && module->functions == 1);
  const struct spirv_function *function = &module->function[0];
  ASSERT_EQ(function->blocks, 2);
  ASSERT_EQ(function->block[0].count, 4);
  const struct spirv_inst *inst = &module->inst[function->block[0].first];
  EXPECT_EQ(function->place.line, 7);
  EXPECT_EQ(inst[0].place.line, 7);
  EXPECT_EQ(inst[1].place.line, 7);
  EXPECT_TRUE(inst[1].place.column == 3 && inst[2].place.column == 3);
  EXPECT_EQ(inst[2].place.line, 7);
  EXPECT_EQ(inst[3].op, OpBranch);
  EXPECT_EQ(module->inst[function->block[1].first].place.line, 9);
  EXPECT_EQ(module->sources, 1);
  EXPECT_STREQ(module->source[0], "a.c");
}

static void phi_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpSwitch, ONE, L2, 5, L3, 6, L3);
  PUT(w, OpLabel, L3);
  PUT(w, OpPhi, U32, V1, ZERO, L2, ONE, L1, ONE, L1);
  PUT0(w, OpReturn);
  PUT(w, OpLabel, L2);
  PUT(w, OpBranch, L3);
}

TEST(spirv, a_phis_repeated_pair_is_removed) {
  struct words w;
  whole(&w, phi_body);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  const struct spirv_inst *phi = &module->inst[module->function[0].block[1].first];
  EXPECT_EQ(phi->op, OpPhi);
  EXPECT_EQ(phi->words, 7);
  EXPECT_EQ(phi->word[4], L2);
  EXPECT_EQ(phi->word[6], L1);
}

static void two_phis(struct words *w, uint32_t value, uint32_t label) {
  whole(w, phi_body);
  for (uint32_t i = 5; i < w->count; i++)
    if (w->word[i] == (9u << 16 | OpPhi)) {
      w->word[i + 7] = value;
      w->word[i + 8] = label;
    }
}

TEST(spirv, a_phi_names_each_predecessor_and_no_other_block) {
  struct words w;
  two_phis(&w, ONE, L3);
  refuse(&w, "does not lead here");
  two_phis(&w, ZERO, L1);
  refuse(&w, "two values come from label");
  two_phis(&w, ONE, V1);
  refuse(&w, "not a label of this function");
}

static void gap_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpBranchConditional, V1, L2, L3);
  PUT(w, OpLabel, L2);
  PUT(w, OpBranch, L3);
  PUT(w, OpLabel, L3);
  PUT(w, OpPhi, BOOL, V1, V1, L2);
  PUT0(w, OpReturn);
}

TEST(spirv, a_phi_without_a_value_from_a_predecessor_is_refused) {
  struct words w;
  whole(&w, gap_body);
  refuse(&w, "some block that leads here has no value");
}

static void late_phi_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpBranch, L2);
  PUT(w, OpLabel, L2);
  PUT(w, OpIAdd, U32, V1, ONE, ONE);
  PUT(w, OpPhi, U32, V2, ONE, L1);
  PUT0(w, OpReturn);
}

static void entry_loop_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpBranch, L1);
}

static void open_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpLabel, L2);
  PUT0(w, OpReturn);
}

static void endless_body(struct words *w) { PUT(w, OpLabel, L1); }

static void outside_body(struct words *w) { PUT0(w, OpReturn); }

static void unknown_label_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpBranch, ONE);
}

static void undefined_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpIAdd, U32, V1, V2, ONE);
  PUT0(w, OpReturn);
}

static void label_value_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpIAdd, U32, V1, L1, ONE);
  PUT0(w, OpReturn);
}

static void type_value_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpIAdd, U32, V1, U32, ONE);
  PUT0(w, OpReturn);
}

static void half_case_body(struct words *w) {
  PUT(w, OpLabel, L1);
  PUT(w, OpSwitch, ONE, L2, 1);
  PUT(w, OpLabel, L2);
  PUT0(w, OpReturn);
}

static void nested_body(struct words *w) { PUT(w, OpFunction, VOID, L1, 0, NO_ARGS); }

TEST(spirv, malformed_bodies_are_refused) {
  static const struct {
    void (*body)(struct words *w);
    const char *part;
  } rows[] = {
      {late_phi_body, "(OpPhi): follows other instructions"},
      {entry_loop_body, "(OpBranch): leads to the first block"},
      {open_body, "(OpLabel): the block before does not end"},
      {endless_body, "(OpFunctionEnd): the last block does not end"},
      {outside_body, "(OpReturn): an instruction outside a block"},
      {unknown_label_body, "(OpBranch): id 7 is not a label of this function"},
      {undefined_body, "(OpIAdd): id 15 is not a value"},
      {label_value_body, "(OpIAdd): id 11 has no value"},
      {type_value_body, "(OpIAdd): id 2 is not a value"},
      {half_case_body, "(OpSwitch): the last case is cut off"},
      {nested_body, "(OpFunction): the function before does not end"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_note("row %zu", i);
    struct words w;
    whole(&w, rows[i].body);
    refuse(&w, rows[i].part);
  }
}

TEST(spirv, a_value_of_another_function_is_refused) {
  struct words w;
  whole(&w, plain_body);
  PUT(&w, OpFunction, VOID, 60, 0, NO_ARGS);
  PUT(&w, OpLabel, 61);
  PUT(&w, OpIAdd, U32, 62, ONE, ONE);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  struct words branch = w;
  PUT(&w, OpFunction, VOID, 63, 0, NO_ARGS);
  PUT(&w, OpLabel, 64);
  PUT(&w, OpIAdd, U32, 65, 62, ONE);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  refuse(&w, "id 62 belongs to another function");
  PUT(&branch, OpFunction, VOID, 63, 0, NO_ARGS);
  PUT(&branch, OpLabel, 64);
  PUT(&branch, OpBranch, 61);
  PUT0(&branch, OpFunctionEnd);
  refuse(&branch, "id 61 is not a label of this function");
}

TEST(spirv, parameters_match_the_functions_type) {
  struct words w;
  begin(&w);
  begin_types(&w);
  PUT(&w, OpTypeFunction, 60, VOID, U32);
  PUT(&w, OpFunction, VOID, 61, 0, 60);
  struct words base = w;
  PUT(&w, OpFunctionParameter, U32, 62);
  PUT0(&w, OpFunctionEnd);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(module->function[0].parameters, 1);
  EXPECT_EQ(module->function[0].parameter[0], 62);
  EXPECT_TRUE(!module->function[0].block);
  w = base;
  PUT0(&w, OpFunctionEnd);
  refuse(&w, "parameters are missing");
  w = base;
  PUT(&w, OpFunctionParameter, U64, 62);
  refuse(&w, "parameter 0 does not fit");
  refuse(&base, "has no OpFunctionEnd");
}

TEST(spirv, debug_information_is_skipped_and_other_sets_are_refused_by_name) {
  struct words w;
  begin(&w);
  PUT(&w, OpExtInstImport, 70, 0x6e65704f, 0x442e4c43, 0x67756265, 0x6f666e49, 0x3030312e,
      0); /* OpenCL.DebugInfo.100 */
  PUT(&w, OpExtInstImport, 71, text("xyz"));
  begin_types(&w);
  PUT(&w, OpExtInst, VOID, 72, 70, 35, 0xffffffff);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  PUT(&w, OpLabel, L1);
  PUT(&w, OpExtInst, VOID, 73, 70, 23, 0xffffffff);
  PUT(&w, OpExtInst, VOID, 74, 71, 1, 0xffffffff);
  struct words bad = w;
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(module->function[0].block[0].count, 1);
  PUT(&bad, OpExtInst, U32, 75, 71, 1, ONE);
  PUT0(&bad, OpReturn);
  PUT0(&bad, OpFunctionEnd);
  refuse(&bad, "instruction set 'xyz' is unknown");
}

TEST(spirv, two_imports_of_one_set_are_one) {
  struct words w;
  begin(&w);
  for (uint32_t id = 70; id < 72; id++)
    PUT(&w, OpExtInstImport, id, 0x6e65704f, 0x732e4c43, text("td")); /* OpenCL.std */
  begin_types(&w);
  PUT(&w, OpConstant, FLOAT, 72, 0);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  PUT(&w, OpLabel, L1);
  PUT(&w, OpExtInst, FLOAT, 73, 71, 61, 72);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(module->opencl_std, 70);
  EXPECT_EQ(module->inst[module->function[0].block[0].first].word[3], 70);
}

/* ---- names --------------------------------------------------------------------------------------- */

TEST(spirv, a_kernel_has_its_name_and_size) {
  struct words w;
  begin(&w);
  PUT(&w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  PUT(&w, OpExecutionMode, KERNEL_ID, LOCAL_SIZE, 8, 4, 1);
  struct words bad = w;
  begin_types(&w);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  plain_body(&w);
  PUT0(&w, OpFunctionEnd);
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module && module->entries == 1);
  EXPECT_STREQ(module->entry[0].name, "k");
  EXPECT_EQ(module->entry[0].required_local[0], 8);
  EXPECT_EQ(module->entry[0].required_local[2], 1);
  EXPECT_EQ(module->function[module->entry[0].function].id, KERNEL_ID);
  refuse(&bad, "the function of kernel 'k' is missing");
  PUT(&bad, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  refuse(&bad, "kernel 'k' is already defined");
  begin(&bad);
  PUT(&bad, OpEntryPoint, 5, KERNEL_ID, text("k"));
  refuse(&bad, "only kernels (6) run here");
  begin(&bad);
  PUT(&bad, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  PUT(&bad, OpExecutionMode, KERNEL_ID, LOCAL_SIZE, 1 << 20, 1, 1);
  begin_types(&bad);
  PUT(&bad, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  plain_body(&bad);
  PUT0(&bad, OpFunctionEnd);
  refuse(&bad, "a kernel requires work-groups of 1048576 work-items; legal: 1 to 65536");
}

TEST(spirv, decorations_reach_their_ids_directly_and_through_groups) {
  struct words w;
  begin(&w);
  for (uint32_t id = 81; id <= 83; id++)
    PUT(&w, OpString, id, text("s"));
  PUT(&w, OpDecorate, 80, 44, 16); /* Alignment */
  PUT(&w, OpDecorate, 80, 4469);   /* NoSignedWrap */
  PUT(&w, OpDecorationGroup, 80);
  PUT(&w, OpGroupDecorate, 80, 81, 82);
  PUT(&w, OpDecorate, 82, 39, 3);              /* FPRoundingMode */
  PUT(&w, OpDecorate, 83, 41, text("ext"), 1); /* LinkageAttributes, Import */
  PUT(&w, OpName, 83, text("x"));
  ct_freed(spirv_free_at) struct spirv *module = accept(&w);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(module->id[81].decoration.alignment, 16);
  EXPECT_TRUE(module->id[82].decoration.no_signed_wrap);
  EXPECT_EQ(module->id[82].decoration.rounding, 3);
  EXPECT_EQ(module->id[81].decoration.rounding, -1);
  EXPECT_STREQ(module->id[83].name, "ext");
  EXPECT_TRUE(module->id[83].import);
  PUT(&w, OpDecorate, 81, 44, 12);
  refuse(&w, "an alignment of 12");
}

TEST(spirv, an_alignment_is_the_operand_after_its_flag) {
  static const uint32_t words[] = {0, 1, 2, 3, MemoryAccessVolatile | MemoryAccessAligned, 8};
  struct spirv_inst inst = {.word = words, .op = OpLoad, .words = 6};
  EXPECT_EQ(spirv_alignment(&inst, 4), 8);
  inst.words = 5;
  EXPECT_EQ(spirv_alignment(&inst, 4), 0);
  inst.words = 4;
  EXPECT_EQ(spirv_alignment(&inst, 4), 0);
}
