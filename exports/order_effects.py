"""Scores as people go on: by place in a session, by session, and by hour of day where clock times are at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from aggregation.answer_types import score_answers
from aggregation.comparison.order_effects import OrderSlope, estimate_order_slope
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.scores.best_annotator import BestAnnotator, score_best_annotator
from aggregation.scores.performance import Unit, UnitName
from exports.inputs import DataSet
from exports.rounding import format_fields, format_fixed

PLACE, SESSION, HOUR = Finding("place"), Finding("session"), "hour of day"
SLOPE = "ten answers further into a session"
ORDER_COLUMNS = (
    "dataset", "kind", "part", "value", "ci_low", "ci_high", "item_only_low", "item_only_high", "total", "n_annotators",
    "p_value", "warning",
)  # fmt: skip
FIRST_PLACES = (1, 6, 11, 21, 41, 81, 161)
"""Where the parts of a session begin."""
LAST_SESSION = 5  # this and later ones are one part
UNITS: tuple[UnitName, ...] = ("individual",)
HOURS = 3  # of a part of the day
FEWEST_PEOPLE = 3  # of a part of the day that is shown: with fewer it would say when somebody was awake
OTHER_HOURS = "other hours"


@dataclass(frozen=True, kw_only=True)
class OrderPart:
    """The single answers of a part: those at some places in a session, of one session, or of some hours."""

    kind: str
    part: str
    unit: Unit


@dataclass(frozen=True, kw_only=True)
class PeopleEffects:
    """What is known of single people: the best of them, and how scores change as people go on.

    `parts` has none of a kind of which there is only one part; `slope` says itself why it is missing.
    """

    best: BestAnnotator | None
    parts: tuple[OrderPart, ...]
    slope: OrderSlope


def measure_people(data: DataSet, *, confidence_level: float = 0.95) -> PeopleEffects:
    """Measure both on the answers by which a data set is scored; raises HromadaError where nobody can be scored."""
    scored = data.answer_type.compare(data.build_answers(), data.build_skips())
    order = _list_order(data)
    pairs = pd.MultiIndex.from_frame(scored.frame[["item", "annotator"]])
    answers = scored.frame[["item", "annotator"]].assign(right=scored.right)
    places = order.set_index(["item_id", "annotator"])["place"]
    answers["place"] = pd.to_numeric(places.loc[~places.index.duplicated()].reindex(pairs)).to_numpy()
    return PeopleEffects(
        best=score_best_annotator(scored),
        parts=tuple(
            part
            for kind, column in ((PLACE, "stretch"), (SESSION, "sitting"), (HOUR, "hours"))
            for part in _score_parts(data, kind, order[column], confidence_level=confidence_level)
        ),
        slope=estimate_order_slope(answers, confidence_level=confidence_level),
    )


_SCORE_FIELDS = ("value", "ci_low", "ci_high", "item_only_low", "item_only_high")


def build_order_table(name: str, effects: PeopleEffects | None) -> pd.DataFrame:
    """One row for each part, and one for the slope, with the columns ORDER_COLUMNS; values are fractions."""
    rows: list[dict[str, object]] = []
    if effects is not None:
        rows += [
            {
                "kind": part.kind,
                "part": part.part,
                **format_fields(part.unit.primary, _SCORE_FIELDS),
                "total": part.unit.total,
                "n_annotators": part.unit.n_annotators,
                "warning": part.unit.primary.reason or None,
            }
            for part in effects.parts
        ]
        slope = effects.slope
        if slope.n:
            rows.append(
                {
                    "kind": "slope",
                    "part": SLOPE,
                    "value": format_fixed(slope.value, 4),
                    "ci_low": format_fixed(slope.low, 4),
                    "ci_high": format_fixed(slope.high, 4),
                    "total": slope.n,
                    "n_annotators": slope.n_people,
                    "p_value": format_fixed(slope.p_value, 4),
                    "warning": slope.reason or None,
                }
            )
    return pd.DataFrame(rows, columns=list(ORDER_COLUMNS)).assign(dataset=name)


def _list_order(data: DataSet) -> pd.DataFrame:
    """For each response: item_id, annotator, place in its session (1 for the first), and the names of its parts.

    Places count everything that somebody answered, control items and repeats too.
    """
    rows = data.responses[["item_id", "annotator", "session", "position"]]
    shown = rows.loc[rows["session"].notna() & rows["position"].notna()].sort_values("position", kind="stable")
    place = (shown.groupby(["annotator", "session"]).cumcount() + 1).reindex(rows.index)
    pairs = zip(rows["item_id"], rows["annotator"], strict=True)
    return rows.assign(
        place=place,
        stretch=pd.Series([_name_stretch(number) for number in place], index=rows.index, dtype=object),
        sitting=pd.Series([_name_session(number) for number in rows["session"]], index=rows.index, dtype=object),
        hours=pd.Series([_name_hours(data.hours.get(pair)) for pair in pairs], index=rows.index, dtype=object),
    )


def _name_stretch(place: float) -> str | None:
    if pd.isna(place):
        return None
    start = max(first for first in FIRST_PLACES if first <= place)
    later = [first for first in FIRST_PLACES if first > place]
    return f"{start}–{later[0] - 1}" if later else Finding("and-later", n=start)


def _name_session(number: int | None) -> str | None:
    if number is None or pd.isna(number):
        return None
    return str(int(number)) if number < LAST_SESSION else Finding("and-later", n=LAST_SESSION)


def _name_hours(hour: int | None) -> str | None:
    if hour is None:
        return None
    start = hour // HOURS * HOURS
    return f"{start:02}–{start + HOURS:02} h"


def _score_parts(data: DataSet, kind: str, parts: pd.Series[str], *, confidence_level: float) -> list[OrderPart]:
    """The single answers of each part, in the order of parts; none where there is only one."""
    with_gold = data.items.loc[data.list_scoring_gold().notna(), "item_id"]
    counted = data.exclusion_kinds().isna() & data.responses["item_id"].isin(with_gold)
    if kind == HOUR:
        parts = _join_few(parts, data.responses["annotator"], counted)
    names = sorted(parts[counted].dropna().unique(), key=_order_part)
    if len(names) < 2:
        return []
    scored_parts = []
    for name in names:
        own = replace(data, responses=data.responses.loc[counted & (parts == name)])
        try:
            performance = score_answers(
                own.build_answers(), skips=own.build_skips(), units=UNITS, confidence_level=confidence_level
            )
        except HromadaError:  # no item of this part has gold
            continue
        scored_parts.append(OrderPart(kind=kind, part=name, unit=performance["individual"]))
    return scored_parts


def _join_few(parts: pd.Series[str], annotators: pd.Series[str], counted: pd.Series[bool]) -> pd.Series[str]:
    """Hours in which fewer than FEWEST_PEOPLE people answered are one part, and none where they still are fewer."""
    people = annotators[counted].groupby(parts[counted]).nunique()
    few = parts.isin(people.index[people < FEWEST_PEOPLE])
    joined = parts.mask(few, OTHER_HOURS)
    is_shown = annotators[counted & few].nunique() >= FEWEST_PEOPLE
    return joined if is_shown else joined.mask(few, None)


def _order_part(name: str) -> tuple[bool, int]:
    number = "".join(letter for letter in name.partition("–")[0] if letter.isdigit())
    return not number, int(number or 0)
