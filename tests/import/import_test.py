#!/usr/bin/env python3
"""warpwait trace import: traces in each form that Accel-Sim's tracer writes, the result of importing them, and
refusals."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/import"))
sys.path.insert(0, str(ROOT / "bindings/python"))
import sass  # noqa: E402
from warpwait import trace as traces  # noqa: E402
from sass import Instruction, Launch  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
GLOBAL = 0x7f0000000000


def warpwait(*arguments):
    done = subprocess.run([WARPWAIT, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def words(base, step=4, lanes=32):
    return [base + step * lane for lane in range(lanes)]


def small(**changes):
    """Two blocks of two warps that load, meet and store."""
    blocks = {}
    for block in range(2):
        blocks[block, 0, 0] = []
        for warp in range(2):
            at = GLOBAL + 4096 * block + 128 * warp
            anywhere = [at + 4 * (lane * lane % 29) for lane in range(32)]
            blocks[block, 0, 0].append([
                Instruction(0x00, "S2R", [0], line=3),
                Instruction(0x10, "LDG.E", [4], [2], addresses=words(at), line=4),
                Instruction(0x20, "LDG.E", [5], [2], addresses=anywhere, line=4),
                Instruction(0x30, "FADD", [6], [4, 5], line=5),
                Instruction(0x40, "STS", [], [0, 6], addresses=words(128 * warp), line=6),
                Instruction(0x50, "BAR.SYNC.DEFER_BLOCKING", line=7),
                Instruction(0x60, "LDS", [7], [0], 0xffff0000, words(128 * warp + 64, 4, 16), line=8),
                Instruction(0x70, "STG.E", [], [2, 7], 0x80000001, [at + 8192, at + 4], line=9),
                Instruction(0x80, "EXIT", line=10),
            ])
    return Launch(blocks, **{"grid": (2, 1, 1), "block": (64, 1, 1), "shared": 256, **changes})


class Folder(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        self.trace = self.folder / "o.wwt"

    def tearDown(self):
        self.holder.cleanup()

    def made(self, launches, *options, says="", **forms):
        """Imports and validates; returns the operations of all warps, field by field."""
        listed = sass.save(self.folder, launches, **forms)
        status, out, err = warpwait("trace", "import", listed, self.trace, *options)
        self.assertEqual((status, out), (0, ""), err)
        (self.assertIn if says else self.assertEqual)(says, err)
        self.assertEqual(warpwait("trace", "validate", self.trace), (0, "", ""))
        return self.operations()

    def operations(self):
        with traces.open(self.trace) as trace:
            return {(launch, group, warp): [(o.pc, o.next, o.mask, o.kind, tuple(o.flags), dict(o.fields),
                                             {name: tuple(lanes.values()) for name, lanes in o.values.items() if lanes})
                                            for o in trace.operations(launch, group, warp)]
                    for launch, group in trace.groups() for warp in range(trace.warps(launch, group))}

    def refused(self, text, says, name="kernel-1.traceg"):
        (self.folder / name).write_text(text, encoding="ascii")
        (self.folder / "kernelslist.g").write_text(name + "\n", encoding="ascii")
        status, out, err = warpwait("trace", "import", self.folder / "kernelslist.g", self.trace)
        self.assertEqual((status, out), (2, ""), err)
        self.assertEqual(err.count("\n"), 1)
        self.assertIn(says, err)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), sorted([name, "kernelslist.g"]))


class Forms(Folder):
    def test_all_forms_of_addresses_and_files_give_the_same_trace(self):
        expected = self.made([small()])
        self.assertEqual(len(expected), 4)
        load = expected[0, 1, 1][1]
        self.assertEqual(load[:4], (1, 2, 0xffffffff, "access"))
        self.assertEqual(load[6]["address"], tuple(words(GLOBAL + 4096 + 128)))
        for mode in (sass.LIST_ALL, sass.BASE_DELTA):
            self.assertEqual(self.made([small()], mode=mode), expected)
        for packing in ("xz", "gz"):
            self.assertEqual(self.made([small()], packing=packing), expected)
        for raw in (dict(raw=True), dict(raw=True, packing="xz", mode=sass.LIST_ALL)):
            self.assertEqual(self.made([small()], **raw), expected)

    def test_all_versions_give_the_same_trace(self):
        expected = self.made([small()])
        for version in ("", "1.2", "2", "3", "4"):
            self.assertEqual(self.made([small(version=version)]), expected, version)
            self.assertEqual(self.made([small(version=version)], raw=True), expected, version)
        for version in ("4", "5"):
            self.assertEqual(self.made([small(version=version, lines=True)]), expected, version)

    def test_source_lines_are_in_the_listing(self):
        self.made([small(lines=True)])
        self.assertIn("0030 FADD R6 <- R4, R5  (line 5)", warpwait("replay", self.trace, "--annotate")[1])

    def test_a_file_compressed_after_it_was_listed_is_found(self):
        listed = sass.save(self.folder, [small()], packing="xz")
        listed.write_text("kernel-1.traceg\n", encoding="ascii")
        self.assertEqual(warpwait("trace", "import", listed, self.trace)[0], 0)

    def test_launches_keep_the_order_of_the_list_and_host_copies_are_counted(self):
        other = small(name="other(int)", grid=(4, 1, 1))
        other.blocks.update({(block, 0, 0): warps for (block, _, _), warps in
                             zip([(2, 0, 0), (3, 0, 0)], list(other.blocks.values()))})
        self.made([small(), other, small()], says="2 copies by the host skipped", host=2)
        out = warpwait("trace", "info", self.trace)[1]
        self.assertEqual(re.findall(r"kernel '(.*)', (\d+) ", out),
                         [("kernel", "128"), ("other_int_", "256"), ("kernel", "128")])


class Operations(Folder):
    def test_shared_addresses_begin_at_0_or_after_the_reserved_bytes(self):
        plain = self.made([small()])
        later = small()
        for warps in later.blocks.values():
            for of in sum(warps, []):
                if of.opcode in ("STS", "LDS"):
                    of.addresses = [address + 1024 for address in of.addresses]
        self.assertEqual(self.made([later]), plain)

    def test_generic_addresses_go_to_the_memory_of_their_window(self):
        launch = Launch({(0, 0, 0): [[
            Instruction(0x00, "LD.E", [4], [2], addresses=words(GLOBAL)),
            Instruction(0x10, "LD.E", [4], [2], addresses=words(0x7f4000000000 + 64)),
            Instruction(0x20, "ST.E", [], [2, 4], addresses=words(0x7f4001000000)),
            Instruction(0x10, "LD.E", [4], [2], addresses=words(GLOBAL)),
            Instruction(0x30, "LD.E", [4], [2], 3, [GLOBAL, 0x7f4000000000]),
            Instruction(0x40, "EXIT")]]}, shared=256)
        ops = self.made([launch], says="to several spaces")[0, 0, 0]
        names = [line.split()[3] for line in warpwait("trace", "head", self.trace)[1].splitlines()[1:]]
        self.assertEqual(names, ["ld.global.b32", "ld.lds.b32", "st.private.b32", "ld.global.b32", "ld.global.b32",
                                 "exit"])
        self.assertEqual(ops[1][6]["address"], tuple(words(64)))
        self.assertEqual(ops[4][5]["left_out"], 2)

    def test_matrix_loads_are_the_words_that_each_lane_gets(self):
        rows = [16 * lane for lane in range(32)]
        for suffix, count in (("", 1), (".2", 2), (".4", 4)):
            launch = Launch({(0, 0, 0): [[Instruction(0, f"LDSM.16.M88{suffix}", [4], [2], addresses=rows),
                                          Instruction(16, "EXIT")]]}, shared=1024)
            first = self.made([launch])[0, 0, 0][0]
            self.assertEqual(first[6]["address"], tuple(words(0, 4 * count)))
            self.assertIn(f"b{32 * count} ", warpwait("trace", "head", self.trace)[1])

    def test_the_two_lines_of_a_lane_copy_are_one_operation(self):
        def copies(pair):
            return Launch({(0, 0, 0): [[
                *(Instruction(0x10, "LDGSTS.E.128", [], [4, 2], addresses=words(at, 16)) for at in pair),
                Instruction(0x20, "LDGDEPBAR"), Instruction(0x30, "DEPBAR.LE", immediate=1),
                Instruction(0x40, "EXIT")]]}, shared=1024)
        ops = self.made([copies([512, GLOBAL])])[0, 0, 0]
        self.assertEqual(len(ops), 4)
        self.assertEqual(ops[0][6], {"address": tuple(words(GLOBAL, 16)), "place": tuple(words(512, 16))})
        self.assertIn("copy.lane.wait 1", warpwait("trace", "head", self.trace)[1])
        ops = self.made([copies([GLOBAL])], says="without the address there")[0, 0, 0]
        self.assertEqual(ops[0][6], {"address": tuple(words(GLOBAL, 16)), "place": tuple(words(0, 16))})
        ops = self.made([copies([512])], says="accesses to memory without addresses")[0, 0, 0]
        self.assertEqual((ops[0][5]["left_out"], ops[0][6]), (sass.FULL, {}))
        self.assertEqual(warpwait("replay", self.trace)[0], 0)

    def test_a_branch_that_only_some_lanes_take_diverges(self):
        def branch(mask, before=sass.FULL):
            launch = Launch({(0, 0, 0): [[
                Instruction(0x00, "ISETP.NE.AND", [], [4], before), Instruction(0x10, "BSSY", mask=before),
                Instruction(0x20, "BRA", mask=mask), Instruction(0x30, "IADD3", [4], [4], before & ~mask),
                Instruction(0x40, "EXIT")]]})
            return self.made([launch])[0, 0, 0][2][4]
        self.assertEqual(branch(0xff), ("diverged",))
        self.assertEqual(branch(sass.FULL), ())
        self.assertEqual(branch(0), ())
        self.assertEqual(branch(0xff, 0xff), ())

    def test_missing_parts_are_added_and_reported(self):
        launch = small(grid=(3, 1, 1))
        del launch.blocks[1, 0, 0][1][-1]
        listed = sass.save(self.folder, [launch])
        status, _, err = warpwait("trace", "import", listed, self.trace)
        self.assertEqual(status, 0)
        self.assertIn("warps whose last instruction is not EXIT: one was added (1 time)", err)
        self.assertIn("thread blocks that are not in the trace: they end at once (1 time)", err)
        self.assertEqual(warpwait("replay", self.trace)[0], 0)

    def test_unknown_opcodes_are_counted_and_the_first_place_is_reported(self):
        launch = small()
        for warps in launch.blocks.values():
            warps[0].insert(1, Instruction(0x08, "FOO.BAR", [9], [4]))
        self.made([launch], says="kernel-1.traceg:25: opcode FOO: is unknown; treated as an integer operation "
                                 "(2 times)")
        self.trace.unlink()
        status, _, err = warpwait("trace", "import", self.folder / "kernelslist.g", self.trace, "--strict")
        self.assertEqual(status, 2)
        self.assertIn("opcode FOO is unknown", err)
        self.assertFalse(self.trace.exists())

    def test_bulk_copies_mbarriers_and_matrix_instructions_are_reported(self):
        launch = Launch({(0, 0, 0): [[
            Instruction(0x00, "UBLKCP.S.G"), Instruction(0x10, "UTMALDG.2D"),
            Instruction(0x20, "HGMMA.64x64x16.F32", [24], [24]),
            Instruction(0x30, "SYNCS.PHASECHK.TRANS64.TRYWAIT", [], [4], addresses=[64] * 32),
            Instruction(0x40, "BAR.SYNC", immediate=64), Instruction(0x50, "EXIT")]]}, shared=256, block=(32, 4, 1))
        launch.blocks[0, 0, 0] += [[Instruction(0x50, "EXIT")]] * 3
        listed = sass.save(self.folder, [launch])
        status, _, err = warpwait("trace", "import", listed, self.trace)
        self.assertEqual(status, 0)
        for what, count in (("bulk copies", 2), ("matrix instructions", 1), ("accesses to mbarriers", 1),
                            ("barriers of a part of a thread block", 1)):
            self.assertRegex(err, rf"{what}: .* \({count} time")
        self.assertEqual(warpwait("replay", self.trace)[0], 0)


# A kernel in our assembly and the same in NVIDIA's machine code: operation by operation the same class, width and
# registers. `A` are the accesses, whose addresses come from the recording.
TWINS = [
    ("ld.arg.b64 r2, data", "LDC.64", [2], [255]),
    ("get.global_id r0, x", "S2R", [0], []),
    ("mov.b32 r1, 4", "MOV", [1], []),
    ("mad.wide.s32 r2, r0, r1, r2", "IMAD.WIDE", [2], [0, 1, 2]),
    ("ld.global.b32 A r4, [r2]", "LDG.E", [4], [2]),
    ("ld.global.b128 A r8, [r2 + 4096]", "LDG.E.128", [8], [2]),
    ("and.b32 r5, r0, r1", "LOP3.LUT", [5], [0, 1]),
    ("bitsel.b32 r5, r5, r0, r1", "LOP3.LUT", [5], [5, 0, 1]),
    ("add3.i32 r5, r5, r0, r1", "IADD3", [5], [5, 0, 1]),
    ("mad.i32 r6, r5, r5, r4", "IMAD", [6], [5, 5, 4]),
    ("fma.f32 r6, r6, r8, r9", "FFMA", [6], [6, 8, 9]),
    ("rcp.f32 r7, r6", "MUFU.RCP", [7], [6]),
    ("fma.f64 r12, r10, r10, r12", "DFMA", [12], [10, 10, 12]),
    ("fma.f16 r14, r7, r7, r14", "HFMA2", [14], [7, 7, 14]),
    ("popc.b32 r15, r7", "POPC", [15], [7]),
    ("shfl.idx.b32 r16, r7, r15", "SHFL.IDX", [16], [7, 15]),
    ("and.b32 r17, r0, 127", "LOP3.LUT", [17], [0]),
    ("mul.i32 r17, r17, r1", "IMAD", [17], [17, 1]),
    ("st.lds.b32 A [r17], r16", "STS", [], [17, 16]),
    ("bar.lds", "BAR.SYNC.DEFER_BLOCKING", [], []),
    ("ld.lds.b32 A r18, [r17 + 512]", "LDS", [18], [17]),
    ("atom.lds.add.i32 A r19, [r17], r18", "ATOMS.ADD", [19], [17, 18]),
    ("copy.lane.b32 A [r17], [r2]", "LDGSTS.E", [], [17, 2]),
    ("copy.lane.commit", "LDGDEPBAR", [], []),
    ("copy.lane.wait 0", "DEPBAR.LE", [], []),
    ("atom.global.add.i32 A r20, [r2], r19", "ATOMG.E.ADD", [20], [2, 19]),
    ("fence.global", "MEMBAR.SC.GPU", [], []),
    ("ballot.b32 r21, p15", "VOTE.ANY", [21], []),
    ("cvt.f32.s32 r22, r20", "I2F", [22], [20]),
    ("st.global.b64 A [r2], r22", "STG.E.64", [], [2, 22]),
    ("prefetch A [r2], 1", "CCTL.PF2", [], [2]),
    ("yield", "NANOSLEEP", [], []),
    ("exit", "EXIT", [], []),
]


def unnamed(report):
    """A report without names and source; an import's report also lacks the hazards that a run finds, and states no
    error."""
    if isinstance(report, list):
        return [unnamed(value) for value in report]
    if not isinstance(report, dict):
        return report
    return {key: unnamed(value) for key, value in report.items()
            if key not in ("file", "line", "instruction", "by_line", "hazards", "source", "fidelity")}


class Law(Folder):
    """A replay of an import equals a run of a kernel with the same operations."""

    def run_twin(self):
        code = "\n".join(text.replace(" A ", " ") for text, *_ in TWINS)
        (self.folder / "k.wws").write_text(f".kernel k\n.arg data global\n.lds pad 1024\n.registers 24\n{code}\n",
                                           encoding="ascii")
        launch = {"program": "k.wws", "buffers": {"data": {"bytes": 65536, "elem": "uint", "fill": "iota"}},
                  "launches": [{"kernel": "k", "global": [640], "local": [128], "args": [{"buffer": "data"}]}]}
        (self.folder / "l.json").write_text(json.dumps(launch), encoding="ascii")
        return self.folder / "l.json"

    def sass_twin(self, recording):
        blocks = {}
        with traces.open(recording) as trace:
            for launch, group in trace.groups():
                blocks[group, 0, 0] = []
                for warp in range(trace.warps(launch, group)):
                    stream = []
                    for o in trace.operations(launch, group, warp):
                        _, opcode, results, sources = TWINS[o.pc]
                        for vector in ("place", "address"):  # the two lines of a copy, in the tracer's order
                            if o.lanes(vector):
                                stream.append(Instruction(16 * o.pc, opcode, results, sources,
                                                          addresses=list(o.lanes(vector).values())))
                        if not o.lanes("address"):
                            stream.append(Instruction(16 * o.pc, opcode, results, sources))
                    blocks[group, 0, 0].append(stream)
        return Launch(blocks, "k", (5, 1, 1), (128, 1, 1), 1024, 24)

    def test_a_replay_takes_as_many_cycles_as_a_run_of_the_same_operations(self):
        for machine in ("teaching", "h200"):
            ran = warpwait("run", self.run_twin(), "--machine", machine, "--report", "json", "--trace",
                           self.folder / "r.wwt")
            self.assertEqual(ran[0], 0, ran[2])
            self.made([self.sass_twin(self.folder / "r.wwt")], "--machine", machine)
            replayed = warpwait("replay", self.trace, "--report", "json")
            self.assertEqual(replayed[0], 0, replayed[2])
            run, replay = json.loads(ran[1])["launches"][0], json.loads(replayed[1])["launches"][0]
            self.assertGreater(run["cycles"], 100)
            self.assertEqual(unnamed(replay), unnamed(run))


class Refused(Folder):
    good = "\n".join(small().grouped()) + "\n"

    def change(self, old, new, says, count=1):
        self.assertIn(old, self.good)
        self.refused(self.good.replace(old, new, count), says)

    def test_no_error_is_claimed_for_an_import_or_what_it_is_merged_with(self):
        self.made([small()])
        merged, text, again, sliced = (self.folder / name for name in ("m.wwt", "i.wwtt", "i.wwt", "s.wwt"))
        own = self.folder / "own.wwt"
        launch = ROOT / "examples/01_seed/launch.json"
        self.assertEqual(warpwait("run", launch, "--machine", "h200", "--trace", own, "-o", self.folder / "r")[0], 0)
        self.assertIn("Fidelity: median error", warpwait("replay", own)[1])
        self.assertEqual(warpwait("trace", "merge", own, self.trace, "-o", merged)[0], 0)
        self.assertEqual(warpwait("trace", "convert", self.trace, text)[0], 0)
        self.assertEqual(warpwait("trace", "convert", text, again)[0], 0)
        self.assertEqual(warpwait("trace", "slice", self.trace, "-o", sliced, "--group", "0")[0], 0)
        for trace in (self.trace, merged, again, sliced):
            with self.subTest(trace.name):
                status, report, _ = warpwait("replay", trace, "--report", "json")
                self.assertEqual(status, 0)
                for launch in json.loads(report)["launches"]:
                    self.assertEqual((launch["fidelity"]["validated"], launch["fidelity"]["p50"]), (False, None))
                    self.assertIn("imported traces were not compared", launch["fidelity"]["sentence"])
        self.assertEqual(warpwait("replay", self.trace, "--machine", "dsp")[2], "warpwait: launch 1: was recorded with "
                         "warps of 32 lanes, but cu.warp_size is 16; set cu.warp_size=32\n")

    def test_bad_headers_are_refused(self):
        self.change("-accelsim tracer version = 5", "-accelsim tracer version = 7",
                    "kernel-1.traceg:12: accelsim tracer version: '7' is not one of the readable versions, 1 to 5")
        self.change("(2,1,1)", "(2,0,1)", ":3: grid dim: '(2,0,1)' is not (x,y,z) with positive numbers")
        self.change("(64,1,1)", "(64,64,1)", "block dim: more than 1024 threads")
        self.change("-grid dim = (2,1,1)\n", "", "the header has no '-grid dim'")
        self.change("-shmem = 256", "-shmem = -1", ":5: shmem: '-1' is not a whole number in [0, 16777216]")
        self.change("-nregs = 32", "-nregs 32", "'-nregs 32' is not -KEY = VALUE")

    def test_bad_instructions_are_refused(self):
        self.change("ffffffff 1 R0 S2R", "fffffff 1 R0 S2R", ":24: the mask: 'fffffff' is not 8 hexadecimal digits")
        self.change("1 R0 S2R", "1 UR0 S2R", ":24: a register: 'UR0' is not R0 to R255")
        self.change("R0 S2R 0 0 0 ", "R0 S2R 0", "the line ends before the width, a whole")
        self.change("R0 S2R 0 0 0 ", "R0 S2R 0 0 0 0", ":24: '0' is too much on this line")
        self.change("4 1 0x7f0000000000 4", "4 3 0x7f0000000000 4",
                    ":25: the form of the addresses: '3' is not 0, 1 or 2")
        self.change("4 1 0x7f0000000000 4", "4 1 0x7f0000000000 x", ":25: a step from lane to lane: 'x' is not")
        self.change("0000 ffffffff", "0z00 ffffffff", ":24: the PC: '0z00' is not a hexadecimal number")

    def test_bad_shared_addresses_are_refused(self):
        line = self.good.splitlines()[27]
        self.assertIn("STS", line)
        for address in ("0x1000000", "0xfffffffffffffffe"):
            self.change(line, line.replace(line.split(" 1 0x")[1], "").replace(" 1 0x", f" 1 {address} 0"),
                        ":28: a shared address is beyond 16 MiB")

    def test_bad_blocks_are_refused(self):
        self.change("thread block = 1,0,0", "thread block = 2,0,0",
                    "thread block 2,0,0 is outside the grid of 2,1,1")
        self.change("thread block = 1,0,0", "thread block = 0,0,0", "the thread block has already ended")
        self.change("warp = 1", "warp = 2", "warp 2 is outside [0, 2) warps of the block")
        self.change("insts = 9", "insts = 8", "the warp has more instructions than the 8 announced")
        self.change("insts = 9", "insts = 10", "warp 0 has 9 of the 10 instructions announced")
        self.refused(self.good[:self.good.index("warp = 1")], "the file ends inside a thread block")

    def test_bad_files_are_refused(self):
        self.refused("", "the header has no '-kernel name'")
        self.refused("\x28", "", name="kernel-1.traceg")
        (self.folder / "kernel-1.traceg").unlink()
        (self.folder / "kernelslist.g").unlink()
        self.refused("x", "kernelslist.g:1: 'other' is neither a kernel's file nor a Memcpy", name="other")

    def test_cut_or_damaged_compressed_files_are_refused(self):
        for packing, says in (("xz", "cannot be decompressed beyond"), ("gz", "cannot be decompressed")):
            listed = sass.save(self.folder, [small()], packing=packing)
            path = self.folder / f"kernel-1.traceg.{packing}"
            for bytes_ in (path.read_bytes()[:-40], path.read_bytes()[:100] + b"x" * 60 + path.read_bytes()[160:]):
                path.write_bytes(bytes_)
                status, _, err = warpwait("trace", "import", listed, self.trace)
                self.assertEqual(status, 2, err)
                self.assertIn(says, err)
                self.assertFalse(self.trace.exists())
            path.unlink()
        path = self.folder / "kernel-1.traceg"
        path.write_bytes(b"\x28\xb5\x2f\xfd" + b"x" * 60)
        listed.write_text("kernel-1.traceg\n", encoding="ascii")
        self.assertIn("is compressed with zstd", warpwait("trace", "import", listed, self.trace)[2])

    def test_a_launch_too_large_for_the_machine_is_refused(self):
        listed = sass.save(self.folder, [small(shared=1 << 20)])
        status, _, err = warpwait("trace", "import", listed, self.trace)
        self.assertEqual(status, 2)
        self.assertIn("launch 1", err)
        self.assertFalse(self.trace.exists())


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=[sys.argv[0]], verbosity=0)
    failed = len(program.result.failures) + len(program.result.errors)
    print(f"{program.result.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
