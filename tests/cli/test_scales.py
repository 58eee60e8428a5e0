"""Scales through the command line: the level of the project file, and Krippendorff's own example."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

SCALE = """
project: scale
title: Шкала
language: uk
question: {{type: scale, text: Оцініть., options: {options}{level}}}
items: {{file: items.csv, id: id, show: text}}
votes: {{format: csv, file: votes.csv, item: item, annotator: who, answer: said}}
"""
POINTS = '["1", "2", "3", "4", "5"]'
DATA = "C_data (4 raters x 12 items, classes 1-5)"
FIGURES = {
    "krippendorff_alpha_nominal": "C_alpha_nominal",
    "krippendorff_alpha_ordinal": "C_alpha_ordinal",
    "krippendorff_alpha_interval": "C_alpha_interval",
    "krippendorff_alpha_ratio": "C_alpha_ratio",
    "gwet_ac1": "C_gwet_ac1",
    "gwet_ac2_linear": "C_gwet_ac2_linear",
    "gwet_ac2_quadratic": "C_gwet_ac2_quadratic",
    "percent_agreement": "C_percent_agreement",
}


@pytest.fixture
def known(shared: Path) -> dict[str, Any]:
    """The published figures, and the votes that they are of."""
    found: dict[str, Any] = json.loads((shared / "reference" / "known-answers.json").read_text("utf-8"))
    return found


def write_votes(hromada: Hromada, known: dict[str, Any]) -> None:
    """The four observers of twelve units as files."""
    hromada.write("items.csv", "id,text\n" + "".join(f"u{unit},Одиниця {unit}\n" for unit in range(12)))
    said = [
        f"u{unit},r{rater},{value}\n"
        for rater, values in enumerate(known[DATA])
        for unit, value in enumerate(values)
        if value is not None
    ]
    hromada.write("votes.csv", "item,who,said\n" + "".join(said))


def test_krippendorffs_example_comes_out_of_the_command_and_the_files(
    hromada: Hromada, known: dict[str, Any], tmp_path: Path
) -> None:
    """With `level: ratio` every C figure is printed and published, each with its level."""
    write_votes(hromada, known)
    name = hromada.loaded(SCALE.format(options=POINTS, level=", level: ratio"))
    printed = {row["name"]: row for row in hromada("agreement", name, "--json").json["coefficients"]}
    assert hromada("export", name, "--to", "out").code == 0
    written = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))[name]
    published = {row["name"]: row for row in written["agreement"]["coefficients"]}
    for coefficient, key in FIGURES.items():
        assert printed[coefficient]["value"] == pytest.approx(known[key], abs=1e-6)
        assert published[coefficient]["value"] == pytest.approx(known[key], abs=1e-6)
        assert published[coefficient]["level"] == printed[coefficient]["level"]
    levels = {name: row["level"] for name, row in printed.items()}
    assert levels["krippendorff_alpha_interval"] == "interval"
    assert levels["gwet_ac2_linear"] == "ratio"
    assert levels["percent_agreement"] == levels["dawid_skene_iaa"] == "nominal"
    assert written["answers_per_item"] == {"min": 1.0, "median": 4.0, "max": 4.0}
    table = hromada("agreement", name).out
    assert " level " in table
    assert "krippendorff_alpha_interval interval 0.8491" in " ".join(table.split())


@pytest.mark.parametrize(("level", "highest"), [("", "ordinal"), (", level: interval", "interval")])
def test_the_level_of_the_project_file_says_which_alphas_there_are(
    hromada: Hromada, known: dict[str, Any], level: str, highest: str
) -> None:
    """A scale is ordinal unless the file says more, and no level above it is computed."""
    write_votes(hromada, known)
    name = hromada.loaded(SCALE.format(options=POINTS, level=level))
    rows = hromada("agreement", name, "--resamples", "100", "--json").json["coefficients"]
    alphas = [row["name"] for row in rows if "alpha" in row["name"]]
    assert alphas[-1] == f"krippendorff_alpha_{highest}"
    assert "krippendorff_alpha_ratio" not in alphas
    assert {row["level"] for row in rows if "ac2" in row["name"]} == {highest}


@pytest.mark.parametrize(
    ("options", "level", "problem"),
    [
        ('["погано", "добре"]', "interval", "With `level: interval` every point must be a number, and 'погано' is not"),
        ('["-1", "0", "1"]', "ratio", "With `level: ratio` no point may be negative, and '-1' is"),
        ('["2", "1", "3"]', "interval", "must rise from lowest to highest"),
        (POINTS, "nominal", "ordinal"),
    ],
)
def test_a_level_that_the_points_do_not_have_is_refused(
    hromada: Hromada, options: str, level: str, problem: str
) -> None:
    """The message names the file, the field and the point."""
    hromada.write("items.csv", "id,text\nu1,Текст\n")
    hromada.write("votes.csv", "item,who,said\nu1,a,1\n")
    path = hromada.write("project.yaml", SCALE.format(options=options, level=f", level: {level}"))
    refused = hromada("load", path)
    assert refused.code != 0
    text = " ".join(refused.err.split())
    assert problem in text
    assert "project.yaml" in text


def test_the_level_may_be_named_when_people_have_answered(hromada: Hromada, known: dict[str, Any]) -> None:
    """It says how answers are compared, not what was asked, so that a loaded project can take it over."""
    write_votes(hromada, known)
    name = hromada.loaded(SCALE.format(options=POINTS, level=""))
    path = hromada.write("project.yaml", SCALE.format(options=POINTS, level=", level: interval"))
    loaded = hromada("load", path, "--yes")
    assert loaded.code == 0, loaded.err
    rows = {row["name"]: row["value"] for row in hromada("agreement", name, "--json").json["coefficients"]}
    assert rows["krippendorff_alpha_interval"] == pytest.approx(known["C_alpha_interval"], abs=1e-6)


def test_csv_cells_have_the_same_figures(hromada: Hromada, known: dict[str, Any], tmp_path: Path) -> None:
    """human_items.csv has one row a unit, also for scales."""
    write_votes(hromada, known)
    name = hromada.loaded(SCALE.format(options=POINTS, level=""))
    assert hromada("export", name, "--to", "out").code == 0
    with (tmp_path / "out" / "human_items.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["item_id"]: row for row in csv.DictReader(file)}
    assert len(rows) == 12
    assert (rows["u5"]["n_votes"], rows["u5"]["majority"], rows["u5"]["tie"]) == ("4", "", "true")
    assert (rows["u0"]["n_right"], rows["u0"]["gold"], len(rows["u0"]["stimulus_sha256"])) == ("", "", 64)


def test_every_interval_of_agreement_names_its_population(hromada: Hromada, tmp_path: Path) -> None:
    """In the table, as JSON, in agreement.json and on the report; with four people there is the reason instead."""
    hromada.write("items.csv", "id,text\n" + "".join(f"u{unit},Одиниця {unit}\n" for unit in range(12)))
    for name, people in (("five", "abcde"), ("four", "abcd")):
        rows = [
            f"u{unit},{who},{1 + (unit + number * unit % 3 // 2) % 4}\n"
            for unit in range(12)
            for number, who in enumerate(people)
        ]
        hromada.write("votes.csv", "item,who,said\n" + "".join(rows))
        made = hromada.loaded(SCALE.format(options=POINTS, level="").replace("project: scale", f"project: {name}"))
        reason = "Nothing can be said about new people: there are 4 people, but at least 5 are needed."
        found = {row["name"]: row for row in hromada("agreement", made, "--json").json["coefficients"]}
        for coefficient in ("percent_agreement", "krippendorff_alpha_ordinal", "gwet_ac1", "gwet_ac2_linear"):
            row = found[coefficient]
            assert row["low"] is not None
            assert (row["new_people_low"] is None) == (name == "four")
            assert row["new_people_reason"] == (reason if name == "four" else "")
        table = " ".join(hromada("agreement", made).out.split())
        assert "these people and new items" in table
        assert "new people and new items" in table
        assert "covered .92-.98 of the time for these people and new items" in table
        assert (reason in table) == (name == "four")
        assert hromada("export", made, "--to", "out").code == 0
        written = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))[made]["agreement"]
        published = {row["name"]: row for row in written["coefficients"]}["gwet_ac1"]
        assert published["new_people_high"] == pytest.approx(found["gwet_ac1"]["new_people_high"], abs=1e-6)
        assert written["populations"]["low, high"] == "these people and new items"
        page = (tmp_path / "out" / "report.html").read_text("utf-8")
        assert "95 %, these people and new items" in page
        assert "95 %, new people and new items" in page
        assert (reason in page) == (name == "four")
