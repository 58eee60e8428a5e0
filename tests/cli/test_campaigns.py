"""Templates, changed files and derived campaigns, as an organiser works with them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from annotation.campaigns import project_file, template_files

if TYPE_CHECKING:
    from _command import Hromada

TEMPLATES = (
    "acceptability", "baseline", "complete", "ethics", "human-or-machine", "instance-filtering", "multiple-answers",
    "open-answer", "preference", "programme", "rating", "sentiment", "span-qa", "span-validation", "story-correction",
    "translation-review", "violation-categories", "winograd",
)  # fmt: skip


@pytest.mark.parametrize("language", template_files.LANGUAGES)
def test_the_templates_are_listed_each_with_a_sentence(hromada: Hromada, language: str) -> None:
    """`hromada new --list` names them all, in the language asked for."""
    listed = hromada("new", "--list", "--language", language, "--json").json
    assert tuple(listed) == TEMPLATES
    assert all(about.endswith(".") and len(about) < 120 for about in listed.values())
    assert {bool(re.search("[а-я]", about)) for about in listed.values()} == {language == "uk"}


@pytest.mark.parametrize("language", template_files.LANGUAGES)
@pytest.mark.parametrize("template", template_files.list_templates(), ids=lambda one: one.name)
def test_a_template_checks_and_loads_as_it_is(
    hromada: Hromada, template: template_files.ProjectTemplate, language: str
) -> None:
    """Written into a new folder, under the folder's name; a second time into the same one is refused."""
    made = hromada("new", "my-campaign", "--template", template.name, "--language", language)
    assert made.code == 0, made.err
    file = f"my-campaign/{'programme' if template.is_programme else 'project'}.yaml"
    assert made.out.splitlines()[-1] == f"Look at it and write your own items, then: hromada check {file}"
    checked = hromada("check", file, "--json")
    assert checked.code == 0, checked.err
    assert checked.json["programme" if template.is_programme else "project"] == "my-campaign"
    assert (checked.json["to do"], checked.json["weak"]) == ([], []), checked.out
    assert len(checked.json["to declare"]) == 6, "a template invents nothing about people"
    assert hromada("check", file).code == 0
    loaded = hromada("load", file, "--json")
    assert loaded.code == 0, loaded.err
    started = hromada("start", "my-campaign", "--json")
    assert started.code == 0, started.err
    assert hromada("status", "my-campaign").code == 0
    again = hromada("new", "my-campaign", "--template", template.name)
    assert (again.code, "already exists" in again.err) == (2, True)


@pytest.mark.parametrize("language", template_files.LANGUAGES)
def test_the_panels_and_facts_that_a_template_shows_can_be_used(tmp_path: Path, language: str) -> None:
    """They are comments until somebody takes their marks away."""
    file = tmp_path / "project.yaml"
    shown = (template_files.get_template("complete", language=language) / file.name).read_text("utf-8")
    file.write_text(re.sub(r"^# (panels:|declared:|  \w)", r"\1", shown, flags=re.MULTILINE), "utf-8")
    read = project_file.read_project(file).definition
    assert {name: panel.votes for name, panel in read.panels.items()} == {"teachers": 1, "students": 2}
    assert not read.declared.missing


def test_a_template_is_in_one_language_alone() -> None:
    """No Cyrillic letter in an English one; no English comment, text or item in a Ukrainian one."""
    for template in template_files.list_templates():
        for file in template_files.get_template(template.name, language="en").iterdir():
            assert not re.search("[а-яіїєґ]", file.read_text("utf-8")), (template.name, file.name)
        for file in template_files.get_template(template.name, language="uk").iterdir():
            lines = file.read_text("utf-8").splitlines()
            comments = [line.partition("# ")[2] for line in lines if file.name.endswith(".yaml")]
            words = [line for line in comments if line and not line.startswith("declared")]
            assert all(re.search("[а-яіїєґ]", line) for line in words), (template.name, file.name, words)


def test_the_items_of_a_template_are_a_table_where_one_will_do() -> None:
    """JSON Lines hold lists, and long texts to correct."""
    for template in template_files.list_templates():
        items = template_files.get_template(template.name, language="en") / "items.jsonl"
        if items.is_file() and template.name != "story-correction":
            rows = [json.loads(line) for line in items.read_text("utf-8").splitlines()]
            assert any(isinstance(cell, list) for row in rows for cell in row.values()), template.name


def test_an_unknown_language_is_refused(hromada: Hromada) -> None:
    """The languages are named, and nothing is written."""
    refused = hromada("new", "x", "--language", "fr")
    assert (refused.code, "--language: There are no templates in 'fr'. Write uk or en" in refused.err) == (2, True)
    assert not (hromada.folder / "x").exists()


def test_an_unknown_template_and_no_folder_are_refused(hromada: Hromada) -> None:
    """The sentences name the templates, and the way to write it."""
    assert "There are: acceptability, baseline" in hromada("new", "x", "--template", "y").err
    assert "--list" in hromada("new").err
    assert not (hromada.folder / "x").exists()


def test_a_changed_file_shows_its_plan_and_is_loaded_with_yes(hromada: Hromada) -> None:
    """Nothing changes without `--yes`; `--plan` shows what would."""
    assert "odd/project.yaml" in hromada("new", "odd", "--json").json
    hromada("load", "odd/project.yaml")
    items = hromada.folder / "odd/items.csv"
    items.write_text(items.read_text("utf-8").replace("щука, липа", "щука, верба"), "utf-8")
    plan = hromada("load", "odd/project.yaml", "--plan", "--json").json
    assert plan == {"changes": {"items changed": "b1"}, "texts": [], "refused": {}}
    assert "b1" in hromada("load", "odd/project.yaml", "--plan").out
    refused = hromada("load", "odd/project.yaml")
    assert (refused.code, "items changed: b1" in refused.err, "--yes" in refused.err) == (2, True, True)
    assert hromada("load", "odd/project.yaml", "--yes", "--json").json["changed"] is True
    assert hromada("load", "odd/project.yaml", "--json").json["changed"] is False


def votes(path: Path, header: str, rows: Sequence[str]) -> None:
    """A file of votes."""
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")


def test_the_way_from_acceptability_to_violation_categories(hromada: Hromada) -> None:
    """RuCoLA's two stages: what most people find unacceptable goes on, with ids and lineage; ties stay behind."""
    hromada("new", "one", "--template", "acceptability")
    file = hromada.folder / "one/project.yaml"
    section = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\n"
    file.write_text(file.read_text("utf-8") + section, "utf-8")
    yes, no, unsure = "можна", "не можна", "важко сказати"
    told = {"a5": (yes, yes, no), "a6": (yes, no, unsure), "a7": (no, no, yes), "a3": (no, no, no)}
    rows = [f"{item},{who},{says}" for item, all_ in told.items() for who, says in zip("xyz", all_, strict=True)]
    votes(hromada.folder / "one/votes.csv", "item,who,says", rows)
    assert hromada("load", file).code == 0
    imported = hromada("import", "one", "--json").json
    assert imported["excluded"] == {"abstained": 1, "control item": 3}
    derived = hromada(
        "follow-up", "two", "--from", "one", "--where", "answer = не можна", "--where", "answer.votes >= 3",
        "--template", "violation-categories", "--json",
    )  # fmt: skip
    assert derived.code == 0, derived.err
    assert (derived.json["items"], derived.json["of"]) == (1, 7)
    row = json.loads((hromada.folder / "two/items.jsonl").read_text("utf-8"))
    assert (row["id"], row["group"], row["sentence"]) == ("a7", "one:a7", "Якби знав, то прийду раніше.")
    assert row["lineage"]["consensus"] == {"answer": {"labels": [no], "confidence": 0.666667, "votes": 3}}
    loaded = hromada("load", "two/project.yaml", "--json")
    assert (loaded.code, loaded.json["project"], loaded.json["items"]) == (0, "two", 1), loaded.err
    assert "answer = не можна" in (hromada.folder / "two/project.yaml").read_text("utf-8")


def test_an_item_with_answers_that_do_not_count_stays(hromada: Hromada) -> None:
    """A skip is an answer that is kept, so its item was met: it is neither changed nor removed."""
    hromada("new", "odd")
    file = hromada.folder / "odd/project.yaml"
    section = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\n"
    file.write_text(file.read_text("utf-8") + section, "utf-8")
    votes(hromada.folder / "odd/votes.csv", "item,who,says", ["b1,x,"])
    assert hromada("load", file).code == 0
    assert hromada("import", file, "--json").json["excluded"] == {"no answer": 1}
    items = hromada.folder / "odd/items.csv"
    before = items.read_text("utf-8")
    items.write_text("".join(line for line in before.splitlines(keepends=True) if "b1" not in line), "utf-8")
    for arguments in (("--plan", "--json"), ("--yes",)):
        ran = hromada("load", file, *arguments)
        assert "item b1" in ran.out + ran.err
    assert (ran.code, "people have met it" in ran.err) == (2, True)


BASELINE = """\
project: anything
title: Яке слово пропущено?
language: uk
kind: baseline
question: {type: choice, text: "Яке слово пропущено?", shuffle: yes}
items:
  file: items.jsonl
  id: id
  show: [context, {field: question, gap: ______}]
  options: options
  gold: gold
  gold_origin: construction
  group: group
overlap: 3
"""


def filtered(hromada: Hromada) -> None:
    """A filtering project with votes of three people: f1 is fine, f2 has several possible answers."""
    hromada("new", "filter", "--template", "instance-filtering")
    file = hromada.folder / "filter/project.yaml"
    section = (
        "votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer, logic: logic,"
        " grammar: grammar, other: other}}\n"
    )
    file.write_text(file.read_text("utf-8") + section, "utf-8")
    rows = [f"f1,{who},пес,,," for who in "xyz"]
    rows += ["f2,x,лелека,можливі кілька відповідей,,", "f2,y,вітер,можливі кілька відповідей,,ветер", "f2,z,лелека,,,"]
    votes(hromada.folder / "filter/votes.csv", "item,who,answer,logic,grammar,other", rows)
    assert hromada("load", file).code == 0
    imported = hromada("import", "filter", "--json")
    assert (imported.code, imported.json["votes"]) == (0, 6), imported.err


def test_the_way_from_filtering_to_the_baseline(hromada: Hromada) -> None:
    """Items without a ticked box, answered as their gold says, become a baseline that keeps story, options and gold."""
    filtered(hromada)
    hromada.write("baseline.yaml", BASELINE)
    conditions = [part for one in ("logic =", "grammar =", "answer = @gold") for part in ("--where", one)]
    derived = hromada("follow-up", "base", "--from", "filter", *conditions, "--project", "baseline.yaml", "--json")
    assert (derived.code, derived.json["items"]) == (0, 1), derived.err
    row = json.loads((hromada.folder / "base/items.jsonl").read_text("utf-8"))
    assert (row["id"], row["group"], row["gold"], len(row["options"])) == ("f1", "кіт і пес", "пес", 4)
    assert hromada("load", "base/project.yaml").code == 0
    left = hromada("follow-up", "left.jsonl", "--from", "filter", "--where", "logic = можливі кілька відповідей")
    assert (left.code, (hromada.folder / "left.jsonl").read_text("utf-8").count("\n")) == (0, 1)


def test_a_derived_project_takes_the_files_along_that_it_names(hromada: Hromada) -> None:
    """Word lists of the quality rules, and pools whatever their format."""
    filtered(hromada)
    control = {"id": ["k1"], "context": ["…"], "question": ["______?"], "options": ['["а", "б"]'], "gold": ["а"]}
    parquet.write_table(pa.table(control | {"group": ["k"]}), hromada.folder / "controls.parquet")
    hromada.write("words.txt", "бо\n")
    more = "controls: {pool: {file: controls.parquet}, rate: 10 %}\n"
    rule = "quality: [{rule: text, refuses: [words], words: words.txt, consequence: flag}]\n"
    asked = BASELINE.replace("question: {", "questions: [{name: answer, ").replace(
        "shuffle: yes}", 'shuffle: yes}, {name: why, type: text, text: "?", required: no}]'
    )
    hromada.write("baseline.yaml", asked + more + rule)
    ran = hromada("follow-up", "base", "--from", "filter", "--where", "answer = @gold", "--project", "baseline.yaml")
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (hromada.folder / "base").iterdir()) == [
        "controls.parquet", "items.jsonl", "project.yaml", "words.txt",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--where", "mood = bad"], "Unknown name 'mood'. There are: answer, logic"),
        (["--where", "answer ~ x"], "Invalid condition"),
        (["--where", "answer > x"], "Text cannot be compared"),
        (["--where", "votes > many"], "'many' is not a number"),
        (["--where", "answer = кінь"], "None of the 2 items"),
        (["--template", "winograd"], "The derived items do not fit that project"),
        (["--project", "wrong.yaml"], "must read its items from items.jsonl"),
        (["--gold", "mood"], "no question 'mood'"),
        ([], "It is unclear what to create."),
    ],
)
def test_what_cannot_be_derived_is_refused_and_writes_nothing(
    hromada: Hromada, arguments: list[str], says: str
) -> None:
    """Conditions that mean nothing, projects that do not fit: a sentence, and no folder."""
    filtered(hromada)
    hromada.write("wrong.yaml", BASELINE.replace("items.jsonl", "other.jsonl"))
    ran = hromada("follow-up", "next", "--from", "filter", *arguments)
    assert (ran.code, says in ran.err) == (2, True), ran.err
    assert sorted(path.name for path in hromada.folder.iterdir() if not path.name.startswith("hromada.")) == [
        "filter", "wrong.yaml",
    ]  # fmt: skip
