"""The data sets of a folder that `hromada release` or `hromada build` wrote, for commands that need no database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aggregation.errors import HromadaError, Where
from exports.inputs import DataSet
from exports.lm_eval.results import MANIFEST
from exports.people_files import PEOPLE, read_people_files
from exports.release.folder import KIND
from exports.release.raw_inputs import DATA_SETS, INDEX, INPUTS, read_data_sets


@dataclass(frozen=True, kw_only=True)
class FolderData:
    """The data sets of a folder, and by task the reason why it has no other ones."""

    data_sets: tuple[DataSet, ...]
    missing: Mapping[str, str]


def is_written_folder(folder: Path) -> bool:
    """Whether a folder has the manifest of a release or a build."""
    return (folder / MANIFEST).is_file()


def read_folder_data(folder: Path, *, key: Path | None = None) -> FolderData:
    """Read the data sets of a release or a build, of which `key` is the folder of hidden gold, beside it by default.

    Those of a release are all that it publishes, those of a build what its tasks are made of. Raises HromadaError for a
    folder that is neither, for damaged files, and if there is no data set, with the reasons.
    """
    manifest = read_manifest(folder)
    if manifest.get("kind") == KIND:
        found = FolderData(data_sets=_read_release(folder), missing={})
    else:
        found = _read_build(folder, key or find_key(folder), manifest["tasks"])
    if not found.data_sets:
        told = "; ".join(f"{task}: {reason}" for task, reason in found.missing.items())
        raise HromadaError(
            f"The folder has no answers of people to compare with ({told or 'no data set'}).",
            remedy="Name the folder of hidden gold with --key; its organisers have it."
            if set(found.missing.values()) == {NO_KEY}
            else "Build it again, with answers of people and this version of hromada.",
            where=Where(file=folder),
        )
    return found


def find_key(folder: Path) -> Path | None:
    """The folder of the key beside a build with hidden gold; None if there is none, or it is of something else."""
    key = folder.resolve().with_name(f"{folder.resolve().name}-key")
    try:
        own, others = (json.loads((one / MANIFEST).read_text("utf-8")) for one in (folder, key))
        is_its_key = own["name"] == others["name"] and any(task["hidden"] for task in own["tasks"].values())
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        return None
    return key if is_its_key else None


NO_KEY = "its gold is hidden, and the folder of the key is not here"
NO_PEOPLE = "no answer of people is in it"


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """Read manifest.json of a release or a build; raises HromadaError for a folder of something else."""
    try:
        manifest: Mapping[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
        if manifest.get("kind") != KIND and not isinstance(manifest["tasks"], dict):
            raise ValueError(MANIFEST)
    except (AttributeError, KeyError, OSError, TypeError, ValueError) as failure:
        raise HromadaError(
            f"This is not a folder of `hromada release` or `hromada build` ({type(failure).__name__}).",
            remedy="Name a folder with the manifest.json that they write.",
            where=Where(file=folder),
        ) from None
    return manifest


def _read_release(folder: Path) -> tuple[DataSet, ...]:
    if not (folder / INDEX).is_file():
        raise HromadaError(
            f"This release has no {INPUTS}/ with the answers of people.",
            remedy="Name the whole release, or the folder `benchmark` in it.",
            where=Where(file=folder),
        )
    return read_data_sets(_read_texts(folder, DATA_SETS) | {INDEX: _read_text(folder / INDEX)})


def _read_build(folder: Path, key: Path | None, tasks: Mapping[str, Mapping[str, Any]]) -> FolderData:
    texts = {False: _read_texts(folder, PEOPLE), True: {} if key is None else _read_texts(key, PEOPLE)}
    data_sets: list[DataSet] = []
    missing: dict[str, str] = {}
    for name, task in tasks.items():
        is_hidden = task["hidden"] is True
        data = read_people_files(texts[is_hidden], name)
        if data is not None:
            data_sets.append(data)
        else:
            missing[name] = NO_KEY if is_hidden and not texts[True] else NO_PEOPLE
    return FolderData(data_sets=tuple(data_sets), missing=missing)


def _read_texts(folder: Path, part: str) -> dict[str, str]:
    """The files under a part of the folder by their paths in the folder."""
    files = sorted(path for path in (folder / part).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): _read_text(path) for path in files}


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError as failure:
        raise HromadaError(
            f"The file cannot be read ({type(failure).__name__}).",
            remedy="Copy the folder again.",
            where=Where(file=path),
        ) from None


def choose_data_sets(found: FolderData, written: str | None, *, folder: Path) -> Sequence[DataSet]:
    """The data sets of that name, task or question, all by default; raises HromadaError if none or several have it."""
    if written is None:
        return found.data_sets
    exact = [data for data in found.data_sets if written in (data.name, data.name.replace("/", "__"))]
    chosen = exact or [data for data in found.data_sets if data.question == written]
    if len(chosen) == 1:
        return chosen
    names = ", ".join(data.name for data in chosen or found.data_sets)
    reason = found.missing.get(written)
    raise HromadaError(
        f"{written!r} cannot be compared: {reason}."
        if reason
        else f"{'Several data sets have' if chosen else 'The folder has no data set or'} question {written!r}.",
        remedy="Name the folder of hidden gold with --key." if reason == NO_KEY else f"Name one of: {names}.",
        where=Where(file=folder),
    )
