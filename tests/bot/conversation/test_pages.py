"""Texts as messages, letters and callbacks: properties that hold for any text."""

from __future__ import annotations

import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.conversation import message_layout, prompts, updates_and_calls
from bot.conversation.inputs import options
from bot.conversation.message_layout import TextBlock
from bot.conversation.updates_and_calls import ButtonAction, CallbackData, InlineButton
from bot.emulator import message_content

TEXTS = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(" \n.&<😀"), max_size=3000)


@st.composite
def blocks(draw: st.DrawFn) -> TextBlock:
    """A block with bold parts anywhere."""
    text = draw(TEXTS)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    bold = tuple(zip(places[::2], places[1::2], strict=False))
    return TextBlock(text, bold, fold=draw(st.booleans()))


@given(st.lists(blocks(), max_size=4), st.integers(200, 600))
@settings(max_examples=limit_examples(60), deadline=None)
def test_no_part_is_too_long_and_nothing_is_lost(several: list[TextBlock], most: int) -> None:
    """As valid HTML, in UTF-16 units, every character but white space in its order."""
    parts = [
        message_content.parse_html(one)[0]
        for one in message_layout.render_html_parts([TextBlock("1"), *several], heading="{number}/{of}", max_units=most)
    ]
    assert all(0 < len(one.encode("utf-16-le")) // 2 <= most for one in parts)
    whole = "".join(one.split("\n\n", 1)[1] if len(parts) > 1 else one for one in parts)
    assert "".join(whole.split()) == "".join(("1" + "".join(one.text for one in several)).split())


@given(st.lists(st.text(alphabet="абвґ", min_size=1, max_size=20), min_size=1, max_size=900))
@settings(max_examples=limit_examples(60), deadline=None)
def test_no_word_is_cut(words: list[str]) -> None:
    """The words of all parts are the words of the text."""
    parts = message_layout.render_html_parts([TextBlock(" ".join(words))], heading="{number}/{of}", max_units=300)
    heads = {f"<b>{number}/{len(parts)}</b>" for number in range(1, len(parts) + 1)}
    assert [one for part in parts for one in part.split() if one not in heads] == words


def test_a_bold_part_is_not_cut() -> None:
    """The cut moves before it."""
    text = "слово " * 60 + "[ДУЖЕ ВАЖЛИВИЙ ПРОПУСК] " + "слово " * 60
    at = text.index("[")
    parts = message_layout.render_html_parts(
        [TextBlock(text, ((at, at + 23),))], heading="{number}/{of}", max_units=at + 24 + 10
    )
    assert sum("<b>[ДУЖЕ ВАЖЛИВИЙ ПРОПУСК]</b>" in one for one in parts) == 1


def test_a_bold_part_that_is_too_long_is_cut_between_words() -> None:
    """A question of several pages, all of it bold."""
    parts = message_layout.render_html_parts(
        [message_layout.make_bold_block("довгенько " * 100)], heading="{number}/{of}", max_units=300
    )
    assert len(parts) > 3
    assert all(set(one.replace("<b>", "").replace("</b>", "").split()[1:]) == {"довгенько"} for one in parts)


def test_more_marks_than_telegram_takes_are_left_plain() -> None:
    """A hundred entities is the limit."""
    text = "аб" * 200
    made = message_layout.render_html_parts(
        [TextBlock(text, tuple((at, at + 1) for at in range(0, 400, 2)))], heading=""
    )
    assert len(message_content.parse_html(made[0])[1]) == 90


PRESSES = st.builds(
    CallbackData,
    st.sampled_from(ButtonAction),
    st.integers(0, updates_and_calls.MAX_NUMBER),
    st.lists(st.integers(0, updates_and_calls.MAX_NUMBER), max_size=4).map(tuple),
    st.from_regex(r"[A-Za-z0-9_+/-]{0,32}", fullmatch=True).map(lambda word: word.strip()),
)


@given(PRESSES)
def test_a_button_comes_back_as_it_was(press: CallbackData) -> None:
    """Any verb, row, numbers and word, or a refusal to make it; never more than 64 bytes."""
    try:
        data = updates_and_calls.encode_callback(press)
    except ValueError:
        assert len(f"{press}") > 64
        return
    assert len(data.encode()) <= updates_and_calls.MAX_BYTES
    assert updates_and_calls.decode_callback(data) == press


@given(st.text(max_size=70))
def test_whatever_comes_is_ours_to_the_byte_or_nothing(data: str) -> None:
    """There is one way to write a button."""
    found = updates_and_calls.decode_callback(data)
    assert found is None or updates_and_calls.encode_callback(found) == data


@pytest.mark.parametrize(
    ("text", "language", "meant"),
    [
        ("а", "uk", (0,)),
        ("A", "uk", (0,)),
        ("B", "uk", (2,)),
        ("в", "uk", (2,)),
        ("с", "en", (2,)),
        ("c", "en", (2,)),
        ("3", "en", (2,)),
        ("4", "en", ()),
        ("0", "en", ()),
        ("2, 3", "uk", (1, 2)),
        ("А Б", "uk", (0, 1)),
        ("один", "uk", (0,)),
        ("а або б", "uk", ()),
        ("", "uk", ()),
        ("²", "uk", ()),
    ],
)
def test_what_a_typed_text_stands_for(text: str, language: str, meant: tuple[int, ...]) -> None:
    """Letters that look alike are taken for one another; half an understanding is none."""
    assert options.match_options(text, ["один", "два", "три"], language) == meant


@pytest.mark.parametrize(
    ("text", "options_shown", "meant"),
    [
        ("ZOLW", ["żółw", "łódź"], 0),
        ("lodz", ["żółw", "łódź"], 1),
        ("żółw", ["zolw", "lodz"], 0),
        ("Еще нет", ["ещё нет", "уже да"], 0),
        ("lad", ["łąd", "ład"], None),
        ("ład", ["łąd", "ład"], 1),
        ("иод", ["йод", "их"], None),
    ],
)
def test_an_option_may_be_typed_without_accents(text: str, options_shown: list[str], meant: int | None) -> None:
    """Where one option remains; й is a letter of its own. It is the same for a button of a question about oneself."""
    matched = options.match_options(text, options_shown, "pl")
    assert (matched[0] if len(matched) == 1 else None) == meant
    rows = tuple((InlineButton(option, f"o{number}"),) for number, option in enumerate(options_shown))
    found = prompts.find_named_button(text, rows)
    assert (int(found.data[1:]) if found else None) == meant


def test_letters_are_those_that_nobody_confuses() -> None:
    """No Ґ Є І Ї Й; numbers where letters end."""
    assert options.list_letters(6, "uk") == tuple("АБВГДЕ")
    assert not set("ҐЄІЇЙ") & set(options.list_letters(20, "uk"))
    assert options.list_letters(3, "cs") == ("A", "B", "C")
    assert options.list_letters(21, "uk")[-1] == "21"
