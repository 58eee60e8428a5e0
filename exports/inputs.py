"""Frozen inputs: all that a release knows. `bot/release.py` fills them from the database; nothing here reads one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from aggregation import schema
from aggregation.kinds import Answers, Kind

RESPONSES = (
    "dataset", "item_id", "item_revision", "group", "annotator", "insider", "response", "response_raw", "skip_reason",
    "first_response", "first_excluded_reason", "option_order", "position", "page", "session", "seconds", "gap_hours",
    "instruction_sha256", "stimulus_sha256", "stage", "is_control", "is_repeat", "exposed", "revision", "flags",
    "excluded_reason", "by_rule", "post_hoc",
)  # fmt: skip

ITEMS = ("item_id", "item_revision", "group", "gold", "gold_origin", "gold_version", "n_options", "status")

OTHER_STAGES = ("pilot", "training", "qualification")
CONTROL = "control item"
REPEAT = "repeated item"
EXPOSED = "exposed: scored apart"
NO_RESPONSE = "no response"


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSet:
    """One campaign's items and answers.

    `responses` has the columns RESPONSES, one row an answer as it finally stands, excluded ones with their reason, in
    the order in which they were given or imported; unknown cells are None, and option_order and flags
    are JSON lists as text. `first_response` and `first_excluded_reason` are those of the answer before any undo, equal
    to the final ones where there was none. A skip that fills a place has a `skip_reason`, no response and no
    `excluded_reason`. `by_rule` says that the reason is a quality rule's. `items` has the columns ITEMS, one row an
    item, sorted by item_id; gold, gold_origin and gold_version are None where none is declared, n_options where nothing
    is chosen from options, status for an open one. `question` is the name of the question, `kind` what answers it;
    `boxes`, `own_boxes`, `texts` and `accepted` are what `aggregation.kinds.Answers` says. `classes` are the labels of
    a closed question in declared order, None where the options differ from item to item; `positions` says
    that the classes are positions (DESIGN, "What counts as a class"). `overlap` is the least number of answers planned
    for an item, None for imported ones; `level` is what the classes measure. `simulated` is true as soon as one
    annotator is. `aside` is the gold of items that are not among `items` (control items), `barred` maps people who
    were excluded, failed or withdrew to the reason.
    """

    name: str
    title: str
    language: str
    overlap: int | None
    classes: tuple[str, ...] | None
    positions: bool
    items: pd.DataFrame
    responses: pd.DataFrame
    simulated: bool = False
    level: schema.Level = "nominal"
    question: str = "answer"
    kind: Kind = "label"
    boxes: tuple[str, ...] | None = None
    own_boxes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aside: Mapping[str, str] = field(default_factory=dict)
    barred: Mapping[str, str] = field(default_factory=dict)

    def reasons(self) -> pd.Series[str]:
        """Why each response does not count, None where it does: the one exclusion filter of every number.

        Beside the stored reasons these are: another stage than the main one, control items, repeats, exceptions from
        blindness, and nothing said. A skip that fills a place counts, though it is no vote.
        """
        rows = self.responses
        found = rows["excluded_reason"].astype(object)
        given = found.notna()
        for applies, reason in (
            *((rows["stage"] == stage, f"{stage} item") for stage in OTHER_STAGES),
            (rows["is_control"].eq(other=True), CONTROL),
            (rows["is_repeat"].eq(other=True), REPEAT),
            (rows["exposed"].eq(other=True), EXPOSED),
            (rows["response"].isna() & rows["skip_reason"].isna(), NO_RESPONSE),
        ):
            found = found.mask(applies & ~given, reason)
            given |= applies
        return found

    def retained(self) -> pd.DataFrame:
        """The answers that count: votes."""
        return self.responses.loc[self.reasons().isna() & self.responses["response"].notna()]

    def skipped(self) -> pd.DataFrame:
        """The skips that fill a place: no votes, and wrong where they are scored."""
        return self.responses.loc[self.reasons().isna() & self.responses["response"].isna()]

    def dropped(self) -> pd.DataFrame:
        """The responses that do not count, `excluded_reason` saying why for each."""
        reasons = self.reasons()
        return self.responses.assign(excluded_reason=reasons).loc[reasons.notna()]

    def votes(self) -> schema.Votes:
        """The retained responses as aggregation takes them."""
        frame = self.retained().loc[:, ["item_id", "annotator", "response"]]
        known = self.items.set_index("item_id").loc[:, ["group", "gold", "n_options"]].rename_axis("item")
        if self.kind != "label":
            known["n_options"] = 2  # of what has no options nobody asks how many
        return schema.votes(
            frame.set_axis(list(schema.COLUMNS), axis=1),
            items=known,
            classes=self.classes,
            positions=self.positions,
            level=self.level,
        )

    def answers(self) -> Answers:
        """The retained responses with all that the kind of question needs to be weighed and scored."""
        return Answers(
            kind=self.kind,
            votes=self.votes(),
            boxes=self.boxes,
            own_boxes=self.own_boxes,
            texts=self.texts,
            accepted=self.accepted,
        )

    def skips(self) -> pd.DataFrame:
        """The skips that fill a place as aggregation takes them: item, annotator."""
        return self.skipped().loc[:, ["item_id", "annotator"]].set_axis(["item", "annotator"], axis=1)
