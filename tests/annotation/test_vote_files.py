"""Votes as Label Studio and HumanResponseBot write them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import col, select

from annotation.campaigns import project_file
from annotation.campaigns.questions import ChoicesQuestion, QuestionContent
from annotation.errors import BadInput, Conflict, HromadaError
from annotation.loading import campaign, judgements
from annotation.loading.drafts import VoteDraft
from annotation.loading.judgements.other_tools import RawVote
from annotation.store import database, pseudonyms, queries
from annotation.store.models import Judgement
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import follow_up, projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def get_reason(vote: RawVote | VoteDraft) -> str | None:
    """Why a vote does not count, in words."""
    return None if vote.exclusion is None else vote.exclusion.reason


STORY = "Жив був кіт."


def result(name: str, **value: Sequence[str]) -> dict[str, Any]:
    """One result of a control."""
    return {"from_name": name, "to_name": "story", "type": next(iter(value)), "value": value, "origin": "manual"}


def annotation(number: int, who: object, *results: dict[str, Any], **more: object) -> dict[str, Any]:
    """One annotation as Label Studio exports it."""
    own = {"id": number, "completed_by": who, "result": list(results), "was_cancelled": False, "lead_time": 12.5}
    return own | {"created_at": "2024-02-13T18:35:03.850724Z", "updated_at": "2024-02-13T18:35:03.85Z"} | more


TASKS = [
    {
        "id": 7,
        "data": {"story": STORY, "id": "s1"},
        "annotations": [
            annotation(1, 3, result("usable", choices=["usable"]), result("fixed", text=["Жив-був кіт."])),
            annotation(2, {"id": 4, "email": "a@b.org"}, result("usable", choices=["not_usable"]), lead_time=None),
            annotation(3, 5, was_cancelled=True),
        ],
        "drafts": [annotation(9, 6, result("usable", choices=["usable"]))],
        "predictions": [{"result": [result("usable", choices=["usable"])]}],
    },
    {
        "id": 8,
        "data": {"story": "Жила коза."},
        "annotations": [
            annotation(4, 3, result("usable", choices=["usable", "notable"]), result("fixed", text=["Жила коза.", "Жила-була."])),  # noqa: E501
            annotation(5, 4, result("fixed", text=["одне", "друге"])),
        ],
    },
]  # fmt: skip


def read(path: Path, **section: object) -> list[RawVote]:
    """The raw votes of a Label Studio file, without drafts and predictions."""
    told = project_file.VotesSection.model_validate({"format": "label-studio", **section})
    return [vote for vote in judgements.read_raw_votes(path, told) if vote.key]


def told(votes: Sequence[RawVote]) -> list[tuple[str, str, str, str | None, float | None]]:
    """What a vote comes down to."""
    return [(vote.key[0], vote.annotator, vote.answer, get_reason(vote), vote.seconds) for vote in votes]


def write(path: Path, value: object) -> Path:
    """A JSON file."""
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
    return path


def test_label_studios_json_is_read_annotation_by_annotation(tmp_path: Path) -> None:
    """Several people a task, a user or a number, times in seconds, skips kept; drafts and predictions are no votes."""
    path = write(tmp_path / "export.json", TASKS)
    assert told(read(path, answer="usable")) == [
        ("7", "3", "usable", None, 12.5),
        ("7", "4", "not_usable", None, None),
        ("7", "5", "", "skipped", 12.5),
        ("8", "3", '["usable", "notable"]', None, 12.5),
        ("8", "4", "", None, 12.5),
    ]
    assert [vote.row.line for vote in read(path, answer="usable")] == [2, 2, 2, 116, 116]


SEVERAL = {"answers": {"result": "usable", "text": "fixed", "more": "notable"}}


def test_answers_to_several_questions_are_those_of_several_controls(tmp_path: Path) -> None:
    """Each under its control's name, in every kind of export; a control that nobody touched is not in the file."""
    votes = read(write(tmp_path / "export.json", TASKS), **SEVERAL)
    controls = ("usable", "fixed", "notable")
    assert [[vote.row.values[name] for name in controls] + [get_reason(vote)] for vote in votes] == [
        ["usable", "Жив-був кіт.", "", None],
        ["not_usable", "", "", None],
        ["", "", "", "skipped"],
        ['["usable", "notable"]', "Жила-була.", "", None],
        ["", '["одне", "друге"]', "", "several texts"],
    ]
    row: dict[str, Any] = {"story": STORY, "usable": {"choices": ["usable"]}, "fixed": {"text": [STORY, "Жив."]}}
    row |= {"id": 7, "annotator": 3}
    (vote,) = read(write(tmp_path / "min.json", [row]), **SEVERAL)
    assert [vote.row.values[name] for name in controls] == ["usable", "Жив.", ""]
    with (tmp_path / "export.csv").open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(row)
        rows.writerow([json.dumps(one) if isinstance(one, dict) else one for one in row.values()])
    (vote,) = read(tmp_path / "export.csv", **SEVERAL)
    assert [vote.row.values[name] for name in controls] == ["usable", "Жив.", ""]
    for name, more in (("export.json", "usable, fixed"), ("export.csv", "story, usable")):
        with pytest.raises(BadInput, match=f"None of the controls x is in the file. It has: {more}"):
            read(tmp_path / name, answers={"result": "x"})


def test_a_skip_answers_none_of_several_questions(tmp_path: Path) -> None:
    """Not even those that need a box: it is kept as a skip, without answers."""
    path = write(tmp_path / "export.json", TASKS[:1])
    told_to = {"format": "label-studio", "item": "id", "answers": {"result": "usable"}}
    asked = ChoicesQuestion(type="choices", name="result", text="?", options=("usable", "not_usable"), least=1)
    section = project_file.VotesSection.model_validate(told_to)
    found = campaign.read_votes(path, section, questions=[asked], item_contents={"7": QuestionContent()}).votes
    assert [(vote.answers, get_reason(vote)) for vote in found] == [
        ({"result": '["usable"]'}, None), ({"result": '["not_usable"]'}, None), ({}, "skipped"),
    ]  # fmt: skip


def test_a_text_area_that_repeats_what_it_was_filled_with_is_read_right(tmp_path: Path) -> None:
    """Of two texts the one that is no field of the task counts; of two others nobody can say which."""
    votes = read(write(tmp_path / "export.json", TASKS), answer="fixed", item="story")
    assert told(votes)[0][:4] == (STORY, "3", "Жив-був кіт.", None)
    assert told(votes)[3][:4] == ("Жила коза.", "3", "Жила-була.", None)
    assert told(votes)[4][:4] == ("Жила коза.", "4", '["одне", "друге"]', "several texts")


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("просто текст", "просто текст"),
        (["один"], "один"),
        ({"text": ["один"]}, "один"),
        ({"text": "один"}, "один"),
        ({"text": [STORY, "інший"]}, "інший"),
        ([{"text": [STORY]}, {"text": ["інший"]}], "інший"),
        ({"text": [STORY, STORY]}, STORY),
        ({"choices": ["а", "б"]}, '["а", "б"]'),
        ({"choices": ["а"]}, "а"),
        ({"choices": []}, ""),
        ("", ""),
        ("[не список]", "[не список]"),
        ('{"a": 1}', '{"a": 1}'),
        ("{", "{"),
    ],
)
def test_the_same_answer_in_every_shape(tmp_path: Path, value: Any, answer: str) -> None:
    """A text, a list, {"text": …}, {"choices": …}: in the flat JSON as it is, in CSV as JSON text."""
    row = {"story": STORY, "fixed": value, "id": 7, "annotator": 3, "annotation_id": 1, "lead_time": 1428.836}
    expected = [("7", "3", answer, None, 1428.836)]
    assert told(read(write(tmp_path / "min.json", [row]), answer="fixed")) == expected
    with (tmp_path / "export.csv").open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(row)
        rows.writerow(
            [
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if name == "fixed" else value
                for name, value in row.items()
            ]
        )
    assert told(read(tmp_path / "export.csv", answer="fixed")) == expected


@pytest.mark.parametrize(
    ("damage", "section", "says"),
    [
        ({}, {}, "answers of 2 controls: usable, fixed"),
        ({"data": None}, {"answer": "usable"}, "no `data`"),
        ({"annotations": {}}, {"answer": "usable"}, "no list of `annotations`"),
        ({"annotations": [1]}, {"answer": "usable"}, "no `result`"),
        ({"annotations": [annotation(1, None)]}, {"answer": "usable"}, "names no annotator"),
        ({"annotations": [annotation(1, 3, lead_time="soon")]}, {"answer": "usable"}, "not a number of seconds"),
        ({}, {"answer": "usable", "item": "tale"}, "no column 'tale'"),
    ],
)
def test_an_export_that_cannot_be_used_is_named(
    tmp_path: Path, damage: dict[str, Any], section: dict[str, Any], says: str
) -> None:
    """Which control, which task, what is missing."""
    path = write(tmp_path / "export.json", [TASKS[0] | damage])
    with pytest.raises(BadInput, match=says) as refusal:
        read(path, **section)
    assert refusal.value.where is not None
    assert (str(refusal.value.where.file), bool(refusal.value.remedy)) == (str(path), True)


def test_a_csv_export_must_say_which_column_is_the_answer(tmp_path: Path) -> None:
    """Fields and controls look alike there."""
    (tmp_path / "export.csv").write_text("story,id,annotator,usable\nx,1,3,usable\n", "utf-8")
    with pytest.raises(BadInput, match="Which control") as refusal:
        read(tmp_path / "export.csv")
    assert "votes.answer" in str(refusal.value.remedy)


def test_the_export_of_eval_ua_tion_is_read(shared: Path) -> None:
    """One corrected story with its annotator and 1,428.8 seconds."""
    path = shared / "data/eval-ua-tion/stories/few_shot_split.csv"
    assert told(read(path, answer="result")) == [("999", "999", "usable", None, 1428.836)]
    assert told(read(path, answer="fixed_story"))[0][2].startswith("У розкішному зеленому гаю")


@pytest.mark.parametrize("column", ["humanAnswer", "human_answer", "human_title"])
def test_human_response_bots_file_is_read(tmp_path: Path, column: str) -> None:
    """All votes are the pool's; an instance without an answer is one that does not count later."""
    instances = [{"id": 1, "question": "?", column: " кіт"}, {"id": 2, "question": "?"}]
    path = write(tmp_path / "HumanProcessed.json", {"name": "UA-CBT", "instances": instances})
    section = {"format": "human-response-bot", "item": "id"}
    assert told(read(path, **section)) == [("1", "pool", " кіт", None, None), ("2", "pool", "", None, None)]
    with pytest.raises(BadInput, match="Which fields make an item"):
        read(path, format="human-response-bot")
    with pytest.raises(BadInput, match="has 0 of the fields"):
        read(write(path, {"instances": [{"id": 1}]}), **section)
    mixed = [{"id": 1, "humanAnswer": "кіт"}, {"id": 2, "human_title": "пес"}]
    with pytest.raises(BadInput, match="answered in 'human_title', those before it in 'humanAnswer'"):
        read(write(path, {"instances": mixed}), **section)


def test_seconds_and_skips_reach_the_judgements(db: database.Database, tmp_path: Path) -> None:
    """Imported: five votes on two items made of them, with seconds, and every reason counted."""
    write(tmp_path / "export.json", TASKS)
    (tmp_path / "p.yaml").write_text(
        "project: s\ntitle: s\nlanguage: uk\nquestion: {type: choice, text: '?', options: [usable, not_usable]}\n"
        "items: from votes\nvotes: {format: label-studio, file: export.json, answer: usable, item: id, show: story,"
        ' labels: {map: {\'["usable", "notable"]\': usable}}}\n',
        "utf-8",
    )
    with db.transaction() as session:
        projects.load_project_file(session, tmp_path / "p.yaml", now=NOW)
        key = pseudonyms.ensure_key(session, file=tmp_path / "k.key", now=NOW)
        project = queries.get_project(session, "s")
        done = vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=NOW)
        assert dict(done.excluded) == {"no answer": 1, "skipped": 1}
        found = session.exec(select(Judgement).order_by(col(Judgement.id))).all()
        assert [(one.response, one.seconds) for one in found] == [
            ("usable", 12.5), ("not_usable", None), ("", 12.5), ("usable", 12.5), ("", 12.5),
        ]  # fmt: skip


def test_votes_checked_against_other_items_are_not_stored(db: database.Database, tmp_path: Path) -> None:
    """Between reading the votes and storing them the project was changed: refused, nothing is stored."""
    (tmp_path / "v.csv").write_text("i,who,a\n1,ann,так\n2,ann,ні\n", "utf-8")
    described = (
        "project: s\ntitle: s\nlanguage: uk\nquestion: {type: choice, text: '?', options: [так, ні]}\n"
        "items: from votes\nvotes: {format: csv, file: v.csv, answer: a, item: i, annotator: who}\n"
    )
    file = tmp_path / "p.yaml"
    file.write_text(described, "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, file, now=NOW)
        ballot = vote_import.read_vote_file(session, queries.get_project(session, "s"))
        key = pseudonyms.ensure_key(session, file=tmp_path / "k.key", now=NOW)
    file.write_text(described.replace("[так, ні]", "[так, ні, інше]"), "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, file, now=NOW, confirmed=True)
    with (
        pytest.raises(Conflict, match=r"v\.csv: 's' was changed while the votes were read\. Import them again\."),
        db.transaction() as session,
    ):
        vote_import.store_votes(session, queries.get_project(session, "s"), ballot, key=key, now=NOW)
    with db.transaction() as session:
        assert session.exec(select(Judgement)).all() == []
        project = queries.get_project(session, "s")
        vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=NOW)
        assert len(session.exec(select(Judgement)).all()) == 2


def test_that_nothing_was_ticked_is_handed_on(db: database.Database, tmp_path: Path) -> None:
    """Consensus on no box at all is gold, where people tie there is none."""
    (tmp_path / "i.csv").write_text("id,text\n1,а\n2,б\n3,в\n", "utf-8")
    votes = ["1,ann,", "1,bob,", "2,ann,мова", "2,bob,мова", "3,ann,мова", "3,bob,"]
    (tmp_path / "v.csv").write_text("\n".join(["i,who,why", *votes]) + "\n", "utf-8")
    (tmp_path / "p.yaml").write_text(
        "project: s\ntitle: s\nlanguage: uk\nquestion: {name: why, type: choices, text: '?', options: [мова, логіка]}\n"
        "items: {file: i.csv, id: id, show: text}\n"
        "votes: {format: csv, file: v.csv, answers: {why: why}, item: i, annotator: who}\n",
        "utf-8",
    )
    with db.transaction() as session:
        projects.load_project_file(session, tmp_path / "p.yaml", now=NOW)
        key = pseudonyms.ensure_key(session, file=tmp_path / "k.key", now=NOW)
        project = queries.get_project(session, "s")
        vote_import.store_votes(session, project, vote_import.read_vote_file(session, project), key=key, now=NOW)
        derived = follow_up.derive_items(session, source=project, where=[], gold="why")
    assert [row["gold"] for row in derived.rows] == ["[]", "мова", ""]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "choices", "value", "from_name", "result", "id", "email"]), inner, max_size=3),  # noqa: E501
    max_leaves=10,
)  # fmt: skip
RESULTS = st.fixed_dictionaries({"from_name": st.just("usable") | VALUES, "value": VALUES})
ANNOTATIONS = st.fixed_dictionaries(
    {"completed_by": VALUES, "result": st.lists(RESULTS, max_size=3) | VALUES, "lead_time": VALUES}
)
EXPORTS = st.lists(
    st.fixed_dictionaries(
        {
            "id": VALUES,
            "data": st.just({"story": STORY}) | VALUES,
            "annotations": st.lists(ANNOTATIONS, max_size=3) | VALUES,
        }
    )
    | VALUES,
    max_size=3,
)


@pytest.mark.parametrize("form", ["label-studio", "human-response-bot"])
@pytest.mark.parametrize("name", ["votes.json", "votes.csv"])
@given(
    content=EXPORTS.map(lambda value: json.dumps(value).encode())
    | EXPORTS.map(lambda value: json.dumps({"instances": value}).encode())
    | st.lists(VALUES, min_size=4, max_size=4).map(
        lambda cells: (
            b"id,annotator,usable,lead_time\n"
            + ",".join('"' + json.dumps(cell).replace('"', '""') + '"' for cell in cells).encode()
        )
    )
    | st.binary(max_size=60)
)
@settings(max_examples=limit_examples(150), deadline=None)
def test_any_export_is_votes_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, form: str, name: str, content: bytes
) -> None:
    """Whatever the bytes: votes whose texts can be stored, or an error of our own tree with file and remedy."""
    path = tmp_path_factory.getbasetemp() / f"{form}-{name}"
    path.write_bytes(content)
    refusal = None
    try:
        votes = read(path, format=form, answer="usable", item="id")
    except HromadaError as failure:
        refusal = failure
        votes = []
    for vote in votes:
        assert vote.annotator.strip()
        json.dumps([vote.key, vote.annotator, vote.answer], ensure_ascii=False).encode()
        assert vote.seconds is None or math.isfinite(vote.seconds)  # below zero it is stored as unknown
    if refusal is not None:
        assert refusal.where is not None
        assert str(refusal.where.file) == str(path)
        assert refusal.remedy
