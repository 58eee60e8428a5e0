"""Refuses project and programme files in which a placeholder stands where a fact or a text for people should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from aggregation import placeholders, spelling
from annotation.campaigns.project_sections import ProjectSections
from annotation.campaigns.sections.quality import DECLARED_FACTS
from annotation.campaigns.yaml_document import KeyPath
from annotation.errors import BadInput, ErrorCollector, Where

LONGEST_SHOWN = 40
"""How many characters of a placeholder a message repeats."""


Texts = Iterable[tuple[str | None, Where]]
"""Texts for people, each with its place."""


def refuse_in_project(definition: ProjectSections, texts: Texts, *, place: Callable[[KeyPath], Where]) -> None:
    """Raise BadInput for all placeholders among declared facts and texts, and for a fact that the file contradicts.

    `place` finds a key in the file. Only new files are refused; stored definitions stay valid.
    """
    errors = ErrorCollector()
    with errors:
        refuse_in_texts(
            [
                (definition.title, place(("title",))),
                *texts,
                *_list_question_texts(definition, place),
                *_list_model_texts(definition, place),
            ]
        )
    for error in (*_list_empty_facts(definition, place), *_list_contradicted(definition, place)):
        with errors:
            raise error
    errors.refuse()


def _list_question_texts(definition: ProjectSections, place: Callable[[KeyPath], Where]) -> Iterator[tuple[str, Where]]:
    """The texts of questions but those of signs alone: the item may ask, and the question be `?`."""
    for index, question in enumerate(definition.all_questions):
        if any(map(str.isalnum, question.text)):
            yield (
                question.text,
                place(("question", "text") if definition.questions is None else ("questions", index, "text")),
            )


def _list_empty_facts(definition: ProjectSections, place: Callable[[KeyPath], Where]) -> Iterator[BadInput]:
    for name, text in definition.declared.placeholders.items():
        yield BadInput(
            f"{_quote(text)} is a placeholder.",
            where=place(("declared", name)),
            remedy=f"Write {DECLARED_FACTS[name]}. If nobody knows, write `not known`.",
        )
    published = definition.published
    if published is not None and placeholders.is_placeholder(published.source, meant=("source",)):
        yield BadInput(
            f"{_quote(published.source)} is a placeholder.",
            where=place(("published", "source")),
            remedy="Write which paper has the scores.",
        )


def _list_contradicted(definition: ProjectSections, place: Callable[[KeyPath], Where]) -> Iterator[BadInput]:
    """That nobody is paid, where the same file promises pay."""
    pay = definition.reward.pay if definition.reward is not None else None
    declared = definition.declared.pay
    if pay is not None and declared is not None and placeholders.declares_none(declared, fact="pay"):
        rate = f"{pay.per_item} {pay.currency} an item" if pay.per_item else f"{pay.per_hour} {pay.currency} an hour"
        yield BadInput(
            f"{_quote(declared)} contradicts `reward.pay`, which promises {rate}.",
            where=place(("declared", "pay")),
            remedy="Write what people get, or take `reward.pay` out.",
        )


def _list_model_texts(definition: ProjectSections, place: Callable[[KeyPath], Where]) -> Iterator[tuple[str, Where]]:
    """The instructions for models alone, where they are a text and not yes or no."""
    if isinstance(definition.benchmark.instructions, str):
        yield definition.benchmark.instructions, place(("benchmark", "instructions"))


def refuse_unwritten(text: str | None, *, where: Where) -> None:
    """Raise BadInput for a text for people that is still a placeholder; an empty one, or None, passes."""
    if text and placeholders.is_unwritten(text):
        raise BadInput(
            f"{_quote(text)} is a placeholder.", where=where, remedy="Write what people are to read, or take it out."
        )


def refuse_in_texts(texts: Texts) -> None:
    """Raise BadInput for all of these texts that were never written; each comes with its place."""
    errors = ErrorCollector()
    for text, where in texts:
        with errors:
            refuse_unwritten(text, where=where)
    errors.refuse()


def _quote(text: str) -> str:
    shown = " ".join(text.split())
    return spelling.quote_word(shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…")
