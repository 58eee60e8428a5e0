"""The item lint: each rule finds what it is for, a clean set gives nothing, and the page about it is true."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotation import input_files
from annotation.campaigns.lint import TELEGRAM, LintFinding, LintItem, LintQuestion, Severity, lint_items, rules
from annotation.campaigns.sections.sources import ItemsSection
from annotation.loading.drafts import get_cell
from annotation.loading.items import item_reader as items

PAGE = Path(__file__).parents[2] / "docs/reference/lint.md"
ROW = re.compile(r"^\| `([a-z-]+)` \| (error|warning|note) \| (.+?) \| (.+?) \|$", re.MULTILINE)
WORDS = re.split(" ", "хата дорога річка поле вікно трава книга місто небо зоря вечір ранок сніг вітер камінь берег")


def clean(n: int, *, seed: int = 1, k: int = 4) -> list[LintItem]:
    """Items with nothing wrong: distinct texts, groups, gold at seeded places."""
    rng = random.Random(seed)  # noqa: S311
    found = []
    for number in range(n):
        options = tuple(rng.sample(WORDS, k))
        text = f"Речення номер {number}: {' '.join(rng.sample(WORDS, 6))}."
        asked = LintQuestion(text="Яке слово зайве?", options=options, labels=options, gold=(rng.choice(options),))
        item = LintItem(
            id=f"q{number}", group=f"g{number}", shown={"text": text}, hidden={"source": "ми"}, questions=(asked,)
        )
        found.append(item)
    return found


def changed(item: LintItem, **asked: object) -> LintItem:
    """The item with its question changed."""
    return item._replace(questions=(item.questions[0]._replace(**asked),))  # type: ignore[arg-type]


def by_rule(items: Sequence[LintItem]) -> dict[str, LintFinding]:
    """The findings by rule; each rule at most once."""
    found = lint_items(items, limits=TELEGRAM)
    names = [finding.rule.name for finding in found]
    assert len(set(names)) == len(names)
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("n", [1, 4, 8, 50, 1000])
@pytest.mark.parametrize("k", [2, 4, 6])
def test_a_clean_seeded_set_gives_no_finding(n: int, k: int) -> None:
    """Whatever the size and the number of options."""
    for seed in range(5):
        assert lint_items(clean(n, seed=seed, k=k), limits=TELEGRAM) == ()
    assert lint_items([]) == ()


def test_every_question_of_an_item_is_looked_at() -> None:
    """A finding names its question; the same rule speaks of each question by itself."""
    several = [
        item._replace(questions=(item.questions[0], item.questions[0]._replace(name="second", text="Яке слово довше?")))
        for item in clean(60)
    ]
    assert lint_items(several, limits=TELEGRAM) == ()
    twice = several[3].questions[1]._replace(options=("хата", "хата", "поле", "річка"), gold=())
    strange = tuple(asked._replace(gold=("лис",)) for asked in several[5].questions)
    several[3] = several[3]._replace(questions=(several[3].questions[0], twice))
    several[5] = several[5]._replace(questions=strange)
    found = [(one.rule.name, one.field, one.ids) for one in lint_items(several, limits=TELEGRAM)]
    assert found == [
        ("duplicate-option", "second", ("q3",)),
        ("gold-not-an-option", "answer", ("q5",)),
        ("gold-not-an-option", "second", ("q5",)),
    ]


def test_gold_that_prefers_a_place_in_one_question_only() -> None:
    """The other question's places stay out of the count."""
    several = []
    for item in clean(200):
        last = item.questions[0]._replace(name="second", gold=item.questions[0].labels[-1:])
        several.append(item._replace(questions=(item.questions[0], last)))
    (found,) = lint_items(several, limits=TELEGRAM)
    assert (found.rule, found.field, len(found.ids)) == (rules.GOLD_POSITION, "second", 200)


def test_what_breaks_one_item_names_that_item() -> None:
    """Each damage to item q3 of a clean set gives exactly its own rule, with that id."""
    damages: dict[str, LintItem] = {}
    one = clean(20)[3]
    first = one.questions[0].options[0]
    damages["nothing-shown"] = one._replace(shown={"text": " "})
    damages["too-few-options"] = changed(one, options=(first,), labels=(first,), gold=(first,))
    damages["empty-option"] = changed(one, options=(first, ""), labels=("0", "1"), gold=("0",))
    damages["duplicate-option"] = changed(one, options=(first, first), labels=("0", "1"), gold=("0",))
    damages["gold-not-an-option"] = changed(one, gold=("сонце",))
    damages["empty-field"] = one._replace(shown={"text": "Щось інше.", "hint": ""})
    damages["mixed-script"] = one._replace(shown={"text": "Це cлово має латинську літеру."})
    damages["lone-latin"] = one._replace(shown={"text": "Яка літера y слові?"})
    damages["long-option"] = changed(one, options=("дуже " * 5, "ні"), labels=("0", "1"), gold=("1",))
    damages["long-text"] = one._replace(shown={"text": "слово " * 700})
    for name, damaged in damages.items():
        found = by_rule([*clean(20)[:3], damaged, *clean(20)[4:]])
        assert {rule: finding.ids for rule, finding in found.items()} == {name: ("q3",)}


def test_texts_to_compare_may_need_four_messages() -> None:
    """Nobody keeps more in mind; of three sides each has a message of its own."""
    three, six = (tuple(f"{letter} " + "слово " * 400 * n for letter in "абвг"[:k]) for n, k in ((1, 3), (2, 3)))
    one = clean(1)[0]
    found = [by_rule([changed(one, options=texts, labels=texts, gold=(), compares=True)]) for texts in (three, six)]
    assert [set(rules) for rules in found] == [{"long-text"}, {"long-text", "too-long-to-compare"}]


def test_a_word_of_two_alphabets_is_named_whole() -> None:
    """The message holds the word, stress marks and all; its first is what a person can search for."""
    found = by_rule([clean(1)[0]._replace(shown={"text": "Ось cло\u0301во тут."})])
    assert found["mixed-script"].first == "The item 'q0' has the word 'cло\u0301во' in 'text'."


@pytest.mark.parametrize(
    "text",
    [
        "Людовік X правив, розділ I.",
        "Wi-Fi працює, e-mail ні.",
        "I read a book.",
        "Формула a + b = c проста.",
        "Vitamin C корисний.",
        "Компанія ABC з Києва.",
        "ім'я, п’ять, об'їзд",
    ],
)
def test_honest_latin_is_let_pass(text: str) -> None:
    """Numerals, hyphens, Latin neighbours, abbreviations, apostrophes."""
    assert lint_items([clean(1)[0]._replace(shown={"text": text})]) == ()


def test_more_long_options_than_buttons_are_an_error() -> None:
    """Beyond the letters options are numbered, as many as a message has buttons."""
    long = tuple(f"{'дуже довгий варіант'} {number}" for number in range(101))
    found = by_rule([changed(clean(1)[0], options=long, labels=long, gold=(long[0],))])
    assert set(found) == {"too-many-options", "long-option"} | ({"long-text"} & set(found))
    assert "too-many-options" not in by_rule([changed(clean(1)[0], options=long[:100], labels=long[:100], gold=())])


@pytest.mark.parametrize(
    ("n", "k", "found"), [(200, 5, True), (25, 5, True), (5, 5, False), (6, 5, True), (10, 2, False)]
)
def test_gold_that_never_moves_is_found_from_a_handful_on(n: int, k: int, found: bool) -> None:
    """χ² from five items a place on; below that only gold that never moves, once chance is under one in a thousand."""
    fixed = [changed(item, gold=(item.questions[0].options[-1],)) for item in clean(n, k=k)]
    assert ("gold-position" in by_rule(fixed)) is found
    if found:
        assert f"option {k} of {k} in {n} of {n} items" in by_rule(fixed)["gold-position"].message


def test_classes_have_no_places() -> None:
    """Nine yes to one no is a class balance, not a habit of position."""
    options = ("так", "ні")
    asked = LintQuestion(text="Чи так?", options=options, labels=options, gold=("так",), has_shared_options=True)
    assert lint_items([item._replace(questions=(asked,)) for item in clean(100)]) == ()


def test_long_options_of_a_question_are_no_finding() -> None:
    """The organiser wrote them once, for all items; those of an item of its own are named."""
    options = ("дуже " * 5, "ні")
    for shared in (True, False):
        asked = LintQuestion(text="Чи так?", options=options, labels=options, gold=("ні",), has_shared_options=shared)
        found = by_rule([item._replace(questions=(asked,)) for item in clean(3)])
        assert ("long-option" in found) is not shared


def test_repeated_questions_are_counted_without_their_first() -> None:
    """White space and the order of options make no difference; another gold is told."""
    three = clean(3)
    asked = three[0].questions[0]
    other = next(option for option in asked.options if option != asked.gold[0])
    again = three[0]._replace(id="q9", shown={"text": three[0].shown["text"].replace(" ", "\n")})
    turned = changed(again, options=asked.options[::-1], labels=asked.labels[::-1], gold=(other,))
    found = by_rule([*three, turned])["repeated-question"]
    assert found.ids == ("q9",)
    assert found.message == "1 of 4 items repeat an earlier one, 1 of them with another gold."
    assert found.first == "The item 'q9' asks what 'q0' asks."
    same = by_rule([*three, again])["repeated-question"]
    assert same.message == "1 of 4 items repeat an earlier one."


def test_groups_do_not_leak_between_pools() -> None:
    """A group with a pilot and a main item is an error that names both."""
    four = clean(4)
    found = by_rule([four[0]._replace(pool="pilot"), four[1]._replace(group="g0"), *four[2:]])
    assert found["group-in-pools"].ids == ("q0", "q1")
    assert "pools: main, pilot" in found["group-in-pools"].first


def test_long_texts_that_repeat_ask_for_a_group() -> None:
    """Ten items over two stories without groups; with groups, or with short labels that repeat, nothing."""
    told = [
        item._replace(group=None, shown={"story": f"Довга казка про звірів, частина {number % 2}. " * 3, **item.shown})
        for number, item in enumerate(clean(10))
    ]
    assert set(by_rule(told)) == {"no-group"}
    assert "10 of 10 items share 2 texts in the field 'story'" in by_rule(told)["no-group"].message
    assert lint_items([item._replace(group=f"s{number % 2}") for number, item in enumerate(told)]) == ()
    assert lint_items([item._replace(shown={"kind": "казка", **item.shown}, group=None) for item in clean(10)]) == ()


def leaking(make: object, *, shown: bool) -> list[LintItem]:
    """A clean set with one more field made from each question."""
    found = []
    for item in clean(30):
        value = make(item.questions[0])  # type: ignore[operator]
        found.append(
            item._replace(shown={**item.shown, "extra": str(value)}) if shown
            else item._replace(hidden={**item.hidden, "extra": value})
        )  # fmt: skip
    return found


@pytest.mark.parametrize(
    ("make", "how"),
    [
        (lambda asked: asked.gold[0].upper(), "is the gold"),
        (lambda asked: [asked.gold[0]], "is the gold"),
        (lambda asked: asked.gold_index, r"counted from 0"),
        (lambda asked: f"{asked.gold_index + 1}.0", r"counted from 1"),
        (lambda asked: ", ".join(f"{one}{'*' * (one in asked.gold)}" for one in asked.options), r"marks .* with '\*'"),
        (lambda asked: [{"v": one, "ok": one in asked.gold} for one in asked.options], r"marks .* with 'True'"),
    ],
)
def test_a_field_that_gives_gold_away_is_found(make: object, how: str) -> None:
    """The gold itself, its place, a mark; an error where people see it, a note where they do not."""
    hidden = by_rule(leaking(make, shown=False))
    assert set(hidden) == {"hidden-gold"}
    assert re.search(how, hidden["hidden-gold"].message)
    assert len(hidden["hidden-gold"].ids) == 30
    if not isinstance(make(clean(1)[0].questions[0]), list):  # type: ignore[operator]
        assert set(by_rule(leaking(make, shown=True))) == {"shown-gold"}


@pytest.mark.parametrize(
    "make",
    [
        lambda asked: " або ".join(asked.options),
        lambda asked: f"Казка, в якій є {asked.gold[0]} і ще щось.",
        lambda asked: list(asked.options),
        lambda _asked: "0",
        lambda asked: asked.options[0],
        lambda asked: "\n".join(f"{letter}: {one}" for letter, one in zip("АБВГ", asked.options, strict=True)),
    ],
)
def test_a_field_that_only_names_gold_is_no_leak(make: object) -> None:
    """Lists of options, stories, constants."""
    assert lint_items(leaking(make, shown=False)) == ()


def test_gold_that_hardly_varies_makes_no_field_a_leak() -> None:
    """Where 97 of 100 golds are the same, a constant field agrees by itself."""
    same = [
        changed(item, options=("так", "ні"), labels=("так", "ні"), gold=("так",), has_shared_options=True)
        for item in clean(97)
    ]
    rare = [
        changed(item, options=("так", "ні"), labels=("так", "ні"), gold=("ні",), has_shared_options=True)
        for item in clean(100)[97:]
    ]
    assert lint_items([item._replace(hidden={"kind": "так", "label": 0}) for item in [*same, *rare]]) == ()


def test_findings_come_worst_first() -> None:
    """In the order of the rules, and the rules in the order of their severity."""
    order = [rule.severity for rule in rules.RULES]
    assert order == sorted(order, key=list(Severity).index)
    assert len({rule.name for rule in rules.RULES}) == len(rules.RULES)


def test_the_page_about_the_lint_is_true() -> None:
    """docs/reference/lint.md lists every rule with its severity, what it finds, and its remedy."""
    told = [(rule.name, rule.severity.value, rule.description, rule.remedy) for rule in rules.RULES]
    assert ROW.findall(PAGE.read_text("utf-8")) == told


def read_rows(path: Path, form: str) -> Iterator[input_files.FileRow]:
    """The rows of a file of items in a format with a name."""
    section = ItemsSection.model_validate({"file": str(path), "format": form, "id": "id", "show": "text"})
    return items.read_rows(path, section)


def lmes(shared: Path, name: str) -> list[LintItem]:
    """An LMES set as the lint sees it: its options are among the metadata, fixed, or none."""
    found = []
    for row in read_rows(shared / f"data/eval-ua-tion/lmes/{name}.json", "lmes"):
        answer = get_cell(row, "correctAnswer")
        columns = [name for name in row.values if re.fullmatch(r"additionalMetadata_(all_options|option_[01])", name)]
        own = row.values[columns[0]] if len(columns) == 1 else [row.values[column] for column in columns]
        yes_no = answer in {"так", "ні"}
        options = ("так", "ні") if yes_no else tuple(own)
        asked = LintQuestion(
            options=options, labels=options, gold=(answer,), has_shared_options=yes_no, free=not options
        )
        told = {"question", "correctAnswer", *columns}
        hidden = {name: value for name, value in row.values.items() if name not in told}
        found.append(
            LintItem(
                id=get_cell(row, "taskInstanceUuid"),
                shown={"question": get_cell(row, "question")},
                hidden=hidden,
                questions=(asked,),
            )
        )
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("LOWTask", {"lone-latin": 27}),
        ("WordsAlphabetOrder", {"lone-latin": 16, "hidden-gold": 100}),
        ("WordLengthComparison", {"hidden-gold": 100}),
        (
            "WhichWordWrongCatTask",
            {"duplicate-option": 100, "gold-position": 200, "repeated-question": 34, "hidden-gold": 200},
        ),
        ("DoAllWordsBelongToCatTask", {"repeated-question": 160}),
    ],
)
def test_the_known_defects_of_lmes_are_found(shared: Path, name: str, expected: dict[str, int]) -> None:
    """Exactly these, each with its number of items."""
    assert {rule: len(finding.ids) for rule, finding in by_rule(lmes(shared, name)).items()} == expected


def test_the_marked_options_of_ua_cbt_are_found(shared: Path) -> None:
    """`LS_options_adv` marks the gold with + in 8 of 8 items: a note while hidden, an error once shown."""
    path = shared / "data/eval-ua-tion/ua-cbt/stories_train.labelstudio.json"
    for where, severity in (("hidden", "note"), ("shown", "error")):
        found = lint_items([ua_cbt(row, marked=where) for row in read_rows(path, "label-studio")])
        leak = next(finding for finding in found if finding.field == "LS_options_adv")
        assert (leak.rule.severity.value, len(leak.ids)) == (severity, 8)
        told = (
            "The field 'LS_options_adv' marks the gold among the options with '+' in 8 of 8 items with gold (answer)."
        )
        assert (leak.message, leak.first) == (told, "")


def ua_cbt(row: input_files.FileRow, *, marked: str) -> LintItem:
    """A UA-CBT item; `marked` says whether people see LS_options_adv."""
    options = tuple(row.values["options"])
    shown = {name: get_cell(row, name) for name in ("context", "question")}
    hidden = {name: value for name, value in row.values.items() if name.startswith("LS_")}
    if marked == "shown":
        shown["LS_options_adv"] = get_cell(row, "LS_options_adv")
    return LintItem(
        id=get_cell(row, "md_global_number"),
        shown=shown,
        hidden=hidden,
        questions=(LintQuestion(options=options, labels=options, gold=(get_cell(row, "answer"),)),),
    )
