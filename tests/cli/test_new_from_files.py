"""`hromada new --from`: a project that `check` accepts, or the one thing that a person must decide."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _tables import write_table

from annotation.campaigns import yaml_document

if TYPE_CHECKING:
    from _command import Hromada

TOOLS = Path(__file__).parents[1] / "annotation/files"
Rows = Sequence[Mapping[str, object]]
PEOPLE = ("Олена", "Іван", "Марта")
LONG: Rows = [
    {"ід": n, "текст": f"Речення {n} про їжака", "хто": who, "відповідь": says}
    for n in range(1, 4)
    for who, says in zip(PEOPLE, ("так", "ні", "так"), strict=True)
]
WIDE: Rows = [
    {"id": n, "Олена": "кіт", "Іван": "пес" if n % 2 else "кіт", "Марта": "кіт" if n > 1 else ""} for n in range(1, 5)
]
FORM: Rows = [
    {"Timestamp": f"3/1{n}/2026 10:00:00", "Email": f"{n}@x", "Кіт?": "так", "Пес?": says, "Вік": 30 + n}
    for n, says in ((3, "так"), (4, "ні"), (5, "так"))
]
NAMELESS: Rows = [
    {"i": n, "w": who, "a": float(says)}
    for n, both in enumerate(("11", "12", "22", "23"), 1)
    for who, says in zip(("x", "y"), both, strict=True)
]
PAIRS: Rows = [
    {"prompt": f"Explain rain {n}", "response_a": f"First text {n} here", "response_b": f"Second text {n} is here",
     "annotator": who, "preference": says}
    for n in range(1, 4)
    for who, says in zip(PEOPLE, ("A", "B", "tie"), strict=True)
]  # fmt: skip
ARENA: Rows = [
    {"question_id": n, "question": f"Explain rain {n}", "model_a": "x", "model_b": "y", "text_a": f"First text {n}",
     "text_b": f"Second text {n} is here", "winner": says, "judge": who}
    for n in range(1, 4)
    for who, says in zip(PEOPLE, ("model_a", "model_b", "tie"), strict=True)
]  # fmt: skip
NAMES: Rows = [{name: row[name] for name in ("question_id", "model_a", "model_b", "winner", "judge")} for row in ARENA]
"""The same without texts, as MT-bench and Chatbot Arena publish votes; crowd-kit's have no question either."""
TRIPLES: Rows = [{"worker": row["judge"], "left": "x", "right": "y", "label": "x"} for row in ARENA]
FEW: Rows = [
    {"Timestamp": f"2026-03-0{n} 10:00", "Email": f"{n}@x", "Чи природно це речення: А?": first,
     "Чи природно це речення: Б?": other, "Чи рідна мова?": "Так"}
    for n, first, other in ((1, "Цілком природно", "Радше неприродно"), (2, "Природно", "Зовсім неприродно"))
]  # fmt: skip
GOLD: Rows = [{"ід": n, "еталон": "так"} for n in range(1, 4)]
TEXTS: Rows = [{"ід": n, "речення": f"Довге речення {n}", "еталон": "так"} for n in range(1, 4)]
ITEMS: Rows = [
    {"id": n, "question": f"Which is the longest, {n}?", "option_a": "cat", "option_b": "mouse", "answer": "B"}
    for n in range(1, 4)
]
TIMED: Rows = [dict(row) | {"time": f"2026-03-0{n % 3 + 1} 10:00:00", "gold": "так"} for n, row in enumerate(LONG)]
VOTES = {"item": "ід", "annotator": "хто", "answer": "відповідь", "show": "текст"}
SHAPES: Mapping[str, tuple[Mapping[str, Rows], Mapping[str, Any]]] = {
    "long": ({"v.csv": LONG}, {"language": "uk", "votes": {"file": "v.csv", **VOTES}}),
    "spreadsheet": ({"v.xlsx": LONG}, {"votes": {"file": "v.xlsx", **VOTES}}),
    "wide": ({"v.csv": WIDE}, {"votes": {"file": "v.csv", "item": "id", "annotators": "rest"}}),
    "form": (
        {"v.csv": FORM},
        {"votes": {"file": "v.csv", "annotator": "Email", "time": "Timestamp", "wide": ["Кіт?", "Пес?"]}},
    ),
    "anonymous form": (
        {"v.csv": [{name: cell for name, cell in row.items() if name != "Email"} for row in FORM]},
        {"votes": {"file": "v.csv", "annotator": "Timestamp", "wide": ["Кіт?", "Пес?"]}},
    ),
    "no usual names": (
        {"v.csv": NAMELESS},
        {
            "question": {"type": "scale", "text": "What is your answer?", "options": ["1", "2", "3"]},
            "votes": {
                "file": "v.csv", "item": "i", "annotator": "w", "answer": "a",
                "labels": {"map": {"1.0": "1", "2.0": "2", "3.0": "3"}},
            },
        },
    ),
    "time and gold beside the votes": (
        {"v.jsonl": TIMED},
        {
            "votes": {"file": "v.jsonl", **VOTES, "time": "time"},
            "truth": {"file": "v.jsonl", "item": "ід", "gold": "gold"},
        },
    ),
    "labels that are words of a scale": (
        {"v.csv": FEW},
        {
            "question": {
                "type": "scale", "text": "Яка ваша відповідь?",
                "options": ["Зовсім неприродно", "Радше неприродно", "Природно", "Цілком природно"],
            },
            "votes": {
                "file": "v.csv", "annotator": "Email", "time": "Timestamp",
                "wide": ["Чи природно це речення: А?", "Чи природно це речення: Б?"],
            },
        },
    ),
    "two texts that are compared": (
        {"v.csv": PAIRS},
        {
            "question": {
                "type": "preference", "text": "What is your answer?", "sides": ["response_a", "response_b"],
                "tie": "the same",
            },
            "votes": {
                "file": "v.csv", "item": "prompt", "annotator": "annotator", "answer": "preference", "show": "prompt",
            },
        },
    ),
    "two systems in a row": (
        {"v.csv": ARENA},
        {
            "question": {
                "type": "preference", "text": "What is your answer?", "sides": ["text_a", "text_b"],
                "systems": ["model_a", "model_b"], "tie": "the same",
            },
            "votes": {"file": "v.csv", "format": "comparisons", "show": "question"},
        },
    ),
    "names of two systems": (
        {"v.csv": NAMES},
        {
            "question": {
                "type": "preference", "text": "What is your answer?", "sides": ["left", "right"],
                "systems": ["model_a", "model_b"], "tie": "the same",
            },
            "votes": {"file": "v.csv", "format": "comparisons"},
        },
    ),
    "the index of pandas beside a column for each person": (
        {"v.csv": [{"Unnamed: 0": n, "text": f"Речення {n}", "ann": n % 2, "bob": 1, "eve": 0} for n in range(4)]},
        {"votes": {"file": "v.csv", "item": "text", "annotators": ["ann", "bob", "eve"]}},
    ),
    "addresses and telephones under other names": (
        {"v.csv": [
            {"Timestamp": f"2026-03-0{n} 10:00", "Про дощ": "так", "Про сніг": "ні", "Зв'язок": f"+3806700000{n}",
             "Як вас знайти?": f"olena{n}@example.org"}
            for n in range(1, 4)
        ]},
        {
            "votes": {
                "file": "v.csv", "annotator": "Як вас знайти?", "time": "Timestamp", "wide": ["Про дощ", "Про сніг"],
            },
        },
    ),
    "gold in another file": (
        {"v.csv": LONG, "gold.xlsx": GOLD},
        {"truth": {"file": "gold.xlsx", "item": "ід", "gold": "еталон"}},
    ),
    "items in another file": (
        {"v.csv": LONG, "items.jsonl": TEXTS},
        {
            "items": {"file": "items.jsonl", "id": "ід", "show": "речення", "gold": "еталон"},
            "votes": {"file": "v.csv", "item": "ід", "annotator": "хто", "answer": "відповідь"},
        },
    ),
    "items alone": (
        {"items.csv": ITEMS},
        {
            "question": {"type": "choice", "text": "What is your answer?", "labels": {"positions": ["A", "B"]}},
            "items": {
                "file": "items.csv", "id": "id", "show": "question", "options": ["option_a", "option_b"],
                "gold": "answer",
            },
            "overlap": "3",
        },
    ),
}  # fmt: skip


def write_all(hromada: Hromada, files: Mapping[str, Rows]) -> list[str]:
    """Write the tables; returns the words that name them."""
    for name, rows in files.items():
        write_table(hromada.folder / name, rows)
    return ["--from", *files]


def read_project(hromada: Hromada, folder: str = "p") -> dict[str, Any]:
    """The keys of the written project file."""
    file = hromada.folder / folder / "project.yaml"
    return yaml_document.parse_yaml(file.read_text("utf-8"), file=file).data


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_every_shape_gives_a_project_that_check_accepts(hromada: Hromada, shape: str) -> None:
    """Its sections are as a person would write them."""
    files, expected = SHAPES[shape]
    made = hromada("new", "p", *write_all(hromada, files))
    assert made.code == 0, made.err
    assert hromada("check", "p/project.yaml").code == 0
    assert {key: read_project(hromada)[key] for key in expected} == expected


@pytest.mark.parametrize(("item", "language"), [("q{:03}", "uk"), ("item_{}", "uk"), ("river {} of the map", "en")])
def test_ids_say_nothing_of_the_language(hromada: Hromada, item: str, language: str) -> None:
    """Where nothing but ids is there, the labels tell; texts come before labels."""
    rows = [
        f"p{person},{item.format(number)},{'так' if number % 2 else 'ні'}" for number in range(9) for person in "ab"
    ]
    hromada("new", "p", "--from", hromada.write("v.csv", "\n".join(["annotator_id,item_id,answer", *rows])))
    assert read_project(hromada)["language"] == language


def test_every_guess_is_said_and_marked_and_the_first_item_is_shown(hromada: Hromada) -> None:
    """What is unsure, what is not used, the item with its buttons, and three commands."""
    said = hromada("new", "p", *write_all(hromada, {"v.csv": FORM}), "--json").json
    text = (hromada.folder / "p/project.yaml").read_text("utf-8")
    assert "question.text: the files do not say what was asked" in said["unsure"]
    assert [line.partition("# ? ")[2] for line in text.splitlines() if "# ? " in line] == [
        doubt.partition(": ")[2] for doubt in said["unsure"]
    ]
    assert said["unused columns"] == {"v.csv": ["Вік"]}
    assert said["first item"][2:] == ["Кіт?", "", "Яка ваша відповідь?", "[ так ] [ ні ]", "[ Пропустити ] [ ⋯ ]"]
    assert said["commands"] == ["hromada load p/project.yaml", "hromada import p", "hromada agreement p"]


def test_a_person_who_may_be_the_gold_is_doubted(hromada: Hromada) -> None:
    """A column with people's labels whose name speaks of gold: what to write is said."""
    rows = [f"m{n:02},{'ham' if n % 2 else 'spam'}" + ",ham,spam,ham" for n in range(12)]
    hromada.write("v.csv", "\n".join(["id,label_gold,rater_1,rater_2,rater_3", *rows]) + "\n")
    said = hromada("new", "p", "--from", "v.csv", "--json").json
    assert [doubt for doubt in said["unsure"] if "if label_gold is the gold: --as gold=label_gold" in doubt]
    chosen = hromada("new", "q", "--from", "v.csv", "--as", "gold=label_gold")
    assert chosen.code == 0, chosen.err
    assert "label_gold" not in [line for line in chosen.out.splitlines() if "taken to be a person" in line]


@pytest.mark.parametrize(("name", "asked"), [("expert", "if expert is the gold"), ("reviewer", "if one is the gold")])
def test_a_rater_may_be_called_as_annotators_are(hromada: Hromada, name: str, asked: str) -> None:
    """Beside raters with the same labels it is one of them, or the gold; by itself it names who answered."""
    rows = [f"m{n:02},{'ham' if n % 2 else 'spam'}" + ",ham,spam,ham" for n in range(12)]
    hromada.write("v.csv", "\n".join([f"id,{name},kate,liam,mona", *rows]) + "\n")
    said = hromada("new", "p", "--from", "v.csv", "--json").json
    (doubt,) = [doubt for doubt in said["unsure"] if f"4 columns: {name}, kate, liam and 1 more; " in doubt]
    assert asked in doubt
    long = [f"m{n:02},{who},{'ham' if n % 2 else 'spam'}" for n in range(12) for who in ("kate", "liam")]
    hromada.write("long.csv", "\n".join([f"id,{name},says", *long]) + "\n")
    assert hromada("new", "q", "--from", "long.csv").code == 0
    assert read_project(hromada, "q")["votes"]["annotator"] == name


TOOL_FILES = (
    "argilla/flat.jsonl", "argilla/records.json", "brat", "crowdtruth/job.csv", "datasets/lists", "datasets/objects",
    "doccano/mood", "doccano/names", "inception/json", "inception/tsv", "label_studio/export.json",
    "label_studio/export_min.json", "label_studio/export.csv", "mturk/batch.csv", "mturk/boxes.csv", "mturk/form.csv",
    "potato/annotation_output", "potato/export/annotations.csv", "prodigy/binary.jsonl", "prodigy/choice.jsonl",
    "prodigy/ner.jsonl",
)  # fmt: skip


@pytest.mark.parametrize("name", TOOL_FILES)
def test_the_files_of_tools_are_recognised(hromada: Hromada, name: str) -> None:
    """By the names that only they write."""
    made = hromada("new", "p", "--from", TOOLS / name)
    assert made.code == 0, made.err
    tool = name.partition("/")[0].replace("_", "-")
    assert read_project(hromada)["votes"]["format"] == tool
    assert (hromada.folder / "p" / Path(name).name).exists()


TWO: Rows = [{"item": n, "who": who, "label": n % 2, "score": n} for n in range(1, 4) for who in "ab"]
DECISIONS: Sequence[tuple[Mapping[str, Rows], str, tuple[str, ...]]] = [
    ({"v.csv": [{"item": row["item"], "label": row["label"]} for row in TWO]}, "No column says who answered.", ()),
    ({"v.csv": TWO}, "Several columns could be the answer: label, score.", ("--as", "answer=score")),
    ({"v.csv": TRIPLES}, "Each row compares two systems, and none says what was asked", ("--as", "item=left")),
    ({"v.csv": LONG, "w.csv": LONG}, "Two files hold votes: v.csv and w.csv.", ()),
    ({"v.csv": LONG, "i.csv": TEXTS, "g.csv": GOLD}, "The gold is in another file than the items, i.csv.", ()),
    ({"a.csv": [{"x": "same", "y": "same"}] * 2}, "No column has a value of its own in each row", ()),
]  # fmt: skip


@pytest.mark.parametrize(("files", "problem", "decided"), DECISIONS)
def test_what_a_person_must_decide_is_said_and_nothing_is_written(
    hromada: Hromada, files: Mapping[str, Rows], problem: str, decided: tuple[str, ...]
) -> None:
    """With the option to write; said, it gives a project or the next question."""
    words = write_all(hromada, files)
    made = hromada("new", "p", *words)
    assert made.code == 2
    assert problem in " ".join(made.err.split())
    assert not (hromada.folder / "p").exists()
    if decided[-1:] == ("answer=score",):
        assert hromada("new", "p", *words, *decided).code == 0
        assert read_project(hromada)["votes"]["answer"] == "score"


def test_a_configuration_of_label_studio_says_what_was_asked(hromada: Hromada) -> None:
    """Also of tasks that nobody has answered; alone it names no items."""
    hromada.write(
        "config.xml",
        '<View><Text name="t" value="$text"/><Header value="How is it?"/>'
        '<Choices name="m" toName="t" choice="multiple"><Choice value="sad"/><Choice value="glad"/></Choices>'
        '<Rating name="r" toName="t" maxRating="3"/></View>',
    )
    hromada.write("tasks.json", '[{"id": 1, "data": {"text": "It rains in the town."}}]')
    alone = hromada("new", "p", "--from", "config.xml")
    assert (alone.code, "not of which items" in alone.err) == (2, True)
    assert hromada("new", "p", "--from", "tasks.json", "config.xml").code == 0
    project = read_project(hromada)
    assert [(one["type"], one["text"]) for one in project["questions"]] == [
        ("choices", "How is it?"), ("scale", "What is your answer?"),
    ]  # fmt: skip
    assert project["items"] == {"file": "tasks.json", "format": "label-studio", "id": "id", "show": "text"}


def test_tasks_without_annotations_are_items_and_it_is_said(hromada: Hromada) -> None:
    """Predictions are not votes; people need instructions first."""
    hromada.write("t.json", '[{"id": 1, "data": {"text": "It rains."}, "annotations": [], "predictions": [{}, {}]}]')
    said = hromada("new", "a b", "--from", "t.json")
    assert said.code == 0, said.err
    assert "? items.format: the tasks have no annotations, only 2 predictions, which are not votes;" in said.out
    assert "Write `instructions` for people into a b/project.yaml, then:" in said.out
    assert "hromada load 'a b/project.yaml'" in said.out


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("v.json", '{"a": {"b": [[1]]}, "c": [[1]]}', "The rows are not a list. Write --as path=c."),
        (
            "v.json",
            '[{"id": 1, "text": "Two of them", "votes": [{"annotator": "ann", "label": "so"}]}]',
            "v.json, votes: Each row holds a list of votes. Write a row for each vote,",
        ),
    ],
)
def test_refusals_speak_of_options_not_of_a_project_file_that_is_not_there(
    hromada: Hromada, name: str, text: str, says: str
) -> None:
    """Whatever reads the file speaks of keys."""
    hromada.write(name, text)
    assert says in " ".join(hromada("new", "p", "--from", name).err.split())


ODD: Mapping[str, tuple[str, str]] = {
    "total": (
        "id,текст,Олена,Іван\n1,Вода,так,ні\n2,Земля,так,так\nВсього так,,2,1\n",
        "v.csv:4: The last row looks like a total: it begins with 'Всього так'.",
    ),
    "no header": ("1,ann,yes\n1,bob,no\n2,ann,yes\n2,bob,no\n", "v.csv, yes: The first row looks like data,"),
}


@pytest.mark.parametrize("case", ODD)
def test_rows_that_are_no_votes_are_refused(hromada: Hromada, case: str) -> None:
    """A total would be an item, and the first row of data would be lost."""
    text, says = ODD[case]
    hromada.write("v.csv", text)
    made = hromada("new", "p", "--from", "v.csv")
    assert (made.code, says in " ".join(made.err.split())) == (2, True)


PEOPLE_DOUBTS: Mapping[str, tuple[str, list[str]]] = {
    "names and surnames": (
        "Ім'я,Прізвище,Речення,Оцінка\n"
        + "".join(f"Олена,{who},Дощ {n},{says}\n" for n in (1, 2) for who, says in (("Коваль", 1), ("Бойко", 2)))
        + "Іван,Коваль,Дощ 1,2\nІван,Бойко,Дощ 1,1\n",
        ["votes.annotator: 2 people, but 4 with Прізвище: are they told apart?"],
    ),
    "a surname": ("Ім'я,Прізвище,Речення,Оцінка\nА,Б,Дощ,1\nВ,Г,Дощ,2\nА,Б,Сніг,1\n", []),
    "one vote": ("item,annotator,label\n1,ann,yes\n", []),
}


@pytest.mark.parametrize("case", PEOPLE_DOUBTS)
def test_who_answered_is_no_answer_and_doubted_if_more_columns_name_people(hromada: Hromada, case: str) -> None:
    """A table of one row has one vote, too."""
    text, doubts = PEOPLE_DOUBTS[case]
    hromada.write("v.csv", text)
    said = hromada("new", "p", "--from", "v.csv", "--json").json
    assert [doubt for doubt in said["unsure"] if doubt.startswith("votes.annotator")] == doubts
    assert "item" in read_project(hromada)["votes"]


def test_submissions_to_prolific_are_named_beside_the_votes(hromada: Hromada) -> None:
    """They say whose votes count."""
    shutil.copytree(TOOLS / "prolific", hromada.folder / "in")
    assert hromada("new", "p", "--from", "in/form.csv", "in/prolific_export.csv").code == 0
    assert read_project(hromada)["votes"]["prolific"] == "prolific_export.csv"


def test_another_encoding_is_recognised_and_marked(hromada: Hromada) -> None:
    """Windows-1251, as Excel writes CSV."""
    write_table(hromada.folder / "v.csv", LONG, separator=";", encoding="cp1251")
    said = hromada("new", "p", "--from", "v.csv", "--json").json
    assert read_project(hromada)["votes"]["encoding"] == "cp1251"
    assert "votes.encoding: recognised; are the letters right?" in said["unsure"]


def test_a_large_file_stays_where_it_is(hromada: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not copied, and the project file says so."""
    monkeypatch.setattr("bot.commands.new_from_files.MAX_COPIED_BYTES", 10)
    assert hromada("new", "p", *write_all(hromada, {"v.csv": LONG})).code == 0
    assert read_project(hromada)["votes"]["file"] == "../v.csv"
    assert [path.name for path in (hromada.folder / "p").iterdir()] == ["project.yaml"]


def test_a_folder_with_files_is_left_as_it_is(hromada: Hromada) -> None:
    """And words without --from are refused."""
    words = write_all(hromada, {"v.csv": LONG})
    (hromada.folder / "p").mkdir()
    hromada.write("p/mine.txt", "x")
    assert hromada("new", "p", *words).code != 0
    assert [path.name for path in (hromada.folder / "p").iterdir()] == ["mine.txt"]
    assert "--from" in hromada("new", "q", "v.csv").err
    assert "ROLE=COLUMN" in hromada("new", "q", *words, "--as", "nonsense").err


@pytest.mark.slow
def test_the_human_level_of_parus_needs_no_edit(hromada: Hromada, shared: Path) -> None:
    """Toloka's pages and the gold beside them by suite and place: 492 of 500, as the paper's authors counted 491."""
    folder = shared / "data/rsg-humanbenchmark/PARus"
    made = hromada("new", "parus", "--from", folder / "assign_PARus.tsv", folder / "gold_PARus.csv", "--json").json
    for line in made["commands"][:2]:
        assert hromada(*line.split()[1:]).code == 0
    assert re.search(r"majority of 3 +500 +8 +0\.9840", hromada("baseline", "parus").out)
