/* From LLVM IR, as any clang writes it, to a SPIR-V module in memory, the form that opencl/lower reads.
 *
 *     .ll text ──ll_lex──► tokens ──ll_module, ll_function──► words of SPIR-V, one section each ──► one module
 *
 * Text rather than bitcode: clang turns bitcode of every older version into text of its own, so one reader serves
 * both. Text has hardly changed between versions 15 and 23, a fault has a line, and a hostile file cannot claim sizes
 * that it does not contain.
 *
 * SPIR-V has no opaque pointers at its core; the module uses those of SPV_KHR_untyped_pointers. Pointers get a type
 * where OpenCL's built-ins need one, from their mangled names. Integers of other widths than 8, 16, 32 and 64 bits
 * are kept, zero-extended, in the next of these.
 *
 * Three targets: `spir64`, `nvptx64` and `amdgcn`. They differ in what address spaces mean and in what they call their
 * intrinsics (ll_opencl.c, ll_gpu.c, ll_ptx.c for inline assembly). A module that names no target shows it by these.
 *
 * A function may contain something that has no translation: other assembly, an unknown intrinsic, a type. It becomes
 * a call of a function named '!' and the reason, so only kernels that reach it are refused, at its line.
 *
 * Not read: what only guides LLVM's own passes (most attributes, aliasing metadata, profile data), exception handling,
 * coroutines, vectors of pointers, scalable vectors. */
#ifndef OPENCL_LLVM_LLVM_H
#define OPENCL_LLVM_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isa_error;

/* Does a file begin like LLVM IR in text form? As bitcode, which clang turns into text? */
bool llvm_is_text(const uint8_t *bytes, size_t size);
bool llvm_is_bitcode(const uint8_t *bytes, size_t size);

/* Translates a module; the caller frees *spirv. False on bad input, with "file:line: what is wrong" in *error. */
bool llvm_to_spirv(const char *text, size_t size, const char *file, uint8_t **spirv, size_t *spirv_size,
                   struct isa_error *error);

#endif
