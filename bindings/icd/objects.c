/* Objects, their registry, the lock, and due callbacks. */
#include <pthread.h>
#include <stdlib.h>

#include "bindings/icd/icd.h"
#include "bindings/icd/kinds.h"

enum { BUCKETS = 4096 };

struct due {
  void (*call)(void *self);
  void *self;
  struct due *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct icd_object *registry[BUCKETS];
static struct due *first_due, **last_due = &first_due;

/* ---- the lock ------------------------------------------------------------------------------------------- */

/* Makes the callbacks in the order in which they became due. */
static void call_back(void) {
  while (first_due) {
    struct due *due = first_due;
    first_due = due->next;
    if (!first_due)
      last_due = &first_due;
    pthread_mutex_unlock(&lock);
    due->call(due->self);
    free(due);
    pthread_mutex_lock(&lock);
  }
}

bool icd_enter(void) {
  pthread_mutex_lock(&lock);
  return true;
}

void icd_leave(const bool *locked) {
  (void)locked;
  call_back();
  pthread_mutex_unlock(&lock);
}

void icd_wait_for_change(void) {
  if (first_due)
    call_back();
  else
    pthread_cond_wait(&changed, &lock);
}

void icd_changed(void) { pthread_cond_broadcast(&changed); }

bool icd_call_later(void (*call)(void *self), void *self) {
  struct due *due = malloc(sizeof *due);
  if (!due)
    return false;
  *due = (struct due){call, self, NULL};
  *last_due = due;
  last_due = &due->next;
  icd_changed();
  return true;
}

/* ---- the registry ----------------------------------------------------------------------------------------- */

static struct icd_object **bucket_of(const void *object) {
  return &registry[((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

void *icd_new(enum icd_kind kind, size_t size) {
  struct icd_object *object = calloc(1, size);
  if (!object)
    return NULL;
  struct icd_object **bucket = bucket_of(object);
  *object = (struct icd_object){&icd_dispatch, kind, 1, 0, *bucket};
  *bucket = object;
  return object;
}

void *icd_create(enum icd_kind kind, size_t size, cl_int *status) {
  void *made = *status == CL_SUCCESS ? icd_new(kind, size) : NULL;
  if (*status == CL_SUCCESS && !made)
    *status = CL_OUT_OF_HOST_MEMORY;
  return made;
}

bool icd_is(const void *object, enum icd_kind kind) {
  const struct icd_object *at = object ? *bucket_of(object) : NULL;
  while (at && at != object)
    at = at->chain;
  return at && at->kind == kind;
}

void *icd_ref(void *object) {
  if (object)
    ((struct icd_object *)object)->uses++;
  return object;
}

static void remove_object(struct icd_object *object) {
  struct icd_object **at = bucket_of(object);
  while (*at != object)
    at = &(*at)->chain;
  *at = object->chain;
}

static void destroy(void *gone) {
  struct icd_object *object = gone;
  remove_object(object);
  switch (object->kind) {
  case ICD_DEVICE:
    icd_destroy_device(gone);
    break;
  case ICD_CONTEXT:
    icd_destroy_context(gone);
    break;
  case ICD_QUEUE:
    icd_destroy_queue(gone);
    break;
  case ICD_MEMORY:
    icd_destroy_memory(gone);
    break;
  case ICD_PROGRAM:
    icd_destroy_program(gone);
    break;
  case ICD_KERNEL:
    icd_destroy_kernel(gone);
    break;
  case ICD_EVENT:
    icd_destroy_event(gone);
    break;
  case ICD_SAMPLER:
    icd_destroy_sampler(gone);
    break;
  }
  free(gone);
}

void icd_unref(void *object) {
  struct icd_object *used = object;
  if (used && --used->uses + used->references == 0)
    destroy(object);
}

void icd_give_up(void *object) {
  struct icd_object *known = object;
  if (known && --known->references + known->uses == 0)
    destroy(object);
}

cl_int icd_retain(void *object, enum icd_kind kind, cl_int invalid) {
  ICD_LOCKED;
  if (!icd_is(object, kind)) /* it is even if only other objects use it, because queries about them return it */
    return invalid;
  ((struct icd_object *)object)->references++;
  return CL_SUCCESS;
}

cl_int icd_release(void *object, enum icd_kind kind, cl_int invalid) {
  ICD_LOCKED;
  if (!icd_is(object, kind) || !((struct icd_object *)object)->references)
    return invalid;
  icd_give_up(object);
  return CL_SUCCESS;
}

/* ---- answers to queries --------------------------------------------------------------------------------- */

cl_int icd_answer(struct icd_query query, const void *data, size_t bytes) {
  if (query.value && query.size < bytes)
    return CL_INVALID_VALUE;
  if (query.value && bytes)
    memcpy(query.value, data, bytes);
  if (query.needed)
    *query.needed = bytes;
  return CL_SUCCESS;
}

bool icd_keep_properties(struct icd_properties *properties, const cl_ulong *list) {
  size_t count = 0;
  if (!list)
    return true;
  while (list[count])
    count += 2;
  properties->list = malloc((count + 1) * sizeof *list);
  if (!properties->list)
    return false;
  properties->count = count + 1;
  memcpy(properties->list, list, properties->count * sizeof *list);
  return true;
}

cl_int icd_answer_properties(struct icd_query query, const struct icd_properties *properties) {
  return icd_answer(query, properties->list, properties->count * sizeof *properties->list);
}

bool icd_add_callback(struct icd_callback **list, void (*call)(void), void *self, cl_int status) {
  struct icd_callback *made = malloc(sizeof *made);
  if (!made)
    return false;
  *made = (struct icd_callback){call, self, status, *list};
  *list = made;
  return true;
}

struct destroyed {
  void(CL_CALLBACK *call)(void *object, void *self);
  void *object, *self;
};

static void call_destroyed(void *self) {
  struct destroyed *destroyed = self;
  destroyed->call(destroyed->object, destroyed->self);
  free(destroyed);
}

void icd_call_destroyed(struct icd_callback *list, void *object) {
  for (struct icd_callback *next; list; list = next) {
    struct destroyed *destroyed = malloc(sizeof *destroyed);
    next = list->next;
    if (destroyed) {
      *destroyed = (struct destroyed){(void(CL_CALLBACK *)(void *, void *))list->call, object, list->self};
      icd_call_later(call_destroyed, destroyed);
    }
    free(list);
  }
}
