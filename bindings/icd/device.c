/* Devices, which are simulated machines, and sub-devices. */
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

/* Limits that do not depend on the machine. Global memory is simulated, so its size is arbitrary. */
enum { MOST_ARGUMENTS = 4096, PRINTF_BYTES = 1 << 20 };
#define GLOBAL_BYTES (UINT64_C(16) << 30)

cl_ulong icd_parameter(const ww_machine *machine, const char *key) {
  uint64_t value = 0;
  ww_machine_value(machine, key, &value, NULL, NULL);
  return value;
}

bool icd_describe_device(cl_device_id device, ww_machine *machine, ww_error *error) {
  if (ww_device_new(machine, &device->device, error) != WW_OK)
    return false;
  device->machine = ww_machine_ref(machine);
  device->clock_ghz = (double)icd_parameter(machine, "cu.clock_mhz") / 1000;
  device->compute_units = (cl_uint)icd_parameter(machine, "cu.count");
  device->warp_size = (cl_uint)icd_parameter(machine, "cu.warp_size");
  const cl_ulong of_warps = icd_parameter(machine, "cu.warps") * device->warp_size;
  const cl_ulong own = icd_parameter(machine, "cu.group_size");
  device->most_items = own && own < of_warps ? own : of_warps;
  device->local_bytes = icd_parameter(machine, "lds.size") - icd_parameter(machine, "cu.lds_reserved");
  icd_read_host(device);
  snprintf(device->name, sizeof device->name, "%.60s (simulated)", ww_machine_name(machine));
  return true;
}

/* Registers limit the number of warps; they are allocated in units. */
size_t icd_most_items(cl_device_id device, const ww_kernel *kernel) {
  const cl_ulong unit = icd_parameter(device->machine, "cu.register_unit");
  const cl_ulong all = icd_parameter(device->machine, "cu.registers");
  const cl_ulong of_warp = (kernel->registers * device->warp_size + unit - 1) / unit * unit;
  const size_t most = of_warp ? all / of_warp * device->warp_size : device->most_items;
  return most < device->most_items ? most : device->most_items;
}

void icd_destroy_device(cl_device_id device) {
  free(device->partition.list);
  free(device->asked);
  ww_device_unref(device->device);
  ww_machine_unref(device->machine);
  icd_unref(device->parent);
}

/* ---- lists of devices ----------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                               cl_device_id *devices, cl_uint *num_devices) {
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  if (platform && platform != &icd_platform)
    return CL_INVALID_PLATFORM;
  if (type != CL_DEVICE_TYPE_ALL && (!type || type & ~known))
    return CL_INVALID_DEVICE_TYPE;
  if ((!devices && !num_devices) || (devices && !num_entries))
    return CL_INVALID_VALUE;
  ICD_LOCKED;
  icd_begin();
  cl_uint count = type & CL_DEVICE_TYPE_GPU ? icd_device_count : 0;
  if (!count && type & CL_DEVICE_TYPE_DEFAULT && icd_device_count)
    count = 1;
  for (cl_uint i = 0; devices && i < count && i < num_entries; i++)
    devices[i] = icd_devices[i];
  if (num_devices)
    *num_devices = count;
  return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

/* References to the platform's own devices are not counted, only those to sub-devices. */
static bool is_root(cl_device_id device) {
  ICD_LOCKED;
  return icd_is(device, ICD_DEVICE) && !device->parent;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id device) {
  return is_root(device) ? CL_SUCCESS : icd_retain(device, ICD_DEVICE, CL_INVALID_DEVICE);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id device) {
  return is_root(device) ? CL_SUCCESS : icd_release(device, ICD_DEVICE, CL_INVALID_DEVICE);
}

/* ---- sub-devices ---------------------------------------------------------------------------------------- */

/* Finds the number of parts, and of compute units in each. */
static cl_int plan_parts(cl_device_id device, const cl_device_partition_property *list, cl_uint *part, cl_uint *count) {
  cl_uint all = device->compute_units, taken = 0;
  *count = 0;
  if (!list || (list[0] != CL_DEVICE_PARTITION_EQUALLY && list[0] != CL_DEVICE_PARTITION_BY_COUNTS))
    return CL_INVALID_VALUE;
  if (list[0] == CL_DEVICE_PARTITION_EQUALLY) {
    if (list[1] <= 0 || list[2])
      return CL_INVALID_VALUE;
    if ((cl_ulong)list[1] > all)
      return CL_INVALID_DEVICE_PARTITION_COUNT;
    if ((cl_ulong)list[1] == all) /* one part of everything is not a partition */
      return CL_DEVICE_PARTITION_FAILED;
    for (; taken + (cl_uint)list[1] <= all; taken += (cl_uint)list[1])
      part[(*count)++] = (cl_uint)list[1];
    return CL_SUCCESS;
  }
  for (list++; *list != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; list++) {
    if (*list < 0 || (cl_ulong)*list > all - taken || *count == all)
      return CL_INVALID_DEVICE_PARTITION_COUNT;
    part[(*count)++] = (cl_uint)*list;
    taken += (cl_uint)*list;
  }
  return *count ? CL_SUCCESS : CL_INVALID_DEVICE_PARTITION_COUNT;
}

static cl_int make_part(cl_device_id device, cl_uint units, const cl_device_partition_property *list,
                        cl_device_id *made) {
  char word[40];
  ww_machine *machine = NULL;
  size_t count = 0;
  snprintf(word, sizeof word, "cu.count=%u", units);
  *made = icd_new(ICD_DEVICE, sizeof **made);
  if (!*made)
    return CL_OUT_OF_HOST_MEMORY;
  if (ww_machine_with(device->machine, (const char *[]){word}, 1, &machine, NULL) != WW_OK ||
      !icd_describe_device(*made, machine, NULL)) {
    ww_machine_unref(machine);
    icd_give_up(*made);
    return CL_DEVICE_PARTITION_FAILED;
  }
  ww_machine_unref(machine);
  (*made)->parent = icd_ref(device);
  (*made)->number = device->number;
  while (list[count])
    count++;
  if (list[0] == CL_DEVICE_PARTITION_BY_COUNTS)
    count++; /* partition by counts has a second terminator */
  (*made)->partition.list = malloc((count + 1) * sizeof *list);
  if ((*made)->partition.list) {
    memcpy((*made)->partition.list, list, (count + 1) * sizeof *list);
    (*made)->partition.count = count + 1;
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateSubDevices(cl_device_id device, const cl_device_partition_property *list,
                                                   cl_uint num_devices, cl_device_id *devices, cl_uint *num_made) {
  ICD_LOCKED;
  cl_uint count = 0;
  if (!icd_is(device, ICD_DEVICE))
    return CL_INVALID_DEVICE;
  cl_uint *part = calloc(device->compute_units + 1, sizeof *part);
  if (!part)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int status = plan_parts(device, list, part, &count);
  if (status == CL_SUCCESS && devices && num_devices < count)
    status = CL_INVALID_VALUE;
  for (cl_uint i = 0; status == CL_SUCCESS && devices && i < count; i++)
    status = part[i] ? make_part(device, part[i], list, &devices[i]) : CL_INVALID_DEVICE_PARTITION_COUNT;
  free(part);
  if (status == CL_SUCCESS && num_made)
    *num_made = count;
  return status;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static cl_int answer_c_versions(struct icd_query query) {
  static const cl_name_version list[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                         {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                         {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                         {CL_MAKE_VERSION(2, 0, 0), "OpenCL C"},
                                         {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"}};
  return icd_answer(query, list, sizeof list);
}

static cl_int answer_c_features(struct icd_query query) {
  static const char *const names[] = {"__opencl_c_3d_image_writes",
                                      "__opencl_c_atomic_order_acq_rel",
                                      "__opencl_c_atomic_order_seq_cst",
                                      "__opencl_c_atomic_scope_all_devices",
                                      "__opencl_c_atomic_scope_device",
                                      "__opencl_c_fp64",
                                      "__opencl_c_generic_address_space",
                                      "__opencl_c_images",
                                      "__opencl_c_int64",
                                      "__opencl_c_integer_dot_product_input_4x8bit",
                                      "__opencl_c_integer_dot_product_input_4x8bit_packed",
                                      "__opencl_c_kernel_clock_scope_device",
                                      "__opencl_c_kernel_clock_scope_sub_group",
                                      "__opencl_c_kernel_clock_scope_work_group",
                                      "__opencl_c_pipes",
                                      "__opencl_c_program_scope_global_variables",
                                      "__opencl_c_read_write_images",
                                      "__opencl_c_subgroups",
                                      "__opencl_c_work_group_collective_functions"};
  enum { COUNT = sizeof names / sizeof *names };
  cl_name_version list[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    list[i] = (cl_name_version){.version = CL_MAKE_VERSION(3, 0, 0)};
    snprintf(list[i].name, sizeof list[i].name, "%s", names[i]);
  }
  return icd_answer(query, list, sizeof list);
}

static cl_int answer_text(cl_device_id device, cl_device_info name, struct icd_query query) {
  static const cl_name_version il[] = {{CL_MAKE_VERSION(1, 0, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 1, 0), "SPIR-V"},
                                       {CL_MAKE_VERSION(1, 2, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 3, 0), "SPIR-V"},
                                       {CL_MAKE_VERSION(1, 4, 0), "SPIR-V"}, {CL_MAKE_VERSION(1, 5, 0), "SPIR-V"},
                                       {CL_MAKE_VERSION(1, 6, 0), "SPIR-V"}};
  char text[80];
  switch (name) {
  case CL_DEVICE_NAME:
    ICD_ANSWER_TEXT(device->name);
  case CL_DEVICE_VENDOR:
    ICD_ANSWER_TEXT("Warpwait");
  case CL_DEVICE_PROFILE:
    ICD_ANSWER_TEXT("FULL_PROFILE");
  case CL_DEVICE_VERSION:
    ICD_ANSWER_TEXT("OpenCL 3.0 Warpwait");
  case CL_DEVICE_OPENCL_C_VERSION:
    ICD_ANSWER_TEXT("OpenCL C 1.2 Warpwait");
  case CL_DRIVER_VERSION:
    snprintf(text, sizeof text, "%d.%d.%d", WW_VERSION_MAJOR, WW_VERSION_MINOR, WW_VERSION_PATCH);
    ICD_ANSWER_TEXT(text);
  case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
  case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR: /* not accelerated: they compile to
                                                                                   multiplications */
    ICD_ANSWER(cl_device_integer_dot_product_acceleration_properties_khr, .signed_accelerated = CL_FALSE);
  case CL_DEVICE_EXTENSIONS:
    ICD_ANSWER_TEXT(ICD_EXTENSIONS);
  case CL_DEVICE_EXTENSIONS_WITH_VERSION:
    return icd_answer_extensions(query);
  case CL_DEVICE_BUILT_IN_KERNELS:
    ICD_ANSWER_TEXT("");
  case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
    ICD_ANSWER_NOTHING;
  case CL_DEVICE_IL_VERSION:
    ICD_ANSWER_TEXT("SPIR-V_1.6 SPIR-V_1.5 SPIR-V_1.4 SPIR-V_1.3 SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0");
  case CL_DEVICE_ILS_WITH_VERSION:
    return icd_answer(query, il, sizeof il);
  case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
    return answer_c_versions(query);
  case CL_DEVICE_OPENCL_C_FEATURES:
    return answer_c_features(query);
  case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: /* none: a date before all versions */
    ICD_ANSWER_TEXT("v0000-01-01-00");
  default:
    return CL_INVALID_VALUE;
  }
}

/* 32-bit values that are the same for all devices. */
static const struct {
  cl_device_info name;
  cl_uint value;
} uints[] = {
    {CL_DEVICE_VENDOR_ID, 0x10000},
    {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1},
    {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1},
    {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 1},
    {CL_DEVICE_ADDRESS_BITS, 64},
    {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128},
    {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},
    {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64},
    {CL_DEVICE_MAX_SAMPLERS, 16},
    {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1},
    {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1},
    {CL_DEVICE_MAX_PIPE_ARGS, 16},
    {CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 1},
    {CL_DEVICE_PIPE_MAX_PACKET_SIZE, 1 << 20},
    {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024},
    {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128},
    {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE},
    {CL_DEVICE_MAX_CONSTANT_ARGS, 16},
    {CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL},
    {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0},
    {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0},
    {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0},
    {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0},
    {CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0},
    {CL_DEVICE_NODE_MASK_KHR, 0},
};

static const struct {
  cl_device_info name;
  cl_bool value;
} bools[] = {
    {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE},
    {CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE},
    {CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE},
    {CL_DEVICE_ENDIAN_LITTLE, CL_TRUE},
    {CL_DEVICE_AVAILABLE, CL_TRUE},
    {CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE},
    {CL_DEVICE_LINKER_AVAILABLE, CL_TRUE},
    {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE},
    {CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, CL_TRUE},
    {CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_TRUE},
    {CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_TRUE},
    {CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_TRUE},
    {CL_DEVICE_PIPE_SUPPORT, CL_TRUE},
    {CL_DEVICE_LUID_VALID_KHR, CL_FALSE},
};

static const struct {
  cl_device_info name;
  size_t value;
} sizes[] = {
    {CL_DEVICE_IMAGE2D_MAX_WIDTH, ICD_IMAGE_2D},        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, ICD_IMAGE_2D},
    {CL_DEVICE_IMAGE3D_MAX_WIDTH, ICD_IMAGE_3D},        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, ICD_IMAGE_3D},
    {CL_DEVICE_IMAGE3D_MAX_DEPTH, ICD_IMAGE_3D},        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, ICD_IMAGE_BUFFER},
    {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, ICD_IMAGE_LAYERS}, {CL_DEVICE_MAX_PARAMETER_SIZE, MOST_ARGUMENTS},
    {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1},          {CL_DEVICE_PRINTF_BUFFER_SIZE, PRINTF_BYTES},
    {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 1 << 20},      {CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 1 << 20},
};

/* Capabilities of floating-point atomics, the same for each width. */
#define FLOAT_ATOMICS                                                                                                  \
  (CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |                                    \
   CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |                                 \
   CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)

/* Bit sets and 64-bit values that are the same for all devices. */
static const struct {
  cl_device_info name;
  cl_ulong value;
} sets[] = {
    {CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE, ICD_MOST_BYTES},
    {CL_DEVICE_GLOBAL_MEM_SIZE, GLOBAL_BYTES},
    {CL_DEVICE_LUID_KHR, 0},
    {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 65536},
    {CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL},
    {CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
    {CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0},
    {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0},
    {CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER},
    {CL_DEVICE_SINGLE_FP_CONFIG,
     CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
    {CL_DEVICE_DOUBLE_FP_CONFIG,
     CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA},
    {CL_DEVICE_HALF_FP_CONFIG, CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST},
    {CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                               CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
                                               CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                                               CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    {CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                              CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
                                              CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
                                              CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
    {CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0},
    {CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR,
     CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR},
    {CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, FLOAT_ATOMICS},
    {CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, FLOAT_ATOMICS},
    {CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, 0},
    {CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR |
                                                  CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR |
                                                  CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR},
};

/* The driver's name and version. For a device, also its number (for a sub-device its parent's) and its compute units.
 */
static cl_int answer_uuid(cl_device_id device, struct icd_query query) {
  uint8_t uuid[CL_UUID_SIZE_KHR] = "warpwait";
  const uint8_t version[] = {WW_VERSION_MAJOR, WW_VERSION_MINOR, WW_VERSION_PATCH};
  memcpy(&uuid[8], version, sizeof version);
  if (device) {
    uuid[11] = (uint8_t)device->number;
    memcpy(&uuid[12], &device->compute_units, 4);
  }
  return icd_answer(query, uuid, sizeof uuid);
}

/* False: the query is not in the tables. */
static bool answer_row(cl_device_info name, struct icd_query query, cl_int *status) {
  for (size_t i = 0; i < sizeof uints / sizeof *uints; i++)
    if (uints[i].name == name)
      return *status = icd_answer(query, &uints[i].value, sizeof uints[i].value), true;
  for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
    if (bools[i].name == name)
      return *status = icd_answer(query, &bools[i].value, sizeof bools[i].value), true;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (sizes[i].name == name)
      return *status = icd_answer(query, &sizes[i].value, sizeof sizes[i].value), true;
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    if (sets[i].name == name)
      return *status = icd_answer(query, &sets[i].value, sizeof sets[i].value), true;
  return false;
}

static cl_int answer_of_machine(cl_device_id device, cl_device_info name, struct icd_query query) {
  static const cl_device_partition_property kinds[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS};
  const cl_device_partition_property none = 0;
  const size_t most = device->most_items;
  switch (name) {
  case CL_DEVICE_PLATFORM:
    ICD_ANSWER(cl_platform_id, &icd_platform);
  case CL_DEVICE_MAX_COMPUTE_UNITS:
    ICD_ANSWER(cl_uint, device->compute_units);
  case CL_DEVICE_MAX_CLOCK_FREQUENCY:
    ICD_ANSWER(cl_uint, (cl_uint)icd_parameter(device->machine, "cu.clock_mhz"));
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    ICD_ANSWER(size_t, most);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    return icd_answer(query, (size_t[]){most, most, most}, 3 * sizeof(size_t));
  case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
    ICD_ANSWER(size_t, device->warp_size);
  case CL_DEVICE_MAX_NUM_SUB_GROUPS:
    ICD_ANSWER(cl_uint, (cl_uint)(most / device->warp_size));
  case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
    ICD_ANSWER(cl_uint, (cl_uint)icd_parameter(device->machine, "mem.line"));
  case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
    ICD_ANSWER(cl_ulong, icd_parameter(device->machine, "mem.l2_size"));
  case CL_DEVICE_LOCAL_MEM_SIZE:
    ICD_ANSWER(cl_ulong, device->local_bytes);
  case CL_DEVICE_PARENT_DEVICE:
    ICD_ANSWER(cl_device_id, device->parent);
  case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    ICD_ANSWER(cl_uint, device->compute_units);
  case CL_DEVICE_PARTITION_PROPERTIES:
    return device->compute_units > 1 ? icd_answer(query, kinds, sizeof kinds) : icd_answer(query, &none, sizeof none);
  case CL_DEVICE_PARTITION_TYPE:
    return icd_answer_properties(query, &device->partition);
  case CL_DEVICE_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, device->parent ? device->object.references : 1);
  case CL_DEVICE_UUID_KHR:
    return answer_uuid(device, query);
  case CL_DRIVER_UUID_KHR:
    return answer_uuid(NULL, query);
  case CL_DEVICE_NUMERIC_VERSION:
    ICD_ANSWER(cl_version, CL_MAKE_VERSION(3, 0, 0));
  default:
    return answer_text(device, name, query);
  }
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                                                size_t *needed) {
  const struct icd_query query = {size, value, needed};
  cl_int status = CL_INVALID_DEVICE;
  ICD_LOCKED;
  if (icd_is(device, ICD_DEVICE) && !answer_row(name, query, &status))
    status = answer_of_machine(device, name, query);
  return status;
}
