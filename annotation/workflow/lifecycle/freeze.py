"""The frozen record: what the first start of a project fixes (items, gold, rules, texts, samples, plan), and changes
after the start.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotation.campaigns import project_file
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool
from annotation.workflow.lifecycle import precision
from annotation.workflow.quality import rules

RULE_KEYS = (
    "kind", "question", "questions", "overlap", "seed", "stages", "pages", "controls", "repeats", "quality",
    "admission", "profile", "exposure", "reports", "filtering", "caps", "lease",
)  # fmt: skip
"""The keys of a project file that decide which items are assigned and which answers count."""

_ITEM_COLUMNS = ("revision", "pool", "group_id", "stimulus_sha256", "options", "stratum", "tags")
_GOLD_COLUMNS = ("gold", "golds", "accepted", "gold_origin", "gold_version")
ROWS_PER_FETCH = 5_000
"""How many items are read from the database at a time, so that memory stays bounded."""


def build_frozen_record(session: Session, project: Project, *, now: datetime) -> dict[str, Any]:
    """The frozen record of a project that starts at `now`, as JSON.

    Items, gold and rules are recorded as sha256 (`rules.quality` covers only the quality rules), the texts by their
    versions, `frames` are the sampling frames of the items, `post_hoc` will hold the changes after the start.
    """
    definition = project_file.parse_definition(project.definition)
    return {
        "at": now.isoformat(),
        "definition_sha256": project.definition_sha256,
        "items": _compute_items_digest(session, project, _ITEM_COLUMNS),
        "gold": _compute_items_digest(session, project, _GOLD_COLUMNS),
        "rules": {
            "sha256": _compute_rules_digest(project, definition),
            "quality": rules.hash_rules(definition.quality, project.word_lists),
        },
        "texts": dict(project.texts or {}),
        "frames": list(project.frames or []),
        "plan": build_precision_plan(session, project).to_dict(),
        "post_hoc": [],
    }


def build_precision_plan(session: Session, project: Project) -> precision.PrecisionPlan:
    """The expected precision and work of a project, from its main items in the database."""
    definition = project_file.parse_definition(project.definition)
    main_items = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return precision.plan_precision(
        session.exec(main_items.group_by(col(Item.group_id))).all(),
        overlap=project.overlap or 0,
        max_overlap=project.overlap_max or 0,
        seconds=definition.expected.seconds if definition.expected else None,
        baseline=definition.kind == "baseline",
    )


def add_post_hoc_change(project: Project, *, what: str, now: datetime) -> None:
    """Add a change after the start to the frozen record of a project, if it has one. Does not flush the session."""
    if project.frozen is not None:
        changes = [*project.frozen.get("post_hoc", []), {"at": now.isoformat(), "what": what}]
        project.frozen = project.frozen | {"post_hoc": changes}


def _compute_items_digest(session: Session, project: Project, names: Sequence[str]) -> dict[str, Any]:
    """The sha256 over the named columns of all items, and how many items have a value in at least one of them.

    What is hashed is one JSON line for each item, in the order of external ids.
    """
    columns = [getattr(Item, name) for name in ("external_id", *names)]
    in_order = select(*columns).where(Item.project_id == project.id).order_by(col(Item.external_id))
    digest, n_with_values = hashlib.sha256(), 0
    for row in session.exec(in_order.execution_options(yield_per=ROWS_PER_FETCH)):
        digest.update(_encode_line(row))
        n_with_values += any(value is not None for value in row[1:])
    return {"sha256": digest.hexdigest(), "count": n_with_values}


def _encode_line(row: Iterable[Any]) -> bytes:
    return (json.dumps(list(row), ensure_ascii=False, sort_keys=True) + "\n").encode()


def _compute_rules_digest(project: Project, definition: project_file.ProjectFile) -> str:
    values = {key: value for key, value in definition.model_dump(mode="json").items() if key in RULE_KEYS}
    return hashlib.sha256(_encode_line([values, project.word_lists])).hexdigest()
