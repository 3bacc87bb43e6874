"""Each built-in function for each type, scalar and in one vector width: programs of a dozen kernels.

ULP limits are those of the OpenCL C specification for the full profile. Both sides may reach the limit, so the bound
between the two is twice the limit. PoCL has no halves: numpy checks those (exact.py), with one unit in the last place
where the function is not exact.
"""
import re

import numpy as np

import exact
from harness import OPENCL_TYPES, Case, Program, only_exact

ITEMS = 96
GROUP = 32
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [np.float32, np.float64]
HALF = np.float16
WIDTHS = [2, 3, 4, 8, 16]


def spelled(dtype, width=1):
    return OPENCL_TYPES[np.dtype(dtype).name] + (str(width) if width > 1 else "")


def integers(random, dtype, count):
    """Random bit patterns, with many corner cases."""
    limits = np.iinfo(dtype)
    values = np.frombuffer(random.bytes(count * np.dtype(dtype).itemsize), dtype).copy()
    corners = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1, -1 if limits.min else 2], dtype)
    values[::5] = corners[random.integers(0, len(corners), len(values[::5]))]
    return values


def floats(random, dtype, count, low=-8.0, high=8.0):
    values = random.uniform(low, high, count)
    span = 10 if dtype == HALF else 30
    wide = np.exp2(random.uniform(-span, span, count)) * random.choice([-1, 1], count)
    if low < 0 < high:
        values[1::3] = wide[1::3]
    elif low >= 0 and high > 100:
        values[1::3] = np.abs(wide[1::3])
    return values.astype(dtype)


def corners(random, dtype, count):
    """Floats that include zeros, infinities, NaN, subnormals and large numbers."""
    info = np.finfo(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, info.tiny, -info.tiny, info.tiny / 4, info.max, -info.max, 1, -1,
                        0.5, -0.5, 1.5, 2.5, -2.5], dtype)
    values = floats(random, dtype, count)
    values[::4] = special[random.integers(0, len(special), len(values[::4]))]
    return values


# PoCL 3.1 computes these for float vectors with errors of thousands of ULP; numpy uses double.
EXACT = {"sin", "cos"}


def in_double(function):
    """Adapts a function of exact.py to arrays of any type."""
    return lambda *arrays: function(*(values.astype(np.float64) if values.dtype.kind == "f" else values for values in arrays))


def elementwise(name, expression, inputs, result, width=1, ulp=0, exact=None, result_width=None, second=None, far=False):
    """A kernel that applies `expression` over a, b, c to each element; returns (source, Case). `second` is the type of
    the value that the expression leaves at &s, which is private, or global if `far`."""
    params, lines = [], []
    result_width = result_width or width
    for letter, values in zip("abc", inputs):
        params.append(f"global const {spelled(values.dtype)} *p{letter}")
        load = f"p{letter}[i]" if width == 1 else f"vload{width}(i, p{letter})"
        lines.append(f"{spelled(values.dtype, width)} {letter} = {load};")
    outs, params = [("out", "r", result)], params + [f"global {spelled(result)} *out"]
    if second:
        params.append(f"global {spelled(second)} *more")
        if far:
            expression = expression.replace("&s", f"(global {spelled(second, width)} *)more + i")
        else:
            lines.append(f"{spelled(second, width)} s;")
            outs.append(("more", "s", second))
    lines.append(f"{spelled(result, result_width)} r = {expression};")
    lines += [f"{buffer}[i] = {value};" if result_width == 1 else f"vstore{result_width}({value}, i, {buffer});"
              for buffer, value, _ in outs]
    source = f"kernel void {name}({', '.join(params)}) {{\n  size_t i = get_global_id(0);\n  " + "\n  ".join(lines) + "\n}\n"
    arrays = [np.zeros(ITEMS * result_width, kind) for kind in ([result, second] if second else [result])]
    return source, Case(name, (ITEMS,), (GROUP,), list(inputs) + arrays, ulp, exact=exact, exact_count=len(arrays))


# name, operands, types, result (None: the operand's), expression
INTEGER_FUNCTIONS = [
    ("abs", 1, INTEGERS, "unsigned", "abs(a)"),
    ("abs_diff", 2, INTEGERS, "unsigned", "abs_diff(a, b)"),
    ("add_sat", 2, INTEGERS, None, "add_sat(a, b)"),
    ("sub_sat", 2, INTEGERS, None, "sub_sat(a, b)"),
    ("hadd", 2, INTEGERS, None, "hadd(a, b)"),
    ("rhadd", 2, INTEGERS, None, "rhadd(a, b)"),
    ("clz", 1, INTEGERS, None, "clz(a)"),
    ("popcount", 1, INTEGERS, None, "popcount(a)"),
    ("mul_hi", 2, INTEGERS, None, "mul_hi(a, b)"),
    ("mad_hi", 3, INTEGERS, None, "mad_hi(a, b, c)"),
    ("mad_sat", 3, INTEGERS, None, "mad_sat(a, b, c)"),
    ("max", 2, INTEGERS, None, "max(a, b)"),
    ("min", 2, INTEGERS, None, "min(a, b)"),
    ("clamp", 3, INTEGERS, None, "clamp(a, min(b, c), max(b, c))"),
    ("rotate", 2, INTEGERS, None, "rotate(a, b)"),
    ("mul24", 2, [np.int32, np.uint32], None, "mul24(a >> 8, b >> 8)"),
    ("mad24", 3, [np.int32, np.uint32], None, "mad24(a >> 8, b >> 8, c)"),
    ("bitselect", 3, INTEGERS, None, "bitselect(a, b, c)"),
    ("divide", 2, UNSIGNED, None, "a / (b | (T)1)"),
    ("modulo", 2, UNSIGNED, None, "a % (b | (T)1)"),
    ("quotient", 2, SIGNED, None, "a / ((b & (T)15) + (T)1)"),
    ("remainder", 2, SIGNED, None, "a % ((b & (T)15) + (T)1)"),
    ("shift_left", 2, UNSIGNED, None, "a << b"),
    ("shift_right", 2, INTEGERS, None, "a >> b"),
    ("logic", 3, INTEGERS, None, "(a & b) ^ (~b | c)"),
    ("sum", 3, UNSIGNED, None, "a + b * c - b"),
    ("ternary", 2, INTEGERS, None, "a < b ? a : b"),
]
# Operations in a type wider than the operands', where a narrower operation would be almost right.
WIDENED = ["x / (y | 1)", "x % (y | 1)", "x * y", "x - y", "min(x, y)", "max(x, y)", "x >> (y & 63)", "(W)((x >> 3) * (y >> 1))",
           "x < y ? x : y", "(x & 0xffffffff) / ((y & 0xff) + 1)"]
UNSIGNED_OF = dict(zip(SIGNED + UNSIGNED, UNSIGNED + UNSIGNED))

# name: (operands, expression, ULP limit for float, for double, low, high, corner cases included)
FLOAT_FUNCTIONS = {
    "acos": (1, "acos(a)", 4, 4, -1, 1, False), "acosh": (1, "acosh(a)", 4, 4, 1, 1000, False),
    "acospi": (1, "acospi(a)", 5, 5, -1, 1, False), "asin": (1, "asin(a)", 4, 4, -1, 1, False),
    "asinh": (1, "asinh(a)", 4, 4, -8, 8, False), "asinpi": (1, "asinpi(a)", 5, 5, -1, 1, False),
    "atan": (1, "atan(a)", 5, 5, -8, 8, True), "atan2": (2, "atan2(a, b)", 6, 6, -8, 8, False),
    "atanh": (1, "atanh(a)", 5, 5, -1, 1, False), "atanpi": (1, "atanpi(a)", 5, 5, -8, 8, False),
    "atan2pi": (2, "atan2pi(a, b)", 6, 6, -8, 8, False), "cbrt": (1, "cbrt(a)", 2, 2, -8, 8, False),
    "ceil": (1, "ceil(a)", 0, 0, -8, 8, True), "copysign": (2, "copysign(a, b)", 0, 0, -8, 8, False),
    "cos": (1, "cos(a)", 4, 4, -8, 8, True), "cosh": (1, "cosh(a)", 4, 4, -80, 80.5, False),
    "cospi": (1, "cospi(a)", 4, 4, -8, 8, False), "erf": (1, "erf(a)", 16, 16, -8, 8, False),
    "erfc": (1, "erfc(a)", 16, 16, -4, 8, False), "exp": (1, "exp(a)", 3, 3, -80, 80.5, False),
    "exp2": (1, "exp2(a)", 3, 3, -80, 80.5, False), "exp10": (1, "exp10(a)", 3, 3, -30, 30, False),
    "expm1": (1, "expm1(a)", 3, 3, -8, 8, False), "fabs": (1, "fabs(a)", 0, 0, -8, 8, True),
    "fdim": (2, "fdim(a, b)", 0, 0, -8, 8, False), "floor": (1, "floor(a)", 0, 0, -8, 8, True),
    "fma": (3, "fma(a, b, c)", 0, 0, -8, 8, True), "fmax": (2, "fmax(a, b)", 0, 0, -8, 8, True),
    "fmin": (2, "fmin(a, b)", 0, 0, -8, 8, True), "fmod": (2, "fmod(a, b)", 0, 0, -8, 8, False),
    "hypot": (2, "hypot(a, b)", 4, 4, -8, 8, False), "ldexp": (1, "ldexp(a, 5)", 0, 0, -8, 8, True),
    "log": (1, "log(a)", 3, 3, 0, 1000, False), "log2": (1, "log2(a)", 3, 3, 0, 1000, False),
    "log10": (1, "log10(a)", 3, 3, 0, 1000, False), "log1p": (1, "log1p(a)", 2, 2, 0, 1000, False),
    "logb": (1, "logb(a)", 0, 0, -8, 8, True), "maxmag": (2, "maxmag(a, b)", 0, 0, -8, 8, False),
    "minmag": (2, "minmag(a, b)", 0, 0, -8, 8, False), "nextafter": (2, "nextafter(a, b)", 0, 0, -8, 8, False),
    "pow": (2, "pow(fabs(a), b)", 16, 16, -8, 8, False), "powr": (2, "powr(fabs(a), b)", 16, 16, -8, 8, False),
    "remainder": (2, "remainder(a, b)", 0, 0, -8, 8, False), "rint": (1, "rint(a)", 0, 0, -8, 8, True),
    "round": (1, "round(a)", 0, 0, -8, 8, True), "rsqrt": (1, "rsqrt(a)", 2, 2, 0, 1000, False),
    "sin": (1, "sin(a)", 4, 4, -8, 8, True), "sinh": (1, "sinh(a)", 4, 4, -80, 80.5, False),
    "sinpi": (1, "sinpi(a)", 4, 4, -8, 8, False), "sqrt": (1, "sqrt(a)", 3, 0, 0, 1000, False),
    "tan": (1, "tan(a)", 5, 5, -1.5, 1.5, False), "tanh": (1, "tanh(a)", 5, 5, -8, 8, False),
    "tanpi": (1, "tanpi(a)", 6, 6, -0.4, 0.4, False), "tgamma": (1, "tgamma(a)", 16, 16, 0.5, 20, False),
    "trunc": (1, "trunc(a)", 0, 0, -8, 8, True), "mad_exact": (3, "a * b + c", 0, 0, -8, 8, True),
    "divide": (2, "a / b", 3, 0, -8, 8, False), "clamp": (3, "clamp(a, fmin(b, c), fmax(b, c))", 0, 0, -8, 8, False),
    "degrees": (1, "degrees(a)", 2, 2, -8, 8, False), "radians": (1, "radians(a)", 2, 2, -8, 8, False),
    "mix": (3, "mix(a, b, c / 8)", 4, 4, 1, 8, False), "sign": (1, "sign(a)", 0, 0, -8, 8, True),
    "step": (2, "step(a, b)", 0, 0, -8, 8, False), "smoothstep": (3, "smoothstep(0, 4, a + b * 0 + c * 0)", 32, 32, -1, 5, False),
    "max": (2, "max(a, b)", 0, 0, -8, 8, False), "min": (2, "min(a, b)", 0, 0, -8, 8, False),
    "lgamma": (1, "lgamma(a)", 16, 16, 0.5, 20, False), "mad": (3, "mad(a, b, c)", 2, 2, 0, 8, False),
    "sum": (2, "a + b", 0, 0, -8, 8, True), "difference": (2, "a - b", 0, 0, -8, 8, True), "product": (2, "a * b", 0, 0, -8, 8, True),
}

# For float only. The machine has nothing faster than the precise functions, so the precise bounds apply.
QUICK_FUNCTIONS = ["cos", "divide", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "recip", "rsqrt", "sin", "sqrt", "tan"]

# name: expression, the second result's type (None: that of the first), ULP limit, low, high
PAIR_FUNCTIONS = {
    "fract": ("fract(a, &s)", None, 0, -8, 8), "modf": ("modf(a, &s)", None, 0, -8, 8), "frexp": ("frexp(a, &s)", np.int32, 0, -8, 8),
    "sincos": ("sincos(a, &s)", None, 4, -8, 8), "lgamma_r": ("lgamma_r(a, &s)", np.int32, 16, 0.5, 20),
    "remquo": ("remquo(a, b, &s)", np.int32, 0, -8, 8),
}
# The operands are a float and a 32-bit integer. The integer's range comes last.
POWER_FUNCTIONS = {"pown": ("pown(a, b)", 16, 0.25, 4, -9, 9), "rootn": ("rootn(a, b)", 16, 0.25, 4, 1, 9),
                   "ldexp_k": ("ldexp(a, b)", 0, -8, 8, -20, 14)}

# name: (expression, ULP limit, low, high, is the result a scalar, vector widths)
GEOMETRIC_FUNCTIONS = {
    "dot": ("dot(a, b)", 4, 0, 8, True, (1, 2, 3, 4)), "length": ("length(a)", 6, -8, 8, True, (1, 2, 3, 4)),
    "distance": ("distance(a, b)", 6, -8, 8, True, (1, 2, 3, 4)), "normalize": ("normalize(a)", 6, -8, 8, False, (1, 2, 3, 4)),
    "fast_length": ("fast_length(a)", 6, -8, 8, True, (1, 2, 3, 4)), "fast_distance": ("fast_distance(a, b)", 6, -8, 8, True, (1, 2, 3, 4)),
    "fast_normalize": ("fast_normalize(a)", 6, -8, 8, False, (1, 2, 3, 4)), "cross": ("cross(a, b)", 0, -8, 8, False, (3, 4)),
}

# Comparisons and tests return 0 or 1 for scalars and 0 or -1 for vectors.
RELATIONS = {
    "isequal(a, b)": np.equal, "isnotequal(a, b)": np.not_equal, "isgreater(a, b)": np.greater, "isgreaterequal(a, b)": np.greater_equal,
    "isless(a, b)": np.less, "islessequal(a, b)": np.less_equal, "islessgreater(a, b)": lambda a, b: (a < b) | (a > b),
    "isordered(a, b)": lambda a, b: ~(np.isnan(a) | np.isnan(b)), "isunordered(a, b)": lambda a, b: np.isnan(a) | np.isnan(b),
    "isnan(a)": np.isnan, "isinf(a)": np.isinf, "isfinite(a)": np.isfinite, "signbit(a)": np.signbit,
    "isnormal(a)": lambda a: np.isfinite(a) & (np.abs(a) >= np.finfo(a.dtype).tiny),
    "a < b": np.less, "a <= b": np.less_equal, "a > b": np.greater, "a == b": np.equal, "a != b": np.not_equal,
    "!(a >= b)": lambda a, b: ~(a >= b), "!(a > b)": lambda a, b: ~(a > b), "!(a <= b)": lambda a, b: ~(a <= b),
    "!(a < b)": lambda a, b: ~(a < b), "(a < b) || (a > b)": lambda a, b: (a < b) | (a > b),
}
INTEGER_RELATIONS = ["a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "a && b", "a || b", "!a"]


def integer_kernels(random):
    for name, operands, types, result, expression in INTEGER_FUNCTIONS:
        for number, dtype in enumerate(types):
            for width in (1, WIDTHS[(number + len(name)) % len(WIDTHS)]):
                inputs = [integers(random, dtype, ITEMS * width) for _ in range(operands)]
                out = UNSIGNED_OF[dtype] if result == "unsigned" else dtype
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression_of(expression, dtype, width), inputs, out, width)


def expression_of(expression, dtype, width):
    """(T) is the element's type; a cast undoes the usual promotion of narrow scalars."""
    expression = expression.replace("(T)", f"({spelled(dtype)})")
    if width == 1 and np.dtype(dtype).itemsize < 4:
        return f"({spelled(dtype)})({expression})"
    return expression


def saturated(random):
    """Functions that PoCL 3.1 does not have (ctz) or computes wrongly (64-bit mad_sat), checked with Python's integers."""
    for number, dtype in enumerate(INTEGERS):
        bits, limits = 8 * np.dtype(dtype).itemsize, np.iinfo(dtype)
        for width in (1, WIDTHS[number % len(WIDTHS)]):
            values = [integers(random, dtype, ITEMS * width) for _ in range(3)]
            zeros = lambda a, bits=bits: np.array([min(bits, (v & -v).bit_length() - 1 if v else bits) for v in map(int, a)])
            yield elementwise(f"ctz_{spelled(dtype, width)}", "ctz(a)", values[:1], dtype, width, exact=zeros)
            if bits == 64:
                clamped = lambda a, b, c, l=limits: np.array([min(max(x * y + z, int(l.min)), int(l.max)) for x, y, z in
                                                              zip(a.tolist(), b.tolist(), c.tolist())], a.dtype)
                yield elementwise(f"mad_sat_{spelled(dtype, width)}", "mad_sat(a, b, c)", values, dtype, width, exact=clamped)


def wider_kernels(random):
    """upsample, and all of select, any and all."""
    for number, (dtype, wide) in enumerate(zip(INTEGERS, [np.int16, np.int32, np.int64, None, np.uint16, np.uint32, np.uint64, None])):
        unsigned, signed = UNSIGNED_OF[dtype], SIGNED[number % 4]
        for width in (1, WIDTHS[number % len(WIDTHS)]):
            values = [integers(random, kind, ITEMS * width) for kind in (dtype, unsigned)]
            kind = spelled(dtype, width)
            if wide:
                yield elementwise(f"upsample_{kind}", "upsample(a, b)", values, wide, width)
            for choice in (signed, unsigned):
                values = [integers(random, each, ITEMS * width) for each in (dtype, dtype, choice)]
                yield elementwise(f"select_{kind}_{spelled(choice)}", "select(a, b, c)", values, dtype, width)
            if dtype == signed:
                sparse = [values[0] & values[1] & values[2].astype(dtype)]
                for name in ("any", "all"):
                    yield elementwise(f"{name}_{kind}", f"{name}(a)", sparse, np.int32, width, result_width=1)
            for place, expression in enumerate(INTEGER_RELATIONS):
                pair = [integers(random, dtype, ITEMS * width) for _ in range(2 if "b" in expression else 1)]
                yield elementwise(f"compare{place}_{kind}", expression, pair, np.int32 if width == 1 else signed, width)


def widened_kernels(random):
    for dtype in [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32]:
        for wide in (np.int64, np.uint64) + ((np.int32,) if np.dtype(dtype).itemsize < 4 else ()):
            for number, expression in enumerate(WIDENED):
                inputs = [integers(random, dtype, ITEMS) for _ in range(2)]
                for name, operand in (("x", "a"), ("y", "b")):
                    expression = re.sub(rf"\b{name}\b", f"(W){operand}", expression)
                if wide == np.int32:
                    expression = expression.replace("& 63", "& 31")
                yield elementwise(f"widened{number}_{spelled(dtype)}_{spelled(wide)}", expression.replace("(W)", f"({spelled(wide)})"),
                                  inputs, wide)


def float_kernels(random):
    for number, (name, (operands, expression, limit32, limit64, low, high, special)) in enumerate(FLOAT_FUNCTIONS.items()):
        for dtype, limit in zip(FLOATS, (limit32, limit64)):
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                make = corners if special else lambda r, d, c: floats(r, d, c, low, high)
                inputs = [make(random, dtype, ITEMS * width) for _ in range(operands)]
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression, inputs, dtype, width, 2 * limit,
                                  exact=in_double(exact.FUNCTIONS[name]) if name in EXACT and dtype == np.float32 else None)
    for number, dtype in enumerate(FLOATS):
        bits = (np.int32, np.int64)[number]
        for width in (1, 2, 3, 4, 8, 16):
            values = [corners(random, dtype, ITEMS * width) for _ in range(2)] + [integers(random, bits, ITEMS * width)]
            yield elementwise(f"select_{spelled(dtype, width)}", "select(a, b, c)", values, dtype, width)
            numbers = [floats(random, dtype, ITEMS * width) for _ in range(2)]
            yield elementwise(f"bitselect_{spelled(dtype, width)}", f"as_{spelled(bits, width)}(bitselect(a, b, a * b))", numbers, bits, width)


def half_kernels(random):
    for number, (name, (operands, expression, limit, _, low, high, special)) in enumerate(FLOAT_FUNCTIONS.items()):
        function = exact.FUNCTIONS.get(name)
        for width in (1, WIDTHS[number % len(WIDTHS)]) if function else ():
            make = corners if special else lambda r, d, c: floats(r, d, c, low, high)
            inputs = [make(random, HALF, ITEMS * width) for _ in range(operands)]
            written = expression.replace("(0, 4,", "((half)0, (half)4,") if width == 1 else expression
            yield elementwise(f"{name}_{spelled(HALF, width)}", written, inputs, HALF, width, 1 if limit else 0, exact=in_double(function))
    for number, width in enumerate((1, 2, 3, 4, 8, 16)):
        values = [corners(random, HALF, ITEMS * width) for _ in range(2)] + [integers(random, np.int16, ITEMS * width)]
        picked = lambda a, b, c, w=width: np.where(c < 0 if w > 1 else c != 0, b, a)
        yield elementwise(f"select_{spelled(HALF, width)}", "select(a, b, c)", values, HALF, width, exact=picked)
        mixed = lambda a, b: (a.view(np.uint16) & ~b.view(np.uint16)) | (b.view(np.uint16) & b.view(np.uint16))
        yield elementwise(f"bitselect_{spelled(HALF, width)}", f"as_{spelled(np.uint16, width)}(bitselect(a, b, b))", values[:2],
                          np.uint16, width, exact=mixed)


def quick_kernels(random):
    """half_ and native_ functions, checked with numpy."""
    functions = {**exact.FUNCTIONS, "recip": lambda a: 1 / a}
    for number, name in enumerate(QUICK_FUNCTIONS):
        for prefix in ("half_", "native_"):
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                operands = 2 if name in ("divide", "powr") else 1
                low, high = (-1.5, 1.5) if name in ("sin", "cos", "tan") else (0.01, 8)
                inputs = [floats(random, np.float32, ITEMS * width, low, high) for _ in range(operands)]
                yield elementwise(f"{prefix}{name}_{spelled(np.float32, width)}", f"{prefix}{name}({', '.join('ab'[:operands])})", inputs,
                                  np.float32, width, 16 if name == "powr" else 4, exact=in_double(functions[name]))


def pair_kernels(random, types=FLOATS):
    """Functions with two results, the second through a private or global pointer, and functions with an integer
    operand."""
    for number, (name, (expression, kind, limit, low, high)) in enumerate(PAIR_FUNCTIONS.items()):
        for dtype in types:
            function = in_double(exact.FUNCTIONS[name]) if name in exact.FUNCTIONS and (dtype == HALF or name in EXACT_PAIRS) else None
            for width, far in ((1, True), (WIDTHS[number % len(WIDTHS)], False), (4, True)):
                if dtype == HALF and not function:
                    continue
                make = corners if name in ("fract", "modf") else lambda r, d, c: floats(r, d, c, low, high)
                inputs = [make(random, dtype, ITEMS * width) for _ in range(expression.count("b,") + 1)]
                yield elementwise(f"{name}_{spelled(dtype, width)}{'_far' * far}", expression, inputs, dtype, width, 2 * limit, function,
                                  second=kind or dtype, far=far)
    for number, (name, (expression, limit, low, high, least, most)) in enumerate(POWER_FUNCTIONS.items()):
        for dtype in types:
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                inputs = [floats(random, dtype, ITEMS * width, low, high), random.integers(least, most, ITEMS * width, np.int32)]
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression, inputs, dtype, width, 2 * limit,
                                  in_double(exact.FUNCTIONS[name]) if dtype == HALF else None)
    for number, dtype in enumerate(types):
        for width in (1, 3, 8):
            values = floats(random, dtype, ITEMS * width)
            values[values == 0] = 1
            yield elementwise(f"ilogb_{spelled(dtype, width)}", "ilogb(a)", [values], np.int32, width,
                              exact=in_double(exact.FUNCTIONS["ilogb"]) if dtype == HALF else None)
            code = {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
            yield elementwise(f"nan_{spelled(dtype, width)}", "nan(a)", [integers(random, code, ITEMS * width)], dtype, width,
                              exact=(lambda a: a * np.nan) if dtype == HALF else None)


# PoCL's sincos has the same errors as sin and cos.
EXACT_PAIRS = {"sincos"}


def geometric(name, width):
    """The function in numpy, over arrays of vectors."""
    def rows(values):
        return values.astype(np.float64).reshape(-1, width)
    def cross(a, b):
        outer = np.zeros_like(rows(a))
        outer[:, :3] = np.cross(rows(a)[:, :3], rows(b)[:, :3])
        return outer.reshape(-1)
    def normalize(a):
        return (rows(a) / np.linalg.norm(rows(a), axis=1, keepdims=True)).reshape(-1)
    return {"dot": lambda a, b: (rows(a) * rows(b)).sum(1), "length": lambda a: np.linalg.norm(rows(a), axis=1),
            "distance": lambda a, b: np.linalg.norm(rows(a) - rows(b), axis=1), "normalize": normalize, "cross": cross}[name.replace("fast_", "")]


def geometric_kernels(random, types=FLOATS):
    """All checked with numpy. Operands of cross are small integers, because its differences cancel."""
    for name, (expression, limit, low, high, single, widths) in GEOMETRIC_FUNCTIONS.items():
        for dtype in types:
            if dtype == np.float64 and name.startswith("fast_") or dtype == HALF and name.startswith("fast_"):
                continue
            for width in widths:
                inputs = [random.uniform(low, high, ITEMS * width).astype(dtype) for _ in range(2 if "b" in expression else 1)]
                if name == "cross":
                    inputs = [np.trunc(values) for values in inputs]
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression, inputs, dtype, width, min(limit, 2) if dtype == HALF else limit,
                                  geometric(name, width), result_width=1 if single else None)


def relation_kernels(random, types=((np.float32, np.int32), (np.float64, np.int64))):
    for dtype, vector in types:
        for number, (expression, function) in enumerate(RELATIONS.items()):
            operands = 2 if "b" in expression.replace("signbit", "") else 1
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                inputs = [corners(random, dtype, ITEMS * width) for _ in range(operands)]
                answer = (lambda *a, f=function, w=width: f(*a).astype(np.int32) * (1 if w == 1 else -1)) if dtype == HALF else None
                yield elementwise(f"relation{number}_{spelled(dtype, width)}", expression, inputs, np.int32 if width == 1 else vector, width,
                                  exact=answer)


def conversion_kernels(random):
    for source in INTEGERS + FLOATS:
        for target in INTEGERS + FLOATS:
            for number, mode in enumerate(("", "_sat", "_rte", "_rtz", "_rtp", "_rtn")):
                if mode == "_sat" and target in FLOATS:
                    continue
                width = 1 if number % 2 else 4
                yield conversion(random, source, target, mode, width)


def conversion(random, source, target, mode, width):
    """Without _sat, conversion of out-of-range floating point is undefined, so those inputs are kept small."""
    if source in INTEGERS:
        values = integers(random, source, ITEMS * width)
    elif mode == "_sat":
        values = corners(random, source, ITEMS * width)
    elif target in INTEGERS:
        high = min(float(np.iinfo(target).max) / 2, 6e4 if source is HALF else 1e6)
        values = random.uniform(0 if target in UNSIGNED else -high, high, ITEMS * width).astype(source)
    else:
        values = corners(random, source, ITEMS * width)
    function = f"convert_{spelled(target, width)}{mode}"
    return elementwise(f"{function}_of_{spelled(source)}", f"{function}(a)", [values], target, width)


def half_conversion_kernels(random):
    modes = ("", "_rte", "_rtz", "_rtp", "_rtn")
    for other in INTEGERS + FLOATS + [HALF]:
        for number, mode in enumerate(modes + (() if other in FLOATS + [HALF] else tuple("_sat" + m for m in modes))):
            width = (1, 4, 3)[number % 3]
            source, case = conversion(random, HALF, other, "_sat" if "_sat" in mode else mode, width)
            values = case.args[0]
            if other in INTEGERS and "_sat" not in mode:
                low, high = max(np.iinfo(other).min, -60000), min(np.iinfo(other).max, 60000)
                values = random.uniform(low, high, ITEMS * width).astype(HALF)
            name = f"convert_{spelled(other, width)}{mode}"
            yield elementwise(f"{name}_of_half", f"{name}(a)", [values], other, width,
                              exact=lambda a, t=other, m=mode: exact.converted(a, t, m.removeprefix("_sat")[1:]))
        for number, mode in enumerate(modes):
            width = (1, 2, 8)[number % 3]
            values = integers(random, other, ITEMS * width) if other in INTEGERS else corners(random, other, ITEMS * width)
            if other in INTEGERS:
                values[1::3] >>= max(0, 8 * values.itemsize - 17)
            name = f"convert_{spelled(HALF, width)}{mode}"
            yield elementwise(f"{name}_of_{spelled(other)}", f"{name}(a)", [values], HALF, width,
                              exact=lambda a, m=mode: exact.converted(a, HALF, m[1:]))


def packed(name, pairs, per_program, extension, header="", **more):
    """Packs kernels into programs of `per_program`, with `header` in front."""
    pairs = list(pairs)
    for first in range(0, len(pairs), per_program):
        part = pairs[first:first + per_program]
        cases = [case for _, case in part]
        pragmas = f"#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION {extension} : enable\n"
        yield Program(f"{name}{first // per_program}", pragmas + header + "\n".join(source for source, _ in part), cases,
                      **{key: value(cases) if callable(value) else value for key, value in more.items()})


def programs(seed=1, per_program=48):
    """Programs that PoCL runs, then those that it cannot run."""
    random = np.random.default_rng(seed)
    for name, kernels in [("integer", integer_kernels), ("wider", wider_kernels), ("widened", widened_kernels),
                          ("float", float_kernels), ("quick", quick_kernels),
                          ("pair", pair_kernels), ("geometric", geometric_kernels), ("relation", relation_kernels),
                          ("conversion", conversion_kernels)]:
        yield from packed(name, kernels(random), per_program, "cl_khr_fp64")
    yield from packed("saturated", saturated(random), per_program, "cl_khr_fp64", standard="CL2.0", reference=only_exact)
    for name, kernels in [("half", half_kernels(random)), ("half_pair", pair_kernels(random, [HALF])),
                          ("half_geometric", geometric_kernels(random, [HALF])),
                          ("half_relation", relation_kernels(random, [(HALF, np.int16)])), ("half_conversion", half_conversion_kernels(random))]:
        yield from packed(name, kernels, per_program, "cl_khr_fp16", reference=only_exact)
