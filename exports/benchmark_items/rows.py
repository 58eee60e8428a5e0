"""The rows of a benchmark task: test items with gold, few-shot items of other groups, and what was left out and why."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.errors import HromadaError
from exports.adjudicated_gold import fill_missing_gold
from exports.benchmark_items.answer_spaces import ANSWER_SPACES, AnswerSpace
from exports.benchmark_items.forms import TaskForm, build_forms
from exports.benchmark_items.sources import FEW_SHOT, BuildOptions, TaskSource
from exports.benchmark_items.task_functions import IMAGE_PLACE, PICTURE_SIGN, Doc, build_prompt
from exports.filtering.filtered_items import KEPT
from exports.human_scores import HumanScores, measure_human_scores
from exports.inputs import DataSet
from exports.rounding import round_number
from exports.vote_distributions import DISTRIBUTION_COLUMNS, build_vote_table, format_counts, measure_difficulties

ANSWER_FIELDS = (*DISTRIBUTION_COLUMNS, "difficulty")
"""What a row says of people's answers; the first three where they choose options."""
RETIRED = "retired"  # an item's status, and why it is no test item
NO_GOLD, IN_FEW_SHOT = "no gold and no consensus", "taken for the few-shot split"


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchmarkTask:
    """A task: its rows by split (`test`, and `few_shot` where there is one), and how it is scored.

    `docs` are the published test items (rows, as lm-evaluation-harness calls them). If gold is hidden they have none,
    and `key` has the same items with gold. `scorer` is the function of `task_functions`. `left_out` counts, by reason,
    the main items that did not become test items.
    """

    name: str
    source: TaskSource
    docs: tuple[Doc, ...]
    few_shot: tuple[Doc, ...]
    key: tuple[Doc, ...] = ()
    scorer: str = "score_choice"
    metrics: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def data(self) -> DataSet:
        """The data set of the task."""
        return self.source.data

    @property
    def space(self) -> AnswerSpace:
        """How answers to its question are written."""
        return ANSWER_SPACES[self.source.kind]

    @cached_property
    def forms(self) -> tuple[TaskForm, ...]:
        """The tasks of the harness that ask it; the first has its name."""
        space = self.space
        return build_forms(
            self.name,
            self.metrics,
            chooses=space.chooses,
            has_norm=space.has_norm,
            hidden=self.source.hidden,
            shows_pictures=self.source.shows_pictures,
        )

    @cached_property
    def images(self) -> tuple[str, ...]:
        """The names of the pictures that its test items show, sorted."""
        return tuple(sorted({name for doc in self.docs for name in doc.get("images", ())}))

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The index of each test item by its id."""
        return {doc["item_id"]: number for number, doc in enumerate(self.docs)}

    @cached_property
    def human(self) -> HumanScores:
        """People's numbers on the test items, which every file that states them takes from here."""
        return measure_human_scores(self.data, self.positions.keys())

    @property
    def scored_docs(self) -> tuple[Doc, ...]:
        """The test items with their gold, published or not."""
        return self.key or self.docs

    @property
    def description(self) -> str:
        """What models read before everything else, as it begins the prompt; empty for nothing."""
        return f"{self.source.model_instructions}\n\n" if self.source.model_instructions else ""

    @property
    def num_few_shot(self) -> int:
        """How many examples are shown before an item."""
        return min(self.source.n_examples, len(self.few_shot))


def build_tasks(
    sources: Sequence[TaskSource], *, options: BuildOptions, canary: str
) -> tuple[tuple[BenchmarkTask, ...], dict[str, str]]:
    """Build the tasks of all sources that have a test item, and say for each other data set why it has none."""
    tasks, empty = [], {}
    for source in sources:
        task = _build_task(source, options=options, canary=canary)
        if task.docs:
            tasks.append(task)
        else:
            reasons = ", ".join(f"{number} {reason}" for reason, number in task.left_out.items())
            empty[source.data.name] = f"it has no test items ({reasons or 'the data set has no items'})"
    return tuple(tasks), empty


def name_task(data_set: str) -> str:
    """The name of the task of a data set; lm-evaluation-harness names files after it, which cannot contain a slash."""
    return data_set.replace("/", "__")


def _build_task(given: TaskSource, *, options: BuildOptions, canary: str) -> BenchmarkTask:
    """The task; adjudicated gold fills what is not declared, and scores models, but people on declared gold alone."""
    published = replace(given, answer_form=ANSWER_SPACES[given.kind].choose_answer_form(given))
    source = replace(published, data=fill_missing_gold(published.data))
    items = _choose_gold(source, options)
    reasons = pd.Series(list(_list_reasons(source, items)), index=items.index, dtype=object)
    chosen = items.loc[reasons.isna()]
    examples, taken = _choose_few_shot(source, chosen, seed=options.seed)
    chosen = chosen.loc[~chosen["group"].isin(taken)]
    left_out = Counter(str(reason) for reason in reasons.dropna())
    left_out += Counter({IN_FEW_SHOT: int(items.loc[reasons.isna(), "group"].isin(taken).sum())})
    same_in_rows = {
        "task": name_task(source.data.name),
        "licence": source.declared.get("licence"),
        "canary": canary,
    }
    docs = tuple(_build_docs(source, chosen, same_in_rows))
    scorer, metrics = ANSWER_SPACES[source.kind].choose_scorer(source)
    return BenchmarkTask(
        name=same_in_rows["task"] or "",
        source=published,
        docs=tuple(map(hide_gold, docs)) if source.hidden else docs,
        few_shot=tuple(_build_docs(source, examples, same_in_rows)),
        key=docs if source.hidden else (),
        scorer=scorer,
        metrics=("answered",) if source.hidden else metrics,
        left_out=dict(sorted(left_out.items())),
    )


def hide_gold(doc: Doc) -> Doc:
    """The row of an item with gold set to None, and votes too, since their majority would reveal it."""
    hidden = (
        "gold", "answer", "label", "accepted", "gold_source", "gold_version", "gold_confidence", *ANSWER_FIELDS,
    )  # fmt: skip
    return doc | {name: None for name in hidden if name in doc}


def _choose_gold(source: TaskSource, options: BuildOptions) -> pd.DataFrame:
    """The main items with texts, gold (declared, else of the votes), where it is from, and ANSWER_FIELDS."""
    data = source.data
    items = data.items.reset_index(drop=True)
    frame = source.texts.reset_index(drop=True).assign(
        status=items["status"], gold=items["gold"], gold_source=items["gold_origin"], gold_version=items["gold_version"]
    )
    confidence = pd.Series(None, index=frame.index, dtype=object)
    if items["gold"].isna().any() and not data.list_counted_answers().empty:
        labels = build_consensus(data.build_answers(), method=options.method, ties=options.ties, seed=options.seed)
        voted = labels.to_published().reindex(items["item_id"]).reset_index(drop=True)
        from_votes = items["gold"].isna() & items["gold_origin"].isna() & voted["label"].notna()
        frame.loc[from_votes, "gold"], frame.loc[from_votes, "gold_source"] = voted.loc[from_votes, "label"], "votes"
        confidence.loc[from_votes] = voted.loc[from_votes, "confidence"].astype(object)
    votes = build_vote_table(data).reindex(items["item_id"]).reset_index(drop=True)
    votes = votes.assign(difficulty=measure_difficulties(data).to_numpy())
    return frame.assign(gold_confidence=confidence, **{name: votes[name] for name in ANSWER_FIELDS})


def _list_reasons(source: TaskSource, items: pd.DataFrame) -> Iterator[str | None]:
    """Why each item cannot be a test item; None if it can."""
    for item, status, gold in items[["item_id", "status", "gold"]].itertuples(index=False):
        kept = KEPT if source.statuses is None else source.statuses.get(item, KEPT)
        if status == RETIRED:
            yield RETIRED
        elif kept != KEPT:
            yield f"{kept} by the filtering rule"
        elif not isinstance(gold, str):
            yield NO_GOLD
        else:
            yield None


def _choose_few_shot(source: TaskSource, chosen: pd.DataFrame, *, seed: int) -> tuple[pd.DataFrame, frozenset[str]]:
    """The examples, and the groups of main items taken for them; no example shares a group with a test item.

    They are items with gold of the declared pool, or of the training. If no pool is declared and the training has none,
    they are main items of a few groups that nobody has answered, but only in a data set that was answered and has
    enough of them; and if gold is hidden, there are none, because examples are published with their gold.
    """
    examples = source.examples.loc[source.examples["gold"].notna() & ~source.examples["group"].isin(chosen["group"])]
    if source.n_examples and not examples.empty:
        unknown = dict.fromkeys(("gold_version", "gold_confidence", *ANSWER_FIELDS))
        return examples.assign(gold_source="declared", **unknown), frozenset()
    if source.hidden or source.declares_examples:
        return chosen.iloc[:0], frozenset()
    answered = set(source.data.responses["item_id"])
    met = set(chosen.loc[chosen["item_id"].isin(answered), "group"])
    sizes = chosen.loc[~chosen["group"].isin(met)].groupby("group").size()
    order = sorted(sizes.index)
    random.Random(seed).shuffle(order)  # noqa: S311  # a choice, not a secret
    taken: list[str] = []
    while order and sum(sizes[group] for group in taken) < FEW_SHOT:
        taken.append(order.pop())
    if not met or sum(sizes[group] for group in taken) < FEW_SHOT:  # too few are unanswered, or all
        return chosen.iloc[:0], frozenset()
    return chosen.loc[chosen["group"].isin(taken)], frozenset(taken)


def _build_docs(source: TaskSource, items: pd.DataFrame, same_in_rows: Mapping[str, object]) -> Iterator[Doc]:
    columns = ("item_id", "item_revision", "group", "stimulus", "stimulus_sha256", "images", "options", "text", "gold")
    golds = ("gold_source", "gold_version", "gold_confidence", *ANSWER_FIELDS)
    space = ANSWER_SPACES[source.kind]
    question, cue = "\n".join([source.text, *([source.help] if source.help else ())]), space.build_cue(source)
    rows: Iterator[dict[str, Any]] = (
        dict(zip((*columns, *golds), values, strict=True))
        for values in zip(*(items[name].tolist() for name in (*columns, *golds)), strict=True)
    )
    for row in rows:
        options = list(source.options or row["options"] or ())
        doc: Doc = {
            "task": same_in_rows["task"],
            "item_id": row["item_id"],
            "item_revision": int(row["item_revision"]),
            "group": row["group"],
            "stimulus": row["stimulus"],
            "stimulus_sha256": row["stimulus_sha256"],
            **({"images": list(row["images"] or ())} if source.shows_pictures else {}),
            "question": question,
            **space.build_fields(source, options=options, text=row["text"]),
            "cue": cue,
            "gold": row["gold"],
        }
        _refuse_other_signs(doc, source)
        doc |= space.build_gold_fields(source, doc)
        doc |= {"gold_source": row["gold_source"], "gold_version": row["gold_version"]}
        doc |= {"gold_confidence": _read_number(row["gold_confidence"])}
        if space.counts_options:
            doc |= {"counts": row["counts"] or format_counts(dict.fromkeys(doc.get("labels", options), 0))}
            doc |= {name: _read_number(row[name]) for name in ("entropy", "p_correct")}
        doc |= {"difficulty": _read_number(row["difficulty"])}
        yield doc | {"licence": same_in_rows["licence"], "canary": same_in_rows["canary"]}


def _refuse_other_signs(doc: Doc, source: TaskSource) -> None:
    """Raise HromadaError if the texts around a picture contain a sign of pictures: it would be another one's place."""
    if "images" not in doc:
        return
    n_images, read = len(doc["images"]), source.model_instructions + build_prompt(doc)
    n_signs = doc["stimulus"].count(PICTURE_SIGN) if n_images else 0
    if (n_signs, read.count(IMAGE_PLACE)) != (n_images, n_images):
        raise HromadaError(
            f"What models read with item {doc['item_id']!r} contains `{PICTURE_SIGN}` or `{IMAGE_PLACE}` as a text.",
            remedy="Both are signs of pictures: use other words in the items, the question or the instructions.",
        )


def _read_number(value: object) -> float | None:
    return None if value is None or value != value else round_number(float(str(value)))  # noqa: PLR0124  # nan differs from itself
