"""Ratings as an organiser has them: two systems, rated by the same people, from files to results."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: {name}
title: Казки двох моделей
language: uk
question: {{type: scale, text: Оцініть., options: {options}, {more}}}
items: {{file: items.csv, id: id, show: text, group: source, system: model{gold}}}
votes: {{format: csv, file: {name}.csv, item: item, annotator: who, answer: said}}
"""
POINTS = '["1", "1,5", "2", "2,5", "3"]'
WRITTEN = ("1", "1.5", "2.0", "2,5", "3")
TEN = "[" + ", ".join(f'"{point}"' for point in range(1, 11)) + "]"


@pytest.fixture
def known(shared: Path) -> Mapping[str, Any]:
    """The known answers by id."""
    path = shared / "reference" / "ratings-known-answers.json"
    return {case["id"]: case for case in json.loads(path.read_text("utf-8"))["cases"]}


def write(hromada: Hromada, name: str, table: Sequence[Sequence[object]], gold: Sequence[object] | None = None) -> None:
    """Items, by turns of two models, and a row for each vote."""
    lines = [
        f"i{row},Казка {row},s{row // 2},{'ab'[row % 2]},{'' if gold is None else gold[row]}\n"
        for row in range(len(table))
    ]
    hromada.write("items.csv", "id,text,source,model,right\n" + "".join(lines))
    said = [f'i{row},p{person},"{vote}"\n' for row, own in enumerate(table) for person, vote in enumerate(own)]
    hromada.write(f"{name}.csv", "item,who,said\n" + "".join(said))


def rate_by_halves() -> list[list[str]]:
    """Eight texts of each system by six people; b is better, and people write halves in their own way."""
    draw = random.Random(1)  # noqa: S311  # made-up votes
    return [
        [WRITTEN[min(4, draw.randrange(3) + person % 2 + (row % 2) * draw.randrange(3))] for person in range(6)]
        for row in range(16)
    ]


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_two_systems_without_gold_have_opinions(hromada: Hromada, tmp_path: Path) -> None:
    """Shares first, means by system, their difference with the people of both, severity; in files and on the report."""
    write(hromada, "half", rate_by_halves())
    name = hromada.loaded(PROJECT.format(name="half", options=POINTS, more="level: interval", gold=""))
    shown = hromada("baseline", name)
    assert shown.code == 0, shown.err
    places = [shown.out.index(part) for part in ("shares of points", "mean opinion", "differences of", "severity of")]
    assert places == sorted(places)
    assert "Not scored: No item has gold" in shown.out
    found = hromada("baseline", name, "--json").json
    means = {one["system"]: one["mean"]["value"] for one in found["opinions"]}
    (pair,) = found["opinion_differences"]
    assert (pair["one"], pair["two"], pair["n_common_people"]) == ("a", "b", 6)
    assert pair["difference"]["value"] == pytest.approx(means["a"] - means["b"])
    assert hromada("export", name, "--to", "out").code == 0
    rows = read_rows(tmp_path / "out" / "opinions.csv")
    published = {row["system"]: float(row["value"]) for row in rows if row["statistic"] == "mean"}
    assert published == pytest.approx(means, abs=1e-4)
    assert "share_at_least_2,5" in {row["statistic"] for row in rows}
    assert len(read_rows(tmp_path / "out" / "opinion_items.csv")) == 16
    assert read_rows(tmp_path / "out" / "opinion_differences.csv")[0]["p_holm"]
    assert all(row["severity"] for row in read_rows(tmp_path / "out" / "annotators.csv"))
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert page.index('id="opinions"') < page.index('id="agreement"')
    assert "What people think and prefer" in page
    assert not any(f'id="{part}"' in page for part in ("scores", "baselines"))
    assert "a less b" in page


def test_a_complete_table_has_the_published_intraclass_correlations(
    hromada: Hromada, known: Mapping[str, Any], tmp_path: Path
) -> None:
    """Of Shrout and Fleiss, with a gap they are refused, and α is named."""
    case = known["icc-shrout-fleiss"]
    table = case["input"]["ratings"]
    write(hromada, "icc", table)
    text = PROJECT.format(name="icc", options=TEN, more="level: interval", gold="").replace(", group: source", "")
    name = hromada.loaded(text)
    rows = {row["name"]: row for row in hromada("agreement", name, "--json").json["coefficients"]}
    for ours, theirs, ends in (
        ("icc_a_1", "ICC(A,1)", ("new_people_low", "new_people_high")),
        ("icc_c_1", "ICC(C,1)", ("low", "high")),
        ("icc_a_k", "ICC(A,k)", ("new_people_low", "new_people_high")),
        ("icc_c_k", "ICC(C,k)", ("low", "high")),
    ):
        expected = case["expected"][theirs]
        found = [rows[ours][key] for key in ("value", *ends)]
        assert found == pytest.approx([expected[key] for key in ("value", "low", "high")], abs=1e-5)
    assert hromada("export", name, "--to", "out").code == 0
    published = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))[name]["agreement"]["coefficients"]
    assert {"icc_a_1", "icc_c_k"} <= {row["name"] for row in published}
    write(hromada, "gap", [[*table[0][:3]], *table[1:]])
    shown = hromada("agreement", hromada.loaded(text.replace("icc", "gap")))
    assert "23 ratings for 24 cells" in " ".join(shown.out.split())


def test_points_are_held_against_gold(hromada: Hromada, known: Mapping[str, Any], tmp_path: Path) -> None:
    """Errors lead; aggregate makes means and medians; an ordinal scale has no mean."""
    case = known["scale-against-gold"]
    people, gold = case["input"]["people"], case["input"]["gold"]
    write(hromada, "gold", [[one] for one in people], gold)
    five = '["1", "2", "3", "4", "5"]'
    name = hromada.loaded(PROJECT.format(name="gold", options=five, more="level: interval", gold=", gold: right"))
    units = {unit["unit"]: unit for unit in hromada("baseline", name, "--json").json["points_against_gold"]}
    assert list(units) == ["individual", "mean", "median"]
    for score in units["individual"]["scores"]:
        assert score["value"] == pytest.approx(case["expected"][score["metric"]], abs=1e-5)
    shown = hromada("baseline", name).out
    assert shown.index("points against gold points") < shown.index("human performance")
    assert hromada("export", name, "--to", "out").code == 0
    rows = read_rows(tmp_path / "out" / "human_baseline.csv")
    published = {row["metric"]: row["value"] for row in rows if row["unit"] == "mean"}
    assert (published["mae"], published["spearman"]) == ("0.5000", "0.8661")
    made = hromada("aggregate", name, "--method", "mean", "--json").json
    assert made["points_against_gold"]["mae"] == pytest.approx(0.5)
    assert [item["label"] for item in made["items"]][:2] == ["1", "2"]
    write(hromada, "order", [[1, 2], [2, 2], [4, 5]] * 2, [1, 2, 5] * 2)
    ordinal = hromada.loaded(PROJECT.format(name="order", options=five, more="level: ordinal", gold=""))
    refused = hromada("aggregate", ordinal, "--method", "mean")
    assert (refused.code, "level: interval" in refused.err) == (2, True)
    items = hromada("aggregate", ordinal, "--method", "median", "--json").json["items"]
    assert [(item["label"], item["tie"]) for item in items][:3] == [("1.5", True), ("2", False), ("4.5", True)]


def test_check_refuses_metrics_that_nothing_computes(hromada: Hromada) -> None:
    """With those that fit: of words ranks alone."""
    write(hromada, "words", [["погано", "добре"]] * 2)
    text = PROJECT.format(name="words", options='["погано", "добре"]', more="metrics: [METRIC]", gold="")
    for metric, fits in (("mean_absolute_error", False), ("mae", False), ("spearman", True), ("macro_f1", True)):
        ran = hromada("check", hromada.write("project.yaml", text.replace("METRIC", metric)))
        assert (ran.code == 0) == fits, ran.err
        assert fits or "what does: spearman, kendall_tau_b, kappa_quadratic" in ran.err


@pytest.mark.parametrize("shown", ["show: [text, model]", "show: text, options: [text, model]"])
def test_check_refuses_to_show_who_wrote_a_text(hromada: Hromada, shown: str) -> None:
    """As a text beside it, or among the options."""
    write(hromada, "half", [["1", "2"]] * 2)
    text = PROJECT.format(name="half", options=POINTS, more="level: interval", gold="")
    if "options:" in shown:
        text = text.replace(
            f"type: scale, text: Оцініть., options: {POINTS}, level: interval", "type: choice, text: Що?"
        )
    ran = hromada("check", hromada.write("project.yaml", text.replace("show: text", shown)))
    assert (ran.code, "The column 'model' names the system, which nobody may see" in ran.err) == (2, True), ran.err
