"""A small kernel as a tree, and its text in assembly or OpenCL C. After any part of the tree is removed, the text is
still a kernel that waits for each copy once: a renderer knows which events are live, so a wait names only those, and
a copy joins a live event.

Events have slots, e0 to e3. An address is a base plus an index (a function of the work-item) times the access size.
In a loop, `turn` counts iterations and moves some addresses by 16 bytes per iteration."""
import dataclasses
import re

LDS_BYTES, BUFFER_BYTES, GROUP_BYTES, TURN_BYTES = 1024, 4096, 256, 16
SLOTS = 4
TYPES = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong", 16: "uint4"}
FLAGS = {"": "0", "lds": "CLK_LOCAL_MEM_FENCE", "global": "CLK_GLOBAL_MEM_FENCE",
         "all": "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"}
# name: (OpenCL C, the assembly that computes it once)
INDICES = {"own": ("i", ""), "same": ("0u", "mov.b32 same, 0"), "half": ("(i / 2u)", "shr.u32 half, i, 1"),
           "reverse": ("(n - 1u - i)", "sub.i32 reverse, n, i\n sub.i32 reverse, reverse, 1"),
           "beside": ("(i ^ 1u)", "xor.b32 beside, i, 1"), "grid": ("gi", "get.global_id grid, x")}
GUARDS = {"first": ("i == 0u", "setp.eq.u32 first, i, 0"), "few": ("i < 3u", "setp.lt.u32 few, i, 3"),
          "odd": ("(i & 1u) == 1u", "and.b32 w, i, 1\n setp.eq.u32 odd, w, 1"),
          "last": ("i == n - 1u", "sub.i32 w, n, 1\n setp.eq.u32 last, i, w"),
          "leader": ("group == 0u", "setp.eq.u32 leader, group, 0")}


@dataclasses.dataclass
class Touch:
    """An access of each work-item that passes the guard: load, store, atom, atomic_load, atomic_store."""
    what: str
    space: str  # lds, g, h
    size: int
    index: str
    base: int
    guard: str = ""
    turns: bool = False


@dataclasses.dataclass
class Barrier:
    """bar, bar.warp or copy.fence, and a flag: "", lds, global, all."""
    kind: str
    fence: str


@dataclasses.dataclass
class Copy:
    to_lds: bool
    form: str  # plain, strided, 2d, 3d
    slot: int
    size: int
    elements: int
    lines: int
    planes: int
    pitches: tuple  # global line, lds line, global plane, lds plane; the stride is the first
    buffer: str
    place: int
    lds: int
    by_group: bool = False
    turns: bool = False


@dataclasses.dataclass
class Wait:
    """form: all, twice, parts (a list in two pieces), first (only the first of the list)."""
    slots: list
    form: str


@dataclasses.dataclass
class Loop:
    turns: int
    real: bool
    body: list


@dataclasses.dataclass
class Branch:
    guard: str
    then: list
    otherwise: list


@dataclasses.dataclass
class Kernel:
    items: int
    groups: int
    warp_size: int
    body: list

    def launch(self, program):
        """Returns the launch file."""
        buffers = {name: {"bytes": BUFFER_BYTES, "fill": "iota"} for name in ("g", "h", "sink")}
        args = [{"buffer": "g"}, {"buffer": "h"}]
        if program.endswith(OpenCL.suffix):
            args += [{"local": LDS_BYTES}, {"buffer": "sink"}]
        return {"program": program, "set": {"cu.warp_size": self.warp_size}, "buffers": buffers,
                "launches": [{"kernel": "k", "global": [self.items * self.groups], "local": [self.items], "args": args}]}


class Renderer:
    """Walks a tree and tracks the live events."""

    def __init__(self):
        self.lines, self.live, self.labels = [], [], 0

    def add(self, *lines):
        self.lines += [line for text in lines for line in text.split("\n") if line]

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def nodes(self, nodes, looped=False):
        for node in nodes:
            if isinstance(node, Touch):
                self.touch(node, looped)
            elif isinstance(node, Barrier):
                self.barrier(node)
            elif isinstance(node, Copy):
                self.copy(node, node.slot in self.live, looped)
                self.live += [node.slot] if node.slot not in self.live else []
            elif isinstance(node, Wait):
                self.waits(node)
            elif isinstance(node, Branch):
                self.branch(node, looped)
            elif node.real:
                self.loop(node)
            else:
                for turn in range(node.turns):
                    self.turn(turn)
                    self.nodes(node.body, True)

    def waits(self, node):
        slots = [slot for slot in node.slots if slot in self.live]
        if slots:
            self.wait(slots, node.form)
            done = slots[:1] if node.form == "first" else slots
            self.live = [slot for slot in self.live if slot not in done]

    def even(self, wanted):
        """Makes the same events live as at the start of the loop: waits for extra live events and adds copies for
        missing ones."""
        self.waits(Wait([slot for slot in self.live if slot not in wanted], "all"))
        self.nodes([Copy(True, "plain", slot, 4, 4, 1, 1, (1, 1, 1, 1), "g", 0, 960 + 16 * slot)
                    for slot in wanted if slot not in self.live], True)

    def text(self, kernel):
        self.begin()
        self.nodes(kernel.body)
        self.waits(Wait(list(range(SLOTS)), "all"))
        self.end()
        return "\n".join(self.lines) + "\n"


class Assembly(Renderer):
    suffix = ".wws"

    def begin(self):
        pass

    def end(self):
        """The declarations, and only the indices and guards in use."""
        body, self.lines = self.lines, []
        used = set(re.findall(r"\w+", " ".join(body)))
        self.add(".kernel k", ".arg ga global", ".arg ha global", f".lds tile {LDS_BYTES}",
                 ".reg i, n, group, at, w, turn, v[4], e0, e1, e2, e3, c[8], same, half, reverse, beside, grid",
                 ".reg64 g, h, p, q", ".pred again, " + ", ".join(GUARDS),
                 " get.local_id i, x\n get.local_size n, x\n get.group_id group, x",
                 " ld.arg.b64 g, ga\n ld.arg.b64 h, ha")
        for name, (_, code) in {**INDICES, **GUARDS}.items():
            self.add(" " + code if code and name in used else "")
        self.add(*body, " exit")

    def turn(self, turn):
        self.add(f" mov.b32 turn, {turn}")

    def touch(self, node, looped):
        index = "i" if node.index == "own" else node.index
        self.add(f" mul.i32 at, {index}, {node.size}")
        if node.turns and looped:
            self.add(f" mad.i32 at, turn, {TURN_BYTES}, at")
        space = "lds" if node.space == "lds" else "global"
        place = f"[at + {node.base}]" if space == "lds" else f"[{node.space} + at + {node.base}]"
        bits = 8 * node.size
        guard = f"@{node.guard} " if node.guard else " "
        load = f"{'u' if bits < 32 else 'b'}{bits}"
        self.add(guard + {"load": f"ld.{space}.{load} v, {place}", "store": f"st.{space}.b{bits} {place}, v",
                          "atom": f"atom.{space}.add.i{bits} _, {place}, v", "atomic_load": f"ld.{space}.atomic.b{bits} v, {place}",
                          "atomic_store": f"st.{space}.atomic.b{bits} {place}, v"}[node.what])

    def barrier(self, node):
        self.add(f" {node.kind}" + (f".{node.fence}" if node.fence else ""))

    def copy(self, node, joins, looped):
        event = f"e{node.slot}"
        self.add("" if joins else f" mov.b32 {event}, 0", f" mov.b32 at, {node.lds}", f" add.i64 p, {node.buffer}, {node.place}")
        if node.by_group:
            self.add(f" mul.i32 w, group, {GROUP_BYTES}\n cvt.u64.u32 q, w\n add.i64 p, p, q")
        if node.turns and looped:
            self.add(f" mad.i32 at, turn, {TURN_BYTES}, at",
                     f" mul.i32 w, turn, {TURN_BYTES}\n cvt.u64.u32 q, w\n add.i64 p, p, q")
        sides = "[at], [p]" if node.to_lds else "[p], [at]"
        name = f" copy.to_{'lds' if node.to_lds else 'global'}"
        if node.form in ("plain", "strided"):
            form, stride = (".strided", f", {node.pitches[0]}") if node.form == "strided" else ("", "")
            self.add(f"{name}{form} {event}, {sides}, {node.elements}{stride}, size={node.size}")
            return
        values = [node.elements, node.size, node.lines, *node.pitches[:2], node.planes, *node.pitches[2:]]
        self.add(*(f" mov.b32 c[{i}], {value}" for i, value in enumerate(values)))
        planes = ", planes=c[5], global_plane=c[6], lds_plane=c[7]" if node.form == "3d" else ""
        lines = "lines=c[2], global_line=c[3], lds_line=c[4]"
        self.add(f"{name}.{node.form} {event}, {sides}, c[0], size=c[1], {lines}{planes}")

    def wait(self, slots, form):
        events = [f"e{slot}" for slot in slots]
        if form == "first":
            self.add(" mov.b32 w, 1", f" wait.first w, {', '.join(events)}")
        elif form == "parts" and len(events) > 1:
            self.add(f" wait.more {events[0]}", f" wait {', '.join(events[1:])}")
        else:
            self.add(f" wait {', '.join(events + events[:1] * (form == 'twice'))}")

    def loop(self, node):
        label, before = self.label(), list(self.live)
        self.add(" mov.b32 turn, 0", f"{label}:")
        self.nodes(node.body, True)
        self.even(before)
        self.add(" add.i32 turn, turn, 1", f" setp.lt.u32 again, turn, {node.turns}", f"@again bra {label}")

    def branch(self, node, looped):
        other, end = self.label(), self.label()
        self.add(f"@!{node.guard} bra {other}")
        self.nodes(node.then, looped)
        self.add(f" bra {end}", f"{other}:")
        self.nodes(node.otherwise, looped)
        self.add(f"{end}:")


class OpenCL(Renderer):
    suffix = ".cl"

    def begin(self):
        self.add("kernel void k(global uchar *g, global uchar *h, local uchar *t, global uint *sink) {",
                 "uint i = get_local_id(0), n = get_local_size(0), gi = get_global_id(0), group = get_group_id(0);",
                 "uint turn = 0, s = 0;",
                 "event_t e0 = 0, e1 = 0, e2 = 0, e3 = 0;")

    def end(self):
        self.add("sink[gi] = s;", "}")

    def turn(self, turn):
        self.add(f"turn = {turn};")

    def touch(self, node, looped):
        memory, space = ("t", "local") if node.space == "lds" else (node.space, "global")
        move = f" + turn * {TURN_BYTES}u" if node.turns and looped else ""
        place = f"{memory} + {INDICES[node.index][0]} * {node.size}u + {node.base}u{move}"
        name = TYPES[node.size]
        pointer = f"(volatile {space} {'atomic_' * node.what.startswith('atomic') + name} *)({place})"
        scope = "memory_order_relaxed, memory_scope_device"
        code = {"load": f"s += *{pointer};" if node.size < 16 else f"s += (*{pointer}).w;", "store": f"*{pointer} = ({name})turn;",
                "atom": f"atomic_add({pointer}, 1u);",
                "atomic_load": f"s += atomic_load_explicit({pointer}, {scope});",
                "atomic_store": f"atomic_store_explicit({pointer}, 1u, {scope});"}[node.what]
        self.add((f"if ({GUARDS[node.guard][0]}) " if node.guard else "") + code)

    def barrier(self, node):
        self.add({"bar": "barrier", "copy.fence": "async_work_group_copy_fence"}[node.kind] + f"({FLAGS[node.fence]});")

    def copy(self, node, joins, looped):
        event = f"e{node.slot}"
        move = f" + turn * {TURN_BYTES}u" if node.turns and looped else ""
        there = f"{node.buffer} + {node.place}u" + (f" + group * {GROUP_BYTES}u" if node.by_group else "") + move
        here = f"t + {node.lds}u{move}"
        if node.form in ("plain", "strided"):
            sides = [f"(global {TYPES[node.size]} *)({there})", f"(local {TYPES[node.size]} *)({here})"]
            sizes = [node.elements] + [node.pitches[0]] * (node.form == "strided")
            name = f"async_work_group_{'strided_' if node.form == 'strided' else ''}copy"
            words = sides[::-1 if node.to_lds else 1]
        else:
            sides = [f"(global void *)({there})", f"(local void *)({here})"]
            words = [word for side in sides[::-1 if node.to_lds else 1] for word in (side, "0")]
            lines, planes = node.pitches[:2], node.pitches[2:] if node.form == "3d" else ()
            turned = 1 if node.to_lds else -1  # the source first
            counts = [node.size, node.elements, node.lines] + [node.planes] * (node.form == "3d")
            sizes = counts + self._pitches(lines, planes, turned)
            name = f"async_work_group_copy_{'3D3D' if node.form == '3d' else '2D2D'}"
        self.add(f"{event} = {name}({', '.join(words + [str(size) for size in sizes])}, {event if joins else 0});")

    @staticmethod
    def _pitches(lines, planes, turned):
        """Both pitches of the source, then both of the destination."""
        pairs = list(zip(lines, planes)) if planes else [(line,) for line in lines]
        return [value for pair in pairs[::turned] for value in pair]

    def wait(self, slots, form):
        events = [f"e{slot}" for slot in slots]
        events += events[:1] * (form == "twice")
        count = 1 if form == "first" else len(events)
        self.add(f"{{ event_t l[] = {{{', '.join(events)}}}; wait_group_events({count}, l); }}")

    def loop(self, node):
        before = list(self.live)
        self.add(f"for (turn = 0; turn < {node.turns}; turn++) {{")
        self.nodes(node.body, True)
        self.even(before)
        self.add("}")

    def branch(self, node, looped):
        self.add(f"if ({GUARDS[node.guard][0]}) {{")
        self.nodes(node.then, looped)
        self.add("} else {")
        self.nodes(node.otherwise, looped)
        self.add("}")


RENDERERS = {"assembly": Assembly, "opencl": OpenCL}
