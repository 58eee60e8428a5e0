"""Votes in files as annotation tools write them: whose, on what, which count, and what is nobody's vote."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from annotation.campaigns.project_file import VotesSection
from annotation.campaigns.questions import AnyQuestion, QuestionContent
from annotation.errors import BadInput
from annotation.loading import campaign, judgements
from annotation.loading.judgements.other_tools import RawVote

FILES = Path(__file__).parent / "files"
PER = {"start": 0, "end": 6, "label": "PER"}
LOC = {"start": 14, "end": 19, "label": "LOC"}
KYIV = {"start": 14, "end": 19, "text": "Києва", "label": "LOC"}
OKSANA = {"start": 0, "end": 6, "text": "Оксана", "label": "PER"}
U1, U2 = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"


def read(name: str, **section: Any) -> list[RawVote]:
    """All that a file of a tool has, votes and what is none."""
    return list(judgements.read_raw_votes(FILES / name, VotesSection.model_validate(section)))


def tell(votes: list[RawVote]) -> list[tuple[Any, ...]]:
    """Item, annotator and answer of each vote, and why it does not count."""
    return [
        (*vote.key, vote.annotator, _decode(vote.answer), vote.exclusion and vote.exclusion.reason)
        for vote in votes
        if vote.key
    ]


def _decode(answer: str) -> Any:
    return json.loads(answer) if answer.startswith(("[", "{")) else answer


def count_others(votes: list[RawVote]) -> dict[str, int]:
    """What is nobody's vote, by its reason."""
    return dict(Counter(vote.exclusion.reason for vote in votes if not vote.key and vote.exclusion))


CASES: dict[str, tuple[str, dict[str, Any], list[tuple[Any, ...]]]] = {
    "prodigy, a choice": (
        "prodigy/choice.jsonl",
        {"format": "prodigy", "item": "text"},
        [
            ("Дощ", "mood-ann", "sad", None), ("Сонце", "mood-ann", "glad", None),
            ("Вітер", "mood-ann", "", "skipped"), ("Дощ", "mood-bob", "sad", None),
            ("Сонце", "mood-bob", "glad", None), ("Вітер", "mood-bob", "sad", "rejected by the annotator"),
        ],
    ),
    "prodigy, yes or no": (
        "prodigy/binary.jsonl",
        {"format": "prodigy"},
        [
            ("1849331881", "unknown", "reject", None), ("1849331882", "unknown", "accept", None),
            ("1849331883", "unknown", "ignore", "skipped"),
        ],
    ),
    "prodigy, names": (
        "prodigy/ner.jsonl",
        {"format": "prodigy"},
        [("-1952856502", "n-ann", [PER, LOC], None), ("-1952856502", "n-bob", [PER], None)],
    ),
    "doccano, labels": (
        "doccano/mood",
        {"format": "doccano"},
        [
            ("1", "admin", "sad", None), ("2", "admin", "glad", None), ("3", "admin", "", None),
            ("1", "olena", "sad", None), ("2", "olena", "sad", None), ("3", "olena", "sad", None),
        ],
    ),
    "doccano, names": (
        "doccano/names",
        {"format": "doccano"},
        [("1", "admin", [PER, LOC], None), ("1", "olena", [PER], None)],
    ),
    "argilla, a data set": (
        "argilla/flat.jsonl",
        {"format": "argilla", "answer": "stars"},
        [
            ("a1", U1, "2", None), ("a1", U2, "3", None), ("a2", U1, "5", None), ("a2", U2, "4", None),
            ("a3", U1, "1", None), ("a3", U2, "2", "skipped"),
        ],
    ),
    "potato, the state of annotators": (
        "potato/annotation_output",
        {"format": "potato", "answer": "aspects"},
        [
            ("r1", "alice", ["plot", "acting"], None), ("r2", "alice", "", None),
            ("r1", "bob", "plot", None), ("r2", "bob", "acting", None),
        ],
    ),
    "potato, a table": (
        "potato/export/annotations.csv",
        {"format": "potato", "answer": "aspects"},
        [
            ("r1", "alice", ["plot", "acting"], None), ("r1", "bob", "plot", None),
            ("r2", "alice", "", None), ("r2", "bob", "acting", None),
        ],
    ),
    "potato, parts of a text": (
        "potato/export/annotations.jsonl",
        {"format": "potato", "answer": "names"},
        [
            ("r1", "alice", [OKSANA], None), ("r1", "bob", [OKSANA], None),
            ("r2", "alice", "", None), ("r2", "bob", "", None),
        ],
    ),
    "brat": (
        "brat",
        {"format": "brat"},
        [
            ("d1", "olena", [PER, LOC], None), ("d2", "olena", "", None),
            ("d1", "petro", [PER, {"start": 7, "end": 13, "label": "LOC"}, LOC], None), ("d2", "petro", "", None),
        ],
    ),
    "inception, tsv": (
        "inception/tsv",
        {"format": "inception"},
        [
            (
                "d1.txt", "olena",
                [
                    {"start": 0, "end": 3, "label": "PER"}, {"start": 4, "end": 5, "label": "PER"},
                    {"start": 12, "end": 24, "label": "LOC"},
                ],
                None,
            ),
            (
                "d1.txt", "petro",
                [{"start": 0, "end": 3, "label": "PER"}, {"start": 12, "end": 24, "label": "LOC"}],
                None,
            ),
        ],
    ),
    "inception, json": (
        "inception/json",
        {"format": "inception"},
        [
            ("d1.txt", "olena", [{"start": 6, "end": 9, "label": "PER"}], None),
            ("d1.txt", "petro", [{"start": 0, "end": 3, "label": "PER"}], None),
        ],
    ),
    "mturk, a batch": (
        "mturk/batch.csv",
        {"format": "mturk"},
        [
            ("H1", "W1", "sad", None), ("H1", "W2", "glad", "status Rejected"),
            ("H1", "W3", "sad", "status Submitted"), ("H1", "W4", "sad", None),
            ("H2", "W1", "glad", None), ("H2", "W4", "glad", None),
        ],
    ),
    "mturk, boxes": (
        "mturk/boxes.csv",
        {"format": "mturk", "answer": "Answer.topics"},
        [("H1", "W1", "home", None), ("H1", "W2", ["home", "school"], None)],
    ),
    "mturk, a crowd form": (
        "mturk/form.csv",
        {"format": "mturk"},
        [("H1", "W1", "sad", None), ("H1", "W2", "sad", None)],
    ),
    "crowdtruth": (
        "crowdtruth/job.csv",
        {"format": "crowdtruth"},
        [
            ("1856505106", "39127197", "sad", None), ("1856505106", "44637936", "sad", None),
            ("1856505106", "44637937", "glad", "failed the platform's test questions"),
            ("1856505107", "39127197", "glad", None), ("1856505107", "44637936", "glad", None),
            ("1856505108", "44637936", "sad", "control item"),
        ],
    ),
    "datasets, lists": (
        "datasets/lists",
        {"format": "datasets", "item": "text", "annotator": "workers", "answer": "labels"},
        [
            ("Дощ", "w1", "sad", None), ("Дощ", "w2", "sad", None),
            ("Сонце", "w1", "glad", None), ("Сонце", "w2", "sad", None),
        ],
    ),
    "datasets, splits": (
        "datasets/splits",
        {"format": "datasets", "item": ["split", "text"], "annotator": "worker", "answer": "label"},
        [
            ("train", "Дощ", "w1", "sad", None), ("train", "Дощ", "w2", "sad", None),
            ("test", "Сонце", "w1", "glad", None), ("test", "Сонце", "w2", "", None),
        ],
    ),
    "datasets, objects": (
        "datasets/objects",
        {"format": "datasets", "item": "text", "annotator": "votes.worker", "answer": "votes.mood"},
        [("Дощ", "w1", "sad", None), ("Дощ", "w2", "sad", None), ("Сонце", "w1", "glad", None)],
    ),
    "prolific, beside a form": (
        "prolific/form.csv",
        {
            "annotator": "Prolific ID", "wide": ["Дощ", "Сонце"],
            "prolific": str(FILES / "prolific/prolific_export.csv"),
        },
        [
            (item, person, answer, reason)
            for person, reason in (
                ("5e9088a8a4b6ed018b45ba7b", None), ("5c655e3c42faef0001283e77", None),
                ("5c655e3c42faef0001283e78", "status REJECTED"),
                ("5c655e3c42faef0001283e79", "status AWAITING REVIEW"),
                ("5c655e3c42faef0001283e80", "not among the platform's submissions"),
            )
            for item, answer in (
                (("Дощ", "sad"), ("Сонце", "glad")) if reason is None else (("Дощ", "glad"), ("Сонце", "sad"))
            )
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_file_of_a_tool_is_read(case: str) -> None:
    """Item, annotator, answer, and why a vote does not count."""
    name, section, expected = CASES[case]
    assert tell(read(name, **section)) == expected


@pytest.mark.parametrize(
    ("name", "section", "expected"),
    [
        ("argilla/flat.jsonl", {"format": "argilla", "answer": "mood"}, {"draft": 1, "prediction of a model": 3}),
        ("inception/tsv", {"format": "inception"}, {"draft": 1, "prediction of a model": 1}),
        (
            "label_studio/export.json",
            {"format": "label-studio", "answer": "mood"},
            {"draft": 1, "prediction of a model": 3},
        ),
    ],
)  # fmt: skip
def test_drafts_and_predictions_are_counted_and_not_kept(
    name: str, section: dict[str, Any], expected: dict[str, int]
) -> None:
    """They are nobody's answers."""
    assert count_others(read(name, **section)) == expected


def test_times_and_gold_come_with_votes() -> None:
    """Seconds of work where the tool measures them; the gold of test questions."""
    assert [vote.seconds for vote in read("mturk/batch.csv", format="mturk")] == [12, 2, 9, 7, 5, 6]
    votes = read("crowdtruth/job.csv", format="crowdtruth")
    assert [vote.seconds for vote in votes] == [12, 13, 13, 12, 13, 13]
    assert dict(votes[-1].golden) == {"mood": "sad"}


LABEL_STUDIO = {
    "mood": ["sad", "sad", "glad", "glad"],
    "topics": [["home", "school"], "home", "school", "school"],
    "stars": ["4", "5", "2", "2"],
    "age": ["7", "7.5", "3", "3"],
    "better": ["left", "left", "right", "right"],
    "genre": ["Prose / Novel", ["Prose / Novel", "Verse"], "Verse", "Verse"],
    "order": [["x", "y"], ["y", "x"], ["x", "y"], ["x", "y"]],
    "note": ["одне", "одне", ["одне", "друге"], "друге"],
    "names": [
        [OKSANA, KYIV], [OKSANA], [OKSANA, OKSANA | {"label": "LOC"}], [OKSANA | {"label": "LOC"}],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", ["export.json", "export_min.json", "export.csv"])
@pytest.mark.parametrize("control", LABEL_STUDIO)
def test_every_control_of_label_studio_is_read_in_every_export(name: str, control: str) -> None:
    """The same answers in the same order; only the JSON has skips. A region that is stored twice counts once."""
    votes = tell(read(f"label_studio/{name}", format="label-studio", answer=control))
    counted = [vote for vote in votes if vote[3] != "skipped"]
    assert [vote[:2] for vote in counted] == [("1", "2"), ("1", "3"), ("2", "2"), ("2", "3")]
    assert [vote[2] for vote in counted] == LABEL_STUDIO[control]
    assert [vote[3] for vote in counted] == [None, None, "several texts" if control == "note" else None, None]
    assert len(votes) - len(counted) == (name == "export.json")


ONE_REGION = '[{"id": 7, "data": {"a": 1}, "annotations": [{"id": 9, "completed_by": 1, "result": [%s]}]}]'
DAMAGE = {
    "no decision": ("p.jsonl", '{"text": "a", "answer": "maybe"}', {"format": "prodigy"}, "neither accepted, rejected"),
    "no person": (
        "p.jsonl",
        '{"_task_hash": 1, "answer": "accept", "_session_id": "a"}\n{"_task_hash": 2, "answer": "accept"}',
        {"format": "prodigy"},
        "names no annotator",
    ),
    "no responses": ("a.jsonl", '{"id": 1, "fields": {}}', {"format": "argilla"}, "The record has no responses"),
    "two questions": (
        "a.json",
        '[{"id": 1, "responses": [{"user_id": 1, "values": {"q": {"value": 1}, "r": {"value": 2}}}]}]',
        {"format": "argilla"},
        "answers to 2 questions: q, r",
    ),
    "columns of other lengths": (
        "a.jsonl",
        '{"id": 1, "q.responses": [1, 2], "q.responses.users": ["a"]}',
        {"format": "argilla"},
        "differ in number",
    ),
    "a number of people": (
        "a.jsonl",
        '{"id": 1, "q.responses": [1, 2], "q.responses.users": 2}',
        {"format": "argilla"},
        "differ in number",
    ),
    "no pair": (
        "user_state.json",
        '{"user_id": "a", "instance_id_to_label_to_value": {"i": [["q"]]}}',
        {"format": "potato"},
        "not a pair",
    ),
    "not brat": ("d.ann", "T1 PER 0 6 Оксана", {"format": "brat"}, "not a brat annotation"),
    "no place": ("d.ann", f"T1\tPER 0 {'9' * 5_000}\tОксана", {"format": "brat"}, "not a brat annotation"),
    "not a folder": ("d.txt", "Оксана", {"format": "brat"}, "not a folder"),
    "not tsv 3": ("d.tsv", "#FORMAT=WebAnno TSV 2\n", {"format": "inception"}, "not WebAnno TSV 3"),
    "no token": ("d.tsv", "#FORMAT=WebAnno TSV 3.3\n#Text=a\n1-1\tx\ta\t_\n", {"format": "inception"}, "not a token"),
    "no text": ("d.json", '{"%FEATURE_STRUCTURES": []}', {"format": "inception"}, "no text"),
    "not a batch": ("b.csv", "a,b\n1,2\n", {"format": "mturk"}, "answers to 0 questions"),
    "parts of a picture": (
        "l.json",
        ONE_REGION % '{"from_name": "box", "value": {"x": 1, "rectanglelabels": ["a"]}}',
        {"format": "label-studio"},
        "l.json, task 7, annotation 9, box: The control 'box' has a region of the type rectanglelabels",
    ),
    "an answer about a part": (
        "l.json",
        ONE_REGION % '{"from_name": "sure", "value": {"start": 0, "end": 1, "text": "a", "choices": ["yes"]}}',
        {"format": "label-studio"},
        "l.json, task 7, annotation 9, sure: The control 'sure' is answered for each marked part",
    ),
    "no such column": (
        "d.jsonl",
        '{"text": "a", "who": "b", "label": "c"}',
        {"format": "datasets", "item": "text", "annotator": "who", "answer": "labels"},
        "There is no column 'labels'",
    ),
    "an archive": ("all.zip", "PK", {"format": "doccano"}, "an archive"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_file_that_is_of_no_tool_is_refused_with_its_place(tmp_path: Path, case: str) -> None:
    """The file, what is wrong, and what to do."""
    name, content, section, says = DAMAGE[case]
    folder = tmp_path / "olena"
    folder.mkdir()
    (folder / name).write_text(content, "utf-8")
    (folder / "d.txt").write_text("Оксана", "utf-8")
    path = folder if name.endswith(".ann") else folder / name
    with pytest.raises(BadInput, match=says) as refusal:
        read(str(path), **section)
    assert refusal.value.where is not None
    assert str(refusal.value.where.file) == str(folder / name)
    assert refusal.value.remedy


def test_a_link_out_of_the_folder_of_votes_is_not_followed(tmp_path: Path) -> None:
    """A folder from somebody else could show a file of this machine."""
    (tmp_path / "secret.jsonl").write_text('{"id": 1, "text": "a", "label": ["b"]}', "utf-8")
    (tmp_path / "votes").mkdir()
    (tmp_path / "votes/ann.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(BadInput, match="leads out of the folder"):
        read(str(tmp_path / "votes"), format="doccano")


@pytest.mark.parametrize("split", ["..", "s" * 300, "none"])
def test_the_splits_of_a_data_set_are_its_folders(tmp_path: Path, split: str) -> None:
    """A name from somebody else could lead to other folders."""
    (tmp_path / "votes").mkdir()
    (tmp_path / "votes/dataset_dict.json").write_text(json.dumps({"splits": [split]}), "utf-8")
    with pytest.raises(BadInput, match=r"dataset_dict\.json: The splits are not folders\."):
        read(str(tmp_path / "votes"), format="datasets")


OWN_TEXT = "Лис і лис, і ще раз лис 🦊.\n\nА в полі — кіт & <пес>."
OWN_QUESTIONS: tuple[dict[str, Any], ...] = (
    {"name": "verdict", "type": "choice", "text": "?", "options": ["так", "ні"], "abstain": "хтозна"},
    {"name": "own", "type": "choices", "text": "?", "options": ["кіт", "пес"], "show_if": {"verdict": "так"}},
    {"name": "rating", "type": "scale", "text": "?", "options": ["1", "2", "3"], "show_if": {"verdict": "ні"}},
    {"name": "where", "type": "span", "text": "?", "field": "text", "most": 3, "none": "ніде"},
    {"name": "fixed", "type": "edit", "text": "?", "field": "text", "show_if": {"verdict": "так"}},
    {"name": "note", "type": "text", "text": "?", "required": False, "normalise": "exact"},
)


def test_every_export_of_our_own_tasks_is_read_alike() -> None:
    """JSON, JSON_MIN and CSV of a project with a question of every type: the same answers; only the JSON has skips."""
    section = VotesSection.model_validate({"format": "label-studio"})
    questions = [TypeAdapter(AnyQuestion).validate_python(question) for question in OWN_QUESTIONS]
    contents = {item: QuestionContent(fields={"text": OWN_TEXT}) for item in ("i1", "i2")}
    found = {
        name: campaign.read_votes(
            FILES / "label_studio" / name, section, questions=questions, item_contents=contents
        ).votes
        for name in ("own.json", "own_min.json", "own.csv")
    }
    told = {
        name: [(vote.item, vote.annotator, vote.answers, vote.raw, vote.seconds) for vote in votes if vote.answers]
        for name, votes in found.items()
    }
    assert told["own_min.json"] == told["own.json"] == told["own.csv"]
    assert [vote[:2] for vote in told["own.json"]] == [("i1", "1"), ("i1", "2"), ("i2", "1")]
    answers = told["own.json"][0][2]
    assert answers is not None
    assert json.loads(answers["where"]) == [
        {"start": 6, "end": 9, "text": "лис"}, {"start": 25, "end": 28, "text": OWN_TEXT[25:28]},
    ]  # fmt: skip
    assert told["own.json"][1][2] == {"verdict": "ні", "rating": "2", "where": "[]"}
    assert len(found["own.json"]) == 4


def test_a_skip_with_half_an_answer_stops_no_import(tmp_path: Path) -> None:
    """A discarded response with a point that the scale does not have is kept as a skip, without answers."""
    section = VotesSection.model_validate({"format": "argilla", "answers": {"mood": "mood", "why": "stars"}})
    questions = [
        TypeAdapter(AnyQuestion).validate_python(question)
        for question in (
            {"name": "mood", "type": "choice", "text": "?", "options": ["sad", "glad"]},
            {"name": "why", "type": "scale", "text": "?", "options": ["1", "3", "4", "5"]},
        )
    ]
    path = tmp_path / "one.jsonl"
    path.write_text((FILES / "argilla/flat.jsonl").read_text("utf-8").splitlines()[2], "utf-8")
    found = campaign.read_votes(path, section, questions=questions, item_contents={"a3": QuestionContent()})
    assert [(vote.answers, vote.exclusion and vote.exclusion.reason) for vote in found.votes] == [
        ({"mood": "sad", "why": "1"}, None), ({}, "skipped"),
    ]  # fmt: skip
