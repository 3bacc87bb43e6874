/* Shared virtual memory. Sanitizers use the addresses where it would be. */
#include <string.h>

#include "tests/icd/rig.h"

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

TEST(svm, pointers_in_it_are_valid_on_the_host_and_both_devices) {
  ct_freed(rig_free) struct rig rig = rig_new();
  const char *text = "struct node { global struct node *next; int value; };\n"
                     "kernel void sum(global struct node *list, global int *out) {\n"
                     "  int all = 0;\n"
                     "  for (; list; list = list->next) { all += list->value; list->value = 0; }\n"
                     "  *out = all;\n"
                     "}\n";
  struct node {
    struct node *next;
    cl_int value;
  };
  cl_int status = CL_SUCCESS;
  cl_command_queue other = clCreateCommandQueueWithProperties(rig.context, rig.device[1], NULL, &status);
  cl_program program = clCreateProgramWithSource(rig.context, 1, &text, NULL, &status);
  EXPECT_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
  cl_kernel sum = clCreateKernel(program, "sum", &status);
  struct node *list = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 10 * sizeof *list, 0);
  struct node *more = clSVMAlloc(rig.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof *more, 64);
  cl_int *out = clSVMAlloc(rig.context, 0, 16, 0);
  ASSERT_TRUE(list && more && out);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 10; i++)
      list[i] = (struct node){i < 9 ? &list[i + 1] : more, i};
    *more = (struct node){NULL, 1000};
    EXPECT_EQ(clSetKernelArgSVMPointer(sum, 0, &list[2]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArgSVMPointer(sum, 1, out + 1), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(round ? other : rig.queue, sum, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(round ? other : rig.queue), CL_SUCCESS);
    EXPECT_EQ(out[1], 1044);
    EXPECT_EQ(list[5].value + more->value, 0);
    EXPECT_EQ(list[1].value, 1);
  }
  cl_int numbers[16] = {0};
  EXPECT_EQ(clSetKernelArgSVMPointer(sum, 0, numbers), CL_INVALID_ARG_VALUE);
  clSVMFree(rig.context, more);
  EXPECT_EQ(clSetKernelArgSVMPointer(sum, 0, more), CL_INVALID_ARG_VALUE);
  clSVMFree(rig.context, list);
  clSVMFree(rig.context, out);
  clReleaseKernel(sum);
  clReleaseProgram(program);
  clReleaseCommandQueue(other);
}

static void CL_CALLBACK free_all(cl_command_queue queue, cl_uint count, void *pointers[], void *self) {
  cl_context context = self;
  (void)queue;
  for (cl_uint i = 0; i < count; i++)
    clSVMFree(context, pointers[i]);
}

TEST(svm, commands_copy_fill_map_and_free_it) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int numbers[4] = {1, 2, 3, 4}, got[4] = {0}, status = CL_SUCCESS;
  cl_bool is_svm = CL_FALSE;
  cl_int *at = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 64, 0), *too = clSVMAlloc(rig.context, 0, 64, 0);
  EXPECT_EQ(clEnqueueSVMMemcpy(rig.queue, CL_TRUE, at, numbers, sizeof numbers, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMemcpy(rig.queue, CL_TRUE, at, at + 1, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(clEnqueueSVMMemFill(rig.queue, at + 1, &(cl_int){7}, 4, 8, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMemFill(rig.queue, (char *)at + 1, &(cl_int){7}, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMap(rig.queue, CL_TRUE, CL_MAP_READ, at, 64, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(at[0] + at[1] + at[2] + at[3], 1 + 7 + 7 + 4);
  EXPECT_EQ(clEnqueueSVMUnmap(rig.queue, at, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMemcpy(rig.queue, CL_TRUE, got, at, sizeof got, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(got[3], 4);
  cl_mem buffer = clCreateBuffer(rig.context, CL_MEM_USE_HOST_PTR, 32, at, &status);
  EXPECT_EQ(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof is_svm, &is_svm, NULL), CL_SUCCESS);
  EXPECT_TRUE(is_svm);
  EXPECT_TRUE(!clCreateBuffer(rig.context, CL_MEM_USE_HOST_PTR, 65, at, &status));
  EXPECT_EQ(status, CL_INVALID_BUFFER_SIZE);
  cl_kernel plus = rig_plus(&rig, buffer, 100);
  EXPECT_EQ(clSetKernelExecInfo(plus, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof at, &at), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(plus, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(plus, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, &at), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueNDRangeKernel(rig.queue, plus, 1, NULL, (size_t[]){4}, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(at[3], 104);
  EXPECT_EQ(rig_at(&rig, buffer, 3), 104);
  clReleaseKernel(plus);
  clReleaseMemObject(buffer);
  void *pointers[] = {at, too};
  EXPECT_EQ(clEnqueueSVMFree(rig.queue, 1, &pointers[1], NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMFree(rig.queue, 1, pointers, free_all, rig.context, 0, NULL, NULL), CL_SUCCESS);
  EXPECT_EQ(clFinish(rig.queue), CL_SUCCESS);
  EXPECT_EQ(clEnqueueSVMMigrateMem(rig.queue, 1, (const void **)pointers, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_TRUE(!clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 0, 0));
  EXPECT_TRUE(!clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 64, 3));
  EXPECT_TRUE(!clSVMAlloc(rig.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
}

TEST(svm, ranges_that_leave_their_allocation_are_invalid) {
  ct_freed(rig_free) struct rig rig = rig_new();
  cl_int *at = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 64, 0), numbers[16] = {0};
  const size_t sizes[] = {68, 1 << 20, (size_t)1 << 32, (size_t)1 << 63, SIZE_MAX - 3};
  cl_command_queue q = rig.queue;
  ASSERT_TRUE(at);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t size = sizes[i];
    EXPECT_EQ(clEnqueueSVMMemcpy(q, CL_TRUE, at, numbers, size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueSVMMemcpy(q, CL_TRUE, numbers, at, size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueSVMMemcpy(q, CL_TRUE, at, at + 2, size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueSVMMemFill(q, at, numbers, 4, size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, at, size, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_EQ(clEnqueueSVMMigrateMem(q, 1, (const void *[]){at}, &size, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EXPECT_TRUE(size <= (size_t)1 << 32 || !clSVMAlloc(rig.context, CL_MEM_READ_WRITE, size, 0));
  }
  EXPECT_EQ(clEnqueueSVMMemcpy(q, CL_TRUE, numbers, numbers + 4, SIZE_MAX - 3, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMemFill(q, numbers, numbers, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, numbers, 4, 0, NULL, NULL), CL_INVALID_VALUE);
  clSVMFree(rig.context, at);
}
#endif
