#include "opencl/clang/prelude.h"

#include <stddef.h>
#include <string.h>

#include "sim/base/text.h"

/* Removes what clang claims for spir64 but this machine does not have; adds the version, which clang leaves to the
 * driver. */
#define WITHOUT(name) "#undef " #name "\n"
static const char common[] = "#ifndef __OPENCL_VERSION__\n"
                             "#define __OPENCL_VERSION__ 300\n"
                             "#endif\n"
    /* clang-format off */
    WITHOUT(cl_khr_gl_msaa_sharing) WITHOUT(cl_khr_mipmap_image) WITHOUT(cl_khr_mipmap_image_writes)
    WITHOUT(__opencl_c_device_enqueue)
    WITHOUT(cl_amd_media_ops) WITHOUT(cl_amd_media_ops2)
    WITHOUT(cl_intel_device_side_avc_motion_estimation)
    WITHOUT(__opencl_c_ext_fp16_global_atomic_load_store) WITHOUT(__opencl_c_ext_fp16_local_atomic_load_store)
    WITHOUT(__opencl_c_ext_fp16_global_atomic_add) WITHOUT(__opencl_c_ext_fp16_local_atomic_add)
    WITHOUT(__opencl_c_ext_fp16_global_atomic_min_max) WITHOUT(__opencl_c_ext_fp16_local_atomic_min_max)
    /* clang-format on */
    /* OpenCL C 3.0 names these features; 2.0 has the features without the names. */
    "#if !defined __opencl_c_fp64 && defined cl_khr_fp64\n"
    "#define __opencl_c_fp64 1\n"
    "#endif\n"
    "#if !defined __opencl_c_subgroups && defined cl_khr_subgroups && __OPENCL_C_VERSION__ >= 200\n"
    "#define __opencl_c_subgroups 1\n"
    "#endif\n"
    /* clang declares these functions in every version but defines the macros only from 2.0 on. */
    "#ifndef cl_khr_integer_dot_product\n"
    "#define cl_khr_integer_dot_product 1\n"
    "#define __opencl_c_integer_dot_product_input_4x8bit 1\n"
    "#define __opencl_c_integer_dot_product_input_4x8bit_packed 1\n"
    "#endif\n"
    "#define cl_khr_expect_assume 1\n"
    "#define cl_khr_extended_async_copies 1\n"
    "#define cl_khr_image2d_from_buffer 1\n"
    "#define CLK_UNORM_INT_101010_2 0x10E0\n"
    "#define cl_khr_async_work_group_copy_fence 1\n"
    "#define __OCL_EXT __attribute__((overloadable, convergent))\n"
    "event_t __OCL_EXT async_work_group_copy_2D2D(__local void *, size_t, const __global void *, size_t, size_t, "
    "size_t,\n"
    "                                      size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT async_work_group_copy_2D2D(__global void *, size_t, const __local void *, size_t, size_t, "
    "size_t,\n"
    "                                      size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT async_work_group_copy_3D3D(__local void *, size_t, const __global void *, size_t, size_t, "
    "size_t,\n"
    "                                      size_t, size_t, size_t, size_t, size_t, size_t, event_t);\n"
    "event_t __OCL_EXT async_work_group_copy_3D3D(__global void *, size_t, const __local void *, size_t, size_t, "
    "size_t,\n"
    "                                      size_t, size_t, size_t, size_t, size_t, size_t, event_t);\n"
    "void __OCL_EXT async_work_group_copy_fence(cl_mem_fence_flags);\n"
    "#undef __OCL_EXT\n"
    "#define cl_khr_kernel_clock 1\n"
    "#define __opencl_c_kernel_clock_scope_device 1\n"
    "#define __opencl_c_kernel_clock_scope_work_group 1\n"
    "#define __opencl_c_kernel_clock_scope_sub_group 1\n"
    "#define __OCL_EXT __attribute__((overloadable))\n"
    "ulong __OCL_EXT clock_read_device(void);\n"
    "ulong __OCL_EXT clock_read_work_group(void);\n"
    "ulong __OCL_EXT clock_read_sub_group(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_device(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_work_group(void);\n"
    "uint2 __OCL_EXT clock_read_hilo_sub_group(void);\n"
    "#undef __OCL_EXT\n";

/* cl_intel_subgroups with its _short, _char and _long, which clang 15 does not declare. */
static const char intel_subgroups[] =
    "#ifdef cl_intel_subgroups\n"
    "#define cl_intel_subgroups_char 1\n"
    "#define cl_intel_subgroups_long 1\n"
    "#define cl_intel_subgroup_local_block_io 1\n"
    "#define __OCL_EXT __attribute__((overloadable, convergent))\n"
    "#define __OCL_SHUFFLE(T) T __OCL_EXT intel_sub_group_shuffle(T, uint); \\\n"
    "  T __OCL_EXT intel_sub_group_shuffle_xor(T, uint); T __OCL_EXT intel_sub_group_shuffle_up(T, T, uint); \\\n"
    "  T __OCL_EXT intel_sub_group_shuffle_down(T, T, uint);\n"
    "#define __OCL_SHUFFLES(T) __OCL_SHUFFLE(T) __OCL_SHUFFLE(T##2) __OCL_SHUFFLE(T##4) __OCL_SHUFFLE(T##8) \\\n"
    "  __OCL_SHUFFLE(T##16)\n"
    "#define __OCL_BLOCK(S, T, N, C) T##C __OCL_EXT intel_sub_group_block_read##N##C(const S T *); \\\n"
    "  void __OCL_EXT intel_sub_group_block_write##N##C(S T *, T##C);\n"
    "#define __OCL_BLOCK_2(T, N, C) __OCL_BLOCK(__global, T, N, C) __OCL_BLOCK(__local, T, N, C)\n"
    "#define __OCL_IMAGES_READ(A, T, N, C) T##C __OCL_EXT intel_sub_group_block_read##N##C(A image2d_t, int2);\n"
    "#define __OCL_IMAGES_WRITE(A, T, N, C) void __OCL_EXT intel_sub_group_block_write##N##C(A image2d_t, int2, "
    "T##C);\n"
    "#define __OCL_IMAGES_1(T, N, C) __OCL_IMAGES_READ(read_only, T, N, C) __OCL_IMAGES_WRITE(write_only, T, N, C)\n"
    "#ifdef __opencl_c_read_write_images\n"
    "#define __OCL_IMAGES(T, N, C) __OCL_IMAGES_1(T, N, C) __OCL_IMAGES_READ(read_write, T, N, C) \\\n"
    "  __OCL_IMAGES_WRITE(read_write, T, N, C)\n"
    "#else\n"
    "#define __OCL_IMAGES(T, N, C) __OCL_IMAGES_1(T, N, C)\n"
    "#endif\n"
    "#define __OCL_BLOCK_3(T, N, C) __OCL_BLOCK_2(T, N, C) __OCL_IMAGES(T, N, C)\n"
    "#define __OCL_BLOCKS(T, N) __OCL_BLOCK_3(T, N, ) __OCL_BLOCK_3(T, N, 2) __OCL_BLOCK_3(T, N, 4) \\\n"
    "  __OCL_BLOCK_3(T, N, 8)\n"
    "__OCL_SHUFFLES(int) __OCL_SHUFFLES(uint) __OCL_SHUFFLES(float) __OCL_SHUFFLES(short) __OCL_SHUFFLES(ushort)\n"
    "__OCL_SHUFFLES(char) __OCL_SHUFFLES(uchar) __OCL_SHUFFLE(long) __OCL_SHUFFLE(ulong)\n"
    "#ifdef cl_khr_fp64\n"
    "__OCL_SHUFFLE(double)\n"
    "#endif\n"
    "#ifdef cl_khr_fp16\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "__OCL_SHUFFLE(half)\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n"
    "#endif\n"
    "__OCL_BLOCKS(uint, ) __OCL_BLOCKS(uint, _ui) __OCL_BLOCKS(ushort, _us) __OCL_BLOCKS(uchar, _uc)\n"
    "__OCL_BLOCKS(ulong, _ul) __OCL_BLOCK_2(ushort, _us, 16) __OCL_BLOCK_3(uchar, _uc, 16)\n"
    "#undef __OCL_SHUFFLE\n"
    "#undef __OCL_SHUFFLES\n"
    "#undef __OCL_BLOCK\n"
    "#undef __OCL_BLOCK_2\n"
    "#undef __OCL_BLOCK_3\n"
    "#undef __OCL_IMAGES\n"
    "#undef __OCL_IMAGES_1\n"
    "#undef __OCL_IMAGES_READ\n"
    "#undef __OCL_IMAGES_WRITE\n"
    "#undef __OCL_BLOCKS\n"
    "#undef __OCL_EXT\n"
    "#endif\n";

/* A channel becomes a variable at program scope, and each use a call with its address (opencl/lower/channel.c).
 * Attributes that clang does not know become ones that survive in the SPIR-V: a depth gets a number, by which it is
 * found again, and compute units become the hint for the work-group size. */
static const char channels[] =
    "#define cl_intel_channels 1\n"
    "#define cl_altera_channels 1\n"
    "#ifdef " PRELUDE_CHANNELS "\n"
    "#define channel __global\n"
    "#define depth(n) __OCL_DEPTH(n, __COUNTER__)\n"
    "#define __OCL_DEPTH(n, i) __OCL_DEPTH_OF(n, i)\n"
    "#define __OCL_DEPTH_OF(n, i) __annotate__(\"warpwait.depth.\" #i, (ulong)(n), (ulong)i)\n"
    "#define io(name) __unused__\n"
    "#define autorun __annotate__(\"warpwait.autorun\")\n"
    "#define num_compute_units(...) __OCL_UNITS(__VA_ARGS__, 1, 1, 1)\n"
    "#define __OCL_UNITS(x, y, z, ...) work_group_size_hint(x, y, z)\n"
    "#define get_compute_id(dimension) get_group_id(dimension)\n"
    "#define __fpga_reg(value) (value)\n"
    "#define CLK_CHANNEL_MEM_FENCE CLK_GLOBAL_MEM_FENCE\n"
    "void __ocl_channel_read(const __global void *, __private void *);\n"
    "bool __ocl_channel_read_nb(const __global void *, __private void *);\n"
    "void __ocl_channel_write(const __global void *, __private void *);\n"
    "bool __ocl_channel_write_nb(const __global void *, __private void *);\n"
    "#define __OCL_PACKET(c) __typeof__((0, (c)))\n" /* drops the address space */
    "#define read_channel_intel(c) __extension__({ __OCL_PACKET(c) __ocl_r; __ocl_channel_read(&(c), &__ocl_r); "
    "__ocl_r; })\n"
    "#define read_channel_nb_intel(c, valid) __extension__({ __OCL_PACKET(c) __ocl_t; \\\n"
    "  *(valid) = __ocl_channel_read_nb(&(c), &__ocl_t); __ocl_t; })\n"
    "#define write_channel_intel(c, ...) __extension__({ __OCL_PACKET(c) __ocl_w = (__VA_ARGS__); \\\n"
    "  __ocl_channel_write(&(c), &__ocl_w); })\n"
    "#define write_channel_nb_intel(c, ...) __extension__({ __OCL_PACKET(c) __ocl_p = (__VA_ARGS__); \\\n"
    "  __ocl_channel_write_nb(&(c), &__ocl_p); })\n"
    "#define read_channel_altera read_channel_intel\n"
    "#define read_channel_nb_altera read_channel_nb_intel\n"
    "#define write_channel_altera write_channel_intel\n"
    "#define write_channel_nb_altera write_channel_nb_intel\n"
    "#endif\n";

static const char *const parts[] = {common, intel_subgroups, channels};
enum { PARTS = sizeof parts / sizeof *parts };

/* Does our header define it? If so, clang does not know it. */
static bool is_ours(const char *extension) {
  static const char define[] = "#define ", one[] = " 1\n";
  const size_t length = strlen(extension);
  for (size_t i = 0; i < PARTS; i++)
    for (const char *at = parts[i]; (at = strstr(at, define)); at++) {
      const char *name = at + sizeof define - 1;
      if (strncmp(name, extension, length) == 0 && strncmp(name + length, one, sizeof one - 1) == 0)
        return true;
    }
  return false;
}

/* clang itself reports an extension that it does not have. */
char *prelude_text(const char *const *extensions) {
  struct text text = {0};
  for (size_t i = 0; i < PARTS; i++)
    text_print(&text, "%s", parts[i]);
  for (; extensions && *extensions; extensions++)
    if (!is_ours(*extensions))
      text_print(&text, "#ifndef %s\n#error no extension '%s'\n#endif\n#pragma OPENCL EXTENSION %s : enable\n",
                 *extensions, *extensions, *extensions);
  return text.data;
}

/* Is this the name in "#pragma OPENCL EXTENSION cl_intel_channels : enable"? `text` is the start of the whole text. */
static bool is_enabled(const char *text, const char *name) {
  const char *line = name, *end = name + strcspn(name, "\n");
  while (line > text && line[-1] != '\n')
    line--;
  const char *directive = strstr(line, "EXTENSION"), *enable = strstr(name, "enable");
  return directive && directive < name && enable && enable < end;
}

bool prelude_has_channels(const char *text, const char *const *extensions) {
  static const char *const names[] = {"cl_intel_channels", "cl_altera_channels"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (const char *at = text; (at = strstr(at, names[i])); at++)
      if (is_enabled(text, at))
        return true;
    for (const char *const *extension = extensions; extension && *extension; extension++)
      if (strcmp(*extension, names[i]) == 0)
        return true;
  }
  return false;
}
