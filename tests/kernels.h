/* A test's longer kernels are in a file beside it: those of group_test.c in group_test.cl, group_test.wws or
 * group_test.ll, each after a line `//// NAME` or `;;;; NAME`. */
#ifndef TESTS_KERNELS_H
#define TESTS_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The text stays until the program ends. A missing one fails the test. */
#define CT_KERNEL(name) ct_kernel(__FILE__, #name)
const char *ct_kernel(const char *file, const char *name);

#ifdef __cplusplus
}
#endif

#endif
