/* Samplers: how kernels read images. */
#include <stdio.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

void icd_destroy_sampler(cl_sampler sampler) {
  icd_unref(sampler->context);
  free(sampler->properties.list);
}

/* ---- creating samplers ---------------------------------------------------------------------------------- */

/* The library's word for the mode; NULL: not a mode. */
static const char *addressing_word(cl_addressing_mode mode) {
  switch (mode) {
  case CL_ADDRESS_NONE:
    return "none";
  case CL_ADDRESS_CLAMP_TO_EDGE:
    return "clamp_to_edge";
  case CL_ADDRESS_CLAMP:
    return "clamp";
  case CL_ADDRESS_REPEAT:
    return "repeat";
  case CL_ADDRESS_MIRRORED_REPEAT:
    return "mirrored_repeat";
  default:
    return NULL;
  }
}

void icd_sampler_words(const struct _cl_sampler *sampler, char words[ICD_SAMPLER_WORDS]) {
  snprintf(words, ICD_SAMPLER_WORDS, "%s%s,%s", sampler->normalized ? "normalized," : "",
           addressing_word(sampler->addressing), sampler->filter == CL_FILTER_LINEAR ? "linear" : "nearest");
}

static bool is_good(cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter) {
  return (normalized == CL_TRUE || normalized == CL_FALSE) && addressing_word(addressing) &&
         (filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR);
}

static cl_sampler new_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                              cl_filter_mode filter, const cl_sampler_properties *list, cl_int *status) {
  *status = !icd_is(context, ICD_CONTEXT)              ? CL_INVALID_CONTEXT
            : !is_good(normalized, addressing, filter) ? CL_INVALID_VALUE
                                                       : CL_SUCCESS;
  cl_sampler made = icd_create(ICD_SAMPLER, sizeof *made, status);
  if (!made)
    return NULL;
  made->context = icd_ref(context);
  made->normalized = normalized;
  made->addressing = addressing;
  made->filter = filter;
  if (icd_keep_properties(&made->properties, list))
    return made;
  icd_give_up(made);
  *status = CL_OUT_OF_HOST_MEMORY;
  return NULL;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode addressing, cl_filter_mode filter,
                                                    cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  return new_sampler(context, normalized, addressing, filter, NULL, status);
}

/* Each name may occur once. */
CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *list,
                                                                  cl_int *error) {
  cl_int *status = error ? error : &(cl_int){CL_SUCCESS};
  ICD_LOCKED;
  cl_sampler_properties values[3] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
  bool given[3] = {false, false, false};
  *status = icd_is(context, ICD_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT;
  for (const cl_sampler_properties *at = list; at && *at; at += 2) {
    const size_t which = at[0] == CL_SAMPLER_NORMALIZED_COORDS ? 0
                         : at[0] == CL_SAMPLER_ADDRESSING_MODE ? 1
                         : at[0] == CL_SAMPLER_FILTER_MODE     ? 2
                                                               : 3;
    if (which == 3 || given[which] || at[1] > UINT32_MAX)
      return NULL;
    given[which] = true;
    values[which] = at[1];
  }
  return new_sampler(context, (cl_bool)values[0], (cl_addressing_mode)values[1], (cl_filter_mode)values[2], list,
                     status);
}

ICD_COUNTED(Sampler, cl_sampler, ICD_SAMPLER, CL_INVALID_SAMPLER)

/* ---- queries -------------------------------------------------------------------------------------------- */

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value,
                                                 size_t *needed) {
  const struct icd_query query = {size, value, needed};
  ICD_LOCKED;
  if (!icd_is(sampler, ICD_SAMPLER))
    return CL_INVALID_SAMPLER;
  switch (name) {
  case CL_SAMPLER_REFERENCE_COUNT:
    ICD_ANSWER(cl_uint, sampler->object.references);
  case CL_SAMPLER_CONTEXT:
    ICD_ANSWER(cl_context, sampler->context);
  case CL_SAMPLER_NORMALIZED_COORDS:
    ICD_ANSWER(cl_bool, sampler->normalized);
  case CL_SAMPLER_ADDRESSING_MODE:
    ICD_ANSWER(cl_addressing_mode, sampler->addressing);
  case CL_SAMPLER_FILTER_MODE:
    ICD_ANSWER(cl_filter_mode, sampler->filter);
  case CL_SAMPLER_PROPERTIES:
    return icd_answer_properties(query, &sampler->properties);
  default:
    return CL_INVALID_VALUE;
  }
}
