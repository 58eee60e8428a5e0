"""What the choice of spans looks like: numbered sentences and words, the chosen span in its context, the buttons."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.errors import Stale
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import TextBlock
from bot.conversation.spans.span_drafts import Extent, SpanDraft, SpanStep, SpanTap, TextSegments, get_end, get_start
from bot.conversation.texts import Texts, get_texts, list_languages
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

WORDS_PER_PAGE = 40
"""How many words are numbered at once: five rows of eight buttons."""
SENTENCES_PER_PAGE = 24
MATCHES_PER_PAGE = 12
MAX_MATCHES = 60
"""How many places of typed words are asked about."""


@dataclass(frozen=True, kw_only=True)
class SpanChoice:
    """The choice of at most `most` spans in a text, as far as it has come."""

    segments: TextSegments
    most: int
    draft: SpanDraft

    @property
    def step(self) -> SpanStep:
        """What is asked now."""
        draft = self.draft
        if draft.current is not None:
            return SpanStep.CONFIRM
        if draft.matches:
            return SpanStep.MATCH
        if draft.first is not None:
            return SpanStep.LAST_WORD
        return SpanStep.FIRST_WORD if self._sentence is not None else SpanStep.SENTENCE

    @property
    def candidates(self) -> Sequence[int]:
        """The indices of the sentences, words or matches that can be chosen now, on all pages."""
        words = self.segments.words
        match self.step:
            case SpanStep.SENTENCE:
                every = range(len(self.segments.sentences))
                return [index for index in every if any(map(self._is_free, self.segments.list_sentence_words(index)))]
            case SpanStep.FIRST_WORD:
                return [word for word in self.segments.list_sentence_words(self._sentence or 0) if self._is_free(word)]
            case SpanStep.LAST_WORD:
                first = self.draft.first or 0
                taken = (word for word in range(first, len(words)) if not self._is_free(word))
                return range(first, next(taken, len(words)))
            case SpanStep.MATCH:
                return range(len(self.draft.matches))
            case SpanStep.CONFIRM:
                return ()

    @property
    def pages(self) -> tuple[Sequence[int], ...]:
        """The candidates in pages; the first page of last words ends with the sentence, if it is long enough."""
        candidates = self.candidates
        if self.step in {SpanStep.SENTENCE, SpanStep.MATCH}:
            size = SENTENCES_PER_PAGE if self.step is SpanStep.SENTENCE else MATCHES_PER_PAGE
            return tuple(candidates[start : start + size] for start in range(0, len(candidates), size))
        if self.step is SpanStep.FIRST_WORD:
            return _cut_pages(candidates)
        if self.step is SpanStep.LAST_WORD:
            sentence = self.segments.find_sentence(self.segments.words[candidates[0]][0])
            in_sentence = self.segments.list_sentence_words(sentence).stop - candidates[0]
            return (*_cut_pages(candidates[:in_sentence]), *_cut_pages(candidates[in_sentence:]))
        return ()

    @property
    def shown(self) -> Sequence[int]:
        """The candidates on the shown page."""
        pages = self.pages
        return pages[min(self.draft.page, len(pages) - 1)] if pages else ()

    @property
    def moves(self) -> Mapping[SpanTap, Extent]:
        """Where each move of an end by one word leads, for those that are possible."""
        if self.draft.current is None:
            return {}
        start, end = self.draft.current
        words = self.segments.words
        last_before = bisect_left(words, start, key=get_start) - 1
        first_inside = bisect_right(words, start, key=get_start)
        last_inside = bisect_left(words, end, key=get_end) - 1
        first_after = bisect_right(words, end, key=get_end)
        extents: dict[SpanTap, Extent] = {}
        if last_before >= 0:
            extents[SpanTap.MOVE_START_BACK] = (words[last_before][0], end)
        if first_inside < len(words) and words[first_inside][1] <= end:
            extents[SpanTap.MOVE_START_ON] = (words[first_inside][0], end)
        if last_inside >= 0 and words[last_inside][0] >= start:
            extents[SpanTap.MOVE_END_BACK] = (start, words[last_inside][1])
        if first_after < len(words):
            extents[SpanTap.MOVE_END_ON] = (start, words[first_after][1])
        return {move: span for move, span in extents.items() if not _overlaps(span, self.draft.kept)}

    @property
    def can_add(self) -> bool:
        """Whether another span can be chosen beside these, and there is a word left for it."""
        spans = self.draft.spans
        return len(spans) < self.most and any(not _overlaps(word, spans) for word in self.segments.words)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a step before this one."""
        if self.step is SpanStep.CONFIRM:
            return False
        has_choice_before = self.step is SpanStep.FIRST_WORD and len(self.segments.sentences) > 1
        return has_choice_before or self.step in {SpanStep.LAST_WORD, SpanStep.MATCH} or bool(self.draft.kept)

    def apply_tap(self, tap: SpanTap, value: int = 0) -> SpanDraft:
        """The draft after a tap; raises Stale for what is not offered now."""
        draft = self.draft
        if tap is SpanTap.CHOOSE and value in self.candidates:
            return self._choose_candidate(value)
        if tap is SpanTap.PAGE and 0 <= value < len(self.pages):
            return replace(draft, page=value)
        if tap is SpanTap.BACK and self.can_go_back:
            return self._go_back()
        if tap in self.moves:
            return replace(draft, current=self.moves[tap])
        if tap is SpanTap.ADD and draft.current is not None and self.can_add:
            return SpanDraft(kept=draft.spans)
        if tap is SpanTap.REMOVE and draft.current is not None:
            return SpanDraft(kept=draft.kept[:-1], current=draft.kept[-1]) if draft.kept else SpanDraft()
        raise Stale("This is not offered now.")

    def find_typed_number(self, text: str) -> int | None:
        """The candidate that a typed number means; None for any other text, and where no such number is shown."""
        if not text.isascii() or not text.isdecimal() or len(text) > 5:
            return None
        numbers = {number: candidate for candidate in self.shown if (number := self.get_number(candidate))}
        return numbers.get(int(text))

    def find_typed_page(self, text: str) -> int | None:
        """The page to which a typed “‹” or “›” leads; None for any other text, and where there is no such page."""
        if text not in PAGE_LABELS:
            return None
        page = min(self.draft.page, max(0, len(self.pages) - 1)) + (1 if text == PAGE_LABELS[1] else -1)
        return page if 0 <= page < len(self.pages) else None

    def get_number(self, candidate: int) -> int:
        """The number of a sentence in the text, of a word in its sentence or from the first one on, or of a match."""
        match self.step:
            case SpanStep.FIRST_WORD:
                return candidate - self.segments.list_sentence_words(self._sentence or 0).start + 1
            case SpanStep.LAST_WORD:
                first = self.draft.first or 0
                sentence = self.segments.find_sentence(self.segments.words[first][0])
                return candidate - self.segments.list_sentence_words(sentence).start + 1
            case _:
                return candidate + 1

    def choose_extents(self, extents: Sequence[Extent]) -> SpanDraft | None:
        """The draft with a part of the text that was typed; None where it overlaps what is chosen already.

        A part that stands in the text several times is asked about.
        """
        free = tuple(extent for extent in extents if not _overlaps(extent, self.draft.kept))
        if not free:
            return None
        return self._draft_span(current=free[0]) if len(free) == 1 else self._draft_span(matches=free[:MAX_MATCHES])

    @property
    def _sentence(self) -> int | None:
        """The sentence whose words are asked for; the only one without a choice."""
        return 0 if len(self.segments.sentences) == 1 else self.draft.sentence

    def _choose_candidate(self, value: int) -> SpanDraft:
        draft = replace(self.draft, page=0)
        match self.step:
            case SpanStep.SENTENCE:
                return replace(draft, sentence=value)
            case SpanStep.FIRST_WORD:
                chosen = replace(draft, first=value)
                pages = replace(self, draft=chosen).pages
                is_last = len(pages[0]) == 1  # no word follows in the sentence: nothing is asked about the end
                return SpanDraft(kept=draft.kept, current=self.segments.words[value]) if is_last else chosen
            case SpanStep.LAST_WORD:
                start, end = self.segments.words[self.draft.first or 0][0], self.segments.words[value][1]
                return SpanDraft(kept=draft.kept, current=(start, end))
            case _:
                return SpanDraft(kept=draft.kept, current=draft.matches[value])

    def _go_back(self) -> SpanDraft:
        draft = replace(self.draft, page=0)
        if self.step is SpanStep.LAST_WORD:
            return replace(draft, first=None)
        if self.step is SpanStep.FIRST_WORD and len(self.segments.sentences) > 1:
            return replace(draft, sentence=None)
        if self.step is SpanStep.MATCH:
            return SpanDraft(kept=draft.kept)
        return SpanDraft(kept=draft.kept[:-1], current=draft.kept[-1])

    def _draft_span(self, *, current: Extent | None = None, matches: tuple[Extent, ...] = ()) -> SpanDraft:
        """A draft with the kept spans, and the current one or its possible places."""
        return SpanDraft(kept=self.draft.kept, current=current, matches=matches)

    def _is_free(self, word: int) -> bool:
        return not _overlaps(self.segments.words[word], self.draft.kept)


def _overlaps(extent: Extent, spans: Sequence[Extent]) -> bool:
    return any(extent[0] < end and start < extent[1] for start, end in spans)


def _cut_pages(words: Sequence[int]) -> tuple[Sequence[int], ...]:
    return tuple(words[start : start + WORDS_PER_PAGE] for start in range(0, len(words), WORDS_PER_PAGE))


NUMBERS_PER_ROW = 8
MAX_LISTED_UNITS = 1800
"""How long all listed sentences of a page are together, in UTF-16 units."""
MIN_SENTENCE_UNITS = 80
"""To how many units a sentence is cut at most, where many are listed."""
CONTEXT_CHARACTERS, MATCH_CHARACTERS = 160, 40
"""How much is shown around the chosen span, and around each place of typed words."""
MAX_SPAN_CHARACTERS = 700
"""A longer span is shown by its beginning and its end."""
PAGE_LABELS = ("‹", "›")
_LABELS = {
    SpanTap.MOVE_START_BACK: "span-start-back",
    SpanTap.MOVE_END_ON: "span-end-on",
    SpanTap.MOVE_START_ON: "span-start-on",
    SpanTap.MOVE_END_BACK: "span-end-back",
    SpanTap.SAVE: "span-save",
    SpanTap.ADD: "span-add",
}
_PROMPTS = {
    SpanStep.SENTENCE: "span-sentence",
    SpanStep.FIRST_WORD: "span-first",
    SpanStep.MATCH: "span-match",
    SpanStep.CONFIRM: "span-confirm",
}


def build_span_blocks(choice: SpanChoice, translate: Texts) -> list[TextBlock]:
    """What is chosen already, what can be chosen by number or stands there, and what is asked."""
    text, draft = choice.segments.text, choice.draft
    blocks = []
    if draft.kept:
        parts = format_spans(
            [message_layout.shorten_text(text[start:end], 120) for start, end in draft.kept], translate
        )
        blocks.append(TextBlock(translate("span-kept", parts=parts)))
    if not choice.segments.words:
        return [TextBlock(translate("span-empty"))]
    match choice.step:
        case SpanStep.SENTENCE:
            blocks.append(_list_sentences(choice))
        case SpanStep.FIRST_WORD | SpanStep.LAST_WORD:
            blocks.append(_number_words(choice))
        case SpanStep.MATCH:
            blocks.append(_list_matches(choice))
        case SpanStep.CONFIRM:
            blocks.append(_show_span(choice))
    return [*blocks, TextBlock(_format_prompt(choice, translate))]


def build_span_buttons(
    choice: SpanChoice, translate: Texts, *, address: tuple[int, int, int], none: str | None
) -> ButtonRows:
    """The numbers of the shown page, eight a row, or the moves of a chosen span; and what leads on or back.

    `address` is how the data of the buttons begins; `none` the label of "no such part", None where that is no answer.
    """

    def build_tap(label: str, tap: SpanTap, value: int = 0) -> InlineButton:
        return message_layout.build_button(
            label, ButtonAction.ENTRY, *address, tap.value, value, word=choice.draft.digest
        )

    numbers = [build_tap(str(choice.get_number(index)), SpanTap.CHOOSE, index) for index in choice.shown]
    rows = [numbers[start : start + NUMBERS_PER_ROW] for start in range(0, len(numbers), NUMBERS_PER_ROW)]
    page, n_pages = min(choice.draft.page, max(0, len(choice.pages) - 1)), len(choice.pages)
    rows.append([
        build_tap(label, SpanTap.PAGE, number)
        for label, number in zip(PAGE_LABELS, (page - 1, page + 1), strict=True)
        if 0 <= number < n_pages
    ])  # fmt: skip
    for pair in ((SpanTap.MOVE_START_BACK, SpanTap.MOVE_END_ON), (SpanTap.MOVE_START_ON, SpanTap.MOVE_END_BACK)):
        rows += [[build_tap(translate(_LABELS[move]), move) for move in pair if move in choice.moves]]
    if choice.step is SpanStep.CONFIRM:
        change = build_tap(translate(_get_change_label(choice)), SpanTap.REMOVE)
        add = [build_tap(translate("span-add"), SpanTap.ADD)] if choice.can_add else []
        rows += [[build_tap(translate("span-save"), SpanTap.SAVE)], [*add, change]]
    elif choice.can_go_back:
        rows.append([build_tap(translate("back"), SpanTap.BACK)])
    if none is not None and choice.draft == type(choice.draft)():
        rows.append([build_tap(none, SpanTap.NONE)])
    return tuple(tuple(row) for row in rows if row)


def find_typed_button(choice: SpanChoice, text: str, *, goes_further_back: bool) -> SpanTap | None:
    """What a typed text does that is the label of a button on the screen, in whatever language; None for no label.

    Whether the chosen part is right is answered by yes and no too, and by back, unless a button of the item leads to
    the question before (`goes_further_back`).
    """
    if choice.step is not SpanStep.CONFIRM:
        labels = {SpanTap.BACK: "back"} if choice.can_go_back else {}
    else:
        offered = {SpanTap.SAVE, *choice.moves, *((SpanTap.ADD,) if choice.can_add else ())}
        labels = {tap: label for tap, label in _LABELS.items() if tap in offered}
        labels[SpanTap.REMOVE] = _get_change_label(choice)
        decisions = {prompts.YES: SpanTap.SAVE, prompts.NO: SpanTap.REMOVE}
        if not goes_further_back:
            decisions[prompts.BACK] = SpanTap.REMOVE
        for words, tap in decisions.items():
            if prompts.normalise_text(text) in prompts.get_words(words):
                return tap
    typed = prompts.normalise_text(text)
    named = ((tap, get_texts(language)(label)) for tap, label in labels.items() for language in list_languages())
    return next((tap for tap, label in named if prompts.normalise_text(label) == typed), None)


def _get_change_label(choice: SpanChoice) -> str:
    return "span-remove" if choice.draft.kept else "span-change"


def _format_prompt(choice: SpanChoice, translate: Texts) -> str:
    if choice.step is not SpanStep.LAST_WORD:
        return translate(_PROMPTS[choice.step])
    start, end = choice.segments.words[choice.draft.first or 0]
    return translate("span-last", first=message_layout.shorten_text(choice.segments.text[start:end], 60))


def _list_sentences(choice: SpanChoice) -> TextBlock:
    """The sentences of the page with their numbers; long ones are cut where there are many."""
    shown, segments = choice.shown, choice.segments
    max_units = max(MIN_SENTENCE_UNITS, MAX_LISTED_UNITS // max(1, len(shown)))
    sentences = (" ".join(segments.text[slice(*segments.sentences[index])].split()) for index in shown)
    return _join_lines(
        (f"{index + 1}. ", message_layout.shorten_text(sentence, max_units), (0, len(str(index + 1))))
        for index, sentence in zip(shown, sentences, strict=True)
    )


def _list_matches(choice: SpanChoice) -> TextBlock:
    """Each place with the text around it."""
    lines = []
    for index in choice.shown:
        start, end = choice.draft.matches[index]
        part, bold = _show_in_context(choice, (start, end), MATCH_CHARACTERS)
        number = f"{index + 1}. "
        lines.append((number, " ".join(part.split("\n")), (bold[0] + len(number), bold[1] + len(number))))
    return _join_lines(lines)


def _join_lines(lines: Iterable[tuple[str, str, Extent]]) -> TextBlock:
    """Lines as one block; each is its number, its text and what is bold of both."""
    text, bold = "", []
    for number, line, (start, end) in lines:
        bold.append((len(text) + start, len(text) + end))
        text += f"{number}{line}\n"
    return TextBlock(text.rstrip("\n"), tuple(bold))


def _number_words(choice: SpanChoice) -> TextBlock:
    """The text of the shown words, each after its number."""
    segments, shown = choice.segments, choice.shown
    words, sentence = segments.words, segments.sentences[segments.find_sentence(segments.words[shown[0]][0])]
    is_first = choice.step is SpanStep.FIRST_WORD and shown[0] == choice.candidates[0]
    position = sentence[0] if is_first else words[shown[0]][0]
    next_start = words[shown[-1] + 1][0] if shown[-1] + 1 < len(words) else len(segments.text)
    last_sentence = segments.sentences[segments.find_sentence(words[shown[-1]][0])]
    end = min(max(last_sentence[1], words[shown[-1]][1]), next_start)
    text, bold = "", []
    for word in shown:
        text += segments.text[position : words[word][0]]
        number = str(choice.get_number(word))
        bold.append((len(text), len(text) + len(number)))
        text += f"{number}\u00a0{segments.text[slice(*words[word])]}"
        position = words[word][1]
    return TextBlock(text + segments.text[position:end].rstrip(), tuple(bold))


def _show_span(choice: SpanChoice) -> TextBlock:
    """The chosen span, bold in brackets, with the text around it."""
    if choice.draft.current is None:
        return TextBlock("")
    text, bold = _show_in_context(choice, choice.draft.current, CONTEXT_CHARACTERS)
    return TextBlock(text, (bold,))


def _show_in_context(choice: SpanChoice, span: Extent, most: int) -> tuple[str, Extent]:
    """A span in brackets in its sentences, with at most so many characters on either side; and where it is bold."""
    segments, (start, end) = choice.segments, span
    text = segments.text
    sentence_start = segments.sentences[segments.find_sentence(start)][0]
    sentence_end = segments.sentences[segments.find_sentence(max(start, end - 1))][1]
    before, after = text[min(sentence_start, start) : start], text[end : max(sentence_end, end)]
    if len(before) > most:
        before = "… " + before[-most:].split(maxsplit=1)[-1]
    if len(after) > most:
        after = after[:most].rsplit(maxsplit=1)[0] + " …"
    inside = text[start:end]
    if len(inside) > MAX_SPAN_CHARACTERS:
        half = MAX_SPAN_CHARACTERS // 2
        inside = f"{inside[:half]} … {inside[-half:]}"
    return f"{before}[{inside}]{after}", (len(before), len(before) + len(inside) + 2)


def format_spans(texts: Sequence[str], translate: Texts) -> str:
    """The texts of spans in quotation marks, in one line."""
    return ", ".join(translate("span-part", part=text) for text in texts)
