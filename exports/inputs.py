"""Frozen inputs: all that a release knows. `bot/release.py` fills them from the database; nothing here reads one."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from aggregation import schema

RESPONSES = (
    "dataset", "item_id", "item_revision", "group", "annotator", "response", "response_raw", "option_order", "position",
    "session", "seconds", "instruction_sha256", "stimulus_sha256", "stage", "is_control", "is_repeat", "revision",
    "excluded_reason",
)  # fmt: skip

ITEMS = ("item_id", "item_revision", "group", "gold", "gold_origin", "gold_version", "n_options")


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSet:
    """One campaign's items and answers.

    `responses` has the columns RESPONSES, one row an answer as it finally stands, excluded ones with their reason, in
    the order in which they were given or imported; unknown cells are None, and option_order
    is a JSON list as text. `items` has the columns ITEMS, one row an
    item, sorted by item_id; gold, gold_origin and gold_version are None where none is declared. `classes` are the
    labels of a closed question in declared order, None where the options differ from item to item; `positions` says
    that the classes are positions (DESIGN, "What counts as a class"). `overlap` is the least number of answers planned
    for an item, None for imported ones; `level` is what the classes measure. `simulated` is true as soon as one
    annotator is.
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

    def retained(self) -> pd.DataFrame:
        """The responses that count: the one exclusion filter that every number passes through."""
        return self.responses.loc[self._counts()]

    def dropped(self) -> pd.DataFrame:
        """The responses that do not count: excluded, or without an answer."""
        return self.responses.loc[~self._counts()]

    def votes(self) -> schema.Votes:
        """The retained responses as aggregation takes them."""
        frame = self.retained().loc[:, ["item_id", "annotator", "response"]]
        known = self.items.set_index("item_id").loc[:, ["group", "gold", "n_options"]].rename_axis("item")
        return schema.votes(
            frame.set_axis(list(schema.COLUMNS), axis=1),
            items=known,
            classes=self.classes,
            positions=self.positions,
            level=self.level,
        )

    def _counts(self) -> pd.Series[bool]:
        return self.responses["excluded_reason"].isna() & self.responses["response"].notna()
