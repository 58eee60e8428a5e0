"""The six tables of a paper, set by pdflatex: each fits one column of an 11 pt article, and a page."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from exports.inputs import Panel
from exports.model_answers import ReadAnswers, ReadModels
from exports.paper.formats import FIRST_MARK, Footnotes, PaperTable
from exports.paper.latex import format_latex
from exports.paper.panel_tables import build_panel_tables
from exports.paper.result_tables import build_tables
from exports.release_state import compute_release_state

TABLES = ("results", "agreement", "people", "models", "panels", "panel_differences")
LONG = "an-id-as-long-as-a-project-may-have.it-of-sixty-four_letters_at.x"
ENCODINGS = {
    "T1": r"\usepackage[T1]{fontenc}",
    "T2A": r"\usepackage[T2A]{fontenc}\usepackage[english,ukrainian]{babel}",
    "T1 with T2A beside it": r"\usepackage[T2A,T1]{fontenc}",
}
FAULTS = re.compile(
    r"^!.*|Overfull \\hbox.*|.*Float too large.*|Missing character.*|.*multiply.defined.*|.*Columns too narrow.*",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def find_tables(make_release: Any) -> Callable[[bool], tuple[PaperTable, ...]]:
    """The six tables of a project, with short Latin names, or with long ones of which some are Cyrillic; made once."""

    @cache
    def find(long: bool) -> tuple[PaperTable, ...]:
        data = make_release.data_set(f"{LONG}/{LONG}" if long else "set")
        people = sorted(set(data.responses["annotator"]))
        groups = ("жінки, що читають газети щотижня", "усі інші, кого запросили друзі") if long else ("women", "men")
        panels = {
            name: Panel(people=frozenset(people[place:][:6]), by_profile=False) for place, name in enumerate(groups)
        }
        data = dataclasses.replace(data, panels=panels)
        pay = {"pay": "волонтери, без оплати; подяка в статті й книжка кожному" if long else "6.50 EUR an hour"}
        project = make_release.project(LONG if long else "set", declared=pay)
        model = "організація/Модель-із-довгою-назвою-70B-Instruct-2026" if long else "model"
        ids = list(data.items["item_id"])
        answers = ReadAnswers(name=model, file=Path("m"), answers=dict.fromkeys(ids, "так"), stimuli=dict.fromkeys(ids))
        inputs = make_release.inputs(data, project, models={data.name: ReadModels(models=(answers,))})
        state = compute_release_state(inputs)
        stamp = "SIMULATED · SECONDARY · DRAFT" if long else ""
        return (*build_tables(state, stamp=stamp), *build_panel_tables(state, stamp=stamp))

    return find


def repeat(table: PaperTable, times: int) -> PaperTable:
    """The table of as many groups, models and panels, each with footnotes of its own."""
    notes, rows = list(table.notes), list(table.rows)
    for number in range(1, times):
        marks = {
            ord(FIRST_MARK) + place: chr(ord(FIRST_MARK) + len(notes) + place) for place in range(len(table.notes))
        }
        notes += [f"{note} ({number})" for note in table.notes]
        rows += [
            (f"{row[0]}{number}", *row[1:]) for row in ([cell.translate(marks) for cell in row] for row in table.rows)
        ]
    return dataclasses.replace(table, rows=tuple(rows), notes=tuple(notes))


def set_tables(tables: Sequence[PaperTable], folder: Path, encoding: str, *, options: str = "11pt") -> str:
    """Set all tables in one document; what pdflatex had to say."""
    for table in tables:
        text = format_latex(table)
        if "twocolumn" in options:
            text = text.replace("{table}", "{table*}")
        (folder / f"{table.name}.tex").write_text(text, encoding="utf-8")
    document = [
        rf"\documentclass[{options}]{{article}}",
        ENCODINGS[encoding],
        r"\usepackage{booktabs,tabularx}",
        r"\begin{document}",
        r"{\sloppy\listoftables}",
        *(rf"\input{{{table.name}.tex}}\clearpage" for table in tables),
        r"\end{document}",
    ]
    (folder / "paper.tex").write_text("\n".join(document), encoding="utf-8")
    for _ in range(2):  # with the list of tables of the first run
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
            cwd=folder,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-3000:]
    return (folder / "paper.log").read_text("utf-8", errors="replace")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "long", "times"), [("T1", False, 20), ("T2A", True, 1), ("T1 with T2A beside it", True, 12)]
)
def test_six_tables_fit_a_column_and_a_page(
    find_tables: Any, tmp_path: Path, encoding: str, times: int, *, long: bool
) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex: Debian's texlive-latex-recommended and texlive-lang-cyrillic are not installed")
    tables = [repeat(table, times) for table in find_tables(long)]
    assert tuple(table.name for table in tables) == TABLES
    for options in ("11pt", "11pt,twocolumn"):
        assert FAULTS.findall(set_tables(tables, tmp_path, encoding, options=options)) == []


def test_a_table_longer_than_a_page_is_parted() -> None:
    notes = Footnotes()
    rows = tuple((f"set-{number}", "x", f"1.0{notes.mark(f'why {number // 20}')}") for number in range(60))
    table = PaperTable(
        name="t", of="a_b", caption="Scores of a_b: shares.", heads=("set", "y", "z"), rows=rows, notes=notes.notes
    )
    parts = format_latex(table).split(r"\begin{table}")[1:]
    assert [part.count(r"{set-") for part in parts] == [17, 16, 16, 11]
    assert [re.findall(r"why \d", part) for part in parts[:2]] == [["why 0"], ["why 0", "why 1"]]
    assert r"\caption[{Scores of a\_b Part 2 of 4.}]{Scores of a\_b: shares. Part 2 of 4.}" in parts[1]
    assert [re.findall(r"\\label{(.*?)}", part) for part in parts] == [
        ["tab:a-b:t"],
        *([f"tab:a-b:t:{n}"] for n in (2, 3, 4)),
    ]
