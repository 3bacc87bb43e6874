"""Least squares on a simulator: observations, the search, and the certainty of its results.

Residuals are logarithms of predicted over measured. Each family has the same weight, and a soft-L1 loss keeps a few
rows that the model cannot explain from distorting the rest. Derivatives are differences over whole steps of each
parameter. SciPy's bounded least_squares solves the linearized problem within a trust region; the result is rounded to
whole values and kept if the loss of the true predictions fell.
"""
import math

import needed

try:
    import numpy as np
    from scipy.optimize import least_squares
except ImportError as missing:
    needed.stop(missing, "python3-numpy", "python3-scipy")

from case import Unmodeled
from pick import configuration
from validate import plan

SCALE = 0.05  # residuals beyond about 5 % count linearly
STEPS = (1 / 8, 1 / 20, 1 / 50)  # relative step of a value in the first round, the second, and all others
DAMPING = 1e-3  # of moving by a whole trust region, in units of SCALE: a value on which no row depends does not move
ALIKE = 1e-5  # the rows do not determine directions with a smaller share of the curvature


def names_row(names, row):
    """Whether a row's family, test or a field, as name=value, is in `names`."""
    return row.family in names or row.test in names or any(f"{name}={value}" in names for name, value in row.fields.items())


class Observations:
    """Measured rows with their cases; predicts all or some of them on a machine with parameters set. `plan`: the
    planner for rows that belong to no family."""

    def __init__(self, rows, runner, plan=plan):
        self.runner = runner
        self.rows, self.planned = [], []
        for row in rows:
            try:
                planned = plan(row)
            except Unmodeled:
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
        """The indices of the rows that `names` select."""
        return np.array([i for i, row in enumerate(self.rows) if names_row(names, row)], int)

    def residuals(self, values, chosen=None):
        """log(predicted / measured) of the rows `chosen` (None: all) with `values` {parameter: whole number} set. A row
        that cannot run counts as wrong by a factor of two."""
        chosen = range(len(self.rows)) if chosen is None else chosen
        outcomes = self.runner.run([self.planned[i][0] for i in chosen], self.runner.machine.having(values))
        residuals = np.full(len(chosen), math.log(2))
        for at, i in enumerate(chosen):
            case, metric = self.planned[i]
            try:
                predicted = metric(outcomes[case]) if not isinstance(outcomes[case], Unmodeled) else 0
            except Unmodeled:
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
    """The result of a fit.

    `values`: {parameter: whole number}. `half_width`: of the 95 % interval, in the parameter's unit; NaN if no row
    depends on it, infinite if rows determine it only together with others. `tied`: {parameter: parameters from which
    the rows cannot separate it}. `informing`: {parameter: [(relative change of the prediction per unit, row), ...]},
    the most informative rows first."""

    def __init__(self, values, start, residuals_before, residuals, half_width=None, tied=None, informing=None):
        self.values, self.start = values, start
        self.residuals_before, self.residuals = residuals_before, residuals
        self.half_width, self.tied, self.informing = half_width or {}, tied or {}, informing or {}


class _Search:
    """A fit in progress: the values so far, and the results of the last differences."""

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
        """All residuals with one parameter changed; remembers the change that helps most."""
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
        """The best whole values for the linearized problem, each within a relative distance of `trust`."""
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
        """Takes the first proposal that helps, with decreasing trust; else the single change that helps most. Returns
        the remaining trust, or None if nothing helps."""
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
        """Runs at most `count` rounds. The last ones use differences in both directions, which takes twice as long."""
        trust, both = 0.5, False
        for at in range(count):
            before = self.loss(self.residuals)
            jacobian = self.jacobian(STEPS[min(at, len(STEPS) - 1)], both)
            # Rows that a large step does not change are left out of smaller steps.
            self.live = {key: rows[np.abs(jacobian[rows, column]) > 0]
                         for column, (key, rows) in enumerate(self.live.items())}
            trust = self.step(jacobian, trust)
            stuck = trust is None or (at + 1 >= len(STEPS) and self.loss(self.residuals) > 0.995 * before)
            if stuck and both:
                break
            trust, both = (0.5, True) if stuck else (trust, both)
        self.live = dict(self.informs)


def _curvature(jacobian, residuals, weights):
    """(curvature of the loss, the rows' contributions to its gradient) of the linearized problem."""
    robust = weights / np.sqrt(1 + (residuals / SCALE) ** 2)
    return jacobian.T @ (robust[:, None] * jacobian), (robust * residuals)[:, None] * jacobian


def half_widths(jacobian, residuals, weights, runs):
    """95 % half widths (NaN: no row depends on it; infinite: not separable from others), and for each column those from
    which it cannot be separated. Errors of rows of one run are correlated (`runs`: the run's number of each row), so
    the variance is that of the runs' contributions to the gradient at the optimum."""
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
    # Whole values are accurate to at most half a unit.
    widths[used] = np.maximum(0.5, 1.96 * np.sqrt(np.maximum(0, variance)) / unit)
    widths[[column for column in used if tied[column]]] = np.inf
    return widths, tied


def fit(observations, start, bounds, informs, rounds, only=None, fixed=None, intervals=True, told=lambda text: None):
    """Fits the parameters of `start` {key: value} within `bounds` {key: (low, high)} to the rows that `only` selects
    (None: all), with the parameters of `fixed` at their values. `informs` {key: names of the rows that determine it}:
    other rows count as independent of it, which saves runs. `told` is called with what is being done."""
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
