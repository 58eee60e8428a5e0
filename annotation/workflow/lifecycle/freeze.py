"""The record of what a start freezes: sha256 of items, gold and rules, the texts, the frames of samples, the plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file as project_files
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import precision
from annotation.workflow.quality import rules

RULES = (
    "kind", "question", "questions", "overlap", "seed", "stages", "pages", "controls", "repeats", "quality",
    "admission", "profile", "exposure", "reports", "filtering", "caps", "lease",
)  # fmt: skip
"""The keys of a project file that decide which items are assigned, and which answers count."""

_SHOWN = ("revision", "pool", "group_id", "stimulus_sha256", "options", "stratum", "tags")
_GOLD = ("gold", "golds", "accepted", "gold_origin", "gold_version")
BATCH = 5_000


def build_frozen_record(session: Session, project: Project, *, now: datetime) -> dict[str, Any]:
    """Everything that is frozen now, as JSON; `rules.quality` is the sha256 of the rules that exclude answers alone."""
    definition = project_files.parse_definition(project.definition)
    return {
        "at": now.isoformat(),
        "definition_sha256": project.definition_sha256,
        "items": _compute_items_digest(session, project, _SHOWN),
        "gold": _compute_items_digest(session, project, _GOLD),
        "rules": {
            "sha256": _compute_rules_digest(project, definition),
            "quality": rules.hash_rules(definition.quality, project.word_lists),
        },
        "texts": dict(project.texts or {}),
        "frames": list(project.frames or []),
        "plan": build_precision_plan(session, project).stored(),
        "post_hoc": [],
    }


def build_precision_plan(session: Session, project: Project) -> precision.PrecisionPlan:
    """The expected precision and work of the project, for its main items as they are now."""
    definition = project_files.parse_definition(project.definition)
    main = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return precision.plan_precision(
        session.exec(main.group_by(col(Item.group_id))).all(),
        overlap=project.overlap or 0,
        max_overlap=project.overlap_max or 0,
        seconds=definition.expected.seconds if definition.expected else None,
        baseline=definition.kind == "baseline",
    )


def add_post_hoc_change(project: Project, *, what: str, now: datetime) -> None:
    """Add a change after the start to the frozen record; without a record nothing happens. Does not flush."""
    if project.frozen is not None:
        changes = [*project.frozen.get("post_hoc", []), {"at": now.isoformat(), "what": what}]
        project.frozen = project.frozen | {"post_hoc": changes}


def _compute_items_digest(session: Session, project: Project, names: Sequence[str]) -> dict[str, Any]:
    """The sha256 over one JSON line for each item, by external id, and the number of items with any of these values."""
    columns = [getattr(Item, name) for name in ("external_id", *names)]
    in_order = select(*columns).where(Item.project_id == project.id).order_by(col(Item.external_id))
    lines, count = hashlib.sha256(), 0
    for row in session.exec(in_order.execution_options(yield_per=BATCH)):
        lines.update(_encode_line(row))
        count += any(value is not None for value in row[1:])
    return {"sha256": lines.hexdigest(), "count": count}


def _encode_line(row: Iterable[Any]) -> bytes:
    return (json.dumps(list(row), ensure_ascii=False, sort_keys=True) + "\n").encode()


def _compute_rules_digest(project: Project, definition: project_files.ProjectFile) -> str:
    values = {key: value for key, value in definition.model_dump(mode="json").items() if key in RULES}
    return hashlib.sha256(_encode_line([values, project.word_lists])).hexdigest()
