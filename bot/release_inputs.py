"""Build all inputs of `hromada release` from the database, and list what must stand in none of its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sqlmodel import Session

from aggregation.consensus.consensus import TieRule
from aggregation.consensus.methods import Method
from aggregation.errors import HromadaError, Where
from annotation.settings import Settings
from annotation.store import pseudonyms
from bot import benchmark_release, release, release_facts
from exports.lm_eval.replay import get_harness_version
from exports.model_answers import read_models_by_data_set
from exports.release import ForbiddenString, find_identities
from exports.release_state import ReleaseInputs


def build_release_inputs(
    session: Session,
    name: str,
    *,
    method: Method = "majority",
    ties: TieRule = "drop",
    seed: int = 0,
    anchors: bool = False,
    replay: bool = True,
) -> ReleaseInputs:
    """Build the inputs of a release of a project or a programme, without models.

    With `replay` people are scored by the lm-evaluation-harness too, where it is installed. Raises NotFound for a name
    that is neither.
    """
    facts = release_facts.build_release_facts(session, name, harness=get_harness_version() if replay else "")
    projects = release.read_projects(session, [project.name for project in facts.projects])
    return ReleaseInputs(
        facts=facts,
        data_sets=tuple(project.add_parts(data) for project in projects for data in project.data_sets),
        responses=tuple(one.joint_answers for one in projects if one.joint_answers is not None),
        benchmark=benchmark_release.build_source(session, name, projects),
        method=method,
        ties=ties,
        seed=seed,
        anchors=anchors,
    )


def add_models(inputs: ReleaseInputs, paths: Sequence[Path]) -> ReleaseInputs:
    """The inputs with what models answered; raises HromadaError for files that cannot be read or are of other tasks."""
    models = read_models_by_data_set(paths, inputs.data_sets)
    for path in paths:  # notes name the folder, not where it lies on this machine
        models = {
            name: replace(read, notes=tuple(note.replace(str(path), path.name) for note in read.notes))
            for name, read in models.items()
        }
    return replace(inputs, models=models)


def list_forbidden_strings(session: Session, settings: Settings) -> tuple[ForbiddenString, ...]:
    """List every real value that could identify somebody, and every secret. No published file may contain one."""
    identities = [*pseudonyms.list_identities(session), *pseudonyms.list_secrets(settings)]
    return tuple(ForbiddenString(identity.kind, identity.value, inside=identity.is_secret) for identity in identities)


NAMED_PLACES = 5
"""How many places of identities a message names."""


def refuse_identities(
    files: Mapping[str, str | bytes], forbidden: Sequence[ForbiddenString], *, verb: str = "release"
) -> None:
    """Raise HromadaError, before anything is written, if a file would tell who somebody is; `verb` is the command's."""
    identities = find_identities(files, forbidden)
    if not identities:
        return
    places = "; ".join(f"{place.file}, line {place.line}: {place.kind}" for place in identities[:NAMED_PLACES])
    more = f" and {len(identities) - NAMED_PLACES} more" if len(identities) > NAMED_PLACES else ""
    raise HromadaError(
        f"Files would tell who somebody is, and nothing was written: {places}{more}.",
        remedy=f"Take it out of the items, texts, reasons or declared facts that contain it, and {verb} again.",
        where=Where(file=identities[0].file),
    )
