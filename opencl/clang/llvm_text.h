/* LLVM assembly as LLVM's passes and llvm-spirv want it. */
#ifndef OPENCL_CLANG_LLVM_TEXT_H
#define OPENCL_CLANG_LLVM_TEXT_H

/* Names the widths of integers that the machine computes in, in the data layout. spir64 names none, and LLVM then takes
 * every width for a good one: a switch over three bits becomes one over i3, which no SPIR-V has. And keeps functions
 * that are `inline` alone: C has another unit define those, and LLVM drops what it has not inlined. */
char *llvm_text_for_passes(const char *text);

/* The same without what llvm-spirv cannot translate: `freeze`, which pins an undefined value to one. Our values are
 * always pinned, because every register holds some number. It becomes an instruction that does nothing. */
char *llvm_text_for_spirv(const char *text);

/* Names one version of OpenCL C, the first unit's. Units that are linked bring one each, and llvm-spirv aborts if they
 * differ. */
char *llvm_text_of_one_version(const char *text);

/* What llvm-spirv goes down on, said otherwise; NULL if there is nothing of it. Barriers and fences whose flags, order
 * or scope only the run knows get the strongest ones: all memories, sequentially consistent, the whole device.
 * Assembly without instructions (asm volatile("")), which clang lets pass, goes: our passes move nothing across a
 * barrier, which is all that it asks for. Compare-exchanges of floats get names that the translator takes for those of
 * any function: SPIR-V has none, and opencl/lower/import.c knows them. Scalar constants that are read as vectors, as in
 * as_uint2(1UL), are spelled element by element: LLVM makes vectors of one element of them, which SPIR-V does not have.
 */
char *llvm_text_for_translator(const char *text);

/* Each makes a text of its own, which the caller frees. */

#endif
