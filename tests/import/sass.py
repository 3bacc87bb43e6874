#!/usr/bin/env python3
"""Made-up traces in the format of Accel-Sim's tracer: for tests, and for measuring an import.

usage: tests/import/sass.py DIR [--kernel tiled|gather] [--instructions N] [--xz]

writes DIR/kernelslist.g and DIR/kernel-1.traceg"""
import argparse
import gzip
import lzma
import pathlib
from dataclasses import dataclass, field
from random import Random

LIST_ALL, BASE_STRIDE, BASE_DELTA = 0, 1, 2
FULL = 0xffffffff


@dataclass
class Instruction:
    """One line; `addresses` belong to the lanes of the mask, in order."""
    pc: int
    opcode: str
    results: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    mask: int = FULL
    addresses: list = None
    immediate: int = 0
    line: int = 0


@dataclass
class Launch:
    """A kernel's trace: {(x, y, z): [[Instruction of warp 0, ...], ...]}."""
    blocks: dict
    name: str = "kernel"
    grid: tuple = (1, 1, 1)
    block: tuple = (32, 1, 1)
    shared: int = 0
    registers: int = 32
    version: str = "5"
    lines: bool = False
    shared_base: int = 0x7f4000000000
    local_base: int = 0x7f4001000000

    def header(self):
        yield f"-kernel name = {self.name}"
        yield "-kernel id = 1"
        yield "-grid dim = ({},{},{})".format(*self.grid)
        yield "-block dim = ({},{},{})".format(*self.block)
        yield f"-shmem = {self.shared}"
        yield f"-nregs = {self.registers}"
        yield "-binary version = 80"
        yield "-cuda stream id = 0"
        yield f"-shmem base_addr = 0x{self.shared_base:016x}"
        yield f"-local mem base_addr = 0x{self.local_base:016x}"
        yield "-nvbit version = 1.7"
        if self.version:
            yield f"-accelsim tracer version = {self.version}"
        if self.number() >= 4:
            yield f"-enable lineinfo = {int(self.lines)}"
        yield ""
        yield "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width ..."
        yield ""

    def number(self):
        return int(float(self.version)) if self.version else 1

    def instruction(self, of, mode):
        words = [str(of.line)] if self.lines else []
        words += [f"{of.pc:04x}", f"{of.mask:08x}", str(len(of.results)), *(f"R{r}" for r in of.results), of.opcode,
                  str(len(of.sources)), *(f"R{r}" for r in of.sources)]
        words += addresses(of, mode) if of.addresses is not None else ["0"]
        if self.number() >= 4:
            words.append(str(of.immediate))
        return " ".join(words) + " "  # as the tracer writes it

    def grouped(self, mode=BASE_STRIDE):
        """The lines of a .traceg."""
        yield from self.header()
        for block, warps in self.blocks.items():
            place = " ".join(map(str, block)) + " "
            yield from ("", "#BEGIN_TB", "", "thread block = {},{},{}".format(*block))
            for number, warp in enumerate(warps):
                yield from ("", f"warp = {number}", f"insts = {len(warp)}")
                prefix = f"{place}{number} " if self.number() < 3 else ""
                for of in warp:
                    yield prefix + self.instruction(of, mode)
            yield from ("", "#END_TB")

    def raw(self, mode=BASE_STRIDE):
        """The lines of a .trace: warps of all blocks alternate."""
        yield from self.header()
        streams = [("{} {} {} {}".format(*block, number), iter(warp))
                   for block, warps in self.blocks.items() for number, warp in enumerate(warps)]
        while streams:
            for stream in list(streams):
                of = next(stream[1], None)
                if of is None:
                    streams.remove(stream)
                else:
                    yield f"{stream[0]} {self.instruction(of, mode)}"


def addresses(of, mode):
    """The width, the form and the addresses of an access; the form is chosen as in the tracer."""
    width = next((int(word) // 8 for word in of.opcode.split(".")[1:] if word.isdigit()), 4)
    lanes = [lane for lane in range(32) if of.mask >> lane & 1]
    steps = [after - before for before, after in zip(of.addresses, of.addresses[1:])]
    dense = len(lanes) > 1 and lanes == list(range(lanes[0], lanes[-1] + 1))
    if mode == BASE_STRIDE and not lanes:
        return [str(width), "1", "0x0", "0"]
    if mode == BASE_STRIDE and dense and len(set(steps)) == 1:
        return [str(width), "1", f"0x{of.addresses[0]:x}", str(steps[0])]
    if mode == LIST_ALL:
        return [str(width), "0", *(f"0x{address:016x}" for address in of.addresses)]
    return [str(width), "2", f"0x{of.addresses[0] if of.addresses else 0:x}", *map(str, steps)]


def save(folder, launches, *, mode=BASE_STRIDE, raw=False, packing=None, host=0):
    """Writes a list and its traces; returns the list's path. `packing`: None, "xz" or "gz"."""
    folder = pathlib.Path(folder)
    names = ["MemcpyHtoD,0x00007f0000000000,256"] * host
    opener = {None: open, "xz": lzma.open, "gz": gzip.open}[packing]
    for number, launch in enumerate(launches, 1):
        name = f"kernel-{number}.trace" + ("" if raw else "g") + (f".{packing}" if packing else "")
        names.append(name)
        with opener(folder / name, "wt", encoding="ascii") as file:
            for line in (launch.raw if raw else launch.grouped)(mode):
                file.write(line + "\n")
    listed = folder / ("kernelslist" if raw else "kernelslist.g")
    listed.write_text("\n".join(names) + "\n", encoding="ascii")
    return listed


def tiled(instructions, blocks=64, warps=8):
    """Tiles of a matrix product, loaded to shared memory, for enough iterations to make `instructions` in all."""
    made = {}
    per_turn = 24
    turns = max(1, instructions // (blocks * warps * per_turn))
    for block in range(blocks):
        made[block, 0, 0] = []
        for warp in range(warps):
            stream = [Instruction(0, "IMAD.MOV.U32", [1], [255, 255]), Instruction(0x10, "S2R", [0])]
            base = 0x7f0000000000 + block * 0x40000 + warp * 0x80
            for turn in range(turns):
                at = base + turn * 0x1000
                pc = 0x20
                for opcode, results, sources, where in (
                        ("LDG.E", [8], [2], at), ("LDG.E", [9], [4], at + 0x10000000), ("STS", [], [6, 8], warp * 128),
                        ("STS", [], [6, 9], 1024 + warp * 128), ("BAR.SYNC.DEFER_BLOCKING", [], [], None),
                        *(("LDS", [10 + k], [6], k * 128 + warp * 4 & ~127) for k in range(4)),
                        *(("FFMA", [16 + k], [10 + k % 4, 10 + (k + 1) % 4, 16 + k], None) for k in range(10)),
                        ("BAR.SYNC.DEFER_BLOCKING", [], [], None), ("IADD3", [2], [2, 255, 255], None),
                        ("IADD3", [4], [4, 255, 255], None), ("ISETP.NE.AND", [], [7], None), ("BRA", [], [], None)):
                    places = None if where is None else [where + 4 * lane for lane in range(32)]
                    last = opcode == "BRA" and turn == turns - 1
                    stream.append(Instruction(pc, opcode, results, sources, 0 if last else FULL, places))
                    pc += 16
            stream.append(Instruction(pc, "STG.E", [], [2, 16], FULL, [base + 4 * lane for lane in range(32)]))
            stream.append(Instruction(pc + 16, "EXIT"))
            made[block, 0, 0].append(stream)
    return Launch(made, "tiled", (blocks, 1, 1), (32 * warps, 1, 1), 2048, 40)


def gather(instructions, blocks=64, warps=8):
    """Loads of words anywhere in 64 MiB, two in ten instructions, for enough iterations to make `instructions` in
    all."""
    random = Random(1)
    made = {}
    for block in range(blocks):
        made[block, 0, 0] = []
        for _ in range(warps):
            stream = []
            for _ in range(max(1, instructions // (blocks * warps * 10))):
                for index in range(10):
                    places = [0x7f0000000000 + 4 * random.randrange(1 << 24) for _ in range(32)]
                    stream.append(Instruction(16 * index, "LDG.E", [8], [2], FULL, places) if index % 5 == 0
                                  else Instruction(16 * index, "IADD3", [2], [2, 8, 255]))
            made[block, 0, 0].append([*stream, Instruction(160, "EXIT")])
    return Launch(made, "gather", (blocks, 1, 1), (32 * warps, 1, 1), 0, 16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--instructions", type=int, default=1000000)
    parser.add_argument("--kernel", choices=("tiled", "gather"), default="tiled")
    parser.add_argument("--xz", action="store_true", help="compress by xz")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    launch = {"tiled": tiled, "gather": gather}[options.kernel](options.instructions)
    print(save(options.folder, [launch], packing="xz" if options.xz else None))


if __name__ == "__main__":
    main()
