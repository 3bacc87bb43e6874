/* The platform, and the devices that the environment names. */
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"

struct _cl_platform_id icd_platform = {&icd_dispatch};
cl_device_id *icd_devices;
cl_uint icd_device_count;
ww_context *icd_context;

/* ---- devices of the environment --------------------------------------------------------------------------- */

/* WARPWAIT_SET: words "key=value", separated by blanks or commas. */
static ww_status change(ww_machine *machine, ww_machine **changed, ww_error *error) {
  enum { MOST = 64 };
  const char *set = getenv("WARPWAIT_SET"), *words[MOST];
  char *text = strdup(set ? set : ""), *rest = NULL;
  size_t count = 0;
  for (char *word = text ? strtok_r(text, " ,", &rest) : NULL; word && count < MOST; word = strtok_r(NULL, " ,", &rest))
    words[count++] = word;
  const ww_status status = ww_machine_with(machine, words, count, changed, error);
  free(text);
  return status;
}

static void add_device(const char *name, ww_error *error) {
  ww_machine *machine = NULL, *changed = NULL;
  cl_device_id device = icd_new(ICD_DEVICE, sizeof *device);
  if (device && ww_machine_load(icd_context, name, &machine, error) == WW_OK &&
      change(machine, &changed, error) == WW_OK && icd_describe_device(device, changed, error)) {
    cl_device_id *more = realloc(icd_devices, (icd_device_count + 1) * sizeof *more);
    device->asked = strdup(name);
    if (more) {
      icd_devices = more;
      device->number = icd_device_count;
      icd_devices[icd_device_count++] = device;
    }
  } else {
    fprintf(stderr, "warpwait: %s\n", device ? error->text : "out of memory");
  }
  ww_machine_unref(machine);
  ww_machine_unref(changed);
}

void icd_begin(void) {
  static bool begun;
  const char *names = getenv("WARPWAIT_MACHINE");
  char *text = strdup(names && *names ? names : "h200"), *rest = NULL;
  ww_error error;
  if (begun) {
    free(text);
    return;
  }
  begun = true;
  if (ww_context_new(NULL, &icd_context, &error) != WW_OK)
    fprintf(stderr, "warpwait: %s\n", error.text);
  else
    for (char *name = text ? strtok_r(text, ",", &rest) : NULL; name && icd_device_count < ICD_MOST_DEVICES;
         name = strtok_r(NULL, ",", &rest))
      add_device(name, &error);
  free(text);
}

/* ---- functions ---------------------------------------------------------------------------------------------- */

ICD_EXPORT CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                                  cl_uint *num_platforms) {
  if ((!platforms && !num_platforms) || (platforms && !num_entries))
    return CL_INVALID_VALUE;
  if (platforms)
    *platforms = &icd_platform;
  if (num_platforms)
    *num_platforms = 1;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms) {
  return clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

cl_int icd_answer_extensions(struct icd_query query) {
  static cl_name_version list[64];
  size_t count = 0;
  for (const char *at = ICD_EXTENSIONS; *at && count < 64;) {
    const size_t length = strcspn(at, " ");
    list[count] = (cl_name_version){.version = CL_MAKE_VERSION(1, 0, 0)};
    memcpy(list[count++].name, at, length);
    at += length + (at[length] == ' ');
  }
  return icd_answer(query, list, count * sizeof *list);
}

ICD_EXPORT CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                                             size_t size, void *value, size_t *needed) {
  const struct icd_query query = {size, value, needed};
  char version[64];
  if (platform && platform != &icd_platform)
    return CL_INVALID_PLATFORM;
  switch (name) {
  case CL_PLATFORM_PROFILE:
    ICD_ANSWER_TEXT("FULL_PROFILE");
  case CL_PLATFORM_VERSION:
    snprintf(version, sizeof version, "OpenCL 3.0 Warpwait %d.%d.%d", WW_VERSION_MAJOR, WW_VERSION_MINOR,
             WW_VERSION_PATCH);
    ICD_ANSWER_TEXT(version);
  case CL_PLATFORM_NUMERIC_VERSION:
    ICD_ANSWER(cl_version, CL_MAKE_VERSION(3, 0, 0));
  case CL_PLATFORM_NAME:
    ICD_ANSWER_TEXT("Warpwait");
  case CL_PLATFORM_VENDOR:
    ICD_ANSWER_TEXT("Warpwait");
  case CL_PLATFORM_EXTENSIONS:
    ICD_ANSWER_TEXT(ICD_EXTENSIONS);
  case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
    return icd_answer_extensions(query);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    ICD_ANSWER_TEXT("WARPWAIT");
  case CL_PLATFORM_HOST_TIMER_RESOLUTION:
    ICD_ANSWER(cl_ulong, 1);
  default:
    return CL_INVALID_VALUE;
  }
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void) { return CL_SUCCESS; }

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  return platform == &icd_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
