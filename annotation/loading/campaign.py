"""A whole campaign as its files describe it: the items with their gold, and votes looked up among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation import files
from annotation.campaigns import project
from annotation.campaigns.questions import Choice, Material, Question
from annotation.campaigns.stimulus import Piece
from annotation.errors import BadInput, Where
from annotation.loading import answering, bulk, controls, golds, judgements, pools
from annotation.loading.drafts import ItemDraft, VoteDraft, cell, options
from annotation.loading.items import rows
from annotation.loading.judgements.normaliser import Normaliser
from annotation.loading.judgements.raw import RawVote, item_id, key_of

MOST_BUTTONS = 100


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The items of a campaign, the main ones first and in file order, the questions, and how samples were drawn."""

    items: tuple[ItemDraft, ...]
    questions: tuple[Question, ...]
    frames: tuple[pools.Frame, ...] = ()

    @property
    def choice(self) -> Choice | None:
        """The first question where it is a choice."""
        first = self.questions[0]
        return first if isinstance(first, Choice) else None

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of each item, by external id, where the first question is a choice."""
        if self.choice is None:
            return {}
        return {item.external_id: self.choice.labels_of(item.options) for item in self.items}

    @property
    def materials(self) -> dict[str, Material]:
        """What the questions need to know of each item, by external id."""
        return {item.external_id: item.material for item in self.items}


@dataclass(frozen=True, kw_only=True)
class ReadVotes:
    """Votes of one file in file order; `changed` counts what the normaliser changed, as (raw, label)."""

    votes: tuple[VoteDraft, ...]
    changed: Mapping[tuple[str, str], int]


@bulk.uncollected()
def contents(campaign: project.Campaign) -> Contents:
    """Read the items of a campaign, from their files or from its votes; the lint (`inspection`) says what is wrong."""
    definition = campaign.definition
    campaign.check_texts()
    if isinstance(definition.items, project.ItemsSection):
        drawn = pools.pooled(campaign, definition.items)
        drafts, frames = drawn.items, drawn.frames
    else:
        drafts, frames = _with_truth(campaign, _from_votes(campaign)), ()
    most = max(len(item.options or ()) for item in drafts)
    questions = tuple(one.counted(most) if isinstance(one, Choice) else one for one in definition.asked)
    _check_places(drafts, questions, definition)
    return Contents(items=golds.checked(drafts, questions, definition), questions=questions, frames=frames)


def votes(
    path: Path,
    section: project.VotesSection,
    *,
    questions: Sequence[Question],
    materials: Mapping[str, Material],
) -> ReadVotes:
    """Read a file of votes on known items (`materials` by external id).

    Raises BadInput for a vote on an unknown item, for labels outside an item's set, all of them named with counts, and
    for the first answer that another question cannot take.
    """
    normalise = Normaliser(section.labels)
    reading = answering.Reading(questions=questions, section=section)
    drafts: list[VoteDraft] = []
    for raw in judgements.read(path, section):
        item = item_id(raw.key)
        if item not in materials:
            raise BadInput(
                f"The vote is for an item that is not loaded: {' | '.join(raw.key)[:80]!r}.",
                where=raw.row.where(),
                remedy="Load the item first, or check which columns `votes.item` names.",
            )
        drafts.append(reading.vote(raw, item=item, material=materials[item], normalise=normalise))
    reading.refuse_strange_labels()
    if not drafts:
        raise BadInput("The file has a header but no votes.", where=Where(file=path), remedy="Is it the right one?")
    return ReadVotes(votes=tuple(drafts), changed=dict(normalise.changed))


def _from_votes(campaign: project.Campaign) -> tuple[ItemDraft, ...]:
    """Items made of the key columns of the votes, in the order in which they are first met."""
    section = campaign.definition.votes
    if section is None or section.file is None:
        raise BadInput("Items from votes need a file of votes.", where=Where(file=campaign.file, field="votes.file"))
    drafts: dict[str, ItemDraft] = {}
    golden = controls.Golden(definition=campaign.definition)
    for raw in judgements.read(campaign.path(section.file), section):
        external_id = item_id(raw.key)
        draft = _item_of_vote(raw, section, external_id)
        _refuse_another(drafts.setdefault(external_id, draft), draft)
        golden.note(external_id, raw)
    if not drafts:
        raise BadInput("The file has a header but no votes.", where=Where(file=campaign.path(section.file)))
    return golden.items(drafts.values())


def _refuse_another(first: ItemDraft, draft: ItemDraft) -> None:
    """Rows of one key must show one thing, or answers to different things would be counted together."""
    if (first.shown, first.options) != (draft.shown, draft.options):
        raise BadInput(
            f"The row has the key of line {first.origin.line}, but shows another text or other options.",
            where=draft.origin.where(),
            remedy="Name more columns as `votes.item`, so that each thing that was asked is an item of its own.",
        )


def _item_of_vote(raw: RawVote, section: project.VotesSection, external_id: str) -> ItemDraft:
    inputs = tuple(column for column in raw.row.values if column.startswith("INPUT:"))
    columns = section.show or inputs or tuple(column for column in section.item or () if column in raw.row.values)
    files.need(columns, raw.row, key="votes.show")
    files.need(section.options or (), raw.row, key="votes.options")
    shown = tuple(cell(raw.row, column) for column in columns)
    return ItemDraft(
        external_id=external_id,
        group=external_id,
        data={"key": list(raw.key)} | dict(zip(columns, shown, strict=True)),
        shown=shown if any(shown) else raw.key,
        pieces=tuple(Piece(field=name, text=text) for name, text in zip(columns, shown, strict=True))
        if any(shown)
        else tuple(Piece(field=f"key {number}", text=text) for number, text in enumerate(raw.key)),
        options=options(raw.row, section.options) if section.options else None,
        gold=None,
        origin=raw.row,
    )


def _with_truth(campaign: project.Campaign, drafts: tuple[ItemDraft, ...]) -> tuple[ItemDraft, ...]:
    section = campaign.definition.truth
    if section is None:
        return drafts
    known = {draft.external_id: draft for draft in drafts}
    question = campaign.definition.asked[0].name
    found: dict[str, ItemDraft] = {}
    first: files.Row | None = None
    for row in rows(campaign.path(section.file), form=section.format, under=section.path):
        if first is None:
            files.need(section.item, row, key="truth.item")
            files.need([section.gold], row, key="truth.gold")
        first = first or row
        external_id = item_id(key_of(row, section.item))
        if external_id in found:
            where = row.where(section.item[0])
            raise BadInput("The truth of this item stands twice.", where=where, remedy="Keep one of the rows.")
        if external_id in known:
            gold = cell(row, section.gold).strip() or None
            named = {} if gold is None else {question: gold}
            golds_of = known[external_id].golds | named
            found[external_id] = replace(known[external_id], gold=golds_of.get(question), golds=golds_of, origin=row)
    if not found:
        raise BadInput(
            "No row of the truth is for an item that has votes.",
            where=Where(file=campaign.path(section.file)),
            remedy="Check that `truth.item` names the same columns as `votes.item`.",
        )
    return tuple(found.get(draft.external_id, draft) for draft in drafts)


def _check_places(drafts: Sequence[ItemDraft], questions: Sequence[Question], definition: project.ProjectFile) -> None:
    """Items that have more options than there are buttons, or positions."""
    for question in questions:
        if isinstance(question, Choice):
            for item in drafts:
                _check_place(item, question, shown=definition.overlap is not None)


def _check_place(item: ItemDraft, question: Choice, *, shown: bool) -> None:
    number = len(question.options_of(item.options))
    if shown and number > MOST_BUTTONS:
        raise BadInput(
            f"The item has {number} options; Telegram shows at most {MOST_BUTTONS} buttons.",
            where=item.origin.where(),
            remedy="Offer fewer.",
        )
    substantive, labels = question.substantive(item.options), question.labels_of(item.options)
    if question.abstain is not None and question.abstain in (*substantive, *labels[: len(substantive)]):
        raise BadInput(
            f"The item has the option {question.abstain!r} already, which `abstain` adds.",
            where=item.origin.where(),
            remedy="Take it out of the item's options.",
        )
    if question.positions is not None and len(item.options or ()) > len(question.positions):
        raise BadInput(
            f"The item has {len(item.options or ())} options, `labels` only {len(question.positions)} positions.",
            where=item.origin.where(),
            remedy="Add positions.",
        )


def repeated(found: Iterable[VoteDraft]) -> int:
    """How many votes repeat an earlier one of the same person on the same item."""
    counts = Counter((vote.item, vote.annotator) for vote in found)
    return sum(counts.values()) - len(counts)
