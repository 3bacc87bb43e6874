"""How much each axis matters: elasticities around a point, and shares of the variance over all points.

Axes that change together (a zip) are one factor. docs/sweep-analysis.md has the formulas.
"""
from __future__ import annotations

import dataclasses
import itertools
import math
import typing

import numpy
import pandas

from .._arrays import Floats, Whole
from .answers import Objective, fixed_at, measured, objective
from ._errors import SweepError
from .store import Store, numbers_or_words

legvander: typing.Callable[[Floats, int], Floats] = numpy.polynomial.legendre.legvander  # numpy has no type for it
Term = typing.Tuple[int, ...]  # factors, each repeated as often as its degree

MOST_POINTS, MOST_TERMS, MOST_DEGREE = 10000, 400, 10  # of the fit to a sample
LEAST_KEPT = .25  # the share of a factor's values that part of a grid must have with all other factors equal


# ---- around a point --------------------------------------------------------------------------------

def around(store: Store, by: str | None = None, where: str | None = None,
           at: typing.Sequence[str] = ()) -> tuple[pandas.DataFrame, pandas.Series]:
    """The elasticity and the swing of each factor around a point: the best one, or the best at `at`.

    Returns a frame by factor, and the point as a row. elasticity: the change of the objective in per cent for a change
    of the axis by one per cent. low, high: the least and the largest objective when this factor alone takes all its
    values in the store; low_at, high_at: the factor's values there. A factor is left out if no other point differs in
    it alone. Raises SweepError.
    """
    one = objective(store, by)
    points = measured(store, [one], where)
    chosen = fixed_at(store, points, at)
    base = points.loc[chosen.index[int(numpy.argmin(one.loss(chosen)))]]
    same = pandas.DataFrame({axis: points[axis] == base[axis] for axis in store.axes})
    rows = []
    for factor in store.factors:
        others = [axis for axis in store.axes if axis not in factor]
        line = points[same[others].all(axis=1)]
        if len(line) > 1:
            rows.append(_row(one, factor, line, base))
    table = pandas.DataFrame(rows, columns=["factor", "at", "elasticity", "from", "low", "low_at", "high", "high_at",
                                            "swing"])
    return table.sort_values("swing", ascending=False, kind="stable").reset_index(drop=True), base


def _row(one: Objective, factor: typing.Sequence[str], line: pandas.DataFrame,
         base: pandas.Series) -> tuple[object, ...]:
    values = one.value(line)
    low, high = line.iloc[int(values.argmin())], line.iloc[int(values.argmax())]
    elasticity, neighbors = _elasticity(factor, line, base, one.text)
    return (name_of(factor), at(factor, base), elasticity, neighbors, values.min(), at(factor, low), values.max(),
            at(factor, high), values.max() - values.min())


def _elasticity(factor: typing.Sequence[str], line: pandas.DataFrame, base: pandas.Series,
                text: str) -> tuple[float, str]:
    """d ln y / d ln x between the nearest values on both sides of the point, or from the point to one side at an
    end."""
    axis = next((axis for axis in factor if line[axis].dtype.kind in "biuf"), None)
    if axis is None:
        return math.nan, "words"
    line = line.drop_duplicates(axis).sort_values(axis).reset_index(drop=True)
    place = int((line[axis] == base[axis]).argmax())
    first, last = line.iloc[max(place - 1, 0)], line.iloc[min(place + 1, len(line) - 1)]
    if first[axis] == last[axis]:
        return math.nan, "none"
    neighbors = f"{first[axis]:g}..{last[axis]:g}"
    if min(first[axis], first[text], last[text]) > 0:
        return math.log(last[text] / first[text]) / math.log(last[axis] / first[axis]), neighbors
    if base[text] == 0:
        return math.nan, neighbors
    slope = (last[text] - first[text]) / (last[axis] - first[axis])
    return slope * base[axis] / base[text], neighbors + " linear"


def name_of(factor: typing.Sequence[str]) -> str:
    """A factor's name: its axes."""
    return "+".join(factor)


def at(factor: typing.Sequence[str], row: pandas.Series) -> str:
    """A factor's value at a point."""
    return "/".join(f"{row[axis]:g}" if isinstance(row[axis], (int, float, numpy.number)) else str(row[axis])
                    for axis in factor)


# ---- over all points -------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Shares:
    """Shares of the objective's variance.

    table: a frame by factor with `first` (the factor alone) and `total` (with its interactions with other factors).
    how: `grid` (exact, for a complete grid), `part` (exact, for the points that a grid has) or `fit`. explained: for a
    fit, the share of the variance that it predicts for points that were left out.
    """
    table: pandas.DataFrame
    how: str
    points: int
    explained: float = 1.


def over_all(store: Store, by: str | None = None, where: str | None = None) -> Shares:
    """Shares of the variance: exact if the points are of a grid, else from polynomials fitted to them.

    by, where: as in answers.best(). Raises SweepError if there is no variance, or too few points for a fit.
    """
    one = objective(store, by)
    points = measured(store, [one], where)
    codes, names = [], []
    for factor in store.factors:
        code = levels_of(points, factor)
        if code.max() > 0:
            codes.append(code)
            names.append(name_of(factor))
    values = points[one.text].to_numpy()
    if not codes or numpy.ptp(values) == 0:
        raise SweepError(f"{store.path}: {one.text} is the same in all {len(points)} points, so there is no variance to share")
    return shares(numpy.column_stack(codes), values, names, is_of_grid(store, points))


def is_of_grid(store: Store, points: pandas.DataFrame) -> bool:
    """Whether the points' numbers are those of a grid, whose last factor varies fastest. Samples are numbered
    otherwise.
    """
    numbers = numpy.zeros(len(points))
    for factor in store.factors:
        words = numbers_or_words(pandas.Series(store.words[factor[0]], dtype=object))
        places = points[factor[0]].map({value: place for place, value in enumerate(words)})
        numbers = numbers * len(words) + places.to_numpy(dtype=float)
    return bool((numbers == points["number"]).all())


def shares(codes: Whole, values: Floats, names: list[str], of_grid: bool = False) -> Shares:
    """Shares from arrays: for each point the number of each factor's level, and the objective's value."""
    shape = tuple(int(size) for size in codes.max(axis=0) + 1)
    groups = [groups_of(numpy.delete(codes, factor, axis=1)) for factor in range(len(shape))]
    kept = [len(values) / (group.max() + 1) for group in groups]  # mean number of values with all other factors equal
    explained = 1.
    if math.prod(shape) == len(values) == len(numpy.unique(codes, axis=0)):
        how = "grid"
    elif of_grid and all(mean >= max(LEAST_KEPT * size, 1.3) for mean, size in zip(kept, shape)):
        how = "part"
    else:
        how = "fit"
    if how == "fit":
        first, total, explained = fit_shares(codes, values)
    else:
        first, total = exact_shares(codes, groups, values)
    table = pandas.DataFrame({"factor": names, "levels": shape, "first": first, "total": total})
    table = table.sort_values("total", ascending=False, kind="stable").reset_index(drop=True)
    return Shares(table, how, len(values), explained)


def groups_of(codes: Whole) -> Whole:
    """For each point the number of its group: points of one group have equal rows."""
    if codes.shape[1] == 0:
        return numpy.zeros(len(codes), dtype=int)
    return numpy.unique(codes, axis=0, return_inverse=True)[1].ravel()


def exact_shares(codes: Whole, groups: list[Whole], values: Floats) -> tuple[Floats, Floats]:
    """First-order and total shares of equally likely points: V(E(y | factor)) and E(V(y | all others)), over V.
    groups: for each factor, the points with all other factors equal."""
    values = values - values.mean()
    power = values @ values
    first = [means_power(code, values) / power for code in codes.T]
    total = [1 - means_power(group, values) / power for group in groups]
    return numpy.array(first), numpy.maximum(total, 0)


def means_power(group: Whole, values: Floats) -> float:
    """The sum over points of the square of their group's mean."""
    return float((numpy.bincount(group, values) ** 2 / numpy.bincount(group)).sum())


def levels_of(points: pandas.DataFrame, factor: typing.Sequence[str]) -> Whole:
    """For each point the number of the factor's value, in ascending order; words in the order of their first points."""
    columns = [points[axis] if points[axis].dtype.kind in "biuf" else pandas.factorize(points[axis])[0]
               for axis in factor]
    rows: Floats = numpy.column_stack([numpy.asarray(column, dtype=float) for column in columns])
    return numpy.unique(rows, axis=0, return_inverse=True)[1].ravel()


def fit_shares(codes: Whole, values: Floats) -> tuple[Floats, Floats, float]:
    """First-order and total shares from polynomials that are orthogonal over each factor's levels, fitted to points.

    The degree is the one that best predicts points that were left out of the fit. Returns both shares, and the share of
    the variance that it predicts.
    """
    if len(values) > MOST_POINTS:
        rows = numpy.linspace(0, len(values) - 1, MOST_POINTS).astype(int)
        codes, values = codes[rows], values[rows]
    values = values - values.mean()
    bases = [orthogonal(codes[:, factor]) for factor in range(codes.shape[1])]
    chosen, least = None, math.inf
    for degree in range(1, MOST_DEGREE + 1):
        terms = terms_of([base.shape[1] for base in bases], degree)
        if len(terms) > min(MOST_TERMS, len(values) // 2) or (chosen and len(terms) == len(chosen[0])):
            break
        design = design_of(bases, terms)
        weights, left_out = fit(design, values)
        if left_out < least:
            chosen, least = (terms, design * weights), left_out
    if chosen is None:
        raise SweepError(f"{len(values)} points are too few for {codes.shape[1]} axes: "
                         f"expected {2 * (codes.shape[1] + 1)} or more")
    terms, parts = chosen
    share = (parts - parts.mean(axis=0)).T @ values / (values @ values)
    alone = [sum(share[row] for row, term in enumerate(terms) if set(term) == {factor})
             for factor in range(len(bases))]
    with_others = [sum(share[row] for row, term in enumerate(terms) if factor in term) for factor in range(len(bases))]
    return numpy.array(alone), numpy.array(with_others), 1 - least / values.var()


def orthogonal(code: Whole) -> Floats:
    """Polynomials of degree 1, 2, ... over the levels of a factor, of mean 0 and mean square 1 over the points."""
    number, weight = numpy.arange(code.max() + 1), numpy.bincount(code) / len(code)
    degrees = min(code.max(), MOST_DEGREE)
    powers: Floats = legvander(2 * number / number[-1] - 1, degrees)
    basis: Floats = numpy.linalg.qr(powers * numpy.sqrt(weight)[:, None])[0] / numpy.sqrt(weight)[:, None]
    polynomials: Floats = basis[code, 1:]
    return polynomials


def terms_of(degrees: list[int], degree: int) -> list[Term]:
    """Products with a total degree of at most `degree`, as tuples in which each factor occurs as often as its degree;
    () is 1."""
    return [term for size in range(degree + 1)
            for term in itertools.combinations_with_replacement(range(len(degrees)), size)
            if all(term.count(factor) <= degrees[factor] for factor in set(term))]


def design_of(bases: list[Floats], terms: list[Term]) -> Floats:
    """A column for each term."""
    columns = [numpy.prod([bases[factor][:, term.count(factor) - 1] for factor in set(term)], axis=0) if term
               else numpy.ones(len(bases[0])) for term in terms]
    return numpy.column_stack(columns)


def fit(design: Floats, values: Floats) -> tuple[Floats, float]:
    """Least-squares weights, and the mean square error when each point is predicted by a fit to all others."""
    size, vectors = numpy.linalg.eigh(design.T @ design)
    kept = size > size[-1] * 1e-11  # with constraints, some terms may be indistinguishable at the remaining points
    whitened = design @ (vectors[:, kept] / numpy.sqrt(size[kept]))
    weights = vectors[:, kept] / numpy.sqrt(size[kept]) @ (whitened.T @ values)
    leverage = numpy.minimum((whitened ** 2).sum(axis=1), 1 - 1e-9)
    return weights, float((((values - design @ weights) / (1 - leverage)) ** 2).mean())
