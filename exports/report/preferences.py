"""What the report shows of compared texts: who won by how much, the pairs, the ranking, the sides and consistency."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aggregation.findings import Finding
from aggregation.preferences.places import PreferenceRanking, RankedSystem
from aggregation.preferences.positions import EVERYBODY
from aggregation.preferences.results import PreferenceResults
from aggregation.preferences.turned_pairs import Ends, TurnedPair, list_clearest
from aggregation.preferences.win_rates import Estimate
from exports.pages.display_text import (
    FOR_NEW_PEOPLE,
    FOR_THESE_PEOPLE,
    NO_VALUE,
    format_count,
    format_level,
    format_number,
    format_number_interval,
    format_percent,
    format_percent_interval,
)
from exports.pages.localization import list_findings, localize_number, mark_text, show_finding, translate
from exports.pages.scaffold import Headline, TableRow
from exports.report.preference_plots import MOST_BARS, draw_preference_panels
from exports.results import DataSetResult

MOST_SYSTEMS = 10
"""Systems of a matrix of pairs; preferences.csv has those of more."""
MOST_CLAUSES = 3  # pairs that a card names
ALPHA = 0.05
SURE, UNSURE = mark_text("Chance does not explain it"), mark_text("Chance can explain it")


@dataclass(frozen=True, kw_only=True)
class PreferencePart:
    """The part of a data set: sentences, SVG panels, the matrix of pairs with its heads, and rows of three tables."""

    name: str
    simulated: bool
    sentences: tuple[str, ...]
    panels: tuple[str, ...]
    matrix_heads: tuple[str, ...]
    matrix: tuple[TableRow, ...]
    pairs: tuple[TableRow, ...]
    ranking: tuple[TableRow, ...]
    sides: tuple[TableRow, ...]
    side_heads: tuple[str, str]


def build_preference_part(result: DataSetResult) -> PreferencePart | None:
    """The part of a data set; None if it compares no texts, or nobody compared two systems."""
    found = result.preference
    if found is None or not len(found.comparisons):
        return None
    data = result.data
    level = format_level(result.options.confidence_level)
    is_pair = found.n_sides == 2
    return PreferencePart(
        name=data.name,
        simulated=data.simulated,
        sentences=tuple(_list_sentences(found)),
        panels=draw_preference_panels(found, name=data.name, level=level, simulated=data.simulated),
        matrix_heads=(translate("System"), *found.comparisons.systems),
        matrix=_build_matrix(found),
        pairs=tuple(map(_build_pair_row, list_clearest(found.pairs)[:MOST_BARS])),
        ranking=_build_ranking_rows(found),
        sides=_build_side_rows(found),
        side_heads=(
            translate("Left") if is_pair else translate("First place"),
            translate("Right") if is_pair else translate("Other places"),
        ),
    )


def list_preference_headlines(result: DataSetResult) -> tuple[Headline, ...]:
    """The figure of a card: who won by how much; empty if no texts are compared."""
    found = result.preference
    if found is None or not found.pairs:
        return ()
    clearest, level = list_clearest(found.pairs), result.options.confidence_level
    if len(clearest) == 1:
        pair = clearest[0]
        wins, _, losses = pair.counts
        name = (
            translate("Neither preferred: {one}, {two}", one=pair.one, two=pair.two)
            if wins == losses
            else translate("{one} preferred to {two}", one=pair.one, two=pair.two)
        )
        details = (
            *_describe_ends(pair.result.estimate, pair.fresh, pair.these, level),
            _count_pair(pair),
            _judge(pair),
        )
        return (Headline(name, format_percent(pair.value), details=details),)
    ranking = found.bradley_terry
    if ranking.reason:
        rates = sorted(found.systems, key=lambda system: (-system.mean_win_rate, system.system))
        name = translate("Highest mean win rate: {system}", system=rates[0].system)
        details = (*list_findings(ranking.reason), _count_answers(found))
        return (Headline(name, format_percent(rates[0].mean_win_rate), details=details),)
    first = ranking.systems[0]
    own = [pair for pair in clearest if first.system in (pair.one, pair.two)][:MOST_CLAUSES]
    details = tuple(
        translate(
            "Win rate against {two}: {value}; {verdict}",
            two=pair.two, value=format_percent(pair.value), verdict=_lower(_judge(pair)),
        )
        for pair in own
        if pair.one == first.system
    )  # fmt: skip
    places = _format_places(first.place_low, first.place_high)
    if places:
        details = (translate("Place: {places} of {n}", places=places, n=len(ranking.systems)), *details)
    return (Headline(translate("Strongest system"), first.system, details=(*details, _count_answers(found))),)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _describe_ends(
    estimate: Estimate,
    fresh: Ends,
    these: Ends,
    level: float,
) -> tuple[str, ...]:
    """The interval for new people, or that for these people and why there is no other, or why there is none."""
    if fresh[0] is not None:
        return (translate(FOR_NEW_PEOPLE, level=format_level(level), interval=format_percent_interval(*fresh)),)
    if these[0] is None:
        return list_findings(estimate.reason)
    own = translate(FOR_THESE_PEOPLE, level=format_level(level), interval=format_percent_interval(*these))
    return (own, *list_findings(estimate.reason))


def _count_pair(pair: TurnedPair) -> str:
    wins, ties, losses = pair.counts
    estimate = pair.result.estimate
    return translate(
        "{answers} of {people} to {items}: {wins} wins, {ties} ties, {losses} losses; a tie counts half",
        answers=format_count(estimate.n_answers, "answer"), people=format_count(estimate.n_annotators, "person"),
        items=format_count(estimate.n_items, "item"), wins=wins, ties=ties, losses=losses,
    )  # fmt: skip


def _count_answers(found: PreferenceResults) -> str:
    comparisons = found.comparisons
    return translate(
        "{answers} of {people} compare {systems}; a tie counts half",
        answers=format_count(len(set(comparisons.answers.tolist())), "answer"),
        people=format_count(comparisons.n_people, "person"),
        systems=format_count(len(comparisons.systems), "system"),
    )


def _judge(pair: TurnedPair) -> str:
    p_value = pair.result.p_holm
    if p_value is None:
        return translate("Nothing shows whether chance explains it")
    return f"{translate(SURE if p_value < ALPHA else UNSURE)} ({format_p(p_value)})"


def format_p(p_value: float | None) -> str:
    """A p value as p = 0.031, or p < 0.001."""
    if p_value is None:
        return NO_VALUE
    return localize_number("p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}")


def _format_places(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}–{high}"


def _list_sentences(found: PreferenceResults) -> Iterable[str]:
    """What the numbers say in words, and what was left out."""
    comparisons, cycles = found.comparisons, found.cycles
    if found.has_all_pairs and len(comparisons.systems) > 2:
        if cycles.winner is not None:
            yield translate("More answers prefer {system} to each other system than the reverse.", system=cycles.winner)
        else:
            yield translate("No system is preferred to each other one by more answers than the reverse.")
        if cycles.triads:
            named = "; ".join(" → ".join((*triad, triad[0])) for triad in cycles.named)
            yield translate(
                "Majorities go in a circle {n} times ({circles}), so no order of the systems fits all of them.",
                n=cycles.triads, circles=named if cycles.triads == len(cycles.named) else f"{named} …",
            )  # fmt: skip
    yield from list_findings(found.bradley_terry.reason)
    if found.ranks_all_answers:
        yield show_finding(Finding("choices-as-wins", n=found.n_sides))
    n_ties = sum(pair.ties for pair in found.pairs)
    n_bad = sum(pair.both_bad for pair in found.pairs)
    total = sum(pair.wins + pair.ties + pair.losses for pair in found.pairs)
    if n_ties:
        yield translate(
            "{ties} of {total} comparisons are ties ({share}); {bad} of them call both texts bad.",
            ties=n_ties, total=total, share=format_percent(n_ties / total), bad=n_bad,
        )  # fmt: skip
    yield _describe_sides(found)
    yield _describe_consistency(found)
    for code, n in (("same-system", comparisons.n_same), ("nameless-system", comparisons.n_nameless)):
        if n:
            yield show_finding(Finding(code, n=n))


def _describe_sides(found: PreferenceResults) -> str:
    if not found.positions:
        return translate("Nothing says which text was shown first, so there is no share of sides.")
    everybody, people = found.positions[0], found.positions[1:]
    estimate = everybody.estimate
    ends = (estimate.ci_low, estimate.ci_high)
    if ends[0] is None:
        ends = (estimate.item_only_low, estimate.item_only_high)
    n_biased = sum(side.p_value is not None and side.p_value * max(1, len(people)) < ALPHA for side in people)
    facts = {"share": format_percent(estimate.value), "chance": format_percent(1 / found.n_sides)}
    first = (
        translate(
            "The text shown first was chosen in {share} of answers, where {chance} means no preference for a side;"
            " there is no interval.",
            **facts,
        )
        if ends[0] is None
        else translate(
            "The text shown first was chosen in {share} of answers [{interval}], where {chance} means no preference"
            " for a side ({p}).",
            interval=format_percent_interval(*ends), p=format_p(everybody.p_value), **facts,
        )
    )  # fmt: skip
    of_people = translate("People who prefer a place beyond chance: {n}.", n=n_biased)
    return f"{first} {of_people}"


def _describe_consistency(found: PreferenceResults) -> str:
    same, swapped = found.consistency.repeated, found.consistency.swapped
    if same.percent is None:
        return translate("No pair was shown to a person twice, so nothing is known of people’s consistency.")
    text = translate(
        "Of {n} pairs shown to a person twice, {share} got the same answer (κ {kappa}).",
        n=same.n_repeats, share=format_percent(same.percent), kappa=format_number(same.kappa),
    )  # fmt: skip
    if swapped.percent is None:
        return text
    more = translate(
        "With the sides swapped: {share} of {n}.", share=format_percent(swapped.percent), n=swapped.n_repeats
    )
    return f"{text} {more}"


def _build_matrix(found: PreferenceResults) -> tuple[TableRow, ...]:
    """The win rate of each row against each column with the number of comparisons; none of two systems, or of many."""
    systems = found.comparisons.systems
    if not 2 < len(systems) <= MOST_SYSTEMS:
        return ()
    rates: dict[tuple[str, str], str] = {}
    for pair in found.pairs:
        n, value = pair.wins + pair.ties + pair.losses, pair.estimate.value or 0.0
        rates[pair.one, pair.two] = f"{format_percent(value)} ({n})"
        rates[pair.two, pair.one] = f"{format_percent(1 - value)} ({n})"
    return tuple(TableRow(head=one, cells=tuple(rates.get((one, two), NO_VALUE) for two in systems)) for one in systems)


def _build_pair_row(pair: TurnedPair) -> TableRow:
    estimate = pair.result.estimate
    detectable = pair.result.detectable
    return TableRow(
        head=pair.name,
        cells=(
            *map(str, pair.counts),
            format_percent(pair.value),
            format_percent_interval(*pair.fresh),
            format_percent_interval(*pair.these),
            format_p(pair.result.p_holm),
            NO_VALUE if detectable is None else format_percent(detectable),
        ),
        notes=_list_notes(estimate),
    )


def _list_notes(estimate: Estimate) -> tuple[str, ...]:
    """What makes a value doubtful or leaves an interval out."""
    return list_findings(estimate.warning, estimate.reason)


def _build_ranking_rows(found: PreferenceResults) -> tuple[TableRow, ...]:
    ranking, rates = found.bradley_terry, {system.system: system for system in found.systems}
    davidson = {row.system: row.strength.value for row in found.davidson.systems}
    ordered = _order_rows(ranking, found)
    return tuple(
        TableRow(
            head=row.system,
            cells=(
                _format_places(row.place_low, row.place_high) or NO_VALUE,
                format_number(row.strength.value),
                format_number_interval(row.strength.ci_low, row.strength.ci_high),
                format_number_interval(row.strength.item_only_low, row.strength.item_only_high),
                format_number(davidson.get(row.system)),
                format_percent(rates[row.system].mean_win_rate),
                *((format_percent(rates[row.system].first_choice.value),) if found.ranks_all_answers else ()),
            ),
            notes=(*_list_notes(row.strength), *list_findings("" if ranking.reason else found.davidson.reason)),
        )
        for row in ordered
    )


def _order_rows(ranking: PreferenceRanking, found: PreferenceResults) -> list[RankedSystem]:
    if not ranking.reason:
        return list(ranking.systems)
    rates = {system.system: system.mean_win_rate for system in found.systems}
    return sorted(ranking.systems, key=lambda row: (row.component, -rates[row.system]))


def _build_side_rows(found: PreferenceResults) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(
            head=translate("Everybody") if side.who == EVERYBODY else side.who.removeprefix("SIMULATED-"),
            cells=(
                str(side.left),
                str(side.right),
                str(side.ties),
                format_percent(side.estimate.value),
                format_percent_interval(side.estimate.ci_low, side.estimate.ci_high),
                format_p(side.p_value),
                NO_VALUE
                if side.swap_consistency is None
                else f"{format_percent(side.swap_consistency)} ({side.n_swapped})",
            ),
        )
        for side in found.positions
    )
