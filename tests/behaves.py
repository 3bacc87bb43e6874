#!/usr/bin/env python3
"""Checks that the library's objects refer only to what a library may use in somebody else's program.

It must not end that program, start others, change its signals, print, or change the state of the whole process. It
must not call functions that keep state between calls, or have mutable data of its own: several threads may use it at
once. The check reads the names that nm lists, so it does not see uses through a pointer or a number (write() to
descriptor 1).

usage: tests/behaves.py    exit 0 if nothing is wrong, 1 otherwise. Build first: objects are read from build/obj,
                           or beside $WARPWAIT."""
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import layers  # noqa: E402

# Folders of clients, and of parts outside the library: in these the program is ours.
CLIENTS = ("sim/cli", "tools/verbs", "tools/docs", "tools/playground", "bindings/systemc", "bindings/icd")

# why not: words, each the name of a function or a variable of the C library
FORBIDDEN = {
    "ends the program": "exit _exit _Exit quick_exit abort atexit on_exit __assert_fail __assert_perror_fail",
    "starts a process": "fork vfork clone system popen posix_spawn posix_spawnp execl execlp execle execv execvp execve execvpe daemon",
    "waits for processes that may be another's": "wait waitpid wait3 wait4 waitid pclose",
    "touches signals": "signal sigaction raise kill killpg tgkill pthread_kill sigprocmask pthread_sigmask sigsuspend sigwait "
                       "sigwaitinfo sigtimedwait signalfd pause alarm setitimer timer_create siginterrupt sigaltstack",
    "prints": "stdout stderr printf vprintf puts putchar putchar_unlocked perror psignal warn warnx vwarn vwarnx err errx verr verrx error "
              "syslog vsyslog __printf_chk __vprintf_chk",
    "reads what the user types": "stdin getchar getchar_unlocked scanf vscanf gets getpass __isoc99_scanf",
    "depends on a language or changes it": "setlocale newlocale uselocale localeconv nl_langinfo bindtextdomain textdomain",
    "reads the environment, which sim/base/environment.h does": "getenv secure_getenv environ __environ",
    "changes the environment": "setenv putenv unsetenv clearenv",
    "changes what is the whole process's": "chdir fchdir chroot umask setrlimit nice setpriority prctl mlockall mallopt malloc_trim tzset "
                                           "setuid setgid seteuid setegid json_set_alloc_funcs sqlite3_config",
    "keeps a state between calls": "rand srand random srandom drand48 erand48 lrand48 mrand48 srand48 strtok strerror strsignal localtime gmtime "
                                   "ctime asctime getpwnam getpwuid getgrnam getgrgid lgamma lgammaf lgammal gamma ttyname basename dirname "
                                   "__xpg_basename tmpnam tempnam mktemp getopt getopt_long getopt_long_only argp_parse hcreate hsearch "
                                   "hdestroy ecvt fcvt gcvt l64a inet_ntoa crypt getlogin getdate setkey encrypt",
}

# file: words that it may use nevertheless, including "data" of its own, and why
ALLOWED = {
    "opencl/clang/process.c": ("posix_spawnp kill waitpid", "it runs compilers, and ends and awaits them alone, each by its number"),
    "sim/base/environment.c": ("getenv", "it is the place"),
    "sim/api/machine.c": ("data", "whether jansson's memory is ours already, once a program"),
    "sim/base/heap.c": ("data __assert_fail newlocale uselocale",
                        "the recovery point that a thread's work is behind and the defect that it met, each thread's own; there a defect ends the "
                        "program only outside of recovery points, and numbers are read and written as in C"),
    "sim/base/need.c": ("json_set_alloc_funcs", "jansson has its memory from us, since it would leave things out where there is none"),
    "sim/base/crew.c": ("pthread_sigmask", "a thread of ours leaves signals to those of the program"),
    "sim/base/workers_threads.c": ("pthread_sigmask", "a thread of ours leaves signals to those of the program"),
}

Symbol = collections.namedtuple("Symbol", "name kind section")


def objects(build):
    """(source file, object) of all objects of the library; lanes.c has two, and two C files are generated."""
    for folder in layers.LAYERS:
        if folder in CLIENTS:
            continue
        for source in sorted((ROOT / folder).glob("*.c")):
            name = source.relative_to(ROOT).as_posix()
            yield name, build / "obj" / f"{name}.o"
    yield "isa/lanes.c", build / "obj/isa/lanes.v3.o"
    for name in ("presets", "page_template"):
        yield f"{name}.c", build / f"obj/{name}.o"


def symbols(path):
    """The symbols of an object. nm pads its columns: name|value|class|type|size|line|section."""
    for line in subprocess.run(["nm", "--format=sysv", str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 7:
            yield Symbol(parts[0], parts[2], parts[6])


def writable(symbol):
    """Mutable data; .data.rel.ro holds constants with addresses, which are final before main()."""
    if symbol.section.startswith(".data.rel.ro"):
        return False
    return symbol.kind in "bBdDCsSguvV" or re.match(r"\.(data|bss|tdata|tbss)\b", symbol.section)


def wrong(symbol):
    """(word, what is wrong with it), or None."""
    if writable(symbol):
        return "data", f"has data that may change: {symbol.name}"
    if symbol.kind not in "Uw":
        return None
    name = symbol.name.split("@")[0]
    for why, words in FORBIDDEN.items():
        if name in words.split():
            return name, f"refers to {name}, which {why}"
    if name.startswith("_Z"):
        return name, f"refers to {name}: it is C, and needs no C++"
    return None


def strangers(build):
    """Yields a line for each library that libwarpwait.so needs and its users should not have to have."""
    told = subprocess.run(["readelf", "-d", str(build / "libwarpwait.so")], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
    for name in needed or ["nothing that readelf names"]:
        if not re.match(r"lib(c|m|pthread|jansson|inih|sqlite3|lzma|png16|z)\.so|ld-linux", name):
            yield f"libwarpwait.so needs {name}"


def faults(build):
    """Yields what is wrong, one line each."""
    yield from strangers(build)
    used, seen = set(), 0
    for source, path in objects(build):
        if not path.exists():
            if path.name != "lanes.v3.o":  # only on x86-64
                yield f"{source}: there is no {path}; make first"
            continue
        words, _ = ALLOWED.get(source, ("", ""))
        for symbol in symbols(path):
            seen += 1
            found = wrong(symbol)
            if found and found[0] in words.split():
                used.add((source, found[0]))
            elif found:
                yield f"{source}: {found[1]}"
    for source, (words, _) in ALLOWED.items():
        for word in words.split():
            if (source, word) not in used:
                yield f"tests/behaves.py allows {source} to refer to {word}, which it does not"
    if not seen:
        yield f"nm names nothing in {build / 'obj'}"


def main():
    found = list(faults(pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).absolute().parent))
    for fault in found:
        print(fault)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
