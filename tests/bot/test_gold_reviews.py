"""Gold reviews with planted truth, drawn, decided and estimated by the functions that campaigns use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlmodel import Session

from aggregation.comparison.gold_review import CeilingEstimate
from annotation.campaigns.questions import Question
from annotation.store import database, queries
from annotation.store.models import AdjudicationCase, Annotator, Item, Project
from annotation.vocabulary import CaseReason, GoldStratum
from annotation.workflow.lifecycle import projects
from annotation.workflow.review import adjudication_queue, cases, reviewers
from bot import release
from exports.adjudicated_gold import describe_ceiling, estimate_gold_ceiling

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
N_ITEMS, N_CONFLICTS, N_DOUBTFUL = 300, 40, 40
N_REVIEWS = 24
PROJECT = """\
project: truth
title: t
language: en
question: {type: choice, text: Is it so?, options: [yes, no]}
items: {file: items.csv, id: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""


@dataclass(frozen=True)
class Truth:
    """Items whose gold is always `yes`: for which `no` is right, which contradict people, and which are doubtful."""

    is_wrong: Mapping[str, bool]
    strata: Mapping[str, GoldStratum]
    doubtful: tuple[str, ...]

    @property
    def wrong(self) -> float:
        """The share of wrong gold."""
        return float(np.mean(list(self.is_wrong.values())))


def plant_truth(number: int) -> Truth:
    """Of the conflicts .6 are wrong, of the doubtful items among the rest a half, of all others .02."""
    rng, names = np.random.default_rng([19, number]), [f"q{place:03}" for place in range(N_ITEMS)]
    shuffled = [str(name) for name in rng.permutation(names)]
    chances = np.repeat([0.6, 0.5, 0.02], [N_CONFLICTS, N_DOUBTFUL, N_ITEMS - N_CONFLICTS - N_DOUBTFUL])
    return Truth(
        is_wrong=dict(zip(shuffled, (rng.random(N_ITEMS) < chances).tolist(), strict=True)),
        strata={
            name: GoldStratum.PEOPLE if place < N_CONFLICTS else GoldStratum.REST for place, name in enumerate(shuffled)
        },
        doubtful=tuple(shuffled[N_CONFLICTS : N_CONFLICTS + N_DOUBTFUL]),
    )


@dataclass(frozen=True)
class Campaign:
    """A project whose gold is reviewed, and who reviews it."""

    session: Session
    project: Project
    question: Question
    person: Annotator

    def draw_items(self, truth: Truth, *, seed: int) -> None:
        """Queue the doubtful items and plan the review."""
        doubts = {name: {CaseReason.TIE} for name in truth.doubtful}
        cases.refresh_cases(self.session, project=self.project, question="answer", doubts=doubts, now=NOW)
        cases.plan_gold_review(
            self.session,
            project=self.project,
            question="answer",
            strata=truth.strata,
            candidates={},
            sample=60,
            seed=seed,
            now=NOW,
        )

    def list_offered(self, *, gold_review: bool) -> list[AdjudicationCase]:
        """What is offered, in that order."""
        return list(
            adjudication_queue.list_open_cases(
                self.session,
                project=self.project,
                question=self.question,
                adjudicator=self.person,
                gold_review=gold_review,
            )
        )

    def decide_cases(self, truth: Truth, offered: Iterable[AdjudicationCase]) -> None:
        """Say of each what is true."""
        for case in offered:
            name = self.get_item(case)
            adjudication_queue.decide_case(
                self.session,
                project=self.project,
                case=case,
                adjudicator=self.person,
                revision=self.session.get_one(Item, case.item_id).revision,
                labels=["no" if truth.is_wrong[name] else "yes"],
                now=NOW,
            )

    def get_item(self, case: AdjudicationCase) -> str:
        """The item of a case."""
        return self.session.get_one(Item, case.item_id).external_id

    def estimate(self) -> CeilingEstimate:
        """The estimate as it is published now."""
        found = estimate_gold_ceiling(release.ProjectInputs(view=self.session, project=self.project).read_data_set())
        assert found is not None
        return found


class TakenBackError(Exception):
    """Ends a transaction without storing anything."""


@contextlib.contextmanager
def open_campaign(db: database.Database) -> Iterator[Campaign]:
    """The project as it was loaded; nothing that is done in it stays."""
    with contextlib.suppress(TakenBackError), db.transaction() as session:
        project = queries.get_project(session, "truth")
        person = reviewers.add_reviewer(session, name="olha", key=b"k" * 32, now=NOW)
        yield Campaign(session, project, cases.get_question(project, None), person)
        raise TakenBackError


@pytest.fixture
def loaded(db: database.Database, tmp_path: Path) -> database.Database:
    """A project of 300 items with the gold `yes`."""
    (tmp_path / "items.csv").write_text(
        "id,text,gold\n" + "".join(f"q{place:03},text {place},yes\n" for place in range(N_ITEMS)), "utf-8"
    )
    (tmp_path / "project.yaml").write_text(PROJECT, "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, tmp_path / "project.yaml", now=NOW)
    return db


def test_conflicts_and_drawn_items_are_mixed(loaded: database.Database) -> None:
    """Neither comes first, whatever the seed: the mean rank of the conflicts is near the middle."""
    ranks = []
    for number in range(10):
        truth = plant_truth(number)
        with open_campaign(loaded) as campaign:
            campaign.draw_items(truth, seed=number)
            offered = campaign.list_offered(gold_review=True)
            assert len(offered) == N_CONFLICTS + 60
            are_conflicts = [truth.strata[campaign.get_item(case)] is GoldStratum.PEOPLE for case in offered]
            ranks.append(float(np.flatnonzero(are_conflicts).mean()) / (len(offered) - 1))
    assert 0.45 < float(np.mean(ranks)) < 0.55  # the standard error is .012
    assert all(0.35 < rank < 0.65 for rank in ranks)


@pytest.mark.slow
@pytest.mark.parametrize("doubtful_first", [False, True])
def test_an_unfinished_review_is_unbiased(loaded: database.Database, doubtful_first: bool) -> None:
    """Decided half-way in the offered order, also where the worst items of the sample were decided before."""
    errors, covered, pool_covered = [], 0, 0
    for number in range(N_REVIEWS):
        truth = plant_truth(number)
        with open_campaign(loaded) as campaign:
            campaign.draw_items(truth, seed=number)
            if doubtful_first:
                campaign.decide_cases(truth, campaign.list_offered(gold_review=False))
            offered = campaign.list_offered(gold_review=True)
            campaign.decide_cases(truth, offered[: len(offered) // 2])
            share = campaign.estimate().wrong
        assert share.value is not None
        assert share.low is not None
        assert share.high is not None
        assert share.pool_low is not None
        assert share.pool_high is not None
        errors.append(share.value - truth.wrong)
        expected = (N_CONFLICTS * 0.6 + N_DOUBTFUL * 0.5 + (N_ITEMS - N_CONFLICTS - N_DOUBTFUL) * 0.02) / N_ITEMS
        covered += share.low <= expected <= share.high
        pool_covered += share.pool_low <= truth.wrong <= share.pool_high
    bias, standard_error = float(np.mean(errors)), float(np.std(errors) / N_REVIEWS**0.5)
    assert abs(bias) < 3 * standard_error, (bias, standard_error)
    assert min(covered, pool_covered) >= 0.83 * N_REVIEWS, (covered, pool_covered)


def test_what_was_decided_out_of_order_does_not_count_yet(loaded: database.Database) -> None:
    """It is told how many wait for which item; with the last decision everything counts, and nothing is told."""
    truth = plant_truth(0)
    with open_campaign(loaded) as campaign:
        campaign.draw_items(truth, seed=0)
        first, *others = campaign.list_offered(gold_review=True)
        campaign.decide_cases(truth, others)
        stratum = truth.strata[campaign.get_item(first)].value
        estimate = campaign.estimate()
        assert {one.name: one.n_reviewed for one in estimate.strata} == {"people": N_CONFLICTS, "rest": 60} | {
            stratum: 0
        }
        number = {"people": N_CONFLICTS, "rest": 60}[stratum] - 1
        waits = f"{number} decided items of {stratum!r} do not count until {campaign.get_item(first)!r} is decided"
        assert estimate.ceiling.value is None
        assert waits in describe_ceiling(estimate)
        campaign.decide_cases(truth, [first])
        estimate = campaign.estimate()
        assert {one.name: one.n_reviewed for one in estimate.strata} == {"people": N_CONFLICTS, "rest": 60}
        assert estimate.warnings == ()
