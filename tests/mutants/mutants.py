#!/usr/bin/python3
"""Mutation testing: small changes to the code, each of which a test must notice.

usage: tests/mutants/mutants.py [--count N] [--seed S] [--folder F]... [--only FILE[:LINE]] [--again] [--seconds T]
                                [--own] [--sanitize] [--jobs N]

N mutants (55) of each of the folders below, drawn by seed S (1). A mutant flips an operator, moves a constant by
one, removes a `!` or removes a statement, inside a function of a .c file. Comments, strings, preprocessor lines,
assertions and array lengths stay unchanged. A mutant that does not compile, or compiles to the same instructions,
does not count, and the next is drawn.

A mutant is killed if a test fails, crashes or takes ten times as long as it should. Only tests that execute the
mutant's line run, those of the folder's own programs and the quick ones first, until they have taken T seconds (10);
`--seconds 1000` runs them all. Tests are linked with two shared libraries: the whole of Warpwait, and before it
`libmutant.so`, whose functions take precedence. So a mutant costs one file's compilation, and nothing is linked
again. A `libmutant.so` that records execution (reached.c) finds out which test executes which line, once for each
state of the code and tests. The OpenCL driver, which a loader opens, is linked again. Test scripts run our program.
--own tries only the folders' own programs, so that a few mutants of one folder take minutes. --sanitize runs the tests of survivors again, with sanitizers in the mutant's file, as
`make sanitize` would: otherwise no test notices leaks or accesses beyond an array.

Survivors are printed, as `unreached` if no test executes their line. tests/mutants/equivalent.txt lists mutants that
no test can kill, each with its proof; they are counted separately. Survivors are left in
build/mutants/survivors.txt, and `--again` tries only these. --only takes every mutant of a file or a line. Exit
status 0 if no mutant survives except equivalent ones."""
import argparse
import bisect
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

from sites import mutants_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path("tests/mutants")
BUILD = pathlib.Path("build/mutants")
LISTED = HERE / "equivalent.txt"
SURVIVORS = BUILD / "survivors.txt"
# The folder, and its own test programs and scripts, which run first.
FOLDERS = {"opencl/passes": ["corpus", "opencl"], "opencl/emit": ["corpus", "opencl"], "lds": ["lds"], "dma": ["dma"],
           "models": ["models", "mem"], "models/mem": ["models", "mem"], "isa": ["isa"], "isa/asm": ["isa"],
           "sim/session": ["functional", "cli", "api"],
           "sim/launch": ["functional", "cli", "api"], "sim/replay": ["replay", "traces"],
           "sim/check": ["check", "cli", "check/reference_cases", "check/sarif_test", "check/rules"],
           "sim/report": ["cli", "explain"], "sim/api": ["api"], "bindings/icd": ["icd"]}
PROGRAMS = ["core", "lds", "isa", "dma", "models", "mem", "corpus", "opencl", "host", "examples", "replay", "check", "functional",
            "traces", "explain", "api", "icd", "cli", "check/reference_cases", "check/sarif_test", "check/rules"]
DRIVER, DRIVER_FOLDER = "libwarpwait-opencl.so", "bindings/icd"
CODEGEN = "-O1 -fPIC -ffp-contract=off -fno-math-errno -fno-trapping-math"
TRACED = "-O0 -g1 -fPIC -ffp-contract=off -fsanitize-coverage=trace-pc"
SANITIZED = "-g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
BATCH_SECONDS = 1.0   # of tests in one process; the first failure ends it
MEMORY = 8 << 30


def command(*words, **more):
    """Runs a command and returns its output. A failure ends the script."""
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, words))}\n{done.stdout}\nexit status {done.returncode}")
    return done.stdout


class Build:
    """Warpwait and its tests in build/mutants, as shared libraries and the programs linked with them."""

    def __init__(self, folders, programs, jobs):
        self.folders, self.programs = folders, programs
        self.make = ["env", "CXXFLAGS=-fPIC", "make", "--no-print-directory", f"BUILD={BUILD}", f"CODEGEN={CODEGEN}", "V=1"]
        self.make += ["CC=ccache gcc"] if shutil.which("ccache") else []
        driver = [f"{BUILD}/{DRIVER}"] if DRIVER_FOLDER in folders else []
        made = [f"{BUILD}/warpwait", *driver, *(f"{BUILD}/tests/{p}" for p in programs if "/" not in p)]
        print("building build/mutants", flush=True)
        command(*self.make, f"-j{jobs}", *made, f"{BUILD}/systemc.a")
        self.link(made)
        self.compilers = self.compile_commands()

    def link(self, programs):
        """Links the library, an empty one that mutants replace, and the programs with both."""
        archives = [str(BUILD / f"{name}.a") for name in ("cli", "systemc", "core")]
        library, empty = BUILD / "libcore.so", BUILD / "none/libmutant.so"
        if not library.exists() or library.stat().st_mtime < max(os.stat(a).st_mtime for a in archives):
            empty.parent.mkdir(exist_ok=True)
            command("gcc", "-shared", "-Wl,-soname,libmutant.so", "-x", "c", "-o", empty, "/dev/null")
            command("g++", "-shared", "-Wl,-soname,libcore.so", "-o", library, "-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive",
                    "-lsystemc")
        here = ROOT / BUILD
        ours = f"-Wl,--no-as-needed {empty} {library} -Wl,-rpath,{here}/none -Wl,-rpath,{here}"
        lines = command(*self.make, "-n", *(w for a in (*archives, BUILD / "libwarpwait.a") for w in ("-W", a)), *programs)
        linked = f"{BUILD}/tests/libtested.so -Wl,-rpath,'$ORIGIN'", f"{BUILD}/cli.a {BUILD}/core.a"
        (BUILD / "bin").mkdir(exist_ok=True)
        shutil.copy2(BUILD / "warpwait-systemc.so", BUILD / "bin")
        for line in lines.replace("\\\n", " ").splitlines():
            made = re.search(r" -o (\S+) ", line)
            target = BUILD / "bin" / pathlib.Path(made[1]).name if made else None
            if target and target.name == DRIVER:
                self.driver_link, self.driver = shlex.split(line), target
                shutil.copy2(made[1], target)
            elif target and any(part in line for part in linked):
                line = line.replace(f" -o {made[1]} ", f" -o {target} ")
                if not target.exists() or target.stat().st_mtime < max(library.stat().st_mtime, os.stat(made[1]).st_mtime):
                    command("sh", "-c", line.replace(linked[0], ours).replace(linked[1], ours))

    def link_driver(self, slot, objects, more=()):
        """Links the OpenCL driver with the objects {file: object}, beside a link to our program."""
        slot.mkdir(parents=True, exist_ok=True)
        if not (slot / "warpwait").is_symlink():
            (slot / "warpwait").symlink_to(ROOT / BUILD / "bin/warpwait")
        objects = {str(BUILD / "obj" / f"{file}.o"): str(made) for file, made in objects.items()}
        words = [objects.get(word, word) for word in self.driver_link]
        words[words.index("-o") + 1] = str(slot / DRIVER)
        return subprocess.run([*words, *map(str, more)], stderr=subprocess.DEVNULL).returncode == 0

    def compile_commands(self):
        """Maps each file to the commands that compile its objects; isa/lanes.c has two."""
        files = [str(f) for folder in self.folders for f in sorted(pathlib.Path(folder).glob("*.c"))]
        lines = command(*self.make, "-n", *(w for f in files for w in ("-W", f)), f"{BUILD}/core.a",
                        *([f"{BUILD}/{DRIVER}"] if DRIVER_FOLDER in self.folders else []))
        found = collections.defaultdict(list)
        for line in lines.replace("\\\n", " ").splitlines():
            words = shlex.split(line)
            words = words[1:] if words[:1] == ["ccache"] else words
            if "-c" in words and words[-1] in files:
                drop = {words.index("-o"), words.index("-o") + 1, len(words) - 1}
                found[words[-1]].append([w for i, w in enumerate(words) if i not in drop and w not in ("-MMD", "-MP", "-Werror")])
        return found

    def objects(self, file, text, slot, more=()):
        """Compiles `text` as if it were `file`; returns the objects, or None if it does not compile."""
        source = slot / file
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        made = []
        for i, words in enumerate(self.compilers[file]):
            made.append(source.with_suffix(f".{i}.o"))
            words = words + list(more) + ["-w", f"-ffile-prefix-map={slot}/=", "-o", str(made[-1]), str(source)]
            if subprocess.run(words, stderr=subprocess.DEVNULL).returncode:
                return None
        return made


class Tests:
    """The tests, how long each takes, and which lines it executes."""

    def __init__(self, build, jobs):
        self.build, self.jobs = build, jobs
        self.seconds, self.lines = {}, {}  # (program, test): seconds; and {file: lines that it executes}
        self.measure()
        self.rows = collections.defaultdict(lambda: collections.defaultdict(set))  # file: line: tests
        for test, files in self.lines.items():
            for file, lines in files.items():
                for line in lines:
                    self.rows[file][line].add(test)
        self.known = {file: sorted({*lines, *self.starts.get(file, ())}) for file, lines in self.rows.items()}

    def covering(self, mutant):
        """Tests that execute the line, or the first line of its statement; the folder's own first, quick ones before
        slow ones."""
        known = self.known.get(mutant.file, [])
        at = bisect.bisect_right(known, mutant.line)
        tests = self.rows[mutant.file].get(known[at - 1], ()) if at else ()
        own = FOLDERS[mutant.folder]
        return sorted(tests, key=lambda t: (own.index(t[0]) if t[0] in own else len(own), self.seconds[t], t))

    def measure(self):
        every = list(self.build.folders) == list(FOLDERS)
        kept = BUILD / ("reached.json" if every else f"reached-{'-'.join(self.build.folders).replace('/', '_')}.json")
        old = json.loads(kept.read_text()) if kept.exists() else {}
        code = digest(f for folder in self.build.folders for f in pathlib.Path(folder).iterdir())
        new = {"code": code, "programs": {}}
        wanted = []
        for program in self.build.programs:
            state = digest([f for f in pathlib.Path("tests", program).parent.glob("**/*") if "kernels" in f.parts or f.suffix in (".py", ".txt")]
                           if "/" in program else pathlib.Path("tests", program).glob("*.[ch]"))
            before = old.get("programs", {}).get(program, {})
            if old.get("code") == code and before.get("state") == state:
                new["programs"][program] = before
            else:
                new["programs"][program] = {"state": state, "tests": {}}
                wanted += [(program, test) for test in tests_of(program)]
        new["starts"] = old.get("starts", {})
        if wanted:
            print(f"finding out which lines each of {len(wanted)} tests executes", flush=True)
            where, new["starts"] = self.traced_library()
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                for (program, test), found in zip(wanted, pool.map(lambda t: self.trace(*t, where), wanted)):
                    new["programs"][program]["tests"][test] = found
            kept.write_text(json.dumps(new))
        self.starts = new["starts"]
        for program, about in new["programs"].items():
            for test, (seconds, lines) in about["tests"].items():
                self.seconds[program, test], self.lines[program, test] = seconds, lines

    def traced_library(self):
        """Makes the recording libmutant.so; maps a call's offset to the file and lines of its block; also all lines
        with code."""
        slot = BUILD / "traced"
        slot.mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            made = dict(zip(self.build.compilers, pool.map(
                lambda f: self.build.objects(f, pathlib.Path(f).read_text(), slot, TRACED.split()), self.build.compilers)))
        objects = [o for file, several in made.items() for o in several if not file.startswith(DRIVER_FOLDER)]
        command("gcc", "-O2", "-fPIC", "-shared", "-o", slot / "libmutant.so", HERE / "reached.c", *objects)
        mark = "-O2", "-fPIC", '-DMARK="d"', "-c", HERE / "reached.c", "-o", slot / "reached.o"
        command("gcc", *mark)
        driver = {f: o[0] for f, o in made.items() if f.startswith(DRIVER_FOLDER)}
        if driver:
            self.build.link_driver(slot, driver, [slot / "reached.o"])
        where, starts = collections.defaultdict(set), collections.defaultdict(set)
        for library, mark in ((slot / "libmutant.so", ""), (slot / DRIVER, "d"))[:2 if driver else 1]:
            calls = [int(m[1], 16) + 5 for m in re.finditer(r"^ *([0-9a-f]+):\s+call +.*<__sanitizer_cov_trace_pc",
                                                            command("objdump", "-d", "--no-show-raw-insn", library), re.M)]
            rows = re.findall(r"^\S+ +\d+ +0x([0-9a-f]+)", command("objdump", "--dwarf=decodedline", "-WL", library), re.M)
            places = command("addr2line", "-e", library, input="\n".join(rows)).splitlines()
            for row, place in zip(rows, places):
                file, line = place.split()[0].removeprefix(f"{ROOT}/").split(":")
                at = bisect.bisect_right(calls, int(row, 16) + 5) - 1  # rows name a call's start; it reports its end
                if at >= 0 and line.isdigit() and file in self.build.compilers and file.startswith(DRIVER_FOLDER) == bool(mark):
                    starts[file].add(int(line))
                    where[f"{mark}{calls[at]:x}"].add((file, int(line)))
        return where, {f: sorted(lines) for f, lines in starts.items()}

    def trace(self, program, test, where):
        """Seconds and lines of one test."""
        reached = BUILD / "traced" / f"{program}.{test}".replace("/", "_")
        reached.unlink(missing_ok=True)
        took = run_tests(program, [test], BUILD / "traced", 600, REACHED=str(ROOT / reached))
        if took is None:  # a test that measures memory, for example, which recording uses
            took = run_tests(program, [test], BUILD / "none", 600)
            print(f"{program}: {test} fails, {'when its lines are recorded: it kills no mutant' if took else 'without a mutant'}")
            return took or 0, {}
        lines = collections.defaultdict(set)
        for offset in set(reached.read_text().split()) if reached.exists() else ():
            for file, line in where.get(offset, ()):
                lines[file].add(line)
        reached.unlink(missing_ok=True)
        return took, {f: sorted(found) for f, found in lines.items()}


def digest(files):
    """A hash of the files' contents."""
    sums = hashlib.sha256()
    for file in sorted(files):
        if file.is_file():
            sums.update(str(file).encode() + b"\0" + file.read_bytes())
    return sums.hexdigest()


def tests_of(program):
    """Suite.name of each test of a program; the rules of the script that takes rules; else "", for the whole script."""
    if program == "check/rules":
        return re.findall(r"^HAZARD\((\w+),", pathlib.Path("isa/hazards.def").read_text(), re.M)
    if "/" in program:
        return [""]
    suite, found = "", []
    for line in command(BUILD / "bin" / program, "--gtest_list_tests").splitlines():
        if line.startswith(" "):
            found.append(suite + line.split()[0])
        elif line.endswith("."):
            suite = line
    return found


def run_tests(program, tests, library, seconds, **more):
    """Runs tests of a program with the libmutant.so of a folder: CPU seconds, or None if one fails or takes too
    long."""
    beside = library if (library / DRIVER).exists() else BUILD / "bin"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(ROOT / library), "WARPWAIT": str(ROOT / beside / "warpwait"),
                   "WARPWAIT_CACHE": str(ROOT / BUILD / "cache"), **more}
    words = [sys.executable, f"tests/{program}.py", *(f"{rule}_" for rule in tests if rule)] if "/" in program else \
        [BUILD / "bin" / program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={':'.join(tests)}"]

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        if "LD_PRELOAD" not in more:  # sanitizers map far more than they use
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(words, env=environment, preexec_fn=limits, start_new_session=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A wall-clock limit stops tests that wait rather than compute; it is generous because the host may be busy.
    clock = threading.Timer(20 * seconds + 60, lambda: os.killpg(process.pid, signal.SIGKILL))
    clock.start()
    _, status, used = os.wait4(process.pid, 0)
    clock.cancel()
    process.returncode = status
    try:
        os.killpg(process.pid, signal.SIGKILL)  # any processes it left behind
    except ProcessLookupError:
        pass
    return used.ru_utime + used.ru_stime if status == 0 else None


class Trial:
    """Tries mutants, each in its own slot."""

    def __init__(self, build, tests, options):
        self.build, self.tests, self.options = build, tests, options
        self.slots, self.lock, self.plain = {}, threading.Lock(), {}

    def slot(self):
        with self.lock:
            return self.slots.setdefault(threading.get_ident(), BUILD / f"slot{len(self.slots)}")

    def library(self, file, text, folder, more=()):
        """Makes the libmutant.so of a file, or its OpenCL driver, in a folder; its objects' bytes, or None if it cannot be
        created."""
        made = self.build.objects(file, text, folder, more)
        if made and file.startswith(DRIVER_FOLDER):
            (folder / "libmutant.so").unlink(missing_ok=True)
            linked = self.build.link_driver(folder, {file: made[0]}, more)
            return [made[0].read_bytes()] if linked else None
        (folder / DRIVER).unlink(missing_ok=True)
        if not made or subprocess.run(["gcc", *more, "-shared", "-o", folder / "libmutant.so", *made],
                                      stderr=subprocess.DEVNULL).returncode:
            return None
        return [o.read_bytes() for o in made]

    def killed_by(self, mutant):
        """What kills it, "" if nothing does; None if it does not compile or is the same code, and so does not count."""
        file, text, slot = mutant.file, pathlib.Path(mutant.file).read_text(), self.slot()
        if file not in self.plain:
            self.plain[file] = self.library(file, text, slot)
        made = self.library(file, mutant.applied(text), slot)
        if not made or made == self.plain[file]:
            return None
        return self.failing(mutant, slot) or (self.sanitized(mutant, text, slot) if self.options.sanitize else "")

    def sanitized(self, mutant, text, slot):
        """The same with sanitizers in this file and in memory allocation; a test that also fails without the mutant
        does not count."""
        if not self.library(mutant.file, mutant.applied(text), slot, SANITIZED.split()):
            return ""
        preload = " ".join(command("gcc", f"-print-file-name={n}").strip() for n in ("libasan.so", "libubsan.so"))
        more = {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_odr_violation=0"}
        killer = self.failing(mutant, slot, **more)
        if killer:
            plain = slot / "plain"
            self.library(mutant.file, text, plain, SANITIZED.split())
            if self.failing(mutant, plain, **more) == killer:
                return ""
        return killer and f"{killer}, with sanitizers"

    def failing(self, mutant, library, **more):
        """The program of the first test that fails."""
        if mutant.file.startswith("opencl/clang/"):  # the cache would have what the others make
            shutil.rmtree(library / "cache", ignore_errors=True)
            more = {"WARPWAIT_CACHE": str(ROOT / library / "cache"), **more}
        for batch in self.batches(mutant):
            for program, names in batch.items():
                limit = (5 + 10 * sum(self.tests.seconds[program, n] for n in names)) * (5 if more else 1)
                if run_tests(program, names, library, limit, **more) is None:
                    return program
        return ""

    def batches(self, mutant):
        """{program: names of tests} to run one after the other, about BATCH_SECONDS each."""
        batch, total, spent = collections.defaultdict(list), 0, 0
        for test in self.tests.covering(mutant):
            took = self.tests.seconds[test]
            if spent and spent + took > self.options.seconds:
                break
            if total and total + took > BATCH_SECONDS:
                yield batch
                batch, total = collections.defaultdict(list), 0
            batch[test[0]].append(test[1])
            total, spent = total + took, spent + took
        yield batch


def equivalent():
    """(file, line's text, change) of the mutants that are proven equivalent."""
    listed = set()
    for line in LISTED.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = line.split(" :: ")
            if len(fields) != 4:
                sys.exit(f"{LISTED}: not FILE :: LINE :: CHANGE :: PROOF: {line}")
            listed.add(tuple(fields[:3]))
    return listed


def drawn(options, folder, survived):
    """The folder's mutants in the order in which they are tried, and how many of them are to count."""
    only = line = ""
    if options.only:
        only, _, line = options.only.partition(":")
    found = []
    for file in sorted(pathlib.Path(folder).glob("*.c")):
        for mutant in mutants_of(folder, str(file), file.read_text()):
            if options.again and mutant.key() not in survived:
                continue
            if not options.again and options.only and (mutant.file != only or line and mutant.line != int(line)):
                continue
            found.append(mutant)
    if options.again or options.only:
        return found, len(found)
    # By their change, not their place: a change to the code leaves the order of the other mutants as it was.
    return sorted(found, key=lambda m: hashlib.sha256(" :: ".join((options.seed, *m.listed())).encode()).digest()), options.count


def tried(trial, mutants, count, pool, note):
    """Tries mutants in order until `count` of them count: [(mutant, killed by)]. The number of jobs does not change the
    draw."""
    results, ahead, queue = [], iter(mutants), collections.deque()
    while len(results) < count:
        while len(queue) < min(count - len(results), pool._max_workers + 1):
            mutant = next(ahead, None)
            if not mutant:
                break
            queue.append((mutant, pool.submit(trial.killed_by, mutant)))
        if not queue:
            break
        mutant, future = queue.popleft()
        killer = future.result()
        if killer is not None:
            results.append((mutant, killer))
            note(mutant, killer)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=55, help="mutants of each folder")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--folder", action="append", choices=FOLDERS)
    parser.add_argument("--only", metavar="FILE[:LINE]", help="every mutant of a file, or of a line")
    parser.add_argument("--again", action="store_true", help="what survived last time")
    parser.add_argument("--seconds", type=float, default=10, help="CPU time of the tests that are run for each mutant")
    parser.add_argument("--own", action="store_true", help="only the folders' own test programs")
    parser.add_argument("--sanitize", action="store_true", help="what survives is tried with sanitizers, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    os.chdir(ROOT)
    BUILD.mkdir(parents=True, exist_ok=True)
    listed = equivalent()
    if options.only:
        options.folder = [f for f in FOLDERS if pathlib.Path(options.only.partition(":")[0]).parent == pathlib.Path(f)]
    folders = options.folder or list(FOLDERS)
    own = [p for folder in folders for p in FOLDERS[folder]]
    build = Build(folders, list(dict.fromkeys(own if options.own else [*own, *PROGRAMS])), options.jobs)
    trial = Trial(build, Tests(build, options.jobs), options)
    survived = set(SURVIVORS.read_text().splitlines()) if SURVIVORS.exists() else set()
    table, survivors, begun = [], [], time.monotonic()

    def note(mutant, killer):
        excused = not killer and mutant.listed() in listed
        if not killer:
            how = "equivalent" if excused else "survived" if trial.tests.covering(mutant) else "unreached"
            print(f"{how:10} {mutant}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder in folders:
            mutants, count = drawn(options, folder, survived)
            results = tried(trial, mutants, count, pool, note)
            left = [m for m, killer in results if not killer]
            alive = [m for m in left if m.listed() not in listed]
            survivors += alive
            table.append((folder, len(results), len(results) - len(left), len(left) - len(alive), len(alive)))
            SURVIVORS.write_text("".join(m.key() + "\n" for m in survivors))
    table.append(("all", *(sum(row[i] for row in table) for i in range(1, 5))))
    print(f"\n{'folder':14} {'mutants':>8} {'killed':>8} {'equivalent':>11} {'survived':>9} {'killed of the others':>21}")
    for folder, every, dead, same, alive in table:
        if every:
            print(f"{folder:14} {every:8} {dead:8} {same:11} {alive:9} {100 * dead / max(1, dead + alive):19.1f} %")
    for mutant in survivors:
        print(mutant)
    print(f"{time.monotonic() - begun:.0f} s")
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main())
