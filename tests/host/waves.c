/* Waves played back by SystemC, whatever its kernel did before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/waves.h"
#include "tests/ct.h"
#include "tests/host/network.h"

/* A counter goes 1, 3, 0 in cycles 4, 5 and 1000; a mask of 64 bits comes in cycle 5. */
static const struct wave_change changes[] = {
    {4, 1, 0}, {5, 2, 0}, {5, UINT64_C(0x8000000000000001), 1}, {1000, (uint64_t)-3, 0}};
enum { CHANGES = sizeof changes / sizeof *changes };

static bool next(void *self, struct wave_change *change) {
  size_t *at = self;
  if (*at == CHANGES)
    return false;
  *change = changes[(*at)++];
  return true;
}

static bool play(const char *path, const char **message) {
  static const struct wave wave[] = {{"a.count", 4}, {"a.b.mask", 64}};
  size_t at = 0;
  const struct waves waves = {
      .wave = wave, .count = 2, .comment = "two waves", .clock_mhz = 500, .next = next, .self = &at};
  return host_waves(&waves, path, message);
}

static char *read_text(const char *path) {
  char *text = calloc(1, 1 << 16);
  FILE *file = fopen(path, "r");
  if (file)
    text[fread(text, 1, (1 << 16) - 1, file)] = '\0';
  if (file)
    fclose(file);
  return text;
}

/* Plays in a process in which SystemC may have simulated before; the caller frees what the file holds. */
static char *play_after(bool simulated, unsigned times) {
  char path[] = "/tmp/warpwait-waves-XXXXXX";
  close(mkstemp(path));
  const pid_t child = fork();
  if (!child) {
    struct network *network = malloc(sizeof *network);
    const char *message = "";
    network_init(network, 2, 20);
    struct host *host = simulated ? host_systemc(network->islands, NETWORK_ISLANDS, NULL, 1000, &message) : NULL;
    if (host) {
      host->run(host, NEVER);
      host->free(host);
    }
    bool good = !simulated || host;
    while (times--)
      good = play(path, &message) && good;
    _exit(good ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  char *text = read_text(path);
  unlink(path);
  return text;
}

TEST(waves, every_change_is_at_its_time) {
  char *vcd = play_after(false, 1);
  EXPECT_CONTAINS(vcd, "$comment\ntwo waves\n$end");
  EXPECT_CONTAINS(vcd, "$scope module a $end");
  EXPECT_CONTAINS(vcd, "\n#8000\nb1 aaaaa\n"); /* 500 MHz: cycle 4 is at 8 ns */
  EXPECT_CONTAINS(vcd,
                  "\n#10000\nb11 aaaaa\nb1000000000000000000000000000000000000000000000000000000000000001 aaaab\n");
  EXPECT_CONTAINS(vcd, "\n#2000000\nb0 aaaaa\n");
  EXPECT_TRUE(strstr(vcd, "$date") == NULL);
  free(vcd);
}

TEST(waves, a_simulation_or_waves_before_change_nothing) {
  char *once = play_after(false, 1), *twice = play_after(false, 2), *after = play_after(true, 2);
  EXPECT_STREQ(twice, once);
  EXPECT_STREQ(after, once);
  free(once);
  free(twice);
  free(after);
}

TEST(waves, a_file_that_cannot_be_is_told) {
  const char *message = "";
  EXPECT_FALSE(play("/nonexistent/w.vcd", &message));
  EXPECT_NE(message[0], 0);
}

TEST(waves, a_device_is_written_and_not_replaced) {
  const char *message = "";
  char path[] = "/tmp/warpwait-waves-XXXXXX", there[64] = "";
  close(mkstemp(path));
  unlink(path);
  ASSERT_EQ(symlink("/dev/null", path), 0);
  EXPECT_TRUE(play(path, &message));
  EXPECT_EQ(readlink(path, there, sizeof there - 1), strlen("/dev/null"));
  unlink(path);
}
