"""What people read, verbatim with its versions, and all other facts in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd

from exports import writers
from exports.facts import ProjectFacts, TextFact
from exports.release_state import ReleaseState

TEXT_COLUMNS = ("project", "kind", "scope", "version", "sha256", "file", "n_people", "n_answers")
SHOWN_DIGITS = 12
"""How many characters of a sha256 name a file."""
IN_TABLES = ("texts", "training_items", "lint", "frames", "profile", "attested", "declared_meanings")
"""Facts that files of their own hold."""


def build_text_files(state: ReleaseState) -> dict[str, str]:
    """Build the texts, their index, the training and facts.json: path → content."""
    files: dict[str, str] = {}
    rows = []
    for project in state.facts.projects:
        for text in project.texts:
            path = f"texts/{project.name}/{text.kind}-{text.sha256[:SHOWN_DIGITS]}.txt"
            files[path] = text.text
            rows.append(_describe_text(project, text, path))
        if project.training_items:
            files[f"texts/{project.name}/training.jsonl"] = "".join(_list_training(project))
    index = pd.DataFrame(rows, columns=list(TEXT_COLUMNS), dtype=object)
    return files | {"texts/texts.csv": writers.format_csv(index), "facts.json": _format_facts(state)}


def _describe_text(project: ProjectFacts, text: TextFact, path: str) -> dict[str, object]:
    return {
        "project": project.name,
        "kind": text.kind,
        "scope": text.scope,
        "version": text.version,
        "sha256": text.sha256,
        "file": path,
        "n_people": text.n_people,
        "n_answers": text.n_answers,
    }


def _list_training(project: ProjectFacts) -> Iterator[str]:
    for item in project.training_items:
        yield json.dumps(asdict(item), ensure_ascii=False) + "\n"


def _format_facts(state: ReleaseState) -> str:
    facts = asdict(state.facts)
    facts["projects"] = {project.name: _describe_project(project) for project in state.facts.projects}
    return writers.format_json(facts)


def _describe_project(project: ProjectFacts) -> dict[str, Any]:
    """All facts but those in tables; with what each declared one should state, and null where it is empty."""
    known = {name: value for name, value in asdict(project).items() if name not in IN_TABLES}
    known["declared"] = {
        name: {"value": project.declared.get(name), "should_state": meaning}
        for name, meaning in project.declared_meanings.items()
    }
    return known
