"""What `baseline` and `rank` show of comparisons: who is preferred, the ranking, and the sides of the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aggregation.findings import Finding
from bot.commands import terminal_output
from bot.commands.terminal_output import Cell, format_interval, shorten_p

if TYPE_CHECKING:
    from aggregation.preferences.places import Cycles
    from aggregation.preferences.positions import SideShare
    from aggregation.preferences.results import PreferenceResults
    from aggregation.preferences.strengths import Model
    from aggregation.preferences.turned_pairs import TurnedPair
    from aggregation.preferences.win_rates import Estimate, PairResult
    from exports.inputs import DataSet
    from exports.results import DataSetResult

NEW, THESE = "new people, 95 %", "these people, 95 %"
MOST_PAIRS = 30  # rows of a table
MOST_PEOPLE = 30
ALPHA = 0.05
EXPLANATION = "Intervals: for new people and new items (a fresh panel), and for these people and new items."
WIN_RATE = "Win rate: (wins + half of the ties) / comparisons. p: against one half, by Holm over all pairs."
DETECTABLE = "Detectable: the smallest distance from one half that as many comparisons find with a chance of 80 %."
PEOPLE_TEST = (
    "p: against 1/{n}; of everybody from the two-way variance, of one person by the exact binomial test of decided"
    " answers, not corrected for the number of people."
)
MODELS: Mapping[Model, str] = {"bradley_terry": "Bradley–Terry", "davidson": "Davidson"}
STRENGTHS: Mapping[Model, str] = {
    "bradley_terry": "Strength: β of Bradley–Terry with ties as half wins; β wins 1 / (1 + exp(β′ − β)) against β′.",
    "davidson": "Strength: β of Davidson's model; wins and ties are as exp(β) : exp(β′) : ν exp((β + β′) / 2).",
}
PLACES = "Places: those that Holm's tests of all differences leave open."


def format_title(data: DataSet) -> str:
    """The name of a data set, with the mark of simulated data."""
    return f"SIMULATED · {data.name}" if data.simulated else data.name


def describe(result: DataSetResult) -> dict[str, Any]:
    """What comparisons say as JSON, under one key; nothing where no texts are compared."""
    from exports.preferences import describe_preferences

    return {} if result.preference is None else {"preferences": describe_preferences(result.preference)}


def print_preferences(title: str, found: PreferenceResults, *, notes: Sequence[str] = ()) -> None:
    """Print the pairs, the ranking and the sides."""
    print_pairs(title, found, notes=notes)
    print_ranking(title, found)
    print_positions(title, found)


def print_pairs(title: str, found: PreferenceResults, *, notes: Sequence[str] = ()) -> None:
    """Print a row for each pair, the preferred system first, the clearest pair on top."""
    from aggregation.preferences.turned_pairs import list_clearest

    pairs = list_clearest(found.pairs)
    heads = ("system", "against", "wins", "ties", "losses", "win rate", NEW, THESE, "p", "detectable")
    told = [*_describe_winner(found), *notes, *_list_left_out(found), *_describe_sides(found)]
    if any(pair.both_bad for pair in found.pairs):
        told.append(f"Ties: {sum(pair.both_bad for pair in found.pairs)} of them called both texts bad.")
    if len(pairs) > MOST_PAIRS:
        told.append(f"{len(pairs) - MOST_PAIRS} closer pairs are left out; --json and preferences.csv have all.")
    told += [
        WIN_RATE,
        DETECTABLE,
        EXPLANATION,
        *_describe_estimates([(pair.one, pair.result.estimate) for pair in pairs]),
    ]
    rows = [_build_pair(pair) for pair in pairs[:MOST_PAIRS]]
    terminal_output.print_table(f"{title} · who is preferred", heads, rows, notes=told)


def _build_pair(pair: TurnedPair) -> tuple[Cell, ...]:
    ends = (format_interval(*pair.fresh), format_interval(*pair.these))
    return (pair.one, pair.two, *pair.counts, pair.value, *ends, shorten_p(pair.result.p_holm), pair.result.detectable)


def _describe_winner(found: PreferenceResults) -> list[str]:
    """The headline: who is preferred, and against whom chance explains it."""
    if len(found.pairs) == 1:
        return _describe_pair(found.pairs[0])
    winner = found.cycles.winner
    if winner is None:
        return []
    pairs = {
        pair.two if pair.one == winner else pair.one: pair for pair in found.pairs if winner in (pair.one, pair.two)
    }
    untested = [name for name, pair in pairs.items() if pair.p_holm is None]
    unsure = [name for name, pair in pairs.items() if name not in untested and not is_sure(pair)]
    told = f"More answers prefer {winner} to each other system than the reverse."
    if not unsure and not untested:
        return [f"{told} Chance explains none of the differences from {winner}."]
    told += f" Chance can explain the difference from {', '.join(unsure)}." if unsure else ""
    told += f" Nothing shows whether chance explains that from {', '.join(untested)}." if untested else ""
    return [told]


def is_sure(pair: PairResult) -> bool:
    """Whether chance does not explain which of the two is preferred."""
    return pair.p_holm is not None and pair.p_holm < ALPHA


def _describe_pair(pair: PairResult) -> list[str]:
    from aggregation.preferences.turned_pairs import turn_pair

    turned = turn_pair(pair)
    one, two, (wins, ties, losses) = turned.one, turned.two, turned.counts
    interval = format_interval(*(turned.these if turned.fresh[0] is None else turned.fresh))
    if wins == losses:
        return [f"Neither of {one} and {two} is preferred: {wins} wins each, {ties} ties."]
    value = turned.value
    sure = "Chance does not explain this." if is_sure(pair) else "Chance can explain this."
    if pair.p_holm is None:
        sure = "Nothing shows whether chance explains this."
    n_answers = pair.estimate.n_answers
    answers = "1 answer" if n_answers == 1 else f"{n_answers} answers"
    return [f"{one} is preferred to {two}: win rate {value:.4f} [{interval}], {answers}. {sure}"]


def _list_left_out(found: PreferenceResults) -> list[str]:
    comparisons = found.comparisons
    left_out = (("same-system", comparisons.n_same), ("nameless-system", comparisons.n_nameless))
    return [Finding(code, n=n) for code, n in left_out if n]


def _describe_sides(found: PreferenceResults) -> list[str]:
    return [Finding("choices-as-wins", n=found.n_sides)] if found.ranks_all_answers else []


def _describe_estimates(estimates: Sequence[tuple[str, Estimate]]) -> list[str]:
    """How intervals were made, what makes them doubtful and why some are missing, each sentence once."""
    methods = dict.fromkeys(f"How: {estimate.ci_method}." for _, estimate in estimates if estimate.ci_method != "none")
    shown = list(methods)[:1] + (["Other pairs have other numbers of people and items."] if len(methods) > 1 else [])
    warnings = dict.fromkeys(estimate.warning for _, estimate in estimates if estimate.warning)
    return [*shown, *warnings, *dict.fromkeys(estimate.reason for _, estimate in estimates if estimate.reason)]


def print_ranking(
    title: str, found: PreferenceResults, *, model: Model = "bradley_terry", notes: Sequence[str] = ()
) -> None:
    """Print the systems from the strongest under a model, with the other beside it, or why there are no strengths."""
    first, second = found.bradley_terry, found.davidson
    if model == "davidson" and (second.systems and not second.reason):
        first, second = second, first
    if not first.systems:
        terminal_output.print_sentence(first.reason)
        return
    rates = {system.system: system for system in found.systems}
    others = {ranked.system: ranked.strength.value for ranked in second.systems}
    heads = ["system", "place", "places", "strength", NEW, THESE, MODELS[second.model], "mean win rate"]
    heads += ["first choice"] if found.ranks_all_answers else []
    heads += ["group"] if first.reason else []
    rows: list[tuple[Cell, ...]] = []
    ordered = first.systems
    if first.reason:
        ordered = tuple(sorted(ordered, key=lambda ranked: (ranked.component, -rates[ranked.system].mean_win_rate)))
    for ranked in ordered:
        strength, own = ranked.strength, rates[ranked.system]
        places = "–".join(dict.fromkeys(str(end) for end in (ranked.place_low, ranked.place_high) if end is not None))
        row: list[Cell] = [
            ranked.system, ranked.place, places or None, strength.value,
            format_interval(strength.ci_low, strength.ci_high),
            format_interval(strength.item_only_low, strength.item_only_high), others.get(ranked.system),
            own.mean_win_rate,
        ]  # fmt: skip
        row += [own.first_choice.value] if found.ranks_all_answers else []
        row += [ranked.component] if first.reason else []
        rows.append(tuple(row))
    told = [first.reason, *notes] if first.reason else [*notes, STRENGTHS[first.model], PLACES]
    davidson = found.davidson
    if davidson.reason and davidson.reason != first.reason:
        told.append(davidson.reason)
    elif davidson.tie_parameter is not None:
        told.append(f"Davidson: ties have a parameter of their own, ν {davidson.tie_parameter:.4f}.")
    told += [] if first.reason else _describe_estimates([(one.system, one.strength) for one in first.systems[:1]])
    told += [describe_first_choice(found)] if found.ranks_all_answers else []
    told += describe_cycles(found.cycles, n_systems=len(first.systems)) if found.has_all_pairs else []
    terminal_output.print_table(f"{title} · ranking", heads, rows, notes=told)


def describe_first_choice(found: PreferenceResults) -> str:
    """What a share of first choices is."""
    return (
        f"First choice: the share of the answers that showed a system in which it was chosen, 1/{found.n_sides} of each"
        " tie. Strengths and places come from comparisons that each choice implies."
    )


def describe_cycles(cycles: Cycles, *, n_systems: int) -> list[str]:
    """Who beats all others, and circles among majorities, in words; none for two systems."""
    if n_systems < 3:
        return []
    told = [
        f"Majorities: {cycles.winner} beats each other system."
        if cycles.winner
        else "Majorities: no system beats each other one."
    ]
    if cycles.triads:
        named = "; ".join(" > ".join((*triad, triad[0])) for triad in cycles.named)
        more = "" if cycles.triads <= len(cycles.named) else " …"
        told.append(f"Circles of three: {cycles.triads} ({named}{more}). No order of the systems fits them.")
    return told


def print_positions(title: str, found: PreferenceResults) -> None:
    """Print how often everybody, and each person, chose the text that was shown first."""
    sides = found.positions
    if not sides:
        terminal_output.print_sentence("Nothing says which text was shown first, so there is no share of sides.")
        return
    place = "left" if found.n_sides == 2 else "first place"
    heads = ("who", place, "right" if found.n_sides == 2 else "other places", "ties", f"share {place}", NEW, THESE, "p")
    by_p = sorted(sides[1:], key=lambda side: (side.p_value is None, side.p_value, side.who))
    notes = [PEOPLE_TEST.format(n=found.n_sides)]
    if len(by_p) > MOST_PEOPLE:
        notes.insert(0, f"{len(by_p) - MOST_PEOPLE} people are left out; --json and positions.csv have all.")
    notes += describe_consistency(found)
    rows = [_build_side(side) for side in (sides[0], *by_p[:MOST_PEOPLE])]
    terminal_output.print_table(f"{title} · sides", heads, rows, notes=notes)


def _build_side(side: SideShare) -> tuple[Cell, ...]:
    estimate = side.estimate
    return (
        side.who, side.left, side.right, side.ties, estimate.value, format_interval(estimate.ci_low, estimate.ci_high),
        format_interval(estimate.item_only_low, estimate.item_only_high), shorten_p(side.p_value),
    )  # fmt: skip


def describe_consistency(found: PreferenceResults) -> list[str]:
    """How far people gave the same answer again."""
    same, swapped = found.consistency.repeated, found.consistency.swapped
    if same.percent is None:
        return ["No pair was shown to a person twice, so nothing is known of their consistency."]
    kappa = "" if same.kappa is None else f", κ {same.kappa:.4f}"
    told = f"Shown twice: {same.n_repeats} pairs, {same.percent:.4f} with the same answer{kappa}."
    if swapped.percent is None:
        return [told]
    return [told, f"With the sides swapped: {swapped.n_repeats} pairs, {swapped.percent:.4f} with the same answer."]
