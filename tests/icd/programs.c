/* Programs: information about their kernels, binaries, and source files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/icd/rig.h"

static const char source[] = "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
                             "void told(global const float4 *restrict a, local int *b, constant uint *c, int n) {\n"
                             "  b[0] = a[0].x + c[0] + n;\n"
                             "}\n";

static cl_program built(struct rig *rig, const char *text, const char *options) {
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(rig->context, 1, &text, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, options, NULL, NULL), CL_SUCCESS);
  return program;
}

static void expect_told(cl_program program) {
  cl_int status = CL_SUCCESS;
  char text[100] = "";
  cl_kernel_arg_address_qualifier place = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
  cl_kernel kernel = clCreateKernel(program, "told", &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL), CL_SUCCESS);
  EXPECT_STREQ(text, "reqd_work_group_size(8,1,1)");
  EXPECT_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL), CL_SUCCESS);
  EXPECT_STREQ(text, "float4*");
  EXPECT_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL),
            CL_SUCCESS);
  EXPECT_EQ(qualifiers, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
  EXPECT_EQ(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place, &place, NULL), CL_SUCCESS);
  EXPECT_EQ(place, CL_KERNEL_ARG_ADDRESS_CONSTANT);
  EXPECT_EQ(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof place, &place, NULL), CL_SUCCESS);
  EXPECT_EQ(place, CL_KERNEL_ARG_ADDRESS_LOCAL);
  EXPECT_EQ(clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), CL_SUCCESS);
  EXPECT_STREQ(text, "n");
  EXPECT_EQ(clGetKernelArgInfo(kernel, 4, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), CL_INVALID_ARG_INDEX);
  clReleaseKernel(kernel);
}

TEST(driver_programs, and_their_binaries_report_types_qualifiers_and_attributes) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS, each[2] = {1, 1};
  size_t sizes[2] = {0, 0};
  cl_program program = built(&rig, source, "-cl-kernel-arg-info");
  expect_told(program);
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL), CL_SUCCESS);
  EXPECT_EQ(sizes[0], sizes[1]);
  unsigned char *binaries[2] = {malloc(sizes[0]), malloc(sizes[1])};
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL), CL_SUCCESS);
  cl_program again =
      clCreateProgramWithBinary(rig.context, 2, rig.device, sizes, (const unsigned char **)binaries, each, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(each[1], CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(again, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  expect_told(again);
  clReleaseProgram(again);
  binaries[1][0] ^= 1;
  EXPECT_TRUE(
      !clCreateProgramWithBinary(rig.context, 2, rig.device, sizes, (const unsigned char **)binaries, each, &status));
  EXPECT_EQ(status, CL_INVALID_BINARY);
  EXPECT_EQ(each[0], CL_SUCCESS);
  EXPECT_EQ(each[1], CL_INVALID_BINARY);
  free(binaries[0]);
  free(binaries[1]);
  clReleaseProgram(program);
}

TEST(driver_programs, report_arguments_only_if_built_with_that_option) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  char text[100] = "";
  cl_program program = built(&rig, source, NULL);
  cl_kernel kernel = clCreateKernel(program, "told", &status);
  EXPECT_EQ(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL),
            CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST(driver_programs, report_the_size_of_their_variables) {
  ct_freed(rig_free) struct rig rig = rig_new();
  size_t bytes = 0;
  cl_program program = built(&rig, "global int a[10]; kernel void k(global int *d) { *d = a[*d]++; }", "-cl-std=CL2.0");
  EXPECT_EQ(clGetProgramBuildInfo(program, rig.device[0], CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes,
                                  &bytes, NULL),
            CL_SUCCESS);
  EXPECT_EQ(bytes, 40);
  clReleaseProgram(program);
}

TEST(driver_programs, report_how_pipes_are_used) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_program program = built(&rig, "kernel void k(read_only pipe int r, write_only pipe int w, global int *d) {}",
                             "-cl-std=CL2.0 -cl-kernel-arg-info");
  const cl_kernel_arg_access_qualifier wanted[] = {CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
                                                   CL_KERNEL_ARG_ACCESS_NONE};
  cl_kernel kernel = clCreateKernel(program, "k", &status);
  for (cl_uint i = 0; i < 3; i++) {
    cl_kernel_arg_access_qualifier access = 0;
    EXPECT_EQ(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL), CL_SUCCESS);
    EXPECT_EQ(access, wanted[i]);
  }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST(driver_programs, without_kernels_build_and_report_none) {
  ct_freed(rig_free) struct rig rig = rig_new();
  size_t count = 1;
  cl_int status = CL_SUCCESS;
  cl_program program = built(&rig, "float half_of(float x) { return x / 2; }\n", NULL);
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL), CL_SUCCESS);
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(!clCreateKernel(program, "half_of", &status));
  EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
  clReleaseProgram(program);
}

TEST(driver_programs, report_their_kernels_and_the_local_memory_that_these_use) {
  ct_freed(rig_free) struct rig rig = rig_new();
  char names[100] = "";
  cl_ulong bytes = 0;
  size_t most = 0;
  EXPECT_EQ(clGetProgramInfo(rig.program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL), CL_SUCCESS);
  EXPECT_STREQ(names, "plus;hello;big;eight;fill;drain");
  cl_kernel kernel = rig_kernel(&rig, "big");
  EXPECT_EQ(clSetKernelArg(kernel, 1, 512, NULL), CL_SUCCESS);
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, rig.device[0], CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL),
            CL_SUCCESS);
  EXPECT_EQ(bytes, 512);
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, rig.device[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
            CL_SUCCESS);
  EXPECT_EQ(most, 1024);
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
            CL_INVALID_DEVICE);
  clReleaseKernel(kernel);
}

/* ---- separate compilation
 * ----------------------------------------------------------------------------------------- */

static cl_program of(struct rig *rig, const char *text) {
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(rig->context, 1, &text, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return program;
}

static cl_program_binary_type type_of(struct rig *rig, cl_program program) {
  cl_program_binary_type type = 99;
  EXPECT_EQ(clGetProgramBuildInfo(program, rig->device[0], CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL),
            CL_SUCCESS);
  return type;
}

TEST(driver_programs, units_with_headers_are_compiled_and_linked_through_a_library) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  const char *name = "lib/twice.h";
  cl_program header = of(&rig, "int twice(int x);\n"),
             user =
                 of(&rig,
                    "#include \"lib/twice.h\"\n"
                    "kernel void run(global int *data) { data[get_global_id(0)] = twice(data[get_global_id(0)]); }\n"),
             maker = of(&rig, "#include <lib/twice.h>\nint twice(int x) { return FACTOR * x; }\n");
  EXPECT_EQ(clCompileProgram(user, 0, NULL, NULL, 1, &header, &name, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(maker, 0, NULL, "-DFACTOR=3", 1, &header, &name, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(type_of(&rig, user), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  cl_program library = clLinkProgram(rig.context, 0, NULL, "-create-library", 1, &maker, NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(type_of(&rig, library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
  const cl_program inputs[] = {user, library};
  cl_program linked = clLinkProgram(rig.context, 0, NULL, NULL, 2, inputs, NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(type_of(&rig, linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  cl_kernel run = clCreateKernel(linked, "run", &status);
  EXPECT_EQ(status, CL_SUCCESS);
  cl_mem data = rig_numbers(&rig);
  EXPECT_EQ(clSetKernelArg(run, 0, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(rig_launch(&rig, rig.queue, run, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(rig_at(&rig, data, 7), 21);
  clReleaseKernel(run);
  clReleaseMemObject(data);
  const cl_program all[] = {header, user, maker, library, linked};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    clReleaseProgram(all[i]);
}

TEST(driver_programs, units_with_unresolved_symbols_report_them) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  const char *outside = "../twice.h";
  char log[600] = "";
  cl_program header = of(&rig, "int twice(int x);\n"), wrong = of(&rig, "int f( {\n"),
             user = of(&rig, "int twice(int x);\nkernel void run(global int *d) { *d = twice(*d); }\n");
  EXPECT_EQ(clCompileProgram(wrong, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
  EXPECT_EQ(clGetProgramBuildInfo(wrong, rig.device[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), CL_SUCCESS);
  EXPECT_CONTAINS(log, "kernel.cl:1:8: error: ");
  EXPECT_EQ(clCompileProgram(user, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(clCompileProgram(user, 0, NULL, NULL, 1, &header, NULL, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(user, 0, NULL, NULL, 1, &header, &outside, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
  EXPECT_TRUE(!clLinkProgram(rig.context, 0, NULL, NULL, 1, &user, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_OPERATION); /* it is not compiled */
  EXPECT_EQ(clCompileProgram(user, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  EXPECT_TRUE(!clCreateKernel(user, "run", &status));
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_TRUE(!clLinkProgram(rig.context, 0, NULL, "-no-such-option", 1, &user, NULL, NULL, &status));
  EXPECT_EQ(status, CL_INVALID_LINKER_OPTIONS);
  cl_program linked = clLinkProgram(rig.context, 0, NULL, NULL, 1, &user, NULL, NULL, &status);
  EXPECT_EQ(status, CL_LINK_PROGRAM_FAILURE);
  EXPECT_EQ(clGetProgramBuildInfo(linked, rig.device[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL), CL_SUCCESS);
  EXPECT_CONTAINS(log, "twice");
  clReleaseProgram(linked);
  clReleaseProgram(header);
  clReleaseProgram(wrong);
  clReleaseProgram(user);
}

/* ---- from SPIR-V --------------------------------------------------------------------------------------------------
 */

/* Extracts the SPIR-V at the end of a program's binary. */
static cl_program il_of(struct rig *rig, const char *text) {
  static const unsigned char magic[4] = {0x03, 0x02, 0x23, 0x07};
  cl_program program = built(rig, text, NULL);
  size_t sizes[2] = {0, 0};
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL), CL_SUCCESS);
  unsigned char *binary = malloc(sizes[0]), *binaries[2] = {binary, NULL};
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL), CL_SUCCESS);
  const unsigned char *at = binary;
  while (at + 4 < binary + sizes[0] && memcmp(at, magic, 4) != 0)
    at++;
  cl_program il = clCreateProgramWithIL(rig->context, at, sizes[0] - (size_t)(at - binary), &status);
  EXPECT_EQ(status, CL_SUCCESS);
  free(binary);
  clReleaseProgram(program);
  return il;
}

/* What kernel "run" turns the number 7 into. */
static cl_int run(struct rig *rig, cl_program program) {
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = clCreateKernel(program, "run", &status);
  cl_mem data = rig_numbers(rig);
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof data, &data), CL_SUCCESS);
  EXPECT_EQ(rig_launch(rig, rig->queue, kernel, 0, NULL, NULL), CL_SUCCESS);
  const cl_int number = rig_at(rig, data, 7);
  clReleaseKernel(kernel);
  clReleaseMemObject(data);
  return number;
}

static const char constants[] = "int __attribute__((overloadable)) __spirv_SpecConstant(int id, int usual);\n"
                                "char __attribute__((overloadable)) __spirv_SpecConstant(int id, char usual);\n"
                                "kernel void run(global int *d) { d[get_global_id(0)] *= __spirv_SpecConstant(3, 10) + "
                                "__spirv_SpecConstant(4, (char)1); }\n";

TEST(driver_programs, from_spirv_accept_specialization_constants_before_building) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_program il = il_of(&rig, constants);
  EXPECT_EQ(clBuildProgram(il, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(run(&rig, il), 7 * (10 + 1));
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 3, 4, &(cl_int){20}), CL_SUCCESS);
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 4, 1, &(cl_char){-2}), CL_SUCCESS);
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 3, 4, &(cl_int){30}), CL_SUCCESS);
  EXPECT_EQ(clBuildProgram(il, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(run(&rig, il), 7 * (30 - 2));
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 3, 8, &(cl_long){20}), CL_INVALID_VALUE);
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 3, 4, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 5, 4, &(cl_int){20}), CL_INVALID_SPEC_ID);
  EXPECT_EQ(clSetProgramSpecializationConstant(rig.program, 3, 4, &(cl_int){20}), CL_INVALID_PROGRAM);
  clReleaseProgram(il);
}

TEST(driver_programs, from_spirv_can_be_linked_with_units_of_other_versions) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  cl_program il = il_of(&rig, constants), maker = of(&rig, "int twice(int x) { return 2 * x; }\n");
  EXPECT_EQ(clSetProgramSpecializationConstant(il, 3, 4, &(cl_int){30}), CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(il, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(maker, 0, NULL, "-cl-std=CL1.2", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  cl_program linked = clLinkProgram(rig.context, 0, NULL, NULL, 2, (cl_program[]){il, maker}, NULL, NULL, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(run(&rig, linked), 7 * (30 + 1));
  clReleaseProgram(linked);
  clReleaseProgram(maker);
  clReleaseProgram(il);
}

TEST(driver_programs, may_have_kernels_with_long_names_and_hints) {
  ct_freed(rig_free) struct rig rig = rig_new();
  enum { LETTERS = 2048 };
  char text[LETTERS + 200], name[LETTERS + 1], hint[80] = "";
  cl_int status = CL_SUCCESS;
  memset(name, 'k', LETTERS);
  name[LETTERS] = '\0';
  snprintf(text, sizeof text, "kernel __attribute__((vec_type_hint(float4))) void %s(void) {}", name);
  cl_program program = built(&rig, text, "-cl-no-subgroup-ifp");
  cl_kernel kernel = clCreateKernel(program, name, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof hint, hint, NULL), CL_SUCCESS);
  EXPECT_STREQ(hint, "vec_type_hint(float4)");
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST(driver_programs, may_be_cpp_under_its_name_or_amds) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int status = CL_SUCCESS;
  const char *text = "template <typename T> T twice(const T &x) { return x + x; }\n"
                     "kernel void k(global int *o) { o[get_global_id(0)] = twice(o[get_global_id(0)]); }\n";
  const char *options[] = {"-x clc++", "-x clcpp", "-cl-std=CLC++", "-cl-std=clc++2021"};
  cl_mem data = rig_numbers(&rig);
  for (int i = 0; i < 4; i++) {
    cl_program program = built(&rig, text, options[i]);
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof data, &data), CL_SUCCESS);
    EXPECT_EQ(rig_launch(&rig, rig.queue, kernel, 0, NULL, NULL), CL_SUCCESS);
    EXPECT_EQ(rig_at(&rig, data, 3), 6 << i);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
  }
  char log[400] = "";
  cl_program program = clCreateProgramWithSource(rig.context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, "-x cuda", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
  clGetProgramBuildInfo(program, rig.device[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  EXPECT_STREQ(log, "build option '-x': 'cuda' is not cl, clc++ or clcpp\n");
  clReleaseProgram(program);
  clReleaseMemObject(data);
}
