"""Questions answered with a corrected text, `edit`: paragraph by paragraph, each copied, corrected and sent back."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import IntEnum
from typing import Any

from annotation.campaigns import stimulus
from annotation.campaigns.questions import EditQuestion
from annotation.campaigns.questions.question_base import count_units
from annotation.errors import Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, prompts
from bot.conversation.inputs.input_base import (
    QuestionInput,
    RefusedInput,
    TypedButtons,
    narrow_question,
    require_text,
)
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import (
    MAX_TEXT,
    OPTION_INDEX,
    ButtonAction,
    ButtonRows,
    CallbackData,
    InlineButton,
)

MAX_PARAGRAPH_UNITS = 3000
"""The longest paragraph, in UTF-16 units: there is room for what a correction adds, in a message of the annotator's."""
MAX_CHANGES = 40
"""The most changes of one paragraph that are marked one by one; each takes two of the hundred entities of a message."""
CONTEXT_TOKENS = 10
"""How many unchanged words, blanks and signs are shown before and after a change of a long paragraph."""
_PARAGRAPH = re.compile(r"\S(?:[^\n]*\S)?")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'»”’)\]]*(\s+)")
_BLANK = re.compile(r"\s+")
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Paragraphs:
    """The paragraphs of a text; `gaps` is what stands before the first, between them and after the last."""

    texts: tuple[str, ...]
    gaps: tuple[str, ...]

    def join(self, corrected: Mapping[int, str]) -> str:
        """The text with these paragraphs in place of its own; without any, the text as it was."""
        parts = [self.gaps[0]]
        for index, (text, gap) in enumerate(zip(self.texts, self.gaps[1:], strict=True)):
            parts += [corrected.get(index, text), gap]
        return "".join(parts)


def split_paragraphs(text: str, *, max_units: int = MAX_PARAGRAPH_UNITS) -> Paragraphs:
    """Cut a text at line breaks, and a paragraph that is too long for a message at sentence ends too."""
    spans = [
        span
        for match in _PARAGRAPH.finditer(text)
        for span in _split_span(text, match.start(), match.end(), max_units=max_units)
    ]
    borders = [0, *(position for span in spans for position in span), len(text)]
    gaps = tuple(text[start:end] for start, end in zip(borders[::2], borders[1::2], strict=True))
    return Paragraphs(tuple(text[start:end] for start, end in spans), gaps)


def _split_span(text: str, start: int, end: int, *, max_units: int) -> Iterator[tuple[int, int]]:
    """Parts of the text between two positions, without the blanks between the parts."""
    while count_units(text[start:end]) > max_units:
        limit = start + max_units // 2  # a character has at most two units
        while limit < end and count_units(text[start : limit + 1]) <= max_units:
            limit += 1
        cut, after = _find_cut(text, start, limit)
        yield start, start + len(text[start:cut].rstrip())
        start = end - len(text[after:end].lstrip())
    yield start, end


def _find_cut(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where a part ends and the next one begins: at the last sentence end, else at the last blank, else anywhere."""
    sentences = [match.span(1) for match in _SENTENCE_END.finditer(text, start, limit)]
    blanks = [match.span() for match in _BLANK.finditer(text, start, limit)]
    cut = (sentences or blanks or [(limit, limit)])[-1]
    following = _BLANK.match(text, cut[1])
    return cut if following is None else (cut[0], following.end())


def match_paragraphs(original: str, corrected: str) -> dict[int, str] | None:
    """The corrected paragraphs by their index in the original; None where they cannot be told apart."""
    before, after = split_paragraphs(original), split_paragraphs(corrected)
    changed: dict[int, str] = {}
    matcher = difflib.SequenceMatcher(None, before.texts, after.texts, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "replace" and last - first == end - start:
            changed |= dict(zip(range(first, last), after.texts[start:end], strict=True))
        elif tag == "replace" and last - first == 1:
            changed[first] = Paragraphs(after.texts[start:end], ("", *after.gaps[start + 1 : end], "")).join({})
        elif tag != "equal":
            return None
    return changed if before.join(changed) == corrected else None


def measure_similarity(before: str, after: str) -> float:
    """How much of two texts is the same words, from 0 to 1 (the ratio of `difflib`)."""
    return difflib.SequenceMatcher(None, _list_words(before), _list_words(after), autojunk=False).ratio()


def _list_words(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text) if token[0].isalnum()]


def build_difference(before: str, after: str) -> TextBlock:
    """The changed text with deleted words struck through and inserted ones bold; far from changes it is shortened."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    if len(codes) > 2 * MAX_CHANGES:
        return TextBlock(after)
    text, bold, struck = "", [], []
    for number, (tag, first, last, start, end) in enumerate(codes):
        if tag == "equal":
            text += _shorten_run(old[first:last], is_first=number == 0, is_last=number == len(codes) - 1)
            continue
        deleted, inserted = "".join(old[first:last]), "".join(new[start:end])
        if deleted.strip():
            struck.append(_find_words(deleted, len(text)))
            text += deleted + " " * bool(inserted.strip())
        if inserted.strip():
            bold.append(_find_words(inserted, len(text)))
        text += inserted
    return TextBlock(text, bold=tuple(bold), struck=tuple(struck))


def _find_words(part: str, start: int) -> tuple[int, int]:
    """Where the words of a part stand, without the blanks around them; the part begins at `start`."""
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def _shorten_run(tokens: Sequence[str], *, is_first: bool, is_last: bool) -> str:
    """Unchanged tokens without their middle, or without what is far from the only change beside them."""
    if len(tokens) <= 3 * CONTEXT_TOKENS:
        return "".join(tokens)
    start = "" if is_first else "".join(tokens[:CONTEXT_TOKENS])
    end = "" if is_last else "".join(tokens[-CONTEXT_TOKENS:])
    return f"{start}…{end}"


PART_INDEX = OPTION_INDEX + 1
"""The index of the paragraph's number in the data of ENTRY."""
MAX_NUMBER_BUTTONS, NUMBERS_IN_ROW = 64, 8
"""How many paragraphs have a button at the end, and how many such buttons are in a row."""
MIN_SIMILARITY = 0.3
"""A text that has less than this in common with the paragraph is asked about before it takes its place."""


class CorrectionTap(IntEnum):
    """What a tap does to the paragraph that its button names. The values stand in buttons and never change."""

    ACCEPT = 0
    RESET = 1
    SHOW = 2
    REPLACE = 3
    REJECT = 4


@dataclass(frozen=True, kw_only=True)
class CorrectionEntry:
    """How far a correction is: which paragraph is shown, None at the end, and how many were accepted or corrected.

    `texts` holds the corrected paragraphs with the ids of their messages, by the paragraph's index as text. `latest` is
    the paragraph whose difference is shown. `doubtful` is a text that may have been sent by mistake. `digest` is of
    the text to correct: where organisers have changed it since, the correction begins anew.
    """

    digest: str
    shown: int | None = 0
    done: int = 0
    texts: dict[str, list[Any]] = field(default_factory=dict)
    latest: int | None = None
    doubtful: str | None = None

    def get_text(self, index: int, parts: Paragraphs) -> str:
        """A paragraph as it is now."""
        return str(self.texts[str(index)][0]) if str(index) in self.texts else parts.texts[index]

    def finish_paragraph(self, index: int, parts: Paragraphs) -> CorrectionEntry:
        """Go on after a paragraph was corrected or accepted: to the next one, or to the end if all were seen."""
        done = max(self.done, index + 1)
        return replace(self, done=done, shown=done if done < len(parts.texts) else None, doubtful=None)

    def with_text(self, index: int, text: str, message_id: int, parts: Paragraphs) -> CorrectionEntry:
        """Put a corrected paragraph in its place; one as it was counts as unchanged."""
        texts = {number: value for number, value in self.texts.items() if number != str(index)}
        is_changed = text != unicodedata.normalize("NFC", parts.texts[index])
        return replace(self, texts=texts | ({str(index): [text, message_id]} if is_changed else {}), latest=index)


class CorrectionInput(QuestionInput):
    """A text that is corrected in parts; what is stored is the whole text with its corrected paragraphs."""

    is_separate = True
    takes_many_messages = True

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The last difference and the paragraph to copy, or at the end how many paragraphs were changed."""
        question, parts, entry = asked.shown.question, _split_field(asked.shown), _read_entry(asked)
        is_between = entry.shown is not None and asked.draft.entry is not None  # the question stands above
        blocks = [] if is_between else [message_layout.make_bold_block(question.text), TextBlock(question.help or "")]
        if entry.latest is not None:
            blocks += _build_latest(entry, entry.latest, parts, translate)
        total = len(parts.texts)
        if entry.shown is None:
            numbers = sorted(int(number) + 1 for number in entry.texts)
            listed = ", ".join(map(str, numbers))
            changed = translate("correction-summary", count=len(numbers), total=total, list=listed)
            blocks.append(TextBlock(changed if numbers else translate("correction-nothing")))
            return [*blocks, TextBlock(translate("correction-again"))] if total > 1 else blocks
        heading = translate("correction-paragraph", number=entry.shown + 1, total=total)
        if entry.doubtful is not None:
            difference = build_difference(parts.texts[entry.shown], entry.doubtful)
            return [*blocks, TextBlock(heading), difference, TextBlock(translate("correction-doubt"))]
        text = TextBlock(entry.get_text(entry.shown, parts), copyable=True)
        hint = translate("correction-hint-again" if str(entry.shown) in entry.texts else "correction-hint")
        return [*blocks, TextBlock(heading), text, TextBlock(hint)]

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """To accept the paragraph or go back to the one before; at the end to save, or to see a paragraph again."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)

        def build(label: str, tap: CorrectionTap, index: int, *typed: str) -> InlineButton:
            return message_layout.build_button(label, ButtonAction.ENTRY, *asked.address, tap, index, typed=typed)

        if entry.shown is None:
            save = message_layout.build_button(
                translate("text-save"), ButtonAction.DONE, *asked.address, typed=(prompts.YES,)
            )
            labels = [f"{index + 1}{' ✎' * (str(index) in entry.texts)}" for index in range(len(parts.texts))]
            buttons = [build(label, CorrectionTap.SHOW, index, str(index + 1)) for index, label in enumerate(labels)]
            if len(buttons) == 1:  # a number says nothing there
                buttons = [build(translate("correction-back", number=1), CorrectionTap.SHOW, 0, "1")]
            buttons = buttons[:MAX_NUMBER_BUTTONS]
            starts = range(0, len(buttons), NUMBERS_IN_ROW)
            return ((save,), *(tuple(buttons[start : start + NUMBERS_IN_ROW]) for start in starts))
        shown = entry.shown
        if entry.doubtful is not None:
            replace_button = build(translate("correction-replace"), CorrectionTap.REPLACE, shown, prompts.YES)
            reject = translate("correction-reject")
            return ((replace_button, build(reject, CorrectionTap.REJECT, shown, prompts.NO, prompts.BACK)),)
        is_changed = str(shown) in entry.texts
        accept = translate("correction-keep" if is_changed else "correction-accept")
        rows = [(build(accept, CorrectionTap.ACCEPT, shown),)]
        if is_changed:
            rows.append((build(translate("correction-reset"), CorrectionTap.RESET, shown),))
        if shown:
            back = translate("correction-back", number=shown)
            rows.append((build(back, CorrectionTap.SHOW, shown - 1, prompts.BACK),))
        return tuple(rows)

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Accept, restore or show a paragraph, or take the whole text as the answer; an old button changes nothing."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)
        if callback.action is ButtonAction.DONE:
            return _finish_text(asked, entry, parts) if entry.shown is None else _store_entry(asked, entry)
        tap, index = callback.get_number(OPTION_INDEX), callback.get_number(PART_INDEX)
        if callback.action is not ButtonAction.ENTRY or tap not in list(CorrectionTap) or index >= len(parts.texts):
            raise Stale("This question has no such button.")
        if tap == CorrectionTap.SHOW:
            entry = replace(entry, shown=index, latest=None, doubtful=None)
        elif index == entry.shown:
            entry = _apply_to_shown(asked, entry, CorrectionTap(tap), index, parts)
        return _store_entry(asked, entry)

    def get_typed_buttons(self, asked: AskedQuestion, text: str) -> TypedButtons:
        """All of them where a text is to be replaced or saved; at a paragraph by label, unless it is like the text."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)
        if entry.shown is None or entry.doubtful is not None:
            return TypedButtons.WORDS
        return TypedButtons.NONE if _is_alike(parts.texts[entry.shown], text) else TypedButtons.LABELS

    def takes_wishes(self, asked: AskedQuestion, text: str) -> bool:
        """Whether the text is unlike the paragraph that is shown."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)
        return entry.shown is None or not _is_alike(parts.texts[entry.shown], text)

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Put the text in place of the paragraph that is shown, or of the one that the same message gave before."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)
        text = unicodedata.normalize("NFC", text.strip())
        if count_units(text) >= MAX_TEXT:
            return RefusedInput(text_id="correction-too-long")
        message_id = asked.draft.messages[asked.shown.name][-1]
        edited = next((int(number) for number, value in entry.texts.items() if value[1] == message_id), None)
        if edited is not None:
            return _store_entry(asked, entry.with_text(edited, text, message_id, parts))
        if entry.shown is None:
            return RefusedInput(text_id="correction-choose", repeats_item=True)
        if not _is_alike(parts.texts[entry.shown], text) and text != entry.doubtful:
            return _store_entry(asked, replace(entry, doubtful=text, latest=None))
        corrected = entry.with_text(entry.shown, text, message_id, parts)
        return _store_entry(asked, corrected.finish_paragraph(entry.shown, parts))

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:  # noqa: ARG002  # of a paragraph
        """Refuse it: a saved text is opened as a whole, so that all of it is seen before it is saved again."""
        return RefusedInput(text_id="correction-edited")

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:
        """Take the whole corrected text of the answer page as the answer."""
        return _take_text(asked, require_text(entered))

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> str:
        """The whole text with the paragraphs that were corrected in the chat, or as it is saved."""
        parts, entry = _split_field(asked.shown), _read_entry(asked)
        if stored is not None and not entry.texts:
            return stored
        return parts.join({int(number): str(value[0]) for number, value in entry.texts.items()})

    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:
        """The saved text at its end, with its corrected paragraphs; None where they cannot be told apart."""
        changed = match_paragraphs(unicodedata.normalize("NFC", shown.field_text), stored)
        if changed is None:
            return None
        texts = {str(index): [text, 0] for index, text in changed.items()}
        done = len(_split_field(shown).texts)
        return asdict(CorrectionEntry(digest=_compute_digest(shown), shown=None, done=done, texts=texts))

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002
        """How many paragraphs were corrected."""
        original = unicodedata.normalize("NFC", shown.field_text)
        if stored.strip() == original.strip():
            return translate("correction-unchanged")
        changed = match_paragraphs(original, stored)
        return translate("correction-done") if changed is None else translate("correction-count", count=len(changed))


def _is_alike(paragraph: str, text: str) -> bool:
    """Whether a text has enough in common with a paragraph to be its correction."""
    return measure_similarity(paragraph, text) >= MIN_SIMILARITY


def _split_field(shown: ShownQuestion) -> Paragraphs:
    return split_paragraphs(shown.field_text)


def _read_entry(asked: AskedQuestion) -> CorrectionEntry:
    digest = _compute_digest(asked.shown)
    if asked.draft.entry is not None and asked.draft.entry["digest"] == digest:
        return CorrectionEntry(**asked.draft.entry)
    return CorrectionEntry(digest=digest, shown=0 if asked.shown.field_text.strip() else None)


def _compute_digest(shown: ShownQuestion) -> str:
    return stimulus.compute_text_digest(shown.field_text)[:8]


def _store_entry(asked: AskedQuestion, entry: CorrectionEntry) -> AnswerDraft:
    """The draft with this entry, and with the messages that it is made of."""
    name = asked.shown.name
    used = {value[1] for value in entry.texts.values()}
    message_ids = asked.draft.messages.get(name, [])
    kept = [number for number in message_ids if number in used]
    if entry.doubtful is not None:
        kept = [*(number for number in kept if number != message_ids[-1]), message_ids[-1]]
    return replace(asked.with_entry(asdict(entry)), messages=asked.draft.messages | {name: kept})


def _build_latest(entry: CorrectionEntry, index: int, parts: Paragraphs, translate: Texts) -> list[TextBlock]:
    """What was changed in the paragraph that was sent last."""
    if str(index) not in entry.texts:
        return [TextBlock(translate("correction-same", number=index + 1))]
    difference = build_difference(parts.texts[index], entry.get_text(index, parts))
    return [TextBlock(translate("correction-latest", number=index + 1)), difference]


def _apply_to_shown(
    asked: AskedQuestion, entry: CorrectionEntry, tap: CorrectionTap, index: int, parts: Paragraphs
) -> CorrectionEntry:
    """The entry after a tap on a button of the paragraph that is shown."""
    without_text = {number: value for number, value in entry.texts.items() if number != str(index)}
    if tap is CorrectionTap.RESET:
        return replace(entry, texts=without_text, latest=None)
    if tap is CorrectionTap.REJECT:
        return replace(entry, doubtful=None)
    if tap is CorrectionTap.REPLACE and entry.doubtful is not None:
        message_id = asked.draft.messages[asked.shown.name][-1]
        return entry.with_text(index, entry.doubtful, message_id, parts).finish_paragraph(index, parts)
    if tap is CorrectionTap.ACCEPT and entry.doubtful is None:
        return replace(entry, latest=None).finish_paragraph(index, parts)
    return entry


def _finish_text(asked: AskedQuestion, entry: CorrectionEntry, parts: Paragraphs) -> AnswerDraft | RefusedInput:
    """The draft with the whole corrected text as the answer, if the question takes it."""
    return _take_text(asked, parts.join({int(number): str(value[0]) for number, value in entry.texts.items()}))


def _take_text(asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
    """The draft with this text as the answer, if the question takes it."""
    question, original = narrow_question(asked.shown, EditQuestion), asked.shown.field_text
    is_changed = unicodedata.normalize("NFC", text) != unicodedata.normalize("NFC", original)
    if question.must_change and not is_changed:
        return RefusedInput(text_id="correction-must-change")
    if len(unicodedata.normalize("NFC", text)) > question.longest:
        return RefusedInput(text_id="text-too-long", arguments={"length": len(text), "most": question.longest})
    return asked.with_answer(text)
