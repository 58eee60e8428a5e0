"""What lies in a built folder: hashes, canary, facts in their places, hidden gold nowhere; the same bytes anywhere."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import OFFLINE, SCRIPTS, Campaigns, offline, open_campaigns, read_samples, run_harness
from _command import Hromada
from pyarrow import parquet

from aggregation.errors import HromadaError
from annotation.campaigns.stimulus import compute_stimulus_digest
from exports import benchmark, lm_eval
from exports.benchmark import Benchmark
from exports.benchmark_items import BuildOptions, BuildSource
from exports.lm_eval import results

PROJECT = """
project: {name}
title: Проєкт {name}
language: uk
kind: baseline
instructions: Уважно прочитайте.
question: {question}
items: {{file: {name}.jsonl, id: id, show: text, gold: gold, gold_origin: expert, group: group{more}}}
overlap: 3
{training}declared: {{licence: CC BY-SA 4.0, population: студенти Києва, recruitment: оголошення на кафедрі}}
"""
TRAINING = "stages: {training: {pool: {where: {pool: training}}, number: 4}}\n"
CHOICE, OPTIONS = "{type: choice, text: Яке слово довше?}", ", options: options"
HIDDEN = "benchmark: {hidden: yes}\n"
HIDDEN_WORD = "таємниця"


def write_project(campaigns: Campaigns, name: str) -> str:
    """Load a project of eight main items in four groups; `words` has a training of four more."""
    rows = [
        {"id": f"{name}{number}", "text": f"Пара {number}", "group": f"{name}-{number // 2}", "pool": "main",
         "options": [f"довге{number}", f"ок{number}"], "gold": f"довге{number}"}
        for number in range(8)
    ]  # fmt: skip
    more, training = f"{OPTIONS}, where: {{pool: main}}", ""
    if name == "words":
        rows += [row | {"id": f"t-{row['id']}", "group": f"t{row['group']}", "pool": "training"} for row in rows[:4]]
        training = TRAINING
    if name == "secret":
        rows = [
            row | {"gold": f"{HIDDEN_WORD} {row['id']}", "accepted": [f"{HIDDEN_WORD}2 {row['id']}"]} for row in rows
        ]
        more, training = ", accepted: accepted", HIDDEN
    question = "{type: text, text: Яке слово сховано?}" if name == "secret" else CHOICE
    (campaigns.folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    file = campaigns.folder / f"{name}.yaml"
    file.write_text(PROJECT.format(name=name, question=question, more=more, training=training), "utf-8")
    return campaigns.load(file)


@dataclass(frozen=True)
class Built:
    """A programme of two choices, `pair`, and `secret`, whose gold is hidden."""

    campaigns: Campaigns
    folder: Path
    pair: Benchmark
    secret: Benchmark

    @property
    def address(self) -> str:
        """The address of the database, for a process of its own."""
        return f"sqlite:///{self.folder / 'campaigns.db'}"

    def change(self, name: str, **parts: object) -> BuildSource:
        """The input of a build, of whose data set some fields are others."""
        source = self.campaigns.read_source(name)
        (task,) = source.tasks
        return replace(source, tasks=(replace(task, data=replace(task.data, **parts)),))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """All answered by six simulated people."""
    folder = tmp_path_factory.mktemp("build")
    with open_campaigns(folder) as campaigns:
        pair = [write_project(campaigns, name) for name in ("words", "others")]
        campaigns.bundle("pair", "uk")
        campaigns.answer([*pair, write_project(campaigns, "secret")], people=6, skill=0.7, seed=2)
        yield Built(
            campaigns, folder, *(campaigns.write(name, folder / f"{name}-built") for name in ("pair", "secret"))
        )


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files under a folder by their paths in it, but for the bytecode that a run of the harness leaves there."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def decode_file(path: str, content: bytes) -> str:
    """What stands in a file, a Parquet file's cells too."""
    if path.endswith(".parquet"):
        return json.dumps(parquet.read_table(io.BytesIO(content)).to_pylist(), ensure_ascii=False)
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), content.decode())


def hash_bytes(content: bytes) -> str:
    """The SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def read_rows(content: bytes | str) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    text = content.decode() if isinstance(content, bytes) else content
    return [json.loads(line) for line in text.splitlines()]


def test_only_declared_facts_are_passed_on(built: Built) -> None:
    """What the project file leaves out is no fact."""
    (task,) = built.campaigns.read_source("words").tasks
    assert task.declared.keys() == {"licence", "population", "recruitment"}


def test_the_manifest_has_the_hash_of_every_file(built: Built) -> None:
    """Of the key too; and it says with which versions and which seed all was made."""
    for name in ("pair-built", "secret-built", "secret-built-key"):
        files = read_folder(built.folder / name)
        manifest = json.loads(files.pop("manifest.json"))
        assert manifest["files"] == {path: hash_bytes(content) for path, content in sorted(files.items())}
    assert {"hromada", "pyarrow", "lm_eval"} == built.pair.manifest["versions"].keys()
    assert built.campaigns.build("words", seed=7).manifest["seed"] == 7


def test_tasks_have_the_scorer_itself_and_data_named_by_content(built: Built) -> None:
    """So that the harness's cache, which goes by names, never gives old rows."""
    files = read_folder(built.folder / "pair-built/lm_eval")
    assert files["scoring.py"] == resources.files("aggregation").joinpath("scoring.py").read_bytes()
    data = {path: content for path, content in files.items() if path.startswith("data/")}
    assert len(data) == 3
    for path, content in data.items():
        assert path.endswith(f"-{hash_bytes(content)[:16]}.jsonl")
        name = path.removeprefix("data/").partition("-")[0]
        assert f'"{path}"' in files[f"{name}.yaml"].decode()


def test_canary_licence_and_declared_facts_stand_where_they_are_looked_for(built: Built) -> None:
    """In each row, in each task, in the card and in croissant.json."""
    files = {path: decode_file(path, content) for path, content in read_folder(built.folder / "pair-built").items()}
    canary = built.pair.manifest["canary"]
    for path, text in files.items():
        if path.endswith(
            (".jsonl", "words.yaml", "others.yaml", "README.md", "croissant.json", "ai/tasks.py", "ai/tasks.json")
        ):
            assert canary in text, path
    for path in ("hugging_face/words/test.jsonl", "hugging_face/words/few_shot.jsonl"):
        assert {(row["canary"], row["licence"]) for row in read_rows(built.pair.files[path])} == {
            (canary, "CC BY-SA 4.0")
        }
    for path in ("hugging_face/README.md", "hugging_face/croissant.json"):
        for fact in ("cc-by-sa-4.0", "студенти Києва", "оголошення на кафедрі", "Уважно прочитайте."):
            assert fact in files[path], (path, fact)


def test_each_item_has_the_text_and_the_gold_that_people_had(built: Built) -> None:
    """Text, question and options have the hash that stands in people's answers; the gold says where it is from."""
    answers = parquet.read_table(built.folder / "pair-built/hugging_face/human_responses/test.parquet").to_pylist()
    read = {(row["task"], row["item_id"]): row["stimulus_sha256"] for row in answers}
    for task in ("words", "others"):
        table = parquet.read_table(built.folder / f"pair-built/hugging_face/{task}/test.parquet").to_pylist()
        lines = read_rows(built.pair.files[f"hugging_face/{task}/test.jsonl"])
        assert table == lines
        assert len(table) == 8
        for row in table:
            shown = compute_stimulus_digest(row["stimulus"], question=row["question"], options=row["options"])
            assert shown == row["stimulus_sha256"] == read[task, row["item_id"]]
            assert (row["gold_source"], row["gold_confidence"]) == ("expert", None)
            assert row["answer"] == row["gold"] == f"довге{row['item_id'][-1]}"


def test_gold_of_votes_has_their_confidence(built: Built) -> None:
    """Where none is declared; and a tie has no gold."""
    source = built.change("others")
    data = source.tasks[0].data
    items = data.items.assign(gold=None, gold_origin=None, gold_version=None)
    voted = benchmark.build_benchmark(built.change("others", items=items), options=BuildOptions(), replay=False)
    rows = read_rows(voted.files["hugging_face/others/test.jsonl"])
    votes = data.list_counted_answers().groupby("item_id")["response"].agg(list)
    assert rows
    for row in rows:
        said = votes[row["item_id"]]
        assert row["gold_source"] == "votes"
        assert row["gold_confidence"] == pytest.approx(said.count(row["gold"]) / len(said), abs=1e-6)


def test_only_items_that_are_kept_become_test_items(built: Built) -> None:
    """Those that a filtering rule took out, or did not decide on, and retired ones are counted by their reasons."""
    source = built.change("others")
    (task,) = source.tasks
    items = task.data.items.assign(status=["retired", *task.data.items["status"][1:]])
    statuses = dict.fromkeys(items["item_id"], "kept") | {"others1": "removed", "others2": "undecided"}
    changed = replace(task, data=replace(task.data, items=items), statuses=statuses)
    made = benchmark.build_benchmark(replace(source, tasks=(changed,)), options=BuildOptions(), replay=False)
    rows = read_rows(made.files["hugging_face/others/test.jsonl"])
    assert [row["item_id"] for row in rows] == [f"others{number}" for number in range(3, 8)]
    reasons = {"retired": 1, "removed by the filtering rule": 1, "undecided by the filtering rule": 1}
    assert made.manifest["tasks"]["others"]["left_out"] == reasons
    assert all(any(f"1 items left out: {reason}." in note for note in made.notes) for reason in reasons)


def test_replayed_are_the_answers_on_which_scores_rest(built: Built) -> None:
    """Of three answers an item the first two, where two were planned; none where the gold is of these very answers."""
    planned = benchmark.build_benchmark(built.change("others", overlap=2), options=BuildOptions())
    everyone = built.pair.manifest["tasks"]["others"]["people"]
    people = planned.manifest["tasks"]["others"]["people"]
    assert (everyone["n_answers"], people["n_answers"]) == (24, 16)
    content = [json.loads(planned.files[path]) for path in planned.files if path.endswith("results_replay.json")]
    single = [found for found in content if found["config"]["model"] != "human:majority"]
    assert sum(found["n-samples"]["others"]["effective"] for found in single) == 16
    items = built.change("others").tasks[0].data.items.assign(gold_origin="votes", circular=True)
    circular = benchmark.build_benchmark(built.change("others", items=items), options=BuildOptions())
    assert "made of their own votes" in circular.manifest["tasks"]["others"]["people"]["reason"]
    assert not any(path.startswith(("results/", "samples")) for path in circular.files)


def test_examples_are_the_training_without_the_groups_of_test_items(built: Built) -> None:
    """A project file cannot share a group between the two, and a source that does has the item left out."""
    rows = read_rows(built.pair.files["hugging_face/words/few_shot.jsonl"])
    assert [row["item_id"] for row in rows] == [f"t-words{number}" for number in range(4)]
    source = built.change("words")
    (task,) = source.tasks
    shared = task.examples.assign(group=["words-0", *task.examples["group"][1:]])
    made = benchmark.build_benchmark(
        replace(source, tasks=(replace(task, examples=shared),)), options=BuildOptions(), replay=False
    )
    rows = read_rows(made.files["hugging_face/words/few_shot.jsonl"])
    assert [row["item_id"] for row in rows] == [f"t-words{number}" for number in range(1, 4)]


def test_where_everything_was_answered_there_are_no_examples(built: Built) -> None:
    """Without a training no group is left for them; the task asks for none, and it is said."""
    task = built.pair.manifest["tasks"]["others"]
    assert (task["n_items"], task["n_few_shot"], task["left_out"]) == (8, 0, {})
    assert "hugging_face/others/few_shot.jsonl" not in built.pair.files
    assert "num_fewshot: 0" in str(built.pair.files["lm_eval/others.yaml"])
    assert any(note.startswith("others: no few-shot examples") for note in built.pair.notes)


@pytest.mark.parametrize("name", ["others", "secret"])
def test_groups_that_nobody_answered_become_examples_unless_gold_is_hidden(built: Built, name: str) -> None:
    """Whole groups, until there are three items; hidden gold would be published by them."""
    responses = built.change(name).tasks[0].data.responses
    few = responses.loc[responses["item_id"].isin([f"{name}0", f"{name}1"])]
    made = benchmark.build_benchmark(built.change(name, responses=few), options=BuildOptions(), replay=False)
    task = made.manifest["tasks"][name]
    if name == "secret":
        assert (task["n_items"], task["n_few_shot"]) == (8, 0)
        return
    assert (task["n_items"], task["n_few_shot"], task["left_out"]) == (4, 4, {"taken for the few-shot split": 4})
    groups = [{row["group"] for row in read_rows(made.files[f"hugging_face/{name}/{split}.jsonl"])}
              for split in ("test", "few_shot")]  # fmt: skip
    assert not groups[0] & groups[1]
    assert "others-0" in groups[0]


def test_hidden_gold_stands_nowhere_in_the_open_folder(built: Built) -> None:
    """Neither as text, nor in Parquet, nor as the hash of a target; all of it is in the key."""
    files = read_folder(built.folder / "secret-built")
    key = read_folder(built.folder / "secret-built-key")
    golds = [str(row["gold"]) for row in read_rows(key["gold.jsonl"])]
    assert golds == [f"{HIDDEN_WORD} secret{number}" for number in range(8)]
    hashes = [hash_bytes(gold.encode()) for gold in golds]
    for path, content in files.items():
        text = decode_file(path, content)
        assert HIDDEN_WORD not in text, path
        assert not any(digest in text for digest in hashes), path
    for path in ("human_responses.parquet", "results/human-majority/samples_secret_replay.jsonl"):
        assert HIDDEN_WORD in decode_file(path, key[path])
    assert not any(path.startswith(("results", "samples", "hugging_face/human")) for path in files)


@pytest.mark.parametrize("key", ["", "key", "../public/key"])
def test_the_key_never_lies_in_the_open_folder(built: Built, tmp_path: Path, key: str) -> None:
    """Such a folder is refused, and nothing is written."""
    with pytest.raises(HromadaError, match="inside the folder that is published"):
        benchmark.write_benchmark(built.secret, tmp_path / "public", tmp_path / "public" / key)
    assert list(tmp_path.iterdir()) == []


def test_gold_of_an_open_build_is_gone_when_it_is_hidden(built: Built, tmp_path: Path) -> None:
    """Where the same folder is built again."""
    source = built.change("secret")
    (task,) = source.tasks
    opened = replace(source, tasks=(replace(task, hidden=False),))
    was = benchmark.build_benchmark(opened, options=BuildOptions(), replay=False)
    benchmark.write_benchmark(was, tmp_path / "public", tmp_path / "key")
    before = read_folder(tmp_path / "public")
    assert any(HIDDEN_WORD in decode_file(path, content) for path, content in before.items())
    benchmark.write_benchmark(built.secret, tmp_path / "public", tmp_path / "key")
    for path, content in read_folder(tmp_path / "public").items():
        assert HIDDEN_WORD not in decode_file(path, content), path


def test_items_without_gold_load_as_those_with_it(built: Built, tmp_path: Path) -> None:
    """By `datasets` and by mlcroissant, without a network: the columns of hidden gold are empty."""
    import datasets
    import mlcroissant

    folder = str(built.folder / "secret-built/hugging_face")
    with offline(tmp_path):
        rows = datasets.load_dataset(folder, "secret")["test"]
        described = mlcroissant.Dataset(jsonld=f"{folder}/croissant.json").records(record_set="secret-test")
        assert (len(rows), set(rows["gold"]), len(list(described))) == (8, {None}, 8)
        assert datasets.get_dataset_config_names(folder) == ["secret"]


@pytest.mark.process
@pytest.mark.slow
def test_the_harness_in_a_process_of_its_own_finds_the_same(built: Built, tmp_path: Path) -> None:
    """Its command, beside all the tasks that it brings along: the samples are the same."""
    build = built.folder / "pair-built"
    found = []
    for name in ("here", "there"):
        ran = run_harness(build, tmp_path / name, ["pair"], in_process=name == "here")
        (model,) = {path.parent for path in (tmp_path / name).rglob("samples_*")}
        parts = [ran[part] for part in ("results", "n-shot", "n-samples", "task_hashes", "group_subtasks", "versions")]
        found.append((parts, [read_samples(model, task) for task in ("words", "others")]))
    assert found[0] == found[1]


def test_a_model_is_run_without_the_gold_and_scored_with_it(built: Built, tmp_path: Path) -> None:
    """The harness itself says only how much was answered."""
    build, key = built.folder / "secret-built", built.folder / "secret-built-key"
    content = run_harness(build, tmp_path / "out", ["secret"], "--samples", key / "samples.json")
    assert content["results"]["secret"]["answered,none"] == 1
    read = lm_eval.read_results(build, [tmp_path / "out", key / "results"], key=key)
    scores = {(row["model"], row["metric"]): row["value"] for row in read.scores}
    assert (scores["dummy", "exact_match"], scores["dummy", "f1"]) == (0, 0)
    assert scores["human-majority", "exact_match"] > 0
    assert {row["difference"] for row in read.differences} <= {results.NO_ITEM}
    (majority,) = {row["task_hash"] for row in read.scores if row["model"] == "human-majority"}
    assert {row["task_hash"] for row in read.scores if row["model"] == "dummy"} == {majority}


def test_a_programme_is_the_mean_of_its_tasks(built: Built) -> None:
    """Where they have the same metric, for people and models; of one form, and of the other."""
    samples = built.folder / "pair-built/samples.json"
    majority = json.loads(built.pair.files["results/human-majority/results_replay.json"])
    for end in ("", "_generation"):
        folder = built.folder / f"group{end}"
        content = run_harness(built.folder / "pair-built", folder, [f"pair{end}"], "--samples", samples)
        for found in (content, majority):
            values = [found["results"][f"{name}{end}"]["accuracy,none"] for name in ("words", "others", "pair")]
            assert values[2] == pytest.approx(sum(values[:2]) / 2, abs=1e-12)
        assert content["task_hashes"].items() <= majority["task_hashes"].items()
        assert content["n-shot"][f"words{end}"] == majority["n-shot"][f"words{end}"] == 3


@pytest.mark.parametrize(
    ("words", "n_differing"), [(("--system_instruction", "Думай."), 16), (("--num_fewshot", "0"), 8)]
)
def test_a_model_with_another_prompt_is_found(
    built: Built, tmp_path: Path, words: tuple[str, ...], n_differing: int
) -> None:
    """A real run with a system prompt, and one without the examples of the one task that has any."""
    run_harness(built.folder / "pair-built", tmp_path / "out", ["pair"], *words)
    read = lm_eval.read_results(built.folder / "pair-built", [tmp_path / "out"])
    found = {row["task"]: row["n_items"] for row in read.differences if row["difference"] == results.OTHER_PROMPT}
    assert (sum(found.values()), len(read.answers)) == (n_differing, 16)


def test_a_model_on_changed_items_is_found(built: Built, tmp_path: Path) -> None:
    """A real run on a copy of the tasks in which the gold of one item is another one."""
    copy = tmp_path / "copy"
    for path, content in read_folder(built.folder / "pair-built/lm_eval").items():
        (copy / "lm_eval" / path).parent.mkdir(parents=True, exist_ok=True)
        text = content.decode()
        if path.startswith("data/others"):
            text = text.replace('"gold": "довге3"', '"gold": "ок3"')
            assert text != content.decode()
        (copy / "lm_eval" / path).write_text(text, "utf-8")
    run_harness(copy, tmp_path / "out", ["others"])
    read = lm_eval.read_results(built.folder / "pair-built", [tmp_path / "out"])
    assert [(row["difference"], row["items"]) for row in read.differences] == [
        (results.OTHER_ITEM, "others3"),
    ]


@pytest.mark.process
@pytest.mark.slow
def test_another_process_writes_the_same_bytes(built: Built, tmp_path: Path) -> None:
    """In other folders, with another order of sets, in another time zone and language."""
    temporary = tmp_path / "elsewhere"
    temporary.mkdir()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONHASHSEED": "1",
        "TMPDIR": str(temporary),
    } | OFFLINE
    env |= {"TZ": "Asia/Tokyo", "LC_ALL": "C", "HROMADA_DATABASE_URL": f"sqlite:///{built.folder / 'campaigns.db'}"}
    for name in ("pair", "secret"):
        command = [str(SCRIPTS / "hromada"), "build", name, f"{name}-built"]
        ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
    for folder in ("pair-built", "secret-built", "secret-built-key"):
        assert read_folder(tmp_path / folder) == read_folder(built.folder / folder)


def test_without_the_extra_the_command_writes_the_rest_and_says_so(
    built: Built, tmp_path: Path, hromada: Hromada, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command, where neither the harness nor what comes with it is found."""
    hidden = {"lm_eval", "datasets", "mlcroissant"}
    for name in [*hidden, *(module for module in sys.modules if module.partition(".")[0] in hidden)]:
        monkeypatch.setitem(sys.modules, name, None)
    ran = hromada("build", "pair", "without", env={"HROMADA_DATABASE_URL": built.address})
    assert ran.code == 0, ran.err
    assert "the extra `harness` is not installed" in " ".join(ran.out.split())
    expected = {path for path in built.pair.files if not path.startswith("results/")}
    assert read_folder(tmp_path / "without").keys() == expected
