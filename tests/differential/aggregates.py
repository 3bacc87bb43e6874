"""Aggregates in random kernels, like CLSmith: structs and unions of random members (scalars, vectors, arrays, other
aggregates; some packed or aligned), nested initializers with designators, program-scope constants, pointers to them
and into them, and functions that take them by value and by address in each address space and return them.

A Place is something that can be read or written: a variable, or a path from it to a member or element. Constant and
computed indices mix. Members of unions are integers without padding, the largest first, so that every byte that is read
was written. Nothing takes the address of a packed member, because a plain pointer must not point to one.
"""
import collections
import dataclasses
import re

from tree import Node

SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8}
UNSIGNED = ("uchar", "ushort", "uint", "ulong")  # a compound assignment on these cannot overflow
LARGEST = 512  # bytes of a shape
ROOM = 2 * LARGEST  # bytes of a work-item in global memory

Member = collections.namedtuple("Member", "name kind dims")
Function = collections.namedtuple("Function", "name kind parameters")
Parameter = collections.namedtuple("Parameter", "name kind space")  # space: None means by value


@dataclasses.dataclass
class Shape:
    """A struct or a union. `size` and `align` are in bytes, as C lays members out."""
    keyword: str
    name: str
    members: list
    attribute: str = ""

    def __post_init__(self):
        self.spelling = f"{self.keyword} {self.name}"
        self.packed = "packed" in self.attribute
        self.solid = not self.packed and all(getattr(member.kind, "solid", True) for member in self.members)
        aligns = [1 if self.packed else align_of(member.kind) for member in self.members]
        self.align = max([16 if "aligned" in self.attribute else 1, *aligns])
        sizes, at = [size_of(member.kind, member.dims) for member in self.members], 0
        for size, align in zip(sizes, aligns):
            at = rounded(at, align) + size
        self.size = rounded(max(sizes) if self.keyword == "union" else at, self.align)

    def declared(self):
        members = " ".join(f"{declaration(member.name, member.kind, member.dims)};" for member in self.members)
        return f"{self.spelling} {{{{ {members} }}}}{self.attribute};"


@dataclasses.dataclass
class Place:
    """`kind` is a type's name or a Shape. `space` is None for constants. `solid`: its address may be taken."""
    node: Node
    kind: object
    dims: tuple
    space: str
    solid: bool

    def inside(self, text, children, kind, dims, solid=True):
        return Place(Node("place", text, [self.node, *children]), kind, dims, self.space, self.solid and solid)


def rounded(size, align):
    return -(-size // align) * align


def parts_of(kind):
    """parts_of("uint4") is ("uint", 4)."""
    name, width = re.fullmatch(r"([a-z]+)(\d*)", kind).groups()
    return name, int(width or 1)


def align_of(kind):
    if isinstance(kind, Shape):
        return kind.align
    name, width = parts_of(kind)
    return SIZES[name] * (4 if width == 3 else width)


def size_of(kind, dims=()):
    size = kind.size if isinstance(kind, Shape) else align_of(kind)
    for count in dims:
        size *= count
    return size


def spelled(kind):
    return kind.spelling if isinstance(kind, Shape) else kind


def declaration(name, kind, dims=()):
    return f"{spelled(kind)} {name}" + "".join(f"[{count}]" for count in dims)


class Aggregates:
    """The part of a Generator that makes aggregates. `owner` prefixes all names at program scope, because kernels share
    a program."""

    def start_aggregates(self, owner):
        self.owner = owner
        self.shapes, self.functions, self.places = [], [], {}
        self.links = []  # (pointer, its target as text, the target's kind)
        self.reading = 0  # nesting of places within indices of places

    # ---- types

    def program_scope(self):
        """The declarations that the kernel needs, in order."""
        if not self.has("aggregates"):
            return []
        return self.declared_shapes() + self.constants() + self.digests() + self.declared_functions()

    def declared_shapes(self):
        count = self.random.randint(2, 4)
        while len(self.shapes) < count:
            shape = self.new_shape()
            if shape.size <= LARGEST:
                self.shapes.append(shape)
        return [Node("helper", shape.declared(), name=shape.name) for shape in self.shapes]

    def new_shape(self):
        name = f"{self.owner}_{self.fresh('s')}"
        if self.has("unions") and self.random.random() < 0.3:
            members = sorted((self.union_member() for _ in range(self.random.randint(2, 4))), key=lambda one: -size_of(one[0], one[1]))
            return Shape("union", name, [Member(f"m{i}", *member) for i, member in enumerate(members)])
        members = [Member(f"m{i}", *self.member()) for i in range(self.random.randint(1, 5))]
        attribute = self.pick([""] * 4 + [" __attribute__((packed))", " __attribute__((aligned(16)))"])
        return Shape("struct", name, members, attribute)

    def member(self):
        kind = self.pick(self.types)
        if self.shapes and self.random.random() < 0.3:
            kind = self.pick(self.shapes)
        elif self.has("vectors") and self.random.random() < 0.3:
            kind += str(self.pick((2, 3, 4, 8)))
        return kind, self.pick([(), (), (), (self.random.randint(1, 5),), (2, 3)])

    def union_member(self):
        kind = self.pick(self.whole)
        if self.has("vectors") and self.random.random() < 0.3:
            kind += str(self.pick((2, 4, 8)))
        return kind, self.pick([(), (), (self.random.randint(2, 4),)])

    def digests(self):
        """One function per shape that computes a number from all of its members."""
        return [Node("helper", self.digest(shape), name=f"{shape.name}_digest") for shape in self.shapes]

    def digest(self, shape):
        members = shape.members[:1] if shape.keyword == "union" else shape.members
        lines = [self.digested(f"v.{member.name}", member.kind, member.dims) for member in members]
        return f"ulong {shape.name}_digest({shape.spelling} v, ulong sum) {{{{ {' '.join(lines)} return sum; }}}}"

    def digested(self, text, kind, dims):
        """Statements that add all elements to `sum`."""
        loops = [f"x{at}" for at in range(len(dims))]
        head = "".join(f"for (uint {index} = 0; {index} < {count}; {index}++) " for index, count in zip(loops, dims))
        text += "".join(f"[{index}]" for index in loops)
        if isinstance(kind, Shape):
            return f"{head}sum = {kind.name}_digest({text}, sum);"
        name, width = parts_of(kind)
        parts = [text] if width == 1 else [f"{text}.s{i:x}" for i in range(width)]
        convert = "convert_long_sat" if name in ("float", "double") else "(ulong)"
        return f"{head}{{{{ {' '.join(f'sum = sum * 31 + (ulong){convert}({part});' for part in parts)} }}}}"

    # ---- initializers

    def initializer(self, kind, dims=(), constant=False):
        """Trailing parts may be left out, and designators may name the parts; parts left out are zero."""
        if dims:
            count = self.random.randint(1, dims[0])
            parts = [(f"[{at}] = ", self.initializer(kind, dims[1:], constant)) for at in range(count)]
        elif isinstance(kind, Shape):
            members = kind.members[:1 if kind.keyword == "union" else self.random.randint(1, len(kind.members))]
            parts = [(f".{member.name} = ", self.initializer(member.kind, member.dims, constant)) for member in members]
        else:
            return self.constant_value(kind) if constant else self.expression(kind, 1)
        designated = self.random.random() < 0.3
        if designated:
            self.random.shuffle(parts)
        return Node("initializer", "{{" + ", ".join((label if designated else "") + "{}" for label, _ in parts) + "}}", [part for _, part in parts])

    def constant_value(self, kind):
        name, width = parts_of(kind)
        values = [self.literal(name) for _ in range(width)]
        return values[0] if width == 1 else Node(kind, f"({kind})({', '.join(['{}'] * width)})", values)

    def literal_of(self, shape):
        return Node("aggregate", f"(({shape.spelling}){{0}})", [self.initializer(shape)])

    def constants(self):
        name, kind, count = f"{self.owner}_fixed", self.pick(self.shapes), self.random.randint(1, 3)
        self.places[name] = Place(Node("place", name), kind, (count,), None, True)
        return [Node("helper", f"constant {declaration(name, kind, (count,))} = {{0}};", [self.initializer(kind, (count,), constant=True)], name=name)]

    # ---- places

    def index(self, count):
        if self.reading or self.random.random() < 0.5:
            return Node("index", str(self.random.randrange(count)))
        self.reading += 1
        value = self.expression("uint", 1)
        self.reading -= 1
        return Node("index", f"{{0}} % {count}", [value])

    def further(self, place):
        """One step inward: an element or a member."""
        if place.dims:
            return place.inside("{}[{}]", [self.index(place.dims[0])], place.kind, place.dims[1:])
        member = self.pick(place.kind.members)
        return place.inside("{}." + member.name, [], member.kind, member.dims, not place.kind.packed)

    def place(self, fits):
        """A Place for which fits(place) holds, or None if several attempts find none."""
        for _ in range(12 if self.places else 0):
            place = self.places[self.pick(sorted(self.places))]
            while not fits(place) and (place.dims or isinstance(place.kind, Shape)):
                place = self.further(place)
            if fits(place):
                return place
        return None

    def read_place(self, kind):
        """The value of a scalar of any type, converted; or None."""
        if self.reading:
            return None
        self.reading += 1
        place = self.place(lambda one: one.kind in self.types and not one.dims)
        self.reading -= 1
        return place and self.converted(kind, Node(place.kind, "{0}", [place.node]))

    # ---- in the kernel

    def declare_aggregates(self, lines):
        """Declares some in each address space. `lines` maps each name to the text, or the Node, that declares it."""
        for _ in range(self.random.randint(2, 3)):
            self.declare_private(lines)
        if self.has("pointers"):
            self.declare_pointers(lines)
        if self.has("barriers"):
            name, kind = self.fresh("near"), self.pick(self.shapes)
            self.declare_elsewhere(lines, name, f"local {declaration(name, kind, (self.group,))};", kind, "local", f"{name}[lid]")
        if self.has("memory"):
            name, kind = self.fresh("far"), self.pick(self.shapes)
            declared = f"global {kind.spelling} *{name} = (global {kind.spelling} *)(room + gid * {ROOM});"
            self.declare_elsewhere(lines, name, declared, kind, "global", f"(*{name})")

    def declare_private(self, lines):
        name, kind, dims = self.fresh("a"), self.pick(self.shapes), self.pick([(), (), (2,), (3,), (2, 2)])
        qualifier = self.pick(["", "", "", "volatile "]) if not dims else ""
        lines[name] = Node("statement", f"{qualifier}{declaration(name, kind, dims)} = {{0}};", [self.initializer(kind, dims)], name=name)
        self.places[name] = Place(Node("place", name), kind, dims, "private", not qualifier)

    def declare_elsewhere(self, lines, name, text, kind, space, own):
        lines[name] = Node("statement", f"{text} {own} = {{0}};", [self.literal_of(kind)], name=name)
        self.places[name] = Place(Node("place", own), kind, (), space, True)

    def declare_pointers(self, lines):
        """One to a shape, one to a scalar, and a pointer to that pointer."""
        for fits in (lambda one: isinstance(one.kind, Shape), lambda one: one.kind in self.types):
            to = self.place(lambda one: fits(one) and self.addressed(one))
            if to:
                name = self.fresh("p")
                lines[name] = Node("statement", f"{spelled(to.kind)} *{name} = &{{0}};", [to.node], name=name)
                self.link(name, f"(*{name})", to.kind)
        if self.links:
            first, _, kind = self.links[-1]
            name = self.fresh("p")
            lines[name] = f"{spelled(kind)} **{name} = &{first};"
            self.link(name, f"(**{name})", kind, f"*{name}")

    def link(self, name, text, kind, pointer=None):
        self.links.append((pointer or name, text, kind))
        self.places[name] = Place(Node("place", text), kind, (), "private", True)

    def addressed(self, place, kind=None, space="private"):
        return not place.dims and place.solid and place.space == space and (kind is None or place.kind == kind)

    def sums_of_aggregates(self):
        """(names of sums, the statements that compute them)"""
        names = [name for name, place in self.places.items() if place.space and isinstance(place.kind, Shape)]
        return [f"sum_{name}" for name in names], [
            Node("statement", f"ulong sum_{name}; {{{{ ulong sum = 0; {self.digested(self.places[name].node.text, self.places[name].kind, self.places[name].dims)} "
                              f"sum_{name} = sum; }}}}") for name in names]

    # ---- statements

    def aggregate_statement(self):
        makers = [self.write_place] * 3 + [self.copy_aggregate] * 2 + [self.fill_elements, self.vector_of_elements]
        makers += [self.call_function] * 4 * bool(self.functions) + [self.move_pointer] * 2 * bool(self.links)
        return self.pick(makers)() or self.assignment()

    def write_place(self):
        place = self.place(lambda one: not one.dims and not isinstance(one.kind, Shape) and one.space)
        if not place:
            return None
        operators = ["="] * 3 + ["+=", "-=", "*=", "|=", "^=", "&="] * (parts_of(place.kind)[0] in UNSIGNED)
        if place.kind in UNSIGNED and self.random.random() < 0.2:
            return Node("statement", self.pick(["{0}++;", "--{0};"]), [place.node])
        return Node("statement", f"{{0}} {self.pick(operators)} {{1}};", [place.node, self.expression(place.kind, 2)])

    def value_of(self, shape):
        """A Node: a place in any address space, or a compound literal."""
        place = self.random.random() < 0.75 and self.place(lambda one: one.kind == shape and not one.dims)
        return place.node if place else self.literal_of(shape)

    def copy_aggregate(self):
        place = self.place(lambda one: isinstance(one.kind, Shape) and not one.dims and one.space)
        return place and Node("statement", "{0} = {1};", [place.node, self.value_of(place.kind)])

    def row(self, fits):
        """A place that is a one-dimensional array of scalars."""
        return self.place(lambda one: one.kind in self.types and len(one.dims) == 1 and fits(one))

    def fill_elements(self):
        row, index = self.row(lambda one: one.space), self.fresh("i")
        if not row:
            return None
        self.variables[index] = "uint"
        value = self.expression(row.kind, 2)
        del self.variables[index]
        return Node("statement", f"for (uint {index} = 0; {index} < {row.dims[0]}; {index}++) {{0}}[{index}] = {{1}};", [row.node, value])

    def vector_of_elements(self):
        row = self.row(lambda one: one.dims[0] > 1 and one.solid)
        if not row:
            return None
        width = self.pick([width for width in (2, 3, 4) if width <= row.dims[0]])
        at = self.index(row.dims[0] // width)
        if row.space and self.random.random() < 0.5:
            return Node("statement", f"vstore{width}({{0}}, {{1}}, {{2}});", [self.expression(f"{row.kind}{width}", 1), at, row.node])
        name = self.pick(self.scalars())
        element = Node(row.kind, f"vload{width}({{0}}, {{1}}).s{self.random.randrange(width):x}", [at, row.node])
        return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], element)])

    def move_pointer(self):
        pointer, _, kind = self.pick(self.links)
        to = self.place(lambda one: self.addressed(one, kind))
        form = self.pick([f"{pointer} = &{{0}};", f"if {{1}} {pointer} = &{{0}};", f"{pointer} = {{1}} ? {pointer} : &{{0}};"])
        return to and Node("statement", form, [to.node, self.condition(1)])

    # ---- functions

    def declared_functions(self):
        """Each may call the ones before it."""
        return [self.new_function() for _ in range(self.random.randint(1, 4))]

    def value_kind(self):
        kind = self.pick(self.types)
        return kind + str(self.pick((2, 3, 4, 8, 16))) if self.has("vectors") and self.random.random() < 0.3 else kind

    def parameter(self):
        name = self.fresh("x")
        if self.random.random() < 0.4:
            return Parameter(name, self.value_kind(), None)
        kind = self.pick(self.shapes)
        space = self.pick([None, None, "private", "private", "constant"] + ["local"] * self.has("barriers") + ["global"] * self.has("memory"))
        if space == "private" and self.random.random() < 0.3:
            kind = self.pick(self.types)
        return Parameter(name, kind, space)

    def declared_parameter(self, parameter):
        if not parameter.space:
            return declaration(parameter.name, parameter.kind)
        space = "" if parameter.space == "private" else parameter.space + " "
        return f"{space}{spelled(parameter.kind)} *{parameter.name}"

    def new_function(self):
        kind = self.pick(self.shapes) if self.random.random() < 0.4 else self.value_kind()
        made = Function(f"{self.owner}_{self.fresh('f')}", kind, [self.parameter() for _ in range(self.random.randint(1, 4))])
        outside = self.variables, self.places, self.links, self.features, self.depth
        self.enter(made)
        body = self.function_body(kind)
        self.variables, self.places, self.links, self.features, self.depth = outside
        self.functions.append(made)
        attribute = self.pick(["", "", "__attribute__((noinline)) "])
        parameters = ", ".join(["uint gid", "uint lid", *(self.declared_parameter(parameter) for parameter in made.parameters)])
        return Node("helper", f"{attribute}{spelled(kind)} {made.name}({parameters}) {{{{\n{{0}}\n}}}}", [body], name=made.name)

    def enter(self, function):
        """What the function's statements may use: its parameters and constants."""
        self.features = self.features & {"aggregates", "branches", "loops", "switches", "functions", "jumps"}
        self.variables, self.links, self.depth = {}, [], 1
        self.places = {name: place for name, place in self.places.items() if not place.space}
        for name, kind, space in function.parameters:
            if space:
                self.places[name] = Place(Node("place", f"(*{name})"), kind, (), None if space == "constant" else space, True)
            elif isinstance(kind, Shape):
                self.places[name] = Place(Node("place", name), kind, (), "private", True)
            else:
                self.variables[name] = kind

    def function_body(self, kind):
        name, own, lines = self.fresh("x"), self.pick(self.types), {}
        first = Node("statement", f"{own} {name} = {{0}};", [self.expression(own, 1)])
        self.variables[name] = own
        self.declare_private(lines)
        early = Node("statement", "if {0} return {1};", [self.condition(2), self.result(kind)])
        parts = [*self.body().children, early, *self.body().children]
        return Node("list", "", [first, *lines.values(), *parts, Node("statement", "return {0};", [self.result(kind)])])

    def result(self, kind):
        return self.value_of(kind) if isinstance(kind, Shape) else self.expression(kind, 2)

    def argument(self, parameter):
        """None if there is nothing to point to."""
        if not parameter.space:
            return self.result(parameter.kind)
        if parameter.space == "constant":
            to = self.place(lambda one: one.kind == parameter.kind and not one.dims and not one.space and one.solid)
        else:
            to = self.place(lambda one: self.addressed(one, parameter.kind, parameter.space))
        return to and Node("address", "&{0}", [to.node])

    def call_function(self):
        made = self.pick(self.functions)
        arguments = [self.argument(parameter) for parameter in made.parameters]
        if None in arguments:
            return None
        call = Node("call", f"{made.name}(gid, lid, {', '.join(['{}'] * len(arguments))})", arguments)
        to = self.place(lambda one: one.kind == made.kind and not one.dims and one.space)
        if to:
            return Node("statement", "{0} = {1};", [to.node, call])
        if isinstance(made.kind, Shape):
            return Node("statement", "{0};", [call])
        element, width = parts_of(made.kind)
        name = self.pick(self.scalars())
        value = Node(element, "{0}" if width == 1 else f"{{0}}.s{self.random.randrange(width):x}", [call])
        return Node("statement", f"{name} = {{0}};", [self.converted(self.variables[name], value)])

    # ---- statements that all work-items execute together

    def exchange_aggregates(self):
        """Each takes a neighbor's aggregate from the LDS and leaves its own there."""
        near = self.pick([name for name in self.places if name.startswith("near")])
        kind = self.places[near].kind
        to = self.place(lambda one: one.kind == kind and not one.dims and one.space == "private")
        if not to:
            return self.exchange()
        step, barrier = self.random.randint(1, self.group - 1), "barrier(CLK_LOCAL_MEM_FENCE);"
        return Node("statement", f"{barrier} {{0}} = {near}[(lid + {step}) % {self.group}]; {barrier}", [to.node])
