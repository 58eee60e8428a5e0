"""Models as judges in people's place, as `hromada compare` shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.commands import terminal_output
from bot.commands.data_sets import describe_reasons, format_title
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from aggregation.judges.records import JudgeResult, JudgeScore
    from exports.model_comparison import ComparedModels

NOTE_OF_DIFFERENCE = "Diff.: judge–person less person–person agreement, both the mean over items of {agreement}."
NOTE_OF_INTERVALS = "Intervals, 95 %: for new people and new items, and for these people and new items."
NOTE_OF_ADVANTAGE = (
    "ρ: the share of items on which the judge is as near to the other people as a person is, or nearer. ω: the share of"
    " people than whom the judge is worse by less than ε (alternative annotator test, one-sided t, Benjamini–Yekutieli"
    " at .05); it passes from .5. α with the judge counts it as one more rater."
)
STATISTICS = {
    "swap_consistency": "equal in both orders",
    "length_slope": "length slope, judge less people",
    "corrected_mean": "mean of all items",
}


def print_judges(compared: ComparedModels) -> None:
    """A verdict on each judge, then the difference, the advantage with α, and what else is known."""
    judges = compared.judges
    if not judges:
        return
    for judge in judges:
        terminal_output.print_line(f"{judge.judge}: {judge.verdict}")
    terminal_output.print_line("")
    notes = [f"{judge.judge}: {note}" if len(judges) > 1 else note for judge in judges for note in judge.notes]
    shared = [note for judge in judges for note in judge.notes if all(note in one.notes for one in judges)]
    own = [note for note in notes if note.partition(": ")[2] not in shared] if len(judges) > 1 else []
    measured = [judge for judge in judges if "difference" in judge.by_statistic]
    if measured:
        _print_difference(compared, measured)
        _print_advantage(compared, measured, notes=[*dict.fromkeys(shared), *own])
    _print_others(compared, judges, notes=[] if measured else [*dict.fromkeys(shared), *own])


def _print_difference(compared: ComparedModels, judges: Sequence[JudgeResult]) -> None:
    rows: list[tuple[Cell, ...]] = []
    for judge in judges:
        scores = judge.by_statistic
        row = scores["difference"]
        agreements = [scores[name].value for name in ("judge_person", "person_person")]
        rows.append(
            (judge.judge, row.value, _format_ends(row.ci_low, row.ci_high),
             _format_ends(row.item_only_low, row.item_only_high), *agreements, row.n_items, row.n_annotators,
             _describe_margin(row))
        )  # fmt: skip
    columns = ("judge", "diff.", "new people", "these people", "judge–person", "person–person", "items", "people",
               "equivalent")  # fmt: skip
    reasons = describe_reasons((judge.judge, judge.by_statistic["difference"].reason) for judge in judges)
    is_equality = compared.data.measurement_level == "nominal"
    agreement = "the share of equal answers" if is_equality else "minus the distance in points"
    note = NOTE_OF_DIFFERENCE.format(agreement=agreement)
    title = format_title(compared.data, "agreement of judges with people")
    terminal_output.print_table(title, columns, rows, notes=[note, NOTE_OF_INTERVALS, *reasons])


def _print_advantage(compared: ComparedModels, judges: Sequence[JudgeResult], *, notes: Sequence[str]) -> None:
    rows: list[tuple[Cell, ...]] = []
    for judge in judges:
        scores = judge.by_statistic
        row, rate = scores["advantage_probability"], scores["winning_rate"]
        alphas = [scores[name].value if name in scores else None for name in ("alpha_people", "alpha_with_judge")]
        passes = "" if rate.passes is None else "yes" if rate.passes else "no"
        rows.append(
            (judge.judge, row.value, _format_ends(row.ci_low, row.ci_high),
             _format_ends(row.item_only_low, row.item_only_high), rate.value, rate.epsilon, passes, row.n_annotators,
             *alphas)
        )  # fmt: skip
    columns = ("judge", "ρ", "new people", "these people", "ω", "ε", "passes", "people", "α people", "α with judge")
    names = ("advantage_probability", "alpha_people")
    reasons = describe_reasons(
        (judge.judge, judge.by_statistic[name].reason)
        for judge in judges
        for name in names
        if name in judge.by_statistic
    )
    title = format_title(compared.data, "judges beside single people")
    terminal_output.print_table(title, columns, rows, notes=[NOTE_OF_ADVANTAGE, *reasons, *notes])


def _print_others(compared: ComparedModels, judges: Sequence[JudgeResult], *, notes: Sequence[str]) -> None:
    rows = [
        (score.judge, ", ".join(filter(None, (STATISTICS[score.statistic], score.of))), score.value,
         _format_ends(score.ci_low, score.ci_high), _format_ends(score.item_only_low, score.item_only_high),
         score.n_items, score.n_annotators)
        for judge in judges
        for score in judge.scores
        if score.statistic in STATISTICS
    ]  # fmt: skip
    if not rows:
        return
    reasons = describe_reasons(
        (f"{score.judge} {STATISTICS[score.statistic]}", score.reason)
        for judge in judges
        for score in judge.scores
        if score.statistic in STATISTICS
    )
    columns = ("judge", "of", "value", "new people", "these people", "items", "people")
    title = format_title(compared.data, "judges: order, length, and means of all items")
    terminal_output.print_table(title, columns, rows, notes=[*reasons, *notes])


def _describe_margin(row: JudgeScore) -> str:
    """The answer of the equivalence test, its margin, and that it is post hoc."""
    if row.margin is None:
        return "no margin"
    said = "not tested" if row.passes is None else "yes" if row.passes else "not shown"
    return f"{said}, ± {row.margin:g}{', post hoc' if row.post_hoc else ''}"


def _format_ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{low:z.3f} to {high:z.3f}"
