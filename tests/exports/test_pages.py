"""The pages of corrections and of filtered items: on narrow and wide screens, without colour alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from exports import corrections, filtering
from exports.dashboard.page import LiveRow, LiveSection, LiveTable, render_section
from exports.joint_answers import FilteringRule, QuestionSpec
from exports.pages.scaffold import TableNote

Make = Any
HOSTILE = '<script>alert("1")</script>'
LONG = "безпробілів" * 30
RESULT = QuestionSpec(name="result", kind="choice", text="Придатне?", options=("так", "ні"))
WHY = QuestionSpec(name="why", kind="choices", text="Чому?", options=(HOSTILE, "коротке"), show_if={"result": ("ні",)})
FIXED = QuestionSpec(name="fixed", kind="edit", text="Виправте.", field="story", show_if={"result": ("так",)})
COMMENT = QuestionSpec(name="comment", kind="text", text=HOSTILE)
PROBLEMS = QuestionSpec(name="problems", kind="choices", text="Вади?", options=(HOSTILE, f"вада {LONG}"))


def page_of_stories(make: Make, **more: Any) -> str:
    """Three stories: one with two corrections, one unusable, one hostile and without a blank."""
    given: list[Any] = [
        ("s1", "olha", {"result": "так", "fixed": "Кіт заснув.\n\nПес є."}),
        ("s1", "ivan", {"result": "так", "fixed": "Кіт спав. Пес є."}),
        ("s2", "olha", {"result": "ні", "why": f'["{HOSTILE.replace(chr(34), chr(92) + chr(34))}"]', "comment": LONG}),
        ("s3", "olha", {"result": "так", "fixed": f"{HOSTILE} {LONG}", "comment": HOSTILE}),
    ]
    texts = {"s1": {"story": "Кіт спав.\n\nПес є."}, "s2": {"story": "Ні."}, "s3": {"story": f"<b>{LONG}"}}
    return str(
        corrections.build_correction_files(
            [make.joint_answers((RESULT, WHY, FIXED, COMMENT), given, texts=texts, **more)]
        )["stories.html"]
    )


def page_of_items(make: Make, **more: Any) -> str:
    """Two items, one removed for a hostile reason with a hostile remark."""
    box = f'["{HOSTILE.replace(chr(34), chr(92) + chr(34))}", "вада {LONG}"]'
    given: list[Any] = [
        ("i1", annotator, {"result": "так", "problems": box, "comment": HOSTILE}) for annotator in ("olha", "ivan")
    ] + [("i2", annotator, {"result": "так"}) for annotator in ("olha", "ivan")]
    texts = {"i1": {"text": f"{HOSTILE} {LONG}"}, "i2": {"text": "Добре."}}
    rule = FilteringRule(problems=("problems",))
    made = make.joint_answers(
        (RESULT, PROBLEMS, COMMENT), given, texts=texts, filtering=rule, gold={"i1": "ні"}, **more
    )
    return str(filtering.build_filtering_files([made])["items.html"])


PAGES = {"stories": page_of_stories, "items": page_of_items}


def test_removed_text_is_struck_out_and_inserted_text_underlined(make: Make) -> None:
    """Each correction is marked against the same original; a mere blank or line break shows as a sign."""
    text = page_of_stories(make)
    assert "Кіт <del>спав</del><ins>заснув</ins>.\n\nПес є." in text
    assert 'Кіт спав.<del class="blank" data-sign="¶">\n\n</del><ins class="blank" data-sign="␣"> </ins>Пес є.' in text
    assert text.index("s1") < text.index(">Original<") < text.index("ivan: corrected") < text.index("olha: corrected")


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_stays_text(make: Make, page: str) -> None:
    """Stories, reasons, questions and remarks are escaped; the page forbids scripts and everything from outside."""
    text = PAGES[page](make)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "default-src 'none'; style-src 'unsafe-inline'" in text
    assert not re.search(r'(?:src|href)="(?!#|stories\.uk\.html"|items\.uk\.html")', text)


@pytest.mark.parametrize("page", PAGES)
def test_simulated_answers_are_stamped(make: Make, page: str) -> None:
    """On the banner, in the title, beside the name and in every picture."""
    assert "SIMULATED" not in PAGES[page](make)
    text = PAGES[page](make, simulated=True)
    assert "<title>SIMULATED: " in text
    assert '<p class="banner">' in text
    assert text.count('aria-label="SIMULATED, ') == text.count("<svg")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        pytest.param("light", 1280, marks=pytest.mark.slow),
        pytest.param("dark", 360, marks=pytest.mark.slow),
        ("dark", 1280),
    ],
)
def test_the_pages_fit_their_screen_and_load_nothing(
    make: Make, browser: Any, tmp_path: Path, page: str, width: int, scheme: str
) -> None:
    """The only request is the page itself; del and ins differ by a line, not by colour alone, and readable."""
    file = tmp_path / f"{page}.html"
    file.write_text(PAGES[page](make), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme)
    shown = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    shown.on("request", lambda request: requests.append(request.url))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.goto(file.as_uri())
    shown.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert (requests, complaints) == ([file.as_uri()], [])
    if page == "stories":
        line = "one => getComputedStyle(one).textDecorationLine"
        assert [shown.eval_on_selector(name, line) for name in ("del", "ins")] == ["line-through", "underline"]
        boxes = shown.eval_on_selector_all(
            ".story:nth-of-type(1) .version", "all => all.map(one => one.getBoundingClientRect().left)"
        )
        assert len(set(boxes)) == (3 if width == 1280 else 1)  # side by side, or below each other
        for name in ("del", "ins"):
            assert contrast(shown, name) >= 4.5
    context.close()


def contrast(shown: Any, selector: str) -> float:
    """The contrast of text and background of an element, as WCAG 2 counts it."""
    style = shown.eval_on_selector(
        selector, "one => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    )
    light = []
    for colour in style:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return float((max(light) + 0.05) / (min(light) + 0.05))


def test_notes_of_a_live_table_stand_once_below_it() -> None:
    """Rows of the dashboard have the numbers of their notes; a hostile one stays text."""
    rows = tuple(LiveRow(head=name, cells=("–",), mark="1") for name in ("α", "κ"))
    table = LiveTable(caption="Agreement", heads=("a", "b"), rows=rows, notes=(TableNote("1", f"Why {HOSTILE}"),))
    text = render_section(LiveSection(id="agreement", title="Agreement", tables=(table,)))
    assert text.count("<sup>1</sup>") == 3
    assert text.count("Why &lt;script&gt;") == 1
    assert text.index("</table>") < text.index("Why")
