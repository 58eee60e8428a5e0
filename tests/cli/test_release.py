"""`hromada release` as an organiser types it: the demo, imported campaigns, a gate that closes, identities, drafts."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _command import Hromada

if TYPE_CHECKING:
    from _command import Ran

DECLARED = """
declared:
  recruitment: crowd workers of a platform
  pay: by the platform's rules
  ethics: not sought
  population: adult speakers of the language
  ai_use: unknown
  stimulus_differences: none known
  licence: CC-BY-4.0
"""
PARUS = """
project: PARus
title: PARus
language: ru
instructions: Выберите ответ.
question: {type: choice, text: "Что верно?", labels: positions}
items: from votes
votes:
  format: toloka
  file: %(data)s/rsg-humanbenchmark/PARus/assign_PARus.tsv
  item: ["INPUT:premise", "INPUT:sent1", "INPUT:sent2", "INPUT:question"]
  options: ["INPUT:sent1", "INPUT:sent2"]
truth:
  file: %(data)s/rsg-humanbenchmark/PARus/gold_PARus.csv
  item: [premise, sent1, sent2, question]
  gold: gold
"""
BPS = """
project: BPS
title: BPS
language: ru
instructions: Выберите ответ.
question: {type: choice, text: "?", options: ["0", "1"]}
items: from votes
votes: {format: toloka, file: "%(file)s", item: ["INPUT:parentheses"]}
quality:
  - {rule: control, accuracy: < 0.5, min_controls: 1, consequence: exclude}
"""
SMALL = """
project: small
title: small
language: uk
instructions: Оберіть відповідь.
question: {type: choice, text: "Так?", options: [так, ні]}
items: {file: items.csv, id: id, show: text, gold: gold, gold_origin: construction}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: answer}
"""


def write_small(hromada: Hromada, *, text: str = "текст", declared: str = DECLARED) -> str:
    """Twelve items that five people answered elsewhere, loaded and imported."""
    rows = [f"i{number},{text} {number},{'так' if number % 2 else 'ні'}\n" for number in range(12)]
    hromada.write("items.csv", "id,text,gold\n" + "".join(rows))
    votes = [
        f"i{number},{who},{'так' if (number + (number * 3 + place) % 5 // 4) % 2 else 'ні'}\n"
        for number in range(12)
        for place, who in enumerate("abcde")
    ]
    hromada.write("votes.csv", "item,who,answer\n" + "".join(votes))
    return hromada.loaded(SMALL + declared)


def read_folder(folder: Path) -> dict[str, bytes]:
    """All files of a folder by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def list_statuses(done: Ran) -> Mapping[str, str]:
    """The status of each line of the gate."""
    return {line["id"]: line["status"] for line in done.json["lines"]}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Hromada:
    """The folder of the demo, with its database."""
    place = Hromada(tmp_path_factory.mktemp("demo"))
    ran = place("demo", "--to", "demo", "--json")
    assert ran.code == 0, ran.err
    return Hromada(place.folder / "demo")


@pytest.fixture(scope="module")
def demo_projects(demo: Hromada) -> list[str]:
    """The names of the demo's projects."""
    return [project["project"] for project in demo("status", "--json").json]


@pytest.mark.slow
def test_the_demo_releases_fully_and_says_that_it_is_simulated(demo: Hromada, demo_projects: list[str]) -> None:
    """Nothing is unmet that blocks, nothing unevidenced; every page and table says SIMULATED; it is verified."""
    assert demo_projects
    for name in demo_projects:
        done = demo("release", name, f"released-{name}", "--json")
        assert done.code == 0, done.out + done.err
        assert (done.json["status"], done.json["stamp"], done.json["blocking"]) == ("full", "SIMULATED", [])
        assert set(list_statuses(done).values()) <= {"met", "unmet", "not applicable"}
        assert len(done.json["lines"]) == 40
        assert all(line["evidence"] for line in done.json["lines"])
        folder = demo.folder / f"released-{name}"
        for path in ("README.md", "report.html", "paragraph.md", "paragraph.uk.md", "tables/results.tex"):
            assert "SIMULATED" in (folder / path).read_text("utf-8"), path
        verified = demo("release", "--verify", folder)
        assert verified.code == 0, verified.out
        assert "Verified" in verified.out


@pytest.mark.slow
def test_a_second_release_is_byte_identical(demo: Hromada, demo_projects: list[str]) -> None:
    """Into the same folder and into another one."""
    name = demo_projects[0]
    assert demo("release", name, "one", "--json").code == 0
    first = read_folder(demo.folder / "one")
    assert demo("release", name, "one", "--json").code == 0
    assert demo("release", name, "two", "--json").code == 0
    assert read_folder(demo.folder / "one") == first
    assert read_folder(demo.folder / "two") == first


def test_every_file_of_export_and_build_is_in_it_and_the_same(demo: Hromada, demo_projects: list[str]) -> None:
    """The same writers: the files of `export` and `build` stand in a release byte for byte, but for the report page."""
    name = demo_projects[0]
    assert demo("release", name, "whole", "--no-replay", "--json").code == 0
    assert demo("export", name, "--to", "exported", "--json").code == 0
    assert demo("build", name, "built", "--no-replay", "--json").code == 0
    released = read_folder(demo.folder / "whole")
    for path, content in read_folder(demo.folder / "exported").items():
        assert path in released
        assert path in ("report.html", "report.uk.html") or released[path] == content, path
    for path, content in read_folder(demo.folder / "built").items():
        assert released[f"benchmark/{path}"] == content, path
    expected = {
        "exclusions.csv", "lint.csv", "plan_achieved.csv", "answers_per_item.csv", "attrition.csv", "qualification.csv",
        "facts.json", "heds.json", "paragraph.md", "manifest.json", "report_checklist.json", "README.md",
        "texts/texts.csv", "class_scores.csv", "confusion_matrix.csv",
    }  # fmt: skip
    assert expected <= released.keys()


@pytest.mark.slow
def test_parus_releases_as_secondary(hromada: Hromada, shared: Path) -> None:
    """People answered on a platform of which nothing is on record here: what it did is not evidenced, never met."""
    name = hromada.loaded(PARUS % {"data": shared / "data"} + DECLARED, outside=True)
    done = hromada("release", name, "out", "--json")
    assert done.code == 0, done.out + done.err
    assert (done.json["status"], done.json["stamp"]) == ("secondary", "SECONDARY")
    statuses = list_statuses(done)
    assert {statuses[one] for one in ("R10", "R14", "R18")} == {"not evidenced"}
    assert {statuses[one] for one in ("R02", "R30", "R32", "R36", "R40")} == {"met"}
    assert "not evidenced" in (hromada.folder / "out" / "report.html").read_text("utf-8")
    with (hromada.folder / "out" / "baselines.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["unit"]: (row["total"], row["wrong"]) for row in csv.DictReader(file)}
    assert rows["majority"] == ("500", "8")
    assert hromada("release", "--verify", "out").code == 0


def test_a_pool_of_mera_releases_as_secondary(hromada: Hromada, shared: Path) -> None:
    """BPS with its control tasks, by which people were left out."""
    file = next((shared / "data" / "mera-humanbenchmarks" / "BPS").glob("assignments*"))
    name = hromada.loaded(BPS % {"file": file} + DECLARED, outside=True)
    done = hromada("release", name, "out", "--json")
    assert done.code == 0, done.out + done.err
    assert done.json["status"] == "secondary"
    with (hromada.folder / "out" / "exclusions.csv").open(encoding="utf-8", newline="") as rows:
        kinds = {row["kind"] for row in csv.DictReader(rows)}
    assert {"control item", "rule"} <= kinds
    assert hromada("release", "--verify", "out", "--json").json["verified"]


@pytest.mark.slow
def test_an_unmet_line_stops_the_release_and_says_how_to_meet_it(hromada: Hromada) -> None:
    """Nothing is written; a draft is, with DRAFT across it."""
    name = write_small(hromada, declared="")
    done = hromada("release", name, "out")
    assert done.code == 1
    assert not (hromada.folder / "out").exists()
    assert "R12" in done.out
    assert "declared" in done.out
    assert "Nothing was written" in done.out
    draft = hromada("release", name, "out", "--draft", "--json")
    assert draft.code == 0, draft.err
    assert "DRAFT" in draft.json["stamp"]
    assert "R12" in draft.json["blocking"]
    for path in (
        "README.md",
        "report.html",
        "paragraph.md",
        "tables/results.md",
        "tables/results.tex",
        "manifest.json",
    ):
        assert "DRAFT" in (hromada.folder / "out" / path).read_text("utf-8"), path
    verified = hromada("release", "--verify", "out")
    assert verified.code == 0, verified.out


def test_an_identity_in_any_text_stops_it(hromada: Hromada) -> None:
    """The real id of somebody in the database stands in an item: refused, with the file, not with the id; as a draft
    too.
    """
    name = write_small(hromada, text="питання 4815162342 номер")
    with sqlite3.connect(hromada.folder / "hromada.db") as database:
        database.execute("UPDATE annotator SET telegram_id = 4815162342 WHERE id = 1")
    for more in ([], ["--draft"]):
        done = hromada("release", name, "out", *more)
        assert done.code == 2
        assert "items" in done.err or ".jsonl" in done.err
        assert "4815162342" not in done.err + done.out
        assert not (hromada.folder / "out").exists()


def test_a_folder_of_something_else_is_left_alone(hromada: Hromada) -> None:
    """A folder that no release wrote, and an earlier release, of which what is superseded goes."""
    name = write_small(hromada)
    (hromada.folder / "mine").mkdir()
    hromada.write("mine/thesis.txt", "years of work")
    done = hromada("release", name, "mine")
    assert (done.code, read_folder(hromada.folder / "mine")) == (2, {"thesis.txt": b"years of work"})
    assert "empty it" in done.err
    assert hromada("release", name, "out", "--json").code == 0
    manifest = json.loads((hromada.folder / "out" / "manifest.json").read_text("utf-8"))
    manifest["files"]["old.csv"] = "0"
    hromada.write("out/manifest.json", json.dumps(manifest))
    hromada.write("out/old.csv", "x")
    assert hromada("release", name, "mine/../out", "--json").code == 0
    assert not (hromada.folder / "out" / "old.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "hromada release PROJECT DIR"),
        (["small"], "hromada release PROJECT DIR"),
        (["small", "out", "--verify", "out"], "hromada release --verify DIR"),
        (["--verify", "nowhere"], "There is no such folder"),
        (["nobody", "out"], "nobody"),
        (["small", "out", "--models", "nothing.jsonl"], "nothing.jsonl"),
    ],
)
def test_what_cannot_be_done_is_said(hromada: Hromada, words: list[str], said: str) -> None:
    write_small(hromada)
    done = hromada("release", *words)
    assert done.code == 2
    assert said in done.err
    assert not (hromada.folder / "out").exists()


@pytest.mark.slow
def test_models_stand_beside_people(hromada: Hromada) -> None:
    """Answers of a model: the lines on models are checked, and its differences stand in the folder."""
    name = write_small(hromada)
    plain = hromada("release", name, "plain", "--json")
    assert {list_statuses(plain)[one] for one in ("R04", "R34")} == {"not applicable"}
    answers = [{"item_id": f"i{number}", "answer": "так"} for number in range(12)]
    hromada.write("yes.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in answers))
    done = hromada("release", name, "out", "--models", "yes.jsonl", "--json")
    assert done.code == 0, done.out + done.err
    assert {list_statuses(done)[one] for one in ("R04", "R34")} == {"met"}
    with (hromada.folder / "out" / "models" / name / "model_comparison.csv").open(encoding="utf-8", newline="") as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"yes"}
    assert "yes" in (hromada.folder / "out" / "tables" / "models.md").read_text("utf-8")
    assert hromada("release", "--verify", "out").code == 0
    hromada.write("few.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in answers[:6]))
    fewer = hromada("release", name, "fewer", "--models", "few.jsonl", "--json")
    assert fewer.code == 1
    assert "R04" in fewer.json["blocking"]


@pytest.mark.slow
def test_hidden_gold_is_marked_as_what_is_to_be_kept(hromada: Hromada) -> None:
    """The release holds it, for reviewers; the benchmark in it does not, and the command says what to publish."""
    write_small(hromada, declared=DECLARED + "benchmark: {hidden: true}\n")
    done = hromada("release", "small", "out")
    assert done.code == 0, done.out + done.err
    assert "hidden gold" in done.out
    files: dict[str, Any] = read_folder(hromada.folder / "out")
    assert any(path.startswith("benchmark-key/") for path in files)
    assert hromada("release", "--verify", "out").code == 0
    check_verified_builds(hromada)


def check_verified_builds(hromada: Hromada) -> None:
    """What is published and what is kept back are each compared with their own manifest."""
    for part in ("out/benchmark", "out/benchmark-key"):
        assert "those of the manifest. A build has no raw files" in hromada("release", "--verify", part).out
    hromada.write("out/benchmark/.DS_Store", "x")
    prompts = hromada.folder / "out/benchmark/lm_eval/prompts.csv"
    prompts.write_bytes(prompts.read_bytes().replace(b"\n", b"\r\n"))
    done = hromada("release", "--verify", "out/benchmark")
    assert done.code == 0
    assert "other programs: 1 (.DS_Store)." in done.out
    assert "Windows line ends (CRLF) instead of LF: 1 (lm_eval/prompts.csv)" in done.out
    assert "core.autocrlf=false" in done.out
    prompts.write_bytes(prompts.read_bytes() + b"x")
    done = hromada("release", "--verify", "out/benchmark", "--json")
    assert (done.code, [one["file"] for one in done.json["findings"]]) == (1, ["lm_eval/prompts.csv"])
    assert done.json["ignored"] == [".DS_Store"]


STORIES = """
project: stories
title: Оповідки
language: uk
instructions: Прочитайте й виправте.
questions:
  - {name: result, type: choice, text: "Чи придатна?", options: [придатна, непридатна]}
  - {name: fixed, type: edit, text: "Виправте", field: story, show_if: {result: придатна}}
items: {file: stories.jsonl, id: id, show: story}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {result: result, fixed: fixed}}
"""


@pytest.mark.slow
def test_a_story_campaign_releases_with_its_corrections(hromada: Hromada) -> None:
    """Nobody is scored: lines on scores do not apply; corrections stand there, and are verified with the rest."""
    stories = [
        {"id": f"s{number}", "story": f"Лисиця знайшла дзеркло {number}. Вона засміявся."} for number in range(6)
    ]
    hromada.write("stories.jsonl", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in stories))
    fixed = [str(one["story"]).replace("дзеркло", "дзеркало").replace("засміявся", "засміялася") for one in stories]
    rows = [f"s{number},{who},придатна,{text}\n" for number, text in enumerate(fixed) for who in ("olha", "ivan")]
    hromada.write("votes.csv", "item,who,result,fixed\n" + "".join(rows))
    assert hromada.loaded(STORIES + DECLARED) == "stories"
    done = hromada("release", "stories", "out", "--json")
    assert done.code == 0, done.out + done.err
    statuses = list_statuses(done)
    assert {statuses[line] for line in ("R01", "R30", "R32", "R34", "R39")} == {"not applicable"}
    files = read_folder(hromada.folder / "out")
    assert {"stories.csv", "stories.html", "stories.jsonl", "stories.parquet"} <= files.keys()
    assert hromada("release", "--verify", "out", "--json").json["verified"]
    content = files["stories.csv"].decode()
    assert "дзеркало" in content
    hromada.write("out/stories.csv", content.replace("дзеркало", "дзеркло", 1))
    found = hromada("release", "--verify", "out")
    assert found.code == 1
    assert "stories.csv: row 1" in found.out
