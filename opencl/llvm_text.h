/* LLVM assembly as llvm-spirv wants it: what optimised bitcode has and the translator cannot translate.
 *
 * - `freeze T %x` becomes `bitcast T %x to T`. freeze pins an undefined value to one; our values are always pinned,
 *   because every register holds some number.
 * - A switch over an integer of odd width, as in `%a = trunc i32 %b to i3` / `switch i3 %a`, becomes one over the
 *   masked wide integer. Other uses of odd widths stay, and llvm-spirv refuses them. */
#ifndef OPENCL_LLVM_TEXT_H
#define OPENCL_LLVM_TEXT_H

/* A text of its own; the caller frees it. */
char *llvm_text_for_spirv(const char *text);

#endif
