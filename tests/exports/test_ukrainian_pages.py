"""The pages in Ukrainian: nothing on them is English but names and data, and the English pages link to them."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

from aggregation.findings import Finding
from exports import corrections, filtering, report, sensitivity, tables
from exports.facts import LintFact
from exports.joint_answers import FilteringRule, QuestionSpec
from exports.pages import localization, scaffold
from exports.release import ReleaseFolder, build_release_folder
from exports.release.raw_inputs import read_inputs, write_inputs

Make = Any
NAMES = ("Russian SuperGLUE", "Label Studio", "Dawid–Skene IAA", "Wawa", "hromada sensitivity", "hromada compare")
"""What stays in Latin letters: the names of methods, tools and commands; file names have a dot or a low line."""
FILE_NAME = re.compile(r"[\w/-]*\w\.(?:csv|json|jsonl|parquet|md)\b|\w*_\w+|`[^`]*`")
ENGLISH = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?:['’][a-z]+)?(?:[ ,;:]+[a-z]{2,})+")
FACTS = {
    "declared": dict.fromkeys(
        ("recruitment", "pay", "ethics", "population", "ai_use", "stimulus_differences", "licence"),
        "як сказав організатор",
    ),
    "undo": Finding("undo"),
    "skips": Finding("skips-fill"),
    "controls": Finding("controls-share", share=0.1),
}
"""Facts of a project as a release reads them, with the organiser's words in Ukrainian."""


def list_english(page: str) -> list[str]:
    """Every run of two words or more in Latin letters that a reader sees or hears."""
    labels = re.findall(r'aria-label="([^"]*)"', page)
    shown = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    shown = html.unescape("\n".join([re.sub(r"<[^>]*>", "\n", shown), *labels]))
    for name in NAMES:
        shown = shown.replace(name, "")
    return ENGLISH.findall(FILE_NAME.sub("", shown))


def test_english_is_found() -> None:
    assert list_english("<p>Ось so it is said тут</p>") == ["so it is said"]
    assert list_english("<p>У human_items.csv і Label Studio</p>") == []


@pytest.mark.parametrize(("simulated", "imported"), [(False, False), (True, True)])
def test_no_sentence_of_a_release_is_english(make_release: Any, *, simulated: bool, imported: bool) -> None:
    data, facts = make_release.data_set(simulated=simulated), make_release.project(imported=imported, **FACTS)
    files = build_release_folder(make_release.inputs(data, facts), draft=simulated).files
    page = files["report.uk.html"].decode()
    assert list_english(page) == []
    assert '<html lang="uk">' in page
    assert '<a href="report.html" lang="en" hreflang="en">English</a>' in page
    assert ("СИМУЛЯЦІЯ" in page) is simulated
    assert "SIMULATED" not in page


def test_the_english_page_differs_by_its_link_alone(
    make_release: Any, plain_release: ReleaseFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = plain_release.files["report.html"].decode()
    assert '<html lang="en">' in page
    assert '<a href="report.uk.html" lang="uk" hreflang="uk">Українською</a>' in page
    monkeypatch.setattr(scaffold, "LANGUAGES", ("en",))
    files = build_release_folder(make_release.inputs()).files
    assert "report.uk.html" not in files
    link = '<a href="report.uk.html" lang="uk" hreflang="uk">Українською</a>\n'
    assert files["report.html"].decode() == page.replace(link, "")


def test_files_for_machines_are_english(plain_release: ReleaseFolder) -> None:
    files = plain_release.files
    for name in ("checklist.md", "report_checklist.json", "agreement.json", "human_baseline.csv", "README.md"):
        assert not re.search("(?i)узгодженість|учасник|завдань", files[name].decode()), name


def test_an_export_has_both_pages(make: Make) -> None:
    """Data sets of every kind: closed and open options, and one without answers."""
    empty = make.data_set("порожній", items=[make.item("e1")], responses=[])
    release = tables.build_release((make.closed(), make.per_item(), empty), agreement_resamples=50)
    pages = report.build_report_pages(release)
    assert sorted(pages) == ["report.html", "report.uk.html"]
    assert list_english(pages["report.uk.html"]) == []
    assert pages["report.html"] == report.render_report(release)


def test_pages_of_corrections_filtering_and_sensitivity_have_no_english(make: Make, make_release: Any) -> None:
    usable = QuestionSpec(name="result", kind="choice", text="Придатне?", options=("так", "ні"))
    why = QuestionSpec(name="why", kind="choices", text="Чому?", options=("довге",), show_if={"result": ("ні",)})
    fixed = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story", show_if={"result": ("так",)})
    given = [
        ("s1", "olha", {"result": "так", "fixed": "Кіт заснув."}),
        ("s1", "ivan", {"result": "так", "fixed": "Кіт спав."}),
        ("s2", "olha", {"result": "ні", "why": '["довге"]'}),
    ]
    texts = {"s1": {"story": "Кіт спав."}, "s2": {"story": "Ні."}, "s3": {"story": "Рак."}}
    corrected = make.joint_answers((usable, why, fixed), given, texts=texts)
    rule = FilteringRule(problems=("why",), keep={"result": ("так",)}, failure=True)
    filtered = make.joint_answers((usable, why, fixed), given, texts=texts, filtering=rule, gold={"s1": "ні"})
    data = make_release.data_set()
    found = sensitivity.measure_settings(data, sensitivity.list_settings(data))
    files = {
        **corrections.build_correction_files([corrected]),
        **filtering.build_filtering_files([filtered]),
        **sensitivity.build_sensitivity_files(data, found, sensitivity.measure_cuts(data, method="majority")),
    }
    for name in ("stories.uk.html", "items.uk.html", "sensitivity.uk.html"):
        assert list_english(str(files[name])) == [], name
        assert '<html lang="uk">' in str(files[name])


def test_numbers_have_a_decimal_comma() -> None:
    with localization.use_language("uk"):
        assert localization.localize_number("95.7 %") == "95,7\u00a0%"
        assert localization.localize_number("81.0, 86.2, 91.7 %") == "81,0; 86,2; 91,7\u00a0%"
        assert localization.localize_number(".90-.99") == "0,90-0,99"
    assert localization.localize_number("95.7 %") == "95.7 %"


@pytest.mark.slow
def test_data_that_look_like_words_of_a_page_are_not_translated(make_release: Any) -> None:
    """A column, a field, an item and a reviewer's words that are called as hromada calls things of its own."""
    data = make_release.data_set()
    rejected = {"excluded_kind": "rejected", "excluded_reason": Finding("rejected-because", why="expert")}
    rows = data.responses.copy()
    for column, value in rejected.items():
        rows.at[rows.index[0], column] = value
    frame = make_release.project().frames[0]
    project = make_release.project(
        frames=(replace(frame, method=Finding("random-within", column="labels")),),
        lint=(
            LintFact(
                rule="empty-field",
                severity="warning",
                message=Finding("empty-field", field="items", n=1, m=12),
                items=("expert",),
                remedy=Finding("fill-field"),
            ),
        ),
    )
    inputs = make_release.inputs(replace(data, responses=rows), project)
    read = read_inputs(write_inputs(inputs))
    pages = [html.unescape(build_release_folder(one).files["report.uk.html"].decode()) for one in (inputs, read)]
    assert pages[0] == pages[1]
    for shown in (
        "випадково в межах labels",
        "відхилено під час перегляду: expert",
        "Поле 'items' порожнє в 1 із 12 завдань. Заповніть його або вилучіть рядки. expert.",
    ):
        assert shown in pages[0]
