"""Panels in published files: what one or two people said of themselves is not told, and pages show every panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from exports import panel_tables, report, tables
from exports.inputs import DataSet, Panel
from exports.panels import exclude_others, fill_panel_gold, hide_small_panels
from exports.records import read_record, write_record
from exports.release import build_release_folder, verify_folder, write_release_folder
from exports.results import DataSetResult

Make = Any
PEOPLE = ("olha", "ivan", "marta", "petro", "lesia", "taras", "roman", "solomia")


def build(make: Make, panels: Mapping[str, Panel]) -> DataSet:
    """Twelve items with gold, each answered by all eight people, of whom the first three are always right."""
    items = [make.item(f"i{number:02}", gold=("так", "ні")[number % 2]) for number in range(12)]
    responses = [
        make.response(item["item_id"], who, ("так", "ні")[(number + (place > 2 and (number * place) % 5 == 0)) % 2])
        for number, item in enumerate(items)
        for place, who in enumerate(PEOPLE)
    ]
    data: DataSet = make.data_set(items=items, responses=responses, overlap=8)
    return replace(data, panels=panels)


def make_panels(n_first: int, *, by_profile: bool, gold: bool = False) -> dict[str, Panel]:
    """The first people in one panel, the rest in another."""
    return {
        "first": Panel(people=frozenset(PEOPLE[:n_first]), by_profile=by_profile, gold=gold),
        "rest": Panel(people=frozenset(PEOPLE[n_first:]), by_profile=by_profile),
    }


def list_people(data: DataSet) -> dict[str, int]:
    """How many people of each panel are published."""
    return {name: len(panel.people) for name, panel in data.panels.items()}


@pytest.mark.parametrize(
    ("n_first", "by_profile", "published"),
    [(2, True, {"first": 0, "rest": 0}), (3, True, {"first": 3, "rest": 5}), (1, False, {"first": 1, "rest": 7})],
)
def test_a_panel_by_profile_is_published_from_three_people_on(
    make: Make, n_first: int, published: dict[str, int], *, by_profile: bool
) -> None:
    """One or two would be told apart; the other panel would tell them by subtraction. A cohort is no answer."""
    data = build(make, make_panels(n_first, by_profile=by_profile))
    shown = hide_small_panels(data)
    assert list_people(shown) == published
    files = write_record(shown, "data")
    assert list_people(read_record(DataSet, files, "data")) == published
    rows = panel_tables.list_panel_rows(DataSetResult(data=shown), "score")
    hidden = [row for row in rows if "are in this panel, or in one that could be told from it" in (row["reason"] or "")]
    assert bool(hidden) == (0 in published.values())
    if 0 in published.values():
        assert "olha" not in files["data/record.json"]


def test_a_panel_of_one_has_figures_for_this_person_alone(make: Make) -> None:
    """With how many they are; nothing is said of new people."""
    result = DataSetResult(data=build(make, make_panels(1, by_profile=False)))
    row = next(row for row in panel_tables.list_panel_rows(result, "score") if row["panel"] == "first")
    assert (row["value"], row["n_people"], row["n_items"]) == (1.0, 1, 12)
    assert row["item_only_low"] is not None
    assert row["ci_low"] is None
    agreement = next(row for row in panel_tables.list_panel_rows(result, "agreement") if row["panel"] == "first")
    assert agreement["value"] is None
    assert agreement["reason"] == "No item has two votes, so there is nothing to compare."


def test_answers_of_nobody_in_one_panel_do_not_count(make: Make) -> None:
    """Neither now nor where the exclusions of rules are taken back; other reasons stay."""
    data = build(make, {})
    answers = data.responses.copy()
    answers.loc[answers["annotator"] == "ivan", ["excluded_kind", "excluded_reason"]] = ["rule", "too fast"]
    members = {"olha": ("first",), "marta": ("first", "rest"), "ivan": ()}
    marked = exclude_others(answers, members)
    kinds = {str(who): list(own) for who, own in marked.groupby("annotator")["excluded_kind"].unique().items()}
    assert kinds["olha"] == [None]
    assert kinds["ivan"] == ["rule"]
    assert kinds["marta"] == kinds["petro"] == ["extra"]
    reasons = marked.drop_duplicates("annotator").set_index("annotator")["excluded_reason"]
    assert reasons["marta"] == "extra: of somebody in several panels"
    assert reasons["petro"] == "extra: of nobody in a panel"
    ivan = marked.loc[marked["annotator"] == "ivan"]
    assert set(ivan["assignment_kind"]) == {"extra"}


def test_gold_of_a_panel_scores_the_others_alone(make: Make) -> None:
    """An item with gold of its own keeps it."""
    data = build(make, make_panels(3, by_profile=False, gold=True))
    own = data.items.loc[:2, "item_id"]
    items = data.items.assign(
        **{name: data.items[name].where(data.items["item_id"].isin(own)) for name in ("gold", "gold_origin")}
    )
    filled = fill_panel_gold(replace(data, items=items))
    assert list(filled.items["gold"]) == list(data.items["gold"])
    assert list(filled.items["circular"].eq(other=True)) == [False] * 3 + [True] * 9
    assert len(filled.panel_gold) == 9
    makers, others = (filled.keep_panel(name) for name in ("first", "rest"))
    assert makers.list_scoring_gold().notna().sum() == 3
    assert others.list_scoring_gold().notna().sum() == 12


@pytest.mark.slow
def test_a_release_with_panels_is_verified_from_its_own_files(make: Make, make_release: Any, tmp_path: Path) -> None:
    """Their people stand in its raw files, by pseudonym; the table follows from them."""
    data = replace(make_release.data_set(), panels={})
    people = sorted(data.responses["annotator"].dropna().unique())
    panels = {"first": Panel(people=frozenset(people[:1])), "rest": Panel(people=frozenset(people[1:]))}
    built = build_release_folder(make_release.inputs(replace(data, panels=panels)), draft=True)
    assert b"first" in built.files["panels.csv"]
    assert "panels.csv" in built.files["README.md"].decode()
    write_release_folder(built, tmp_path / "out")
    assert verify_folder(tmp_path / "out").findings == ()
    table, differences, paragraph, ukrainian = (
        built.files[path].decode()
        for path in ("tables/panels.md", "tables/panel_differences.md", "paragraph.md", "paragraph.uk.md")
    )
    scored = [line for line in table.splitlines() if "| Single answers |" in line]
    assert [line.split(" | ")[1:6] for line in scored] == [
        ["first", "Single answers", "83.3", "—\\* †", "56.4–96.4"],
        ["rest", "Single answers", "91.7", "83.3–96.6", "83.3–96.6"],
    ]
    assert "| first − rest | Single answers | 83.3 | 91.7 | −8.3 | —\\* | −37.5 to +20.9 | 12 | 8 |" in differences
    assert "rest, 7 people: 91.7 % of single answers are right (95 % interval for new people and" in paragraph
    assert (
        "first less rest: −8.3 points (95 % interval for these people and new items: −37.5 to 20.9; one of both panels"
        " has fewer than 5 people), on the 12 items of both." in paragraph
    )
    assert "first мінус rest: −8,3 пункту (95 % інтервал для цих людей і нових завдань: від −37,5 до 20,9" in ukrainian


def test_the_report_shows_panels_in_both_languages(make: Make) -> None:
    """Their figures, and their difference, which a page without panels does not have."""
    data = build(make, make_panels(3, by_profile=False))
    release = tables.build_release((data,), agreement_resamples=100)
    pages = report.build_report_pages(release)
    assert 'id="panels-table"' in pages["report.html"]
    assert "first: Majority" in pages["report.html"]
    assert "first − rest: Single answers" in pages["report.html"]
    of_panels = pages["report.html"].split('id="panels-table"')[1].split('id="panel-differences-table"')[0]
    assert of_panels.count("Only 3 people. With fewer than 10, other people’s scores") == 1
    assert "Перша" in pages["report.uk.html"]
    assert "first − rest: Окремі відповіді" in pages["report.uk.html"]
    assert isinstance(release.panels, pd.DataFrame)
    assert "panels.csv" in tables.build_files(release)
    plain = tables.build_release((build(make, {}),), agreement_resamples=100)
    assert "panels.csv" not in tables.build_files(plain)
    assert "panels-table" not in report.build_report_pages(plain)["report.html"]
