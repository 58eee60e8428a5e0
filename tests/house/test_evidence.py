"""Every line of the release checklist that is computed or enforced has its evidence recorded, or is known to wait."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.store.models import metadata

EVIDENCE = {
    "R01": ("judgement.response", "assignment.annotator_id", "assignment.item_id", "item.gold"),
    "R02": ("judgement.excluded_reason", "assignment.annotator_id", "assignment.item_id", "annotator.pseudonym"),
    "R03": ("project.frames", "item.pool", "judgement.assignment_id"),  # the people's sizes
    "R05": ("project.frames", "project.frozen", "item.stratum"),  # method, seed and sha256 of the frame stand in frames
    "R06": ("project.overlap", "project.overlap_max", "item.n_done", "judgement.excluded_reason"),
    "R07": ("project.frozen", "project.started_at", "judgement.answered_at"),
    "R08": ("item.pool", "assignment.stage"),
    "R10": ("consent.annotator_id", "consent.scope", "consent.version", "consent.sha256", "consent.at",
            "text_version.text", "text_version.kind", "assignment.shown_at", "annotator.pseudonym"),
    "R13": ("annotator.insider",),
    "R14": ("exposure.annotator_id", "exposure.group_id", "exposure.project_id", "exposure.cause", "exposure.at",
            "item.group_id", "assignment.exposed", "assignment.shown_at"),
    "R15": ("project.frozen", "project.started_at", "participation.stage", "participation.status",
            "participation.attempt", "participation.qualified_at", "participation.retry_at", "assignment.stage",
            "assignment.assigned_at", "judgement.response", "item.gold", "journal.event"),
    "R16": ("item.pool", "item.external_id", "item.group_id", "item.explanation", "assignment.stage",
            "project.definition"),
    "R17": ("payment.annotator_id", "payment.project_id", "payment.hundredths", "payment.currency",
            "assignment.shown_at", "judgement.answered_at", "project.definition"),
    "R18": ("assignment.instructions_sha256", "text_version.sha256", "text_version.kind", "text_version.text",
            "text_version.since"),
    "R19": ("item.rank", "item.queue_position", "assignment.position", "assignment.option_order",
            "assignment.option_orders", "item.options", "item.gold"),
    "R20": ("item.stimulus", "item.pieces", "item.stimulus_sha256", "assignment.stimulus_sha256",
            "project.definition"),
    "R21": ("journal.data", "assignment.surface", "assignment.open_revision", "judgement.revision",
            "judgement.answered_at"),  # the lint's findings stand in the journal
    "R23": ("judgement.answered_at", "assignment.shown_at", "assignment.position", "annotator.time_zone",
            "participation.work_session"),
    "R24": ("assignment.is_control", "item.pool", "item.gold", "judgement.response", "project.frozen"),
    "R25": ("judgement.excluded_kind", "judgement.excluded_reason", "judgement.post_hoc", "judgement.flags",
            "participation.status",
            "participation.reason", "annotator.suspended_reason", "item.status", "report.reason", "project.frozen",
            "journal.data"),
    "R26": ("judgement.excluded_reason", "judgement.post_hoc", "judgement.response"),
    "R27": ("invitation.max_uses", "invitation.used", "participation.invitation_id", "consent.at",
            "participation.joined_at", "participation.status", "assignment.shown_at", "judgement.answered_at"),
    "R28": ("assignment.shown_at", "judgement.answered_at", "judgement.seconds", "judgement.flags"),
    "R29": ("judgement.skip_reason", "judgement.response", "judgement.excluded_reason", "assignment.status",
            "project.definition"),
    "R30": ("judgement.response", "assignment.annotator_id", "assignment.item_id", "item.gold"),
    "R31": ("item.group_id",),
    "R32": ("annotator.pseudonym", "judgement.response", "item.gold"),
    "R33": ("judgement.response", "judgement.excluded_reason", "item.gold", "project.definition"),
    "R36": ("judgement.response", "judgement.answers", "assignment.annotator_id", "assignment.item_id",
            "assignment.is_repeat"),
    "R37": ("assignment.is_repeat", "assignment.occasion", "judgement.answered_at", "judgement.response"),
    "R38": ("item.gold", "item.golds", "item.gold_origin", "item.gold_version", "item.lineage"),
}  # fmt: skip
"""Where the evidence of a line lies: tables and columns."""
WAITING = {
    "R03": "the models' subset and their answers an item: results of models",
    "R04": "the same items for people and models: results of models",
    "R34": "the difference between people and models: results of models",
    "R35": "the same scorer for both: results of models",
    "R39": "errors of people that are errors of gold: adjudication",
    "R40": "trivial baselines and the bundle: the release",
}
"""What cannot be recorded yet, and what it waits for."""
PARTLY = {"R03"}


@pytest.fixture
def kinds(shared: Path) -> dict[str, str]:
    """The kind of each line: computed, enforced, or declared."""
    lines = json.loads((shared / "reference/release-checklist.json").read_text("utf-8"))
    return {line["id"]: line["kind"] for line in lines}


def test_every_computed_or_enforced_line_has_evidence_or_waits(kinds: dict[str, str]) -> None:
    """No line is forgotten, none is invented, and only a part of one may do both."""
    wanted = {line for line, kind in kinds.items() if kind in {"C", "E"}}
    assert wanted == EVIDENCE.keys() | WAITING.keys()
    assert EVIDENCE.keys() & WAITING.keys() == PARTLY


@pytest.mark.parametrize("line", EVIDENCE)
def test_the_evidence_of_a_line_has_its_columns(line: str) -> None:
    """Each table and column that is named is there."""
    missing = []
    for name in EVIDENCE[line]:
        table, column = name.split(".")
        if column not in metadata.tables[table].columns:
            missing.append(name)
    assert missing == []
