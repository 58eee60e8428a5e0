"""Sound files for every reader of items and votes, each with its project: tables, and what other tools write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _tables import Row, write_table

EXPORTS = Path(__file__).parents[2] / "tests/annotation/files"
"""Genuine exports of annotation tools, which the tests of their readers have."""
NAME, PROJECT = "p", "project.yaml"
HEAD = f"project: {NAME}\ntitle: p\nlanguage: uk\n"
MOOD = 'question: {type: choice, text: "?", options: [sad, glad]}\n'
YES_NO = 'question: {type: choice, text: "?", options: [так, ні]}\n'
DECISION = 'question: {type: choice, text: "?", options: [accept, reject, ignore]}\n'
PARTS = 'question: {type: span, text: "?", field: text, most: 9, labels: [PER, LOC], none: nothing}\n'
SCALE = 'question: {type: scale, text: "?", options: ["1", "2", "3", "4", "5"]}\n'
BOXES = 'question: {type: choices, text: "?", options: [plot, acting, home, school]}\n'
FREE = 'question: {type: text, text: "?", normalise: exact}\n'
TWO = """\
questions:
  - {name: mood, type: choice, text: "?", options: [sad, glad]}
  - {name: stars, type: scale, text: "?", options: ["1", "2", "3", "4", "5"]}
"""
OWN = """\
questions:
  - {name: verdict, type: choice, text: "?", options: [так, ні], abstain: хтозна}
  - {name: own, type: choices, text: "?", options: [кіт, пес], show_if: {verdict: так}}
  - {name: rating, type: scale, text: "?", options: ["1", "2", "3"], show_if: {verdict: ні}}
  - {name: where, type: span, text: "?", field: text_text, most: 3, none: ніде}
  - {name: fixed, type: edit, text: "?", field: text_text, show_if: {verdict: так}}
  - {name: note, type: text, text: "?", required: false, normalise: exact}
"""
FROM_VOTES = "items: from votes\n"
LONG = "item: item, annotator: who, answer: says"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A sound project: the text of its file, and the files that may be damaged and those that may not, by their paths.

    `votes` is the path that `votes.file` names, None if the project only has items.
    """

    name: str
    project: str
    files: Mapping[str, bytes]
    beside: Mapping[str, bytes] = field(default_factory=dict)
    votes: str | None = None

    def write(self, folder: Path) -> Path:
        """Write all files into the folder; return the path of the project file."""
        for path, content in {**self.files, **self.beside, PROJECT: self.project.encode()}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        return folder / PROJECT


def list_sources(scratch: Path) -> list[Source]:
    """All sources, in an order that never changes; `scratch` is a folder for tables on their way."""
    return [*_list_tables(scratch), *_list_platforms(), *_list_exports(), *_list_formats_of_items()]


ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".json", ".parquet")
ITEMS: Sequence[Row] = [{"id": f"i{n}", "text": f"Речення, {n}", "gold": "так" if n % 2 else "ні"} for n in range(4)]
VOTES: Sequence[Row] = [
    {"item": f"i{n}", "who": who, "says": "так" if n % 2 else "ні"} for n in range(4) for who in ("Оля", "Ян")
]
WIDE: Sequence[Row] = [{"item": f"i{n}", "Оля": "так", "Ян": None if n == 2 else "ні"} for n in range(4)]
FORM: Sequence[Row] = [
    {"Час": f"0{n + 1}.03.2026 10:00:00", "Хто": f"w{n}", **{f"Так? [{item}]": "ні" for item in "абв"}}
    for n in range(3)
]
SHAPES: Sequence[tuple[str, Sequence[Row], str]] = [
    ("long", VOTES, LONG),
    ("chosen", VOTES, f"{LONG}, where: {{says: not empty}}, status: {{column: who, counts: [Оля]}}"),
    ("wide", WIDE, "item: item, annotators: rest"),
    ("form", FORM, 'annotator: Хто, time: Час, wide: "Так? [{item}]"'),
]


def _list_tables(scratch: Path) -> Iterator[Source]:
    """Items and votes, long and wide, in every kind of file; and gold in a file of its own."""
    for ending in ENDINGS:
        name = f"table{ending}"
        of_items = f"items: {{file: {name}, id: id, show: text, gold: gold}}\noverlap: 3\n"
        raw = write_table(scratch / name, ITEMS).read_bytes()
        yield Source(name=f"items{ending}", project=HEAD + YES_NO + of_items, files={name: raw})
        for shape, rows, keys in SHAPES:
            raw = write_table(scratch / name, rows).read_bytes()
            yield _build_source(f"{shape}{ending}", name, YES_NO, keys, files={name: raw})
    gold = [{"item": row["id"], "gold": row["gold"]} for row in ITEMS]
    files = {
        "votes.csv": write_table(scratch / "votes.csv", VOTES).read_bytes(),
        "gold.jsonl": write_table(scratch / "gold.jsonl", gold).read_bytes(),
    }
    more = "truth: {file: gold.jsonl, item: item, gold: gold}\n"
    yield _build_source("gold", "votes.csv", YES_NO, LONG, files=files, more=more)


def _build_source(
    name: str,
    votes: str,
    question: str,
    keys: str,
    *,
    files: Mapping[str, bytes],
    beside: Mapping[str, bytes] | None = None,
    items: str = FROM_VOTES,
    more: str = "",
) -> Source:
    project = f"{HEAD}{question}{items}votes: {{file: {votes}, {keys}}}\n{more}"
    return Source(name=name, project=project, files=files, beside=beside or {}, votes=votes)


def _encode(rows: object) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def _list_platforms() -> Iterator[Source]:
    """Files of crowdsourcing platforms and bots whose form is so simple that it is written here."""
    toloka = "\t".join(
        ("INPUT:text", "OUTPUT:says", "GOLDEN:says", "ASSIGNMENT:task_id", "ASSIGNMENT:task_suite_id",
         "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"),
    ) + "\n"  # fmt: skip
    for n in range(4):
        for who, status in (("w1", "APPROVED"), ("w2", "REJECTED"), ("w3", "")):
            cells = (f"Речення, {n}", "так", "так" if n == 3 else "", f"t{n}", f"s{n // 2}", f"a{n // 2}{who}", who)
            toloka += "\t".join((*cells, status)) + "\n"
    keys = 'format: toloka, item: ["INPUT:text"]'
    for name, some in {"toloka": "format: toloka", "toloka-texts": keys}.items():
        yield _build_source(name, "toloka.tsv", YES_NO, some, files={"toloka.tsv": toloka.encode()})
    kit = "task,worker,label\n" + "".join(f"i{n},{who},так\n" for n in range(4) for who in "абв")
    yield _build_source("crowd-kit", "votes.csv", YES_NO, "format: crowd-kit", files={"votes.csv": kit.encode()})
    instances = [{"question": f"слово {n}", "humanAnswer": "так"} for n in range(4)]
    files = {"votes.json": _encode({"name": "words", "instances": instances})}
    yield _build_source("bot", "votes.json", YES_NO, "format: human-response-bot, item: question", files=files)


_STUDIO = "format: label-studio"
_TEXTS = {"items.csv": "id,text\n1,Оксана їде до Києва\n2,Оксана їде до Києва\n".encode()}
_WITH_TEXTS = "items: {file: items.csv, id: id, show: text}\n"
_TOOLS: Sequence[tuple[str, str, str]] = [
    ("label_studio/export.json", MOOD, f"{_STUDIO}, answer: mood"),
    ("label_studio/export.json", SCALE, f"{_STUDIO}, answer: stars"),
    ("label_studio/export.json", FREE, f"{_STUDIO}, answer: note"),
    ("label_studio/export.json", FREE, f"{_STUDIO}, answer: order"),
    ("label_studio/export.json", FREE, f"{_STUDIO}, answer: genre"),
    ("label_studio/export.json", TWO, f"{_STUDIO}, answers: {{mood: mood, stars: stars}}"),
    ("label_studio/export_min.json", BOXES, f"{_STUDIO}, answer: topics"),
    ("label_studio/export_min.json", TWO, f"{_STUDIO}, answers: {{mood: mood, stars: stars}}"),
    ("label_studio/export.csv", BOXES, f"{_STUDIO}, answer: topics"),
    ("label_studio/export.csv", TWO, f"{_STUDIO}, answers: {{mood: mood, stars: stars}}"),
    ("prodigy/choice.jsonl", MOOD, "format: prodigy"),
    ("prodigy/binary.jsonl", DECISION, "format: prodigy"),
    ("prodigy/ner.jsonl", PARTS, "format: prodigy, show: text"),
    ("doccano/mood", MOOD, "format: doccano"),
    ("doccano/names", PARTS, "format: doccano"),
    ("argilla/flat.jsonl", SCALE, "format: argilla, answer: stars"),
    ("argilla/records.json", TWO, "format: argilla, answers: {mood: mood, stars: stars}"),
    ("potato/annotation_output", BOXES, "format: potato, answer: aspects"),
    ("potato/export/annotations.csv", BOXES, "format: potato, answer: aspects"),
    ("potato/export/annotations.jsonl", BOXES, "format: potato, answer: aspects"),
    ("brat", PARTS, "format: brat, show: text"),
    ("inception/tsv", PARTS, "format: inception"),
    ("inception/json", PARTS, "format: inception"),
    ("mturk/batch.csv", MOOD, "format: mturk"),
    ("mturk/boxes.csv", BOXES, "format: mturk, answer: Answer.topics"),
    ("mturk/form.csv", MOOD, "format: mturk"),
    ("crowdtruth/job.csv", MOOD, "format: crowdtruth, show: sentence"),
    ("datasets/lists", MOOD, "format: datasets, item: text, annotator: workers, answer: labels"),
    ("datasets/splits", MOOD, "format: datasets, item: [split, text], annotator: worker, answer: label"),
    ("datasets/objects", MOOD, "format: datasets, item: text, annotator: votes.worker, answer: votes.mood"),
]


def _list_exports() -> Iterator[Source]:
    """The genuine exports."""
    for path, question, keys in _TOOLS:
        yield _build_source(f"{path} ({keys})", path, question, keys, files=_read_files(path))
    for ending in (".json", "_min.json", ".csv"):
        path = f"label_studio/export{ending}"
        keys = f"{_STUDIO}, answer: names"
        files = _read_files(path)
        yield _build_source(f"{path} ({keys})", path, PARTS, keys, files=files, beside=_TEXTS, items=_WITH_TEXTS)
        path = f"label_studio/own{ending}"
        yield _build_source(
            path, path, OWN, _STUDIO, files=_read_files(path), beside={"items.json": _build_own_items()},
            items="items: {file: items.json, id: id, show: text_text}\n",
        )  # fmt: skip
    keys = "annotator: Prolific ID, wide: [Дощ, Сонце], prolific: prolific/prolific_export.csv"
    yield _build_source("prolific", "prolific/form.csv", MOOD, keys, files=_read_files("prolific"))


def _read_files(path: str) -> dict[str, bytes]:
    """The files of a folder, or one file, by their paths below the exports."""
    source = EXPORTS / path
    files = sorted(file for file in source.rglob("*") if file.is_file()) if source.is_dir() else [source]
    return {file.relative_to(EXPORTS).as_posix(): file.read_bytes() for file in files}


def _build_own_items() -> bytes:
    tasks: list[dict[str, Any]] = json.loads((EXPORTS / "label_studio/own.json").read_bytes())
    texts = {task["data"]["item"]: task["data"]["text_text"] for task in tasks}
    return _encode([{"id": item, "text_text": text} for item, text in texts.items()])


def _list_formats_of_items() -> Iterator[Source]:
    """Items in the formats that the ending of a file does not tell."""
    options = ["кіт", "пес", "лис"]
    choice = 'question: {type: choice, text: "?"}\n'
    more = "options: options"
    cloze = [
        [
            {"id": f"{story}{n}", "context": {"text": f"Казка {story}"}, "question": f"Хто {n}?", "options": options,
             "answer": "лис", "storyId": story}
            for n in range(2)
        ]
        for story in ("а", "б")
    ]  # fmt: skip
    items = [item for story in cloze for item in story]
    flat = [{**item, "context": "Казка", "options": str(options)} for item in items]
    lines = [json.dumps(item, ensure_ascii=False) for item in items]
    table = "id,question,options,answer\n" + "".join(
        f'{row["id"]},{row["question"]},"{row["options"]}",{row["answer"]}\n' for row in flat
    )
    instances = [
        {"id": n, "question": f"Слово {n}?", "additionalMetadata": {"kind": "x"}, "options": options,
         "correctAnswer": "кіт"}
        for n in range(4)
    ]  # fmt: skip
    tasks = [{"id": n, "data": {"text": f"слово {n}", "options": options, "gold": "пес"}} for n in range(4)]
    for name, keys, content in (
        ("lmes.json", f"format: lmes, id: id, show: question, gold: correctAnswer, {more}", {"instances": instances}),
        ("ua-cbt.json", f"format: ua-cbt, id: id, show: question, gold: answer, {more}", {"tasks": cloze}),
        ("ua-cbt.jsonl", f"format: ua-cbt, id: id, show: question, gold: answer, {more}", "\n".join(lines)),
        ("ua-cbt.csv", f"format: ua-cbt, id: id, show: question, gold: answer, {more}", table),
        ("tasks.json", f"format: label-studio, id: id, show: text, gold: gold, {more}", tasks),
        (
            "path.json",
            f"path: a.b, id: id, show: question, gold: answer, {more}",
            {"a": {"b": items}},
        ),
    ):
        raw = content.encode() if isinstance(content, str) else _encode(content)
        project = f"{HEAD}{choice}items: {{file: {name}, {keys}}}\noverlap: 3\n"
        yield Source(name=name, project=project, files={name: raw})
