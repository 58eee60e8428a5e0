"""Votes in whatever file people have, through `check`, `load`, `import` and `agreement`."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _tables import write_table

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """\
project: shapes
title: t
language: uk
question: {type: choice, text: "?", options: [так, ні]}
items: from votes
votes: {VOTES}
"""
SAID = {"i1": "так так", "i2": "так ні", "i3": "ні ні", "i4": "ні ні"}
"""The answers of Olena and Ivan; α is .533, whatever the file is."""
VOTES = [
    {"item": item, "who": who, "says": says}
    for item, both in SAID.items()
    for who, says in zip(("Олена", "Іван"), both.split(), strict=True)
]
BY_ANNOTATOR = [{"item": item, "Олена": both.split()[0], "Іван": both.split()[1]} for item, both in SAID.items()]
BY_ITEM = [
    {"Позначка часу": time, "Електронна адреса": who, **{f"Так? [{item}]": SAID[item].split()[place] for item in SAID}}
    for place, (time, who) in enumerate(
        [("2026/03/01 10:00:00 пп EET", "Олена"), ("2026/03/01 9:00:00 дп EET", "Іван")]
    )
]
LONG = "file: FILE, item: item, annotator: who, answer: says"
FORM = 'file: FILE, annotator: "Електронна адреса", wide: "Так? [{item}]", time: "Позначка часу"'
SHAPES: Mapping[str, tuple[Sequence[Mapping[str, object]], str]] = {
    "v.csv": (VOTES, LONG),
    "v.xlsx": (VOTES, LONG),
    "v.jsonl": (VOTES, LONG),
    "wide.csv": (BY_ANNOTATOR, "file: FILE, item: item, annotators: rest"),
    "form.csv": (BY_ITEM, FORM),
    "v.tsv": (VOTES, LONG),
    "v.json": (VOTES, LONG),
    "v.parquet": (VOTES, LONG),
    "wide.xlsx": (BY_ANNOTATOR, "file: FILE, item: item, annotators: [Олена, Іван]"),
    "form.xlsx": (BY_ITEM, FORM),
}
IN_FAST_TIER = ("v.xlsx", "wide.csv", "form.csv")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in IN_FAST_TIER else pytest.mark.slow) for name in SHAPES]
)
def test_votes_of_every_shape_go_the_whole_way(hromada: Hromada, name: str) -> None:
    """The same eight votes give the same agreement."""
    rows, votes = SHAPES[name]
    write_table(hromada.folder / name, rows)
    hromada.write("p.yaml", PROJECT.replace("VOTES", votes.replace("FILE", name)))
    checked = hromada("check", "p.yaml", "--json")
    assert checked.code == 0, checked.err
    assert (checked.json["items"], checked.json["votes"], checked.json["votes that do not count"]) == (4, 8, 0)
    for words in (("load", "p.yaml"), ("import", "shapes")):
        ran = hromada(*words)
        assert ran.code == 0, ran.err
    told = {one["name"]: one for one in hromada("agreement", "shapes", "--json").json["coefficients"]}
    assert told["krippendorff_alpha_nominal"]["value"] == pytest.approx(0.5333, abs=1e-4)


MTURK = [
    {"HITId": hit, "WorkerId": worker, "Status": status, "Text": "Хліб, сіль", "Answer": answer}
    for hit, worker, status, answer in [
        ("H1", "W1", "Approved", "добре"), ("H1", "W2", "Rejected", "погано"), ("H1", "W3", "Submitted", "???"),
        ("H1", "W4", "Approved", "добре"), ("H1", "test", "Approved", "погано"), ("", "", "Approved", ""),
    ]
]  # fmt: skip
WORK = """\
project: shapes
title: t
language: uk
question: {type: choice, text: "?", options: [добре, погано]}
items: from votes
votes: {file: mturk.csv, item: HITId, show: Text, annotator: WorkerId, answer: Answer, MORE}
"""


def test_rows_that_do_not_count_are_kept_with_their_reason(hromada: Hromada) -> None:
    """By status, and by conditions; whatever their answer is. `check` and `import` count them by reason."""
    write_table(hromada.folder / "mturk.csv", MTURK)
    more = "status: {column: Status, counts: Approved}, where: {HITId: not empty, WorkerId: [W1, W2, W3, W4]}"
    hromada.write("p.yaml", WORK.replace("MORE", more))
    checked = hromada("check", "p.yaml", "--json").json
    reasons = {"status Rejected": 1, "status Submitted": 1, "left out by the column WorkerId": 1}
    assert {name: checked.get(f"not counted: {name}") for name in reasons} == reasons
    assert (checked["votes"], checked["not kept: left out by the column HITId"]) == (5, 1)
    assert hromada("load", "p.yaml").code == 0
    imported = hromada("import", "shapes", "--json").json
    assert (imported["votes"], imported["retained"], imported["excluded"]) == (5, 2, reasons)
    assert imported["not_kept"] == {"left out by the column HITId": 1}
    hromada.write("p.yaml", WORK.replace("MORE", more.replace("counts: Approved", "counts: [Approved, Rejected]")))
    assert hromada("load", "p.yaml", "--yes").code == 0
    again = hromada("import", "shapes")
    assert again.code != 0
    assert "already, by other keys of `votes`. The stored votes stay as they are." in again.err


def test_the_last_vote_is_that_of_the_latest_time(hromada: Hromada) -> None:
    """A form lists answers as they come; a table that was sorted by name does not."""
    rows = [
        {"when": f"{day}.03.2026 10:00", "item": "1", "who": "ann", "says": says}
        for day, says in ((9, "так"), (8, "ні"))
    ]
    write_table(hromada.folder / "v.csv", rows)
    hromada.write("p.yaml", PROJECT.replace("VOTES", LONG.replace("FILE", "v.csv") + ", time: when, repeats: last"))
    assert hromada("load", "p.yaml").code == 0
    assert hromada("import", "shapes").code == 0
    status = hromada("status", "shapes", "--item", "1", "--json").json
    assert "так" in str(status)


CASES: Sequence[tuple[str, str, Sequence[str]]] = [
    ("02-nfc-nfd-ids", "p.yaml", ()),
    ("06-same-id-other-blank", "p.yaml", ()),
    ("09-message-of-lookalike-labels", "p.yaml", ()),
    ("07-rejected-assignments-count", "m.yaml", ()),
    ("08-vote-files-jsonl-and-wide", "p.yaml", ()),
    ("08-vote-files-jsonl-and-wide", "g.yaml", ("g.yaml:6:1, votes: The column", "be the item and the answer")),
    ("11-scale-floats", "f.yaml", ()),
]  # fmt: skip


@pytest.mark.parametrize(("case", "name", "says"), CASES)
def test_the_small_inputs_that_failed_are_right(
    hromada: Hromada, shared: Path, case: str, name: str, says: Sequence[str]
) -> None:
    """Read, or refused in one sentence with the remedy."""
    shutil.copytree(shared / "cases" / case, hromada.folder / case)
    checked = hromada("check", f"{case}/{name}", env={"COLUMNS": "400"})
    assert (checked.code == 0) == (not says), checked.err
    for words in says:
        assert words in checked.err
