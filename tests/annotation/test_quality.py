"""The rules, judged from facts alone: case tables at their limits."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, ScaleQuestion, TextQuestion
from annotation.campaigns.sections.quality import ControlRule, QualityRule, SecondsRule, StraightLiningRule, TextRule
from annotation.campaigns.sections.stages import PassMark
from annotation.workflow.quality import gold_answers, rules

YES_NO = ChoiceQuestion(type="choice", name="usable", text="?", options=("yes", "no"), abstain="unsure")
KIND = ScaleQuestion(type="scale", name="kind", text="?", options=("1", "2", "3"))
BOXES = ChoicesQuestion(type="choices", name="boxes", text="?", options=("a", "b"), show_if={"usable": ("no",)})
WORDS = TextQuestion(type="text", name="words", text="?", required=False)
ASKED = (YES_NO, KIND, BOXES, WORDS)


def control(accuracy: str, **keys: object) -> ControlRule:
    """A rule about control items."""
    return ControlRule.model_validate({"rule": "control", "accuracy": accuracy, "consequence": "exclude", **keys})


def results(right: int, of: int) -> list[bool]:
    """So many right ones first, the wrong ones after them."""
    return [True] * right + [False] * (of - right)


@pytest.mark.parametrize(
    ("accuracy", "right", "of", "broken"),
    [
        ("< 50 %", 5, 10, False),
        ("<= 50 %", 5, 10, True),
        ("< 50 %", 4, 10, True),
        ("<= 50 %", 6, 10, False),
        ("< 55 %", 11, 20, False),  # 0.55 * 20 is more than 11 in floats
        ("<= 55 %", 11, 20, True),
        ("< 0.07", 7, 100, False),
        ("< 50 %", 0, 9, False),
        ("< 50 %", 0, 10, True),
        ("<= 100 %", 10, 10, True),
    ],
)
def test_control_accuracy_at_its_limit(accuracy: str, right: int, of: int, broken: bool) -> None:
    """The sign says whether the limit itself counts, and ten control items are the least unless told."""
    assert (rules.find_control_breach(control(accuracy), results(right, of)) is not None) == broken


@pytest.mark.parametrize(
    ("window", "least", "given", "broken"),
    [
        (None, 4, results(4, 10), True),
        (4, 4, results(4, 10), True),
        (4, 4, [False] * 6 + [True] * 4, False),
        (4, 10, results(0, 9), False),
        (4, 10, [True] * 6 + [False] * 4, True),
        (4, 4, [True, True, False, False], False),
    ],
)
def test_a_window_looks_at_the_last_ones(window: int | None, least: int, given: list[bool], broken: bool) -> None:
    """Only the last so many are counted, and the least number is of all that were answered."""
    rule = control("< 50 %", window=window, min_controls=least)
    assert (rules.find_control_breach(rule, given) is not None) == broken


def test_a_pass_mark_is_reached_exactly() -> None:
    """55 % of 20 are 11, whatever floats make of it."""
    assert PassMark(share=0.55).is_reached(11, 20)
    assert not PassMark(share=0.55).is_reached(10, 20)


@pytest.mark.parametrize(
    ("per", "spent", "items", "broken"),
    [
        ("item", [4.9], 1, True),
        ("item", [5.0], 1, False),
        ("item", [None], 1, False),
        ("page", [1.0, 2.0, 1.9], 3, True),
        ("page", [1.0, 2.0, 2.0], 3, False),
        ("page", [1.0, 1.0], 3, False),
        ("page", [1.0, None, 1.0], 3, False),
    ],
)
def test_minimum_time(per: str, spent: list[float | None], items: int, broken: bool) -> None:
    """Less than the least breaks the rule, exactly the least does not; unknown times and open pages judge nobody."""
    rule = SecondsRule.model_validate({"rule": "seconds", "least": "5 s", "per": per, "consequence": "flag"})
    found = rules.find_seconds_breach(rule, spent, n_items=items)
    assert (found is not None) == broken
    if found is not None:
        assert (found.reason, found.scope.value) == (f"under 5 s for {'an item' if per == 'item' else 'a page'}",) + (
            ("answer",) if per == "item" else ("page",)
        )


@pytest.mark.parametrize(
    ("places", "at", "broken"),
    [
        ([0, 0, 0], 2, True),
        ([0, 0, 0], 0, True),
        ([0, 0, 1], 2, False),
        ([0, 0, None, 0], 3, False),
        ([1, 0, 0, 0, 1], 4, False),
        ([1, 0, 0, 0, 1], 2, True),
        ([None, None, None], 1, False),
        ([0, 0], 1, False),
    ],
)
def test_straight_lines(places: list[int | None], at: int, broken: bool) -> None:
    """Three in a row round the answer; what has no place ends a run."""
    rule = StraightLiningRule(rule="straight_lining", run=3, consequence="exclude")
    assert (rules.find_straight_lining_breach(rule, places, index=at) is not None) == broken


@pytest.mark.parametrize(
    ("answer", "order", "expected"),
    [("yes", None, 0), ("yes", [1, 0, 2], 1), ("no", [1, 0, 2], 0), ("unsure", [1, 0, 2], 2), ("maybe", None, None)],
)
def test_a_place_is_that_of_the_order_shown(answer: str, order: list[int] | None, expected: int | None) -> None:
    """The option with index order[i] stood at place i."""
    assert rules.find_shown_position(YES_NO, answer, item_options=None, option_order=order) == expected


def test_only_one_of_several_has_a_place() -> None:
    """A point of a scale and an item's own option have one; boxes and texts have none."""
    own = ChoiceQuestion(type="choice", text="?")
    assert rules.find_shown_position(KIND, "3", item_options=None, option_order=None) == 2
    assert rules.find_shown_position(own, "dog", item_options=["cat", "dog"], option_order=[1, 0]) == 0
    assert rules.find_shown_position(BOXES, '["a"]', item_options=None, option_order=None) is None
    assert rules.find_shown_position(YES_NO, None, item_options=None, option_order=None) is None


def text_rule(*refuses: str) -> TextRule:
    """A rule about texts."""
    words = "words.txt" if "words" in refuses else None
    return TextRule.model_validate({"rule": "text", "refuses": refuses, "words": words, "consequence": "exclude"})


@pytest.mark.parametrize(
    ("refuses", "answer", "words"),
    [
        (["empty"], "?!…", "text without words"),
        (["empty"], "-", "text without words"),
        (["empty"], "7", None),
        (["repeated"], "Подвір’я  велике", "text repeated from item to item"),
        (["repeated"], "подвір'я мале", None),
        (["copied"], "ЖИВ собі кіт.", "text copied from the item"),
        (["copied"], "кіт", None),
        (["words"], "Оце ДІДЬКО лисий!", "text with a word of the list"),
        (["words"], "дідькового", None),
        (["words"], "хто його знає", "text with a word of the list"),
        (["words"], "хто знає його", None),
        (["empty", "copied"], "Жив собі кіт.", "text copied from the item"),
    ],
)
def test_contents_of_texts(refuses: Sequence[str], answer: str, words: str | None) -> None:
    """Compared normalised, as everywhere: case, blanks and the kind of apostrophe do not count."""
    found = rules.find_text_breach(
        text_rule(*refuses),
        {"words": answer},
        earlier_texts=[{"words": "подвір'я велике"}, {"other": answer}],
        shown_texts={"Жив  собі кіт."},
        refused_words=["дідько", "хто його знає", ""],
    )
    assert (found and found.reason) == words


@pytest.mark.parametrize(
    ("given", "golds", "only", "expected"),
    [
        ({"usable": "yes"}, {"usable": "yes"}, (), {"usable": True}),
        ({"usable": "no"}, {"usable": "yes"}, (), {"usable": False}),
        ({"usable": "maybe"}, {"usable": "yes"}, (), {"usable": True}),
        ({"usable": "unsure"}, {"usable": "yes"}, (), {}),
        ({"usable": "yes"}, {"usable": "yes", "kind": "1"}, (), {"usable": True, "kind": False}),
        ({"usable": "yes"}, {"usable": "yes", "kind": "1"}, ("usable",), {"usable": True}),
        ({"usable": "yes"}, {"usable": "no", "boxes": '["a"]'}, (), {"usable": False}),
        ({"usable": "no", "boxes": '["a"]'}, {"usable": "no", "boxes": '["a"]'}, (), {"usable": True, "boxes": True}),
        ({"usable": "no", "words": "П’ять"}, {"words": "п'ять"}, (), {"words": True}),
        ({"usable": "no", "words": "6"}, {"words": "−6"}, (), {"words": False}),
        ({"usable": "no", "words": "35"}, {"words": "3,5"}, (), {"words": False}),
        ({"usable": "no"}, {}, (), {}),
    ],
)
def test_answers_are_marked_by_question(
    given: dict[str, str], golds: dict[str, str], only: tuple[str, ...], expected: dict[str, bool]
) -> None:
    """By what has gold and was asked; abstaining says nothing; the first question may have more right answers."""
    found = gold_answers.mark_answers(ASKED, given, golds=golds, accepted=("maybe",), only=only)
    assert found == expected
    assert gold_answers.are_all_right(found) == (all(expected.values()) if expected else None)


def test_rules_have_a_digest_of_their_own() -> None:
    """Another limit, another word: another digest; the same rules: the same."""
    listed: list[QualityRule] = [control("< 50 %"), text_rule("words")]
    digest = rules.hash_rules(listed, {"words.txt": ["one"]})
    assert digest == rules.hash_rules(tuple(listed), {"words.txt": ["one"]})
    assert digest != rules.hash_rules(listed, {"words.txt": ["two"]})
    assert digest != rules.hash_rules([control("<= 50 %"), listed[1]], {"words.txt": ["one"]})
    assert rules.describe_rule(control("< 50 %", window=20, training_counts=True)) == (
        "control and training items right < 50%, of the last 20, with at least 10"
    )
