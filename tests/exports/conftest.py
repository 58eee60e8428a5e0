"""Small data sets for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from annotation.store.judgements import AnswerFacts, find_exclusion
from annotation.vocabulary import ABSTAINED, Exclusion, ExclusionKind, Stage
from exports.full_responses import FilteringRule, FullResponses, ItemContent, QuestionSpec
from exports.inputs import INPUT_COLUMNS, ITEM_COLUMNS, DataSet

WORDS = {"т": "так", "н": "ні"}


def list_exclusion_cells(row: Mapping[str, object]) -> dict[str, object]:
    """The cells of a row about its exclusion, as `read_responses` writes them."""
    facts = AnswerFacts(
        stage=Stage(str(row["stage"])),
        is_control=row["is_control"] is True,
        is_repeat=row["is_repeat"] is True,
        exposed=row["exposed"] is True,
        is_empty=row["response"] is None and row["skip_reason"] is None,
    )
    final, first = (build_exclusion(row, name) for name in ("excluded_reason", "first_excluded_reason"))
    reason, apart = find_exclusion(final, facts), find_exclusion(None, facts._replace(is_empty=False))
    first = apart if first is None else first
    return {
        "excluded_kind": reason and reason.kind.value,
        "excluded_reason": reason and reason.reason,
        "assignment_kind": apart and apart.kind.value,
        "first_excluded_kind": first and first.kind.value,
    }


def build_exclusion(row: Mapping[str, object], name: str) -> Exclusion | None:
    """The exclusion that is stored with the answer of a row: by a rule, or an abstention, or another."""
    reason = row[name]
    if reason is None or reason == ABSTAINED.reason:
        return None if reason is None else ABSTAINED
    return Exclusion(ExclusionKind.RULE if row["by_rule"] is True else ExclusionKind.EXTRA, str(reason))


class Make:
    """Builds rows and data sets, with defaults for everything not given."""

    @staticmethod
    def item(item_id: str, gold: str | None = None, **more: object) -> dict[str, object]:
        """One row of DataSet.items; an item with gold has it by construction, version 1."""
        known = {"gold_origin": "construction", "gold_version": "1"} if gold is not None else {}
        row = dict.fromkeys(ITEM_COLUMNS) | {"item_revision": 1, "group": item_id, "n_options": 2} | known
        return row | {"item_id": item_id, "gold": gold} | more

    @staticmethod
    def response(item_id: str, annotator: str, answer: str | None, **more: object) -> dict[str, object]:
        """One row of DataSet.responses; it is excluded as the facts say, and where `excluded_reason` is given."""
        row = dict.fromkeys(INPUT_COLUMNS) | {
            "item_revision": 1,
            "group": item_id,
            "stage": "main",
            "is_control": False,
        }
        row |= {"item_id": item_id, "annotator": annotator, "response": answer, "response_raw": answer}
        first = {"first_response": answer, "first_excluded_reason": more.get("excluded_reason")}
        row |= first | more
        return row | list_exclusion_cells(row)

    @classmethod
    def answered(cls, votes: Mapping[str, str]) -> list[dict[str, object]]:
        """Responses from item → a letter an annotator (a1, a2, …): т так, н ні, anything else no response."""
        return [
            cls.response(item_id, f"a{number}", WORDS[letter], seconds=float(number))
            for item_id, letters in votes.items()
            for number, letter in enumerate(letters, start=1)
            if letter in WORDS
        ]

    @staticmethod
    def data_set(
        name: str = "так-ні",
        *,
        items: Iterable[Mapping[str, object]],
        responses: Iterable[Mapping[str, object]],
        classes: Sequence[str] | None = ("так", "ні"),
        **more: Any,
    ) -> DataSet:
        """A data set of these rows."""
        rows: list[dict[Any, Any]] = sorted((dict(row) for row in items), key=lambda row: str(row["item_id"]))
        known: dict[str, Any] = {
            "title": f"Назва {name}",
            "language": "uk",
            "overlap": 3,
            "classes_are_positions": False,
        }
        return DataSet(
            name=name,
            classes=None if classes is None else tuple(classes),
            items=pd.DataFrame(rows, columns=list(ITEM_COLUMNS), dtype=object),
            responses=pd.DataFrame(list(responses), columns=list(INPUT_COLUMNS), dtype=object),
            **(known | more),
        )

    @classmethod
    def closed(cls, name: str = "так-ні", **more: Any) -> DataSet:
        """Six closed items with gold так, five answered by three annotators, one tied by two, one without answers."""
        votes = {"i1": "ттт", "i2": "ттн", "i3": "тнн", "i4": "ттт", "i5": "тн-"}
        items = [cls.item(f"i{number}", "так", gold_origin="expert") for number in range(1, 7)]
        return cls.data_set(name, items=items, responses=cls.answered(votes), **more)

    @classmethod
    def per_item(cls, name: str = "слова", **more: Any) -> DataSet:
        """Six items with three options of their own each, answered by two annotators."""
        items = [cls.item(f"w{number}", f"слово{number}", n_options=3) for number in range(6)]
        responses = [
            cls.response(f"w{number}", annotator, f"слово{number}" if number != wrong else "інше")
            for number in range(6)
            for annotator, wrong in (("a1", 5), ("a2", 0))
        ]
        return cls.data_set(name, items=items, responses=responses, classes=None, **more)

    @classmethod
    def full_responses(
        cls,
        questions: Sequence[QuestionSpec],
        given: Iterable[tuple[str, str, Mapping[str, str]] | tuple[str, str, Mapping[str, str], Mapping[str, object]]],
        *,
        texts: Mapping[str, Mapping[str, str]],
        gold: Mapping[str, str] | None = None,
        filtering: FilteringRule | None = None,
        **more: Any,
    ) -> FullResponses:
        """Items with these texts, and answers as (item, annotator, answers by question, other columns)."""
        first = questions[0].name
        rows = [(item, annotator, answers, rest[0] if rest else {}) for item, annotator, answers, *rest in given]
        data = cls.data_set(
            items=[cls.item(item, (gold or {}).get(item)) for item in texts],
            responses=[
                cls.response(item, annotator, answers.get(first), **rest) for item, annotator, answers, rest in rows
            ],
            **({"classes": None} | more),
        )
        return FullResponses(
            data=data,
            questions=tuple(questions),
            answers=tuple(answers for _, _, answers, _ in rows),
            contents={
                item: ItemContent(shown=" ".join(fields.values()), fields=fields) for item, fields in texts.items()
            },
            filtering=filtering,
        )


@pytest.fixture(scope="session")
def make() -> type[Make]:
    return Make
