"""`hromada votes` on files, as a person runs it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from _command import run_in_fork

from aggregation.relations import em
from bot.commands.votes import checkpoint

ROWS = [
    (f"i{item}", f"p{person}", "yes" if (item + (person == 3 and item % 2)) % 3 else "no")
    for item in range(12)
    for person in range(5)
]
VOTES = pd.DataFrame(ROWS, columns=["item", "annotator", "answer"])


@pytest.fixture
def folder(hromada: Any) -> Path:
    """A folder with votes.csv in other words, votes.parquet, and a folder of an Arrow file."""
    own: Path = hromada.folder
    VOTES.set_axis(["task_id", "worker", "label"], axis=1).to_csv(own / "votes.csv", index=False)
    VOTES.to_parquet(own / "votes.parquet", index=False)
    (own / "saved").mkdir()
    table = pa.Table.from_pandas(VOTES, preserve_index=False)
    with (
        pa.OSFile(str(own / "saved" / "data-00000-of-00001.arrow"), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as writer,
    ):
        writer.write_table(table)
    return own


@pytest.mark.parametrize("name", ["votes.csv", "votes.parquet", "saved"])
def test_files_of_each_kind_have_the_same_majority(hromada: Any, folder: Path, name: str) -> None:
    """Columns are known by their names; labels.parquet has a row an item, and nothing else is left."""
    result = hromada("votes", "majority", name, "--out", "results", "--json")
    assert (result.code, result.json["items"], result.json["votes"], result.json["ties"]) == (0, 12, 60, 0)
    labels = pd.read_parquet(folder / "results" / "labels.parquet").set_index("item_id")
    assert [*labels.columns] == ["label", "confidence", "tie", "tied", "n_votes", "posterior no", "posterior yes"]
    assert labels.loc["i0", "label"] == "no"
    assert labels["n_votes"].unique().tolist() == [5]
    assert [file.name for file in (folder / "results").iterdir()] == ["labels.parquet"]


def test_estimates_are_written(hromada: Any, folder: Path) -> None:
    """Confusion of Dawid-Skene sums to one over answers; one-coin has a skill for everybody."""
    printed = hromada("votes", "dawid-skene", "votes.csv", "--out", "results")
    assert (printed.code, "iterations" in printed.out, "class yes" in printed.out) == (0, True, True)
    confusion = pd.read_parquet(folder / "results" / "confusion.parquet")
    assert confusion.groupby(["annotator", "label"])["probability"].sum().to_numpy() == pytest.approx(1.0)
    assert hromada("votes", "one-coin", "votes.csv", "--out", "results", "--json").json["items"] == 12
    skills = pd.read_parquet(folder / "results" / "annotators.parquet").set_index("annotator")["skill"]
    assert skills.idxmin() == "p3"


def test_agreement_and_annotators_are_tables(hromada: Any, folder: Path) -> None:
    """Both are printed and written; ordinal alpha comes with an order."""
    found = hromada("votes", "agreement", "votes.csv", "--order", "no, yes", "--out", "results", "--json")
    names = [row["name"] for row in found.json["coefficients"]]
    assert names == ["percent_agreement", "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "gwet_ac1"]
    written = pd.read_parquet(folder / "results" / "agreement.parquet").to_dict("records")
    assert written[-1]["low"] < written[-1]["value"] < written[-1]["high"]
    assert "krippendorff_alpha_nominal" in hromada("votes", "agreement", "votes.csv").out
    printed = hromada("votes", "annotators", "votes.csv", "--out", "results").out
    assert printed.index("p3 ") < printed.index("p0 ")
    assert hromada("votes", "annotators", "votes.csv", "--json").json[0]["annotator"] == "p3"
    people = pd.read_parquet(folder / "results" / "annotators.parquet")
    assert [*people.columns] == ["annotator", "n_votes", "n_with_others", "agreement_with_others"]


def test_an_interrupted_estimation_goes_on(hromada: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept is used by the same command alone, and is deleted at the end."""
    options = ("--stop", "converged", "--iterations", "5", "--json")
    whole = hromada("votes", "dawid-skene", "votes.csv", *options).json
    maximise, calls = em._maximise, []

    def fail_at_the_fourth(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return maximise(*arguments)

    monkeypatch.setattr(em, "_maximise", fail_at_the_fourth)
    command = ("votes", "dawid-skene", "votes.csv", *options, "--out", "results")
    assert hromada(*command).code == 130
    assert [file.name for file in (folder / "results").iterdir()] == [checkpoint.NAME]
    calls[:] = [1] * 10
    assert hromada(*command).json == whole
    assert len(calls) - 10 == whole["iterations"] - 1  # two were done before, of which one is repeated
    assert sorted(file.name for file in (folder / "results").iterdir()) == ["confusion.parquet", "labels.parquet"]


@pytest.mark.slow
def test_a_killed_estimation_goes_on(hromada: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed without a word in its fourth step: the same command gives the same numbers, and leaves nothing else."""
    command = ("votes", "dawid-skene", "votes.csv", "--stop", "converged", "--iterations", "5", "--json")
    whole = hromada(*command, "--out", "whole").json
    maximise, calls = em._maximise, []

    def die_at_the_fourth(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return maximise(*arguments)

    def run() -> int:
        monkeypatch.setattr(em, "_maximise", die_at_the_fourth)
        return int(hromada(*command, "--out", "results").code)

    assert run_in_fork(run) == -signal.SIGKILL
    results = folder / "results"
    assert sorted(file.name.rpartition("-")[0] for file in results.iterdir()) == ["", ".hromada-votes"]
    assert hromada(*command, "--out", "results").json == whole
    assert sorted(file.name for file in results.iterdir()) == ["confusion.parquet", "labels.parquet"]
    for name, key in {"labels": ["item_id"], "confusion": ["annotator", "label", "answer"]}.items():
        first, second = (
            pd.read_parquet(folder / one / f"{name}.parquet").sort_values(key, ignore_index=True)
            for one in ("whole", "results")
        )
        pd.testing.assert_frame_equal(first, second, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.csv"], "missing.csv: There is no such file or folder."),
        (["empty.csv"], "empty.csv:3, answer: 1 vote has an empty cell in the column answer."),
        (["unknown.csv"], "unknown.csv: No column is known to hold the annotator."),
        (["several.csv"], "several.csv: Several columns could be the annotator: worker, rater."),
        (["votes.csv", "votes.parquet"], "votes.parquet: This file is parquet, and votes.csv is csv."),
        (["notes.txt"], "notes.txt: This is not a file of votes."),
        (["votes.csv", "--as", "annotator=nobody"], "votes.csv, --as: There is no column 'nobody'."),
        (["votes.csv", "--memory", "much"], "--memory: "),
        (["header.csv"], "There are no votes."),
        (["damaged.parquet"], "damaged.parquet: The file cannot be read: "),
        (["damaged.csv.gz"], "damaged.csv.gz: The file cannot be read: "),
        (["damaged.arrow"], "damaged.arrow: The file cannot be read: "),
    ],
)
def test_bad_input_is_refused(hromada: Any, folder: Path, arguments: list[str], told: str) -> None:
    """With file, line, column and a remedy; nothing is written."""
    hromada.write("empty.csv", "item,annotator,answer\ni1,p1,a\ni1,p2,\n")
    hromada.write("unknown.csv", "item,model,answer\ni1,p1,a\n")
    hromada.write("several.csv", "item,worker,rater,answer\ni1,p1,q,a\n")
    hromada.write("notes.txt", "item,annotator,answer\n")
    hromada.write("header.csv", "item,annotator,answer\n")
    for name in ("damaged.parquet", "damaged.csv.gz", "damaged.arrow"):
        hromada.write(name, b"no such file\n")
    refused = hromada("votes", "majority", *arguments, "--out", "results")
    assert (refused.code, told in refused.err) == (2, True), refused.err
    assert not (folder / "results").exists()


def test_a_missing_engine_names_its_extra(hromada: Any, folder: Path) -> None:
    """Spark is in no environment of ours."""
    refused = hromada("votes", "majority", "votes.csv", "--engine", "spark")
    assert (refused.code, "pip install 'hromada[spark]'" in refused.err) == (2, True)
