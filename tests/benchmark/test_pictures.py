"""Benchmarks of items with pictures: the same bytes at the same places for the Hub, the harness and Inspect AI."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from _built_benchmarks import (
    Campaigns,
    offline,
    open_campaigns,
    read_samples,
    run_harness,
)
from _inspect import needs_inspect, run
from _pictures import PROJECT, draw, encode, write_items, write_project

from aggregation.errors import HromadaError
from exports import benchmark, lm_eval
from exports.benchmark import Benchmark
from exports.benchmark_items import BuildOptions
from exports.benchmark_items.task_functions import read_rows
from exports.release import ForbiddenString, find_identities

COLOURS = {"brown": "owl", "white": "stork", "black": "stork"}
FILES = ("owl.png", "stork.jpg", "late.png")
TWO = "show: [{field: file, as: image}, text, {field: other, as: image}], gold: gold}"
HIDDEN = "benchmark: {hidden: yes}\n"
WORDS = """\
project: words
title: Words
language: en
instructions: Read.
question: {type: choice, text: "Which?", options: [a, b]}
items: {file: words.csv, id: id, show: text, gold: gold}
overlap: 2
"""


def read_table(content: str | bytes) -> Any:
    """A Parquet file."""
    from pyarrow import parquet

    assert isinstance(content, bytes)
    return parquet.read_table(io.BytesIO(content))


def write_birds(folder: Path) -> Path:
    """Two items with a picture, one with a repeated picture, and one without any."""
    file = write_project(folder)
    items = ["a,pictures/owl.png,It sits.,owl", "b,pictures/stork.jpg,It stands.,stork"]
    write_items(folder, *items, "c,pictures/owl.png,It sleeps.,owl", "d,,Which sits?,owl")
    return file


@pytest.fixture(scope="module", autouse=True)
def seeing_model() -> None:
    """A model of the harness that sees: it answers by the colour of the last picture."""
    from lm_eval import models  # noqa: F401  # registers the harness's own, which it does not do beside another
    from lm_eval.api.model import LM
    from lm_eval.api.registry import register_model

    class SeeingModel(LM):  # type: ignore[misc]  # the harness has no types
        """It says owl where it sees brown, and where it sees nothing."""

        MULTIMODAL = True

        def __init__(self, **_: object) -> None:
            super().__init__()

        def loglikelihood(self, requests: list[Any]) -> list[tuple[float, bool]]:
            raise NotImplementedError

        def loglikelihood_rolling(self, requests: list[Any]) -> list[float]:
            raise NotImplementedError

        def generate_until(self, requests: list[Any]) -> list[str]:
            return [self.reply(*request.args) for request in requests]

        def reply(self, prompt: str, _: object, shown: dict[str, Any]) -> str:
            """One picture for each place in the prompt."""
            assert prompt.count("<image>") == len(shown["visual"])
            for picture in shown["visual"]:
                return "stork" if sum(picture.convert("RGB").getpixel((20, 20))) > 600 else "owl"
            return "owl"

    register_model("seeing")(SeeingModel)


@dataclass(frozen=True)
class Birds:
    """A project of pictures, answered and built."""

    campaigns: Campaigns
    folder: Path
    benchmark: Benchmark

    @property
    def built(self) -> Path:
        """The folder of the build."""
        return self.folder / "built"

    def list_pictures(self) -> dict[str, bytes]:
        """The files of pictures."""
        return {file.name: file.read_bytes() for file in (self.built / "lm_eval/data/pictures").iterdir()}


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Birds]:
    """Two answers an item."""
    folder = tmp_path_factory.mktemp("birds")
    with open_campaigns(folder) as campaigns:
        campaigns.answer([campaigns.load(write_birds(folder / "birds"))], people=2, skill=0.8, seed=1)
        yield Birds(campaigns, folder, campaigns.write("birds", folder / "built"))


def test_a_picture_is_one_file_under_its_hash(birds: Birds) -> None:
    """With the bytes of the project's file, which has no metadata; the name of that file is nowhere."""
    pictures = birds.list_pictures()
    own = [(birds.folder / "birds/pictures" / name).read_bytes() for name in ("owl.png", "stork.jpg")]
    assert sorted(pictures.values()) == sorted(own)
    assert all(hashlib.sha256(content).hexdigest() == name.partition(".")[0] for name, content in pictures.items())
    for path in birds.built.rglob("*"):
        assert not any(name in path.name for name in FILES)
        assert not (path.is_file() and any(name.encode() in path.read_bytes() for name in FILES)), path
    task = birds.benchmark.manifest["tasks"]["birds"]
    assert task["shows_pictures"] is True
    assert "In the chat, Telegram re-encodes pictures; models get them as they are stored." in task["differences"]


def test_datasets_gives_the_pictures(birds: Birds) -> None:
    """As Pillow's, by the card and by the Parquet file alone; and as the bytes that are stored."""
    import datasets

    folder = birds.built / "hugging_face"
    with offline(birds.folder):
        by_card = datasets.load_dataset(str(folder), "birds", split="test")
        by_file = datasets.load_dataset("parquet", data_files=str(folder / "birds/test.parquet"), split="train")
    assert by_card.features == by_file.features
    assert by_card.features["image"] == datasets.Image()
    assert [row["image"] and row["image"].size for row in by_card] == [(400, 300), (300, 400), (400, 300), None]
    stored = by_card.cast_column("image", datasets.Image(decode=False))
    assert {one["path"]: one["bytes"] for one in stored["image"] if one} == birds.list_pictures()


def test_the_card_says_that_a_model_must_see(birds: Birds) -> None:
    """And with which models of the harness; the YAML has the features."""
    card = (birds.built / "hugging_face/README.md").read_text("utf-8")
    assert "task_categories: [visual-question-answering]" in card
    assert "  - name: image\n    dtype: image\n" in card
    assert "The items of `birds` show pictures, so the model must have vision." in card
    assert "--model hf-multimodal --apply_chat_template --model_args pretrained=MODEL" in card
    assert "--model_args model=MODEL,base_url=URL,max_images=1" in card
    assert "--model hf " not in card
    assert any("only a model that sees can be asked" in note for note in birds.benchmark.notes)


def test_mlcroissant_reads_the_rows(birds: Birds) -> None:
    """Without a network."""
    import mlcroissant

    with offline(birds.folder):
        read = mlcroissant.Dataset(jsonld=str(birds.built / "hugging_face/croissant.json"))
        rows = list(read.records(record_set="birds-test"))
    pictures = [row["birds-test/image"] for row in rows]
    assert [one and one.size for one in pictures] == [(400, 300), (300, 400), (400, 300), None]


def test_a_model_of_the_harness_sees_the_pictures(birds: Birds, tmp_path: Path) -> None:
    """Through its own command: each at its place in the prompt that people's text is."""
    ran = run_harness(birds.built, tmp_path / "out", ["birds"], model="seeing")
    assert ran["results"]["birds"]["accuracy,none"] == 1
    (model,) = {path.parent for path in (tmp_path / "out").rglob("samples_*")}
    samples = {sample["doc"]["item_id"]: sample for sample in read_samples(model, "birds")}
    assert samples["a"]["doc"]["stimulus"] == "The bird\n[picture]\n\nIt sits."
    (prompt,) = {sample["arguments"]["gen_args_0"]["arg_0"] for sample in (samples["a"],)}
    assert prompt == "The bird\n<image>\n\nIt sits.\n\nWhich bird?\n- owl\n- stork\nAnswer:"
    read = lm_eval.read_results(birds.built, [tmp_path / "out"])
    assert read.differences == []
    assert [row["score"] for row in read.answers] == [1.0] * 4


def test_a_model_that_does_not_see_is_refused(birds: Birds, tmp_path: Path) -> None:
    """By the harness, before anything is asked."""
    with pytest.raises(AssertionError, match="require multimodal input"):
        run_harness(birds.built, tmp_path / "out", ["birds"])


def test_people_have_the_score_of_the_same_scorer(birds: Birds) -> None:
    """The replay asks nobody to see: its prompts are those of models."""
    read = lm_eval.read_results(birds.built, [birds.built / "results"])
    scores = {row["model"]: row["value"] for row in read.scores if row["metric"] == "accuracy"}
    told = birds.benchmark.manifest["tasks"]["birds"]["human"]["majority"]
    assert (told["metric"], told["value"]) == ("accuracy", pytest.approx(scores["human-majority"], abs=1e-4))
    assert read.differences == []
    with (birds.built / "lm_eval/prompts.csv").open(encoding="utf-8", newline="") as file:
        expected = {row["item_id"]: row["prompt_sha256"] for row in csv.DictReader(file)}
    (person, *_) = sorted(birds.built.glob("results/human-*"))
    for sample in read_samples(person, "birds"):
        assert sample["prompt_hash"] == expected[sample["doc"]["item_id"]]


def test_hidden_gold_is_not_told_by_pictures(tmp_path: Path) -> None:
    """They are in the open folder, and what is in the key is not."""
    file = write_birds(tmp_path / "birds")
    file.write_text(PROJECT + HIDDEN, "utf-8")
    with open_campaigns(tmp_path) as campaigns:
        campaigns.answer([campaigns.load(file)], people=2, skill=0.8, seed=1)
        campaigns.write("birds", tmp_path / "built")
    assert len(list((tmp_path / "built/lm_eval/data/pictures").iterdir())) == 2
    rows = read_rows(tmp_path / "built/hugging_face/birds/test.jsonl")
    assert {row["gold"] for row in rows} == {None}
    assert [len(row["images"]) for row in rows] == [1, 1, 1, 0]
    assert not any(name.encode() in path.read_bytes() for path in tmp_path.glob("built*/**/*.*") for name in FILES)
    assert not list((tmp_path / "built-key").rglob("*.png"))


def test_two_pictures_keep_their_order(tmp_path: Path) -> None:
    """Those of a later step are not shown to models, as its questions are not asked."""
    file = write_project(tmp_path / "birds")
    late = "{field: late, as: image, step: 2}"
    project = re.sub(r"show: \[.*gold}", TWO.replace("text,", f"text, {late},"), PROJECT)
    two = 'questions:\n  - {name: bird, type: choice, text: "Which bird?", options: [owl, stork]}\n'
    two += '  - {name: sure, type: choice, text: "Sure?", options: ["yes", "no"], step: 2}\n'
    file.write_text(re.sub(r"question: .*\n", two, project), "utf-8")
    (file.parent / "pictures/late.png").write_bytes(encode(draw("black"), "PNG"))
    rows = "id,file,text,gold,other,late\na,pictures/owl.png,It sits.,owl,pictures/stork.jpg,pictures/late.png\n"
    (file.parent / "items.csv").write_text(rows, "utf-8")
    with open_campaigns(tmp_path) as campaigns:
        campaigns.load(file)
        built = campaigns.build("birds")
    content = built.files["hugging_face/birds/test.jsonl"]
    assert isinstance(content, bytes)
    (doc,) = [json.loads(line) for line in content.splitlines()]
    assert [name.rpartition(".")[2] for name in doc["images"]] == ["png", "jpg"]
    assert doc["stimulus"] == "[picture]\n\nIt sits.\n\n[picture]"
    assert len([path for path in built.files if path.startswith("lm_eval/data/pictures/")]) == 2
    table = read_table(built.files["hugging_face/birds/test.parquet"])
    assert [table[name][0]["path"].as_py() for name in ("image_1", "image_2")] == doc["images"]


@pytest.mark.parametrize("words", ["Not a [picture].", "See <image>."])
def test_a_sign_of_a_picture_in_a_text_is_refused(tmp_path: Path, words: str) -> None:
    """It would be the place of another picture."""
    file = write_project(tmp_path / "birds")
    write_items(file.parent, f"a,pictures/owl.png,{words},owl")
    with open_campaigns(tmp_path) as campaigns:
        campaigns.load(file)
        with pytest.raises(HromadaError, match=r"item 'a' contains `\[picture\]` or `<image>` as a text"):
            campaigns.build("birds")


@pytest.mark.parametrize(("change", "problem"), [({}, "missing"), ({"content": b"other"}, "another one")])
def test_a_picture_that_is_not_the_named_one_is_refused(birds: Birds, change: dict[str, bytes], problem: str) -> None:
    """No file is published under a wrong hash."""
    source = birds.campaigns.read_source("birds")
    first, *_ = source.pictures
    others = {name: content for name, content in source.pictures.items() if name != first}
    damaged = replace(source, pictures=others | dict.fromkeys([first] * len(change), change.get("content", b"")))
    with pytest.raises(HromadaError, match=f"The picture {first} is {problem}"):
        benchmark.build_benchmark(damaged, options=BuildOptions(), replay=False)


def test_texts_and_pictures_are_run_apart(birds: Birds, tmp_path: Path) -> None:
    """In a programme of both, as no model of the harness takes them together."""
    with open_campaigns(tmp_path) as campaigns:
        campaigns.load(write_birds(tmp_path / "birds"))
        (tmp_path / "words.yaml").write_text(WORDS, "utf-8")
        (tmp_path / "words.csv").write_text("id,text,gold\nw1,One,a\n", "utf-8")
        campaigns.load(tmp_path / "words.yaml")
        campaigns.bundle("both", "en")
        card = str(campaigns.build("both").files["hugging_face/README.md"])
    assert re.findall(r"--model (\S+) .*\n  --tasks (\S+)", card) == [
        ("hf", "words"), ("local-chat-completions", "words_generation"),
        ("hf-multimodal", "birds"), ("local-chat-completions", "birds"),
    ]  # fmt: skip


def test_the_bytes_of_a_picture_are_no_identity() -> None:
    """Any short word can be among them; in a text next to them it is found."""
    import pyarrow as pa

    from exports.hugging_face.data_files import write_parquet

    name = ForbiddenString("a name", "Bob")
    cells = {"image": [{"bytes": b"\0 bob \0", "path": "0.png"}], "text": ["of Bob"]}
    files = {"a.png": b"\0 bob \0", "b.parquet": write_parquet([pa.table(cells)])}
    assert [found.file for found in find_identities(files, [name])] == ["b.parquet"]
    files = {"b.parquet": write_parquet([pa.table(cells | {"text": ["of nobody"]})])}
    assert find_identities(files, [name]) == ()


@pytest.mark.process
@pytest.mark.slow
@needs_inspect
def test_inspect_sends_the_pictures(birds: Birds, tmp_path: Path) -> None:
    """At their places in the prompt of the harness, with the bytes that are stored; people have the same scores."""
    script = Path(__file__).with_name("replay_in_inspect.py")
    told = json.loads(run(script, tmp_path / "logs", birds.built, folder=tmp_path))
    found = told[birds.folder.name]["birds"]["human-majority"]
    hashes = {re.sub("[.].*", "", name) for name in birds.list_pictures()}
    assert set(re.findall("<([0-9a-f]{64})>", "".join(found["inputs"].values()))) == hashes
    with (birds.built / "lm_eval/prompts.csv").open(encoding="utf-8", newline="") as file:
        expected = {row["item_id"]: row["prompt_sha256"] for row in csv.DictReader(file)}
    for item, text in found["inputs"].items():
        prompt = re.sub("<[0-9a-f]{64}>", "<image>", text)
        assert hashlib.sha256(prompt.encode()).hexdigest() == expected[item]
    read = lm_eval.read_results(birds.built, [birds.built / "results"])
    (expected_score,) = (
        row["value"] for row in read.scores if (row["model"], row["metric"]) == ("human-majority", "accuracy")
    )
    assert found["values"]["grade"]["accuracy"] == pytest.approx(expected_score)
