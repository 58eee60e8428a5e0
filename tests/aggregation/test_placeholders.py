"""Words that say nothing, words that say that nothing is known, and a declared "none", among short honest answers."""

from __future__ import annotations

import pytest

from aggregation.placeholders import declares_none, is_placeholder, is_unknown, is_unwritten

MEANT = ("ethics", "which board looked at it and under which number, or `not sought`")

PLACEHOLDERS = (
    *("", "-", "—", "…", "...", "???", "_", "**", "«-»", "\u200b", "x", "Х", "(x)", "xxx", "ННН"),
    *(
        "n/a",
        "N. A.",
        "na",
        "n\\a",
        "N/A.",
        "not applicable",
        "н/д",
        "незастосовно",
        "неприменимо",
        "nie dotyczy",
        "nd",
    ),
    *("TBD", "t.b.d.", "to be determined", "tbd: after the board meets", "TODO", "to do", "TODO ask Anna", "by TODO"),
    *("none?", "yes?", "так?", "CC BY?", "null", "test", "тест", "asdf", "lorem ipsum", "later", "пізніше", "позже"),
    *("describe here", "Describe how people were found", "Please write your text here.", "your text", "<TODO>"),
    *("[describe how people were found]", "{recruitment}", "<your board>", "approved by [name of the board]"),
    *(
        "опишіть тут",
        "Опишіть, як знайшли людей",
        "тут буде опис",
        "заповнити",
        "схвалено [назва комісії]",
        "ваш текст",
    ),
    *("опишите здесь", "заполнить", "уточняется", "opisz tutaj", "do uzupełnienia", "Wpisz, jak znaleziono osoby"),
    *("the texts come from …", "Ethics", MEANT[1]),
)
HONEST = (
    *("no", "yes", "none", "0", "5", "ні", "так", "нет", "да", "nie", "tak", "brak", "uk", "US", "ok", "№ 5", "无"),
    *("IRB 5", "exempt", "not sought", "not sought; no personal data", "pending", "not yet", "not collected"),
    *("CC0", "MIT", "CC BY 4.0", "public domain", "Give credit: CC BY 4.0", "вкажіть авторство (CC BY)", "як є"),
    *("volunteers", "volunteers, unpaid", "friends", "Prolific", "студенти", "Anna’s class", "18+", "5 UAH"),
    *("not applicable: no people took part", "n/a, every answer is made by a script", "none; they attested it"),
    *("Todo participante recibió 10 EUR", "Write the Docs community on Slack", "State university students"),
    *("TBC Bank employees", "test subjects of a course", "chats, mailing lists, …", "students of class X"),
    *("people saw [MASK], models <mask>", "<https://example.org/licence>", "people saw ______ in place of the word"),
    *("asked after every session: did you use a language model?", "we asked them not to; nobody checked"),
    *("not known", "unknown, but probably students", "невідомо", "нет данных", "brak danych"),
)
UNKNOWN = (
    *("not known", "Not known.", "not known: nobody was asked", "unknown", "unknown, but probably students", "n/k"),
    *("It is not known", "we do not know", "I don’t know", "not recorded", "not reported", "no data", "not known yet"),
    *("невідомо", "не відомо", "не знаємо", "немає даних", "неизвестно", "нет данных", "nie wiadomo", "brak danych"),
)
NOT_UNKNOWN = ("unknown workers of a platform", "no data are published", "no information was collected", "none", "no")
NONE = {
    "ai_use": ("none", "None.", "no", "nothing at all", "none used", "none; they attested it", "ні", "нет", "brak"),
    "pay": ("none", "0", "volunteers", "volunteers, unpaid", "unpaid volunteers", "волонтери", "не платили"),
    "stimulus_differences": ("none", "none known", "no differences", "the same", "немає", "відмінностей немає"),
}
NOT_NONE = {
    "ai_use": ("not allowed", "no language models; dictionaries allowed", "nobody checked", "not known", "no data"),
    "pay": ("12 EUR", "volunteers, 5 EUR each", "volunteers of a paid course"),
    "stimulus_differences": ("none but the letters", "none, except few-shot examples", "the same text, letters before"),
}


def test_a_placeholder_says_nothing_and_a_short_answer_something() -> None:
    """The first table in four languages, the second without a false alarm."""
    assert [text for text in PLACEHOLDERS if not is_placeholder(text, meant=MEANT)] == []
    assert [text for text in HONEST if is_placeholder(text, meant=MEANT)] == []


def test_what_is_not_known_is_told_from_what_is_none() -> None:
    """With and without a reason; a sentence that only begins so is neither."""
    assert [text for text in UNKNOWN if not is_unknown(text) or declares_none(text)] == []
    assert [text for text in NOT_UNKNOWN if is_unknown(text)] == []
    assert [(fact, text) for fact, texts in NONE.items() for text in texts if not declares_none(text, fact=fact)] == []
    assert [(fact, text) for fact, texts in NOT_NONE.items() for text in texts if declares_none(text, fact=fact)] == []


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("", " ", "-", "…", "---", "TODO", "TODO: write it", "tbd", "n/a", "Lorem ipsum dolor sit amet"), True),
        (("x", "а", "1", "🍎", "Так?", "Write your answer here.", "Mark lines that have TODO.", "empty"), False),
    ],
)
def test_a_text_for_people_may_be_short_but_not_unwritten(texts: tuple[str, ...], expected: bool) -> None:
    """A title of one letter is one; instructions may ask to write something here."""
    assert [text for text in texts if is_unwritten(text) is not expected] == []
