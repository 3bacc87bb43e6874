"""python3 -m warpwait_trace FILE [--salvage]: prints each operation of a trace, a line each."""
import argparse
import sys

from . import TraceError, open as open_trace


def line(operation):
    """The operation as text: what a test compares with the C reader's."""
    words = [operation.pc, operation.next, f"{operation.mask:x}", "+".join(operation.flags) or "-", operation.kind]
    words += [f"{name}={value:x}" for name, value in operation.fields.items()]
    words += [f"{name}=" + ",".join(f"{lane}:{value:x}" for lane, value in values.items())
              for name, values in operation.values.items()]
    for note in operation.notes:
        words += [note.kind, ",".join(f"{value:x}" for value in note.values), note.text.decode(errors="replace")]
    return " ".join(map(str, words))


def main():
    parser = argparse.ArgumentParser(prog="warpwait_trace", description=__doc__.partition(":")[2].strip())
    parser.add_argument("file", help="a trace, .wwt")
    parser.add_argument("--salvage", action="store_true", help="read the intact prefix of a damaged trace")
    parser.add_argument("--schema", action="store_true", help="print the trace's schema instead")
    arguments = parser.parse_args()
    try:
        with open_trace(arguments.file, arguments.salvage) as trace:
            if arguments.schema:
                print(trace.schema.text, end="")
                return
            for launch, group in trace.groups():
                for warp in range(trace.warps(launch, group)):
                    print(f"launch {launch} group {group} warp {warp}")
                    for operation in trace.operations(launch, group, warp):
                        print(line(operation))
            if trace.damage:
                print(trace.damage, file=sys.stderr)
    except (OSError, TraceError) as error:
        sys.exit(f"warpwait_trace: {error}")
    except BrokenPipeError:
        sys.exit(1)


if __name__ == "__main__":
    main()
