"""`hromada compare` with the folder of a build or a release: no database, and the organiser's numbers."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from _command import Hromada

from annotation.campaigns.yaml_document import parse_yaml

PROJECT = """
project: {name}
title: {name}
language: uk
instructions: Оберіть.
question: {question}
items: {{file: {name}.jsonl, id: id, show: text, gold: gold, gold_origin: expert, stratum: length, tags: about}}
votes: {{format: csv, file: {name}.csv, item: item, annotator: who, answer: answer, people: friends}}
benchmark: {{hidden: {hidden}}}
declared: {{licence: CC BY-SA 4.0}}
"""
CHOICE, TEXT = '{type: choice, text: "Чи парне?", options: [так, ні]}', '{type: text, text: "Яке слово?"}'
GOLDS = {"parity": ("так", "ні"), "words": ("кіт", "пес"), "secret": ("лис", "вовк")}


def load_project(hromada: Hromada, name: str, question: str, *, hidden: str = "no") -> None:
    """Twenty items of two lengths and six people, who disagree, tie and leave two items out."""
    rng = random.Random(name)  # noqa: S311  # made-up answers
    golds = [GOLDS[name][number % 2] for number in range(20)]
    rows = [
        {"id": f"i{number}", "text": f"текст {number}", "gold": gold, "length": f"l{number // 10}",
         "about": ["a"] if number % 3 else ["a", "b"]}
        for number, gold in enumerate(golds)
    ]  # fmt: skip
    hromada.write(f"{name}.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    votes = [
        f"i{number},{who},{gold if rng.random() < 0.7 else GOLDS[name][(number + 1) % 2]}\n"
        for number, gold in enumerate(golds[:18])
        for who in "abcdef"
    ]
    hromada.write(f"{name}.csv", "item,who,answer\n" + "".join(votes))
    project = PROJECT.format(name=name, question=question, hidden=hidden)
    assert hromada.loaded(project, name=f"{name}.yaml") == name


def write_run(folder: Path, build: Path, tasks: Iterable[str], *, model: str = "m") -> None:
    """What the harness writes of a model that answers each third item wrongly."""
    folder.mkdir(parents=True)
    metadata = {"config": {"model": model}, "results": {task: {} for task in tasks}, "date": 1.0}
    (folder / "results_1.json").write_text(json.dumps(metadata), "utf-8")
    for task in tasks:
        lines = []
        for number, line in enumerate((build / f"hugging_face/{task}/test.jsonl").read_text("utf-8").splitlines()):
            doc, right = json.loads(line), GOLDS[task][number % 2]
            reply: Any = right if number % 3 else "щось"
            if task == "parity":
                chosen = right if number % 3 else GOLDS[task][(number + 1) % 2]
                reply = [[0.0 if option == chosen else -1.0, option == chosen] for option in doc["options"]]
            replies = reply if task == "parity" else [reply]
            lines.append(json.dumps({"doc": doc, "prompt_hash": "0", "filtered_resps": replies}) + "\n")
        (folder / f"samples_{task}_1.jsonl").write_text("".join(lines), "utf-8")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Hromada:
    """A programme of two open tasks, and one whose gold is hidden, built; a model's run on all of them."""
    hromada = Hromada(tmp_path_factory.mktemp("folders"))
    load_project(hromada, "parity", CHOICE)
    load_project(hromada, "words", TEXT)
    load_project(hromada, "secret", TEXT, hidden="yes")
    files = ", ".join(f"{{file: {name}.yaml}}" for name in GOLDS)
    hromada.write("all.yaml", f"programme: all\ntitle: Усе\nlanguage: uk\nprojects: [{files}]\n")
    for words in (("load", "all.yaml"), ("build", "all", "built", "--no-replay")):
        ran = hromada(*words)
        assert ran.code == 0, ran.err
    for name, tasks in {"all": GOLDS, **{name: [name] for name in GOLDS}}.items():
        write_run(hromada.folder / f"run-{name}", hromada.folder / "built", tasks)
    return hromada


def compare(hromada: Hromada, *words: str | Path) -> Any:
    """What the command says as JSON, but for the files that it wrote."""
    ran = hromada("compare", *words, "--json")
    assert ran.code == 0, ran.err
    return {name: value for name, value in ran.json.items() if name != "files"}


@pytest.fixture
def stranger(tmp_path: Path) -> Hromada:
    """Another folder, without any database."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Hromada(folder)


def test_a_copied_build_gives_the_numbers_of_the_organiser(written: Hromada, stranger: Hromada) -> None:
    """Every number, test, part and note, of labels and of texts, of a single data set and of all that were run."""
    shutil.copytree(written.folder / "built", stranger.folder / "given")
    runs = {name: written.folder / f"run-{name}" for name in ("parity", "words", "all")}
    ours = {name: compare(written, name, runs[name]) for name in ("parity", "words")}
    assert {row["kind"] for row in ours["parity"]["differences"]} == {"all", "class", "stratum", "tag"}
    for name, found in ours.items():
        assert compare(stranger, "given", runs[name], "--question", name) == found
        assert compare(stranger, "given", runs[name]) == found, "the run tells which data set is meant"
    both = stranger("compare", "given", runs["all"], "--json", "--to", "tables").json["comparisons"]
    assert [{name: value for name, value in one.items() if name != "files"} for one in both] == [*ours.values()]
    written("compare", "parity", runs["all"], "--to", "tables")
    for file in (written.folder / "tables").iterdir():
        assert (stranger.folder / "tables/parity" / file.name).read_bytes() == file.read_bytes()
    assert not [*stranger.folder.glob("*.db")]


def test_hidden_gold_needs_the_folder_of_the_key(written: Hromada, stranger: Hromada) -> None:
    """Beside the build or named; without it the task is named with the remedy."""
    run, ours = written.folder / "run-secret", compare(written, "secret", written.folder / "run-secret")
    assert compare(stranger, written.folder / "built", run, "--question", "secret") == ours
    shutil.copytree(written.folder / "built", stranger.folder / "given")
    refused = stranger("compare", "./given", run, "--question", "secret")
    assert (refused.code, "its gold is hidden" in refused.err, "--key" in refused.err) == (2, True, True), refused.err
    assert compare(stranger, "./given", run, "--question", "secret", "--key", written.folder / "built-key") == ours
    open_task = compare(stranger, "given", written.folder / "run-parity")
    assert open_task == compare(written, "parity", written.folder / "run-parity")


def test_answers_that_a_model_wrote_are_compared_too(written: Hromada, stranger: Hromada) -> None:
    """Those of the task by generation, under a name that says so; both tasks of a model in one folder."""
    build, run = written.folder / "built", stranger.folder / "run"
    shutil.copytree(written.folder / "run-parity", run)
    lines = (build / "hugging_face/parity/test.jsonl").read_text("utf-8").splitlines()
    said = [{"doc": json.loads(line), "prompt_hash": "0", "filtered_resps": ["так"]} for line in lines]
    text = "".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in said)
    (run / "samples_parity_generation_2.jsonl").write_text(text, "utf-8")
    content = {"config": {"model": "m"}, "results": {"parity_generation": {}}, "date": 2.0}
    (run / "results_2.json").write_text(json.dumps(content), "utf-8")
    rows = {(row["model"], row["unit"]): row for row in compare(stranger, build, run)["differences"]
            if (row["kind"], row["metric"]) == ("all", "accuracy")}  # fmt: skip
    assert {model for model, _ in rows} == {"m", "m (generation)"}
    assert rows["m (generation)", "individual"]["value"] == 0.5
    read = stranger("results", build, run, "--json").json["people_less_models"]
    assert {(row["task"], row["model"], row["value"]) for row in read} == {
        ("parity", "m", rows["m", "individual"]["value"]), ("parity_generation", "m", 0.5),
    }  # fmt: skip


def test_a_name_of_a_project_is_the_project(written: Hromada) -> None:
    """A folder with its name is read if it is written as one."""
    shutil.copytree(written.folder / "built", written.folder / "words")
    try:
        run = written.folder / "run-parity"
        assert written("compare", "words", run).code == 2, "the project was not run"
        assert compare(written, "./words", run) == compare(written, "parity", run)
    finally:
        shutil.rmtree(written.folder / "words")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("./nothing-here", "run-parity"), "not a folder of `hromada release` or `hromada build`"),
        (("built", "run-parity", "--question", "color"), "Name one of: parity, secret, words."),
        (("built", "run-other"), "No model has results of any of these tasks"),
        (("parity", "run-parity", "--key", "built-key"), "--key is for the folder of a build."),
        (("built", "answers.jsonl"), "Name one with --question"),
        (("built", "--score", "x=0.5"), "Name one with --question"),
        (("built", "run-all", "--score", "x=0.5"), "Name the data set with --question."),
        (("built", "run-all", "--unblind"), "--unblind is for a project of the database."),
        (("older", "run-parity"), "Build it again"),
    ],
)
def test_what_a_folder_does_not_have_is_said(written: Hromada, words: tuple[str, ...], said: str) -> None:
    """Exit code 2, and what to do."""
    if not (written.folder / "older").exists():
        (written.folder / "nothing-here").mkdir()
        write_run(written.folder / "run-other", written.folder / "built", [])
        shutil.copytree(written.folder / "built", written.folder / "older")
        shutil.rmtree(written.folder / "older/people")
    ran = written("compare", *words)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_one_human_number_stands_everywhere(written: Hromada, stranger: Hromada) -> None:
    """That of `baseline`, in the manifest, the tasks, the card, Croissant, CITATION.cff, and beside models."""
    build = written.folder / "built"
    files = {str(path.relative_to(build)): path for path in build.rglob("*") if path.is_file()}
    texts = {path: file.read_text("utf-8") for path, file in files.items() if file.suffix != ".parquet"}
    manifest = json.loads(texts["manifest.json"])
    read = stranger("results", build, written.folder / "run-all", "--json", "--to", "tables")
    assert read.code == 0, read.err
    for name in GOLDS:
        human = manifest["tasks"][name]["human"]
        units = {unit["unit"]: unit["scores"][0] for unit in written("baseline", name, "--json").json["units"]}
        for unit in ("individual", "majority"):
            for number in ("value", "ci_low", "ci_high", "item_only_low", "item_only_high"):
                assert human[unit][number] == pytest.approx(units[unit][number], abs=1e-6)
        of_task = next(line for line in texts[f"lm_eval/{name}.yaml"].splitlines() if line.startswith("metadata: "))
        assert json.loads(of_task.removeprefix("metadata: "))["human"] == human
        own = {number: f"{human['individual'][number]:.3f}" for number in ("value", "ci_low", "ci_high")}
        assert f"| {own['value']} | {own['ci_low']} – {own['ci_high']} |" in texts["hugging_face/README.md"]
        said = f"{own['value']} [95% CI {own['ci_low']}, {own['ci_high']}]"
        assert said in json.loads(texts["hugging_face/croissant.json"])["rai:dataAnnotationAnalysis"]
        assert said in parse_yaml(texts["CITATION.cff"], file=files["CITATION.cff"]).data["abstract"]
        rows = {row["unit"]: row for row in read.json["human"] if row["task"] == name}
        for unit, row in rows.items():
            assert all(row[number] == human[unit][number] for number in ("value", "ci_low", "n_items"))
        for row in read.json["people_less_models"]:
            assert row["task"] != name or row["people"] == human[row["unit"]]["value"]
    ours = {(row["unit"], row["metric"], row["kind"]): row for row in compare(
        written, "parity", written.folder / "run-parity")["differences"]}  # fmt: skip
    for row in read.json["people_less_models"]:
        if row["task"] == "parity":
            known = ours[row["unit"], row["metric"], "all"]
            assert row == {name: known.get(name, row[name]) for name in row}
    named = re.findall(r"--tasks (\S+)", texts["hugging_face/README.md"])
    assert named == ["all", "all_generation"]
    assert all((build / f"lm_eval/{name}.yaml").exists() for name in named)
    shown = stranger("results", build, written.folder / "run-all").out
    assert all(words in shown for words in ("Single answers", "Majority of 6", "No gold review", "people less models"))


@pytest.mark.slow
def test_a_copied_release_gives_the_numbers_of_the_organiser(written: Hromada, stranger: Hromada) -> None:
    """Of the whole release and of the benchmark in it; the tables that it has of models are the same."""
    run = written.folder / "run-parity"
    ran = written("release", "parity", "released", "--draft", "--no-replay", "--models", run)
    assert ran.code == 0, ran.err
    shutil.copytree(written.folder / "released", stranger.folder / "given")
    ours = compare(written, "parity", run, "--to", "mine")
    assert compare(stranger, "given", run) == compare(stranger, "given/benchmark", run) == ours
    for file in (written.folder / "mine").iterdir():
        assert (stranger.folder / "given/models/parity" / file.name).read_bytes() == file.read_bytes()
    assert stranger("release", "--verify", "given").code == 0
