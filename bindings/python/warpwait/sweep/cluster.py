"""`warpwait sweep run --dask`: runs shards of a sweep on the workers of a Dask cluster, and merges them into one store.

A shard is one task: `warpwait sweep run FILE.ini --shard I/N` on a worker. The task's result is the file of results.
Only points that the store here lacks are run, so the same command continues an interrupted sweep. Workers need warpwait
and the sweep's files, at the same paths; results need no shared file system. The merge refuses a shard from other files
or from another version of warpwait.
"""
from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import typing

from .._checks import lines_of
from .._optional import need
from ._errors import SweepError

Result = typing.Tuple[int, bytes, bytes]  # status, standard error, and the bytes of a store
Tell = typing.Callable[[int, int], object]  # called with the numbers of finished shards and of all

THREAD_SHARDS = 4  # shards per thread of the workers: enough to keep those busy that finish early
CONNECT = 10  # seconds to wait for a scheduler's answer, unless Dask's configuration has less
WORKERS = 30  # seconds to wait for its first worker
TICK = 0.5
LIVES = 5  # times that a shard is submitted if its workers die; each time, Dask itself tries some workers


def last_line(told: bytes, status: int) -> str:
    """A failed command's error message, in one line."""
    lines = lines_of(told.decode(errors="replace").strip())
    return lines[-1].removeprefix("warpwait: ") if lines else f"exit status {status}"


def program() -> str:
    """The path of warpwait on this machine."""
    return os.environ.get("WARPWAIT", "warpwait")


def command(*words: str) -> bytes:
    """Runs warpwait on this machine; returns what it prints. Raises SweepError with its last line."""
    try:
        done = subprocess.run([program(), "sweep", *words], capture_output=True, check=False)
    except OSError as error:
        raise SweepError(f"{program()}: {error.strerror}; $WARPWAIT names another program") from None
    if done.returncode == -2:
        raise KeyboardInterrupt  # a terminal sends SIGINT to all its processes
    if done.returncode:
        raise SweepError(last_line(done.stderr, done.returncode))
    return done.stdout


@contextlib.contextmanager
def kept_interrupts() -> typing.Iterator[typing.Callable[[], None]]:
    """Yields a function that raises KeyboardInterrupt if SIGINT has arrived. Python prints and drops a
    KeyboardInterrupt in a finalizer, and Dask's futures have finalizers."""
    asked = False

    def note(*_: object) -> None:
        nonlocal asked
        asked = True
        raise KeyboardInterrupt

    def check() -> None:
        if asked:
            raise KeyboardInterrupt

    usual = signal.default_int_handler
    replace = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is usual
    if replace:
        signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        if replace:
            signal.signal(signal.SIGINT, usual)


def shard_runner() -> typing.Callable[[str, list[str]], Result]:
    """The function that workers run. It is made here and uses no names of this module, so that Dask sends its code and
    workers do not need this package."""

    def run_shard(path: str, words: list[str]) -> Result:
        """Runs the shard; returns status, standard error, and the store's bytes. path: the caller's warpwait."""
        import os
        import pathlib
        import subprocess
        import tempfile

        from distributed import get_worker

        path = path if os.path.isfile(path) else "warpwait"
        # Dask removes the folders of killed workers.
        with tempfile.TemporaryDirectory(dir=get_worker().local_directory) as folder:
            part = pathlib.Path(folder, "part.sqlite")
            # The command ends when its worker is killed.
            done = subprocess.run(["setpriv", "--pdeathsig", "KILL", path, "sweep", "run", *words, "-o", part],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            return done.returncode, done.stderr, part.read_bytes() if done.returncode == 0 else b""

    return run_shard


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, address: str) -> None:
        dask, distributed = need("dask"), need("distributed")
        self.address, self.distributed = address, distributed
        usual = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        for name in ("distributed", "distributed.client", "asyncio"):  # we report errors ourselves, in one line
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self.client = distributed.Client(address, timeout=min(CONNECT, usual))
        except (OSError, ValueError, TimeoutError) as error:
            said = str(error).splitlines()[0] if isinstance(error, ValueError) else "nobody answers"
            raise SweepError(f"--dask: {address}: {said}; expected a Dask scheduler, such as tcp://host:8786") from None

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close(timeout=2)

    def threads(self) -> int:
        """How many tasks run at once. Raises SweepError if there is no worker."""
        try:
            self.client.wait_for_workers(1, timeout=WORKERS)
        except (TimeoutError, self.distributed.TimeoutError):
            raise SweepError(f"--dask: {self.address}: the scheduler has no workers; "
                             f"`dask-worker {self.address}` starts one") from None
        return sum(self.client.nthreads().values())

    def submit(self, run_shard: typing.Callable[[str, list[str]], Result], *arguments: object) -> typing.Any:
        """Submits a task. Dask runs it again elsewhere if its worker dies."""
        return self.client.submit(run_shard, *arguments, pure=False)

    def some(self, futures: list[typing.Any]) -> set[typing.Any]:
        """The futures that are done; waits for one, at most TICK. Raises SweepError if the scheduler is gone."""
        done: set[typing.Any] | None
        try:
            done = self.distributed.wait(futures, timeout=TICK, return_when="FIRST_COMPLETED").done
        except (TimeoutError, self.distributed.TimeoutError):
            done = set()
        except self.distributed.CancelledError:
            done = None
        if done is None or self.client.status != "running" or any(future.cancelled() for future in done):
            raise SweepError(f"--dask: {self.address}: the scheduler is gone; repeat the command with another one to continue")
        return done

    def result(self, future: typing.Any) -> Result | None:
        """What run_shard() returned, or None if the workers that ran it died. Raises SweepError if it raised."""
        try:
            result: Result = future.result(timeout=CONNECT * 6)
            return result
        except self.distributed.KilledWorker:
            return None
        except Exception as error:  # any exception of the worker's Python
            told = str(error).splitlines() or [""]
            raise SweepError(f"{type(error).__name__}: {told[0]}") from None


class Sweep:
    """A sweep file's shards, and the store into which they are merged."""

    def __init__(self, plan: str, out: str, options: typing.Sequence[str], count: int | None) -> None:
        self.plan, self.out, self.options, self.count = plan, out, options, count
        self.lives: dict[int, int] = {}

    def left(self) -> list[int]:
        """The numbers of points that the store lacks. Raises SweepError if the sweep cannot run."""
        return [int(line) for line in command("run", self.plan, "--left", "-o", self.out, *self.options).split()]

    def words(self, shard: int, jobs: int) -> list[str]:
        """The arguments of `warpwait sweep run` on a worker."""
        return [os.path.abspath(self.plan), "--shard", f"{shard}/{self.count}", "--jobs", str(jobs), "--quiet",
                *self.options]

    def take(self, shard: int, result: Result | None) -> bool:
        """Merges a shard's store. False: the shard must run again, because its worker was killed."""
        status, told, part = result or (-9, b"", b"")
        if status < 0:
            self.lives[shard] = self.lives.get(shard, 0) + 1
            if self.lives[shard] < LIVES:
                return False
            raise SweepError(f"shard {shard}/{self.count}: its worker is killed repeatedly")
        if status:
            raise SweepError(f"shard {shard}/{self.count}: on a worker: {last_line(told, status)}")
        with tempfile.NamedTemporaryFile(prefix="warpwait-shard-", suffix=".sqlite") as file:
            file.write(part)
            file.flush()
            command("merge", self.out, file.name)
        return True

    def run(self, cluster: Cluster, shards: typing.Sequence[int], jobs: int, tell: typing.Callable[[int], object],
            check: typing.Callable[[], None]) -> None:
        """Runs the shards, and merges each as soon as it is done. tell: called with the number of finished shards;
        check: called repeatedly, and ends the run by raising."""
        run_shard, path = shard_runner(), os.path.abspath(program())
        waiting = {cluster.submit(run_shard, path, self.words(shard, jobs)): shard for shard in shards}
        while waiting:
            check()
            for future in cluster.some(list(waiting)):
                shard = waiting[future]
                if not self.take(shard, cluster.result(future)):
                    waiting[cluster.submit(run_shard, path, self.words(shard, jobs))] = shard
                del waiting[future]  # also frees Dask's copy of the part
                tell(len(shards) - len(waiting))


def run(plan: str, out: str, address: str, shards: int | None = None, jobs: int = 1, options: typing.Sequence[str] = (),
        tell: Tell | None = None) -> tuple[int, int]:
    """Runs the points of a sweep that `out` lacks on the workers of a cluster. Returns the numbers of points and
    shards. tell: called with the numbers of finished shards and of all."""
    sweep = Sweep(plan, out, list(options), shards)
    left = sweep.left()
    if not left:
        return 0, 0
    with Cluster(address) as cluster, kept_interrupts() as check:
        threads = cluster.threads()
        sweep.count = shards or max(1, THREAD_SHARDS * threads // jobs)
        wanted = sorted({number % sweep.count for number in left})
        done = [0]

        def count(shards_done: int) -> None:
            done[0] = shards_done
            if tell:
                tell(shards_done, len(wanted))

        try:
            sweep.run(cluster, wanted, jobs, count, check)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{done[0]} of {len(wanted)} shards are in {out}; repeat the command to continue") from None
    return len(left), len(wanted)


def progress(done: int, count: int) -> None:
    """Updates the line of progress."""
    sys.stderr.write(f"\r{done} of {count} shards\x1b[K")
    sys.stderr.flush()
