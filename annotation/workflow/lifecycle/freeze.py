"""What a start fixes: sha256 of items, gold and rules, the texts, the frames of samples, and the plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, func, select

from annotation.campaigns import project as project_files
from annotation.store.models import Item, Project
from annotation.vocabulary import Pool
from annotation.workflow import quality
from annotation.workflow.lifecycle import precision

RULES = (
    "kind", "question", "questions", "overlap", "seed", "stages", "pages", "controls", "repeats", "quality",
    "admission", "profile", "exposure", "reports", "filtering", "caps", "lease",
)  # fmt: skip
"""The keys of a project file by which items are handed out, and answers admitted and excluded."""

_SHOWN = ("revision", "pool", "group_id", "stimulus_sha256", "options", "stratum", "tags")
_GOLD = ("gold", "golds", "accepted", "gold_origin", "gold_version")
BATCH = 5_000


def frozen(session: Session, project: Project, *, now: datetime) -> dict[str, Any]:
    """Everything that is fixed now. `quality` is the part of the rules by which answers are excluded."""
    definition = project_files.definition_of(project.definition)
    return {
        "at": now.isoformat(),
        "definition_sha256": project.definition_sha256,
        "items": _digest(session, project, _SHOWN),
        "gold": _digest(session, project, _GOLD),
        "rules": {
            "sha256": _rules(project, definition),
            "quality": quality.rules_digest(definition.quality, project.word_lists),
        },
        "texts": dict(project.texts or {}),
        "frames": list(project.frames or []),
        "plan": plan(session, project).stored(),
        "post_hoc": [],
    }


def plan(session: Session, project: Project) -> precision.Plan:
    """What the project as it is now promises."""
    definition = project_files.definition_of(project.definition)
    main = select(func.count()).where(Item.project_id == project.id, Item.pool == Pool.MAIN)
    return precision.plan(
        session.exec(main.group_by(col(Item.group_id))).all(),
        overlap=project.overlap or 0,
        most=project.overlap_max or 0,
        seconds=definition.expected.seconds if definition.expected else None,
        baseline=definition.kind == "baseline",
    )


def post_hoc(project: Project, *, what: str, now: datetime) -> None:
    """Note beside what was frozen that something was changed after the start."""
    if project.frozen is not None:
        changes = [*project.frozen.get("post_hoc", []), {"at": now.isoformat(), "what": what}]
        project.frozen = project.frozen | {"post_hoc": changes}


def _digest(session: Session, project: Project, names: Sequence[str]) -> dict[str, Any]:
    """sha256 over one JSON line an item, in the order of external ids; how many lines say anything."""
    columns = [getattr(Item, name) for name in ("external_id", *names)]
    chosen = select(*columns).where(Item.project_id == project.id).order_by(col(Item.external_id))
    lines, number = hashlib.sha256(), 0
    for row in session.exec(chosen.execution_options(yield_per=BATCH)):
        lines.update(_line(row))
        number += any(value is not None for value in row[1:])
    return {"sha256": lines.hexdigest(), "count": number}


def _line(row: Iterable[Any]) -> bytes:
    return (json.dumps(list(row), ensure_ascii=False, sort_keys=True) + "\n").encode()


def _rules(project: Project, definition: project_files.ProjectFile) -> str:
    told = {key: value for key, value in definition.model_dump(mode="json").items() if key in RULES}
    return hashlib.sha256(_line([told, project.word_lists])).hexdigest()
