"""The choice of spans in a text, step by step: which sentence, the first word, the last word, and what stands there.

From the draft and the text follow what is asked now and which numbers can be chosen; a tap or a typed part leads to
another draft. Everything is pure. Spans are pairs of character offsets, as they are stored.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.errors import Stale
from bot.conversation.spans.span_drafts import SpanDraft, SpanStep, SpanTap
from bot.conversation.spans.text_segments import Extent, TextSegments, get_end, get_start

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
        found: dict[SpanTap, Extent] = {}
        if last_before >= 0:
            found[SpanTap.MOVE_START_BACK] = (words[last_before][0], end)
        if first_inside < len(words) and words[first_inside][1] <= end:
            found[SpanTap.MOVE_START_ON] = (words[first_inside][0], end)
        if last_inside >= 0 and words[last_inside][0] >= start:
            found[SpanTap.MOVE_END_BACK] = (start, words[last_inside][1])
        if first_after < len(words):
            found[SpanTap.MOVE_END_ON] = (start, words[first_after][1])
        return {move: span for move, span in found.items() if not self._overlaps_kept(span)}

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
                return replace(draft, first=value)
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

    def _overlaps_kept(self, span: Extent) -> bool:
        return _overlaps(span, self.draft.kept)


def _overlaps(extent: Extent, spans: Sequence[Extent]) -> bool:
    return any(extent[0] < end and start < extent[1] for start, end in spans)


def _cut_pages(words: Sequence[int]) -> tuple[Sequence[int], ...]:
    return tuple(words[start : start + WORDS_PER_PAGE] for start in range(0, len(words), WORDS_PER_PAGE))
