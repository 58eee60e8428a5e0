"""What the choice of spans looks like: numbered sentences and words, the chosen span in its context, the buttons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import TextBlock
from bot.conversation.spans.span_choice import SpanChoice
from bot.conversation.spans.span_drafts import SpanStep, SpanTap
from bot.conversation.spans.text_segments import Extent
from bot.conversation.texts import LANGUAGES, Texts, get_texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

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


def find_typed_button(choice: SpanChoice, text: str) -> SpanTap | None:
    """What a typed text does that is the label of a button on the screen, in whatever language; None for no label.

    Whether the chosen part is right is answered by yes and no too.
    """
    if choice.step is not SpanStep.CONFIRM:
        labels = {SpanTap.BACK: "back"} if choice.can_go_back else {}
    else:
        offered = {SpanTap.SAVE, *choice.moves, *((SpanTap.ADD,) if choice.can_add else ())}
        labels = {tap: label for tap, label in _LABELS.items() if tap in offered}
        labels[SpanTap.REMOVE] = _get_change_label(choice)
        for words, tap in ((prompts.YES, SpanTap.SAVE), (prompts.NO, SpanTap.REMOVE), (prompts.BACK, SpanTap.REMOVE)):
            if prompts.normalise_text(text) in prompts.WORD_SETS[words]:
                return tap
    typed = prompts.normalise_text(text)
    named = ((tap, get_texts(language)(label)) for tap, label in labels.items() for language in LANGUAGES)
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
