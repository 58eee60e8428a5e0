"""Finds votes that compare the texts of two systems in each row, such as those of Chatbot Arena and MT-bench."""

from __future__ import annotations

from dataclasses import replace

from aggregation.sides import BOTH_BAD, SIDES, TIE, find_meanings
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput, Where
from annotation.loading.judgements import comparison_votes
from annotation.loading.judgements.comparison_votes import LEFT, MODEL_COLUMNS, RIGHT, Layout
from annotation.loading.project_drafts.column_names import Role
from annotation.loading.project_drafts.question_guesses import QuestionGuess
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import FIRST, VotesTable, unwrap
from annotation.loading.project_drafts.yaml_lines import YamlLine

COMPARISONS = "comparisons"
"""The format of such a file in the project file."""
MAX_NAME = 80
"""The most characters of a name of a system; anything longer is a text."""


def read_comparisons(source: SourceFile) -> VotesTable | None:
    """The votes of a table that has two systems, the winner and the person in each row; None for any other.

    Without the texts of the systems their names are compared. Raises BadInput for a table that names no person or item.
    """
    layout, texts = comparison_votes.find_layout(source.columns), _find_sides(source)
    if layout is None or source.chosen or (texts is None and not _has_names(source, layout)):
        return None
    section = VotesSection.model_validate({"format": COMPARISONS} | {line.key: line.value for line in source.keys})
    try:
        list(comparison_votes.read_comparisons(source.path, section))
    except BadInput:  # the winner is something else
        return None
    _require_people_and_items(source, layout)
    votes = list(comparison_votes.read_votes(source.path, section))
    answers = [vote.answer for vote in votes]
    sides = texts or (LEFT, RIGHT)
    shown = [
        name
        for name, one in source.columns.items()
        if one.role is Role.TEXT and name not in {*sides, *layout.item, *MODEL_COLUMNS}
    ]
    return VotesTable(
        source=replace(source, format=COMPARISONS),
        lines=(YamlLine("show", unwrap(shown)),) if shown else (),
        answers={FIRST: answers},
        items=frozenset(" | ".join(vote.key) for vote in votes),
        texts=[cell for name in (*shown, *(texts or ())) for cell in source.columns[name].cells],
        item_columns=layout.item,
        used=frozenset(
            {*sides, *shown, *layout.item, layout.left, layout.right, layout.answer, layout.annotator or ""}
        ),
        guesses={FIRST: _guess_preference(answers, sides, MODEL_COLUMNS)},
    )


def _has_names(source: SourceFile, layout: Layout) -> bool:
    """Whether both systems are names: short, and in more rows than one on average."""
    cells = [cell for name in (layout.left, layout.right) for cell in source.columns[name].cells if cell]
    return len({*cells}) <= len(cells) / 2 and all(len(cell) <= MAX_NAME for cell in cells)


def _require_people_and_items(source: SourceFile, layout: Layout) -> None:
    lacks = [] if layout.annotator else [f"who answered (a column {comparison_votes.PEOPLE[0]!r})"]
    lacks += [] if layout.item else [f"what was asked (a column {comparison_votes.ITEMS[0]!r})"]
    if lacks:
        raise BadInput(
            f"Each row compares two systems, and none says {' and '.join(lacks)}.",
            where=Where(file=source.path),
            remedy=f"Rank it as it is with `hromada rank {source.name}`, or add what is missing.",
        )


def find_preference(votes: VotesTable) -> VotesTable:
    """The votes as those on two texts, if the item shows `…_a` and `…_b` and each answer is one of them or a tie."""
    sides = _find_sides(votes.source)
    shown = [str(name) for line in votes.lines if line.key == "show" for name in line.value]
    answers = [answer for answer in votes.answers.get(FIRST, ()) if answer]
    if sides is None or not {*sides} <= {*shown} or votes.options or len(votes.answers) != 1:
        return votes
    undecided = [(label, "") for label in (TIE, BOTH_BAD)]
    meant = {
        answer: find_meanings(answer, n_sides=len(sides), names=[(name,) for name in sides], undecided=undecided)
        for answer in {*answers}
    }
    if not all(len(labels) == 1 for labels in meant.values()) or not any(label in SIDES for (label,) in meant.values()):
        return votes
    others = [name for name in shown if name not in sides] or list(votes.item_columns)
    lines = [YamlLine("show", unwrap(others)) if line.key == "show" else line for line in votes.lines]
    guess = _guess_preference([meant[answer][0] for answer in answers], sides)
    return replace(votes, lines=tuple(lines), guesses={FIRST: guess})


def _find_sides(source: SourceFile) -> tuple[str, str] | None:
    """The columns with the texts of both systems: the longest pair of columns whose names end in `_a` and `_b`."""
    pairs = [(name, f"{name[:-1]}b") for name in source.columns if name.endswith("_a") and name not in MODEL_COLUMNS]
    found = [pair for pair in pairs if pair[1] in source.columns]
    return max(found, key=lambda pair: source.columns[pair[0]].mean_length, default=None)


def _guess_preference(answers: list[str], sides: tuple[str, str], systems: tuple[str, ...] = ()) -> QuestionGuess:
    """Which of the texts is better, with the answers that some votes give."""
    words = {TIE: "the same", BOTH_BAD: "both are bad"}
    undecided = [
        YamlLine(label, text, f"{answers.count(label)} answers") for label, text in words.items() if label in answers
    ]
    named = [YamlLine("systems", systems, "shown to nobody")] if systems else []
    keys = (YamlLine("sides", sides), *named, *undecided)
    return QuestionGuess(type=YamlLine("type", "preference", "each row compares two texts"), keys=keys)
