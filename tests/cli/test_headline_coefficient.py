"""The coefficient of agreement that every file and command shows first: of a scale, alpha at the level of the scale."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

from aggregation.answer_types import ANSWER_TYPES
from aggregation.answers import AnswerTypeName
from aggregation.schema import MeasurementLevel
from exports.pages.display_text import COEFFICIENT_MEANINGS, COEFFICIENT_NAMES
from exports.paper.sentences import SENTENCES

if TYPE_CHECKING:
    from _command import Hromada

SCALE = """
project: {name}
title: Шкала
language: uk
question: {{type: scale, text: Оцініть., options: ["1", "2", "3", "4", "5"], level: {level}}}
items: {{file: items.csv, id: id, show: text}}
votes: {{format: csv, file: {name}.csv, item: item, annotator: who, answer: said}}
"""


def load_scale(hromada: Hromada, name: str, level: str) -> None:
    """Twenty texts that seven people rated, each within one point of the others."""
    hromada.write("items.csv", "id,text\n" + "".join(f"u{unit},Текст {unit}\n" for unit in range(20)))
    votes = [
        f"u{unit},r{rater},{min(5, 1 + unit // 4 + (unit * 3 + rater * rater) % 7 // 5)}\n"
        for unit in range(20)
        for rater in range(7)
    ]
    hromada.write(f"{name}.csv", "item,who,said\n" + "".join(votes))
    assert hromada.loaded(SCALE.format(name=name, level=level)) == name


def read_alphas(hromada: Hromada, *words: str) -> dict[str, float]:
    """The alphas that `hromada agreement` prints, by name."""
    rows: list[dict[str, Any]] = hromada("agreement", *words, "--resamples", "100", "--json").json["coefficients"]
    return {row["name"]: row["value"] for row in rows if "alpha" in row["name"]}


def test_files_show_the_alpha_of_the_level_under_its_name(hromada: Hromada, tmp_path: Path) -> None:
    """The report at a glance, its only plot of alpha, the table and the paragraph of the paper in both languages."""
    level = "interval"
    load_scale(hromada, "scale", level)
    alphas = read_alphas(hromada, "scale")
    value, nominal = alphas[f"krippendorff_alpha_{level}"], alphas["krippendorff_alpha_nominal"]
    assert value - nominal > 0.3
    done = hromada("release", "scale", "out", "--draft", "--no-replay", "--json")
    assert done.code == 0, done.err
    folder = tmp_path / "out"
    report = (folder / "report.html").read_text("utf-8")
    start = report.index("At a glance")
    glance = report[start : report.index("</section>", start)]
    assert f"Krippendorff’s α ({level})" in glance
    assert f"{value:.2f}" in glance
    assert f"{nominal:.2f}" not in glance
    plotted = set(re.findall(r"Krippendorff’s α \((\w+)\) by data set: scale (\d\.\d+)", report))
    assert plotted == {(level, f"{value:.2f}")}
    for name in ("agreement.md", "agreement.tex"):
        table = next(folder.rglob(name)).read_text("utf-8")
        assert f"({level})" in table
        assert f"{value:.3f}" in table
        assert f"{nominal:.3f}" not in table
    english = next(folder.rglob("paragraph.md")).read_text("utf-8")
    assert f"Krippendorff’s α ({level}) {value:.3f} [" in english
    ukrainian = next(folder.rglob("paragraph.uk.md")).read_text("utf-8")
    assert f"α Кріппендорфа (інтервальна) {value:.3f} [".replace(".", ",") in ukrainian


def test_commands_show_the_alpha_of_the_level(hromada: Hromada) -> None:
    """Agreement over time, pilots compared, and other quality rules."""
    for name in ("one", "two"):
        load_scale(hromada, name, "interval")
    value = read_alphas(hromada, "one")["krippendorff_alpha_interval"]
    assert "Report krippendorff_alpha_interval." in hromada("agreement", "one").out
    assert set(read_alphas(hromada, "one", "--by", "time")) == {"krippendorff_alpha_interval"}
    compared = hromada("compare", "one", "two", "--json").json["differences"]
    alphas = {row["measure"]: row["first"] for row in compared if "alpha" in row["measure"]}
    assert alphas == {"krippendorff_alpha_interval": pytest.approx(value, abs=1e-4)}
    settings = hromada("sensitivity", "one", "--json").json["settings"]
    assert {row["coefficient"] for row in settings} == {"krippendorff_alpha_interval"}


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_each_level_of_labels_has_its_own_alpha(level: MeasurementLevel) -> None:
    """Its name on pages and in paragraphs says the level."""
    name = ANSWER_TYPES["label"].choose_headline(has_classes=True, level=level)
    assert name == f"krippendorff_alpha_{level}"
    assert COEFFICIENT_NAMES[name] == SENTENCES["en"][name] == f"Krippendorff’s α ({level})"


@pytest.mark.parametrize("kind", get_args(AnswerTypeName))
@pytest.mark.parametrize("has_classes", [True, False])
def test_every_type_of_answer_has_a_headline_that_pages_and_paragraphs_can_name(
    kind: AnswerTypeName, has_classes: bool
) -> None:
    """A paragraph never says that no coefficient is defined where the table beside it has one."""
    name = ANSWER_TYPES[kind].choose_headline(has_classes=has_classes, level="nominal")
    assert name in COEFFICIENT_NAMES
    assert name in COEFFICIENT_MEANINGS
    assert all(name in words for words in SENTENCES.values())
