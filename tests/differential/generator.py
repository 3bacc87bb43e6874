"""Random kernels: expression trees over all scalar types and vectors, structured control flow that diverges, helper
functions, private arrays, structs, the LDS between barriers. And their shrinker.

A kernel is a tree of Nodes, rendered to text; the same seed gives the same tree everywhere. Everything that OpenCL C leaves
undefined is avoided by construction: signed sums go through unsigned ones, divisors are not zero, indices are masked,
loops are counted, conversions from floating point are saturating.
"""
import random as random_module

import numpy as np

from harness import Case, Program

ITEMS, GROUP = 128, 32
TYPES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 0, "double": 0}
WHOLE = [name for name, size in TYPES.items() if size]
UNSIGNED = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
HEADER = "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"


class Node:
    """`text` with {0}, {1}, ... for its children. `kind` is an expression's type, "statement" or "list"."""

    def __init__(self, kind, text, children=()):
        self.kind, self.text, self.children = kind, text, list(children)

    def render(self):
        if self.kind == "list":
            return "\n".join(child.render() for child in self.children)
        return self.text.format(*(child.render() for child in self.children))

    def size(self):
        return 1 + sum(child.size() for child in self.children)


def zero(kind):
    return Node(kind, f"(({kind})0)")


class Generator:
    def __init__(self, seed):
        self.random = random_module.Random(seed)
        self.variables = {}  # name: type, those that may be read and written here
        self.names = 0
        self.depth = 0

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
            return self.literal(kind)
        others = [name for name, its in self.variables.items() if its in TYPES]
        if not others:
            return self.literal(kind)
        name = self.pick(others)
        return self.converted(kind, Node(self.variables[name], name))

    def converted(self, kind, node):
        if node.kind in ("float", "double") and kind in WHOLE:
            return Node(kind, f"convert_{kind}_sat({{0}})", [node])
        return Node(kind, f"(({kind})({{0}}))", [node])

    def expression(self, kind, depth):
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(kind)
        makers = [self.unary, self.binary, self.binary, self.binary, self.choice, self.conversion]
        if kind in WHOLE:
            makers += [self.function, self.shift, self.divided]
        return self.pick(makers)(kind, depth - 1)

    def unary(self, kind, depth):
        if kind in WHOLE:
            base = UNSIGNED.get(kind, kind)
            return Node(kind, self.pick([f"(({kind})(~{{0}}))", f"(({kind})(- ({base})({{0}})))"]), [self.expression(kind, depth)])
        return Node(kind, self.pick(["(- {0})", "fabs({0})", "floor({0})", "trunc({0})", "rint({0})", "sqrt(fabs({0}))"]
                                    if kind == "double" else ["(- {0})", "fabs({0})", "floor({0})", "trunc({0})", "rint({0})"]),
                    [self.expression(kind, depth)])

    def binary(self, kind, depth):
        pair = [self.expression(kind, depth), self.expression(kind, depth)]
        if kind not in WHOLE:
            return Node(kind, self.pick(["({0} + {1})", "({0} - {1})", "({0} * {1})", "fmin({0}, {1})", "fmax({0}, {1})"]), pair)
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
        pair = [self.expression(kind, depth), self.expression(self.pick(WHOLE), depth)]
        bits = 8 * TYPES[kind] - 1
        base = UNSIGNED.get(kind, kind)
        if self.random.random() < 0.5:
            return Node(kind, f"(({kind})(({base})({{0}}) << (uint)({{1}} & {bits})))", pair)
        return Node(kind, f"(({kind})({{0}} >> (uint)({{1}} & {bits})))", pair)

    def function(self, kind, depth):
        name = self.pick(["min", "max", "mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "rotate", "clz", "popcount", "bitselect", "abs"])
        count = {"clz": 1, "popcount": 1, "abs": 1, "bitselect": 3}.get(name, 2)
        children = [self.expression(kind, depth) for _ in range(count)]
        return Node(kind, f"(({kind}){name}({', '.join('{%d}' % i for i in range(count))}))", children)

    def choice(self, kind, depth):
        return Node(kind, f"(({kind})({{0}} ? {{1}} : {{2}}))", [self.condition(depth), self.expression(kind, depth), self.expression(kind, depth)])

    def conversion(self, kind, depth):
        return self.converted(kind, self.expression(self.pick(list(TYPES)), depth))

    def condition(self, depth):
        if depth > 0 and self.random.random() < 0.3:
            return Node("bool", self.pick(["({0} && {1})", "({0} || {1})"]), [self.condition(depth - 1), self.condition(depth - 1)])
        kind = self.pick(list(TYPES))
        return Node("bool", f"({{0}} {self.pick(['<', '<=', '>', '>=', '==', '!='])} {{1}})",
                    [self.expression(kind, depth - 1), self.expression(kind, depth - 1)])

    # ---- statements

    def scalars(self):
        return [name for name, kind in self.variables.items() if kind in TYPES and not name.startswith("i")]

    def assignment(self):
        name = self.pick(self.scalars())
        return Node("statement", f"{name} = {{0}};", [self.expression(self.variables[name], 3)])

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
        target = Node(kind, f"s.{member}", [index])
        if self.random.random() < 0.5:
            return Node("statement", "{0} = {1};", [target, self.converted(kind, Node(self.variables[name], name))])
        return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], target)])

    def vector_statement(self):
        lane, other = self.random.randrange(4), self.random.randrange(4)
        name = self.pick(self.scalars())
        forms = [f"v.{'xyzw'[lane]} = {{0}};", "v = v * (uint4)(3, 5, 7, 9) + (uint4)({0});", f"v = v.{''.join(self.pick('xyzw') for _ in range(4))} ^ {{0}};",
                 "v = (v < (uint4)({0})) ? v + 1 : v - 1;", f"v.{'lo hi even odd'.split()[other]} = v.{'odd even hi lo'.split()[lane]} + (uint2)({{0}});"]
        if self.random.random() < 0.3:
            return Node("statement", f"{name} = ({self.variables[name]})v.{'xyzw'[lane]};")
        return Node("statement", self.pick(forms), [self.expression("uint", 2)])

    def call(self):
        name = self.pick(self.scalars())
        kind = self.variables[name]
        if self.random.random() < 0.5:
            return Node("statement", "helper(&{0}, {1}, array);", [Node("uint", "u1"), self.expression("uint", 2)])
        return Node("statement", f"{name} = {{0}};", [self.converted(kind, Node("uint", "mixed({0}, {1})", [
            self.expression("uint", 2), self.expression("int", 2)]))])

    def branch(self):
        with_else = self.random.random() < 0.5
        children = [self.condition(2), self.body(), self.body()] if with_else else [self.condition(2), self.body()]
        return Node("statement", "if {0} {{\n{1}\n}}" + (" else {{\n{2}\n}}" if with_else else ""), children)

    def loop(self):
        index = self.fresh("i")
        limit = self.pick(["(gid & 3) + 1", "4", "(lid % 5)", "3"])
        self.variables[index] = "uint"
        inner = self.body(loop=True)
        del self.variables[index]
        form = self.pick(["for (uint {i} = 0; {i} < {n}; {i}++) {{{{\n{{0}}\n}}}}",
                          "{{{{ uint {i} = 0; while ({i} < {n}) {{{{ {i}++;\n{{0}}\n}}}} }}}}",
                          "{{{{ uint {i} = 0; do {{{{ {i}++;\n{{0}}\n}}}} while ({i} < {n}); }}}}"])
        return Node("statement", form.format(i=index, n=limit), [inner])

    def leave_loop(self):
        return Node("statement", f"if {{0}} {self.pick(['break', 'continue'])};", [self.condition(1)])

    def switch(self):
        cases = "".join(f"case {value}: {{{{\n{{{i + 1}}}\n}}}} {self.pick(['break;', ''])}\n" for i, value in enumerate((0, 1, 5)))
        return Node("statement", "switch ((uint){0} & 7) {{\n" + cases + "default: {{\n{4}\n}}\n}}",
                    [self.expression("uint", 1)] + [self.body(short=True) for _ in range(4)])

    def body(self, loop=False, short=False):
        self.depth += 1
        makers = [self.assignment] * 5 + [self.array_access, self.structure_access, self.vector_statement, self.call]
        if self.depth < 4:
            makers += [self.branch, self.branch, self.loop, self.switch]
        if loop:
            makers += [self.leave_loop]
        statements = [self.pick(makers)() for _ in range(1 if short else self.random.randint(1, 4))]
        self.depth -= 1
        return Node("list", "", statements)

    def exchange(self):
        """Through the LDS, where all work-items come."""
        name, step = self.pick(["u1", "u2"]), self.random.randint(1, GROUP - 1)
        return Node("statement", f"tile[lid] = {name}; barrier(CLK_LOCAL_MEM_FENCE); {name} ^= tile[(lid + {step}) % {GROUP}]; "
                                 "barrier(CLK_LOCAL_MEM_FENCE);")

    # ---- the whole

    def kernel(self, name):
        declared = {"c1": "char", "c2": "uchar", "h1": "short", "h2": "ushort", "n1": "int", "n2": "int", "u1": "uint", "u2": "uint",
                    "l1": "long", "l2": "ulong", "f1": "float", "f2": "float", "d1": "double"}
        self.variables = dict(declared)
        parts = []
        for _ in range(self.random.randint(3, 6)):
            parts += self.body().children + ([self.exchange()] if self.random.random() < 0.5 else [])
        return Node("kernel", KERNEL.replace("NAME", name), [Node("list", "", parts)]), declared


# Each variable starts as something else in each work-item, and all of them come out.
KERNEL = """
kernel void NAME(global const uint *in, global ulong *out, global double *reals) {{
  uint gid = get_global_id(0), lid = get_local_id(0);
  local uint tile[""" + str(GROUP) + """];
  uint seed = in[gid];
  char c1 = (char)seed; uchar c2 = (uchar)(seed >> 8); short h1 = (short)(seed >> 4); ushort h2 = (ushort)(seed >> 12);
  int n1 = (int)seed; int n2 = (int)(seed & 255) - 128; uint u1 = seed * 2654435761u; uint u2 = gid;
  long l1 = (long)seed * -3; ulong l2 = (ulong)seed << 29 | gid; float f1 = (float)(int)(seed & 1023) / 8.0f - 64.0f; float f2 = (float)gid;
  double d1 = (double)(int)seed / 65536.0;
  uint array[8] = {{1, 2, 3, 4, 5, 6, 7, gid}};
  struct record s = {{(char)gid, seed, (double)gid * 0.5, {{1, 2, 3, (short)seed}}}};
  uint4 v = (uint4)(seed, gid, lid, 7);
{0}
  global ulong *mine = out + gid * 25;
  mine[0] = (ulong)c1; mine[1] = c2; mine[2] = (ulong)h1; mine[3] = h2; mine[4] = (ulong)n1; mine[5] = (ulong)n2;
  mine[6] = u1; mine[7] = u2; mine[8] = (ulong)l1; mine[9] = l2; mine[10] = (ulong)s.a; mine[11] = s.b;
  mine[12] = (ulong)s.d[gid & 3]; mine[13] = v.x; mine[14] = v.y; mine[15] = v.z; mine[16] = v.w;
  for (uint i = 0; i < 8; i++) mine[17 + i] = array[i];
  reals[3 * gid] = f1; reals[3 * gid + 1] = f2; reals[3 * gid + 2] = d1 + s.c;
}}
"""

HELPERS = """
struct record { char a; uint b; double c; short d[4]; };
uint mixed(uint a, int b) { if (b < 0) return a ^ (uint)b; for (int i = 0; i < (b & 3); i++) a = a * 5 + 1; return a; }
void helper(uint *value, uint by, uint *array) { if (by & 1) { *value += array[by & 7]; return; } array[(by >> 1) & 7] ^= *value; }
"""


def program_of(name, tree, seed):
    """NaN payloads and signs are left to the implementation, so floats never reach integers by their bits."""
    values = np.frombuffer(random_module.Random(seed ^ 0x5eed).randbytes(4 * ITEMS), np.uint32).copy()
    args = [values, np.zeros(25 * ITEMS, np.uint64), np.zeros(3 * ITEMS, np.float64)]
    return Program(name, HEADER + HELPERS + tree.render(), [Case("k", (ITEMS,), (GROUP,), args)], standard="CL2.0")


def generate(seed):
    """The tree of one kernel."""
    return Generator(seed).kernel("k")[0]


# ---- the shrinker --------------------------------------------------------------------------------

def smaller(node):
    """Changes that make the tree smaller, as (description, do, undo), largest cuts first."""
    for place, child in enumerate(node.children):
        if node.kind == "list":
            yield lambda p=place, c=child: node.children.pop(p), lambda p=place, c=child: node.children.insert(p, c)
            for inner in [g for g in child.children if g.kind == "list"]:
                yield (lambda p=place, i=inner: node.children.__setitem__(p, i),
                       lambda p=place, c=child: node.children.__setitem__(p, c))
        elif child.kind in TYPES and child.children:
            same = [g for g in child.children if g.kind == child.kind]
            for other in [zero(child.kind)] + same:
                yield (lambda p=place, o=other: node.children.__setitem__(p, o),
                       lambda p=place, c=child: node.children.__setitem__(p, c))
        elif child.kind == "bool" and child.text != "(1)":
            yield (lambda p=place: node.children.__setitem__(p, Node("bool", "(1)")),
                   lambda p=place, c=child: node.children.__setitem__(p, c))
    for child in node.children:
        yield from smaller(child)


def shrink(tree, fails, most=400):
    """Makes `tree` as small as it can while fails(tree) holds, with at most so many attempts."""
    attempts = 0
    progress = True
    while progress and attempts < most:
        progress = False
        for do, undo in list(smaller(tree)):
            before = tree.size()
            do()
            attempts += 1
            if tree.size() < before and fails(tree):
                progress = True
                break
            undo()
            if attempts >= most:
                break
    return tree
