"""Parses raw votes into answers: normalises labels, and checks the answer to every question."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aggregation import spelling
from aggregation.sides import SIDES, TIE
from annotation import input_files, vocabulary
from annotation.campaigns.project_file import LabelsSection, VotesSection
from annotation.campaigns.questions import (
    Question,
    QuestionContent,
    question_base,
)
from annotation.errors import BadInput, combine_errors
from annotation.label_studio_controls import get_control, results
from annotation.loading.drafts import VoteDraft, get_cell
from annotation.loading.judgements import label_studio_json, tool_votes
from annotation.loading.judgements.other_tools import Compared, RawVote
from annotation.vocabulary import ABSTAINED, NO_ANSWER, SECOND_PASS, ExclusionKind

_PAIRWISE = ("left", "right")
"""What the control Pairwise of Label Studio stores."""
_KEPT_UNREAD = frozenset({
    ExclusionKind.LEFT_OUT, ExclusionKind.REJECTED, ExclusionKind.NOT_ACCEPTED, ExclusionKind.SKIPPED,
    ExclusionKind.SEVERAL_TEXTS,
})  # fmt: skip
"""Kinds of votes that do not count whatever their answer is, so that no answer of theirs stops an import."""


@dataclass(frozen=True, kw_only=True)
class _Classes:
    """The classes in the answers to a question: how often each occurs, and how many answers have none that counts."""

    question: Question
    counts: Counter[str] = field(default_factory=Counter)
    without: list[RawVote] = field(default_factory=list)
    first: RawVote

    def format_counts(self) -> str:
        """The classes with their counts, sorted."""
        return spelling.join_first(f"{label or 'no class'} ({times})" for label, times in sorted(self.counts.items()))


@dataclass(frozen=True, kw_only=True)
class SpanClassReader:
    """Chooses the parts of each answer that count; `found` are the classes by question name."""

    section: VotesSection
    found: dict[str, _Classes] = field(default_factory=dict)

    def read_parts(self, question: Question, text: str, vote: RawVote) -> str:
        """Return the answer with the parts that count; empty where a class has no name, or no part counts."""
        parts = _list_labelled_parts(text)
        chosen = self.section.get_class(question.name)
        if not parts or (chosen is None and not any("label" in part for part in parts)):
            return text
        labels = [self._map(part.get("label", "")) for part in parts]
        classes = self.found.setdefault(question.name, _Classes(question=question, first=vote))
        classes.counts.update(labels)
        if question.part_classes is not None:
            pairs = zip(parts, labels, strict=True)
            has_names = set(labels) <= {*question.part_classes}
            return _encode(part | {"label": label} for part, label in pairs) if has_names else ""
        places = [
            {name: value for name, value in part.items() if name != "label"}
            for part, label in zip(parts, labels, strict=True)
            if label == chosen or (chosen is None and label in self._list_meaningless(question))
        ]
        if chosen is None:
            return _encode(places) if len(places) == len(parts) else ""
        if not places and question.none_text is None:
            classes.without.append(vote)
            return ""
        return _encode(places)

    def refuse(self) -> None:
        """Raise BadInput for the first question whose parts have classes without a name, or none of its class."""
        for name, classes in self.found.items():
            chosen, where = self.section.get_class(name), classes.first.row.where("votes.class")
            if chosen is None:
                self._refuse_unnamed(classes)
            elif chosen not in classes.counts:
                raise BadInput(
                    f"No marked part has the class {chosen}. There are: {classes.format_counts()}.",
                    where=where,
                    remedy="Name one of these.",
                )
            elif classes.without and classes.question.required:
                raise BadInput(
                    f"In {len(classes.without)} answers no part has the class {chosen}.",
                    where=classes.without[0].row.where("votes.class"),
                    remedy="Write the words for this answer as `none` in the question.",
                )

    def _refuse_unnamed(self, classes: _Classes) -> None:
        question = classes.question
        named_classes = question.part_classes
        allowed = named_classes or self._list_meaningless(question)
        if set(classes.counts) <= set(allowed):
            return
        named = f"the question names {', '.join(named_classes)}" if named_classes else "the question names none"
        missing = [*(named_classes or ()), *sorted({*classes.counts} - {*allowed, ""})]
        raise BadInput(
            f"The marked parts have classes, and {named}: {classes.format_counts()}.",
            where=classes.first.row.where(
                self.section.answers.get(question.name) or self.section.answer or "votes.answer"
            ),
            remedy=f"Write `labels: [{', '.join(missing)}]` in the question. Or read one class: `class` under `votes`.",
        )

    def _map(self, label: str) -> str:
        stripped = label.strip() if self.section.labels.strip else label
        return self.section.labels.map.get(stripped, stripped)

    def _list_meaningless(self, question: Question) -> tuple[str, ...]:
        """What stands for no class: nothing, and the label that our own tasks have, the name of the question."""
        return "", question.name


def _list_labelled_parts(text: str) -> list[dict[str, Any]]:
    """The parts of an answer in JSON; empty for any other answer."""
    value = question_base.decode_json(text)
    parts = value if isinstance(value, list) else [value]
    are_parts = all(isinstance(part, dict) and isinstance(part.get("label", ""), str) for part in parts)
    return parts if are_parts else []


def _encode(parts: Iterable[dict[str, Any]]) -> str:
    return json.dumps(list(parts), ensure_ascii=False)


Spell = Callable[[str, Sequence[str]], str]
"""How a question spells a label of its options (`Question.spell_label`)."""


@dataclass(frozen=True)
class LabelNormaliser:
    """Normalises labels: strips white space if configured, then maps; `changed` counts votes by (raw, label).

    A label that only differs from one of the `known` ones in its Unicode form or in blanks around it becomes that one;
    a list of one label is that label, as tools for several choices write it.
    """

    section: LabelsSection
    changed: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, raw: str, *, known: Sequence[str] = (), spell: Spell | None = None) -> str:
        """Return the label of a raw answer, as `spell` writes it; answers that are not in the map are kept."""
        stripped = raw.strip() if self.section.strip else raw
        label = self._find_mapped(stripped)
        if known and label not in known:
            written = _unwrap_list(label)
            label = spelling.find_name(written, known) or written
            label = label if spell is None or label in known else spell(label, known)
        if label != raw:
            self.changed[raw, label] += 1
        return label

    def _find_mapped(self, answer: str) -> str:
        if not self.section.map or answer in self.section.map:
            return self.section.map.get(answer, answer)
        written = spelling.find_name(answer, self.section.map)
        return answer if written is None else self.section.map[written]


def _unwrap_list(answer: str) -> str:
    """The only text of a JSON list, and nothing for an empty one; any other answer unchanged."""
    value = question_base.decode_json(answer)
    if not isinstance(value, list) or len(value) > 1:
        return answer
    return value[0] if value and isinstance(value[0], str) else "" if not value else answer


@dataclass(frozen=True, kw_only=True)
class UnknownLabels:
    """Labels that no option of a question has, with the number of votes and the first of them; `known` are those of
    its item.
    """

    question: Question
    first: RawVote
    known: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)

    def build_error(self, column: str) -> BadInput:
        """The error that names them, each with its number, and how to map them."""
        labels = [label for label, _ in self.counts.most_common()]
        named = spelling.join_first(
            f"{quoted} ({spelling.count_noun(self.counts[label], 'time')})"
            for label, quoted in zip(labels, spelling.quote_words(labels, beside=self.known), strict=True)
        )
        numbers = {label: number for label in labels if (number := _find_whole_number(label, self.known))}
        remedy = "Map them under `votes.labels.map`, or add them to the options."
        if len(numbers) == len(labels):  # pandas writes 1 as 1.0 once a cell of the column is empty
            pairs = ", ".join(f"'{label}': '{number}'" for label, number in sorted(numbers.items()))
            remedy = f"Write `labels: {{map: {{{pairs}}}}}` under `votes`."
        return BadInput(
            f"Labels that are not among the options ({spelling.list_words(self.known, beside=labels)}): {named}.",
            where=self.first.row.where(self.first.column if self.first.column is not None else column),
            remedy=remedy,
        )


def _find_whole_number(label: str, known: Sequence[str]) -> str | None:
    """The option `1` for the label `1.0`."""
    whole = label.removesuffix(".0")
    return whole if whole != label and whole in known else None


@dataclass(frozen=True, kw_only=True)
class VoteParser:
    """Parses the votes of one file.

    `unknown_labels` collects labels that no option has, by question name; `span_classes` the classes of marked parts
    that no question names.
    """

    questions: Sequence[Question]
    section: VotesSection
    span_classes: SpanClassReader
    unknown_labels: dict[str, UnknownLabels] = field(default_factory=dict)

    def parse_vote(self, raw: RawVote, *, item: str, content: QuestionContent, normalise: LabelNormaliser) -> VoteDraft:
        """Parse a vote on an item; the answer of one that was left out or not accepted is kept if it can be read."""
        if raw.compared is not None:
            raw, order = _turn_sides(raw, raw.compared, self.questions[0], content)
            draft = self.parse_vote(raw, item=item, content=content, normalise=normalise)
            return draft._replace(option_order=order)
        if raw.exclusion is None or raw.exclusion.kind not in _KEPT_UNREAD:
            return self._parse(raw, item=item, content=content, normalise=normalise)
        lenient = VoteParser(
            questions=self.questions, section=self.section, span_classes=SpanClassReader(section=self.section)
        )
        try:
            draft = lenient._parse(raw, item=item, content=content, normalise=normalise)
            lenient.refuse_unknown_labels()
        except BadInput:
            return self._build_draft(raw, item=item, response="", given={} if self.section.answers else None)
        return draft

    def _parse(self, raw: RawVote, *, item: str, content: QuestionContent, normalise: LabelNormaliser) -> VoteDraft:
        if raw.result is not None:
            return self._parse_own(raw, raw.result, item=item, content=content)
        if self.section.answers and raw.exclusion is not None and not self._has_answers(raw.row):
            return self._build_draft(raw, item=item, response="", given={})
        if self.section.answers:
            given = self._parse_columns(raw, content, normalise)
            first = given.get(self.questions[0].name, "")
            return self._build_draft(raw, item=item, response=first, given=given)
        question = self.questions[0]
        labels = question.get_labels(content.options) if question.takes_one_option else ()
        label = self._read_parts(question, normalise(raw.answer, known=labels, spell=question.spell_label), raw)
        if not label.strip():
            response = self._get_empty_answer(question) if raw.exclusion is None else ""
            return self._build_draft(raw, item=item, response=response, given=None)
        if question.takes_one_option:
            if label not in labels:
                label = self._find_label(question, label, content, raw) or label
            if label not in labels:
                self._add_unknown(question, label, raw, labels)
            return self._build_draft(raw, item=item, response=label, given=None)
        parsed = _parse_answers([question], {question.name: label}, content, raw)
        return self._build_draft(raw, item=item, response=parsed[question.name], given=None)

    def _find_label(self, question: Question, written: str, content: QuestionContent, vote: RawVote) -> str | None:
        """The label that an answer means; None where it means none."""
        try:
            return question.find_label(written, content)
        except BadInput as refusal:
            raise locate_refusal(refusal, vote.row) from None

    def _get_empty_answer(self, question: Question) -> str:
        """What is stored of an answer without content: nothing is an answer if a tool only has submitted ones."""
        if not tool_votes.counts_empty(self.section.format):
            return ""
        if question.marks_parts:
            return "" if question.none_text is None else "[]"
        return (question.empty_answer or "") if question.takes_empty_answer else ""

    def _parse_own(
        self, raw: RawVote, result: Sequence[Mapping[str, Any]], *, item: str, content: QuestionContent
    ) -> VoteDraft:
        """Parse an annotation of one of our own tasks, as a pull does; of a second pass only the regions are kept."""
        draft = self._build_draft(raw, item=item, response="", given=None)
        if raw.exclusion is not None:
            draft = draft._replace(skip_reason=label_studio_json.SKIP_REASON)
        if raw.second_pass:
            return draft._replace(exclusion=SECOND_PASS, second_pass=tuple(result))
        if draft.skip_reason is not None:
            return draft
        asked = results.list_pass_questions(self.questions, second_pass=False)
        if raw.is_flat:
            known = {name for question in asked for name in get_control(question).list_names(question)}
            result = [region for region in result if region["from_name"] in known]
        try:
            answers = results.read_answers(self.questions, result, content)
        except BadInput as refusal:
            raise locate_refusal(refusal, raw.row) from None
        if not result and any(question.required and question.name not in answers for question in asked):
            return draft
        given = _parse_answers(asked, answers, content, raw)
        response = given.get(self.questions[0].name, "")
        draft = self._build_draft(raw, item=item, response=response, given=given)
        return draft._replace(
            raw=results.describe_answers(asked, answers, given, content),
            answers=given if len(self.questions) > 1 else None,
        )

    def _build_draft(self, raw: RawVote, *, item: str, response: str, given: dict[str, str] | None) -> VoteDraft:
        first = self.questions[0]
        exclusion = raw.exclusion
        if exclusion is None and not response and not given:
            exclusion = NO_ANSWER
        if exclusion is None and first.is_abstention(response):
            exclusion = ABSTAINED
        seconds, seconds_unknown = vocabulary.check_duration(raw.seconds)
        shown = self._list_shown_columns(first, raw)
        order = None if shown is None else [first.option_columns.index(column) for column in shown]
        return VoteDraft(
            item=item,
            annotator=spelling.build_key(raw.annotator),
            response=response,
            raw=raw.answer,
            exclusion=exclusion,
            is_control=raw.is_control,
            origin=raw.row,
            answers=given,
            seconds=seconds,
            seconds_unknown=seconds_unknown,
            option_order=None if order is None else [*order, *range(len(order), len(first.get_labels(None)))],
        )

    def _read_parts(self, question: Question, text: str, vote: RawVote) -> str:
        """The answer: of marked parts those that count, of a side as it was shown the label of its column."""
        if question.option_columns and (not text.strip() or text in _PAIRWISE):
            return self._read_side(question, text, vote)
        return self.span_classes.read_parts(question, text, vote) if question.marks_parts else text

    def _read_side(self, question: Question, text: str, vote: RawVote) -> str:
        """The label of a side of the control Pairwise, by the columns that its objects name, or else in their order."""
        if not text.strip():
            return TIE if self.section.empty == TIE and vote.exclusion is None else text
        if self.section.format != "label-studio":
            return text
        shown = self._list_shown_columns(question, vote) or question.option_columns
        return SIDES[question.option_columns.index(shown[_PAIRWISE.index(text)])]

    def _list_shown_columns(self, question: Question, vote: RawVote) -> tuple[str, ...] | None:
        """The columns of both sides of the control Pairwise, the left one first; None where its objects name none."""
        control = self.section.answers.get(question.name) or self.section.answer
        names = next((names for name, names in vote.objects.items() if control in {name, None}), ())
        is_named = len(names) == len(_PAIRWISE) and {*names} == {*question.option_columns}
        return names if is_named else None

    def _has_answers(self, row: input_files.FileRow) -> bool:
        return any(get_cell(row, column).strip() for column in self.section.answers.values())

    def _parse_columns(self, vote: RawVote, content: QuestionContent, normalise: LabelNormaliser) -> dict[str, str]:
        row, raw = vote.row, dict[str, object]()
        for question in self.questions:
            column = self.section.answers.get(question.name)
            labels = question.get_labels(content.options) if question.takes_one_option else ()
            written = (
                "" if column is None else normalise(get_cell(row, column), known=labels, spell=question.spell_label)
            )
            text = self._read_parts(question, written, vote)
            if text.strip() or (question.empty_answer is not None and column is not None):
                raw[question.name] = text or []
        if not any(raw.values()) and any(question.empty_answer is None for question in self.questions):
            return {}
        if self.section.format == "label-studio":  # it keeps what was written before the question was hidden
            try:
                raw = results.select_visible_answers(self.questions, raw, content)
            except BadInput as refusal:
                raise locate_refusal(refusal, row) from None
        if self._has_unknown_labels(raw, vote, content):
            return {}
        return _parse_answers(self.questions, raw, content, vote)

    def _has_unknown_labels(self, answers: Mapping[str, object], vote: RawVote, content: QuestionContent) -> bool:
        """Collect the labels that no option has; whether there are any, so that the file will be refused."""
        found = False
        for question in self.questions:
            label = answers.get(question.name)
            if question.takes_one_option and isinstance(label, str):
                labels = question.get_labels(content.options)
                if self._find_label(question, label, content, vote) is None:
                    self._add_unknown(question, label.strip(), vote, labels)
                    found = True
        return found

    def _add_unknown(self, question: Question, label: str, vote: RawVote, labels: tuple[str, ...]) -> None:
        unknown = self.unknown_labels.setdefault(
            question.name, UnknownLabels(question=question, first=vote, known=labels)
        )
        unknown.counts[label] += 1

    def refuse_unknown_labels(self) -> None:
        """Raise BadInput for labels that no option has, or classes of parts that no question names, with counts."""
        self.span_classes.refuse()
        found = [
            unknown.build_error(self.section.answers.get(name) or self.section.answer or "votes.answer")
            for name, unknown in self.unknown_labels.items()
        ]
        if found:
            raise combine_errors(found)


def _turn_sides(
    raw: RawVote, compared: Compared, question: Question, content: QuestionContent
) -> tuple[RawVote, list[int]]:
    """The vote with its answer in the order in which the item has the two systems, and the options as they were shown.

    Raises BadInput for a vote on other systems than those of its item.
    """
    own = tuple(content.fields.get(column, "").strip() for column in question.system_columns)
    if own and sorted(own) != sorted(compared.systems):
        raise BadInput(
            f"The row compares {' and '.join(compared.systems)}, its item {' and '.join(own)}.",
            where=raw.row.where("votes.item"),
            remedy="Name more columns as `votes.item`, or correct the row.",
        )
    one, two = SIDES[:2]
    is_turned = bool(own) and own != compared.systems
    answer = {one: two, two: one}.get(raw.answer, raw.answer) if is_turned else raw.answer
    order = list(range(max(2, len(question.get_labels(content.options)))))
    if compared.is_swapped != is_turned:
        order[:2] = [1, 0]
    return raw._replace(answer=answer, compared=None), order


def _parse_answers(
    questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent, vote: RawVote
) -> dict[str, str]:
    try:
        return question_base.parse_answers(questions, raw, content)
    except BadInput as refusal:
        asked = next((one for one in questions if refusal.where and one.name == refusal.where.field), questions[0])
        named = _name_regions(asked, raw.get(asked.name), content, vote) if vote.regions else ""
        row = vote.row._replace(place=", ".join(filter(None, (vote.row.place, named))))
        raise locate_refusal(refusal, row) from None


def _name_regions(question: Question, answer: object, content: QuestionContent, vote: RawVote) -> str:
    """The regions by which an answer is refused, with their ids; empty where it is not about single ones."""
    parts = _list_labelled_parts(answer if isinstance(answer, str) else "")
    faulty = [part for part in parts if not _is_answer(question, part, content)]
    faulty = faulty or next((list(pair) for pair in itertools.combinations(parts[:100], 2) if _overlap(*pair)), [])
    places = {(part.get("start"), part.get("end")) for part in faulty}
    names = [region.name for region in vote.regions if (region.start, region.end) in places]
    return f"region{'s' * (len(names) > 1)} {' and '.join(names)}" if names else ""


def _is_answer(question: Question, part: Mapping[str, Any], content: QuestionContent) -> bool:
    try:
        question.parse_answer([part], content)
    except BadInput:
        return False
    return True


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two different parts of one class share a character."""
    is_same_class = one.get("label") == other.get("label")
    return is_same_class and one != other and one["start"] < other["end"] and other["start"] < one["end"]


def locate_refusal(refusal: BadInput, row: input_files.FileRow) -> BadInput:
    """The refusal of an answer, with the place of its vote in the file."""
    name = refusal.where.field if refusal.where else None
    return BadInput(refusal.problem, where=row.where(name), remedy=refusal.remedy)
