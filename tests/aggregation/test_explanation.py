"""The figures that the explanation quotes are those that the code gives on the real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aggregation.agreement.breakdowns import break_down_by_label
from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.people import estimate_mean_posterior
from aggregation.consensus.consensus import TieRule, compute_label_accuracy
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.schema import Votes
from aggregation.scores.labels import score_labels

Build = Callable[..., Votes]
PAGES = Path(__file__).parents[2] / "docs" / "explanation"


def shown(value: float | None, digits: int = 3) -> str:
    return f"{value:.{digits}f}".replace("0.", ".", 1).replace("-", "−")


def page(name: str) -> str:
    return " ".join((PAGES / f"{name}.md").read_text(encoding="utf-8").split())


def test_the_page_on_agreement_quotes_rwsd_as_it_is(real: Build) -> None:
    """Coefficients, intervals, the first three votes, the labels and the mean posterior."""
    votes, text = real("RWSD"), page("agreement")
    for name in ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1"):
        row = compute_label_agreement(votes)[name]
        assert f"| {shown(row.value)} | {shown(row.low)} to {shown(row.high)} |" in text
    first = compute_label_agreement(votes, overlap=3)["krippendorff_alpha_nominal"]
    assert f"first three votes on each item is {shown(first.value)} [{shown(first.low)}, {shown(first.high)}]" in text
    for row in break_down_by_label(votes):
        assert row.name != "specific_agreement" or f"{shown(row.value)} [{shown(row.low)}, {shown(row.high)}]" in text
    believed = estimate_mean_posterior(
        build_label_consensus(votes, method="dawid_skene", ties="drop"), votes, n_resamples=5
    )
    assert f"| RWSD | {shown(believed.value, 4)} | .165 |" in text


@pytest.mark.parametrize(
    ("name", "method", "ties", "quoted"),
    [
        ("d_jn-product", "majority", "drop", "| majority | {} |"),
        ("d_jn-product", "dawid_skene", "drop", "| Dawid–Skene, 80 iterations, converged | {} |"),
        ("CF", "majority", "shared", "| majority (a tie counts its share) | {} |"),
        ("CF", "wawa", "shared", "| Wawa | {} |"),
        ("CF", "one_coin", "shared", "| one-coin Dawid–Skene | {} |"),
        ("CF", "dawid_skene", "shared", "| Dawid–Skene | {} |"),
        ("dog", "majority", "drop", "or {} with ties counted as wrong"),
        ("dog", "majority", "shared", "The majority scores {}"),
    ],
)
def test_the_page_on_labels_quotes_accuracies_as_they_are(
    real: Build, name: str, method: Method, ties: TieRule, quoted: str
) -> None:
    """One accuracy, as the page words it."""
    votes = real(name)
    score = compute_label_accuracy(build_label_consensus(votes, method=method, ties=ties), votes.items["gold"])
    assert quoted.format(shown(score.value, 4)) in page("consensus")


def test_the_page_on_labels_quotes_the_people_of_parus(real: Build) -> None:
    """Three units, each with its interval for a fresh panel and for this one."""
    made, text = score_labels(real("PARus")), page("scores")
    for unit, name in (("individual", "individual"), ("majority", "majority"), ("dawid_skene", "Dawid–Skene")):
        score = made[unit]["accuracy"]
        fresh = f"[{shown(score.ci_low, 4)}, {shown(score.ci_high, 4)}]"
        this = f"[{shown(score.item_only_low, 4)}, {shown(score.item_only_high, 4)}]"
        assert f"| {name} | {shown(score.value, 4)} {fresh} | {this} |" in text
