"""Spans in a chat, without a chat: sentences and words, the choice of spans tap by tap, and typed parts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaigns.questions import QuestionContent, SpanQuestion
from annotation.errors import Stale
from bot.conversation.spans.span_drafts import SpanDraft, SpanStep, SpanTap, find_typed_part, parse_draft, split_text
from bot.conversation.spans.span_screens import SpanChoice

SENTENCES = [
    (
        "Першу частину «Енеїди» видали 1798 р. у Петербурзі. Її автор — І. П. Котляревський. Це я. Так? — спитав він.",
        [
            "Першу частину «Енеїди» видали 1798 р. у Петербурзі.",
            "Її автор — І. П. Котляревський.",
            "Це я.",
            "Так? — спитав він.",
        ],
    ),
    (
        "Он родился в г. Полтаве, т. е. на юге. «Приди!» Он пришёл… Конец",
        ["Он родился в г. Полтаве, т. е. на юге.", "«Приди!»", "Он пришёл…", "Конец"],
    ),
    ("Dr. Smith came, e.g. Monday. He left.", ["Dr. Smith came, e.g. Monday.", "He left."]),
    ("Перший рядок\n\nдругий рядок\n———\n", ["Перший рядок", "другий рядок"]),
    ("", []),
    (" — … ", []),
]
WORDS = [
    ("Це п’ять-шість «слів», об'їзд: 3,14 і 10:30!", ["Це", "п’ять-шість", "слів", "об'їзд", "3,14", "і", "10:30"]),
    ("за́мок — не замо́к, на 100%, 1990–2000, −5 °C", ["за́мок", "не", "замо́к", "на", "100%", "1990–2000", "−5", "°C"]),
    ("R&D, №5, C++ і 😀(так)", ["R&D", "№5", "C++", "і", "😀", "так"]),
]
TEXTS = st.text(alphabet="абв ґ'’-.!?…,«»()\n1 2 АБ😀é", max_size=120)
TAPS = st.lists(st.tuples(st.sampled_from(SpanTap), st.integers(0, 9)), max_size=25)


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: list[str]) -> None:
    """Abbreviations and initials end none, quotes and new lines may."""
    assert [text[start:end] for start, end in split_text(text).sentences] == expected


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words(text: str, expected: list[str]) -> None:
    """Apostrophes, hyphens, accents and numbers stay whole, punctuation around a word does not belong to it."""
    assert [text[start:end] for start, end in split_text(text).words] == expected


@given(TEXTS)
def test_every_word_is_in_one_sentence(text: str) -> None:
    """And letters and digits are in words."""
    segments = split_text(text)
    in_sentences = [word for index in range(len(segments.sentences)) for word in segments.list_sentence_words(index)]
    assert in_sentences == list(range(len(segments.words)))
    covered = {at for start, end in segments.words for at in range(start, end)}
    assert all(at in covered for at, character in enumerate(text) if character.isalnum())
    for start, end in (*segments.sentences, *segments.words):
        assert text[start:end] == text[start:end].strip() != ""


@given(TEXTS, TAPS, st.integers(1, 3))
def test_any_taps_choose_parts_of_the_text(text: str, taps: list[tuple[SpanTap, int]], most: int) -> None:
    """Whatever is tapped, the spans are apart and a valid answer; a draft survives being stored; there is a way on."""
    draft = SpanDraft()
    question = SpanQuestion(type="span", text="?", field="text", most=most)
    for tap, value in taps:
        choice = SpanChoice(segments=split_text(text), most=most, draft=draft)
        assert choice.step is SpanStep.CONFIRM or choice.shown or not choice.segments.words
        at = choice.shown[value % len(choice.shown)] if tap is SpanTap.CHOOSE and choice.shown else value
        try:
            draft = choice.apply_tap(tap, at)
        except Stale:
            continue
        stored = json.loads(json.dumps(draft.to_json()))
        assert parse_draft(stored) == draft
        assert len(draft.spans) <= most
        if draft.spans:
            raw = [{"start": start, "end": end, "text": text[start:end]} for start, end in draft.spans]
            answer = question.parse_answer(raw, QuestionContent(fields={"text": text}))
            assert [(span.start, span.end) for span in answer if not isinstance(span, str)] == list(draft.spans)


@given(TEXTS.filter(lambda text: bool(split_text(text).words)), st.data())
def test_every_run_of_words_can_be_chosen(text: str, data: st.DataObject) -> None:
    """The sentence, the first word, the last one on whatever page: exactly these words are chosen.

    After the last word of a sentence nothing is asked about the end; it can be moved on.
    """
    segments = split_text(text)
    first = data.draw(st.integers(0, len(segments.words) - 1))
    last = data.draw(st.integers(first, len(segments.words) - 1))
    draft, sentence = SpanDraft(), segments.find_sentence(segments.words[first][0])
    for wanted in ([sentence] if len(segments.sentences) > 1 else []) + [first, last]:
        choice = SpanChoice(segments=segments, most=1, draft=draft)
        if draft.current is not None:
            break
        page = next(number for number, page in enumerate(choice.pages) if wanted in page)
        draft = SpanChoice(segments=segments, most=1, draft=choice.apply_tap(SpanTap.PAGE, page)).apply_tap(
            SpanTap.CHOOSE, wanted
        )
    while draft.current is not None and draft.current[1] < segments.words[last][1]:
        draft = SpanChoice(segments=segments, most=1, draft=draft).apply_tap(SpanTap.MOVE_END_ON)
    assert draft.current == (segments.words[first][0], segments.words[last][1])


def test_the_last_word_of_a_sentence_needs_no_end() -> None:
    """One word is a whole part at once, before a part that is kept too; a word with others after it is not."""
    segments = split_text("Один два. Три.")
    for first, current in ((1, (5, 8)), (0, None)):
        chosen = SpanChoice(segments=segments, most=1, draft=SpanDraft(sentence=0)).apply_tap(SpanTap.CHOOSE, first)
        assert chosen.current == current


def test_an_end_moves_by_one_word_and_past_the_sentence() -> None:
    """Both ends, both ways; half a word that was typed grows to the whole one first."""
    text = "Один два. Три чотири."
    segments = split_text(text)

    def move(span: tuple[int, int], tap: SpanTap) -> str:
        choice = SpanChoice(segments=segments, most=1, draft=SpanDraft(current=span))
        moved = choice.apply_tap(tap).current
        assert moved is not None
        return text[slice(*moved)]

    assert move((5, 8), SpanTap.MOVE_END_ON) == "два. Три"
    assert move((5, 8), SpanTap.MOVE_START_BACK) == "Один два"
    assert move((0, 8), SpanTap.MOVE_START_ON) == "два"
    assert move((0, 8), SpanTap.MOVE_END_BACK) == "Один"
    assert move((6, 7), SpanTap.MOVE_END_ON) == "ва"
    assert move((6, 7), SpanTap.MOVE_START_BACK) == "дв"
    for tap in SpanTap.MOVE_START_ON, SpanTap.MOVE_END_BACK:
        with pytest.raises(Stale):
            move((5, 8), tap)


def test_spans_of_one_question_never_overlap() -> None:
    """What is chosen is offered no more, neither as a word nor by moving an end nor by typing it."""
    text = "Один два три чотири."
    segments = split_text(text)
    kept = SpanChoice(segments=segments, most=2, draft=SpanDraft(current=(5, 8))).apply_tap(SpanTap.ADD)
    choice = SpanChoice(segments=segments, most=2, draft=kept)
    assert list(choice.candidates) == [0, 2, 3]
    assert choice.choose_extents([(5, 12)]) is None
    chosen = SpanChoice(segments=segments, most=2, draft=choice.apply_tap(SpanTap.CHOOSE, 0))
    assert chosen.draft.current == (0, 4)
    assert set(chosen.moves) == set()
    assert not chosen.can_add
    assert chosen.apply_tap(SpanTap.REMOVE).current == (5, 8)


def test_a_long_sentence_and_many_sentences_come_in_pages() -> None:
    """No page has more buttons than fit; the first page of last words ends with the sentence."""
    long = split_text(" ".join(["слово"] * 100) + ". Далі ще.")
    in_first = SpanChoice(segments=long, most=1, draft=SpanDraft(sentence=0))
    assert [len(page) for page in in_first.pages] == [40, 40, 20]
    in_last = SpanChoice(segments=long, most=1, draft=SpanDraft(sentence=0, first=90))
    assert [list(page) for page in in_last.pages] == [[*range(90, 100)], [100, 101]]
    assert in_last.get_number(100) == 101
    many = SpanChoice(segments=split_text("Так. " * 60), most=1, draft=SpanDraft())
    assert [len(page) for page in many.pages] == [24, 24, 12]


TYPED = [
    ("два", "Один два.", [(5, 8)]),
    ("ДВА", "Один два.", [(5, 8)]),
    ("п'ять  слів", "То п’ять\nслів", [(3, 13)]),
    ('"Енеїду"', "Читав «Енеїду».", [(6, 14)]),
    ("ана", "анана", [(0, 3), (2, 5)]),
    ("немає", "Один два.", []),
    (".*", "Один два.", []),
    ("  ", "Один два.", []),
]


@pytest.mark.parametrize(("typed", "text", "expected"), TYPED)
def test_typed_parts(typed: str, text: str, expected: list[tuple[int, int]]) -> None:
    """Found exactly, else but for case, spaces, quotes and apostrophes."""
    assert list(find_typed_part(typed, text)) == expected


def test_a_typed_number_is_the_number_on_a_button() -> None:
    """And nothing else: not one that is not shown, not one with a sign."""
    segments = split_text("Один два. Три чотири п'ять.")
    words = SpanChoice(segments=segments, most=1, draft=SpanDraft(sentence=1))
    assert words.find_typed_number("3") == 4
    assert [words.find_typed_number(typed) for typed in ("4", "0", "-1", "½", "два", "999999")] == [None] * 6


def test_a_part_that_stands_twice_is_asked_about() -> None:
    """The annotator chooses its place."""
    segments = split_text("Кіт і кіт.")
    choice = SpanChoice(segments=segments, most=1, draft=SpanDraft())
    drafted = choice.choose_extents(find_typed_part("кіт", segments.text))
    assert drafted == SpanDraft(current=(6, 9))  # exactly so it stands once
    drafted = choice.choose_extents(find_typed_part("КІТ", segments.text))
    assert drafted is not None
    assert SpanChoice(segments=segments, most=1, draft=drafted).step is SpanStep.MATCH
    assert SpanChoice(segments=segments, most=1, draft=drafted).apply_tap(SpanTap.CHOOSE, 0).current == (0, 3)
