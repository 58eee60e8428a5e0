"""Finds the votes in files of other tools, whose readers know their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation import input_files
from annotation.campaigns.questions.question_base import decode_json
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading import judgements
from annotation.loading.drafts import get_cell
from annotation.loading.judgements import crowd_platforms, label_studio_values, other_tools, prodigy, tool_votes
from annotation.loading.judgements.tool_rows import format_answer
from annotation.loading.project_drafts.column_names import Role
from annotation.loading.project_drafts.column_profiles import ColumnProfile, depends_on, profile_columns
from annotation.loading.project_drafts.label_config import LabelConfig
from annotation.loading.project_drafts.question_guesses import QuestionGuess, guess_question
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.vote_tables import read_votes
from annotation.loading.project_drafts.votes_table import VotesTable, find_columns, name_questions
from annotation.loading.project_drafts.yaml_lines import YamlLine

_READ_COLUMNS = frozenset(
    {
        crowd_platforms.STATUS, crowd_platforms.SECONDS, prodigy.DECISION, "options", "config", "_session_id",
        "_annotator_id", "_view_id", "_is_binary", "tokens",
    }
)  # fmt: skip
"""Columns that the readers of tools use without being told."""
_TOLOKA_BEGINS = ("ASSIGNMENT:", "GOLDEN:", "HINT:")


def read_tool(source: SourceFile, config: LabelConfig | None) -> VotesTable | None:
    """Return the votes of a tool's file; raises BadInput for what a person must decide."""
    match source.format:
        case "toloka":
            return _read_toloka(source)
        case "label-studio":
            return _read_label_studio(source, config)
        case "human-response-bot":
            return _read_bot(source)
        case "datasets":
            return read_votes(_explode(source))
        case _:
            return _read_known(source)


def _choose_answers(source: SourceFile, answers: Sequence[str]) -> list[str]:
    chosen = [name for name in source.chosen.get(Role.ANSWER.value, ()) if name in answers]
    found = chosen or list(answers)
    if not found:
        raise BadInput(
            "The file has no answers.",
            where=source.where(),
            remedy=f"Name their column: --as answer=COLUMN. It has: {input_files.format_columns(source.columns)}.",
        )
    return found


def _write_answers(answers: Sequence[str], names: Sequence[str]) -> list[YamlLine]:
    if len(answers) == 1:
        return [YamlLine("answer", answers[0])]
    comment = "each is a question; take out those that are none"
    return [YamlLine("answers", dict(zip(names, answers, strict=True)), comment, sure=False)]


def _build(
    source: SourceFile, answers: Sequence[str], lines: Sequence[YamlLine], shown: Sequence[str], rows: Sequence[FileRow]
) -> VotesTable:
    """The votes of a tool whose answers are columns of its rows."""
    names = name_questions(answers)
    counted = rows if source.counted is None else source.counted
    texts = {
        name: [format_answer(row.values.get(column)) for row in counted]
        for name, column in zip(names, answers, strict=True)
    }
    guesses = {name: guess_question(texts[name], column=column) for name, column in zip(names, answers, strict=True)}
    marks = any(guess.question.marks_parts for guess in guesses.values())
    field = _find_marked(rows, shown, answers) if marks else None
    if marks and field is None:
        without = [
            column for name, column in zip(names, answers, strict=True) if not guesses[name].question.marks_parts
        ]
        _refuse_no_text(source, without)
        return _build(source, without, lines, shown, rows)
    for name, guess in guesses.items():
        if guess.question.marks_parts and field is not None:
            guesses[name] = replace(guess, keys=(YamlLine("field", field), *guess.keys))
    shown = shown if field is None or field in shown else (*shown, field)
    show = [YamlLine("show", shown[0] if len(shown) == 1 else tuple(shown))] if shown else []
    return VotesTable(
        source=source,
        lines=(*lines, *_write_answers(answers, names), *show),
        answers=texts,
        texts=[get_cell(row, name) for row in rows[:1000] for name in shown],
        asked=dict(zip(names, answers, strict=True)),
        guesses=guesses,
        columns=profile_columns(rows),
        used=frozenset({*answers, *shown}),
    )


def _refuse_no_text(source: SourceFile, answers: Sequence[str]) -> None:
    """Raise BadInput if the only answers are parts of texts that the file does not have."""
    if not answers:
        raise BadInput(
            "The answers are marked parts of texts, and the file has no texts.",
            where=source.where(),
            remedy="Name an export that has them.",
        )


def _find_marked(rows: Sequence[FileRow], shown: Sequence[str], answers: Sequence[str]) -> str | None:
    """The column of the text in which parts are marked: the one that has their words at their places."""
    for row in rows:
        for column in answers:
            parts = list_parts(format_answer(row.values.get(column)))
            for part in parts:
                found = [
                    name
                    for name in row.values
                    if get_cell(row, name)[_get_place(part, "start") : _get_place(part, "end")] == part.get("text")
                ]
                if part.get("text") and found:
                    return next((name for name in shown if name in found), found[0])
    return shown[0] if shown else None


def _get_place(part: Mapping[str, Any], name: str) -> int:
    return part[name] if type(part[name]) is int else 0


def list_parts(text: str) -> list[dict[str, Any]]:
    """Return the marked parts of an answer, none for any other answer."""
    value = decode_json(text) if text.startswith("[{") else []
    parts = value if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, dict) and {"start", "end"} <= part.keys()]


def _read_known(source: SourceFile) -> VotesTable:
    """A tool whose reader names the columns of item, annotator and answers itself."""
    answers = _choose_answers(source, source.answers)
    shown = tool_votes.list_shown(str(source.format), source.columns) or _find_texts(source, answers)
    tool = tool_votes.TOOLS[str(source.format)]
    votes = _build(source, answers, (), shown, source.rows)
    if source.format == "prodigy":
        votes = replace(votes, guesses={name: _add_options(source, guess) for name, guess in votes.guesses.items()})
    return replace(votes, used=votes.used | {*tool.item, tool.annotator, *_READ_COLUMNS})


def _add_options(source: SourceFile, guess: QuestionGuess) -> QuestionGuess:
    """The question with the options that Prodigy's rows list, of which some may never have been chosen."""
    lists = (row.values.get("options") for row in source.rows)
    listed = [one for some in lists if isinstance(some, list) for one in some if isinstance(one, Mapping)]
    ids = tuple(dict.fromkeys(str(one["id"]) for one in listed if "id" in one))
    question = guess.question
    may_list = question.takes_item_options or not (question.is_closed or question.marks_parts)
    is_choice = len(ids) > 1 and may_list and {*guess.options} <= {*ids}
    configs = (row.values.get("config") for row in source.rows)
    styles = {str(one.get("choice_style")) for one in configs if isinstance(one, Mapping)}
    takes_several = question.is_closed and not question.takes_one_option
    chosen = "choices" if takes_several or "multiple" in styles else "choice"
    type_line = YamlLine("type", chosen, "the options that the file lists")
    return replace(guess, type=type_line, keys=(YamlLine("options", ids),)) if is_choice else guess


def _find_texts(source: SourceFile, answers: Sequence[str]) -> tuple[str, ...]:
    """The columns with texts, if the reader does not say which are shown."""
    texts = tuple(column.name for column in find_columns(source, Role.TEXT) if column.name not in answers)
    prose = [one for one in source.columns.values() if one.mean_length >= 15 and " " in "".join(list(one.counts)[:50])]
    prose = [
        one
        for one in prose
        if one.name not in answers and one.role in {None, Role.ITEM} and "[" not in one.cells[0][:1]
    ]
    return texts or tuple(one.name for one in sorted(prose, key=lambda one: -one.mean_length)[:1])


def _read_toloka(source: SourceFile) -> VotesTable:
    outputs = [name for name, column in source.columns.items() if name.startswith("OUTPUT:") and column.counts]
    answers = _choose_answers(source, outputs)
    inputs = [name for name, column in source.columns.items() if name.startswith("INPUT:") and column.counts]
    known = {other_tools.TASK_COLUMN} <= source.columns.keys()
    known = known or {other_tools.SUITE_COLUMN, other_tools.PAGE_COLUMN} <= source.columns.keys()
    item = (
        []
        if known
        else [
            YamlLine(
                "item", tuple(inputs) if len(inputs) != 1 else inputs[0], "the file has no ids of tasks", sure=False
            )
        ]
    )
    votes = _build(source, answers, item, inputs, source.rows)
    section = VotesSection.model_validate(
        {"format": "toloka", "answer": answers[0]} | {str(line.key): line.value for line in (*item, *source.keys)}
    )
    keys = frozenset(vote.key for vote in judgements.read_raw_votes(source.path, section))
    used = votes.used | {name for name in source.columns if name.startswith(_TOLOKA_BEGINS)}
    return replace(votes, keys=keys, used=used)


def _read_bot(source: SourceFile) -> VotesTable:
    answers = [name for name in other_tools.ANSWER_FIELDS if name in source.columns][:1]
    unique = [column for column in source.columns.values() if column.is_unique and column.name not in answers]
    items = [column for column in find_columns(source, Role.ITEM) if column.is_unique] or unique
    if not items:
        raise BadInput(
            "No field has a value of its own in each instance.",
            where=source.where(),
            remedy="Name one: --as item=FIELD",
        )
    texts = [column.name for column in find_columns(source, Role.TEXT)]
    options = [column.name for column in find_columns(source, Role.OPTIONS)][:1]
    gold = next((column.name for column in find_columns(source, Role.GOLD)), None)
    votes = _build(source, answers, [YamlLine("item", items[0].name)], texts, source.rows)
    return replace(
        votes,
        lines=(*votes.lines, *(YamlLine("options", name) for name in options)),
        options=tuple(options),
        gold=gold,
        item_columns=(items[0].name,),
        items=frozenset(items[0].counts),
        guesses={} if options else votes.guesses,
    )


def _explode(source: SourceFile) -> SourceFile:
    """A row for each vote of a data set that has lists of annotators and answers, as its reader makes them."""
    rows = list(_explode_rows(source.rows))
    return replace(source, rows=rows)


def _explode_rows(rows: Sequence[FileRow]) -> Iterator[FileRow]:
    lists = {name for row in rows for name, value in row.values.items() if isinstance(value, list) and name}
    scalar = {
        name
        for name in lists
        if not any(isinstance(one, Mapping | list) for row in rows for one in row.values.get(name) or ())
    }
    people = next((name for name in sorted(scalar) if profile_columns(rows[:1])[name].role is Role.ANNOTATOR), None)
    for row in rows:
        n_people = len(row.values[people]) if people and isinstance(row.values.get(people), list) else 0
        if not n_people:
            yield row
        for index in range(n_people):
            found = {name: row.values[name] for name in scalar if len(row.values.get(name) or ()) == n_people}
            one = {name: value[index] for name, value in found.items()}
            yield FileRow(
                row.file,
                row.line,
                {name: value for name, value in {**row.values, **one}.items() if name not in lists or name in one},
            )


_FLAT = frozenset({"choices", "rating", "number", "selected", "taxonomy", "ranker", "labels", "datetime"})
"""The keys of the values of controls in flat exports."""


def _read_label_studio(source: SourceFile, config: LabelConfig | None) -> VotesTable | None:
    """Votes of Label Studio: the controls, of which a flat export does not say which columns they are."""
    first = source.rows[0].values
    is_tasks = "annotations" in first
    if is_tasks and not any(row.values.get("annotations") for row in source.rows):
        return None
    controls = list(_list_controls(source.rows)) if is_tasks else _find_flat_controls(source)
    if config is not None:
        controls = [name for name in config.questions if name in controls] or controls
    answers = _choose_answers(source, controls)
    section = VotesSection(format="label-studio", answers={name: name for name in answers})
    votes_read = [vote for vote in judgements.read_raw_votes(source.path, section) if vote.key]
    rows = [vote.row for vote in votes_read]
    source = replace(source, counted=[vote.row for vote in votes_read if vote.exclusion is None])
    columns = profile_columns(rows)
    fields = [name for name in columns if name not in {*controls, *answers, *label_studio_values.ADDED_COLUMNS}]
    if config is not None and any(name in fields for name in config.shown):
        fields = [name for name in config.shown if name in fields]
    texts = [name for name in fields if _is_text(columns[name]) or (config is not None and name in config.shown)]
    votes = _build(source, answers, (), texts or fields[:1], rows)
    known = {} if config is None else config.questions
    names = dict(zip(votes.answers, answers, strict=True))
    guesses = {name: known.get(names[name], guess) for name, guess in votes.guesses.items()}
    unused = {"annotations", "predictions", "data", "drafts", *columns} - {*source.columns}
    return replace(
        votes, guesses=guesses, used=votes.used | unused | {*label_studio_values.ADDED_COLUMNS, *source.columns}
    )


def _is_text(column: ColumnProfile) -> bool:
    """Whether people were shown the field: a text, or one of two sides that are compared."""
    is_side = column.name.casefold() in {"left", "right", "a", "b", "text1", "text2"}
    is_prose = column.mean_length >= 15 and any(" " in cell and cell[:1] not in "[{" for cell in column.counts)
    return bool(column.counts) and (column.role is Role.TEXT or is_side or (is_prose and column.role is None))


def _list_controls(rows: Sequence[FileRow]) -> dict[str, None]:
    found: dict[str, None] = {}
    for row in rows:
        for annotation in _list_mappings(row.values.get("annotations")):
            for result in _list_mappings(annotation.get("result")):
                if isinstance(result.get("from_name"), str):
                    found[result["from_name"]] = None
    return found


def _list_mappings(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _find_flat_controls(source: SourceFile) -> list[str]:
    """The controls of a flat export: columns with regions, and those that differ between annotations of a task."""
    tasks = source.columns["id"].cells if "id" in source.columns else [str(n) for n, _ in enumerate(source.rows)]
    others = label_studio_values.ADDED_COLUMNS
    return [
        name
        for name, column in source.columns.items()
        if name not in others and column.counts and (_has_regions(column.counts) or not depends_on(column, tasks))
    ]


def _has_regions(cells: Mapping[str, int]) -> bool:
    for cell in cells:
        value = decode_json(cell) if cell[:2] in {"[{", '{"'} else None
        regions = value if isinstance(value, list) else [value]
        if any(isinstance(one, dict) and (_FLAT & one.keys() or {"start", "end"} <= one.keys()) for one in regions):
            return True
    return False
