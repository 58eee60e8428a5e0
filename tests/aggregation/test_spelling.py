"""Names have one spelling: keys, look-alikes, and messages in which an odd sign can be seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregation import spelling


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("мій", "мій"),
        (unicodedata.normalize("NFD", "мій"), "мій"),
        (" \u00a0мій\t", "мій"),
        ("a\r\nb\rc\n", "a\nb\nc"),
        ("Yes", "Yes"),
        ("a  b", "a  b"),
        ("ﬁ", "ﬁ"),
    ],
)
def test_a_key_is_in_nfc_without_outer_blanks_and_with_one_line_end(written: str, key: str) -> None:
    """Nothing else is taken for the same: neither case nor inner blanks nor ligatures."""
    assert spelling.build_key(written) == key


@given(st.text())
def test_a_key_is_the_key_of_itself(text: str) -> None:
    """So that it does not matter how often a name is compared."""
    key = spelling.build_key(text)
    assert spelling.build_key(key) == key
    assert spelling.find_name(text, ["other name", text]) == next(
        name for name in ("other name", text) if spelling.build_key(name) == key
    )


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["yes", "no"], ["'yes'", "'no'"]),
        (["yеs"], ["'y·U+0435·s'"]),
        (["так", "такi"], ["'так'", "'так·U+0069'"]),
        (["ye\u200bs"], ["'ye·U+200B·s'"]),
        (["yes\u00a0"], ["'yes·U+00A0'"]),
        (["no yes"], ["'no yes'"]),
        ([unicodedata.normalize("NFD", "мій")], ["'міи·U+0306'"]),
        (["ho", "но"], ["'ho'", "'U+043D·U+043E'"]),
        (["п'ять", "п’ять"], ["'п'ять'", "'п·U+2019·ять'"]),
        (["COVID-19 в Україні"], ["'COVID-19 в Україні'"]),
        (["a\nb"], ["'a·U+000A·b'"]),
        (["наукова-fi"], ["'наукова-fi'"]),
    ],
)
def test_a_sign_that_nobody_can_see_stands_in_a_message_with_its_code_point(words: list[str], shown: list[str]) -> None:
    """An invisible one, one of another alphabet, and one in which the word differs from another that looks like it."""
    assert spelling.quote_words(words) == shown


def test_look_alikes_are_named_and_others_are_not() -> None:
    """Case, zero width, alphabets and apostrophes; a stress is a difference that a reader sees."""
    alike = spelling.find_lookalikes(["Так", "так", "тaк", "ні", "нi", "za", "замок", "за\u0301мок", "a\u200bb", "ab"])
    assert alike == (("ab", "a\u200bb"), ("Так", "тaк", "так"), ("нi", "ні"))
    assert spelling.find_lookalikes(["мій", unicodedata.normalize("NFD", "мій")]) == ()
    assert spelling.describe_lookalikes("item ids", ["w1", "W1", "w2"]) == (
        "Some item ids look alike and are different: 'W1' and 'w1'. Give them one spelling if they are the same.",
    )
    assert spelling.describe_lookalikes("item ids", ["w1", "w2"]) == ()


def test_a_difference_of_texts_is_shown_where_it_begins() -> None:
    """With some signs before and after it."""
    assert spelling.describe_difference("The cat sat.", "The cot sat.") == "'The cat sat.' and 'The cot sat.'"
    long = "x" * 300
    assert spelling.describe_difference(f"{long} cat", f"{long} cаt") == (
        f"'{'x' * 18} cat' and '{'x' * 18} c·U+0430·t'"
    )
