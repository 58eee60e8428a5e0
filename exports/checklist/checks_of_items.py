"""The checks of lines on items and their gold: how many there are, how they were drawn, where gold comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from exports.checklist.declared_facts import check_declared
from exports.checklist.verdicts import (
    Subject,
    Verdict,
    check_each,
    check_scored,
    contradictory,
    met,
    not_evidenced,
    not_seen,
    unmet,
)
from exports.facts import SampleFact
from exports.inputs import DataSet
from exports.pages.display_text import format_count, format_percent, name_origin
from exports.pages.localization import localize_number, show_finding, translate
from exports.results import DataSetResult

UNKNOWN_ORIGINS = (None, "declared")


@check_each
def check_gold(subject: Subject, result: DataSetResult) -> Verdict:
    """R38: where gold comes from, and that nobody is scored against their own votes."""
    items = result.data.items.loc[result.data.items["gold"].notna()]
    if items.empty:
        return met("No gold is declared: gold.csv is the consensus of the votes, with its confidence.")
    if result.data.has_circular_gold and result.with_others is None:
        return contradictory("Gold was made of these votes, and nobody is held against the others.")
    unknown = int(items["gold_origin"].isin([origin for origin in UNKNOWN_ORIGINS if origin]).sum())
    unknown += int(items["gold_origin"].isna().sum())
    if unknown:
        words = translate("Where the gold of {items} comes from is not said.", items=format_count(unknown, "item"))
        remedy = translate(
            "Write `gold_origin: construction`, or expert, beside `gold`, and load the file again with `--yes`."
        )
        return not_evidenced(words, remedy) if subject.project.imported else unmet(words, remedy)
    origins = items["gold_origin"].value_counts().sort_index()
    words = ", ".join(f"{name_origin(str(origin))} {count}" for origin, count in origins.items())
    circular = (
        translate(" Votes that made gold are held against those of the others.")
        if result.data.has_circular_gold
        else ""
    )
    return met("Origin on each row of gold.csv: {words}.{circular}", words=words, circular=circular)


@check_scored
def check_ceiling(subject: Subject, result: DataSetResult) -> Verdict:
    """R39: how much of the gold is wrong, and what can be reached at most."""
    review = result.ceiling
    remedy = translate(
        "Review the conflicts and a sample: `hromada people add-reviewer NAME` gives a pseudonym, then"
        " `hromada adjudicate {project} --gold-review --as PSEUDONYM`.",
        project=subject.project.name,
    )
    if review is None:
        return unmet("The gold was not reviewed.", remedy)
    if review.ceiling.value is None:
        return unmet("The review gives no estimate: {reason}", remedy, reason=show_finding(review.reason))
    low, high = review.ceiling.low, review.ceiling.high
    interval = "" if low is None or high is None else localize_number(f" [{100 * low:.1f}–{100 * high:.1f}]")
    return met(
        "The gold was reviewed: ceiling {value}{interval}.",
        value=format_percent(review.ceiling.value),
        interval=interval,
    )


STRATA_P, POSITION_P = 0.001, 0.01
MOST_STRATA = 12
LEAST_EXPECTED = 5.0
"""The least expected count with which a chi-square test is made."""


def check_sizes(subject: Subject) -> Verdict:
    """R03: the full set, the part that people answered, the part that models answered."""
    data = subject.first
    answered = set(data.list_counted_answers()["item_id"]) & set(data.items["item_id"])
    if not answered:
        return unmet("No item has an answer that counts.", translate("Collect or import answers first."))
    drawn = sum(frame.n_candidates for frame in subject.project.frames if frame.pool == "main")
    whole = translate("{drawn} candidates, ", drawn=drawn) if drawn else ""
    models = [
        translate("{name}: {items}, one answer each", name=name, items=format_count(len(own), "item"))
        for name, own in _list_model_items(subject).items()
    ]
    return met(
        "{whole}{items}, {answered} with answers of people; {models}.",
        whole=whole,
        items=format_count(len(data.items), "item"),
        answered=len(answered),
        models="; ".join(models) if models else translate("no models"),
    )


def _list_model_items(subject: Subject) -> dict[str, list[str]]:
    return {
        model: [item for item, status in statuses.items() if status == "compared"]
        for name in subject.models
        for model, statuses in subject.state.comparisons[name].statuses.items()
    }


def check_sampling(subject: Subject) -> Verdict:
    """R05: how items were drawn, with seed and frame, and strata as in the frame."""
    frames = [frame for frame in subject.project.frames if frame.pool == "main"]
    if not frames:
        if subject.project.imported:
            return not_seen("how their items were chosen was not seen here.")
        return met(
            "No sample: all {items} of the file are main items.", items=format_count(len(subject.first.items), "item")
        )
    p_values = [_test_strata(frame.strata) for frame in frames if frame.strata]
    worst = min((p for p in p_values if p is not None), default=1.0)
    words = "; ".join(map(_describe_frame, frames))
    if any(frame.seed is None or not frame.sha256 for frame in frames):
        return unmet(
            "{words}: the seed or the frame is missing.",
            translate("Load the items again with a sample and a seed."),
            words=words,
        )
    if worst < STRATA_P:
        return unmet(
            "{words}: the strata differ from the frame.",
            translate("Weigh the strata, or draw in proportion; else say that it is stratified on purpose."),
            words=words,
        )
    return met(f"{words}.")


def _describe_frame(frame: SampleFact) -> str:
    words = translate(
        "{drawn} of {candidates}, {method}, seed {seed}, frame {frame}",
        drawn=frame.n_drawn,
        candidates=frame.n_candidates,
        method=show_finding(frame.method),
        seed=frame.seed,
        frame=frame.sha256[:12],
    )
    if not frame.strata:
        return words
    shown = [
        " ".join([name, translate("{part} of {whole}", part=drawn, whole=of)])
        for name, (drawn, of) in sorted(frame.strata.items())
    ]
    more = translate(" and {n} more", n=len(shown) - MOST_STRATA) if len(shown) > MOST_STRATA else ""
    p = _test_strata(frame.strata)
    test = (
        translate("too few for a test") if p is None else translate("chi-square p = {p}", p=localize_number(f"{p:.2g}"))
    )
    return translate(
        "{words}, strata {strata} ({test})", words=words, strata=", ".join(shown[:MOST_STRATA]) + more, test=test
    )


def _test_strata(strata: Mapping[str, tuple[int, int]]) -> float | None:
    """The p-value of drawn counts against the shares of the frame; None where expected counts are too small.

    It is 0 where anything was drawn from a stratum that the frame does not have.
    """
    from scipy import stats

    if any(drawn and not of for drawn, of in strata.values()):
        return 0.0

    counts = list(strata.values())
    n_drawn, n_candidates = sum(drawn for drawn, _ in counts), sum(of for _, of in counts)
    expected = [n_drawn * of / n_candidates for _, of in counts if of]
    observed = [drawn for drawn, of in counts if of]
    if len(expected) < 2 or min(expected) < LEAST_EXPECTED:
        return None
    return float(stats.chisquare(observed, expected).pvalue)


def check_orders(subject: Subject) -> Verdict:
    """R19: items and options in random order, the order stored, and gold in no favoured place."""
    data, project = subject.first, subject.project
    position = _test_gold_position(data)
    if position is not None and position < POSITION_P:
        return unmet(
            "Gold is in some places more often than in others (chi-square p = {p}).",
            translate("Shuffle the options in the items' file and start again."),
            p=localize_number(f"{position:.2g}"),
        )
    place = (
        ""
        if position is None
        else translate(" Gold is spread over the places (chi-square p = {p}).", p=localize_number(f"{position:.2f}"))
    )
    if project.imported:
        return not_seen("in which order things were shown is not known.{place}", place=place)
    return _judge_orders(subject, place)


def _judge_orders(subject: Subject, place: str) -> Verdict:
    """That items and options came in an order of each annotator's own, and that it is stored."""
    data, project = subject.first, subject.project
    if not project.shuffles_items:
        return unmet(
            "Items come in one order for everybody.", translate("Ask again in an order of each annotator's own.")
        )
    if not data.answer_type.has_options:
        return met("Items come in an order of each annotator's own; there are no options.")
    if not project.shuffles_options:
        return _judge_fixed_order(data, place)
    counted = data.list_counted_answers()
    missing = int(counted["option_order"].isna().sum())
    if missing:
        return unmet(
            "{answers} have no stored order of options.",
            translate("Say so; report this."),
            answers=format_count(missing, "answer"),
        )
    return met(
        "Items and options come in an order of each annotator's own, stored with each answer.{place}", place=place
    )


def _judge_fixed_order(data: DataSet, place: str) -> Verdict:
    """Options that stand in one order for everybody, as a scale or yes and no may, and options of an item may not."""
    if data.classes is None or data.classes_are_positions:
        return unmet(
            "The options of an item are in one order for everybody.",
            translate("Write `shuffle: true` under the question before there are answers."),
        )
    return met(
        "Items come in an order of each annotator's own; the fixed options are in one order.{place}", place=place
    )


def _test_gold_position(data: DataSet) -> float | None:
    """The p-value of gold at every place equally often, over items whose options are their own; None with too few."""
    from scipy import stats

    if data.classes is not None and not data.classes_are_positions:
        return None
    sizes = Counter(len(item.labels) for item in data.option_items)
    if not sizes:
        return None
    size, n_items = sizes.most_common(1)[0]
    if size < 2 or n_items / size < LEAST_EXPECTED:
        return None
    places = Counter(item.labels.index(item.gold) for item in data.option_items if len(item.labels) == size)
    return float(stats.chisquare([places.get(place, 0) for place in range(size)]).pvalue)


def check_stimulus(subject: Subject) -> Verdict:
    """R20: what people saw is what models get."""
    declared = check_declared(subject, "stimulus_differences")
    if subject.project.differences and "stimulus_differences" not in subject.project.stated:
        listed = " ".join(map(show_finding, subject.project.differences))
        declared = met("The manifest of the benchmark lists what differs: “{listed}”", listed=listed)
    if declared.status != "met":
        return declared
    if subject.project.imported:
        return not_seen("what was on their screens was not seen here. {declared}", declared=declared.evidence)
    data = subject.first
    counted = data.list_counted_answers()
    missing = int(counted["stimulus_sha256"].isna().sum())
    other, older = _count_other_stimuli(data)
    if missing or other:
        return unmet(
            "{missing} answers have no hash of what was shown, {other} were given to another stimulus than today's.",
            translate("Exclude them; report this."),
            missing=missing,
            other=other,
        )
    past = (
        translate(", but {answers} to an earlier revision of its item", answers=format_count(older, "answer"))
        if older
        else ""
    )
    return met(
        "Every answer has the hash of the stimulus that models get{past}.{surfaces} {declared}",
        past=past,
        surfaces=_describe_surfaces(subject),
        declared=declared.evidence,
    )


def _describe_surfaces(subject: Subject) -> str:
    """How many of the answers that count came from each surface; empty where all came from one."""
    counts = Counter(subject.first.list_counted_answers()["surface"].dropna())
    if len(counts) < 2:
        return ""
    scores = (
        translate("each with its own scores in human_baseline.csv") if subject.scored else translate("nobody is scored")
    )
    listed = ", ".join(f"{surface} {count}" for surface, count in sorted(counts.items()))
    return translate(" Answers by surface: {listed}; {scores}.", listed=listed, scores=scores)


def _count_other_stimuli(data: DataSet) -> tuple[int, int]:
    """The votes on something else than the item, and those of them whose revision explains it, which are apart."""
    columns = ["item_id", "item_revision", "stimulus_sha256"]
    items = data.items.set_index("item_id")
    now, revisions = items["stimulus_sha256"].to_dict(), items["item_revision"].to_dict()
    counted = data.list_counted_answers().loc[:, columns].dropna(subset=["stimulus_sha256"])
    other = older = 0
    for item, revision, sha in counted.itertuples(index=False):
        if now.get(item) == sha:
            continue
        is_past = item in revisions and pd.notna(revision) and pd.notna(revisions[item]) and revision < revisions[item]
        older, other = older + is_past, other + (not is_past)
    return other, older


def check_interface(subject: Subject) -> Verdict:
    """R21: the limits of the interface."""
    errors = [finding for finding in subject.project.lint if finding.severity == "error"]
    if errors:
        words = "; ".join(f"{finding.rule}: {format_count(len(finding.items), 'item')}" for finding in errors)
        return unmet(f"{words}.", " ".join(dict.fromkeys(finding.remedy for finding in errors)))
    if subject.project.imported:
        return not_seen("the limits of that interface are not known. The items have no lint error.")
    surfaces = ", ".join(subject.project.platforms) or translate("none yet")
    warnings = sum(finding.severity == "warning" for finding in subject.project.lint)
    return met(
        "No lint error, {warnings}; surfaces: {surfaces}. {undo}",
        warnings=format_count(warnings, "warning"),
        surfaces=surfaces,
        undo=show_finding(subject.project.undo),
    )
