"""Real stories corrected and real cloze items filtered by people whose answers were counted beforehand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

STORY_VOTES = (
    "votes: {format: csv, file: votes.csv, item: item, annotator: who, "
    "answers: {result: result, why: why, fixed: fixed, notable: notable, comment: comment}}\n"
)
FILTER_VOTES = (
    "votes: {format: csv, file: votes.csv, item: item, annotator: who, "
    "answers: {answer: answer, logic: logic, grammar: grammar, other: other}}\n"
)
CLOZE_ITEMS = """\
items:
  file: cloze.jsonl
  id: id
  show:
    - {field: context, title: Початок, fold: yes}
    - {field: question, gap: ______}
    - {field: answer, title: Правильна відповідь, step: 2}
  options: options
  gold: answer
  gold_origin: construction
  group: storyId
"""


@pytest.fixture
def stories(shared: Path) -> list[dict[str, str]]:
    """The twelve stories of Eval-UA-tion with a correction or a verdict: ten corrected (one unchanged), two not."""
    path = shared / "data/eval-ua-tion/stories/generated_new_stories.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["generated_story"] and (row["fixed_story"] or row["usable"])]
    assert len(rows) == 12
    assert sum(not row["fixed_story"] for row in rows) == 2
    return rows


def as_csv(header: str, rows: list[list[str]]) -> str:
    """A file of votes."""
    file = io.StringIO()
    csv.writer(file).writerows([header.split(","), *rows])
    return file.getvalue()


def from_template(hromada: Hromada, template: str, *, votes: str, items: str = "") -> None:
    """A project as `hromada new` writes it, but for imported votes, and other items where given."""
    assert hromada("new", "campaign", "--template", template).code == 0
    text = (hromada.folder / "campaign/project.yaml").read_text("utf-8")
    (hromada.folder / "instructions.md").write_text("Читайте.", "utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("overlap:", "lease:", "reports:"))]
    kept = "\n".join(lines)
    if items:
        start = kept.index("\nitems:") + 1
        end = kept.index("filtering:")
        kept = kept[:start] + items + kept[end:]
    hromada.loaded(f"{kept}\n{votes}")


def exported(hromada: Hromada, folder: str = "out") -> Path:
    """The folder of an export."""
    ran = hromada("export", "--to", folder)
    assert ran.code == 0, ran.err
    own = next(name for name in ("stories.html", "items.html") if (hromada.folder / folder / name).exists())
    assert f"Open {folder}/{own} and {folder}/report.html" in ran.out
    return hromada.folder / folder


@pytest.mark.slow
def test_ten_of_twelve_real_stories_are_usable(hromada: Hromada, stories: list[dict[str, str]]) -> None:
    """Olha's answers are those of the authors; Ivan confirms four as they are, and thinks one of Olha's hopeless."""
    items = [{"id": f"s{n:02}", "story": row["generated_story"]} for n, row in enumerate(stories)]
    hromada.write("items.jsonl", "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))
    votes = []
    for n, row in enumerate(stories):
        usable = bool(row["fixed_story"])
        why = "" if usable else '["непослідовне", "закоротке"]'
        votes.append([f"s{n:02}", "olha", "придатне" if usable else "непридатне", why, row["fixed_story"], "", ""])
    confirmed = enumerate(row["generated_story"] for row in stories[:4])
    votes += [[f"s{n:02}", "ivan", "придатне", "", text, '["варте уваги"]', "гарне"] for n, text in confirmed]
    bad = next(n for n, row in enumerate(stories) if not row["fixed_story"])
    votes.append([f"s{bad:02}", "ivan", "непридатне", '["безнадійне"]', "", "", "не варто"])
    hromada.write("votes.csv", as_csv("item,who,result,why,fixed,notable,comment", votes))
    from_template(hromada, "story-correction", votes=STORY_VOTES)
    out = exported(hromada)
    told = json.loads((out / "stories.json").read_text("utf-8"))["campaign"]["fixed"]
    assert told["counts"]["stories_by_verdict"] == {"usable": 10, "unusable": 2, "tied": 0, "no answer": 0}
    assert told["counts"]["answers_by_status"] == {
        "corrected": 9, "unchanged": 5, "unusable": 3, "not answered": 0, "skipped": 0, "text changed": 0,
    }  # fmt: skip
    assert [(row["reason"], row["answers"], row["stories"]) for row in told["unusable_reasons"]] == [
        ("закоротке", 2, 2), ("непослідовне", 2, 2), ("безнадійне", 1, 1),
    ]  # fmt: skip
    assert told["several"]["stories"] == 4
    lines = [json.loads(line) for line in (out / "stories.jsonl").read_text("utf-8").splitlines()]
    originals = {item["id"]: item["story"].strip() for item in items}
    for line in lines:
        if line["difference"] is not None:
            assert "".join(text for sign, text in line["difference"] if sign != "+") == originals[line["item_id"]]
            assert "".join(text for sign, text in line["difference"] if sign != "-") == line["corrected"]
    everything = "".join(path.read_text("utf-8") for path in out.iterdir() if path.suffix != ".parquet")
    assert "olha" not in everything
    assert "ivan" not in everything
    again = exported(hromada, "again")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        path.name: path.read_bytes() for path in again.iterdir()
    }
    assert not (out / "items.csv").exists()


def test_five_of_eight_real_cloze_items_are_kept(hromada: Hromada, shared: Path) -> None:
    """One falls for a logic box of both people, one for a text, one is undecided; two wrong answers remove nothing."""
    path = shared / "data/eval-ua-tion/ua-cbt/stories_train.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    items = [row | {"id": f"c{n}"} for n, row in enumerate(rows)]
    assert len(items) == 8
    hromada.write("cloze.jsonl", "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))
    boxes: dict[tuple[str, str], tuple[str, str, str]] = {
        ("c1", "olha"): ('["можливі кілька відповідей"]', "[]", ""),
        ("c1", "ivan"): ('["можливі кілька відповідей", "варіанти повторюються"]', "[]", ""),
        ("c4", "olha"): ("[]", "[]", "Оповідання незв'язне"),
        ("c4", "ivan"): ("[]", "[]", "=SUM(A1) дивне"),
        ("c6", "ivan"): ("[]", '["граматика видає відповідь"]', ""),
    }
    votes = []
    for item in items:
        wrong = next(option for option in item["options"] if option != item["answer"])
        for who in ("olha", "ivan"):
            said = wrong if item["id"] == "c7" else item["answer"]
            votes.append([item["id"], who, said, *boxes.get((item["id"], who), ("[]", "[]", ""))])
    hromada.write("votes.csv", as_csv("item,who,answer,logic,grammar,other", votes))
    from_template(hromada, "instance-filtering", votes=FILTER_VOTES, items=CLOZE_ITEMS)
    out = exported(hromada)
    told: dict[str, Any] = json.loads((out / "items.json").read_text("utf-8"))["campaign"]
    assert told["counts"]["items_by_status"] == {"kept": 5, "removed": 2, "undecided": 1, "not judged": 0}
    assert told["counts"]["kept_share"] == 0.625
    assert [(one["reason"], one["removed"], one["share_of_removed"], one["votes"]) for one in told["removal_reasons"]][
        :4
    ] == [
        ("можливі кілька відповідей", 1, 0.5, 2),
        ("Інша вада", 1, 0.5, 2),
        ("варіанти повторюються", 0, 0.0, 1),
        ("граматика видає відповідь", 0, 0.0, 1),
    ]
    assert told["human_failure"]["items_failed"] == 1
    assert told["human_failure"]["items_failed_by_status"]["kept"] == 1
    table = (out / "items.csv").read_text("utf-8")
    assert "=SUM" in table
    assert "\n=SUM" not in table
    with (out / "removal_reasons.csv").open(encoding="utf-8", newline="") as file:
        assert sum(int(row["removed"]) for row in csv.DictReader(file)) == 2
    assert "olha" not in "".join(path.read_text("utf-8") for path in out.iterdir() if path.suffix != ".parquet")
    assert not (out / "stories.csv").exists()
    boxes_alone = ("--where", "logic =", "--where", "grammar =")
    assert hromada("follow-up", "kept.jsonl", "--from", "campaign", *boxes_alone).code == 0
    derived = [json.loads(line)["id"] for line in (hromada.folder / "kept.jsonl").read_text("utf-8").splitlines()]
    with (out / "items.csv").open(encoding="utf-8", newline="") as file:
        kept = [row["item_id"] for row in csv.DictReader(file) if row["status"] == "kept"]
    assert (kept, sorted({*kept, "c4"})) == (["c0", "c2", "c3", "c5", "c7"], derived)  # c4 fell for a text


def test_a_rule_that_nobody_can_follow_is_refused(hromada: Hromada) -> None:
    """The message names the key, and says what is wrong with it."""
    assert hromada("new", "campaign", "--template", "instance-filtering").code == 0
    path = hromada.folder / "campaign/project.yaml"
    text = path.read_text("utf-8")
    for old, new, says in (
        ("problems: [logic, grammar, other]", "problems: [logic, answer]", "filtering.problems"),
        ("problems: [logic, grammar, other]", "keep: {answer: так}", "filtering.keep"),
        ("problems: [logic, grammar, other]", "share: 40 %", "What removes an item?"),
        ("problems: [logic, grammar, other]", "problems: logic\n  share: 140 %", "filtering.share"),
    ):
        path.write_text(text.replace(old, new), "utf-8")
        ran = hromada("check", path)
        assert ran.code != 0
        assert says in ran.err
