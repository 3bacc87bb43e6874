#!/usr/bin/env python3
# Time limit: a call may take 60 s.
"""`warpwait sweep run --dask` on a scheduler and three workers (processes of this host), and the Slurm script. The
table of points equals that of the local run, whichever worker ran its shards and whichever was killed meanwhile.
`--kills 50` kills workers 50 times instead of once."""
import argparse
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
EXAMPLE = ROOT / "examples/05_double_buffer/launch.json"
SBATCH = ROOT / "tools/sweep/slurm/sweep.sbatch"
PLAN = f"""[sweep]
launch = {EXAMPLE}
[axes]
dma.channels = 1 2 4
dma.queue = 1..4
mem.dram_latency = 100 400
dma.issue_gap = 1 8
[constraints]
room = dma.channels <= dma.queue
"""
KILLS = 1
POINTS = (4 + 3 + 1) * 4
MANY = """arg.tiles = 64 128 256
dma.setup = 0..35:5
"""
NOBODY = "tcp://127.0.0.1:9"  # a port on which nothing listens
try:
    import distributed
except ImportError:
    distributed = None


def wait_for(what, seconds=30):
    """Waits until what() is true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := what():
            return found
        time.sleep(0.005)
    raise AssertionError("waited for nothing")


def children(process):
    """The child processes of a process."""
    tasks = pathlib.Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def stopped_at_work(worker):
    """Whether it has a shard whose end it has not noticed and, being stopped, will not notice."""
    worker.send_signal(signal.SIGSTOP)
    if not children(worker.pid):
        worker.send_signal(signal.SIGCONT)
        return False
    return True


def rows(store):
    """The table in order."""
    base = sqlite3.connect(store)
    found = base.execute("SELECT * FROM points ORDER BY key").fetchall()
    base.close()
    return found


def has_rows(store):
    """Whether points have arrived; the file may still be incomplete."""
    try:
        return store.exists() and bool(rows(store))
    except sqlite3.OperationalError:
        return False


class Rig(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.plan = self.folder / "s.ini"
        self.plan.write_text(PLAN)
        self.out = self.folder / "s.sqlite"

    def sweep(self, *words, status=0):
        """The command's output; on failure, its one line on standard error."""
        done = subprocess.run([WARPWAIT, "sweep", *map(str, words)], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stderr.count("\n"), 1 if status else 0, done.stderr)
        return done.stderr if status else done.stdout

    def local(self):
        """The table of a run without a cluster."""
        self.sweep("run", self.plan, "-o", self.folder / "local.sqlite")
        return rows(self.folder / "local.sqlite")


class Arrays(Rig):
    """The Slurm script in an environment like Slurm's, and what needs no cluster."""

    def task(self, number, count, *words, **more):
        slurm = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": str(count), "WARPWAIT": WARPWAIT}
        return subprocess.run(["sh", SBATCH, *words], capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.folder, env={**os.environ, **slurm, **more})

    def test_tasks_of_an_array_fill_the_whole_table(self):
        for number in range(5):
            done = self.task(number, 5, "s.ini", SLURM_CPUS_PER_TASK="2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        parts = sorted(self.folder.glob("s.parts/*.sqlite"))
        self.assertEqual([part.name for part in parts], [f"{number}-of-5.sqlite" for number in range(5)])
        self.sweep("merge", self.out, *parts)
        self.assertEqual(rows(self.out), self.local())

    def test_a_partial_array_keeps_the_shards_of_the_whole(self):
        self.assertEqual(self.task(3, 2, "s.ini", SHARDS="5").returncode, 0)
        self.assertTrue((self.folder / "s.parts/3-of-5.sqlite").exists())

    def test_bad_input_is_reported(self):
        for done in (self.task(3, 2, "s.ini"), self.task(0, 2), self.task(0, 2, "nowhere.ini")):
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)

    def test_a_missing_package_is_named(self):
        for module in ("dask", "distributed"):
            (self.folder / f"{module}.py").write_text("raise ImportError\n")
        os.environ["PYTHONPATH"] = str(self.folder)
        self.addCleanup(os.environ.pop, "PYTHONPATH")
        self.assertIn("apt-get install python3-distributed",
                      self.sweep("run", self.plan, "-o", self.out, "--dask", NOBODY, status=2))

    def test_the_left_option_lists_the_points_that_the_file_lacks(self):
        left = [int(number) for number in self.sweep("run", self.plan, "-o", self.out, "--left").split()]
        self.assertEqual((len(left), left), (POINTS, sorted(set(left) & set(range(48)))))
        self.assertFalse(self.out.exists())
        self.sweep("run", self.plan, "-o", self.out, "--shard", "1/3")
        left = [number for number in left if number % 3 != 1]
        self.assertEqual(self.sweep("run", self.plan, "-o", self.out, "--left").split(), list(map(str, left)))


@unittest.skipUnless(distributed, "python3-distributed is missing")
class Cluster(Rig):
    whole = None  # the table of many()

    @classmethod
    def start(cls, *words):
        process = subprocess.Popen([sys.executable, "-m", *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=cls.home.name)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.kill)
        return process

    @classmethod
    def worker(cls):
        return cls.start("distributed.cli.dask_worker", "--scheduler-file", cls.file, "--nthreads", "1", "--no-nanny",
                         "--no-dashboard", "--local-directory", cls.home.name)

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.home.cleanup)
        cls.file = os.path.join(cls.home.name, "scheduler.json")
        cls.start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                  "--scheduler-file", cls.file)
        cls.workers = [cls.worker() for _ in range(3)]
        wait_for(lambda: os.path.exists(cls.file))
        with distributed.Client(scheduler_file=cls.file) as client:
            cls.address = client.scheduler.address
            client.wait_for_workers(3)

    def dask(self, *words, status=0):
        return self.sweep("run", self.plan, "-o", self.out, "--dask", self.address, *words, status=status)

    def many(self):
        """A sweep that takes a while."""
        self.plan.write_text(PLAN.replace("[constraints]", MANY + "[constraints]"))
        Cluster.whole = Cluster.whole or self.local()

    def started(self, *words):
        """A sweep on the cluster, in the background."""
        process = subprocess.Popen([WARPWAIT, "sweep", "run", self.plan, "-o", self.out, "--dask", self.address, *words],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_the_table_matches_a_local_run(self):
        self.assertIn(f"{POINTS} points remained, run in 8 shards", self.dask("--shards", 8))
        self.assertEqual(rows(self.out), self.local())
        self.assertEqual(len(rows(self.out)), POINTS)

    def test_finished_shards_are_not_run_again(self):
        self.sweep("run", self.plan, "-o", self.out, "--shard", "1/4")
        self.assertIn("run in 3 shards", self.dask("--shards", 4))
        self.assertIn("0 points remained, run in 0 shards", self.dask("--shards", 4))
        self.assertEqual(rows(self.out), self.local())

    def test_points_of_a_sample_keep_their_numbers(self):
        self.plan.write_text(PLAN.replace("[axes]", "sample = random 20\n[axes]"))
        self.sweep("run", self.plan, "--dask", self.address)  # its own name
        self.assertEqual(rows(self.out), self.local())
        self.assertEqual(len({row[1] for row in rows(self.out)}), 20)

    def test_a_killed_worker_changes_nothing(self):
        self.many()
        at_work = 0
        for _ in range(KILLS):
            self.out.unlink(missing_ok=True)
            at_work += self.kill_a_worker()
        if KILLS > 1:
            print(f"{at_work} of {KILLS} workers were killed at a shard", file=sys.stderr)

    def kill_a_worker(self):
        """Kills a worker and returns whether it had a shard. With a single kill, a worker at work is chosen."""
        sweep = self.started("--shards", "12")
        victim = self.workers.pop(0)
        if KILLS > 1:
            time.sleep(random.uniform(0.4, 1))  # Python takes 0.4 s to start
            at_work = stopped_at_work(victim)
        else:
            at_work = wait_for(lambda: stopped_at_work(victim))
        victim.kill()
        self.workers.append(self.worker())
        self.assertEqual((sweep.wait(60), sweep.stderr.read()), (0, ""))
        self.assertEqual(rows(self.out), self.whole)
        return at_work

    def test_an_interrupt_in_a_finalizer_is_not_lost(self):
        code = textwrap.dedent("""
            import os, signal, sys
            from warpwait.sweep.cluster import kept_interrupts
            class Future:
                def __del__(self):
                    os.kill(os.getpid(), signal.SIGINT)
                    sum(range(1000))  # Python calls the handler between two of its own instructions
            sys.unraisablehook = lambda lost: print(lost.exc_type.__name__, "is lost")
            with kept_interrupts() as check:
                check()
                Future()
                try:
                    check()
                except KeyboardInterrupt:
                    print("and found")
            """)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "bindings/python")})
        self.assertEqual((done.stdout, done.stderr), ("KeyboardInterrupt is lost\nand found\n", ""))

    def test_an_interrupted_sweep_says_how_to_continue(self):
        self.many()
        self.workers[0].send_signal(signal.SIGSTOP)  # otherwise a fast computer would finish before the interruption
        self.addCleanup(self.workers[0].send_signal, signal.SIGCONT)
        sweep = self.started("--shards", "12")
        wait_for(lambda: has_rows(self.out))
        sweep.send_signal(signal.SIGINT)
        self.assertEqual(sweep.wait(60), 130)
        self.workers[0].send_signal(signal.SIGCONT)
        self.assertRegex(sweep.stderr.read(), r"^warpwait-sweep: interrupted: \d+ of 12 shards are in .*; "
                                              r"repeat the command to continue\n$")
        there = len(rows(self.out))
        self.assertIn(" points remained", self.dask("--shards", 12))
        self.assertGreater(len(rows(self.out)), there)
        self.assertEqual(rows(self.out), self.whole)

    def test_bad_input_is_reported_in_one_line(self):
        self.assertIn("needs --dask", self.sweep("run", self.plan, "--shards", 4, status=2))
        self.assertIn("nobody answers", self.sweep("run", self.plan, "--dask", NOBODY, status=2))
        self.assertIn("--shard", self.dask("--shard", "1/2", status=2))
        self.plan.write_text(PLAN.replace("queue", "queues"))
        self.assertIn("s.ini:5: dma.queues: ", self.dask(status=2))
        self.assertFalse(self.out.exists())

    def test_an_error_on_a_worker_is_reported(self):
        other = self.folder / "warpwait"
        other.write_text(f'#!/bin/sh\ncase "$*" in *--shard*) echo "warpwait: no room" >&2; exit 2;; esac\n'
                         f'exec {WARPWAIT} "$@"\n')
        other.chmod(0o755)
        os.environ["WARPWAIT"] = str(other)
        self.addCleanup(os.environ.__setitem__, "WARPWAIT", WARPWAIT)
        self.assertRegex(self.dask("--shards", 2, status=2), r"shard [01]/2: on a worker: no room\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    KILLS = parser.parse_known_args()[0].kills
    os.environ["DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT"] = "1s"  # for the port where nothing listens
    unittest.main(argv=sys.argv[:1], verbosity=0, warnings="ignore")
