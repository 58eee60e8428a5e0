"""Files of annotation tools through the command line: check, load, import and agreement, with every number of votes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from _command import Hromada

FILES = Path(__file__).parents[1] / "annotation/files"
MOOD = 'question: {type: choice, text: "?", options: [sad, glad]}'
NAMES = 'question: {type: span, text: "?", field: text, most: 9, labels: [PER, LOC], none: nothing}'
SCALE = 'question: {type: scale, text: "?", options: ["1", "2", "3", "4", "5"]}'
BOXES = 'question: {type: choices, text: "?", options: [plot, acting, home, school]}'


class Case(NamedTuple):
    """A file of a tool, the rest of the project, and what the import says: votes, counted, excluded, not kept."""

    file: str
    question: str
    votes: str
    told: tuple[int, int, dict[str, int], dict[str, int]]
    items: str = "from votes"


TEXTS = "{file: items.csv, id: id, show: text}"
CASES = {
    "label-studio": Case(
        "label_studio/export.json", NAMES, "format: label-studio, answer: names",
        (5, 4, {"skipped": 1}, {"draft": 1, "prediction of a model": 3}), TEXTS,
    ),
    "label-studio-min": Case(
        "label_studio/export_min.json", SCALE, "format: label-studio, answer: stars", (4, 4, {}, {})
    ),
    "label-studio-csv": Case(
        "label_studio/export.csv", 'question: {type: choice, text: "?", options: [left, right]}',
        "format: label-studio, answer: better", (4, 4, {}, {}),
    ),
    "prodigy": Case(
        "prodigy/choice.jsonl", MOOD, "format: prodigy",
        (6, 4, {"rejected by the annotator": 1, "skipped": 1}, {}),
    ),
    "doccano": Case("doccano/mood", MOOD, "format: doccano", (6, 5, {"no answer": 1}, {})),
    "argilla": Case(
        "argilla/flat.jsonl", SCALE, "format: argilla, answer: stars",
        (6, 5, {"skipped": 1}, {"draft": 1, "prediction of a model": 3}),
    ),
    "potato": Case("potato/annotation_output", BOXES, "format: potato, answer: aspects", (4, 4, {}, {})),
    "brat": Case("brat", NAMES, "format: brat, show: text", (4, 2, {"no answer": 2}, {})),
    "inception": Case(
        "inception/tsv", NAMES, "format: inception", (2, 2, {}, {"draft": 1, "prediction of a model": 1})
    ),
    "mturk": Case(
        "mturk/batch.csv", MOOD, "format: mturk", (6, 4, {"status Rejected": 1, "status Submitted": 1}, {})
    ),
    "crowdtruth": Case(
        "crowdtruth/job.csv", MOOD, "format: crowdtruth, show: sentence",
        (6, 4, {"control item": 1, "failed the platform's test questions": 1}, {}),
    ),
    "datasets": Case(
        "datasets/lists", MOOD, "format: datasets, item: text, annotator: workers, answer: labels", (4, 4, {}, {})
    ),
    "prolific": Case(
        "prolific/form.csv", MOOD,
        "annotator: Prolific ID, wide: [Дощ, Сонце], prolific: prolific/prolific_export.csv",
        (
            10, 4,
            {"not among the platform's submissions": 2, "status AWAITING REVIEW": 2, "status REJECTED": 2}, {},
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_votes_of_a_tool_are_checked_loaded_imported_and_compared(hromada: Hromada, name: str) -> None:
    """Six lines of a project file, four commands, from another folder; what does not count is counted by reason."""
    case = CASES[name]
    folder = case.file.split("/", maxsplit=1)[0]
    shutil.copytree(FILES / folder, hromada.folder / "in" / folder)
    hromada.write("in/items.csv", "id,text\n1,Оксана їде до Києва\n2,Оксана їде до Києва\n")
    path = hromada.write(
        "in/tool.yaml",
        f"project: tool\ntitle: t\nlanguage: uk\n{case.question}\nitems: {case.items}\n"
        f"votes: {{file: {case.file}, {case.votes}}}\n",
    )
    votes, counted, excluded, not_kept = case.told
    checked = hromada("check", path, "--json").json
    assert (checked["votes"], checked["votes that do not count"]) == (votes, votes - counted)
    assert {key: number for key, number in checked.items() if key.startswith("not ")} == {
        **{f"not counted: {reason}": number for reason, number in excluded.items()},
        **{f"not kept: {reason}": number for reason, number in not_kept.items()},
    }
    assert hromada("load", path).code == 0
    found: dict[str, Any] = hromada("import", path, "--json").json
    assert [found[key] for key in ("votes", "retained", "excluded", "not_kept")] == [votes, counted, excluded, not_kept]
    assert hromada("agreement", "tool", "--resamples", "100").code == 0
