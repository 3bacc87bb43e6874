"""Each built-in function for each type, scalar and in one vector width: programs of a dozen kernels.

ULP limits are those of the OpenCL C specification's table for the full profile; both sides may use them up, so
the bound between the two is twice the limit.
"""
import numpy as np

from harness import OPENCL_TYPES, Case, Program

ITEMS = 96
GROUP = 32
SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [np.float32, np.float64]
WIDTHS = [2, 3, 4, 8, 16]


def spelled(dtype, width=1):
    return OPENCL_TYPES[np.dtype(dtype).name] + (str(width) if width > 1 else "")


def integers(random, dtype, count):
    """All bit patterns, and the corners often."""
    limits = np.iinfo(dtype)
    values = np.frombuffer(random.bytes(count * np.dtype(dtype).itemsize), dtype).copy()
    corners = np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype)
    values[::5] = corners[random.integers(0, len(corners), len(values[::5]))]
    return values


def floats(random, dtype, count, low=-8.0, high=8.0):
    values = random.uniform(low, high, count)
    wide = np.exp2(random.uniform(-30, 30, count)) * random.choice([-1, 1], count)
    if low < 0 < high:
        values[1::3] = wide[1::3]
    elif low >= 0 and high > 100:
        values[1::3] = np.abs(wide[1::3])
    return values.astype(dtype)


def corners(random, dtype, count):
    """Floats with zeros, infinities, NaN, subnormals and large numbers among them."""
    info = np.finfo(dtype)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, info.tiny, -info.tiny, info.tiny / 4, info.max, -info.max, 1, -1,
                        0.5, -0.5, 1.5, 2.5, -2.5], dtype)
    values = floats(random, dtype, count)
    values[::4] = special[random.integers(0, len(special), len(values[::4]))]
    return values


# PoCL 3.1 computes these for float vectors with errors of thousands of ULP; numpy does it in double.
EXACT = {"sin": lambda a: np.sin(a.astype(np.float64)), "cos": lambda a: np.cos(a.astype(np.float64))}


def elementwise(name, expression, inputs, result, width=1, ulp=0, exact=None):
    """A kernel whose `expression` over a, b, c is applied to each element; returns (source, Case)."""
    params, loads = [], []
    for letter, values in zip("abc", inputs):
        kind = spelled(values.dtype)
        params.append(f"global const {kind} *p{letter}")
        load = f"p{letter}[i]" if width == 1 else f"vload{width}(i, p{letter})"
        loads.append(f"  {spelled(values.dtype, width)} {letter} = {load};")
    store = "out[i] = r;" if width == 1 else f"vstore{width}(r, i, out);"
    source = (f"kernel void {name}({', '.join(params)}, global {spelled(result)} *out) {{\n"
              f"  size_t i = get_global_id(0);\n" + "\n".join(loads) + "\n" +
              f"  {spelled(result, width)} r = {expression};\n  {store}\n}}\n")
    return source, Case(name, (ITEMS,), (GROUP,), list(inputs) + [np.zeros(ITEMS * width, result)], ulp, exact=exact)


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
    ("mad_sat", 3, [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32], None, "mad_sat(a, b, c)"),
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
UNSIGNED_OF = dict(zip(SIGNED + UNSIGNED, UNSIGNED + UNSIGNED))

# name: (operands, expression, ULP limit for float, for double, low, high, corner cases too)
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
    "mix": (3, "mix(a, b, (c + 8) / 16)", 8192, 8192, 1, 8, False), "sign": (1, "sign(a)", 0, 0, -8, 8, True),
    "step": (2, "step(a, b)", 0, 0, -8, 8, False), "smoothstep": (3, "smoothstep(0, 4, a + b * 0 + c * 0)", 32, 32, -1, 5, False),
    "max": (2, "max(a, b)", 0, 0, -8, 8, False), "min": (2, "min(a, b)", 0, 0, -8, 8, False),
}

# Comparisons and questions give 0 or 1 for scalars and 0 or -1 for vectors.
RELATIONS = ["isequal(a, b)", "isnotequal(a, b)", "isgreater(a, b)", "isgreaterequal(a, b)", "isless(a, b)", "islessequal(a, b)",
             "islessgreater(a, b)", "isordered(a, b)", "isunordered(a, b)", "isnan(a)", "isinf(a)", "isfinite(a)", "isnormal(a)",
             "signbit(a)", "a < b", "a == b", "a != b", "!(a >= b)"]


def integer_kernels(random):
    for name, operands, types, result, expression in INTEGER_FUNCTIONS:
        for number, dtype in enumerate(types):
            for width in (1, WIDTHS[(number + len(name)) % len(WIDTHS)]):
                inputs = [integers(random, dtype, ITEMS * width) for _ in range(operands)]
                out = UNSIGNED_OF[dtype] if result == "unsigned" else dtype
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression_of(expression, dtype, width), inputs, out, width)


def expression_of(expression, dtype, width):
    """(T) is the element's type; a cast keeps the operators' usual promotions out of narrow scalars."""
    expression = expression.replace("(T)", f"({spelled(dtype)})")
    if width == 1 and np.dtype(dtype).itemsize < 4:
        return f"({spelled(dtype)})({expression})"
    return expression


def float_kernels(random):
    for number, (name, (operands, expression, limit32, limit64, low, high, special)) in enumerate(FLOAT_FUNCTIONS.items()):
        for dtype, limit in zip(FLOATS, (limit32, limit64)):
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                make = corners if special else lambda r, d, c: floats(r, d, c, low, high)
                inputs = [make(random, dtype, ITEMS * width) for _ in range(operands)]
                yield elementwise(f"{name}_{spelled(dtype, width)}", expression, inputs, dtype, width, 2 * limit,
                                  exact=EXACT.get(name) if dtype == np.float32 else None)


def relation_kernels(random):
    for dtype, scalar, vector in ((np.float32, np.int32, np.int32), (np.float64, np.int32, np.int64)):
        for number, expression in enumerate(RELATIONS):
            operands = 2 if "b" in expression.replace("signbit", "") else 1
            for width in (1, WIDTHS[number % len(WIDTHS)]):
                inputs = [corners(random, dtype, ITEMS * width) for _ in range(operands)]
                result = scalar if width == 1 else vector
                yield elementwise(f"relation{number}_{spelled(dtype, width)}", expression, inputs, result, width)


def conversion_kernels(random):
    for source in INTEGERS + FLOATS:
        for target in INTEGERS + FLOATS:
            for number, mode in enumerate(("", "_sat", "_rte", "_rtz", "_rtp", "_rtn")):
                if mode == "_sat" and target in FLOATS:
                    continue
                width = 1 if number % 2 else 4
                yield conversion(random, source, target, mode, width)


def conversion(random, source, target, mode, width):
    """Out of range is undefined from floating point without _sat: those inputs are kept small."""
    if source in INTEGERS:
        values = integers(random, source, ITEMS * width)
    elif mode == "_sat":
        values = corners(random, source, ITEMS * width)
    elif target in INTEGERS:
        high = min(float(np.iinfo(target).max) / 2, 1e6)
        values = random.uniform(0 if target in UNSIGNED else -high, high, ITEMS * width).astype(source)
    else:
        values = corners(random, source, ITEMS * width)
    function = f"convert_{spelled(target, width)}{mode}"
    return elementwise(f"{function}_of_{spelled(source)}", f"{function}(a)", [values], target, width)


def programs(seed=1, per_program=24):
    random = np.random.default_rng(seed)
    families = [("integer", integer_kernels), ("float", float_kernels), ("relation", relation_kernels),
                ("conversion", conversion_kernels)]
    for family, kernels in families:
        pairs = list(kernels(random))
        for first in range(0, len(pairs), per_program):
            part = pairs[first:first + per_program]
            source = "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" + "\n".join(p[0] for p in part)
            yield Program(f"{family}{first // per_program}", source, [p[1] for p in part])
