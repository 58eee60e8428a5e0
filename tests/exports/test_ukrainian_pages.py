"""The pages in Ukrainian: nothing on them is English but names and data, and the English pages link to them."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from aggregation.agreement import coefficients, people, table
from aggregation.intervals import panel
from aggregation.scores import performance
from exports import corrections, filtering, report, results, score_variants, sensitivity, tables
from exports.full_responses import FilteringRule, QuestionSpec
from exports.pages import scaffold, translation
from exports.pages.reasons import translate_reason
from exports.release import ReleaseFolder, build_release_folder

Make = Any
NAMES = ("Russian SuperGLUE", "Label Studio", "Dawid–Skene IAA", "Wawa", "hromada sensitivity")
"""What stays in Latin letters: the names of methods, tools and commands; file names have a dot or a low line."""
FILE_NAME = re.compile(r"[\w/-]*\w\.(?:csv|json|jsonl|parquet|md)\b|\w*_\w+|`[^`]*`")
ENGLISH = re.compile(r"(?<![\w.])[A-Za-z]{2,}(?:['’][a-z]+)?(?:[ ,;:]+[a-z]{2,})+")
FACTS = {
    "declared": dict.fromkeys(
        ("recruitment", "pay", "ethics", "population", "ai_use", "stimulus_differences", "licence"),
        "як сказав організатор",
    ),
    "undo": "An answer can be changed until another item of its group was shown or the project was closed.",
    "skips": "An item can be skipped for a reason; the skip fills a place of the item, and is scored as wrong.",
    "controls": "10% of the items",
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
    corrected = make.full_responses((usable, why, fixed), given, texts=texts)
    rule = FilteringRule(problems=("why",), keep={"result": ("так",)}, failure=True)
    filtered = make.full_responses((usable, why, fixed), given, texts=texts, filtering=rule, gold={"s1": "ні"})
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
    with translation.use_language("uk"):
        assert translation.localize_number("95.7 %") == "95,7\u00a0%"
        assert translation.localize_number("81.0, 86.2, 91.7 %") == "81,0; 86,2; 91,7\u00a0%"
        assert translation.localize_number(".90-.99") == "0,90-0,99"
    assert translation.localize_number("95.7 %") == "95.7 %"


REASONS = (
    table.REASON_NO_PAIRS,
    table.REASON_NOTHING_VARIES,
    panel.NOT_COVERED,
    panel.NOTHING_VARIES,
    performance.REASON_UNDEFINED,
    coefficients.REASON_NO_VARIATION,
    coefficients.REASON_FORCED,
    coefficients.REASON_NO_CLASSES,
    people.OVERCONFIDENCE_WARNING,
    people.REASON_NO_CLASSES,
    people.REASON_ONE_LABEL,
    people.REASON_NO_REPEAT,
    results.NO_VOTES,
    results.CIRCULAR,
    *score_variants.DESCRIPTIONS.values(),
)


@pytest.mark.parametrize("reason", REASONS)
def test_reasons_of_computations_are_known(reason: str) -> None:
    with translation.use_language("uk"):
        assert not re.search("[A-Za-z]{3,} [a-z]{2,}", translate_reason(reason))
    assert translate_reason(reason) == reason


def test_values_in_a_reason_are_kept() -> None:
    with translation.use_language("uk"):
        assert translate_reason("No interval: 3 groups of items are fewer than 5.") == (
            "Інтервалу немає: груп завдань 3, а потрібно щонайменше 5."
        )
        assert translate_reason("No interval: 3 items are fewer than the 5 to resample.") == (
            "Інтервалу немає: завдань 3, а для повторних вибірок потрібно 5."
        )
        assert translate_reason("rejected in review: надто коротко") == "відхилено під час перегляду: надто коротко"
        assert translate_reason("слова організатора") == "слова організатора"
        assert translate_reason("так, ні: No item has two votes, so there is nothing to compare.") == (
            "так, ні: Жодне завдання не має двох відповідей, тож порівнювати нічого."
        )
