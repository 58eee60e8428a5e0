"""Small data sets for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from aggregation.findings import Finding
from annotation.store.judgements import AnswerFacts, find_exclusion
from annotation.vocabulary import ABSTAINED, Exclusion, ExclusionKind, Stage
from exports.benchmark_items import BuildSource, TaskSource
from exports.benchmark_items.sources import ITEM_TEXT_COLUMNS
from exports.facts import PlanFact, ProjectFacts, Qualification, ReleaseFacts, SampleFact, TextFact, TrainingItem
from exports.inputs import INPUT_COLUMNS, ITEM_COLUMNS, DataSet
from exports.joint_answers import FilteringRule, ItemContent, JointAnswers, QuestionSpec
from exports.release import ReleaseFolder, build_release_folder
from exports.release_state import ReleaseInputs

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
    def joint_answers(
        cls,
        questions: Sequence[QuestionSpec],
        given: Iterable[tuple[str, str, Mapping[str, str]] | tuple[str, str, Mapping[str, str], Mapping[str, object]]],
        *,
        texts: Mapping[str, Mapping[str, str]],
        gold: Mapping[str, str] | None = None,
        filtering: FilteringRule | None = None,
        **more: Any,
    ) -> JointAnswers:
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
        return JointAnswers(
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


DECLARED = {
    "recruitment": "convenience sample: volunteers from a mailing list of linguists",
    "pay": "volunteers, unpaid",
    "ethics": "not sought: no personal data are published",
    "population": "adult native speakers of Ukrainian",
    "ai_use": "none; they attested it",
    "licence": "CC-BY-4.0",
}


class MakeRelease:
    """Builds the inputs of a release of one project, which was done as it should be, with defaults for everything."""

    @staticmethod
    def project(name: str = "так-ні", **more: Any) -> ProjectFacts:
        """The facts of a baseline of eight people in which everything is in order."""
        known: dict[str, Any] = {
            "title": f"Назва {name}",
            "language": "uk",
            "kind": "baseline",
            "status": "closed",
            "imported": False,
            "definition_sha256": "d" * 64,
            "platforms": ("telegram",),
            "questions": ("answer",),
            "declared": dict(DECLARED),
            "declared_meanings": {key: f"what {key} should state" for key in (*DECLARED, "stimulus_differences")},
            "texts": (
                TextFact(
                    kind="instructions",
                    scope=f"project {name}",
                    version=None,
                    sha256="1" * 64,
                    text="Оберіть відповідь.",
                    n_people=8,
                    n_answers=96,
                ),
                TextFact(
                    kind="consent", scope=f"project {name}", version="1", sha256="c" * 64, text="Я згоден.", n_people=8
                ),
            ),
            "training_items": (TrainingItem(item_id="t1", group="t1", shown="2 + 2 = 4?", gold=("так",)),),
            "training_answers": 8,
            "qualification": Qualification(
                rule="3 of 4", n_items=4, n_tried=10, n_passed=8, n_failed=2, fixed_before=True
            ),
            "n_without_consent": 0,
            "pilot_items": 2,
            "pilot_answers": 6,
            "frames": (
                SampleFact(
                    pool="main",
                    method=Finding("random"),
                    seed=1,
                    sha256="f" * 64,
                    n_drawn=12,
                    n_candidates=40,
                    strata={},
                ),
            ),
            "plan": PlanFact(n_items=12, overlap=8, half_width=0.1, share=0.9, words="12 items, 8 answers each"),
            "overlap": 8,
            "overlap_max": 8,
            "controls": "one control item in ten",
            "repeats": "5 % of the items again after 24 hours",
            "rules": ("control accuracy of at least 50 %",),
            "rules_fixed_before": True,
            "n_unlisted_exposed": 0,
            "undo": "until the project is closed",
            "skips": "a skip is asked for its reason and fills a place",
            "invited": 12,
            "invited_by_friends": 3,
            "consented": 10,
            "started": 10,
            "finished": 8,
            "active_hours": 1.5,
            "shuffles_options": True,
            "shuffles_items": True,
            "n_source_items": 40,
        }
        return ProjectFacts(name=name, **(known | more))

    @classmethod
    def data_set(cls, name: str = "так-ні", **more: Any) -> DataSet:
        """Twelve items in as many groups, each answered by eight people, who err on different ones; controls, repeats,
        and the pilot stage beside them.
        """
        items = [
            Make.item(f"i{number:02}", "так" if number % 2 else "ні", stimulus_sha256=f"{number:064}")
            for number in range(12)
        ]
        rows = []
        for person in range(8):
            known: dict[str, Any] = {
                "insider": False,
                "session": 1,
                "instruction_sha256": "1" * 64,
                "option_order": "[0, 1]" if person % 2 else "[1, 0]",
                "exposed": False,
                "is_repeat": False,
                "revision": 0,
            }
            for number in range(12):
                right = "так" if number % 2 else "ні"
                wrong = "ні" if number % 2 else "так"
                answer = wrong if (number * 5 + person * 3) % 11 == 0 else right
                rows.append(
                    Make.response(
                        f"i{number:02}",
                        f"a{person}",
                        answer,
                        position=number + 2,
                        seconds=5.0 + (number * person) % 7,
                        stimulus_sha256=f"{number:064}",
                        **known,
                    )
                )
            more_rows: tuple[tuple[str, dict[str, Any]], ...] = (
                ("c1", {"is_control": True}),
                ("i00", {"is_repeat": True, "gap_hours": 26.0}),
            )
            rows.extend(
                Make.response(item, f"a{person}", "ні", position=20 + place, seconds=6.0, **(known | extra))
                for place, (item, extra) in enumerate(more_rows)
            )
        known_set: dict[str, Any] = {"overlap": 8, "control_gold": {"c1": "ні"}}
        return Make.data_set(name, items=items, responses=rows, **(known_set | more))

    @staticmethod
    def source(*data_sets: DataSet, name: str = "так-ні", is_group: bool = False) -> BuildSource:
        """A benchmark of data sets of closed labels, each with the texts of its items."""
        tasks = []
        for data in data_sets:
            texts = pd.DataFrame(
                [
                    (
                        row.item_id,
                        1,
                        row.group,
                        f"Чи правда {row.item_id}?",
                        row.stimulus_sha256,
                        None,
                        row.gold,
                        None,
                        None,
                    )
                    for row in data.items.itertuples()
                ],
                columns=list(ITEM_TEXT_COLUMNS),
                dtype=object,
            )
            tasks.append(
                TaskSource(
                    data=data,
                    kind="choice",
                    text="Так чи ні?",
                    options=data.classes,
                    texts=texts,
                    examples=texts.iloc[:0],
                    shuffled=True,
                    instructions="Оберіть відповідь.",
                    declared=dict(DECLARED),
                    platforms=("telegram",),
                )
            )
        return BuildSource(
            name=name,
            title=f"Назва {name}",
            language="uk",
            is_group=is_group,
            tasks=tuple(tasks),
            unfit=(),
            definitions={data.name: "d" * 64 for data in data_sets},
            version="0.1.0",
        )

    @classmethod
    def inputs(
        cls, data: DataSet | None = None, project: ProjectFacts | None = None, *, harness: str = "", **more: Any
    ) -> ReleaseInputs:
        """The inputs of a release of one project."""
        data = data or cls.data_set()
        project = project or cls.project(data.name)
        facts = ReleaseFacts(
            name=project.name,
            title=project.title,
            language=project.language,
            is_programme=False,
            projects=(project,),
            versions={"hromada": "0.1.0"},
            harness=harness,
        )
        known: dict[str, Any] = {
            "facts": facts,
            "data_sets": (data,),
            "responses": (),
            "benchmark": cls.source(data, name=project.name),
        }
        return ReleaseInputs(**(known | more))


@pytest.fixture(scope="session")
def make_release() -> type[MakeRelease]:
    return MakeRelease


@pytest.fixture(scope="session")
def plain_release() -> ReleaseFolder:
    """The files of a release in which everything is in order, built once: nobody changes them."""
    return build_release_folder(MakeRelease.inputs())
