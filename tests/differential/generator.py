"""Random kernels: expression trees over all scalar types and vectors, structured control flow that diverges, helper
functions with pointers into each address space, private arrays, structs, unions, random aggregates (aggregates.py),
atomics, the LDS between barriers, sub-groups, asynchronous copies, printf, launches of one and two dimensions.

Each seed switches each of FEATURES on or off (swarm testing), because one feature may hide errors in another. A loop, a
call, a barrier or a printf may be a kernel's first statement. A kernel may use no memory at all and only print.

A kernel is a tree of Nodes, rendered to text; the same seed gives the same tree everywhere. The generator avoids
everything that OpenCL C leaves undefined: signed sums are computed as unsigned ones, divisors are not zero, indices are
masked, loops are counted, conversions from floating point saturate, and all work-items reach each barrier. NaN payloads
are implementation-defined, so float bits never become integers.

Sub-groups have the size of warps, which PoCL does not know: it runs the same functions written with barriers, for the
size that follows the input. All work-items reach them. Generic pointers are left out because PoCL 3.1 has none; halves
occur only in memory for the same reason.
"""
import random as random_module
import re

import numpy as np

import tree as trees
from aggregates import ROOM, Aggregates, parts_of
from harness import Case, Program
from tree import Node

ITEMS = 128
WARPS = (16, 32, 64)
TYPES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 0, "double": 0}
WHOLE = [name for name, size in TYPES.items() if size]
UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
WIDTHS = (2, 3, 4, 8, 16)
HEADER = "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
WORDS, REALS = 112, 64  # results of a work-item
FEATURES = ("memory", "narrow", "wide", "float", "double", "half", "vectors", "functions", "arrays", "initializers", "structs", "unions",
            "pointers", "calls", "tables", "atomics", "swaps", "branches", "loops", "switches", "barriers", "copies", "subgroups", "printf",
            "aggregates", "jumps", "conversions")
TYPE_FEATURES = {"narrow": ["char", "uchar", "short", "ushort"], "wide": ["long", "ulong"], "float": ["float"], "double": ["double"]}

SCALARS = {"c1": "char", "c2": "uchar", "h1": "short", "h2": "ushort", "n1": "int", "n2": "int", "u1": "uint", "u2": "uint",
           "l1": "long", "l2": "ulong", "f1": "float", "f2": "float", "d1": "double"}
# Each variable has a different initial value in each work-item, and all of them are output.
STARTS = {
    "c1": "(char)seed", "c2": "(uchar)(seed >> 8)", "h1": "(short)(seed >> 4)", "h2": "(ushort)(seed >> 12)", "n1": "(int)seed",
    "n2": "(int)(seed & 255) - 128", "u1": "seed * 2654435761u", "u2": "gid", "l1": "(long)seed * -3", "l2": "(ulong)seed << 29 | gid",
    "f1": "(float)(int)(seed & 1023) / 8.0f - 64.0f", "f2": "(float)gid", "d1": "(double)(int)seed / 65536.0"}
ATOMICS = ["add", "or", "and", "xor", "max", "min"]

HELPERS = {
    "record": "struct record {{ char a; uint b; double c; short d[4]; }};",
    "word": "union word {{ uint u; int n; ushort h[2]; uchar c[4]; }};",
    "fixed": "constant ushort fixed[3][5] = {{{{1, 2, 3}}, {{40000, 5, 6, 7, 8}}, {{9}}}};",
    "mixed": "uint mixed(uint a, int b) {{ if (b < 0) return a ^ (uint)b; for (int i = 0; i < (b & 3); i++) a = a * 5 + 1; return a; }}",
    "helper": "void helper(uint *value, uint by, uint *array) {{ if (by & 1) {{ *value += array[by & 7]; return; }} "
              "array[(by >> 1) & 7] ^= *value; }}",
    "from_table": "uint from_table(constant uint *table, uint i) {{ while (i > 15) i = (i >> 4) ^ (i & 15); return table[i]; }}",
    "from_input": "uint from_input(global const uint *in, uint i, uint n) {{ uint sum = 0; "
                  "for (uint k = 0; k < (n & 3); k++) sum += in[(i + k * 5) & 127]; return sum; }}",
    "own_place": "void own_place(local uint *place, uint by) {{ if (by % 3 == 0) return; *place = *place * 3 + by; }}",
    "moved": "struct record moved(struct record s, uint by) {{ s.b += by; s.d[by & 3] ^= (short)by; return s; }}",
    "passed_on": "uint passed_on(local uint *tile, uint lid, uint from, uint value) {{ tile[lid] = value; barrier(CLK_LOCAL_MEM_FENCE); "
                 "value ^= tile[from]; barrier(CLK_LOCAL_MEM_FENCE); return value; }}",
    "warmed": "uint warmed(uint turns) {{ uint x = 1; for (uint i = 0; i < turns; i++) x = x * 7 + i; return x; }}",
}

# What sub-groups compute from x and from y, which is the same in all work-items; and the same for a work-group without
# sub-groups.
SUB_GROUPS = {"reduce_add": ("sub_group_reduce_add(x)", "for (uint i = first; i < last; i++) result += shared[i];"),
              "reduce_max": ("sub_group_reduce_max(x)", "for (uint i = first; i < last; i++) result = max(result, shared[i]);"),
              "scan_add": ("sub_group_scan_inclusive_add(x)", "for (uint i = first; i <= lid; i++) result += shared[i];"),
              "before_add": ("sub_group_scan_exclusive_add(x)", "for (uint i = first; i < lid; i++) result += shared[i];"),
              "broadcast": ("sub_group_broadcast(x, y & 7)", "result = shared[first + (y & 7)];"),
              "any": ("(uint)(sub_group_any((int)x) != 0)", "for (uint i = first; i < last; i++) result |= shared[i] != 0;"),
              "all": ("(uint)(sub_group_all((int)x) != 0)", "result = 1; for (uint i = first; i < last; i++) result &= shared[i] != 0;"),
              "both_arms": ("x & 1 ? sub_group_non_uniform_reduce_add(x) : sub_group_non_uniform_reduce_add(x)",
                            "for (uint i = first; i < last; i++) result += (shared[i] ^ x) & 1 ? 0 : shared[i];"),
              "place": ("get_sub_group_local_id() + get_sub_group_size() * x", "result = lid - first + (last - first) * x;"),
              "number": ("get_sub_group_id() + get_num_sub_groups() * x", "result = lid / warp + (size + warp - 1) / warp * x;")}


def sub_group_helper(name, group):
    """In a program with EMULATED, the argument `warp` is the sub-group's size."""
    ours, theirs = SUB_GROUPS[name]
    head = f"uint sub_{name}_{group}(uint x, uint y, uint lid, uint warp, local uint *shared) {{{{\n"
    return (f"#ifdef EMULATED\n{head}const uint size = {group}, first = lid / warp * warp, last = min(first + warp, size); uint result = 0;\n"
            f"shared[lid] = x; barrier(CLK_LOCAL_MEM_FENCE); {theirs} barrier(CLK_LOCAL_MEM_FENCE); return result;\n}}}}\n"
            f"#else\n{head}return {ours};\n}}}}\n#endif")


def is_value(kind):
    return re.sub(r"\d+$", "", kind) in TYPES


class Generator(Aggregates):
    def __init__(self, seed, name="k"):
        self.random = random_module.Random(seed)
        self.shape = shape_of(seed)
        self.group = self.shape[1][0] * (self.shape[1][1] if len(self.shape[1]) > 1 else 1)
        self.features = self.chosen_features()
        self.types = [name for name in TYPES if name in ("int", "uint") or any(name in TYPE_FEATURES.get(on, ()) for on in self.features)]
        self.whole = [name for name in self.types if name in WHOLE]
        self.prints = 0
        self.rows = {}  # arrays with initializers: (type, rows, columns)
        self.variables = {}  # name: type of the variables that may be read and written here
        self.names = 0
        self.depth = 0
        self.loops = 0  # number of loops around the statement that it may leave
        self.start_aggregates(name)

    def chosen_features(self):
        """One kernel in eight has no memory; every other feature is on in half of them."""
        features = {name for name in FEATURES if self.random.random() < (0.875 if name == "memory" else 0.5)}
        if "memory" not in features:
            features -= {"tables", "copies", "subgroups"}
        if "barriers" not in features:
            features -= {"copies", "subgroups"}
        return features

    def has(self, name):
        return name in self.features

    def pick(self, items):
        return self.random.choice(items)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # ---- expressions

    def literal(self, kind):
        if kind in ("float", "double"):
            value = self.pick(["0.0", "1.0", "-1.0", "0.5", "3.0", "-0.25", "1024.0"])
            return Node(kind, value + ("f" if kind == "float" else ""))
        bits = 8 * TYPES[kind]
        value = self.pick([0, 1, 2, 3, 7, 31, self.random.getrandbits(bits), (1 << (bits - 1)) - 1])
        return Node(kind, f"(({kind}){value}{'ul' if bits == 64 else 'u'})")

    def leaf(self, kind):
        fitting = [name for name, its in self.variables.items() if its == kind]
        if fitting and self.random.random() < 0.8:
            return Node(kind, self.pick(fitting))
        if self.random.random() < 0.5:
            place = self.has("aggregates") and self.random.random() < 0.5 and self.read_place(kind)
            return place or self.literal(kind)
        others = [name for name, its in self.variables.items() if its in TYPES]
        vectors = [name for name, its in self.variables.items() if parts_of(its)[0] == kind and its != kind]
        if vectors and self.random.random() < 0.4:
            name = self.pick(vectors)
            return Node(kind, f"{name}.{self.swizzle(parts_of(self.variables[name])[1], 1)}")
        if not others:
            return self.literal(kind)
        name = self.pick(others)
        return self.converted(kind, Node(self.variables[name], name))

    def converted(self, kind, node):
        if node.kind in ("float", "double") and kind in WHOLE:
            return Node(kind, f"convert_{kind}_sat({{0}})", [node])
        return Node(kind, f"(({kind})({{0}}))", [node])

    def expression(self, kind, depth):
        if kind not in TYPES:
            return self.vector(*parts_of(kind), depth)
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(kind)
        makers = [self.unary, self.binary, self.binary, self.binary, self.choice, self.conversion]
        if kind in WHOLE:
            makers += [self.function] * self.has("functions") + [self.shift, self.divided]
        return self.pick(makers)(kind, depth - 1)

    def unary(self, kind, depth):
        if kind in WHOLE:
            base = UNSIGNED.get(kind, kind)
            return Node(kind, self.pick([f"(({kind})(~{{0}}))", f"(({kind})(- ({base})({{0}})))"]), [self.expression(kind, depth)])
        forms = ["(- {0})", "fabs({0})", "floor({0})", "trunc({0})", "rint({0})"] + ["sqrt(fabs({0}))"] * (kind == "double")
        return Node(kind, self.pick(forms), [self.expression(kind, depth)])

    def binary(self, kind, depth):
        pair = [self.expression(kind, depth), self.expression(kind, depth)]
        if kind not in WHOLE:
            half = "0.5f" if kind == "float" else "0.5"
            return Node(kind, self.pick(["({0} + {1})", "({0} - {1})", "({0} * {1})", "fmin({0}, {1})", "fmax({0}, {1})",
                                         f"({{0}} / (fabs({{1}}) + {half}))"]), pair)
        base = UNSIGNED.get(kind, kind)
        wide = base if TYPES[kind] >= 4 else "uint"
        operator = self.pick(["+", "-", "*", "&", "|", "^"])
        return Node(kind, f"(({kind})(({wide})({{0}}) {operator} ({wide})({{1}})))", pair)

    def divided(self, kind, depth):
        base = UNSIGNED.get(kind, kind)
        pair = [self.expression(kind, depth), self.expression(kind, depth)]
        if kind in UNSIGNED and self.random.random() < 0.5:
            return Node(kind, f"(({kind})({{0}} {self.pick('/%')} (({kind})({{1}} & 15) + 1)))", pair)
        return Node(kind, f"(({kind})(({base})({{0}}) {self.pick('/%')} ({base})(({base})({{1}}) | 1)))", pair)

    def shift(self, kind, depth):
        pair = [self.expression(kind, depth), self.expression(self.pick(self.whole), depth)]
        bits = 8 * TYPES[kind] - 1
        base = UNSIGNED.get(kind, kind)
        if self.random.random() < 0.5:
            return Node(kind, f"(({kind})(({base})({{0}}) << (uint)({{1}} & {bits})))", pair)
        return Node(kind, f"(({kind})({{0}} >> (uint)({{1}} & {bits})))", pair)

    def function(self, kind, depth):
        name = self.pick(["min", "max", "mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "rotate", "clz", "popcount", "bitselect", "abs",
                          "abs_diff", "clamp"])
        count = {"clz": 1, "popcount": 1, "abs": 1, "bitselect": 3, "clamp": 3}.get(name, 2)
        children = [self.expression(kind, depth) for _ in range(count)]
        if name == "clamp":  # undefined if the bounds are reversed
            return Node(kind, "clamp({0}, min({1}, {2}), max({1}, {2}))", children)
        if name == "abs":  # PoCL 3.1 treats abs(INT_MIN) as undefined; functions.py tests it with values that PoCL
        # cannot fold
            return Node(kind, f"(({kind})abs({{0}} | 1))", children)
        return Node(kind, f"(({kind}){name}({', '.join('{%d}' % i for i in range(count))}))", children)

    def choice(self, kind, depth):
        return Node(kind, f"(({kind})({{0}} ? {{1}} : {{2}}))", [self.condition(depth), self.expression(kind, depth), self.expression(kind, depth)])

    def conversion(self, kind, depth):
        return self.converted(kind, self.expression(self.pick(self.types), depth))

    def condition(self, depth):
        if depth > 0 and self.random.random() < 0.3:
            return Node("bool", self.pick(["({0} && {1})", "({0} || {1})"]), [self.condition(depth - 1), self.condition(depth - 1)])
        kind = self.pick(self.types)
        return Node("bool", f"({{0}} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {{1}})",
                    [self.expression(kind, depth - 1), self.expression(kind, depth - 1)])

    # ---- vectors

    def swizzle(self, width, count):
        return "s" + "".join("0123456789abcdef"[self.random.randrange(width)] for _ in range(count))

    def vector(self, name, width, depth):
        """An expression with a vector type."""
        kind = f"{name}{width}"
        if depth <= 0 or self.random.random() < 0.15:
            return self.vector_leaf(name, width)
        first, second = self.vector(name, width, depth - 1), self.vector(name, width, depth - 1)
        if name not in WHOLE:
            form = self.pick(["({0} + {1})", "({0} - {1})", "({0} * {1})", "fmin({0}, {1})", "fmax({0}, {1})", "fabs({0} - {1})", "floor({0})",
                              "(({0} < {1}) ? {0} : {1})"])
            return Node(kind, form, [first, second])
        base, bits = UNSIGNED.get(name, name) + str(width), 8 * TYPES[name] - 1
        forms = [f"as_{kind}(as_{base}({{0}}) {operator} as_{base}({{1}}))" for operator in "+-*&|^"] + [
            f"({{0}} / (({{1}} & ({kind})15) + ({kind})1))", f"({{0}} % (({{1}} & ({kind})15) + ({kind})1))",
            f"as_{kind}(as_{base}({{0}}) << (as_{base}({{1}}) & ({base}){bits}))", f"({{0}} >> ({{1}} & ({kind}){bits}))",
            "(({0} < {1}) ? {0} : {1})", "(({0} != {1}) ? {1} : {0})", f"as_{kind}(abs({{0}} | ({kind})1))"]
        forms += [f"{function}({{0}}, {{1}})" for function in ("min", "max", "mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "rotate")]
        return Node(kind, self.pick(forms), [first, second])

    def vector_leaf(self, name, width):
        kind = f"{name}{width}"
        whole = {known: its for known, its in self.variables.items() if its not in TYPES}
        same = [known for known, its in whole.items() if its == kind]
        element = [known for known, its in whole.items() if parts_of(its)[0] == name]
        wide = [known for known, its in whole.items() if parts_of(its)[1] == width]
        if same and self.random.random() < 0.5:
            return Node(kind, self.pick(same))
        if element and self.random.random() < 0.5:
            known = self.pick(element)
            return Node(kind, f"{known}.{self.swizzle(parts_of(whole[known])[1], width)}")
        if wide and self.random.random() < 0.5:
            known = self.pick(wide)
            saturated = "_sat" if parts_of(whole[known])[0] not in WHOLE and name in WHOLE else ""
            return Node(kind, f"convert_{kind}{saturated}({known})")
        return Node(kind, f"(({kind})({{0}}))", [self.expression(name, 1)])

    def vector_statement(self):
        name = self.pick([known for known, its in self.variables.items() if its not in TYPES])
        element, width = parts_of(self.variables[name])
        kind = self.variables[name]
        form = self.random.randrange(5)
        if form == 0:
            return Node("statement", f"{name}.{self.swizzle(width, 1)} = {{0}};", [self.expression(element, 2)])
        if form == 1 and width > 3:
            to, by = self.pick(["lo", "hi", "even", "odd"]), self.pick(["lo", "hi", "even", "odd"])
            return Node("statement", f"{name}.{to} = {{0}}.{by};", [self.expression(kind, 1)])
        if form == 2:
            index = self.expression("uint", 1)
            return Node("statement", self.pick(["va[{0} & 3] = {1};", "va[{0} & 3].yx += ({1}).zw;"]), [index, self.vector("uint", 4, 1)])
        if form == 3:
            return Node("statement", f"{name} = {{1}};" if kind != "uint4" else f"{name} = va[{{0}} & 3] ^ {{1}};",
                        [self.expression("uint", 1), self.expression(kind, 2)])
        return Node("statement", f"{name} = {{0}};", [self.expression(kind, 2)])

    # ---- statements

    def scalars(self):
        return [name for name, kind in self.variables.items() if kind in TYPES and not name.startswith("i")]

    def assignment(self):
        name = self.pick(self.scalars())
        return Node("statement", f"{name} = {{0}};", [self.expression(self.variables[name], 3)])

    def rounded(self):
        """Saturates or rounds in its own way, and goes straight to a variable, which loops carry."""
        name = self.pick(self.scalars())
        kind, other = self.variables[name], self.pick(self.types)
        real = other in ("float", "double")
        saturated = "_sat" * (kind in WHOLE and (real or self.random.random() < 0.5))
        rounding = self.pick(["", "_rte", "_rtz", "_rtp", "_rtn"]) if real or kind not in WHOLE else ""
        return Node("statement", f"{name} = convert_{kind}{saturated}{rounding}({{0}});", [self.expression(other, 2)])

    def array_access(self):
        name = self.pick(self.scalars())
        index = self.expression("uint", 1)
        if self.random.random() < 0.5:
            return Node("statement", f"array[{{0}} & 7] = (uint){name};" if self.variables[name] in WHOLE else
                        f"array[{{0}} & 7] = convert_uint_sat({name});", [index])
        return Node("statement", f"{name} = ({self.variables[name]})array[{{0}} & 7];", [index])

    def structure_access(self):
        name = self.pick(self.scalars())
        member, kind = self.pick([("a", "char"), ("b", "uint"), ("c", "double"), ("d[{0} & 3]", "short")])
        index = self.expression("uint", 1)
        target = Node("place", f"s.{member}", [index])
        if self.random.random() < 0.5:
            return Node("statement", "{0} = {1};", [target, self.converted(kind, Node(self.variables[name], name))])
        return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], Node(kind, f"s.{member}", [index]))])

    def structure_copy(self):
        return Node("statement", self.pick(["records[{0} & 1] = s;", "s = records[{0} & 1];", "s = moved(s, {0});",
                                            "{{ struct record t = s; s = records[{0} & 1]; records[1] = t; }}"]), [self.expression("uint", 1)])

    def union_access(self):
        name = self.pick([known for known in ("u1", "n1", "h2", "c2") if known in self.variables])
        form = self.pick(["w.u = {0};", "w.n = (int){0};", "w.h[{0} & 1] = (ushort)u2;", "w.c[{0} & 3] = (uchar)n2;",
                          f"{name} = ({self.variables[name]})w.u + {{0}} * 0u;", f"{name} = ({self.variables[name]})w.h[{{0}} & 1];",
                          f"{name} = ({self.variables[name]})w.c[{{0}} & 3];"])
        return Node("statement", form, [self.expression("uint", 1)])

    def half_access(self):
        """Halves are only in memory, where PoCL has them, too."""
        if self.random.random() < 0.5:
            return Node("statement", "vstore_half({0}, {1} & 3, (half *)halves);", [self.expression("float", 2), self.expression("uint", 1)])
        name = self.pick(["f1"] if self.has("float") else ["n1", "u1"])
        loaded = Node("float", "vload_half({0} & 3, (const half *)halves)", [self.expression("uint", 1)])
        return Node("statement", f"{name} = {{0}};", [loaded if name == "f1" else self.converted(self.variables[name], loaded)])

    def call(self):
        name = self.pick(self.scalars())
        kind = self.variables[name]
        value, other = self.expression("uint", 2), self.expression("int", 2)
        form = self.pick([2] + [0] * self.has("arrays") + [1] * self.has("calls") + [3] * self.has("tables") + [4] * self.has("memory"))
        if form == 0:
            return Node("statement", "helper(&{0}, {1}, array);", [Node("place", "u1"), value])
        if form == 1:
            return Node("statement", "own_place(near + lid, {0});", [value])
        call = ("mixed({0}, {1})", "from_table(table, {0})", "from_input(in, {0} & 127, (uint){1})")[form - 2]
        return Node("statement", f"{name} = {{0}};", [self.converted(kind, Node("uint", call, [value, other]))])

    def initialized(self):
        """An array with some elements that the compiler knows and some that it does not."""
        kind, rows, columns = self.pick(self.whole), self.random.randint(2, 3), self.random.randint(2, 20)
        name, lines = self.fresh("rows"), []
        known = self.random.random() < 0.2  # all elements
        for _ in range(rows):
            elements = [str(self.random.randrange(128)) for _ in range(self.random.randint(1, columns))]
            if not known and self.random.random() < 0.5:
                elements[self.random.randrange(len(elements))] = f"({kind})seed"
            lines.append("{{" + ", ".join(elements) + "}}")
        if self.random.random() < 0.3:
            lines.pop()
        self.rows[name] = (kind, rows, columns)
        return name, f"{kind} {name}[{rows}][{columns}] = {{{{{', '.join(lines)}}}}};"

    def rows_access(self):
        if self.random.random() < 0.2:
            name = self.pick(self.scalars())
            place = Node("ushort", "fixed[{0} % 3][{1} % 5]", [self.expression("uint", 1), self.expression("uint", 1)])
            return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], place)])
        array = self.pick(sorted(self.rows))
        kind, rows, columns = self.rows[array]
        place = f"{array}[{{0}} % {rows}][{{1}} % {columns}]"
        indices = [self.expression("uint", 1), self.expression("uint", 1)]
        if self.random.random() < 0.5:
            return Node("statement", place + " = {2};", indices + [self.expression(kind, 2)])
        name = self.pick(self.scalars())
        return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], Node(kind, place, indices))])

    def pointer_access(self):
        """p points into one of two arrays, at most 3 elements from the start."""
        name = self.pick(["u1", "u2"])
        form = self.pick(["p = {0} ? array + ({1} & 3) : other + ({2} & 3);", "p[{1} & 3] = {2};", f"{name} ^= p[{{1}} & 3];", "*p += {1};",
                          f"{name} += p == other + ({{2}} & 3);"])
        return Node("statement", form, [self.condition(1), self.expression("uint", 1), self.expression("uint", 1)])

    def printed(self):
        self.prints += 1
        names = [self.pick([known for known in self.variables if known in SCALARS and self.variables[known] in WHOLE]) for _ in range(2)]
        return self.print_line(f"at {self.prints}", names)

    def print_line(self, label, names):
        """Lines are printed in any order, so each says where it is from and whose it is."""
        words = {"char": "%d", "uchar": "%u", "short": "%d", "ushort": "%u", "int": "%d", "uint": "%u", "long": "%ld", "ulong": "%lx"}
        return Node("statement", f'printf("{label}: %u {" ".join(words[self.variables[name]] for name in names)}\\n", gid, {", ".join(names)});')

    def atomic(self):
        """Each counter has one operation, so the order does not matter. Old values are used only from the work-item's
        own near[lid]; for tickets, the sum does not depend on who gets which."""
        name = self.pick(["u1", "u2"])
        others = ["{{ uint ticket = atomic_inc(&tally[6]); atomic_add(&tally[0], (ticket + 1) * 2654435761u); }}"] * self.has("barriers")
        others += [f"{name} ^= atomic_xchg(&near[lid], {{0}});", f"{name} += atomic_cmpxchg(&near[lid], {name} & 1 ? near[lid] : 5, {{0}});",
                   f"{name} ^= atomic_sub(&near[lid], {{0}}); {name} += atomic_dec(&near[lid]);"] * self.has("calls")
        if others and self.random.random() < 0.5:
            return Node("statement", self.pick(others), [self.expression("uint", 2)])
        number = self.random.randrange(len(ATOMICS))
        where = self.pick(["counters"] * self.has("memory") + ["tally"] * self.has("barriers"))
        return Node("statement", f"atomic_{ATOMICS[number]}(&{where}[{number}], {{0}});", [self.expression("uint", 2)])

    def swap(self):
        """Values that are swapped; in loops, they become phis that read each other."""
        return Node("statement", self.pick(["{{ uint t = u1; u1 = u2; u2 = t; }}", "{{ int t = n1; n1 = n2; n2 = (int)u1; u1 = (uint)t; }}",
                                            "{{ uint t = u2; u2 += u1; u1 = t; }}"] +
                                           ["{{ float t = f1; f1 = f2; f2 = t; }}"] * self.has("float") +
                                           ["{{ long t = l1; l1 = (long)l2; l2 = (ulong)t; }}"] * self.has("wide")))

    def branch(self):
        with_else = self.random.random() < 0.5
        children = [self.condition(2), self.body(), self.body()] if with_else else [self.condition(2), self.body()]
        return Node("statement", "if {0} {{\n{1}\n}}" + (" else {{\n{2}\n}}" if with_else else ""), children)

    def loop(self):
        """Loops count in int and in narrow integers that wrap or shift out; trip counts differ between work-items."""
        index = self.fresh("i")
        kind, form = self.pick([
            ("uint", "for (uint {i} = 0; {i} < {n}; {i}++) {{{{\n{{0}}\n}}}}"),
            ("uint", "{{{{ uint {i} = 0; while ({i} < {n}) {{{{ {i}++;\n{{0}}\n}}}} }}}}"),
            ("uint", "{{{{ uint {i} = 0; do {{{{ {i}++;\n{{0}}\n}}}} while ({i} < {n}); }}}}"),
            ("uchar", "for (uchar {i} = (uchar)(gid | 17); {i}; {i} = (uchar)({i} << 2)) {{{{\n{{0}}\n}}}}"),
            ("uchar", "for (uchar {i} = 250; {i} != 8; {i} += 7) {{{{\n{{0}}\n}}}}"),
            ("short", "for (short {i} = (short)(gid & 7) - 4; {i} <= 1; {i}++) {{{{\n{{0}}\n}}}}"),
            ("char", "for (char {i} = 3; {i} >= (char)(lid & 1); {i}--) {{{{\n{{0}}\n}}}}")])
        limit = self.pick(["(gid & 3) + 1", "4", "(lid % 5)", "3"])
        self.variables[index] = kind
        self.loops += 1
        inner = self.body()
        self.loops -= 1
        del self.variables[index]
        return Node("statement", form.format(i=index, n=limit), [inner])

    def leave_loop(self):
        return Node("statement", f"if {{0}} {self.pick(['break', 'continue', 'continue'])};", [self.condition(1)])

    def jump(self):
        """Forward, past statements."""
        label = self.fresh("past")
        return Node("statement", f"if {{0}} goto {label};\n{{1}}\n{label}:;", [self.condition(1), self.body(short=True)])

    def switch(self):
        cases = "".join(f"case {value}: {{{{\n{{{i + 1}}}\n}}}} {self.pick(['break;', '', 'continue;' if self.loops else 'break;'])}\n"
                        for i, value in enumerate((0, 1, 5)))
        return Node("statement", "switch ((uint){0} & 7) {{\n" + cases + "default: {{\n{4}\n}}\n}}",
                    [self.expression("uint", 1)] + [self.body(short=True) for _ in range(4)])

    def body(self, short=False):
        self.depth += 1
        makers = [self.assignment] * 6
        for feature, more in {"arrays": [self.array_access], "structs": [self.structure_access, self.structure_copy],
                              "unions": [self.union_access], "half": [self.half_access], "vectors": [self.vector_statement] * 2,
                              "calls": [self.call] * 2, "swaps": [self.swap], "initializers": [self.rows_access],
                              "conversions": [self.rounded] * 3, "pointers": [self.pointer_access], "aggregates": [self.aggregate_statement] * 6, "jumps": [self.jump]}.items():
            makers += more * self.has(feature)
        if self.has("atomics") and (self.has("memory") or self.has("barriers")):
            makers += [self.atomic]
        if self.depth < 4:
            makers += [self.branch] * 2 * self.has("branches") + [self.loop] * self.has("loops") + [self.switch] * self.has("switches")
        if self.loops and self.has("branches"):
            makers += [self.leave_loop]
        if self.has("printf") and self.depth < 3 and self.prints < 3:
            makers += [self.printed]
        statements = [self.pick(makers)() for _ in range(1 if short else self.random.randint(1, 3))]
        self.depth -= 1
        return Node("list", "", statements)

    # ---- statements that all work-items execute together

    def exchange(self):
        """Through the LDS."""
        name, step = self.pick(["u1", "u2"]), self.random.randint(1, self.group - 1)
        return Node("statement", f"tile[lid] = {name}; barrier(CLK_LOCAL_MEM_FENCE); {name} ^= tile[(lid + {step}) % {self.group}]; "
                                 "barrier(CLK_LOCAL_MEM_FENCE);")

    def passed_on(self):
        """With the barriers in a function."""
        name, step = self.pick(["u1", "u2"]), self.random.randint(1, self.group - 1)
        return Node("statement", f"{name} = passed_on(tile, lid, (lid + {step}) % {self.group}, {{0}});", [self.expression("uint", 1)])

    def reduction(self):
        """An atomic reduction to the same number in all work-items."""
        name, barrier = self.pick(["u1", "u2"]), "barrier(CLK_LOCAL_MEM_FENCE);"
        operation, start = self.pick([("add", 0), ("xor", 0), ("max", 0), ("min", "0xffffffff"), ("or", 0)])
        return Node("statement", f"if (lid == 0) tile[0] = {start}; {barrier} atomic_{operation}(&tile[0], {{0}}); {barrier} "
                                 f"{name} ^= tile[0]; {barrier}", [self.expression("uint", 1)])

    def copied_tile(self):
        name, group = self.pick(["u1", "u2"]), self.group
        first, stride = self.random.randint(0, ITEMS // group - 1), self.random.randint(1, max(1, (ITEMS - 4) // group))
        strided_first = self.random.randint(0, min(3, ITEMS - 1 - (group - 1) * stride))
        copy = self.pick([f"async_work_group_copy(tile, in + {group * first}, {group}, 0)",
                          f"async_work_group_copy((local uint4 *)tile, (global const uint4 *)in + {group // 4 * first}, {group // 4}, 0)",
                          f"async_work_group_strided_copy(tile, in + {strided_first}, {group}, {stride}, 0)"])
        return Node("statement", f"{{{{ event_t event = {copy}; wait_group_events(1, &event); {name} += tile[{name} % {group}]; "
                                 "barrier(CLK_LOCAL_MEM_FENCE); }}")

    def sub_group(self):
        name, number = self.pick(["u1", "u2"]), self.random.randrange(8)
        return Node("statement", f"{name} ^= sub_{self.pick(sorted(SUB_GROUPS))}_{self.group}({{0}}, {number}, lid, in[{ITEMS}], shared);", [self.expression("uint", 1)])

    def uniform_loop(self):
        """The same trip count for all and no early exit, so barriers may be inside."""
        index = self.fresh("i")
        limit = self.pick(["2", "3", "((uint)get_group_id(0) & 1) + 1"] + ["(in[5] & 3)"] * self.has("memory"))
        self.variables[index] = "uint"
        inner = Node("list", "", self.body().children + [self.together()])
        del self.variables[index]
        return Node("statement", f"for (uint {index} = 0; {index} < {limit}; {index}++) {{{{\n{{0}}\n}}}}", [inner])

    def uniform_branch(self):
        """All work-items of a group take the same side."""
        return Node("statement", "if (get_group_id(0) & 1) {{\n{0}\n}} else {{\n{1}\n}}",
                    [Node("list", "", [*self.body(short=True).children, self.together()]), Node("list", "", [self.together()])])

    def together(self):
        makers = [self.exchange] * 2 + [self.passed_on, self.reduction]
        for feature, more in {"aggregates": [self.exchange_aggregates] * 2, "copies": [self.copied_tile], "subgroups": [self.sub_group] * 2}.items():
            makers += more * self.has(feature)
        return self.pick(makers)()

    def early_return(self):
        return Node("statement", f"if {{0}} {{{{ {'mine[0] = u1; ' if self.has('memory') else ''}return; }}}}", [self.condition(2)])

    def beginning(self):
        """A possible first statement of the program; computes p1 if it computes anything."""
        barrier, hello = "barrier(CLK_LOCAL_MEM_FENCE);", 'printf("begun\\n");'
        forms = ["uint p1 = 0; for (uint i = 0; i < 4; i++) p1 = p1 * 5 + i;", "uint p1 = 1; do p1 *= 3; while (p1 < 100);",
                 "uint p1 = warmed(5);", "uint p1 = warmed((uint)get_local_id(0) & 3);"]
        if self.has("barriers"):
            forms += [barrier, f"for (int i = 0; i < 4; i++) {barrier}"]
        if self.has("printf"):
            forms += [hello, f"for (int i = 0; i < 3; i++) {hello}", "if (get_local_id(0) & 1) " + hello]
        text = self.pick(forms)
        if "p1" in text:
            self.variables["p1"] = "uint"
        return Node("statement", text.replace("{", "{{").replace("}", "}}"), name="p1" if "p1" in text else None)

    # ---- the kernel

    def declarations(self):
        lines = {name: f"{kind} {name} = {STARTS[name]};" for name, kind in SCALARS.items() if name in self.variables}
        if self.has("arrays") or self.has("pointers"):
            lines["array"] = "uint array[8] = {{1, 2, 3, 4, 5, 6, 7, gid}};"
        if self.has("pointers"):
            lines |= {"other": "uint other[8] = {{seed, gid}};", "p": "uint *p = seed & 1 ? array : other;"}
        for _ in range(2 * self.has("initializers")):
            name, line = self.initialized()
            lines[name] = line
        if self.has("structs"):
            lines |= {"s": "struct record s = {{(char)gid, seed, (double)gid * 0.5, {{1, 2, 3, (short)seed}}}};",
                      "records": "struct record records[2]; records[0] = s; s.b ^= 5; records[1] = s;"}
        if self.has("unions"):
            lines["w"] = "union word w; w.u = seed;"
        if self.has("half"):
            lines["halves"] = "ushort halves[4] = {{0x3c00, 0xc000, (ushort)(gid << 7), 1}};"
        if self.has("memory"):
            lines |= {"mine": f"global ulong *mine = out + gid * {WORDS};", "real": f"global double *real = reals + gid * {REALS};"}
        if self.has("barriers"):
            lines["tile"] = f"local uint tile[{self.group}] __attribute__((aligned(16)));"
            start = ", ".join(["0", "0", "0xffffffff", "0", "0", "0xffffffff", "0"])
            lines["tally"] = (f"local uint tally[7]; if (lid < 7) {{{{ const uint start[7] = {{{{{start}}}}}; tally[lid] = start[lid]; }}}} "
                              "barrier(CLK_LOCAL_MEM_FENCE);")
        if self.has("subgroups"):
            lines["shared"] = f"local uint shared[{self.group}];"
        if self.has("calls"):
            lines["near"] = f"local uint near[{self.group}]; near[lid] = seed;"
        if self.has("vectors"):
            lines["va"] = "uint4 va[4] = {{(uint4)(seed), (uint4)(gid), (uint4)(1, 2, 3, 4), (uint4)(lid, seed, gid, 7)}};"
            for _ in range(3):
                self.declare_vector(lines)
        if self.has("aggregates"):
            self.declare_aggregates(lines)
        return Node("list", "", [line if isinstance(line, Node) else Node("statement", line, name=name) for name, line in lines.items()])

    def declare_vector(self, lines):
        kind, name = self.pick(self.types) + str(self.pick(WIDTHS)), self.fresh("v")
        self.variables[name] = kind
        element, bits = parts_of(kind)[0], self.random.randrange(24)
        lines[name] = f"{kind} {name} = ({kind})(({element})(seed >> {bits})); {name}.s1 = ({element})gid;"

    def sums(self):
        """A number computed from every element of each array with an initializer."""
        lines = []
        for name, (_, rows, columns) in self.rows.items():
            lines.append(f"ulong sum_{name} = 0; for (uint i = 0; i < {rows}; i++) for (uint j = 0; j < {columns}; j++) "
                         f"sum_{name} = sum_{name} * 31 + (ulong){name}[i][j];")
        return [Node("statement", line.replace("{", "{{").replace("}", "}}")) for line in lines]

    def outputs(self):
        words, reals = [], []
        for name, kind in self.variables.items():
            element, width = parts_of(kind)
            parts = [name] if width == 1 else [f"{name}.s{'0123456789abcdef'[i]}" for i in range(width)]
            (words if element in WHOLE else reals).append(parts)
        names, digests = self.sums_of_aggregates()
        words += [[f"sum_{name}"] for name in self.rows] + [[name] for name in names]
        if self.has("structs"):
            words += [["s.a"], ["s.b"], ["s.d[gid & 3]"], ["records[0].b", "records[1].b"]]
            reals += [["s.c"], ["records[1].c"]]
        words += [["w.u"]] * self.has("unions") + [["near[lid]"]] * self.has("calls")
        words += [[f"array[{i}]" for i in range(8)]] * (self.has("arrays") or self.has("pointers"))
        words += [["*p"] + [f"other[{i}]" for i in range(8)]] * self.has("pointers")
        words += [[f"va[{i}].{part}" for part in "xyzw"] for i in range(4 * self.has("vectors"))]
        reals += [["vload_half(gid & 3, (const half *)halves)"]] * self.has("half")
        if not self.has("memory"):
            return Node("list", "", self.sums() + digests + self.printed_results(words, reals))
        lines = []
        for buffer, groups, kind in (("mine", words, "(ulong)"), ("real", reals, "")):
            at = 0
            for group in groups:
                lines.append(" ".join(f"{buffer}[{at + i}] = {kind}{part};" for i, part in enumerate(group)))
                at += len(group)
        if self.has("barriers"):
            lines.append(f"barrier(CLK_LOCAL_MEM_FENCE); if (lid < 6) counters[6 + gid / {self.group} * 6 + lid] = tally[lid];")
        return Node("list", "", self.sums() + digests + [Node("statement", line) for line in lines])

    def printed_results(self, words, reals):
        """For a kernel without memory; sometimes prints nothing at all."""
        if self.random.random() < 0.1:
            return []
        parts = [f"(ulong){part}" for group in words for part in group] + [f"convert_long_sat({part})" for group in reals for part in group]
        lines = [parts[at:at + 8] for at in range(0, len(parts), 8)]
        tally = [Node("statement", 'barrier(CLK_LOCAL_MEM_FENCE); if (lid < 6) printf("tally: %u %u\\n", gid, tally[lid]);')]
        return tally * self.has("barriers") + [Node("statement", f'printf("result {number}: %u{" %lx" * len(line)}\\n", gid, {", ".join(line)});')
                for number, line in enumerate(lines)]

    def kernel(self, name):
        begins = self.random.random() < 0.5
        beginning = [self.beginning()] if begins else []
        declared = self.program_scope()
        self.variables |= {known: kind for known, kind in SCALARS.items() if kind in self.types}
        declarations = self.declarations()
        parts = []
        for _ in range(self.random.randint(2, 5)):
            parts += self.body().children
            if self.random.random() < 0.6:
                parts.append(self.pick([self.together] * 4 + [self.uniform_loop] * 2 + [self.uniform_branch])() if self.has("barriers") else self.early_return())
        body = [Node("list", "", beginning), declarations, Node("list", "", parts), self.outputs()]
        text = "\n".join(node.render() for node in body)
        known = HELPERS | {f"sub_{name}_{self.group}": sub_group_helper(name, self.group) for name in sorted(SUB_GROUPS)}
        helpers = [Node("statement", line, name=word) for word, line in known.items() if re.search(rf"\b{word}\b", text)]
        arguments = (ARGUMENTS + ROOM_ARGUMENT * self.has("aggregates")) if self.has("memory") else "void"
        form = KERNEL.replace("NAME", name).replace("ARGUMENTS", arguments)
        form = form.replace("START", "in[gid]" if self.has("memory") else "gid * 2654435761u + 12345").replace("GROUP", str(self.group))
        return Node("kernel", form, [Node("list", "", helpers + declared), *body])


# Work-items are numbered linearly, in launches of one and two dimensions.
ARGUMENTS = "global const uint *in, constant uint *table, global uint *counters, global ulong *out, global double *reals"
ROOM_ARGUMENT = ", global uchar *room"
KERNEL = """{0}
kernel void NAME(ARGUMENTS) {{
{1}
  uint lid = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));
  uint gid = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * GROUP + lid;
  uint seed = START;
{2}
{3}
{4}
}}
"""
SHAPES = [((128,), (32,)), ((16, 8), (8, 4)), ((32, 4), (32, 1)), ((128,), (64,)), ((120,), (40,)), ((24, 5), (8, 5)), ((128,), (16,)), ((16, 8), (16, 8))]


def shape_of(seed):
    return SHAPES[seed % len(SHAPES)]


def case_of(kernel, text, seed, warp):
    """The launch of a kernel with this text."""
    random = random_module.Random(seed ^ 0x5eed)
    values = np.append(np.frombuffer(random.randbytes(4 * ITEMS), np.uint32), np.uint32(warp))
    counters = np.zeros((1 + ITEMS // 16) * 6, np.uint32)
    counters[[2, 5]] = 0xffffffff
    args = [values, np.frombuffer(random.randbytes(4 * 16), np.uint32).copy(), counters, np.zeros(WORDS * ITEMS, np.uint64),
            np.zeros(REALS * ITEMS, np.float64)]
    if ROOM_ARGUMENT in text:
        args.append(np.zeros(ROOM * ITEMS, np.uint8))
    return Case(kernel, *shape_of(seed), [] if f"{kernel}(void)" in text else args, uncompared=(5,))


def program_with(name, text, cases, warp):
    header = HEADER + "".join(f"#pragma OPENCL EXTENSION cl_khr_subgroup{name} : enable\n" for name in ("s", "_non_uniform_arithmetic"))
    return Program(name, header + text, cases, standard="CL2.0", settings={"cu.warp_size": warp}, prints="printf(" in text,
                   reference_options=["-DEMULATED"])


def program_of(name, tree, seed, warp=32):
    text = tree.render()
    return program_with(name, text, [case_of("k", text, seed, warp)], warp)


def program_of_all(name, seeds, warp):
    """The kernels of several seeds in one program, which takes less time; see program_of()."""
    helpers, kernels, cases = {}, [], []
    for seed in seeds:
        tree = generate(seed, f"k{seed}")
        helpers |= {node.name: node.render() for node in tree.children[0].children}
        tree.children[0] = Node("list", "")
        kernels.append(tree.render())
        cases.append(case_of(f"k{seed}", kernels[-1], seed, warp))
    return program_with(name, "\n".join([*helpers.values(), *kernels]), cases, warp)


def generate(seed, name="k"):
    """The tree of one kernel."""
    return Generator(seed, name).kernel(name)


def shrink(tree, fails, seconds=60):
    return trees.shrink(tree, fails, is_value, seconds)
