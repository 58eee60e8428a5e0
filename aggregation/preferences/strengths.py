"""Strengths of systems from comparisons: Bradley-Terry with ties as half wins, and Davidson's model with ties.

Sources: Bradley and Terry 1952, Biometrika 39:324; Davidson 1970, JASA 65:317; Ford 1957 (when a maximum exists).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from aggregation.errors import Refused
from aggregation.findings import Finding
from aggregation.preferences.comparisons import HALF, WIN, Comparisons
from aggregation.schema import Codes, Floats, count_codes

Model = Literal["bradley_terry", "davidson"]
TOLERANCE = 1e-10
MAX_STEPS = 200
NAMED = 5  # systems that a sentence names


class Counts(NamedTuple):
    """Systems × systems: `wins` of the row over the column, and `ties`, which are the same both ways."""

    wins: Floats
    ties: Floats


def count_outcomes(comparisons: Comparisons) -> Counts:
    """Count wins and ties of each two systems."""
    n, one, two, outcome = len(comparisons.systems), comparisons.one, comparisons.two, comparisons.outcome
    codes = (one * n + two) * 3 + (2 * outcome).astype(np.intp)
    cells: Floats = count_codes(codes, size=3 * n * n).reshape(n, n, 3)
    return Counts(wins=cells[:, :, 2] + cells[:, :, 0].T, ties=cells[:, :, 1] + cells[:, :, 1].T)


@dataclass(frozen=True, kw_only=True, eq=False)
class Strengths:
    """A fitted model: `strengths` are logarithms whose sum is 0, so that P(i beats j) = 1 / (1 + exp(β_j - β_i)).

    `inverse` is the inverse of the information (the covariance if all comparisons were independent), with a last row
    and column of log ν for Davidson's model, whose ties weigh ν √(π_i π_j); `tie_parameter` is ν, None without.
    """

    model: Model
    strengths: Floats
    inverse: Floats
    tie_parameter: float | None
    log_likelihood: float


def find_components(counts: Counts) -> Codes:
    """The group of each system: within one, each system beat or tied each other one, at least through others."""
    _, labels = connected_components(counts.wins + counts.ties > 0, directed=True, connection="strong")
    _, first = np.unique(labels, return_index=True)
    return np.argsort(np.argsort(first))[labels]


def explain_missing(counts: Counts, systems: tuple[str, ...]) -> Finding | None:
    """Why no strengths exist, or None if they do (Ford 1957): components that never met, or who never lost or won."""
    components = find_components(counts)
    if components.max(initial=0) == 0:
        return None
    beat = counts.wins + counts.ties > 0
    n_met, met = connected_components(beat, directed=True, connection="weak")
    if n_met > 1:
        parts = [_name_systems(systems, np.flatnonzero(met == code)) for code in range(n_met)]
        return Finding("never-met", groups="; ".join(f"{{{part}}}" for part in parts))
    inside = components[:, None] == components[None, :]
    lost = (beat & ~inside).any(axis=0)
    won = (beat & ~inside).any(axis=1)
    unbeaten = [code for code in range(components.max() + 1) if not lost[components == code].any()]
    winless = [code for code in range(components.max() + 1) if not won[components == code].any()]
    sizes = np.bincount(components)
    return Finding(
        "group-never-lost" if sizes[[*unbeaten, *winless]].max() > 1 else "never-lost",
        best=_name_groups(systems, components, unbeaten),
        worst=_name_groups(systems, components, winless),
    )


def _name_groups(systems: tuple[str, ...], components: Codes, chosen: Sequence[int]) -> str:
    """Single systems by name, and those that beat or tied each other in braces."""
    groups = [np.flatnonzero(components == code) for code in chosen]
    names = [_name_systems(systems, group) for group in groups]
    return ", ".join(f"{{{name}}}" if len(group) > 1 else name for name, group in zip(names, groups, strict=True))


def _name_systems(systems: tuple[str, ...], codes: Codes) -> str:
    more = f" (+{len(codes) - NAMED})" if len(codes) > NAMED else ""
    return ", ".join(systems[code] for code in codes[:NAMED]) + more


def fit_strengths(counts: Counts, systems: tuple[str, ...], model: Model = "bradley_terry") -> Strengths:
    """Fit a model by Newton's method; raises Refused where no maximum of the likelihood exists.

    Davidson's ties need at least one tie, and a win that no order of the systems could have forced.
    """
    missing = explain_missing(counts, systems)
    if missing is not None:
        raise Refused(missing, remedy="Collect more comparisons of these systems.")
    if model == "davidson":
        _check_ties(counts)
    n = len(systems)
    parameters: Floats = np.zeros(n + 1)
    current = _compute_likelihood(counts, parameters, model)
    for _ in range(MAX_STEPS):
        gradient, information = _differentiate(counts, parameters, model)
        inverse = _invert(information, model)
        step = inverse @ gradient
        size = 1.0
        while size > TOLERANCE:
            moved = parameters + size * step
            likelihood = _compute_likelihood(counts, moved, model)
            if likelihood >= current - abs(current) * 1e-14:
                break
            size /= 2
        parameters, current = moved, likelihood
        if np.abs(size * step).max() < TOLERANCE:
            break
    return Strengths(
        model=model,
        strengths=parameters[:n] - parameters[:n].mean(),
        inverse=_invert(_differentiate(counts, parameters, model)[1], model),
        tie_parameter=float(np.exp(parameters[n])) if model == "davidson" else None,
        log_likelihood=current,
    )


def _check_ties(counts: Counts) -> None:
    """Raise Refused where Davidson's tie parameter has no finite estimate.

    It grows without end with the distances of the systems where numbers d exist with d_i - d_j ≥ 2 for each win of i
    over j and |d_i - d_j| ≤ 2 for each tie: a system of differences that is solvable unless it has a negative cycle.
    """
    if not counts.ties.any():
        raise Refused(Finding("no-ties"), remedy="Use bradley_terry.")
    winner, loser = np.nonzero(counts.wins)
    one, two = np.nonzero(counts.ties)
    edges: dict[tuple[int, int], float] = dict.fromkeys(zip(one.tolist(), two.tolist(), strict=True), 2.0)
    edges |= dict.fromkeys(zip(winner.tolist(), loser.tolist(), strict=True), -2.0)
    if not _has_negative_cycle(edges, len(counts.ties)):
        raise Refused(Finding("ties-decide-all"), remedy="Use bradley_terry.")


def _has_negative_cycle(edges: dict[tuple[int, int], float], n: int) -> bool:
    """Whether a graph of weighted edges has a cycle with a negative sum; a start is joined to every node."""
    starts = {(n, node): 0.0 for node in range(n)}
    # a weight of 0 would be no edge of a sparse graph
    rows, columns = zip(*{**edges, **starts}, strict=True)
    weights = np.array([*edges.values(), *(1.0 for _ in starts)])
    try:
        bellman_ford(coo_array((weights, (rows, columns)), shape=(n + 1, n + 1)).tocsr(), indices=[n])
    except NegativeCycleError:
        return True
    return False


def predict_outcomes(differences: Floats, tie_weight: float) -> tuple[Floats, Floats]:
    """The chances of a win of the first system and of a tie, by β_one - β_two and ν; Bradley-Terry's ν is 0."""
    half = np.exp(-np.abs(differences) / 2)  # of the weaker side, relative to the stronger
    total = 1 + half**2 + tie_weight * half
    win = np.where(differences >= 0, 1.0, half**2) / total
    return win, tie_weight * half / total


def compute_residuals(strengths: Strengths, comparisons: Comparisons) -> tuple[Floats, Floats]:
    """What each comparison adds to the gradient: of the strength of its first system, and of log ν."""
    beta = strengths.strengths
    win, tie = predict_outcomes(beta[comparisons.one] - beta[comparisons.two], strengths.tie_parameter or 0.0)
    return comparisons.outcome - win - tie / 2, (comparisons.outcome == HALF) - tie


def _compute_likelihood(counts: Counts, parameters: Floats, model: Model) -> float:
    """The logarithm of the likelihood; a tie of Bradley-Terry is half a win of each."""
    beta = parameters[:-1]
    tie_weight = float(np.exp(parameters[-1])) if model == "davidson" else 0.0
    win, tie = predict_outcomes(beta[:, None] - beta[None, :], tie_weight)
    with np.errstate(divide="ignore"):
        log_win, log_tie = np.log(win), np.log(tie) if model == "davidson" else (np.log(win) + np.log(win.T)) / 2
    return float((counts.wins * log_win)[counts.wins > 0].sum() + (counts.ties * log_tie)[counts.ties > 0].sum() / 2)


def _differentiate(counts: Counts, parameters: Floats, model: Model) -> tuple[Floats, Floats]:
    """The gradient and the information of the parameters (strengths, then log ν, which Bradley-Terry has not)."""
    beta, n = parameters[:-1], len(parameters) - 1
    tie_weight = float(np.exp(parameters[-1])) if model == "davidson" else 0.0
    win, tie = predict_outcomes(beta[:, None] - beta[None, :], tie_weight)
    met = counts.wins + counts.wins.T + counts.ties
    expected = win + tie / 2
    spread = met * (win + tie / 4 - expected**2)  # the variance of a comparison's points
    gradient = np.append((counts.wins + counts.ties / 2 - met * expected).sum(axis=1), 0.0)
    information = np.zeros((n + 1, n + 1))
    information[:n, :n] = np.diag(spread.sum(axis=1)) - spread
    if model == "davidson":
        gradient[n] = (counts.ties - met * tie).sum() / 2
        together = (met * tie * (HALF - expected)).sum(axis=1)  # the covariance of points and ties
        information[:n, n] = information[n, :n] = together
        information[n, n] = (met * tie * (1 - tie)).sum() / 2
    return gradient, information


def _invert(information: Floats, model: Model) -> Floats:
    """The inverse under Σβ = 0, and under a fixed log ν for Bradley-Terry."""
    n = len(information) - 1
    fixed = information.copy()
    fixed[:n, :n] += WIN / n
    if model == "davidson":
        inverse = np.linalg.inv(fixed)
    else:
        inverse = np.zeros_like(fixed)
        inverse[:n, :n] = np.linalg.inv(fixed[:n, :n])
    inverse[:n, :n] -= WIN / n
    return np.asarray(inverse)
