"""Checks the gold of items against the questions and encodes it as answers are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from aggregation.scoring import is_number
from annotation.campaigns import project_file
from annotation.campaigns.questions import Question
from annotation.errors import BadInput, ErrorCollector
from annotation.loading.drafts import ItemDraft
from annotation.vocabulary import Pool

POOLS_WITH_GOLD = {Pool.TRAINING, Pool.QUALIFICATION, Pool.CONTROL}


def check_golds(
    drafts: Sequence[ItemDraft], questions: Sequence[Question], definition: project_file.ProjectFile
) -> tuple[ItemDraft, ...]:
    """Return the items with encoded gold; raises BadInput, with the places, for gold that is no possible answer.

    The gold of a choice is kept as the option is spelled, or as written if no option has it: the lint checks that.
    """
    by_name = {question.name: question for question in questions}
    columns = get_gold_columns(definition)
    section = definition.items
    accepted_column = section.accepted if isinstance(section, project_file.ItemsSection) else None
    checked_items = []
    errors = ErrorCollector()
    for item in drafts:
        with errors:
            golds = {
                name: _encode_gold(item, by_name[name], text, columns.get(name)) for name, text in item.golds.items()
            }
            if item.pool in POOLS_WITH_GOLD and not golds:
                raise BadInput(
                    f"The {item.pool.value} item has no gold.",
                    where=item.origin.where(next(iter(columns.values()), None)),
                    remedy="Write its right answer, or take it out of the pool.",
                )
            first = golds.get(questions[0].name)
            _refuse_no_numbers(item, questions, golds, columns, accepted_column=accepted_column)
            accepted = tuple(_spell_accepted(item, questions[0]))
            same = (golds, first, accepted) == (item.golds, item.gold, item.accepted)
            checked_items.append(item if same else item._replace(golds=golds, gold=first, accepted=accepted))
    errors.refuse()
    return tuple(checked_items)


def _spell_accepted(item: ItemDraft, first: Question) -> Iterator[str]:
    """Further right answers to a choice, spelled as the options are."""
    for answer in item.accepted:
        yield first.spell_label(answer, item.options)


def _encode_gold(item: ItemDraft, question: Question, text: str, column: str | None) -> str:
    try:
        return question.read_gold(text, item.content)
    except BadInput as refusal:
        raise BadInput(
            f"The gold cannot be an answer: {refusal.problem}",
            where=item.origin.where(column),
            remedy=refusal.remedy,
        ) from None


def _refuse_no_numbers(
    item: ItemDraft,
    questions: Sequence[Question],
    golds: Mapping[str, str],
    columns: Mapping[str, str],
    *,
    accepted_column: str | None,
) -> None:
    """Raise BadInput for a right answer that is no number where answers are compared as numbers."""
    for number, question in enumerate(questions):
        if question.normalisation != "number":
            continue
        right = [(golds[question.name], columns.get(question.name))] if question.name in golds else []
        right += [(answer, accepted_column) for answer in item.accepted if number == 0]
        for answer, column in right:
            if not is_number(answer):
                raise BadInput(
                    f"{answer[:40]!r} is no number, and «{question.text}» compares its answers as numbers.",
                    where=item.origin.where(column),
                    remedy="Write it in digits, like -6 or 3,5, or leave `normalise: number` out.",
                )


def get_gold_columns(definition: project_file.ProjectFile) -> dict[str, str]:
    """Return the columns of gold by question name."""
    first = definition.all_questions[0].name
    if isinstance(definition.items, project_file.ItemsSection):
        return ({first: definition.items.gold} if definition.items.gold else {}) | definition.items.golds
    return {first: definition.truth.gold} if definition.truth else {}
