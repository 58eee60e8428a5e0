"""The report's sentences on data and methods: where gold comes from, how labels were made, how fits ended."""

from __future__ import annotations

import pandas as pd

from aggregation.agreement.people import SelfAgreement
from aggregation.consensus.consensus import Consensus
from exports.inputs import DataSet
from exports.pages.display_text import (
    COLUMNS,
    EXACT_SCORING,
    METHOD_NAMES,
    NORMALISATION_NAMES,
    OPTIONS_DIFFER,
    POSITIONS,
    TIE_RULE_NAMES,
    format_count,
    format_number,
    format_percent,
    name_origin,
)
from exports.pages.localization import localize_number, show_finding, translate
from exports.results import CIRCULAR, DataSetResult

UNSTATED_ORIGIN = "declared"
"""The origin of gold of which the organiser says no more than that it is gold."""


def describe_methods(result: DataSetResult) -> tuple[str, ...]:
    """The sentences about one data set, in the order in which the page lists them."""
    data = result.data
    sentences = [*_describe_data(result)]
    if result.self_agreement is not None and result.self_agreement.percent is not None:
        sentences.append(_describe_self_agreement(result.self_agreement))
    if result.dawid_skene is not None:
        sentences.append(_describe_dawid_skene(result.dawid_skene))
        sentences += map(show_finding, result.dawid_skene.warnings)
    if result.iaa is not None and result.iaa.value is not None:
        value = localize_number(f"{result.iaa.value:.4f}")
        sentences.append(translate("Mean posterior (“Dawid–Skene IAA”): {value}.", value=value))
    if not data.answer_type.is_label:
        sentences.append(translate(EXACT_SCORING))
        sentences += _describe_normalisation(data)
    elif data.classes is None:
        sentences.append(translate(OPTIONS_DIFFER))
    if data.classes_are_positions:
        sentences.append(translate(COLUMNS if data.answer_type.compares_texts else POSITIONS))
    return tuple(sentences)


def _describe_data(result: DataSetResult) -> list[str]:
    """Where gold and consensus come from, what is scored in place of circular gold, answers an item, and skips."""
    sentences = [_describe_gold_origins(result)]
    if result.with_others is not None:
        sentences.append(_describe_agreement_with_others(result.with_others))
    if result.consensus is not None:
        sentences.append(_describe_consensus(result.consensus))
        sentences.append(_describe_answers_per_item(result))
    sentences += [show_finding(result.fallback)] if result.fallback else []
    n_skips = len(result.data.list_counted_skips())
    if n_skips:
        sentences.append(
            translate("{skips}: wrong where scored, no vote elsewhere.", skips=format_count(n_skips, "skip"))
        )
    return sentences


def _describe_normalisation(data: DataSet) -> list[str]:
    """How texts are compared; nothing for other answers."""
    rule = data.normalise
    if rule is None:
        return []
    meaning = translate(NORMALISATION_NAMES[rule])
    return [translate("Texts are compared by “{rule}”: {meaning}.", rule=rule, meaning=meaning)]


def _describe_gold_origins(result: DataSetResult) -> str:
    items = result.data.items
    declared = items.loc[items["gold"].notna()]
    if declared.empty:
        return translate("No gold is declared; gold.csv holds the consensus of the votes.")
    origins = declared["gold_origin"].fillna(UNSTATED_ORIGIN).value_counts(sort=False).sort_index()
    parts = [
        translate("{items} of an origin that is not stated", items=format_count(int(n), "item"))
        if name == UNSTATED_ORIGIN
        else translate("{items} by {origin}", items=format_count(int(n), "item"), origin=name_origin(str(name)))
        for name, n in origins.items()
    ]
    return translate("Declared gold: {origins}.", origins=", ".join(parts))


def _describe_answers_per_item(result: DataSetResult) -> str:
    sizes = result.votes.frame["item"].value_counts()
    more = ""
    if result.pooled is not None:
        more = " " + translate(
            "Scores rest on the first {n} of each item, all of them pooled are next to it.", n=result.data.overlap
        )
    counted = translate(
        "Answers per item: {least} to {most}, median {median}.",
        least=sizes.min(),
        most=sizes.max(),
        median=localize_number(f"{sizes.median():g}"),
    )
    return counted + more


def _describe_agreement_with_others(table: pd.DataFrame) -> str:
    n = int(table["n"].sum())
    share = float((table["majority"] * table["n"]).sum() / n) if n else None
    words = translate(
        "Held against the majority of the others alone, {share} of the answers agree, which is agreement and no score.",
        share=format_percent(share),
    )
    return f"{show_finding(CIRCULAR)} {words}"


def _describe_consensus(consensus: Consensus) -> str:
    n_ties, n_items = int(consensus.labels["tie"].sum()), len(consensus.labels)
    return translate(
        "Consensus: {method} ({version}) of {items}; {ties}, rule “{rule}”: {meaning}.",
        method=translate(METHOD_NAMES[consensus.method]),
        version=consensus.version,
        items=format_count(n_items, "item"),
        ties=format_count(n_ties, "tie"),
        rule=consensus.ties,
        meaning=translate(TIE_RULE_NAMES[consensus.ties]),
    )


def _describe_self_agreement(agreement: SelfAgreement) -> str:
    return translate(
        "Asked again, {annotators} gave the same answer to {share} of {items}; {kappa}",
        annotators=format_count(agreement.n_annotators, "annotator"),
        share=format_percent(agreement.percent),
        items=format_count(agreement.n_repeats, "item"),
        kappa=show_finding(agreement.reason) if agreement.kappa is None else f"κ {format_number(agreement.kappa)}.",
    )


def _describe_dawid_skene(fit: Consensus) -> str:
    return translate(
        "Dawid–Skene: {iterations}, {ended} ({version}).",
        iterations=format_count(fit.iterations or 0, "iteration"),
        ended=translate("converged") if fit.converged else translate("did not converge"),
        version=fit.version,
    )
