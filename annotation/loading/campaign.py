"""A whole campaign as its files describe it: the items with their gold, and votes looked up among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from annotation import files
from annotation.campaigns import project
from annotation.campaigns.questions import Choice
from annotation.errors import BadInput, Where
from annotation.loading import judgements
from annotation.loading.drafts import ItemDraft, VoteDraft, cell, options
from annotation.loading.items import reader, rows
from annotation.loading.judgements.normaliser import Normaliser
from annotation.loading.judgements.raw import RawVote, item_id, key_of

NO_ANSWER = "no answer"
MOST_BUTTONS = 100


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The items of a campaign in file order, and the question that they are asked."""

    items: tuple[ItemDraft, ...]
    choice: Choice

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of each item, by external id."""
        return {item.external_id: self.choice.labels_of(item.options) for item in self.items}


@dataclass(frozen=True, kw_only=True)
class ReadVotes:
    """Votes of one file in file order; `changed` counts what the normaliser changed, as (raw, label)."""

    votes: tuple[VoteDraft, ...]
    changed: Mapping[tuple[str, str], int]


def contents(campaign: project.Campaign) -> Contents:
    """Read the items of a campaign, from their file or from its votes; the lint (`inspection`) says what is wrong."""
    definition = campaign.definition
    if isinstance(definition.items, project.ItemsSection):
        drafts = reader.read(campaign, definition.items)
    else:
        drafts = _with_truth(campaign, _from_votes(campaign))
    most = max(len(item.options or ()) for item in drafts)
    found = Contents(items=drafts, choice=project.choice(definition, most_options=most))
    _check_places(found, definition)
    return found


def votes(path: Path, section: project.VotesSection, *, labels: Mapping[str, tuple[str, ...]]) -> ReadVotes:
    """Read a file of votes on known items (`labels` by external id).

    Raises BadInput for a vote on an unknown item and for labels outside an item's set, all of them named with counts.
    """
    normalise = Normaliser(section.labels)
    drafts: list[VoteDraft] = []
    strange: dict[str, tuple[int, RawVote]] = {}
    for raw in judgements.read(path, section):
        item = item_id(raw.key)
        if item not in labels:
            raise BadInput(
                f"The vote is for an item that is not loaded: {' | '.join(raw.key)[:80]!r}.",
                where=raw.row.where(),
                remedy="Load the item first, or check which columns `votes.item` names.",
            )
        label = normalise(raw.answer)
        if label.strip() and label not in labels[item]:
            times, first = strange.get(label, (0, raw))
            strange[label] = (times + 1, first)
        drafts.append(_vote(raw, item=item, label=label))
    if strange:
        raise _strange_labels(strange, labels)
    if not drafts:
        raise BadInput("The file has a header but no votes.", where=Where(file=path), remedy="Is it the right one?")
    return ReadVotes(votes=tuple(drafts), changed=dict(normalise.changed))


def _vote(raw: RawVote, *, item: str, label: str) -> VoteDraft:
    empty = not label.strip()
    return VoteDraft(
        item=item,
        annotator=raw.annotator,
        response="" if empty else label,
        raw=raw.answer,
        excluded=raw.excluded or (NO_ANSWER if empty else None),
        is_control=raw.is_control,
        origin=raw.row,
        seconds=raw.seconds,
    )


def _strange_labels(strange: Mapping[str, tuple[int, RawVote]], labels: Mapping[str, tuple[str, ...]]) -> BadInput:
    first = next(iter(strange.values()))[1]
    named = ", ".join(f"{label!r} ({times} times)" for label, (times, _) in strange.items())
    known = ", ".join(labels[item_id(first.key)])
    return BadInput(
        f"Labels that are not among the options ({known}): {named}.",
        where=first.row.where(),
        remedy="Map them under `votes.labels.map`, or add them to the options.",
    )


def _from_votes(campaign: project.Campaign) -> tuple[ItemDraft, ...]:
    """Items made of the key columns of the votes, in the order in which they are first met."""
    section = campaign.definition.votes
    if section is None or section.file is None:
        raise BadInput("Items from votes need a file of votes.", where=Where(file=campaign.file, field="votes.file"))
    drafts: dict[str, ItemDraft] = {}
    for raw in judgements.read(campaign.path(section.file), section):
        external_id = item_id(raw.key)
        draft = _item_of_vote(raw, section, external_id)
        _refuse_another(drafts.setdefault(external_id, draft), draft)
    if not drafts:
        raise BadInput("The file has a header but no votes.", where=Where(file=campaign.path(section.file)))
    return tuple(drafts.values())


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
        options=options(raw.row, section.options) if section.options else None,
        gold=None,
        origin=raw.row,
    )


def _with_truth(campaign: project.Campaign, drafts: tuple[ItemDraft, ...]) -> tuple[ItemDraft, ...]:
    section = campaign.definition.truth
    if section is None:
        return drafts
    known = {draft.external_id: draft for draft in drafts}
    golds: dict[str, ItemDraft] = {}
    first: files.Row | None = None
    for row in rows(campaign.path(section.file)):
        if first is None:
            files.need(section.item, row, key="truth.item")
            files.need([section.gold], row, key="truth.gold")
        first = first or row
        external_id = item_id(key_of(row, section.item))
        if external_id in golds:
            where = row.where(section.item[0])
            raise BadInput("The truth of this item stands twice.", where=where, remedy="Keep one of the rows.")
        if external_id in known:
            golds[external_id] = replace(known[external_id], gold=cell(row, section.gold).strip() or None, origin=row)
    if not golds:
        raise BadInput(
            "No row of the truth is for an item that has votes.",
            where=Where(file=campaign.path(section.file)),
            remedy="Check that `truth.item` names the same columns as `votes.item`.",
        )
    return tuple(golds.get(draft.external_id, draft) for draft in drafts)


def _check_places(found: Contents, definition: project.ProjectFile) -> None:
    positions = found.choice.positions
    for item in found.items:
        labels = found.choice.labels_of(item.options)
        if definition.overlap is not None and len(labels) > MOST_BUTTONS:
            raise BadInput(
                f"The item has {len(labels)} options; Telegram shows at most {MOST_BUTTONS} buttons.",
                where=item.origin.where(),
                remedy="Offer fewer.",
            )
        if positions is not None and len(item.options or ()) > len(positions):
            raise BadInput(
                f"The item has {len(item.options or ())} options, `labels` only {len(positions)} positions.",
                where=item.origin.where(),
                remedy="Add positions.",
            )


def repeated(found: Iterable[VoteDraft]) -> int:
    """How many votes repeat an earlier one of the same person on the same item."""
    counts = Counter((vote.item, vote.annotator) for vote in found)
    return sum(counts.values()) - len(counts)
