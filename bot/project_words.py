"""The project file in words, as a release tells it: samples, plan, controls, repeats, limits, admission, lineage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from annotation.campaigns import project_file
from annotation.campaigns.sections.annotators import AdmissionSection
from annotation.store.models import Project
from annotation.workflow.lifecycle import precision
from exports import facts


def list_examples(definition: project_file.ProjectFile) -> tuple[str, ...]:
    """The good and bad answers that people were shown as examples."""
    examples = definition.examples
    return (
        ()
        if examples is None
        else (*(f"good: {text}" for text in examples.good), *(f"bad: {text}" for text in examples.bad))
    )


def describe_admission(*sections: AdmissionSection | None) -> str:
    """Who was admitted, by all conditions of the project and its programme."""
    parts = []
    for section in filter(None, sections):
        parts += [f"{field}: {' or '.join(values)}" for field, values in section.profile.items()]
        parts += [f"cohort {name}" for name in section.cohort]
        if section.earlier_control is not None:
            where = ", ".join(section.earlier_control.projects)
            parts.append(f"control items right {section.earlier_control.least:.0%} or more in {where}")
        if section.top is not None:
            parts.append(f"the best {section.top:.0%} of earlier projects")
    return "; ".join(parts) or "everybody who was invited"


def describe_frame(frame: Mapping[str, Any]) -> facts.SampleFact:
    """A sample as the database stores it."""
    return facts.SampleFact(
        pool=str(frame["pool"]),
        method=f"random within {frame['by']}" if frame.get("by") else "random",
        seed=frame["seed"],
        sha256=str(frame["sha256"]),
        n_drawn=frame["drawn"],
        n_candidates=frame["of"],
        strata={name: (counts[0], counts[1]) for name, counts in frame["strata"].items()},
    )


def describe_plan(project: Project) -> facts.PlanFact | None:
    """The plan that was frozen at the start; None before it."""
    stored = (project.frozen or {}).get("plan")
    if stored is None:
        return None
    return facts.PlanFact(
        n_items=stored["items"],
        overlap=round(stored["judgements"] / stored["items"]) if stored["items"] else 0,
        half_width=stored.get("half_width"),
        share=stored.get("share_right"),
        words=precision.describe_plan(stored),
    )


def describe_controls(definition: project_file.ProjectFile) -> str:
    """How control items come; empty without them."""
    section = definition.controls
    if section is None:
        return ""
    return f"{section.per_page} a page" if section.per_page is not None else f"{section.rate:.0%} of the items"


def describe_repeats(definition: project_file.ProjectFile) -> str:
    """How items are asked again; empty where none is."""
    section = definition.repeats
    return "" if section is None else f"{section.share:.0%} of the items again, {section.after / 3600:g} hours later"


def describe_caps(definition: project_file.ProjectFile) -> str:
    """How much one annotator may answer; empty without limits."""
    section = definition.caps
    if section is None:
        return ""
    parts = (
        (section.items, f"{section.items} items a person"),
        (section.items_per_day, f"{section.items_per_day} items a day"),
        (section.sitting, f"{(section.sitting or 0) / 60:g} minutes at a time"),
    )
    return ", ".join(words for value, words in parts if value is not None)


def describe_lineage(definition: project_file.ProjectFile) -> str:
    """From which earlier project the items came; empty for others."""
    section = definition.lineage
    if section is None:
        return ""
    return f"from {section.project} by {section.method}" + (
        f", where {'; '.join(section.where)}" if section.where else ""
    )


def was_fixed_before(frozen: Mapping[str, Any] | None, first: datetime | None) -> bool | None:
    """Whether the frozen record is older than the first answer; None without either of them."""
    if frozen is None or first is None:
        return None
    return datetime.fromisoformat(frozen["at"]) <= first


def was_changed_later(frozen: Mapping[str, Any] | None, key: str) -> bool:
    """Whether a key of the project file was changed after the start."""
    changes = (str(change["what"]) for change in (frozen or {}).get("post_hoc", ()))
    return any(key in re.findall(r"\w+", words.partition(":")[2]) for words in changes)
