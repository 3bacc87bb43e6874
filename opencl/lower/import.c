/* Calls of functions that the module does not define. SPIR-V has no instructions for 2D and 3D asynchronous copies, the
 * fence between copies, channels, clocks and compare-exchange of floats. Front ends keep the call of any other function
 * that is declared and that they do not know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/lower/group.h"

/* `name` is the name in OpenCL C, under which most front ends import the function. `other` is another name: that of our
 * prelude's channels, or the mangled name if only parameters distinguish forms. */
static const struct {
  const char *name, *other;
  uint32_t arguments;
  bool (*lower)(struct build *b, const struct spirv_inst *inst, const char *name);
} imports[] = {
    {"async_work_group_copy_2D2D", "", ASYNC_ARGUMENTS_2D, async_copy_lines},
    {"async_work_group_copy_3D3D", "", ASYNC_ARGUMENTS_3D, async_copy_lines},
    {"async_work_group_copy_fence", "", 1, async_copy_fence},
    {"atomic_compare_exchange_strong", "", 3, build_compare_exchange_call},
    {"atomic_compare_exchange_weak", "", 3, build_compare_exchange_call},
    {"atomic_compare_exchange_strong_explicit", "", 5, build_compare_exchange_call},
    {"atomic_compare_exchange_strong_explicit", "", 6, build_compare_exchange_call},
    {"atomic_compare_exchange_weak_explicit", "", 5, build_compare_exchange_call},
    {"atomic_compare_exchange_weak_explicit", "", 6, build_compare_exchange_call},
    {"read_channel_intel", "__ocl_channel_read", 2, build_channel_call},
    {"read_channel_nb_intel", "__ocl_channel_read_nb", 2, build_channel_call},
    {"write_channel_intel", "__ocl_channel_write", 2, build_channel_call},
    {"write_channel_nb_intel", "__ocl_channel_write_nb", 2, build_channel_call},
    {"clock_read_device", "", 0, clock_call},
    {"clock_read_work_group", "", 0, clock_call},
    {"clock_read_sub_group", "", 0, clock_call},
    {"clock_read_hilo_device", "", 0, clock_call},
    {"clock_read_hilo_work_group", "", 0, clock_call},
    {"clock_read_hilo_sub_group", "", 0, clock_call},
    /* uchar4, char4, ushort2 and short2, which only the parameters distinguish */
    {"arm_dot_uu", "_Z7arm_dotDv4_hS_", 2, build_arm_dot_call},
    {"arm_dot_ss", "_Z7arm_dotDv4_cS_", 2, build_arm_dot_call},
    {"arm_dot_acc_uu", "_Z11arm_dot_accDv4_hS_j", 3, build_arm_dot_call},
    {"arm_dot_acc_ss", "_Z11arm_dot_accDv4_cS_i", 3, build_arm_dot_call},
    {"arm_dot_acc_uu", "_Z11arm_dot_accDv2_tS_j", 3, build_arm_dot_call},
    {"arm_dot_acc_ss", "_Z11arm_dot_accDv2_sS_i", 3, build_arm_dot_call},
    {"arm_dot_acc_sat_uu", "_Z15arm_dot_acc_satDv4_hS_j", 3, build_arm_dot_call},
    {"arm_dot_acc_sat_ss", "_Z15arm_dot_acc_satDv4_cS_i", 3, build_arm_dot_call},
    {"dot_4x8packed_uu_uint", "", 2, build_dot_call},
    {"dot_4x8packed_ss_int", "", 2, build_dot_call},
    {"dot_4x8packed_us_int", "", 2, build_dot_call},
    {"dot_4x8packed_su_int", "", 2, build_dot_call},
    {"dot_acc_sat_4x8packed_uu_uint", "", 3, build_dot_call},
    {"dot_acc_sat_4x8packed_ss_int", "", 3, build_dot_call},
    {"dot_acc_sat_4x8packed_us_int", "", 3, build_dot_call},
    {"dot_acc_sat_4x8packed_su_int", "", 3, build_dot_call},
};

/* Extracts the name from `_Z<length><name><parameters>`; leaves other names unchanged. */
static void demangle(const char *name, char *text, size_t size) {
  char *start;
  const unsigned long length = strncmp(name, "_Z", 2) == 0 ? strtoul(name + 2, &start, 10) : 0;
  if (length && length <= strlen(start))
    snprintf(text, size, "%.*s", (int)length, start);
  else
    snprintf(text, size, "%s", name);
}

bool build_import(struct build *b, const struct spirv_inst *inst, const char *name) {
  char text[128];
  if (*name == '!') /* not a function: what the reader of LLVM IR has no translation for */
    return build_fail(b, "%.200s is not supported", name + 1);
  demangle(name, text, sizeof text);
  for (size_t i = 0; i < sizeof imports / sizeof imports[0]; i++) {
    if (strcmp(imports[i].name, text) != 0 && strcmp(imports[i].other, text) != 0 &&
        strcmp(imports[i].other, name) != 0)
      continue;
    if (inst->words == 4 + imports[i].arguments)
      return imports[i].lower(b, inst, imports[i].name);
    /* no form of the function has this number of arguments */
    if (i + 1 == sizeof imports / sizeof imports[0] || strcmp(imports[i].name, imports[i + 1].name) != 0)
      return build_fail(b, "%s is called with %u arguments; it has %u", imports[i].name, inst->words - 4u,
                        imports[i].arguments);
  }
  return build_fail(b, "calls %s, which is neither defined nor built in", text);
}
