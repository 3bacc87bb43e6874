/* A process forked while other threads are working can use its objects.
 *
 * Time limit: the forks may take 60 s. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

/* A child would find the locks of the sanitizers' allocators taken. */
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__

enum { THREADS = 3, FORKS = 20, SECONDS = 60 };

struct shared {
  struct rig rig;
  ww_report *report;
  char *json;
  atomic_bool ended;
};

static bool run_on(const struct shared *shared, ww_device *device, const char *json) {
  struct rig rig = shared->rig;
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig.device = device;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  bool good = launch && ww_run(device, &launch, 1, NULL, &report, &rig.error) == WW_OK;
  ct_freed(ct_free) char *text = good && json ? rig_write(&rig, report, WW_JSON) : NULL;
  good = good && (!json || (text && strcmp(text, json) == 0)) && ((uint32_t *)ww_buffer_data(data))[63] == 68;
  return good;
}

static bool run_again(const struct shared *shared) {
  ct_freed(ww_device_unref_at) ww_device *device = NULL;
  return ww_device_new(shared->rig.machine, &device, NULL) == WW_OK && run_on(shared, device, shared->json);
}

/* Uses keys of one report, devices of one machine, and a machine of one context. */
static bool use_all(struct shared *shared) {
  ct_freed(ww_machine_unref_at) ww_machine *machine = NULL;
  double value = 0;
  const bool good = ww_machine_load(shared->rig.context, "h200", &machine, NULL) == WW_OK &&
                    ww_report_number(shared->report, "launches[0].cycles", &value, NULL) &&
                    ww_report_number(shared->report, "hazards", &value, NULL) == false && run_again(shared);
  return good;
}

static void *work(void *self) {
  struct shared *shared = self;
  while (!atomic_load(&shared->ended))
    EXPECT_TRUE(use_all(shared));
  return NULL;
}

static void *keep_using(void *self) { return use_all(self) ? self : NULL; }

/* The child has only this thread; it may start others. */
static int be_child(struct shared *shared) {
  pthread_t thread;
  void *answer = NULL;
  alarm(SECONDS); /* instead of hanging */
  if (!use_all(shared) || !run_on(shared, shared->rig.device, NULL))
    return 1;
  if (pthread_create(&thread, NULL, keep_using, shared) || pthread_join(thread, &answer))
    return 2;
  return answer ? 0 : 3;
}

TEST(fork, a_child_can_use_objects_that_no_other_thread_was_using) {
  struct shared shared = {.rig = rig_new("teaching")};
  pthread_t threads[THREADS];
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&shared.rig, &data, 5);
  rig_fine(&shared.rig, ww_run(shared.rig.device, &launch, 1, NULL, &shared.report, &shared.rig.error));
  shared.json = rig_write(&shared.rig, shared.report, WW_JSON);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, &shared);
  for (int i = 0; i < FORKS; i++) {
    const pid_t child = fork();
    if (!child)
      _exit(be_child(&shared));
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  atomic_store(&shared.ended, true);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  free(shared.json);
  ww_report_unref(shared.report);
  rig_free(&shared.rig);
}

#endif
