"""Built-in functions in numpy, in double precision: the reference where PoCL has no answer (halves, OpenCL C 2.0) or a
wrong one.

Each takes arrays of doubles and returns one array or a tuple. Names are those of functions.FLOAT_FUNCTIONS.
"""
import math

import numpy as np


def each(function):
    """Applies a function to one element at a time; domain and range errors of Python's math become NaN and infinity."""
    def safe(*values):
        try:
            return function(*values)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return lambda *arrays: np.array([safe(*map(float, values)) for values in zip(*arrays)])


def away(a):
    """Ties round away from zero."""
    return np.copysign(np.floor(np.abs(a) + 0.5), a)


def logb(a):
    return np.where(a == 0, -np.inf, np.where(np.isfinite(a), np.frexp(a)[1] - 1.0, np.abs(a)))


def magnitude(larger):
    def choose(a, b):
        one, other = (np.abs(a), np.abs(b)) if larger else (-np.abs(a), -np.abs(b))
        return np.where(one > other, a, np.where(other > one, b, (np.fmax if larger else np.fmin)(a, b)))
    return choose


def nextafter16(a, b):
    return np.nextafter(a.astype(np.float16), b.astype(np.float16))


def quotient(a, b):
    """The low 7 bits of the quotient that belongs to remainder(), with its sign."""
    whole = np.rint((a - each(math.remainder)(a, b)) / b)
    return np.sign(whole) * np.fmod(np.abs(whole), 128)


def smoothstep(low, high, x):
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def tanpi(a):
    """The poles between an even number and the next odd one are +inf, the others -inf."""
    turn = np.remainder(a, 2)
    return np.where(turn == 0.5, np.inf, np.where(turn == 1.5, -np.inf, np.tan(np.pi * turn)))


def fma(a, b, c):
    """Products of halves are exact in double; for moderate values, so are the sums, or they round the same way."""
    return a * b + c


FUNCTIONS = {
    "acos": np.arccos, "acosh": np.arccosh, "acospi": lambda a: np.arccos(a) / np.pi, "asin": np.arcsin, "asinh": np.arcsinh,
    "asinpi": lambda a: np.arcsin(a) / np.pi, "atan": np.arctan, "atan2": np.arctan2, "atanh": np.arctanh,
    "atanpi": lambda a: np.arctan(a) / np.pi, "atan2pi": lambda a, b: np.arctan2(a, b) / np.pi, "cbrt": np.cbrt, "ceil": np.ceil,
    "copysign": np.copysign, "cos": np.cos, "cosh": np.cosh, "cospi": lambda a: np.cos(np.pi * np.remainder(a, 2)),
    "erf": each(math.erf), "erfc": each(math.erfc), "exp": np.exp, "exp2": np.exp2, "exp10": lambda a: np.power(10.0, a),
    "expm1": np.expm1, "fabs": np.abs, "fdim": lambda a, b: np.where(a > b, a - b, 0 * (a + b)), "floor": np.floor, "fma": fma,
    "fmax": np.fmax, "fmin": np.fmin, "fmod": np.fmod, "hypot": np.hypot, "ldexp": lambda a: a * 32, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "logb": logb, "maxmag": magnitude(True), "minmag": magnitude(False),
    "nextafter": nextafter16, "pow": lambda a, b: np.power(np.abs(a), b), "powr": lambda a, b: np.power(np.abs(a), b),
    "remainder": each(math.remainder), "rint": np.rint, "round": away, "rsqrt": lambda a: 1 / np.sqrt(a), "sin": np.sin,
    "sinh": np.sinh, "sinpi": lambda a: np.sin(np.pi * np.remainder(a, 2)), "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh,
    "tanpi": tanpi, "tgamma": each(math.gamma), "lgamma": each(math.lgamma), "trunc": np.trunc,
    "divide": lambda a, b: a / b, "clamp": lambda a, b, c: np.minimum(np.maximum(a, np.fmin(b, c)), np.fmax(b, c)),
    "degrees": np.degrees, "radians": np.radians, "sign": lambda a: np.where(np.isnan(a), 0, np.sign(a)),
    "step": lambda a, b: np.where(b < a, 0.0, 1.0), "max": np.maximum, "min": np.minimum,
    "mix": lambda a, b, c: a + (b - a) * (c / 8), "smoothstep": lambda a, b, c: smoothstep(0, 4, a),
    "mad": fma, "remquo": lambda a, b: (each(math.remainder)(a, b), quotient(a, b)),
    "sum": lambda a, b: a + b, "difference": lambda a, b: a - b, "product": lambda a, b: a * b,
    "fract": lambda a: (np.where(np.isinf(a), 0, np.minimum(a - np.floor(a), 1 - 2.0**-11)), np.floor(a)),
    "modf": lambda a: (np.where(np.isinf(a), 0, a - np.trunc(a)), np.trunc(a)),
    "frexp": np.frexp, "sincos": lambda a: (np.sin(a), np.cos(a)),
    "lgamma_r": lambda a: (each(math.lgamma)(a), each(lambda x: -1 if x < 0 and math.floor(x) % 2 else 1)(a)),
    "pown": lambda a, k: np.power(a, k), "ldexp_k": np.ldexp,
    "rootn": lambda a, k: np.sign(a) * np.power(np.abs(a), 1.0 / k), "ilogb": lambda a: np.frexp(a)[1] - 1.0,
}


# ---- conversions -----------------------------------------------------------------------------------

def to_half(values, mode):
    """The half that the rounding mode selects from those on both sides of each value. 64-bit integers are exact in long
    double."""
    exactly = values.astype(np.longdouble)
    near = np.clip(exactly, -65504, 65504).astype(np.float64).astype(np.float16)
    below = np.where(near > exactly, np.nextafter(near, np.float16(-np.inf)), near)
    above = np.where(near < exactly, np.nextafter(near, np.float16(np.inf)), near)
    infinite = {np.inf: np.longdouble(65536), -np.inf: np.longdouble(-65536)}
    low, high = below.astype(np.longdouble), above.astype(np.longdouble)
    for infinity, instead in infinite.items():
        low, high = np.where(low == infinity, instead, low), np.where(high == infinity, instead, high)
    even = (below.view(np.uint16) & 1) == 0
    nearest = np.where((exactly - low < high - exactly) | ((exactly - low == high - exactly) & even), below, above)
    taken = {"rtp": above, "rtn": below, "rtz": np.where(exactly > 0, below, above)}.get(mode, nearest)
    return np.where(np.isfinite(exactly), taken, exactly.astype(np.float16)).astype(np.float16)


def converted(values, dtype, mode):
    """convert_ of OpenCL C to or from halves, saturating if `dtype` is an integer."""
    if dtype == np.float16:
        return to_half(values, mode)
    if np.dtype(dtype).kind == "f":
        return values.astype(dtype)
    rounded = {"rtp": np.ceil, "rtn": np.floor, "rte": np.rint}.get(mode, np.trunc)(values.astype(np.float64))
    limits = np.iinfo(dtype)
    whole = [0 if np.isnan(v) else limits.max if v > limits.max else limits.min if v < limits.min else int(v) for v in rounded]
    return np.array(whole, dtype)
