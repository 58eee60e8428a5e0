"""The annotation tools whose files are read by name: for each its reader and its usual columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation import input_files
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.loading.judgements import (
    argilla,
    arrow_folders,
    brat,
    crowd_platforms,
    doccano,
    inception,
    potato,
    prodigy,
)
from annotation.loading.judgements.other_tools import RawVote, get_annotator, get_item_key
from annotation.loading.judgements.tool_rows import ToolRow, format_answer
from annotation.vocabulary import CONTROL_ITEM


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool: `read` makes one row per vote of a file or folder.

    The columns have these names unless the project file names others; of several for the item, or to show, the first
    that the file has. `shows` may be the beginning of column names. `empty_counts` says that an answer without content
    is an answer, since somebody submitted it.
    """

    read: Callable[[Path, VotesSection], Iterable[ToolRow]]
    item: tuple[str, ...] = ()
    annotator: str = ""
    shows: tuple[str, ...] = ("text",)
    empty_counts: bool = False


TOOLS: Mapping[str, Tool] = {
    "prodigy": Tool(
        read=prodigy.read_prodigy,
        item=("_task_hash", "_input_hash"),
        annotator=prodigy.ANNOTATOR,
        shows=("text", "html", "image"),
        empty_counts=True,
    ),
    "doccano": Tool(
        read=doccano.read_doccano, item=("id", "text"), annotator=doccano.ANNOTATOR, shows=("text", "filename")
    ),
    "argilla": Tool(
        read=argilla.read_argilla, item=("id", "external_id"), annotator=argilla.ANNOTATOR, empty_counts=True
    ),
    "potato": Tool(
        read=potato.read_potato,
        item=(potato.ITEM,),
        annotator=potato.ANNOTATOR,
        shows=("displayed_text",),
        empty_counts=True,
    ),
    "brat": Tool(read=brat.read_brat, item=(brat.DOCUMENT,), annotator=brat.ANNOTATOR),
    "inception": Tool(
        read=inception.read_inception, item=(inception.DOCUMENT,), annotator=inception.ANNOTATOR, empty_counts=True
    ),
    "mturk": Tool(
        read=crowd_platforms.read_batch,
        item=(crowd_platforms.HIT,),
        annotator=crowd_platforms.WORKER,
        shows=(crowd_platforms.INPUT,),
    ),
    "crowdtruth": Tool(
        read=crowd_platforms.read_job,
        item=(crowd_platforms.UNIT, crowd_platforms.HIT),
        annotator=crowd_platforms.F8_WORKER,
        shows=(crowd_platforms.INPUT,),
    ),
    "datasets": Tool(read=arrow_folders.read_data_set),
}
"""The tools by the word under `format`."""


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read the votes of a tool's file in file order; raises BadInput with the place of the row.

    What is nobody's vote comes with an empty key, so that it is counted by its reason and not kept.
    """
    tool = TOOLS[section.format]
    columns: _Columns | None = None
    for found in tool.read(path, section):
        row = found.row
        if not found.is_vote:
            yield RawVote(key=(), annotator="", answer="", row=row, exclusion=found.exclusion)
            continue
        if columns is None:
            columns = _find_columns(tool, section, found)
        answers = {column: format_answer(row.values.get(column)) for column in columns.answers}
        golden = {column: text for column, text in found.golden.items() if column in answers}
        yield RawVote(
            key=get_item_key(row, columns.item),
            annotator=get_annotator(row, columns.annotator),
            answer=answers[columns.answers[0]],
            row=row._replace(values={**row.values, **answers}),
            is_control=bool(golden),
            exclusion=found.exclusion or (CONTROL_ITEM if golden else None),
            seconds=found.seconds,
            golden=golden,
            column=columns.answers[0],
        )


@dataclass(frozen=True, kw_only=True)
class _Columns:
    item: tuple[str, ...]
    annotator: str
    answers: tuple[str, ...]


def _find_columns(tool: Tool, section: VotesSection, found: ToolRow) -> _Columns:
    """The columns of item, annotator and answers: those of the project file, else the usual ones of the tool."""
    values = found.row.values
    usual = next((name for name in tool.item if name in values), None)
    item = section.item or ((usual,) if usual is not None else tool.item[:1])
    annotator = section.annotator
    if annotator is None:
        annotator = next((name for name in (tool.annotator, crowd_platforms.WORKER) if name in values), tool.annotator)
    answers = tuple(section.answers.values()) or ((section.answer,) if section.answer is not None else ())
    answers = answers or (_get_only_answer(found),)
    if not item or not annotator:
        raise BadInput(
            "Which columns are the item and the annotator? The file does not say.",
            where=found.row.where("votes.item" if not item else "votes.annotator"),
            remedy=f"Name them as `votes.item` and `votes.annotator`. It has: {input_files.format_columns(values)}.",
        )
    unknown = [name for name in answers if name not in found.answers]
    input_files.require_columns(
        {"votes.item": item, "votes.annotator": (annotator,), "votes.answer": unknown}, found.row
    )
    return _Columns(item=item, annotator=annotator, answers=answers)


def _get_only_answer(found: ToolRow) -> str:
    if len(found.answers) == 1:
        return found.answers[0]
    names = input_files.format_columns(found.answers or found.row.values)
    raise BadInput(
        f"The file has answers to {len(found.answers)} questions{': ' if found.answers else ''}"
        f"{names if found.answers else ''}.",
        where=found.row.where("votes.answer"),
        remedy="Name the one that counts as `votes.answer`, or those of several questions as `votes.answers`."
        + ("" if found.answers else f" It has: {names}."),
    )


def counts_empty(format_name: str) -> bool:
    """Whether an answer without content is one, since the files of the tool only have submitted answers."""
    tool = TOOLS.get(format_name)
    return format_name == "label-studio" or (tool is not None and tool.empty_counts)


def list_shown(format_name: str, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that an item made from votes shows unless the project file names others."""
    tool = TOOLS.get(format_name)
    names = list(columns)
    for shown in tool.shows if tool is not None else ():
        found = tuple(name for name in names if name == shown or (shown.endswith(".") and name.startswith(shown)))
        if found:
            return found
    return ()
