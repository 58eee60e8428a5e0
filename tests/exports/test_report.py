"""The page: whole in itself, honest about simulations, safe with hostile text, and fit for a phone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from _results import change_result

from aggregation.comparison.gold_review import CeilingEstimate, WeightedShare
from aggregation.scores.trivial_baselines import OptionItem
from exports import tables
from exports.inputs import DataSet
from exports.pages.scaffold import PageNotes, TableRow
from exports.report import render_report
from exports.report.headlines import list_cautions, list_headlines
from exports.report.rows import build_trivial_rows
from exports.tables import Release

Make = Any
HOSTILE = '<script>alert("1")</script>'


class Elements(HTMLParser):
    """Counts tags and keeps ids, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def values(self, name: str) -> list[str]:
        """What every element with that attribute says."""
        return [value for _, attribute, value in self.attributes if attribute == name]


def released(*data_sets: DataSet) -> Release:
    return tables.build_release(data_sets, agreement_resamples=50)


def hostile(make: Make) -> DataSet:
    items = [make.item(f"=cmd('{HOSTILE}')") for _ in range(1)]
    rows = [
        make.response(str(items[0]["item_id"]), f"{HOSTILE}{person}", HOSTILE, excluded_reason=reason)
        for person, reason in (("a", None), ("b", None), ("c", HOSTILE))
    ]
    items[0]["gold"] = HOSTILE
    return make.data_set(f"$x${HOSTILE}", items=items, responses=rows, classes=None, title=f'"{HOSTILE}&amp;')  # type: ignore[no-any-return]


def test_the_page_names_no_address_and_carries_no_script(make: Make) -> None:
    """Nothing in it points outside: references are to its own ids, and to the page in the other language beside it."""
    text = render_report(released(make.closed(), make.per_item()))
    elements = Elements(text)
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)
    assert elements.tags["script"] == elements.tags["link"] == elements.tags["img"] == 0
    pointed = {value for name in ("href", "src") for value in elements.values(name) if not value.startswith("#")}
    assert pointed == {"report.uk.html"}
    assert "default-src 'none'; style-src 'unsafe-inline'" in elements.values("content")


def test_ids_are_unique_and_every_reference_finds_its_own(make: Make) -> None:
    """Tables are named by ids; pictures have none."""
    elements = Elements(render_report(released(make.closed(), make.per_item())))
    assert [name for name, count in Counter(elements.ids).items() if count > 1] == []
    pointed = {value.removeprefix("#") for value in elements.values("href") if value.startswith("#")}
    assert elements.ids
    assert pointed | set(elements.values("aria-labelledby")) <= set(elements.ids)


def test_the_same_release_is_the_same_page(make: Make) -> None:
    """Two runs give the same bytes, pictures included."""
    assert render_report(released(make.closed(), make.per_item())) == render_report(
        released(make.per_item(), make.closed())
    )


def test_a_report_that_scores_nobody_names_no_baselines(make: Make) -> None:
    """The title names them where somebody is scored."""
    data = make.closed()
    bare = replace(data, items=data.items.assign(gold=None, gold_origin=None))
    assert "<title>People’s answers: agreement</title>" in render_report(released(bare))
    assert "<title>People’s answers: agreement and human baselines</title>" in render_report(released(data))


def test_simulated_numbers_are_stamped_wherever_they_appear(make: Make) -> None:
    """Title, banner, every picture and every table that holds them say SIMULATED; without simulation nothing does."""
    text = render_report(released(make.closed(simulated=True)))
    pictures = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(pictures) == 6
    assert all(picture.count(">SIMULATED</text>") == 2 for picture in pictures)
    assert all("SIMULATED" in label for label in Elements(text).values("aria-label"))
    assert "<title>SIMULATED: " in text
    assert "All answers on this page come from scripts or trials" in text
    groups = re.findall(r'<th scope="rowgroup".*?</th>', text, flags=re.DOTALL)
    assert len(groups) == 5
    assert all("SIMULATED" in group for group in groups)
    matrices = re.findall(r'<caption id="confusion-.*?</caption>', text)
    assert len(matrices) == 3
    assert all("SIMULATED" in caption for caption in matrices)
    assert "SIMULATED" not in render_report(released(make.closed()))


def test_a_mixed_page_names_what_is_simulated(make: Make) -> None:
    """Only the simulated data set's picture of scores is stamped; the pictures that show both are."""
    text = render_report(released(make.closed(), make.per_item(simulated=True)))
    assert "The answers of these come from scripts or trials, not from people who were asked: слова." in text
    labels = [label for label in Elements(text).values("aria-label") if "scores of" in label]
    assert [label.startswith("SIMULATED, ") for label in labels] == [True, False]


def test_hostile_text_stays_text(make: Make) -> None:
    """Markup and formulas in names, titles, reasons and people are shown, not run, also inside the pictures."""
    text = render_report(released(hostile(make)))
    assert Elements(text).tags["script"] == 0
    assert "&lt;script&gt;alert(" in text
    assert "$x$&lt;script&gt;" in text


def test_tables_have_captions_and_headings_with_scope(make: Make) -> None:
    """A screen reader can say to which row and column a cell belongs."""
    elements = Elements(render_report(released(make.closed(), make.per_item())))
    assert elements.tags["table"] == elements.tags["caption"] == 9  # three of them confusion matrices
    assert elements.tags["th"] == len(elements.values("scope"))
    assert ("html", "lang", "en") in elements.attributes
    assert elements.tags["h1"] == 1
    assert elements.values("role").count("img") == elements.tags["svg"] == len(elements.values("aria-label"))


def test_refusals_and_missing_scores_are_explained(make: Make) -> None:
    """The page gives the reasons that agreement.json gives."""
    empty = make.data_set("порожня", items=[make.item("i1")], responses=[])
    text = render_report(released(make.per_item(), empty))
    assert "Dawid-Skene needs the same labels on every item" in text
    assert "Options differ between items, so there are no shared classes" in text
    assert "No answer counts: nobody has answered, or every answer is excluded." in text


def answered_by(make: Make, people: int, *, name: str = "так-ні") -> DataSet:
    """Twelve items that so many people answered, each wrong on an item of their own; the last is a tie of two."""
    items = [make.item(f"i{number:02}", "так") for number in range(12)]
    rows = [
        make.response(f"i{item:02}", f"a{one}", "ні" if item == one else "так")
        for item in range(12)
        for one in range(people)
    ]
    return make.data_set(name, items=items, responses=rows, overlap=None)  # type: ignore[no-any-return]


def test_each_card_says_of_whom_of_how_many_by_which_rule_and_for_whom(make: Make) -> None:
    """An interval for new people stands beside one for these people, and each names its own."""
    (result,) = released(answered_by(make, 6)).results
    single, majority, alpha = list_headlines(result)
    interval, counts, rule, chance = single.details
    assert re.fullmatch(r"95 %: \d+\.\d–\d+\.\d %, new people and new items", interval)
    assert chance == "Guessing gets 50.0 % of these items, the most frequent label 100.0 %"
    assert (counts, rule) == ("72 answers of 6 people to 12 items with gold", "Right is what equals the gold")
    assert majority.name == "Majority of 6"
    assert majority.details[0].endswith("new people and new items")
    assert majority.details[1:] == (
        "The majority made no errors, so nothing shows how new people would differ: the interval may be too narrow",
        "12 items with gold, answered by 6 people",
        "The most frequent of 6 answers to an item; no item ties",
    )
    assert "No item has an error, so the interval holds all" in render_report(released(answered_by(make, 6)))
    assert re.fullmatch(r"95 %: .* to .*, new people and new items", alpha.details[0])
    assert re.fullmatch(r"95 %: .* to .*, these people and new items", alpha.details[1])
    assert alpha.details[2:] == (
        "72 answers of 6 people to 12 items with two answers or more",
        "Level nominal; 1 is perfect agreement, 0 is chance",
    )


def test_a_card_of_three_people_says_why_it_is_not_for_new_ones(make: Make) -> None:
    """No empty brackets: intervals for these people, and the sentence once; a tie is counted as the rule says."""
    release = released(make.closed())
    single, majority, _ = list_headlines(release.results[0])
    assert single.details[0].endswith(", these people and new items")
    assert single.details[1] == "14 answers of 3 people to 5 items with gold"
    assert majority.details[-1].endswith("; 1 tie, where each of m answers counts 1/m")
    card = render_report(release).partition("</article>")[0]
    assert "[–]" not in card
    assert re.findall(r"[^<>]*new (?:ones|people)[^<>]*", card.partition("<h3>")[2]) == [
        "With 3 people nothing can be said of new ones; 5 are needed."
    ]


def test_a_card_of_one_person_has_no_majority_and_no_empty_counts(make: Make) -> None:
    """Nothing is compared with nobody: the coefficient gives its reason alone."""
    items = [make.item(f"i{number}", "так") for number in range(6)]
    rows = [make.response(f"i{number}", "a1", "так") for number in range(6)]
    (result,) = released(make.data_set(items=items, responses=rows, overlap=None)).results
    single, alpha = list_headlines(result)
    assert single.details[1] == "6 answers of 1 person to 6 items with gold"
    assert alpha.details == ("No item has two votes, so there is nothing to compare.",)
    assert list_cautions(result) == ("With 1 person nothing can be said of new people; 5 are needed.",)


def test_a_note_stands_once_on_the_page(make: Make) -> None:
    """Notes are numbered through all tables; the warning of few people is on the cards that it concerns alone."""
    six, three = answered_by(make, 6), answered_by(make, 3, name="троє")
    text = render_report(released(make.per_item("a"), make.per_item("b"), six, three))
    notes = re.findall(r"<li><sup>(\d+)</sup> (.*?)</li>", text)
    assert [int(number) for number, _ in notes] == list(range(1, len(notes) + 1))
    assert len({note for _, note in notes}) == len(notes) > 5
    marked = {number for marks in re.findall(r"<sup>([\d, ]+)</sup>", text) for number in marks.split(", ")}
    assert marked == {number for number, _ in notes}
    assert not [note for _, note in notes if "Only 6 people" in note]
    cards = [card.partition("</article>")[0] for card in text.split('<article class="tile">')[1:]]
    barely = "With fewer than 10, other people’s scores can barely be estimated"
    assert [barely in card for card in cards] == [False, False, True, False]


def test_an_alpha_of_ordered_labels_says_what_0_and_1_are(make: Make) -> None:
    (result,) = released(replace(answered_by(make, 3), measurement_level="ordinal")).results
    *_, alpha = list_headlines(result)
    assert alpha.name == "Krippendorff’s α (ordinal)"
    assert alpha.details[-1] == "Level ordinal; 1 is perfect agreement, 0 is chance"


def test_what_is_true_of_all_rows_is_marked_at_the_caption_and_known_notes_keep_their_number() -> None:
    rows = [TableRow(head=str(n), cells=(), notes=("all", *own)) for n, own in enumerate([("a", "b"), ("b",), ()])]
    page = PageNotes()
    assert page.number([rows[:1], rows[1:]]) == ((("1", "all"), ("2", "a"), ("3", "b")), "1", (("2, 3",), ("3", "")))
    again = TableRow(head="", cells=(), notes=("b", "c"))
    assert page.number([[again, rows[2]]]) == ((("4", "c"),), "", (("3, 4", "1"),))


def test_a_majority_of_k_people_ties_in_some_draws(make: Make) -> None:
    """Where three of four say three different things they tie, all four do not: no number of ties is given."""
    items = [make.item(f"i{n}", "б") for n in range(6)]
    given = [("б", "б", "а", "в"), ("б",) * 4]
    rows = [make.response(f"i{n}", f"a{one}", answer) for n in range(6) for one, answer in enumerate(given[n % 2])]
    release = released(make.data_set(items=items, responses=rows, overlap=None, classes=("а", "б", "в")))
    assert release.results[0].performance is not None
    unit = release.results[0].performance["majority of 3"]
    assert (unit.n_ties, unit.primary.value_ties_wrong is None) == (None, False)
    page = render_report(release)
    assert re.search(r"in some draws; \d+\.\d % if every tie counts as wrong", page)
    assert "Mean over all choices of 3 of these 4 people." in page
    table = tables.build_score_table(release.results[0])
    assert table.set_index("unit")["n_ties"].astype(object).to_dict()["majority of 3"] != 0


def test_plots_name_level_and_population_and_leave_out_what_has_no_value(make: Make) -> None:
    """Of a majority that the design forces there is no dot; agreement is drawn for new people too, from five on."""
    release = released(answered_by(make, 5), answered_by(make, 3, name="троє"))
    pictures = re.findall(r"<svg.*?</svg>", render_report(release), flags=re.DOTALL)
    legends = [re.findall(r">(95 %, new items:|new people|these people)</text>", picture) for picture in pictures]
    assert [len(legend) for legend in legends] == [0, 0, 3, 2, 3]
    assert not any("no value" in picture for picture in pictures)


def test_every_interval_of_the_report_names_its_population(make: Make) -> None:
    """Heads and captions: new people and new items, these people and new items, one person; never Wilson alone."""
    text = render_report(released(make.closed()))
    for population in ("new people", "these people", "one person"):
        assert f'<th scope="col">95 %, {population} and new items</th>' in text
    assert "in brackets 95 % intervals for new people and new items" in text
    assert not re.search(r"Wilson(?!.s interval of)|95 % interval</th>", re.sub(r"<li>.*?</li>", "", text))


def test_many_people_share_one_panel_without_names(make: Make) -> None:
    """200 people fit a panel of a screen's height, and the table still names them."""
    people = [f"person{number:03}" for number in range(200)]
    items = [make.item(f"i{number}", "так") for number in range(6)]
    rows = [make.response(f"i{n % 6}", person, "так" if n % 3 else "ні") for n, person in enumerate(people)]
    text = render_report(released(make.data_set(items=items, responses=rows, overlap=None)))
    picture = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)[0]
    height = re.search(r'height="(\d+)"', picture)
    assert height is not None
    assert int(height[1]) < 600
    assert "person007" not in picture
    assert "person007" in text


def test_an_emoji_in_a_name_is_drawn_by_the_browser(make: Make) -> None:
    """Any letter stays text; the page measures none."""
    assert ">кіт 🐈</text>" in render_report(released(make.closed("кіт 🐈")))


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 360),
        pytest.param("light", 1280, marks=pytest.mark.slow),
        pytest.param("dark", 360, marks=pytest.mark.slow),
        ("dark", 1280),
    ],
)
def test_the_page_fits_its_screen_and_loads_nothing(
    make: Make, browser: Any, tmp_path: Path, width: int, scheme: str
) -> None:
    """Long names and wide tables scroll inside their own boxes, and the only request is the page itself."""
    long = make.closed("довга-назва-набору-даних-без-жодного-пробілу-" * 3, simulated=True)
    file = tmp_path / "report.html"
    file.write_text(render_report(released(long, make.per_item(), hostile(make))), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 740}, color_scheme=scheme)
    shown = context.new_page()
    requests: list[str] = []
    complaints: list[str] = []
    shown.on("request", lambda request: requests.append(request.url))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.goto(file.as_uri())
    shown.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    if width == 1280:
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert shown.eval_on_selector_all(".scroll", cut) == 0
    narrow = shown.eval_on_selector_all("svg", "all => all.map(one => one.getBoundingClientRect().right)")
    assert max(narrow) <= width
    assert shown.eval_on_selector("svg text", "one => parseFloat(getComputedStyle(one).fontSize)") >= 10
    assert (requests, complaints) == ([file.as_uri()], [])
    context.close()


def test_the_same_answers_otherwise_counted_stand_in_a_table_only_where_there_are_some(make: Make) -> None:
    """Skips, self-agreement and scores far from the primary one are shown; without them there is no such table."""
    plain = render_report(released(make.closed()))
    assert "otherwise-table" not in plain
    data = make.closed()
    extra = [make.response("i6", "a1", None, skip_reason="unclear", seconds=None)]
    extra += [make.response("i1", "a1", "так", is_repeat=True, gap_hours=25.0)]
    extra += [make.response("i4", f"x{n}", "ні", excluded_reason="too fast", by_rule=True) for n in range(30)]
    items, answers = data.items.to_dict("records"), data.responses.to_dict("records")
    text = render_report(released(make.data_set(items=items, responses=[*answers, *extra])))
    table = re.search(r'<caption id="otherwise-table">.*?</table>', text, flags=re.DOTALL)
    assert table is not None
    assert re.findall(r'<th scope="row">(.*?) <sup>', table[0]) == ["Exclusions kept", "Skips excluded"]
    assert "1 skip: wrong where scored, no vote elsewhere." in text
    assert "Asked again, 1 annotator gave the same answer to 100.0 % of 1 item; Everybody always gave" in text
    assert text.count("Further from the score above") == 1


def test_trivial_baselines_stand_beside_the_ceiling(make: Make) -> None:
    """Half of the gold is так, so that chance has 50 %; the ceiling of a gold review is the last row."""
    items = [OptionItem(gold=gold, labels=("так", "ні"), options=("так", "ні")) for gold in ("так", "ні")]
    release = released(replace(make.closed(), option_items=tuple(items)))
    (result,) = release.results
    rows = build_trivial_rows(result)
    assert [row.head for row in rows][:1] == ["Random option"]
    assert (rows[0].cells[1], rows[0].cells[-1]) == ("50.0 %", "2")
    share = WeightedShare(value=0.9, low=0.8, high=0.95, pool_low=0.85, pool_high=0.93)
    unknown = WeightedShare(value=None, low=None, high=None, pool_low=None, pool_high=None)
    ceiling = CeilingEstimate(
        strata=(), wrong=unknown, flawed=unknown, ceiling=share, confidence_level=0.95, reason="", warnings=()
    )
    last = build_trivial_rows(change_result(result, ceiling=ceiling))[-1]
    assert (last.head, last.cells[1]) == ("Ceiling: gold that is right and can be decided", "90.0 %")
    assert last.notes == ("Ceiling: 80.0–95.0 % is the interval for items like these.",)
    assert "Trivial baselines on the same items" in render_report(release)
    assert "Trivial baselines on the same items" not in render_report(released(make.closed()))
