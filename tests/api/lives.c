/* Objects made and released while a device runs, by its callbacks and by other threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

struct owner {
  struct rig *rig;
  ww_launch *launch;
  ww_buffer *data, *made;
  ww_pipe *pipe;
  int ticks;
};

/* Releases everything that it has, including what the run uses. */
static bool give_up_all(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  struct owner *owner = self;
  (void)now, (void)done, (void)groups;
  if (owner->ticks++)
    return owner->ticks < 5;
  rig_fine(owner->rig, ww_buffer_new(owner->rig->device, "made", 64, &owner->made, &owner->rig->error));
  EXPECT_NE(ww_buffer_address(owner->made), ww_buffer_address(owner->data));
  ww_launch_unref(owner->launch);
  ww_buffer_unref(owner->data);
  ww_pipe_unref(owner->pipe);
  ww_device_unref(owner->rig->device);
  owner->rig->device = NULL;
  return true;
}

TEST(lives, objects_released_during_a_run_live_until_the_run_ends) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct owner owner = {.rig = &rig, .launch = rig_launch(&rig, "spin", 64, 64)};
  const ww_watch watch = {.size = sizeof watch, .self = &owner, .tick = give_up_all};
  rig_fine(&rig, ww_buffer_new(rig.device, "data", 64, &owner.data, &rig.error));
  rig_fine(&rig, ww_pipe_new(rig.device, "pipe", 4, 16, &owner.pipe, &rig.error));
  EXPECT_EQ(ww_run(rig.device, &owner.launch, 1, &watch, NULL, NULL), WW_CANCELLED);
  EXPECT_EQ(owner.ticks, 5);
  memset(ww_buffer_data(owner.made), 1, 64); /* the device lives as long as the buffer */
  ww_buffer_unref(owner.made);
}

struct others {
  ww_device *device;
  atomic_bool ended;
};

/* Like a language runtime that frees objects in a separate thread. */
static void *come_and_go(void *self) {
  struct others *others = self;
  for (int i = 0; !atomic_load(&others->ended); i++) {
    ct_freed(ww_buffer_unref_at) ww_buffer *buffer = NULL;
    ct_freed(ww_pipe_unref_at) ww_pipe *pipe = NULL;
    ww_error error = {.text = ""};
    EXPECT_EQ(ww_buffer_new(others->device, NULL, 64, &buffer, &error), WW_OK);
    EXPECT_EQ(ww_pipe_new(others->device, NULL, 4, 4, &pipe, &error), WW_OK);
    memset(ww_buffer_data(buffer), i, 64);
  }
  return NULL;
}

TEST(lives, buffers_and_pipes_can_be_made_and_freed_in_other_threads) {
  enum { RUNS = 50 };
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct others others = {.device = rig.device};
  pthread_t thread[2];
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 1);
  atomic_init(&others.ended, false);
  for (int i = 0; i < 2; i++)
    EXPECT_EQ(pthread_create(&thread[i], NULL, come_and_go, &others), 0);
  for (int i = 0; i < RUNS; i++)
    rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  atomic_store(&others.ended, true);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  EXPECT_EQ(((uint32_t *)ww_buffer_data(data))[7], 7 + RUNS);
}
