/* Where a module's variables are placed, and what they contain. */
#include "opencl/lower/build.h"
#include "tests/ct.h"
#include "tests/opencl/words.h"

#include <stdlib.h>

CT_FREES(struct spirv, spirv_free)

enum { BYTE = 20, BYTE_CONSTANT, U32_CONSTANT, U32_GLOBAL, POINTER_GLOBAL, LENGTH, ARRAY, ARRAY_CONSTANT, LOCAL };

/* Types for the variables that tests add; `decorations` precede them. */
static void begin_variables(struct words *w, void (*decorations)(struct words *w)) {
  begin(w);
  if (decorations)
    decorations(w);
  begin_types(w);
  PUT(w, OpTypeInt, BYTE, 8, 0);
  PUT(w, OpTypePointer, BYTE_CONSTANT, SPIRV_UNIFORM_CONSTANT, BYTE);
  PUT(w, OpTypePointer, U32_CONSTANT, SPIRV_UNIFORM_CONSTANT, U32);
  PUT(w, OpTypePointer, U32_GLOBAL, SPIRV_CROSS_WORKGROUP, U32);
  PUT(w, OpTypePointer, POINTER_GLOBAL, SPIRV_CROSS_WORKGROUP, U32_CONSTANT);
  PUT(w, OpTypePointer, LOCAL, SPIRV_WORKGROUP, U32);
}

static struct spirv *lay_out(const struct words *w, struct build_tables *tables, struct isa_error *error) {
  *error = (struct isa_error){""};
  struct spirv *module = spirv_read((const uint8_t *)w->word, (size_t)w->count * 4, "t.spv", error);
  EXPECT_STREQ(error->text, "");
  if (module && build_tables(module, tables, error))
    return module;
  spirv_free(module);
  return NULL;
}

static uint64_t number(const uint8_t *bytes, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; i++)
    value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

static void align_to_64(struct words *w) { PUT(w, OpDecorate, 32, 44, 64); }

TEST(tables, variables_are_in_order_at_their_alignment) {
  struct words w;
  begin_variables(&w, align_to_64);
  PUT(&w, OpConstant, BYTE, 30, 0xab);
  PUT(&w, OpVariable, BYTE_CONSTANT, 31, SPIRV_UNIFORM_CONSTANT, 30);
  PUT(&w, OpVariable, BYTE_CONSTANT, 32, SPIRV_UNIFORM_CONSTANT, 30);
  PUT(&w, OpVariable, U32_CONSTANT, 33, SPIRV_UNIFORM_CONSTANT, ONE);
  PUT(&w, OpVariable, U32_GLOBAL, 34, SPIRV_CROSS_WORKGROUP, ONE);
  PUT(&w, OpVariable, U32_GLOBAL, 35, SPIRV_CROSS_WORKGROUP);
  PUT(&w, OpVariable, LOCAL, 36, SPIRV_WORKGROUP);
  struct build_tables tables;
  struct isa_error error;
  ct_freed(spirv_free_at) struct spirv *module = lay_out(&w, &tables, &error);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(tables.address[31], 0);
  EXPECT_EQ(tables.address[32], 64);
  EXPECT_EQ(tables.address[33], 68);
  EXPECT_EQ(tables.constant_bytes, 72);
  EXPECT_EQ(tables.constants[64], 0xab);
  EXPECT_EQ(number(tables.constants + 68, 4), 1);
  EXPECT_EQ(tables.address[34], ISA_VARIABLE_BASE);
  EXPECT_EQ(tables.address[35], ISA_VARIABLE_BASE + 4);
  EXPECT_EQ(tables.address[36], 0);
  EXPECT_EQ(tables.variable_bytes, 8);
  EXPECT_EQ(number(tables.variables, 8), 1);
  build_tables_free(&tables);
}

TEST(tables, byte_arrays_are_aligned_like_accesses_of_their_size) {
  enum { FEW = 50, FEW_ARRAY, FEW_CONSTANT };
  struct words w;
  begin_variables(&w, NULL);
  PUT(&w, OpConstant, U32, LENGTH, 17);
  PUT(&w, OpConstant, U32, FEW, 7);
  PUT(&w, OpTypeArray, ARRAY, BYTE, LENGTH);
  PUT(&w, OpTypeArray, FEW_ARRAY, BYTE, FEW);
  PUT(&w, OpTypePointer, ARRAY_CONSTANT, SPIRV_UNIFORM_CONSTANT, ARRAY);
  PUT(&w, OpTypePointer, FEW_CONSTANT, SPIRV_UNIFORM_CONSTANT, FEW_ARRAY);
  PUT(&w, OpConstant, BYTE, 30, 0xab);
  PUT(&w, OpConstantNull, ARRAY, 31);
  PUT(&w, OpConstantNull, FEW_ARRAY, 32);
  PUT(&w, OpVariable, BYTE_CONSTANT, 33, SPIRV_UNIFORM_CONSTANT, 30);
  PUT(&w, OpVariable, FEW_CONSTANT, 34, SPIRV_UNIFORM_CONSTANT, 32);
  PUT(&w, OpVariable, BYTE_CONSTANT, 35, SPIRV_UNIFORM_CONSTANT, 30);
  PUT(&w, OpVariable, ARRAY_CONSTANT, 36, SPIRV_UNIFORM_CONSTANT, 31);
  struct build_tables tables;
  struct isa_error error;
  ct_freed(spirv_free_at) struct spirv *module = lay_out(&w, &tables, &error);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(tables.address[33], 0);
  EXPECT_EQ(tables.address[34], 4);
  EXPECT_EQ(tables.address[35], 11);
  EXPECT_EQ(tables.address[36], 16);
  build_tables_free(&tables);
}

TEST(tables, a_pointer_to_a_constant_is_its_place_plus_the_aperture) {
  struct words w;
  begin_variables(&w, NULL);
  PUT(&w, OpVariable, U32_CONSTANT, 31, SPIRV_UNIFORM_CONSTANT, ONE);
  PUT(&w, OpVariable, U32_CONSTANT, 32, SPIRV_UNIFORM_CONSTANT, ONE);
  PUT(&w, OpSpecConstantOp, U32_CONSTANT, 33, OpInBoundsPtrAccessChain, 32, ONE);
  PUT(&w, OpVariable, POINTER_GLOBAL, 34, SPIRV_CROSS_WORKGROUP, 33);
  PUT(&w, OpVariable, POINTER_GLOBAL, 35, SPIRV_CROSS_WORKGROUP, 31);
  PUT(&w, OpConstantNull, U32_CONSTANT, 36);
  PUT(&w, OpVariable, POINTER_GLOBAL, 37, SPIRV_CROSS_WORKGROUP, 36);
  struct build_tables tables;
  struct isa_error error;
  ct_freed(spirv_free_at) struct spirv *module = lay_out(&w, &tables, &error);
  ASSERT_TRUE(module != NULL);
  EXPECT_EQ(number(tables.variables, 8), ISA_CONSTANT_APERTURE + 4 + 4);
  EXPECT_EQ(number(tables.variables + 8, 8), ISA_CONSTANT_APERTURE);
  EXPECT_EQ(number(tables.variables + 16, 8), 0);
  build_tables_free(&tables);
}

static void import_it(struct words *w) { PUT(w, OpDecorate, 31, 41, text("ext"), 1); }

TEST(tables, an_undefined_variable_is_refused_by_name) {
  struct words w;
  begin_variables(&w, import_it);
  PUT(&w, OpVariable, U32_CONSTANT, 31, SPIRV_UNIFORM_CONSTANT);
  struct build_tables tables;
  struct isa_error error;
  EXPECT_TRUE(!lay_out(&w, &tables, &error));
  EXPECT_CONTAINS(error.text, "t.spv: variable 'ext': declared here");
}

TEST(tables, more_than_the_constant_table_holds_is_refused) {
  struct words w;
  begin_variables(&w, NULL);
  PUT(&w, OpConstant, U32, LENGTH, 0x1000001);
  PUT(&w, OpTypeArray, ARRAY, U32, LENGTH);
  PUT(&w, OpTypePointer, ARRAY_CONSTANT, SPIRV_UNIFORM_CONSTANT, ARRAY);
  PUT(&w, OpVariable, ARRAY_CONSTANT, 31, SPIRV_UNIFORM_CONSTANT);
  struct build_tables tables;
  struct isa_error error;
  EXPECT_TRUE(!lay_out(&w, &tables, &error));
  EXPECT_CONTAINS(error.text, "__constant variables take more than 67108864 bytes");
}
