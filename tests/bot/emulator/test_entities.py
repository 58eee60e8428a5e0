"""HTML becomes text and entities in UTF-16 units, or is refused in the server's words; MarkdownV2 is unsupported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.emulator import message_content
from bot.emulator.calls import CallRefused
from bot.emulator.entities import FormattedText, count_units, detect_entities, trim_text
from bot.emulator.scripted_people import ScriptedPerson

Bot = Any
Found = list[tuple[str, int, int, str]]


def read(text: str) -> tuple[str, Found]:
    """Text and entities as a bot would get them."""
    whole = trim_text(*message_content.parse_html(text))
    return whole.text, [(one.type, one.offset, one.length, one.argument) for one in whole.entities]


@pytest.mark.parametrize(
    ("markup", "text", "entities"),
    [
        ("<b>так</b>", "так", [("bold", 0, 3, "")]),
        ("😀<i>a</i>", "😀a", [("italic", 2, 1, "")]),
        ("<b>a<i>б</i></b>", "aб", [("bold", 0, 2, ""), ("italic", 1, 1, "")]),
        ("<STRONG>a</strong>", "a", [("bold", 0, 1, "")]),
        ("<u>a</u><s>b</s><tg-spoiler>c</tg-spoiler>", "abc",
         [("underline", 0, 1, ""), ("strikethrough", 1, 1, ""), ("spoiler", 2, 1, "")]),
        ('<span class="tg-spoiler">c</span>', "c", [("spoiler", 0, 1, "")]),
        ("<blockquote expandable>довгий\nтекст</blockquote>", "довгий\nтекст", [("expandable_blockquote", 0, 12, "")]),
        ("<blockquote>a</blockquote>", "a", [("blockquote", 0, 1, "")]),
        ('<a href="https://a.org/?x=1&amp;y=2">тут</a>', "тут", [("text_link", 0, 3, "https://a.org/?x=1&y=2")]),
        ("<a href='a.org'>a</a>", "a", [("text_link", 0, 1, "http://a.org/")]),
        ("<a>a.org</a>", "a.org", [("text_link", 0, 5, "http://a.org/")]),
        ("<a href='no where'>a</a>", "a", []),
        ("<code>x</code>", "x", [("code", 0, 1, "")]),
        ('<pre><code class="language-python">x</code></pre>', "x", [("pre", 0, 1, "python")]),
        ('<tg-emoji emoji-id="5">👍</tg-emoji>', "👍", [("custom_emoji", 0, 2, "5")]),
        ("&lt;b&gt; &amp; &quot;&#1103;&#x44f; &nbsp;&copy", '<b> & "яя &nbsp;&copy', []),
        ("  <b> a </b>\n", "a", [("bold", 0, 1, "")]),
        ("<b></b>a", "a", []),
        ("a</>", None, "Unexpected end tag at byte offset 1"),
        ("<b>a</>", "a", [("bold", 0, 1, "")]),
        ("<div>", None, 'Unsupported start tag "div" at byte offset 0'),
        ("я<div>", None, 'Unsupported start tag "div" at byte offset 2'),
        ("5 <b", None, "Unclosed start tag at byte offset 2"),
        ("5 < 7", None, 'Unsupported start tag "" at byte offset 2'),
        ("<b>a", None, 'Can\'t find end tag corresponding to start tag "b"'),
        ("<b>a</i>", None, 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("a</b>", None, "Unexpected end tag at byte offset 1"),
        ("<b>a</b", None, "Unclosed end tag at byte offset 4"),
        ("<a href", None, 'Unclosed start tag "a" at byte offset 0'),
        ("<a href ", None, 'Unclosed start tag "a" at byte offset 0'),
        ("<a href=", None, 'Unclosed start tag "a" at byte offset 0'),
        ("<a href= ", None, 'Unclosed start tag "a" at byte offset 0'),
        ("<a 'x'>", None, 'Empty attribute name in the tag "a" at byte offset 0'),
        ("<a href=x/y>", None, "Unexpected end of name token at byte offset 8"),
        ("<a href='x>", None, "Unclosed start tag at byte offset 0"),
        ('<span class="red">a</span>', None, 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
    ],
)  # fmt: skip
def test_html(markup: str, text: str | None, entities: Any) -> None:
    """Every tag, every complaint."""
    if text is not None:
        assert read(markup) == (text, entities)
        return
    with pytest.raises(CallRefused) as refusal:
        read(markup)
    assert refusal.value.description == f"Bad Request: can't parse entities: {entities}"


@pytest.mark.parametrize("mode", ["MarkdownV2", "Markdown", "md"])
def test_other_parse_modes_are_refused(bot: Bot, ann: ScriptedPerson, mode: str) -> None:
    """The bot sends HTML, so the local Telegram reads nothing else."""
    refusal = bot.refused("sendMessage", chat_id=ann.id, text="*так*", parse_mode=mode)
    assert refusal == "Bad Request: unsupported parse_mode: the local Telegram reads HTML only"


@given(st.text(st.sampled_from("<>&/b=\"' ab;#1lt>!\n.яє😀"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else happens, and no entity leaves its text."""
    try:
        whole = trim_text(*message_content.parse_html(text))
    except CallRefused:
        return
    assert all(0 <= one.offset < one.end <= count_units(whole.text) for one in whole.entities)


@given(st.text(max_size=60))
def test_escaped_text_comes_through_as_it_is(text: str) -> None:
    """`&lt;`, `&gt;` and `&amp;` are all that HTML needs."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert message_content.parse_html(escaped) == (text, [])


def test_what_telegram_finds_by_itself() -> None:
    """Commands, addresses, mentions and tags, but not inside code."""
    found = detect_entities(
        trim_text(
            *message_content.parse_html("/start@bot_x я@b.org https://a.org/x, @ann_b #тег <code>/no</code> a/b 5/6")
        )
    )
    named = [(one.type, found.text.encode("utf-16-le")[2 * one.offset : 2 * one.end].decode("utf-16-le"))
             for one in found.entities]  # fmt: skip
    assert named == [
        ("bot_command", "/start@bot_x"), ("email", "я@b.org"), ("url", "https://a.org/x"), ("mention", "@ann_b"),
        ("hashtag", "#тег"), ("code", "/no"),
    ]  # fmt: skip
    assert detect_entities(FormattedText("a/b 7/11 #1")).entities == ()


def test_listed_entities_are_cut_to_the_text(bot: Bot, ann: ScriptedPerson) -> None:
    """Entities may come as a list instead of markup; what leaves the text is cut, and a hundred is the most."""
    listed = [{"type": "bold", "offset": 1, "length": 50}, {"type": "italic", "offset": 9, "length": 1}]
    sent = bot("sendMessage", chat_id=10, text="😀а", entities=listed)
    assert sent["entities"] == [{"type": "bold", "offset": 1, "length": 2}]
    many = "".join(f"<b>{number % 10}</b> " for number in range(150))
    assert len(bot("sendMessage", chat_id=10, text=many, parse_mode="HTML")["entities"]) == 100
