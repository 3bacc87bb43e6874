/* Adapts LLVM assembly for LLVM's passes and for llvm-spirv. */
#ifndef OPENCL_CLANG_LLVM_TEXT_H
#define OPENCL_CLANG_LLVM_TEXT_H

/* Names the integer widths of the machine in the data layout. spir64 names none, and LLVM then considers every width
 * legal: a switch over three bits becomes one over i3, which SPIR-V does not have. Also keeps functions that are only
 * `inline`: in C, another unit defines them, and LLVM drops those that it has not inlined. And forbids merging calls
 * that depend on which work-items reach them, such as barriers and votes, from both arms of a branch. And keeps the
 * order of accesses to the LDS, which lanes of a warp see. */
char *llvm_text_for_passes(const char *text);

/* Removes what llvm-spirv cannot translate: `freeze`, which pins an undefined value to one value. Here, values are
 * always pinned, because every register holds some number. It becomes an instruction without effect. Also removes what
 * kept accesses to the LDS in order. */
char *llvm_text_for_spirv(const char *text);

/* Names one version of OpenCL C, that of the first unit. Linked units each bring one, and llvm-spirv aborts if they
 * differ. */
char *llvm_text_of_one_version(const char *text);

/* Rewrites what llvm-spirv crashes on; NULL if there is nothing to rewrite. Barriers and fences whose flags, order or
 * scope are not constant get the strongest: all memories, sequentially consistent, the whole device. Empty assembly
 * (asm volatile("")), which clang accepts, is removed: it only forbids moving accesses across it, and our passes move
 * nothing across a barrier. Compare-exchanges of floats get names that the translator treats as ordinary functions,
 * because SPIR-V has none; opencl/lower/import.c knows the names. Scalar constants that are read as vectors, as in
 * as_uint2(1UL), are spelled element by element: LLVM makes them from vectors of one element, which SPIR-V does not
 * have. */
char *llvm_text_for_translator(const char *text);

/* Each returns a new text, which the caller frees. */

#endif
