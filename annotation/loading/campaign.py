"""Reads the contents of a campaign from its files: items with gold, and votes on them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aggregation import spelling
from annotation import input_files
from annotation.campaigns import bot_commands, project_file
from annotation.campaigns.project_file import LabelsSection, ProjectFile
from annotation.campaigns.questions import Question, QuestionContent
from annotation.campaigns.stimulus import Piece
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.loading import golds, judgements, overlap_sample, pools, vote_parser
from annotation.loading.drafts import (
    ItemDraft,
    VoteDraft,
    get_cell,
    name_group,
    parse_options,
    pause_garbage_collection,
)
from annotation.loading.golds import ReadTruth, add_golds, read_truth
from annotation.loading.judgements import tool_votes
from annotation.loading.judgements.other_tools import RawVote, build_item_id
from annotation.loading.vote_parser import LabelNormaliser, SpanClassReader
from annotation.vocabulary import ExclusionKind, Pool


@dataclass(frozen=True, kw_only=True)
class ControlGoldCollector:
    """Collects the right answers that come with votes.

    `golds` maps item, question and answer to the first vote with it; `ordinary` are the items with ordinary votes too.
    """

    definition: ProjectFile
    golds: dict[str, dict[str, dict[str, RawVote]]] = field(default_factory=lambda: defaultdict(dict))
    ordinary: set[str] = field(default_factory=set)

    def add_vote(self, item: str, raw: RawVote) -> None:
        """Add a vote on an item."""
        if not raw.is_control:
            self.ordinary.add(item)
        if not raw.golden:
            return
        votes = self.definition.votes
        normalise = LabelNormaliser(votes.labels if votes else LabelsSection())
        questions = {column: name for name, column in (votes.answers if votes else {}).items()}
        for column, text in raw.golden.items():
            name = questions.get(column, self.definition.all_questions[0].name)
            self.golds[item].setdefault(name, {}).setdefault(normalise(text), raw)

    def build_items(self, drafts: Iterable[ItemDraft]) -> tuple[ItemDraft, ...]:
        """Return the items with their gold, the main ones first.

        Items without ordinary votes are in the control pool. Further right answers to the first question are accepted.
        """
        items = [self._build_item(draft) for draft in drafts]
        return tuple(sorted(items, key=lambda item: item.pool is Pool.CONTROL))

    def _build_item(self, draft: ItemDraft) -> ItemDraft:
        truth = self.golds.get(draft.external_id)
        if not truth:
            return draft
        first = self.definition.all_questions[0].name
        golds = {name: next(iter(answers)) for name, answers in truth.items()}
        pool = Pool.MAIN if draft.external_id in self.ordinary else Pool.CONTROL
        accepted = tuple(truth.get(first, {}))[1:]
        origin = next(iter(next(iter(truth.values())).values())).row
        return draft._replace(gold=golds.get(first), golds=golds, accepted=accepted, pool=pool, origin=origin)


MAX_BUTTONS = 100


@dataclass(frozen=True, kw_only=True)
class CampaignContents:
    """The contents of a campaign: items in file order, main ones first, questions, and the frames of samples.

    `truth` is the file of gold for items that are made from votes, as it was read; None where there is none.
    """

    items: tuple[ItemDraft, ...]
    questions: tuple[Question, ...]
    frames: tuple[pools.SamplingFrame, ...] = ()
    truth: ReadTruth | None = None

    @property
    def choice_question(self) -> Question | None:
        """The first question if its answers are labels without an order."""
        first = self.questions[0]
        return first if first.is_nominal else None

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """The labels of each item by external id; empty unless the first question is a choice."""
        if self.choice_question is None:
            return {}
        return {item.external_id: self.choice_question.get_labels(item.options) for item in self.items}

    @property
    def pictures(self) -> dict[str, Path]:
        """The files of the shown pictures, by the name of the picture."""
        return {name: path for item in self.items for name, path in item.pictures.items()}

    @property
    def item_contents(self) -> dict[str, QuestionContent]:
        """The content of each item by external id."""
        return {item.external_id: item.content for item in self.items}


@dataclass(frozen=True, kw_only=True)
class ReadVotes:
    """The votes of a file in file order; `changed` counts the labels that were normalised, by (raw, label).

    `dropped` counts what cannot be kept, by reason: rows that were left out and are for no loaded item or no annotator,
    drafts, and predictions of models.
    """

    votes: tuple[VoteDraft, ...]
    changed: Mapping[tuple[str, str], int]
    dropped: Mapping[str, int] = field(default_factory=dict)

    @property
    def excluded(self) -> dict[str, int]:
        """How many votes do not count, by reason; most first."""
        reasons = Counter(vote.exclusion.reason for vote in self.votes if vote.exclusion is not None)
        return dict(sorted(reasons.items(), key=lambda found: (-found[1], found[0])))


@pause_garbage_collection()
def read_contents(campaign: project_file.CheckedProject) -> CampaignContents:
    """Read the items of a campaign from their files or from its votes; `campaign_lint` checks them.

    Raises BadInput with all that is wrong in files of texts and of items.
    """
    contents: list[CampaignContents] = []
    errors = ErrorCollector()
    with errors:
        campaign.check_text_files()
    with errors:
        contents.append(_read_items(campaign))
    errors.refuse()
    return contents[0]


def _read_items(campaign: project_file.CheckedProject) -> CampaignContents:
    definition, section = campaign.definition, campaign.definition.truth
    frames: tuple[pools.SamplingFrame, ...] = ()
    truth: ReadTruth | None = None
    if isinstance(definition.items, project_file.ItemsSection):
        pooled = pools.read_pools(campaign, definition.items)
        drafts, frames = pooled.items, pooled.frames
    else:
        drafts = _build_items(campaign)
        if section is not None:
            truth = read_truth(
                campaign.resolve_path(section.file), section, known={draft.external_id for draft in drafts}
            )
            drafts = add_golds(drafts, truth, question=definition.all_questions[0].name)
        drafts = (*drafts, *pools.read_examples(campaign, drafts))
    most = max(len(item.options or ()) for item in drafts)
    questions = tuple(question.with_positions(most) for question in definition.all_questions)
    _check_options(drafts, questions, definition)
    _check_makers(drafts, definition)
    bot_commands.refuse_in_texts((item.explanation, item.origin.where()) for item in drafts if item.explanation)
    overlap_sample.refuse_useless_sample(campaign, drafts)
    items = golds.check_golds(drafts, questions, definition)
    return CampaignContents(items=items, questions=questions, frames=frames, truth=truth)


@pause_garbage_collection()
def read_votes(
    path: Path,
    section: project_file.VotesSection,
    *,
    questions: Sequence[Question],
    item_contents: Mapping[str, QuestionContent],
) -> ReadVotes:
    """Read a file of votes on known items (`item_contents` by external id).

    Raises BadInput for all votes on unknown items, for labels outside an item's set, naming all with counts, and for
    all invalid answers to other questions.
    """
    normalise = LabelNormaliser(section.labels)
    parser = vote_parser.VoteParser(questions=questions, section=section, span_classes=SpanClassReader(section=section))
    drafts: list[VoteDraft] = []
    errors = ErrorCollector()
    names = spelling.index_names(item_contents)
    dropped: Counter[str] = Counter()
    for raw in judgements.read_raw_votes(path, section):
        with errors:
            item = names.get(spelling.build_key(build_item_id(raw.key)))
            if raw.exclusion is not None and (not raw.key or (item is None and _is_left_out(raw))):
                dropped[raw.exclusion.reason] += 1
                continue
            if item is None:
                named = spelling.quote_word(" | ".join(raw.key)[:80], beside=names.values())
                raise BadInput(
                    f"The vote is for an item that is not loaded: {named}.",
                    where=raw.row.where(", ".join(section.item or ()) or "votes.item"),
                    remedy="Load new items with `hromada load FILE --yes`, or check which columns `votes.item` names.",
                )
            drafts.append(parser.parse_vote(raw, item=item, content=item_contents[item], normalise=normalise))
    with errors:
        parser.refuse_unknown_labels()
    errors.refuse()
    if not drafts:
        raise BadInput("The file has a header but no votes.", where=Where(file=path), remedy="Is it the right one?")
    return ReadVotes(votes=tuple(drafts), changed=dict(normalise.changed), dropped=dict(dropped))


def _is_left_out(raw: RawVote) -> bool:
    return raw.exclusion is not None and raw.exclusion.kind is ExclusionKind.LEFT_OUT


def _build_items(campaign: project_file.CheckedProject) -> tuple[ItemDraft, ...]:
    """Build items from the key columns of the votes, in the order of their first vote."""
    section = campaign.definition.votes
    if section is None or section.file is None:
        raise BadInput("Items from votes need a file of votes.", where=Where(file=campaign.path, field="votes.file"))
    path, section = campaign.resolve_path(section.file), section.resolve(campaign.path.parent)
    drafts: dict[str, ItemDraft] = {}
    columns: tuple[str, ...] = ()
    checked: Iterable[str] = ()
    questions = campaign.definition.all_questions
    kept = dict.fromkeys(column for one in questions for column in (*one.option_columns, *one.system_columns))
    collector = ControlGoldCollector(definition=campaign.definition)
    for raw in judgements.read_raw_votes(path, section):
        if not raw.key or _is_left_out(raw):
            continue  # only rows that `where` chooses make items; a vote of another is kept if its item is there
        item_key = spelling.build_key(build_item_id(raw.key))
        if raw.row.values.keys() != checked:  # most files have the same columns in every row
            columns, checked = _list_shown_columns(raw, section), raw.row.values.keys()
            _require_marked(campaign.definition, columns, raw)
            input_files.require_columns({"question.sides and systems": tuple(kept)}, raw.row)
        shown = tuple([get_cell(raw.row, column) for column in columns])
        hidden = {column: get_cell(raw.row, column) for column in kept}
        options = parse_options(raw.row, section.options) if section.options else None
        draft = drafts.get(item_key)
        if draft is None:
            group = _get_group(raw, section, campaign.name)
            draft = _build_item(raw, columns=columns, shown=shown, options=options, group=group, hidden=hidden)
            drafts[item_key] = draft
        else:
            _refuse_different(draft, raw, shown=shown, options=options, hidden=hidden)
        collector.add_vote(draft.external_id, raw)
    if not drafts:
        raise BadInput(
            "The file has a header but no votes.",
            where=Where(file=path),
            remedy="Is it the right one?",
        )
    return collector.build_items(drafts.values())


def _require_marked(definition: ProjectFile, columns: Sequence[str], raw: RawVote) -> None:
    """Raise BadInput where a question is about a column that items made from votes do not show."""
    for question in definition.all_questions:
        for column in question.required_columns():
            if column not in columns:
                raise BadInput(
                    f"The question is about the column {column!r}, which no item shows.",
                    where=raw.row.where("votes.show"),
                    remedy=f"Name it as `votes.show`. The file has: {input_files.format_columns(raw.row.values)}.",
                )


def _refuse_different(
    first: ItemDraft, raw: RawVote, *, shown: tuple[str, ...], options: tuple[str, ...] | None, hidden: dict[str, str]
) -> None:
    """Refuse rows with the same key that show different texts or options, or texts of different systems."""
    before = (*first.shown, *(first.options or ()), *(first.data[column] for column in hidden))
    now = (*(shown if any(shown) else _list_key_texts(raw)), *(options or ()), *hidden.values())
    if list(map(spelling.build_key, before)) != list(map(spelling.build_key, now)):
        changed = (pair for pair in zip(before, now, strict=False) if len(set(map(spelling.build_key, pair))) == 2)
        differing = next((f": {spelling.describe_difference(old, new)}" for old, new in changed), "")
        raise BadInput(
            f"This row has the item key of {first.origin.position}, but another text or other options{differing}.",
            where=raw.row.where(first.pieces[0].field),
            remedy="Add columns to `votes.item` until each item has its own key.",
        )


def _list_shown_columns(raw: RawVote, section: project_file.VotesSection) -> tuple[str, ...]:
    """The shown columns of a row; by default Toloka's input columns, or those of the key."""
    inputs = tuple([column for column in raw.row.values if column.startswith("INPUT:")])
    inputs = inputs or tool_votes.list_shown(section.format, raw.row.values)
    columns = section.show or inputs or tuple(column for column in section.item or () if column in raw.row.values)
    input_files.require_columns({"votes.show": columns, "votes.options": section.options or ()}, raw.row)
    return tuple(columns)


def _get_group(raw: RawVote, section: project_file.VotesSection, project: str) -> str:
    """The group of an item that is made from a vote: that of its column or its question, else the project's own."""
    column = section.group
    if column is not None:
        input_files.require_columns({"votes.group": (column,)}, raw.row)
    usual = None if raw.compared is None else raw.compared.question
    return name_group(
        usual if column is None else get_cell(raw.row, column), project=project, item=build_item_id(raw.key)
    )


def _build_item(
    raw: RawVote,
    *,
    columns: tuple[str, ...],
    shown: tuple[str, ...],
    options: tuple[str, ...] | None,
    group: str,
    hidden: dict[str, str],
) -> ItemDraft:
    key_texts = _list_key_texts(raw)
    return ItemDraft(
        external_id=build_item_id(raw.key),
        group=group,
        data={"key": list(raw.key)} | dict(zip(columns, shown, strict=True)) | hidden,
        shown=shown if any(shown) else key_texts,
        pieces=tuple(Piece(field=name, text=text) for name, text in zip(columns, shown, strict=True))
        if any(shown)
        else tuple(Piece(field=f"key {number}", text=text) for number, text in enumerate(key_texts)),
        options=options,
        gold=None,
        golds={},
        origin=raw.row,
    )


def _list_key_texts(raw: RawVote) -> tuple[str, ...]:
    """The parts of the key that an item shows if nothing else is; names of compared systems only if there is no other.

    Nobody sees who wrote the texts.
    """
    systems = () if raw.compared is None else raw.compared.systems
    return tuple(part for part in raw.key if part not in systems) or raw.key


def _check_options(
    drafts: Sequence[ItemDraft], questions: Sequence[Question], definition: project_file.ProjectFile
) -> None:
    """Raise BadInput for items with options with which a question cannot be asked."""
    max_buttons = None if definition.overlap is None else MAX_BUTTONS
    errors = ErrorCollector()
    for question in questions:
        for item in drafts:
            obstacle = question.find_option_problem(item.options, max_buttons=max_buttons)
            if obstacle is not None:
                problem, remedy = obstacle
                with errors:
                    raise BadInput(problem, where=item.origin.where(), remedy=remedy)
    errors.refuse()


def _check_makers(drafts: Sequence[ItemDraft], definition: project_file.ProjectFile) -> None:
    """Raise BadInput for a main item without the column that `review.made_by` names."""
    column = None if definition.review is None else definition.review.made_by
    for item in drafts:
        if column is not None and item.pool is Pool.MAIN and column not in item.data:
            raise BadInput(
                f"The item {item.external_id!r} has no column {column!r}, which `review.made_by` names.",
                where=item.origin.where(column),
                remedy=f"It has: {input_files.format_columns(item.data)}. The cell may be empty where nobody made it.",
            )


def count_repeats(votes: Iterable[VoteDraft]) -> int:
    """Count the votes that repeat an earlier one of the same annotator on the same item."""
    counts = Counter((vote.item, vote.annotator) for vote in votes)
    return sum(counts.values()) - len(counts)
