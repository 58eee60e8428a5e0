"""The folder of a release: all of its files, computed from its inputs and from nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aggregation.intervals.resampling import Progress
from exports import corrections, fact_tables, filtering, gold_tables, heds, paper, report, tables, writers
from exports.benchmark import list_earlier_files
from exports.checklist import Checklist, build_checklist_files, check_release
from exports.citation import FILE as CITATION
from exports.foreign_files import GIT_ATTRIBUTES, NO_CONVERSION
from exports.lm_eval import ReplayedPeople
from exports.lm_eval.results import MANIFEST
from exports.model_comparison import build_comparison_files
from exports.pages.localization import LANGUAGES, get_language, translate
from exports.pages.scaffold import build_pages
from exports.release.raw_inputs import write_inputs
from exports.release_report import build_chapters
from exports.release_state import ReleaseInputs, ReleaseState, compute_release_state
from exports.report.page import CheckedRow, ReleaseMarks

README = "README.md"
BENCHMARK = "benchmark"
KEY = "benchmark-key"
RESULTS = "results/"
"""Where the harness's files lie in a benchmark."""
KIND = "hromada release"

Files = dict[str, bytes]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseFolder:
    """The files of a release by path, the gate, and whether it is a draft.

    `stamp` is what every page and table carries: SIMULATED, SECONDARY, DRAFT, or several of them; else it is empty.
    `has_hidden_gold` says that the folder holds gold which is not to be published.
    """

    files: Files
    checklist: Checklist
    stamp: str
    draft: bool
    has_hidden_gold: bool


def build_release_folder(
    inputs: ReleaseInputs,
    *,
    draft: bool = False,
    recorded: tuple[ReplayedPeople, ReplayedPeople] | None = None,
    progress: Progress | None = None,
) -> ReleaseFolder:
    """Compute all files of a release; the same inputs give the same bytes.

    It is built whether the gate is passed or not: the caller looks at `checklist.blocking` before writing anything.
    `recorded` are the harness's files of an earlier build. `progress` is called with the share done, 0 to 1.
    """
    report_share = progress or (lambda _share: None)
    state = compute_release_state(inputs, recorded=recorded, progress=lambda share: report_share(0.8 * share))
    checklist = check_release(state)
    stamp = _build_stamp(state, checklist, draft=draft)
    files = encode_files(write_inputs(inputs))
    inputs_sha256 = hash_raw_files(files)
    files |= _build_benchmark_files(state)
    files |= encode_files(tables.build_files(state.tables))
    files |= encode_files(build_release_pages(state, checklist, stamp))
    report_share(0.9)
    files |= encode_files(fact_tables.build_fact_files(state))
    files |= encode_files(fact_tables.build_text_files(state))
    files |= encode_files(build_checklist_files(checklist, state))
    files |= encode_files({"heds.json": heds.build_heds_file(state)})
    files |= encode_files(paper.build_paper_files(state, stamp=stamp))
    files |= encode_files(_build_model_files(state))
    files[GIT_ATTRIBUTES] = NO_CONVERSION.encode()
    has_hidden_gold = any(path.startswith(f"{KEY}/") for path in files)
    files[README] = paper.build_readme(
        state,
        stamp=stamp,
        status_line=_describe_status(checklist, draft=draft),
        inputs_sha256=inputs_sha256,
        files=sorted(files),
    ).encode()
    files[MANIFEST] = _build_manifest(state, checklist, files, stamp=stamp, draft=draft).encode()
    report_share(1.0)
    return ReleaseFolder(files=files, checklist=checklist, stamp=stamp, draft=draft, has_hidden_gold=has_hidden_gold)


def write_release_folder(release: ReleaseFolder, folder: Path) -> tuple[Path, ...]:
    """Write a release into a new folder, an empty one, or one of an earlier release, whose other files are removed.

    Raises HromadaError, before anything is changed, for a folder that holds anything else.
    """
    old = list_released_files(folder)
    written = writers.write_files(folder, release.files)
    writers.remove_files(folder, old - release.files.keys())
    return written


def list_released_files(folder: Path) -> frozenset[str]:
    """The files that an earlier release wrote here, none in a new or empty folder.

    Raises HromadaError where something else lies here.
    """
    return list_earlier_files(folder, of="release", kind=KIND)


def _build_stamp(state: ReleaseState, checklist: Checklist, *, draft: bool) -> str:
    marks = {"SIMULATED": state.simulated, "SECONDARY": checklist.is_secondary, "DRAFT": draft}
    return " · ".join(mark for mark, applies in marks.items() if applies)


def encode_files(files: Mapping[str, str | bytes]) -> Files:
    """Files as bytes, in which Cyrillic texts take half the memory; raises HromadaError for half a character."""
    encoded: Files = {}
    for path, content in files.items():
        try:
            encoded[path] = content.encode() if isinstance(content, str) else content
        except UnicodeEncodeError as failure:
            raise writers.describe_encoding_error(failure, Path(path)) from None
    return encoded


def build_release_pages(state: ReleaseState, checklist: Checklist, stamp: str) -> dict[str, str | bytes]:
    """The report with the gate in it, and the pages and files of corrections, filtering and reviews."""
    inputs = state.inputs

    def render_report() -> str:
        translated = checklist if get_language() == LANGUAGES[0] else check_release(state)
        title = translate("{title}: a release", title=inputs.facts.title)
        judges = {name: compared.judges for name, compared in state.comparisons.items()}
        return report.render_report(
            state.tables, title=title, marks=_build_marks(state, translated, stamp), judges=judges
        )

    return {
        **build_pages("report", render_report),
        **corrections.build_correction_files(inputs.responses, seed=inputs.seed),
        **filtering.build_filtering_files(inputs.responses, seed=inputs.seed),
        **gold_tables.build_review_files(inputs.data_sets),
    }


def _build_marks(state: ReleaseState, checklist: Checklist, stamp: str) -> ReleaseMarks:
    """What the release adds to its report, in the language of the page."""
    return ReleaseMarks(
        stamp=stamp,
        status=checklist.status,
        lines=tuple(
            CheckedRow(line.id, line.must_state, line.status, line.level, line.evidence) for line in checklist.lines
        ),
        chapters=build_chapters(state),
        warnings=tuple(f"{line.id}, {line.must_state}: {line.evidence}" for line in checklist.warnings),
    )


def _build_benchmark_files(state: ReleaseState) -> Files:
    if state.benchmark is None:
        return {}
    files = {f"{BENCHMARK}/{path}": content for path, content in state.benchmark.files.items()}
    files[CITATION] = state.benchmark.files[CITATION]
    return encode_files(files | {f"{KEY}/{path}": content for path, content in state.benchmark.key_files.items()})


def _build_model_files(state: ReleaseState) -> dict[str, str]:
    return {
        f"models/{name}/{path}": content
        for name, compared in state.comparisons.items()
        for path, content in build_comparison_files(compared).items()
    }


def _describe_status(checklist: Checklist, *, draft: bool) -> str:
    counts = {
        status: sum(line.status == status for line in checklist.lines)
        for status in ("met", "unmet", "not applicable", "not evidenced")
    }
    words = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    kind = {
        "full": "All lines that block are met",
        "secondary": "A secondary release: what is not evidenced was not seen by this platform, or is not known",
        "blocked": "A draft that does not pass the gate" if draft else "Lines that block are unmet",
    }[checklist.status]
    return f"{kind} ({words}, of {len(checklist.lines)})."


def _build_manifest(
    state: ReleaseState, checklist: Checklist, files: Mapping[str, bytes], *, stamp: str, draft: bool
) -> str:
    facts = state.facts
    content = {
        "kind": KIND,
        "name": facts.name,
        "title": facts.title,
        "stamp": stamp,
        "status": checklist.status,
        "draft": draft,
        "versions": dict(facts.versions) | ({"lm_eval": facts.harness} if facts.harness else {}),
        "definitions": {project.name: project.definition_sha256 for project in facts.projects},
        "files": {path: hash_content(content) for path, content in sorted(files.items())},
    }
    return writers.format_json(content)


def hash_raw_files(raw: Mapping[str, bytes]) -> str:
    """The SHA-256 over the paths and contents of the raw files, which README.md states."""
    digest = hashlib.sha256()
    for path, content in sorted(raw.items()):
        digest.update(f"{path}\0{hash_content(content)}\n".encode())
    return digest.hexdigest()


def hash_content(content: bytes) -> str:
    """The SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()
