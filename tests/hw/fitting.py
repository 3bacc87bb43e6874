"""Least squares on a simulator: observations, the search, and how sure what it finds is.

Residuals are logarithms of predicted over measured, each family weighing the same, under a soft-L1 loss, so that a few
rows that the model cannot explain do not bend the rest. The simulator is differenced by whole steps of each parameter;
SciPy's bounded least_squares solves the linearised problem inside a trust region; the outcome is rounded to whole values
and kept if the loss of the true predictions fell.
"""
import math

import needed

try:
    import numpy as np
    from scipy.optimize import least_squares
except ImportError as missing:
    needed.stop(missing, "python3-numpy", "python3-scipy")

from case import Unmodelled
from pick import configuration
from validate import plan

SCALE = 0.05  # residuals beyond about 5 % count linearly
STEPS = (1 / 8, 1 / 20, 1 / 50)  # of a value, by which it is differenced in the first round, the second, and all others
DAMPING = 1e-3  # of a whole trust region's way, in units of SCALE: what no row tells stays where it is
ALIKE = 1e-5  # directions whose part of the curvature is smaller are not told by the rows


def names_row(names, row):
    """Whether a row's family, test or a field, as name=value, is in `names`."""
    return row.family in names or row.test in names or any(f"{name}={value}" in names for name, value in row.fields.items())


class Observations:
    """Measured rows with their cases; predicts all or some of them on a machine with parameters set. `plan`: of rows that no
    family has."""

    def __init__(self, rows, runner, plan=plan):
        self.runner = runner
        self.rows, self.planned = [], []
        for row in rows:
            try:
                planned = plan(row)
            except Unmodelled:
                continue
            if row.value > 0:
                self.rows.append(row)
                self.planned.append(planned)
        self.measured = np.log([row.value for row in self.rows]) if self.rows else np.zeros(0)
        families = [row.family for row in self.rows]
        self.weights = np.array([len(families) / len(set(families)) / families.count(family) for family in families])
        runs = {}
        self.runs = np.array([runs.setdefault(configuration(row), len(runs)) for row in self.rows], int)

    def of(self, names):
        """Numbers of the rows that `names` name."""
        return np.array([i for i, row in enumerate(self.rows) if names_row(names, row)], int)

    def residuals(self, values, chosen=None):
        """log(predicted / measured) of the rows `chosen` (all) with `values` {parameter: whole number} set; a row that
        cannot be run counts as predicted by a factor of two."""
        chosen = range(len(self.rows)) if chosen is None else chosen
        outcomes = self.runner.run([self.planned[i][0] for i in chosen], self.runner.machine.having(values))
        residuals = np.full(len(chosen), math.log(2))
        for at, i in enumerate(chosen):
            case, metric = self.planned[i]
            try:
                predicted = metric(outcomes[case]) if not isinstance(outcomes[case], Unmodelled) else 0
            except Unmodelled:
                continue
            if predicted > 0:
                residuals[at] = math.log(predicted) - self.measured[i]
        return residuals

    def errors(self, residuals):
        """{family: mean absolute error as a fraction}"""
        families = {}
        for row, residual in zip(self.rows, residuals):
            families.setdefault(row.family, []).append(abs(math.expm1(residual)))
        return {family: sum(values) / len(values) for family, values in families.items()}


def loss(residuals, weights=None):
    """Weighted mean soft-L1 loss."""
    if not len(residuals):
        return 0.0
    return float(np.average(2 * (np.sqrt(1 + (residuals / SCALE) ** 2) - 1), weights=weights))


def mean_error(residuals):
    """Mean absolute error, as a fraction."""
    return float(np.mean(np.abs(np.expm1(residuals)))) if len(residuals) else 0.0


class Fit:
    """What came of a fit. `values`: {parameter: whole number}; `half_width`: 95 % interval, in the parameter's unit, NaN
    where no row depends on it, infinite where rows tell it only together with others; `tied`: {parameter: parameters that the rows do not tell it from}; `informing`:
    {parameter: [(relative change of the prediction a unit, row), ...]}, the most informative first."""

    def __init__(self, values, start, residuals_before, residuals, half_width=None, tied=None, informing=None):
        self.values, self.start = values, start
        self.residuals_before, self.residuals = residuals_before, residuals
        self.half_width, self.tied, self.informing = half_width or {}, tied or {}, informing or {}


class _Search:
    """One fit: the values so far, and what the last differences said."""

    def __init__(self, observations, start, bounds, informs, chosen, fixed, told):
        self.observations, self.bounds, self.told, self.fixed = observations, bounds, told, fixed
        self.chosen = chosen
        place = {row: at for at, row in enumerate(chosen)}
        self.informs = {key: np.array([place[i] for i in observations.of(informs[key]) if i in place], int) for key in start}
        self.live = dict(self.informs)
        self.weights = observations.weights[chosen]
        self.values = dict(start)
        self.residuals = self.predict(start, chosen)
        self.best_move = None

    def predict(self, values, chosen):
        return self.observations.residuals({**self.fixed, **values}, chosen)

    def loss(self, residuals):
        return loss(residuals, self.weights)

    def _moved(self, key, value, residuals):
        """All residuals with one parameter moved; remembers the move that helps most."""
        rows = self.live[key]
        moved = self.residuals.copy()
        moved[rows] = self.predict({**self.values, key: value}, self.chosen[rows])
        if self.best_move is None or self.loss(moved) < self.best_move[0]:
            self.best_move = self.loss(moved), key, value, moved
        return moved

    def jacobian(self, part, both):
        """d residual / d parameter by a step of `part` of the value, up and down if `both`."""
        jacobian = np.zeros((len(self.chosen), len(self.values)))
        self.best_move = None
        for column, (key, value) in enumerate(self.values.items()):
            self.told(f"difference {column + 1} of {len(self.values)}, {key}")
            if not len(self.live[key]):
                continue
            low, high = self.bounds[key]
            step = max(1, round(value * part))
            up, down = min(high, value + step), max(low, value - step)
            if not both:
                up, down = (up, value) if up > value else (value, down)
            above = self._moved(key, up, self.residuals) if up > value else self.residuals
            below = self._moved(key, down, self.residuals) if down < value else self.residuals
            jacobian[:, column] = (above - below) / max(1, up - down)
        return jacobian

    def propose(self, jacobian, trust):
        """Whole values that the linearised problem likes best, each at most `trust` of itself away."""
        keys = list(self.values)
        at = np.array([self.values[key] for key in keys], float)
        reach = np.maximum(1.0, trust * np.maximum(1.0, at))
        low = np.maximum([self.bounds[key][0] for key in keys], at - reach) - at
        high = np.minimum([self.bounds[key][1] for key in keys], at + reach) - at
        moves = (low < high) & (np.abs(jacobian).max(axis=0) > 0)
        if not moves.any():
            return dict(self.values)
        unit, root = reach[moves], np.sqrt(self.weights)
        slope, still = root[:, None] * jacobian[:, moves] * unit, SCALE * DAMPING * np.eye(int(moves.sum()))
        solved = least_squares(lambda x: np.concatenate([root * self.residuals + slope @ x, still @ x]),
                               np.zeros(len(unit)), jac=lambda x: np.vstack([slope, still]), loss="soft_l1", f_scale=SCALE,
                               bounds=(low[moves] / unit - 1e-9, high[moves] / unit + 1e-9))
        shift = np.zeros(len(keys))
        shift[moves] = solved.x * unit
        return {key: int(round(at[i] + shift[i])) for i, key in enumerate(keys)}

    def step(self, jacobian, trust):
        """Takes the first proposal that helps, with less and less trust; else the single move that helps most. The trust
        that is left, or None if nothing helps."""
        now = self.loss(self.residuals)
        while trust > 0.01:
            self.told("trying")
            proposed = self.propose(jacobian, trust)
            if proposed == self.values:
                break
            tried = self.predict(proposed, self.chosen)
            if self.loss(tried) < now:
                self.values, self.residuals = proposed, tried
                return min(0.5, 2 * trust)
            trust /= 4
        if self.best_move and self.best_move[0] < now:
            _, key, value, self.residuals = self.best_move
            self.values = {**self.values, key: value}
            return 0.1
        return None

    def rounds(self, count):
        """At most `count` rounds; the last ones look both ways, which takes twice as long."""
        trust, both = 0.5, False
        for at in range(count):
            before = self.loss(self.residuals)
            jacobian = self.jacobian(STEPS[min(at, len(STEPS) - 1)], both)
            # What a large step does not move is left out of the smaller ones.
            self.live = {key: rows[np.abs(jacobian[rows, column]) > 0]
                         for column, (key, rows) in enumerate(self.live.items())}
            trust = self.step(jacobian, trust)
            stuck = trust is None or (at + 1 >= len(STEPS) and self.loss(self.residuals) > 0.995 * before)
            if stuck and both:
                break
            trust, both = (0.5, True) if stuck else (trust, both)
        self.live = dict(self.informs)


def _curvature(jacobian, residuals, weights):
    """(curvature of the loss, the rows' pulls at it) of the linearised problem."""
    robust = weights / np.sqrt(1 + (residuals / SCALE) ** 2)
    return jacobian.T @ (robust[:, None] * jacobian), (robust * residuals)[:, None] * jacobian


def half_widths(jacobian, residuals, weights, runs):
    """95 % half widths (NaN: no row depends on it; infinite: not told from others), and for each column those that it is not
    told from. Rows of one run err together (`runs`: the run's number of each); the variance is what the runs' pulls at the
    optimum scatter by."""
    count = jacobian.shape[1]
    widths, tied = np.full(count, np.nan), [[] for _ in range(count)]
    used = np.flatnonzero(np.abs(jacobian).max(axis=0) > 1e-9) if len(residuals) else np.zeros(0, int)
    if not len(used):
        return widths, tied
    curvature, pulls = _curvature(jacobian[:, used], residuals, weights)
    unit = np.sqrt(np.diag(curvature))
    values, vectors = np.linalg.eigh(curvature / np.outer(unit, unit))
    for flat in np.flatnonzero(values < ALIKE * len(used)):
        among = np.flatnonzero(np.abs(vectors[:, flat]) > 0.1)
        for i in among:
            tied[used[i]] += [int(used[j]) for j in among if j != i and used[j] not in tied[used[i]]]
    of_runs = np.zeros((int(runs.max()) + 1, len(used)))
    np.add.at(of_runs, runs, pulls / unit)
    spread = max(1.0, len(of_runs) / max(1, len(of_runs) - len(used)))
    inverse = vectors @ np.diag(1 / np.maximum(values, ALIKE * len(used))) @ vectors.T
    variance = spread * np.diag(inverse @ (of_runs.T @ of_runs) @ inverse)
    # A whole value is no surer than to half a unit.
    widths[used] = np.maximum(0.5, 1.96 * np.sqrt(np.maximum(0, variance)) / unit)
    widths[[column for column in used if tied[column]]] = np.inf
    return widths, tied


def fit(observations, start, bounds, informs, rounds, only=None, fixed=None, intervals=True, told=lambda text: None):
    """Fits the parameters of `start` {key: value} inside `bounds` {key: (low, high)} to the rows that `only` names
    (all), with the parameters of `fixed` at their values; `informs` {key: names of the rows that tell it}: others count as if they did not depend on it, which saves runs. `told` is called with what is being done."""
    chosen = np.arange(len(observations.rows)) if only is None else observations.of(only)
    search = _Search(observations, start, bounds, informs, chosen, fixed or {}, told)
    before = search.residuals
    search.rounds(rounds)
    if not intervals:
        return Fit(search.values, dict(start), before, search.residuals)
    jacobian = search.jacobian(STEPS[-1], both=True)
    widths, tied = half_widths(jacobian, search.residuals, search.weights, observations.runs[chosen])
    keys, informing = list(start), {}
    for column, key in enumerate(keys):
        order = np.argsort(-np.abs(jacobian[:, column]))
        informing[key] = [(float(jacobian[i, column]), observations.rows[chosen[i]]) for i in order
                          if abs(jacobian[i, column]) > 1e-4]
    return Fit(search.values, dict(start), before, search.residuals, dict(zip(keys, map(float, widths))),
               {key: [keys[i] for i in tied[column]] for column, key in enumerate(keys)}, informing)
