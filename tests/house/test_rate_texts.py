"""The page about rating texts: its commands run, and its script makes MQM scores."""

from __future__ import annotations

import csv
import json
import runpy
import sys
from pathlib import Path

import pytest

from tests.house.page_runner import BLOCK, ROOT, PageReader

PAGE = "docs/how-to/rate-texts.md"


@pytest.mark.slow
def test_the_page_runs_as_written(tmp_path: Path) -> None:
    """Both campaigns are made and checked, and the plans are about a mean and a win rate."""
    said = PageReader(tmp_path).read(PAGE).said
    assert "In points of the scale from 1 to 5." in said
    assert "share of ties 0.2" in said
    assert said.count("can be loaded") == 2


def test_the_script_weighs_errors_as_mqm_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: two people, three segments; what does not count, and remarks without an answer, are left out."""
    script = next(block for name, _, block in BLOCK.findall((ROOT / PAGE).read_text("utf-8")) if name == "mqm.py")
    one, two = '[{"start": 0, "end": 1, "text": "x"}]', json.dumps([{"start": 0}, {"start": 3}])
    rows = [
        ("reviews", "t1", "a", '["major in meaning", "punctuation"]', ""),
        ("reviews/accuracy_major", "t1", "a", two, ""),
        ("reviews/punctuation", "t1", "a", one, ""),
        ("reviews", "t1", "b", "[]", ""),
        ("reviews", "t2", "a", '["not a translation", "minor in language"]', ""),
        ("reviews/fluency_minor", "t2", "a", one, ""),
        ("reviews", "t2", "b", '["minor in language"]', ""),
        ("reviews/fluency_minor", "t2", "b", two, ""),
        ("reviews/fluency_major", "t2", "b", "", ""),
        ("reviews", "t3", "a", "[]", ""),
        ("reviews", "t3", "c", '["not a translation"]', "rule"),
        ("reviews/score", "t3", "a", "90", ""),
    ]
    (tmp_path / "results").mkdir()
    with (tmp_path / "results/human_responses.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([("dataset", "item_id", "annotator", "response", "excluded_kind"), *rows])
    (tmp_path / "items.csv").write_text(
        "id,source,translation,system\nt1,s,one two three four,x\nt2,s,one two,y\nt3,s,one,x\n", "utf-8"
    )
    monkeypatch.setattr(sys, "argv", ["mqm.py", str(tmp_path), str(tmp_path / "results")])
    (tmp_path / "mqm.py").write_text(script, "utf-8")
    runpy.run_path(str(tmp_path / "mqm.py"))
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    segments = {row[0]: float(row[2]) for row in printed if row[0].startswith("t")}
    assert segments == {"t1": (2 * 5 + 0.1) / 2, "t2": (25 + 2) / 2, "t3": 0}
    systems = {row[0]: float(row[-1]) for row in printed[-2:]}
    assert systems == {"x": pytest.approx(100 * 5.05 / 5), "y": pytest.approx(100 * 13.5 / 2)}
