"""The frozen input of a release: data sets, which `bot/release.py` fills from the database, and which of their answers
count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import pandas as pd

from aggregation import schema
from aggregation.answer_types import ANSWER_TYPES
from aggregation.answer_types.answer_type import AnswerType
from aggregation.answers import Answers, AnswerTypeName
from aggregation.findings import Finding
from aggregation.judges.records import MarginSource
from aggregation.scores.trivial_baselines import OptionItem
from aggregation.scoring import Normalisation, is_right_answer

RESPONSE_COLUMNS = (
    "dataset", "item_id", "item_revision", "group", "annotator", "insider", "response", "response_raw", "skip_reason",
    "first_response", "first_excluded_reason", "option_order", "position", "page", "session", "seconds", "gap_hours",
    "instruction_sha256", "stimulus_sha256", "stage", "is_control", "is_repeat", "exposed", "revision", "flags",
    "excluded_kind", "excluded_reason", "by_rule", "post_hoc", "surface",
)  # fmt: skip
"""The columns of human_responses.csv."""
INPUT_COLUMNS = (*RESPONSE_COLUMNS, "first_excluded_kind", "assignment_kind")

ITEM_COLUMNS = (
    "item_id", "item_revision", "group", "gold", "gold_origin", "gold_version", "circular", "n_options", "status",
    "stimulus_sha256",
)  # fmt: skip

UNPUBLISHED = {"published": False}
"""The metadata of a field that no file holds."""
EXPOSED = "exposed"
"""The kind of exclusion of answers that are scored apart, by which exposed answers are found."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A panel: the pseudonyms of its people, and the answers that each item gets from it, None without such a number.

    `gold` says that its consensus is gold, `by_profile` that people are in it for what they said in their profile.
    The people of `hidden` panels are not published, as by profile they are too few, or would tell by subtraction who
    these are: `people` is empty.
    """

    people: frozenset[str]
    votes: int | None = None
    gold: bool = False
    by_profile: bool = False
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class JudgePlan:
    """What the project file fixes of model judges: the margin of equivalence, if any, and where it comes from.

    `has_random_sample` says that the items people answer are a random sample of those that judges score.
    """

    margin: float | None = None
    margin_source: MarginSource = "start"
    has_random_sample: bool = False


@dataclass(frozen=True, kw_only=True)
class OverlapSample:
    """The random sample of a data set's items that get several answers (`of`), while the others get fewer.

    `items` are its item ids. `n_groups` of `n_all_groups` groups were drawn, of a data set of `n_all_items` items.
    """

    of: int
    items: frozenset[str]
    n_groups: int
    n_all_groups: int
    n_all_items: int

    @property
    def words(self) -> Finding:
        """What the sample is, to stand after a number that rests on it."""
        code = "overlap-sample" if self.n_all_groups == self.n_all_items else "overlap-sample-of-groups"
        counts = {"items": len(self.items), "n": self.n_all_items}
        return Finding(code, **counts, groups=self.n_groups, m=self.n_all_groups)


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSet:
    """The items of a project and the answers to one question about them.

    `responses` has the columns INPUT_COLUMNS (most explained in docs/reference/published-files.md), one row an answer
    in its final revision, in the order in which they were given or imported. An answer counts where `excluded_kind` is
    None; else `excluded_reason` says why not, in words. Unknown cells are None; option_order and flags are JSON lists
    as text. `first_response` and `first_excluded_reason` are those of the answer before any undo, equal to the final
    ones where there was none. A skip that counts towards the overlap of its item has a `skip_reason`, no response and
    no `excluded_kind`. `insider` marks authors of the campaign and their colleagues, `exposed` answers of annotators
    who had met the item's group before. `by_rule` says that a quality rule or an organiser excluded the answer,
    `post_hoc` that the rule was changed after the start. `first_excluded_kind` is the kind by which the first answer
    would not count, `assignment_kind` the one by which the answer would not count were no exclusion stored with it.

    `items` has the columns ITEM_COLUMNS, one row an item, sorted by item_id; gold, gold_origin and gold_version are
    None where no gold is declared, n_options where nothing is chosen from options, status for an open item. `circular`
    marks gold that was made of votes of this project: nobody is scored against it, because they would be scored against
    themselves.

    `question` is the name of the question, `kind` the type of its answers; `boxes`, `own_boxes`, `span_classes`,
    `texts`, `accepted` and `normalise` (None where answers are no texts) are those of `aggregation.answers.Answers`.
    `classes` are the labels of a closed question in declared order, None where the options differ from item to item;
    those of each item are `own_options` then, by item_id;
    `classes_are_positions` says that the classes are positions of options, which themselves differ from item to item.
    `measurement_level` is that of the classes. `overlap` is the least number of answers planned for an item, None for
    imported answers. `sample` are the items that get more answers, None where all items get as many; agreement is
    measured on them (`keep_sample`). `simulated` is true where at least one annotator is simulated. `control_gold` is
    the gold of control items that are not among `items`; `removed_annotators` maps annotators who were excluded, failed
    or withdrew to the reason. `metrics` are those that the project file names for the question, none without any.
    `option_items` are the items with gold that somebody answered, for trivial baselines: an export has them, where
    something is chosen from options.

    `systems` are, by item_id, the systems that wrote what the item shows: one where a text is rated, one a side where
    texts are compared; empty where the project file names none. `side_lengths` are, by item_id, the numbers of
    characters of the texts that are compared, and `judges` what the project file fixes of model judges.

    `adjudications` are the decisions of adjudicators on its items, `reviews` those of reviewers on the answers to all
    questions (in the data set of the first question), with the columns of `review_tables` but `dataset`; frames without
    rows where there are none. `gold_strata` has the stratum of each item that was drawn for a gold review, in the
    random order in which adjudicators are offered them.

    `panels` are the panels of the project by name, in the order of its file; whoever is in none has answers that do not
    count. `panel_gold` has the items whose gold is the consensus of the panels that make gold: it is circular, as these
    panels have answered, but not for the others (`keep_panel`).

    `parts` has the items by kind (stratum, tag) and part; comparisons with models, builds and releases read it.

    What follows is read for some commands alone, is empty for others, and stands in no file of a release: `hours` has
    the hour of the day, 0 to 23, of the answer to each item (item_id, pseudonym), by the clock of who answered;
    `places` one row per counted answer with the columns of `aggregation.comparison.order_effects`, as the options were
    shown (None where nothing is chosen from options); `text_hashes` the sha256 of what each
    item shows in its first step, without question and options, while `stimulus_sha256` has both, so that it differs
    wherever wordings do.
    """

    name: str
    title: str
    language: str
    overlap: int | None
    classes: tuple[str, ...] | None = None
    classes_are_positions: bool = False
    items: pd.DataFrame
    responses: pd.DataFrame
    simulated: bool = False
    measurement_level: schema.MeasurementLevel = "nominal"
    question: str = "answer"
    kind: AnswerTypeName = "label"
    boxes: tuple[str, ...] | None = None
    own_boxes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own_options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    span_classes: tuple[str, ...] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    normalise: Normalisation | None = None
    control_gold: Mapping[str, str] = field(default_factory=dict)
    removed_annotators: Mapping[str, str] = field(default_factory=dict)
    adjudications: pd.DataFrame = field(default_factory=pd.DataFrame)
    reviews: pd.DataFrame = field(default_factory=pd.DataFrame)
    gold_strata: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    option_items: tuple[OptionItem, ...] = ()
    panels: Mapping[str, Panel] = field(default_factory=dict)
    panel_gold: tuple[str, ...] = ()
    systems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    side_lengths: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    judges: JudgePlan = JudgePlan()
    sample: OverlapSample | None = None
    hours: Mapping[tuple[str, str], int] = field(default_factory=dict, metadata=UNPUBLISHED)
    places: pd.DataFrame | None = field(default=None, metadata=UNPUBLISHED)
    parts: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    text_hashes: Mapping[str, str] = field(default_factory=dict, metadata=UNPUBLISHED)

    @property
    def answer_type(self) -> AnswerType:
        """What is known of all answers of this type."""
        return ANSWER_TYPES[self.kind]

    @property
    def counted_classes(self) -> tuple[str, ...] | None:
        """The classes that tables and matrices count; None without classes, and where an answer is no label."""
        return self.classes if self.answer_type.is_label else None

    @property
    def headline_coefficient(self) -> str:
        """The name of the coefficient of agreement to report of its answers."""
        has_classes = any(labels is not None for labels in (self.classes, self.boxes, self.span_classes))
        return self.answer_type.choose_headline(has_classes=has_classes, level=self.measurement_level)

    def exclusion_kinds(self) -> pd.Series[str]:
        """Why each response does not count, None where it does. Every published number uses this filter and no other.

        A skip that counts towards the overlap has no kind, though it is no vote.
        """
        return self.responses["excluded_kind"]

    def count_places(self) -> pd.Series[int]:
        """How many answers and skips of each item count, index item_id, in the order of the items."""
        counted = self.responses.loc[self.exclusion_kinds().isna(), "item_id"].value_counts()
        return counted.reindex(self.items["item_id"], fill_value=0)

    def list_counted_answers(self) -> pd.DataFrame:
        """The rows of `responses` that are votes: they count, and have a response."""
        return self.responses.loc[self.exclusion_kinds().isna() & self.responses["response"].notna()]

    def list_counted_skips(self) -> pd.DataFrame:
        """The rows of `responses` that are counted skips: no votes, but wrong answers in scores."""
        return self.responses.loc[self.exclusion_kinds().isna() & self.responses["response"].isna()]

    def list_excluded_responses(self) -> pd.DataFrame:
        """The rows of `responses` that do not count, with the reason in `excluded_reason`."""
        return self.responses.loc[self.exclusion_kinds().notna()]

    def count_excluded(self) -> dict[str, int]:
        """How many responses do not count, by reason, sorted by reason."""
        return dict(sorted(Counter(self.list_excluded_responses()["excluded_reason"]).items()))

    @property
    def has_circular_gold(self) -> bool:
        """Whether any gold was made of votes of this project."""
        return bool(self.items["circular"].eq(other=True).any())

    @property
    def has_circular_gold_alone(self) -> bool:
        """Whether all gold was made of votes of this project, so that nobody can be scored against it."""
        return self.has_circular_gold and bool(self.list_scoring_gold().isna().all())

    def list_scoring_gold(self) -> pd.Series[str]:
        """The gold of each row of `items` that somebody can be scored against: None where it is circular."""
        pairs = zip(self.items["gold"], self.items["circular"], strict=True)
        return pd.Series([None if own is True else gold for gold, own in pairs], index=self.items.index, dtype=object)

    def keep_panel(self, name: str) -> DataSet:
        """The data set with the answers of one panel, scored by all gold that is not made of its own votes.

        Where panels have no number of votes, these are among the first places of each item of the whole data set.
        """
        panel = self.panels[name]
        source = self.keep_first_places() if panel.votes is None and self.sample is None else self
        rows = source.responses.loc[source.responses["annotator"].isin(panel.people)]
        is_others = self.items["item_id"].isin(() if panel.gold else self.panel_gold)
        circular = self.items["circular"].mask(is_others, other=False)
        items = self.items.assign(circular=circular.astype(object))
        overlap = panel.votes if self.sample is None else self.overlap
        return replace(self, responses=rows, items=items, overlap=overlap, panels={}, panel_gold=())

    @property
    def planned_words(self) -> str:
        """How many answers were planned for each item, in words; empty where that is not known."""
        if self.sample is None:
            return "" if self.overlap is None else str(self.overlap)
        counts = {"items": len(self.sample.items), "n": len(self.items)}
        return Finding("planned-sample", each=self.overlap or 0, of=self.sample.of, **counts)

    def list_planned_places(self) -> pd.Series[int]:
        """How many answers were planned for each item, index item_id, 0 where that is not known."""
        planned = pd.Series(self.overlap or 0, index=self.items["item_id"])
        return planned if self.sample is None else planned.mask(planned.index.isin(self.sample.items), self.sample.of)

    def count_one_vote_items(self) -> int:
        """How many items have one vote, whose label nobody else has confirmed."""
        return int((self.list_counted_answers()["item_id"].value_counts() == 1).sum())

    def keep_sample(self) -> DataSet:
        """The data set with the items of its overlap sample and their answers alone; itself without a sample."""
        if self.sample is None:
            return self
        items = self.items.loc[self.items["item_id"].isin(self.sample.items)]
        rows = self.responses.loc[self.responses["item_id"].isin(self.sample.items)]
        return replace(self, items=items, responses=rows, overlap=self.sample.of, sample=None, option_items=())

    def keep_first_places(self) -> DataSet:
        """The data set on which scores rest: of each item the first `overlap` votes and skips alone count.

        An item gets more of them where its votes disagree (dynamic overlap), so scores over all would give contested
        items more weight. Answers that do not count stay. It is this data set itself where no item has more.
        """
        return self._first_places

    @cached_property
    def _first_places(self) -> DataSet:
        if self.overlap is None:
            return self
        counted = self.exclusion_kinds().isna()
        places = counted.astype(int).groupby(self.responses["item_id"]).cumsum()
        is_later = counted & (places > self.overlap)
        return replace(self, responses=self.responses.loc[~is_later]) if is_later.any() else self

    def build_votes(self) -> schema.Votes:
        """Build the votes in the form that aggregation takes; raises HromadaError where they contradict the items.

        Their gold is that of `list_scoring_gold`.
        """
        frame = self.list_counted_answers().loc[:, ["item_id", "annotator", "response"]]
        items = self.items.assign(gold=self.list_scoring_gold())
        item_table = items.set_index("item_id").loc[:, ["group", "gold", "n_options"]].rename_axis("item")
        if not self.answer_type.is_label:
            item_table["n_options"] = 2  # not used for answers without options
        return schema.check_votes(
            frame.set_axis(list(schema.VOTE_COLUMNS), axis=1),
            items=item_table,
            classes=self.classes,
            classes_are_positions=self.classes_are_positions,
            measurement_level=self.measurement_level,
        )

    def build_answers(self) -> Answers:
        """The votes with everything that aggregating and scoring this type of answer needs, built once."""
        return self._answers

    @cached_property
    def _answers(self) -> Answers:
        return Answers(
            kind=self.kind,
            votes=self.build_votes(),
            boxes=self.boxes,
            own_boxes=self.own_boxes,
            span_classes=self.span_classes,
            texts=self.texts,
            accepted=self.accepted,
            normalise=self.normalise,
        )

    def is_right(self, item_id: str, response: str, gold: str) -> bool:
        """Whether a response equals the gold, or another right answer, of its item."""
        return is_right_answer(self.normalise, response, (gold, *self.accepted.get(item_id, ())))

    def build_skips(self) -> pd.DataFrame:
        """Build the counted skips in the form that aggregation takes: item, annotator."""
        return self.list_counted_skips().loc[:, ["item_id", "annotator"]].set_axis(["item", "annotator"], axis=1)
