"""The messages of an adjudication case: with its candidates to choose, and after it was decided or left for now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.campaigns.questions.question_base import count_units
from annotation.vocabulary import CaseReason
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.review.adjudication_queue import QueuedCase
from bot.conversation import message_layout, prompts
from bot.conversation.inputs import INPUTS, options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton
from bot.conversation.views import items, menus

MAX_QUOTED_UNITS = 300
"""How much of an item is repeated under its decision, and of an answer in it, in UTF-16 units."""
MAX_POINT_UNITS = 2
"""The longest candidates that stand for themselves, in UTF-16 units, as points of a scale do; others have letters."""
REASON_TEXTS = {
    CaseReason.TIE: "case-tie",
    CaseReason.LOW_CONFIDENCE: "case-low-confidence",
    CaseReason.RULE_CONFLICT: "case-rule-conflict",
    CaseReason.REPORT: "case-report",
}
"""The ids of the texts that say why a case waits."""
TYPED_REPORT = "other"
"""The reason of reports that say it in their own words."""


@dataclass(frozen=True, kw_only=True)
class PickedCandidates:
    """Which candidates are ticked, as a number with a bit for each, and which was the first: the gold."""

    bits: int = 0
    first: int = 0

    def toggle_candidate(self, index: int) -> PickedCandidates:
        """What is ticked after a tap on the box; where the first is cleared, another one is the gold."""
        bits = self.bits ^ (1 << index)
        if not self.bits:
            return PickedCandidates(bits=bits, first=index)
        is_kept = bits >> self.first & 1
        return PickedCandidates(bits=bits, first=self.first if is_kept or not bits else list_bits(bits)[0])

    def list_indices(self) -> list[int]:
        """The indices of the ticked candidates, the gold first."""
        return sorted(list_bits(self.bits), key=lambda index: (index != self.first, index))


def list_bits(number: int) -> list[int]:
    """The places of the bits that are set, from 0."""
    return [place for place in range(number.bit_length()) if number >> place & 1]


def render_case(
    queued: QueuedCase, translate: Texts, *, picked: PickedCandidates | None = None
) -> tuple[RenderedMessage, ...]:
    """The case in as many messages as it needs; with `picked` its candidates are tick boxes, so several can be right.

    Where the explanation of the boxes would need one more message, the usual question stands in its place.
    """
    compared, queued = _build_compared_blocks(queued), _name_candidates(queued, translate)
    buttons = _build_choice_buttons(queued, translate) if picked is None else _build_boxes(queued, translate, picked)
    single = message_layout.render_messages(
        _build_case_blocks(queued, compared, translate, translate("case-which")), translate, buttons=buttons
    )
    if picked is None:
        return single
    explanation = translate("case-tick")
    if picked.bits:
        main = queued.case.candidates[picked.first].text
        explanation = translate("case-main", answer=message_layout.shorten_text(main, MAX_QUOTED_UNITS))
    several = message_layout.render_messages(
        _build_case_blocks(queued, compared, translate, explanation), translate, buttons=buttons
    )
    return several if len(several) == len(single) else single


def render_decided_case(
    queued: QueuedCase, translate: Texts, *, picked: Sequence[int] = (), comment: str = ""
) -> RenderedMessage:
    """The message of a case after its decision, with a button that takes it back."""
    queued = _name_candidates(queued, translate)
    answers = [options.isolate_direction(queued.case.candidates[index].text) for index in picked]
    mark = f"✓ {', '.join(answers)}" if picked else translate("case-broken-mark", comment=comment)
    reopen = message_layout.build_button(translate("undo"), ButtonAction.REOPEN, queued.case.case_id, queued.number)
    return _render_marked_case(queued, translate, mark, ((reopen,),))


def render_postponed_case(queued: QueuedCase, translate: Texts) -> RenderedMessage:
    """The message of a case that was left for now."""
    return _render_marked_case(queued, translate, translate("case-later-mark"), ())


def render_comment_prompt(queued: QueuedCase, translate: Texts) -> RenderedMessage:
    """The question what is wrong with the item, with a button that leads back to the case."""
    back = build_case_button(queued, translate("back"), ButtonAction.CASE)
    return message_layout.render_text(translate, translate("case-broken-why"), buttons=((back,),))


def build_case_button(
    queued: QueuedCase, label: str, action: ButtonAction, *numbers: int, typed: Sequence[str] = ()
) -> InlineButton:
    """A button of a case, with what it was shown as."""
    case_id, version = queued.case.case_id, queued.version
    return message_layout.build_button(label, action, case_id, queued.number, *numbers, word=version, typed=typed)


def _render_marked_case(queued: QueuedCase, translate: Texts, mark: str, buttons: ButtonRows) -> RenderedMessage:
    heading = message_layout.shorten_text(mark, MAX_QUOTED_UNITS)
    stimulus = message_layout.shorten_text(queued.case.item.stimulus, MAX_QUOTED_UNITS)
    blocks = [
        message_layout.make_bold_block(heading),
        TextBlock(stimulus),
        message_layout.make_bold_unless_equal(queued.case.question.text, queued.case.item.stimulus),
    ]
    return message_layout.render_messages(blocks, translate, buttons=buttons)[-1]


def _show_candidates(queued: QueuedCase) -> ShownQuestion:
    """The question with the candidates as its options."""
    candidates = queued.case.candidates
    texts, answers = tuple(one.text for one in candidates), tuple(one.answer for one in candidates)
    return ShownQuestion(question=queued.case.question, options=texts, labels=answers)


def _build_compared_blocks(queued: QueuedCase) -> list[TextBlock]:
    """The texts that the question compares, in the order of the candidates."""
    question_input = INPUTS[queued.case.question.kind]
    return question_input.build_item_blocks(_show_candidates(queued), queued.case.item.stimulus, queued.language)


def _name_candidates(queued: QueuedCase, translate: Texts) -> QueuedCase:
    """The case with short names of candidates whose texts are read with the item."""
    question_input = INPUTS[queued.case.question.kind]
    names = question_input.name_options(_show_candidates(queued), translate, language=queued.language)
    named = (replace(one, text=name) for one, name in zip(queued.case.candidates, names, strict=True))
    return replace(queued, case=replace(queued.case, candidates=tuple(named)))


def _build_case_blocks(
    queued: QueuedCase, compared: Sequence[TextBlock], translate: Texts, explanation: str
) -> list[TextBlock]:
    case = queued.case
    title = message_layout.shorten_text(queued.title, MAX_QUOTED_UNITS)
    left = translate("case-left", left=queued.left)
    return [
        TextBlock(f"{title} · {left}", ((0, len(title)),)),
        *items.build_stimulus_blocks(case.item.stimulus, queued.pieces, queued.language),
        *compared,
        message_layout.make_bold_unless_equal(case.question.text, case.item.stimulus),
        TextBlock("\n".join(_list_candidate_lines(queued, translate))),
        TextBlock("\n".join(_list_remarks(queued, translate))),
        message_layout.make_bold_block(explanation),
    ]


def _list_remarks(queued: QueuedCase, translate: Texts) -> list[str]:
    """Why the case waits, and what annotators reported."""
    reasons = ", ".join(translate(REASON_TEXTS[CaseReason(reason)]) for reason in queued.case.reasons)
    lines = [translate("case-why", reasons=reasons)] if reasons else []
    for report in queued.case.reports:
        reason, separator, words = report.partition(": ")
        described = translate(f"report-{reason}") if reason in menus.REPORT_REASONS else reason
        told = words if reason == TYPED_REPORT else f"{described}{separator}{words}"
        lines.append(translate("case-reported", report=told))
    return lines


def _list_candidate_lines(queued: QueuedCase, translate: Texts) -> list[str]:
    """The candidates with their names on buttons and any votes; where buttons carry them, those with votes."""
    is_full, lines = _fit_on_buttons(queued), []
    for name, candidate in zip(_list_names(queued), queued.case.candidates, strict=True):
        votes = " — " + translate("case-votes", count=candidate.votes) if candidate.votes else ""
        text = options.isolate_direction(candidate.text)
        if votes or not is_full:
            lines.append(f"{text}{votes}" if is_full else f"{name}) {text}{votes}")
    return lines


def _list_names(queued: QueuedCase) -> tuple[str, ...]:
    texts = tuple(candidate.text for candidate in queued.case.candidates)
    is_short = message_layout.are_labels_short(texts, max_units=MAX_POINT_UNITS)
    return texts if is_short else options.list_letters(len(texts), queued.language)


def _fit_on_buttons(queued: QueuedCase) -> bool:
    """Whether buttons carry the candidates in full."""
    texts = [candidate.text for candidate in queued.case.candidates]
    if not message_layout.are_labels_short(texts):
        return False
    columns = message_layout.count_columns(max(map(count_units, texts), default=0))
    return -(-len(texts) // columns) <= options.MAX_FULL_ROWS


def _list_typed_words(queued: QueuedCase) -> tuple[tuple[str, ...], ...]:
    return prompts.list_option_words([candidate.text for candidate in queued.case.candidates], _list_names(queued))


def _build_choice_buttons(queued: QueuedCase, translate: Texts) -> ButtonRows:
    """A button for each candidate, one for several right ones, and a row of others."""
    is_full, names = _fit_on_buttons(queued), _list_names(queued)
    choices = [
        build_case_button(
            queued,
            options.isolate_direction(candidate.text) if is_full else names[index],
            ButtonAction.DECIDE,
            1 << index,
            index,
            typed=typed,
        )
        for index, (candidate, typed) in enumerate(zip(queued.case.candidates, _list_typed_words(queued), strict=True))
    ]
    question_input = INPUTS[queued.case.question.kind]
    rows = question_input.arrange_options(choices) if is_full else message_layout.arrange_buttons(choices)
    several = build_case_button(queued, translate("case-several"), ButtonAction.BOXES, 0, 0)
    others = (
        build_case_button(queued, translate("case-broken"), ButtonAction.BROKEN, typed=("=report",)),
        message_layout.build_button(translate("case-later"), ButtonAction.LATER, queued.case.case_id, typed=("=skip",)),
        message_layout.build_button(translate("case-stop"), ButtonAction.STOP, queued.case.case_id),
    )
    return (*rows, *(((several,),) if len(choices) > 1 else ()), others)


def _build_boxes(queued: QueuedCase, translate: Texts, picked: PickedCandidates) -> ButtonRows:
    """A box for each candidate, which carries what is ticked after a tap on it; one that saves; one that leads back."""
    boxes = []
    is_full, names = _fit_on_buttons(queued), _list_names(queued)
    for index, (candidate, typed) in enumerate(zip(queued.case.candidates, _list_typed_words(queued), strict=True)):
        box = options.TICKED if picked.bits >> index & 1 else options.EMPTY
        after = picked.toggle_candidate(index)
        label = f"{box} {options.isolate_direction(candidate.text) if is_full else names[index]}"
        boxes.append(build_case_button(queued, label, ButtonAction.BOXES, after.bits, after.first, typed=typed))
    back = build_case_button(queued, translate("back"), ButtonAction.CASE)
    save = build_case_button(
        queued, translate("text-save"), ButtonAction.DECIDE, picked.bits, picked.first, typed=(prompts.YES,)
    )
    return (*message_layout.arrange_buttons(boxes), (back, save) if picked.bits else (back,))
