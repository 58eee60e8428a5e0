"""The page itself: what the template shows, gathered from a release as plain text and numbers already worded."""

from __future__ import annotations

from dataclasses import dataclass

from aggregation.agreement import OVERCONFIDENT, Coefficient, SelfAgreement
from aggregation.consensus import Consensus
from aggregation.performance import Performance, Unit
from exports.evidence import excluded
from exports.inputs import DataSet
from exports.report import words
from exports.report.pages import rendered
from exports.report.plots import agreement_panels, score_panels
from exports.results import NO_VOTES, UNITS, Result
from exports.subsets import meaning
from exports.tables import Release, marked


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line of a table: its heading, its cells, and a remark that stands below them across the table."""

    head: str
    cells: tuple[str, ...]
    remark: str = ""


@dataclass(frozen=True, kw_only=True)
class Block:
    """One data set: its rows in each table and what is said of it."""

    name: str
    title: str
    language: str
    simulated: bool
    glance: tuple[tuple[str, str, str], ...]
    no_glance: str
    counts: tuple[str, ...]
    excluded: str
    baselines: tuple[Row, ...]
    metrics: tuple[Row, ...]
    others: tuple[Row, ...]
    otherwise: tuple[Row, ...]
    agreement: tuple[Row, ...]
    annotators: tuple[Row, ...]
    methods: tuple[str, ...]


def page(release: Release, *, title: str = "People’s answers: agreement and human baselines") -> str:
    """The report as one HTML document that needs nothing from outside: no script, no address, pictures inside.

    Where any data set is simulated the page and its plots say SIMULATED.
    """
    choices = release.choices
    simulated = [result.data.name for result in release.results if result.data.simulated]
    told = {row.name for result in release.results if result.agreement is not None for row in result.agreement.rows}
    return rendered(
        "page.html.j2",
        package="exports.report",
        title=title,
        simulated=simulated,
        all_simulated=len(simulated) == len(release.results),
        blocks=[_block(result) for result in release.results],
        score_panels=score_panels(release.results, level=choices.level),
        agreement_panels=agreement_panels(release.results),
        without_scores=[
            (result.data.name, result.no_performance) for result in release.results if result.performance is None
        ],
        level=f"{100 * choices.level:g} %",
        choices=choices,
        metrics=list(words.METRICS.values()),
        meanings=[(words.COEFFICIENTS[name], words.MEANINGS[name]) for name in words.COEFFICIENTS if name in told],
    )


def _block(result: Result) -> Block:
    data = result.data
    return Block(
        name=data.name,
        title=data.title,
        language=data.language,
        simulated=data.simulated,
        glance=_glance(result),
        no_glance=words.NO_NUMBER if len(result.votes.frame) else words.NOBODY,
        counts=_counts(result),
        excluded=", ".join(f"{reason}: {count}" for reason, count in excluded(data).items()),
        baselines=_baselines(result),
        metrics=_metrics(result),
        others=_others(result),
        otherwise=_otherwise(result),
        agreement=_agreement(result),
        annotators=_annotators(result.performance),
        methods=_methods(result),
    )


def _glance(result: Result) -> tuple[tuple[str, str, str], ...]:
    """The headline numbers, each with its unit of judgement and its interval."""
    shown: list[tuple[str, str, str]] = []
    if result.performance is not None:
        for unit in ("individual", "majority"):
            row = result.performance[unit].primary
            shown.append((words.UNITS[unit], words.percent(row.value), words.percents(row.low, row.high)))
    if result.agreement is not None:
        rows = {row.name: row for row in result.agreement.headline if row.value is not None and not row.of}
        preferred = [rows[name] for name in words.GLANCED if name in rows]
        shown += [_glanced(row) for row in preferred[:1]]
    return tuple(shown)


def _glanced(row: Coefficient) -> tuple[str, str, str]:
    interval = words.coefficients(row.name, row.low, row.high)
    return words.COEFFICIENTS[row.name], words.coefficient(row.name, row.value), interval


def _counts(result: Result) -> tuple[str, ...]:
    data, votes = result.data, result.votes
    planned = words.NONE if data.overlap is None else str(data.overlap)
    seen, gold = votes.frame["item"].nunique(), int(data.items["gold"].notna().sum())
    people = votes.frame["annotator"].nunique()
    numbers = (len(data.items), seen, gold, people, len(votes.frame), len(data.dropped()))
    return (*(str(number) for number in numbers), planned)


def _baselines(result: Result) -> tuple[Row, ...]:
    """The units that have a score, then those that have none, with the reason."""
    scores = result.performance
    if scores is None:
        return (Row(head="Not scored", cells=("",) * 8, remark=result.no_performance),)
    rows = [_unit(unit, scores, data=result.data) for unit in scores.units]
    missing = result.missing_units
    rows += [
        Row(head=words.UNITS[unit], cells=(words.NONE,) * 8, remark=missing[unit]) for unit in UNITS if unit in missing
    ]
    return tuple(rows)


def _unit(unit: Unit, scores: Performance, *, data: DataSet) -> Row:
    noun = "answer" if unit.unit == "individual" else "item"
    return Row(
        head=words.UNITS[unit.unit],
        cells=(
            words.percent(unit.primary.value),
            words.percents(unit.primary.low, unit.primary.high),
            words.percents(unit.wilson_low, unit.wilson_high),
            f"{unit.total - unit.wrong} of {words.counted(unit.total, noun)}",
            words.percent(scores.random),
            words.percent(scores.random_exact),
            words.percents(unit.ann_min, unit.ann_max),
            words.NONE if unit.unit == "individual" else str(unit.n_ties),
        ),
        remark=". ".join(part for part in (_made(unit, data), unit.note) if part),
    )


def _metrics(result: Result) -> tuple[Row, ...]:
    """Every metric of every unit, for labels that are classes; the accuracy alone is in the baselines."""
    scores = result.performance
    units = () if scores is None or result.data.kind != "label" else scores.units
    return tuple(
        Row(head=words.UNITS[unit.unit], cells=tuple(words.metric(score) for score in unit.scores))
        for unit in units
        if len(unit.scores) > 1
    )


def _others(result: Result) -> tuple[Row, ...]:
    """One row a unit and metric of what is no label: boxes, texts, spans."""
    scores = result.performance
    units = () if scores is None or result.data.kind == "label" else scores.units
    return tuple(
        Row(head=f"{words.UNITS[unit.unit]}: {words.metric_name(score.metric)}", cells=(words.metric(score),))
        for unit in units
        for score in unit.scores
    )


def _otherwise(result: Result) -> tuple[Row, ...]:
    """The accuracy of the same answers otherwise counted, where that was possible at all."""
    rows = []
    for name, scores in sorted(result.subsets.items()):
        cells = [words.NONE, words.NONE]
        far = False
        for place, unit in enumerate(scores.units):
            row = unit.primary
            cells[place] = f"{words.percent(row.value)} [{words.percents(row.low, row.high)}]"
            far = far or bool(result.beyond(unit, row))
        remark = f"{words.capital(meaning(name))}.{f' {words.FAR}' if far else ''}"
        rows.append(Row(head=words.capital(name), cells=(*cells, str(scores["individual"].total)), remark=remark))
    missing = sorted(result.no_subsets.items())
    rows += [Row(head=words.capital(name), cells=(words.NONE,) * 3, remark=reason) for name, reason in missing]
    return tuple(rows)


def _agreement(result: Result) -> tuple[Row, ...]:
    if result.agreement is None:
        return (Row(head="Not measured", cells=("",) * 5, remark=NO_VOTES),)
    return tuple(
        Row(
            head=words.COEFFICIENTS[row.name] + _aside(row),
            cells=(
                words.coefficient(row.name, row.value),
                words.coefficients(row.name, row.low, row.high),
                str(row.n_items),
                str(row.n_votes),
                str(row.n_annotators),
            ),
            remark=row.reason,
        )
        for row in result.agreement.rows
        if not row.of or row.value is not None or row.reason != result.agreement.rows[0].reason
    )


def _aside(row: Coefficient) -> str:
    """What sets a row apart: its box, classes that are positions, all votes pooled beside the first of each item."""
    said = [row.of] if row.of else []
    said += ["positions"] if row.positions else []
    said += ["all answers pooled"] if row.basis == "pooled" else []
    return f" ({', '.join(said)})" if said else ""


def _annotators(scores: Performance | None) -> tuple[Row, ...]:
    if scores is None:
        return ()
    counts = scores.annotators[["n", "right"]].to_numpy(dtype=int)
    shares = scores.annotators[["accuracy", "wilson_low", "wilson_high"]].to_numpy(dtype=float)
    return tuple(
        Row(head=str(name), cells=(f"{right} of {n}", words.percent(value), words.percents(low, high)))
        for name, (n, right), (value, low, high) in zip(scores.annotators.index, counts, shares, strict=True)
    )


def _methods(result: Result) -> tuple[str, ...]:
    said = [_origins(result)]
    if result.consensus is not None:
        said.append(_consensus(result.consensus))
    said += [result.fallback] if result.fallback else []
    if len(result.data.skipped()):
        said.append(f"{words.counted(len(result.data.skipped()), 'skip')}: wrong where scored, no vote elsewhere.")
    if result.oneself is not None and result.oneself.percent is not None:
        said.append(_oneself(result.oneself))
    if result.dawid_skene is not None:
        said.append(_fit(result.dawid_skene))
        said += result.dawid_skene.warnings
    if result.iaa is not None and result.iaa.value is not None:
        said.append(f"Mean posterior (“Dawid–Skene IAA”): {result.iaa.value:.2f} %. {OVERCONFIDENT}")
    if result.data.kind != "label":
        said.append(words.EXACT)
    elif result.data.classes is None:
        said.append(words.OPTIONS_DIFFER)
    if result.data.positions:
        said.append(words.POSITIONS)
    return tuple(said)


def _oneself(found: SelfAgreement) -> str:
    kappa = found.reason if found.kappa is None else f"κ {words.number(found.kappa)}."
    return (
        f"Asked again, {words.counted(found.n_annotators, 'annotator')} gave the same answer to "
        f"{words.percent(found.percent)} of {words.counted(found.n_repeats, 'item')}; {kappa}"
    )


def _origins(result: Result) -> str:
    items = result.data.items
    declared = items.loc[items["gold"].notna()]
    if declared.empty:
        return "No gold is declared; gold.csv holds the consensus of the votes."
    origins = declared["gold_origin"].fillna("unknown origin").value_counts(sort=False).sort_index()
    return (
        "Declared gold: " + ", ".join(f"{words.counted(int(n), 'item')} by {name}" for name, n in origins.items()) + "."
    )


def _consensus(labels: Consensus) -> str:
    n_ties, n_items = int(labels.labels["tie"].sum()), len(labels.labels)
    return (
        f"Consensus: {words.METHODS[labels.method]} ({labels.version}) of {words.counted(n_items, 'item')}; "
        f"{words.counted(n_ties, 'tie')}, rule “{labels.ties}”: {words.TIES[labels.ties]}."
    )


def _fit(fit: Consensus) -> str:
    ended = "converged" if fit.converged else "did not converge"
    return f"Dawid–Skene: {words.counted(fit.iterations or 0, 'iteration')}, {ended} ({fit.version})."


def _made(unit: Unit, data: DataSet) -> str:
    """How the interval was made, with the mark of classes that are positions; empty where there is none."""
    said = unit.ci_method + marked(data)
    return said[:1].upper() + said[1:] if unit.primary.low is not None else ""
