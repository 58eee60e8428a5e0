"""The report's sentences on data and methods: where gold comes from, how labels were made, how fits ended."""

from __future__ import annotations

import pandas as pd

from aggregation.consensus import Consensus
from aggregation.labels.agreement import OVERCONFIDENCE_WARNING, SelfAgreement
from exports.inputs import DataSet
from exports.pages.display_text import (
    EXACT_SCORING,
    METHOD_NAMES,
    NORMALISATION_NAMES,
    OPTIONS_DIFFER,
    POSITIONS,
    TIE_RULE_NAMES,
    format_count,
    format_number,
    format_percent,
)
from exports.results import CIRCULAR, DataSetResult


def describe_methods(result: DataSetResult) -> tuple[str, ...]:
    """The sentences about one data set, in the order in which the page lists them."""
    data = result.data
    sentences = [*_describe_data(result)]
    if result.self_agreement is not None and result.self_agreement.percent is not None:
        sentences.append(_describe_self_agreement(result.self_agreement))
    if result.dawid_skene is not None:
        sentences.append(_describe_dawid_skene(result.dawid_skene))
        sentences += result.dawid_skene.warnings
    if result.iaa is not None and result.iaa.value is not None:
        sentences.append(f"Mean posterior (“Dawid–Skene IAA”): {result.iaa.value:.4f}. {OVERCONFIDENCE_WARNING}")
    if data.kind != "label":
        sentences.append(EXACT_SCORING)
        sentences += _describe_normalisation(data)
    elif data.classes is None:
        sentences.append(OPTIONS_DIFFER)
    if data.classes_are_positions:
        sentences.append(POSITIONS)
    return tuple(sentences)


def _describe_data(result: DataSetResult) -> list[str]:
    """Where gold and consensus come from, what is scored in place of circular gold, answers an item, and skips."""
    sentences = [_describe_gold_origins(result)]
    if result.with_others is not None:
        sentences.append(_describe_agreement_with_others(result.with_others))
    if result.consensus is not None:
        sentences.append(_describe_consensus(result.consensus))
        sentences.append(_describe_answers_per_item(result))
    sentences += [result.fallback] if result.fallback else []
    n_skips = len(result.data.list_counted_skips())
    if n_skips:
        sentences.append(f"{format_count(n_skips, 'skip')}: wrong where scored, no vote elsewhere.")
    return sentences


def _describe_normalisation(data: DataSet) -> list[str]:
    """How texts are compared; nothing for other answers."""
    rule = data.normalise
    return [] if rule is None else [f"Texts are compared by “{rule}”: {NORMALISATION_NAMES[rule]}."]


def _describe_gold_origins(result: DataSetResult) -> str:
    items = result.data.items
    declared = items.loc[items["gold"].notna()]
    if declared.empty:
        return "No gold is declared; gold.csv holds the consensus of the votes."
    origins = declared["gold_origin"].fillna("unknown origin").value_counts(sort=False).sort_index()
    return (
        "Declared gold: " + ", ".join(f"{format_count(int(n), 'item')} by {name}" for name, n in origins.items()) + "."
    )


def _describe_answers_per_item(result: DataSetResult) -> str:
    sizes = result.votes.frame["item"].value_counts()
    more = ""
    if result.pooled is not None:
        more = f" Scores rest on the first {result.data.overlap} of each item, all of them pooled stand beside."
    return f"Answers an item: {sizes.min()} to {sizes.max()}, median {sizes.median():g}.{more}"


def _describe_agreement_with_others(table: pd.DataFrame) -> str:
    n = int(table["n"].sum())
    share = float((table["majority"] * table["n"]).sum() / n) if n else None
    return (
        f"{CIRCULAR} Held against the majority of the others alone, {format_percent(share)} of the answers agree, "
        "which is agreement and no score."
    )


def _describe_consensus(consensus: Consensus) -> str:
    n_ties, n_items = int(consensus.labels["tie"].sum()), len(consensus.labels)
    return (
        f"Consensus: {METHOD_NAMES[consensus.method]} ({consensus.version}) of {format_count(n_items, 'item')}; "
        f"{format_count(n_ties, 'tie')}, rule “{consensus.ties}”: {TIE_RULE_NAMES[consensus.ties]}."
    )


def _describe_self_agreement(agreement: SelfAgreement) -> str:
    kappa = agreement.reason if agreement.kappa is None else f"κ {format_number(agreement.kappa)}."
    return (
        f"Asked again, {format_count(agreement.n_annotators, 'annotator')} gave the same answer to "
        f"{format_percent(agreement.percent)} of {format_count(agreement.n_repeats, 'item')}; {kappa}"
    )


def _describe_dawid_skene(fit: Consensus) -> str:
    ended = "converged" if fit.converged else "did not converge"
    return f"Dawid–Skene: {format_count(fit.iterations or 0, 'iteration')}, {ended} ({fit.version})."
