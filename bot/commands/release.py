"""`hromada release`: a folder that stands alone, behind a gate of forty lines; and its verification."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput
from bot.commands import terminal_output
from bot.commands.command_line import AsJson, refuse_options
from bot.commands.data_sets import GoldTies, Method, MethodOption, Seed, Unblind, open_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exports.checklist import CheckedLine
    from exports.facts import ReleaseFacts
    from exports.release import ReleaseFolder, Verification

NAMED_PLACES = 5  # of those where an identity stands


def release(
    name: Annotated[
        str | None,
        typer.Argument(metavar="PROJECT", help="A project or a programme, by name or file.", show_default=False),
    ] = None,
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new folder, or an earlier release.", show_default=False)
    ] = None,
    models: Annotated[
        list[Path] | None,
        typer.Option(help="Answers of models, as `compare` takes them; may be repeated.", show_default=False),
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="Write everything, with DRAFT across it.")] = False,
    verify: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Compute a release again from its own files, and compare.", show_default=False
        ),
    ] = None,
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[GoldTies, typer.Option(help="The label of a tie in gold.csv.")] = GoldTies.DROP,
    seed: Seed = 0,
    anchors: Annotated[
        bool, typer.Option("--anchors", help="Use declared gold as known labels (dawid_skene, gold_majority).")
    ] = False,
    replay: Annotated[bool, typer.Option(help="Let the harness score people too (needs the extra `harness`).")] = True,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Write a folder to publish, if the checklist is met.

    The folder is self-contained. Exits with 1 if a line of the checklist is unmet, or if a verified folder does not
    follow from its own files.
    """
    refuse_options(
        (
            verify is not None and (name is not None or draft or bool(models)),
            "--verify takes the folder alone.",
            "Write: hromada release --verify DIR",
        ),
    )
    if verify is not None:
        _verify(verify, json=json)
        return
    from annotation.settings import read_settings
    from bot import release_inputs
    from bot.commands import database_session
    from exports import release as releases

    if name is None or folder is None:
        raise BadInput("A project and a folder are missing.", remedy="Write hromada release PROJECT DIR.")

    releases.list_released_files(folder)
    with open_view([name], by="release", unblind=unblind) as view:
        inputs = release_inputs.build_release_inputs(
            view,
            database_session.resolve_name(name),
            method=method.value,
            ties=ties.value,
            seed=seed,
            anchors=anchors,
            replay=replay,
        )
        forbidden = release_inputs.list_forbidden_strings(view, read_settings())
    if models:
        inputs = release_inputs.add_models(inputs, models)
    with terminal_output.show_progress("release", quiet=json) as progress:
        built = releases.build_release_folder(inputs, draft=draft, progress=progress)
    facts = inputs.facts
    del inputs  # the files hold it all
    blocked = bool(built.checklist.blocking) and not draft
    if not blocked:
        release_inputs.refuse_identities(built.files, forbidden)
        releases.write_release_folder(built, folder)
    if json:
        _print_json(built, folder, blocked=blocked)
    else:
        _print_tables(facts, built, folder, blocked=blocked)
    if blocked:
        raise typer.Exit(1)


def _verify(folder: Path, *, json: bool) -> None:
    from exports import release as releases

    with terminal_output.show_progress("verification", quiet=json) as progress:
        found = releases.verify_folder(folder, progress=progress)
    if json:
        terminal_output.print_json(
            {
                "folder": str(folder),
                "n_files": found.n_files,
                "verified": not found.findings,
                "findings": [{"file": one.file, "problem": one.problem} for one in found.findings],
                "notes": list(found.notes),
                "ignored": list(found.ignored),
                "converted": list(found.converted),
            }
        )
    else:
        _print_verification(found, folder)
    if found.findings:
        raise typer.Exit(1)


def _print_verification(found: Verification, folder: Path) -> None:
    for one in found.findings:
        terminal_output.print_line(f"{one.file}: {one.problem}")
    for note in found.notes:
        terminal_output.print_line(note)
    if found.ignored:
        terminal_output.print_line(f"Ignored files and folders of other programs: {_count_some(found.ignored)}.")
    if found.converted:
        terminal_output.print_line(
            f"Files with Windows line ends (CRLF) instead of LF: {_count_some(found.converted)}. Nothing else in them"
            f" changed. Git does this. Clone again: git clone --config core.autocrlf=false URL"
        )
    number, differing = found.n_files, len(found.findings)
    if found.is_recomputed:
        terminal_output.print_line(
            f"{differing} of {number} files are not what follows from the raw files."
            if differing
            else f"Verified: all {number} files are what follows from the raw files in {folder / 'inputs'}."
        )
        return
    terminal_output.print_line(
        f"{differing} of {number} files are not those of the manifest."
        if differing
        else f"All {number} files are those of the manifest. A build has no raw files to prove its numbers by."
    )


def _count_some(paths: Sequence[str]) -> str:
    """How many paths there are, and the first ones."""
    more = f" and {len(paths) - NAMED_PLACES} more" if len(paths) > NAMED_PLACES else ""
    return f"{len(paths)} ({', '.join(paths[:NAMED_PLACES])}{more})"


def _print_json(built: ReleaseFolder, folder: Path, *, blocked: bool) -> None:
    terminal_output.print_json(
        {
            "folder": None if blocked else str(folder),
            "status": built.checklist.status,
            "stamp": built.stamp,
            "n_files": 0 if blocked else len(built.files),
            "blocking": [line.id for line in built.checklist.blocking],
            "warnings": [line.id for line in built.checklist.warnings],
            "lines": [
                {
                    "id": line.id,
                    "status": line.status,
                    "level": line.level,
                    "evidence": line.evidence,
                    "remedy": line.remedy,
                }
                for line in built.checklist.lines
            ],
        }
    )


def _print_tables(facts: ReleaseFacts, built: ReleaseFolder, folder: Path, *, blocked: bool) -> None:
    from exports.paper import folder_readme

    checklist = built.checklist
    stamp = f"{built.stamp} · " if built.stamp else ""
    counts = [
        (status, sum(line.status == status for line in checklist.lines))
        for status in ("met", "unmet", "not applicable", "not evidenced")
    ]
    terminal_output.print_table(f"{stamp}{facts.name} · the checklist of a release", ("lines", "number"), counts)
    for words in folder_readme.explain_stamp(built.stamp):
        terminal_output.print_line(words)
    if checklist.blocking:
        _print_lines("What stops the release" if blocked else "What would stop a release", checklist.blocking)
    if checklist.warnings:
        _print_lines("Warnings, which the report shows", checklist.warnings)
    if blocked:
        terminal_output.print_line("Nothing was written. --draft writes everything, with DRAFT across it.")
        return
    if built.has_hidden_gold:
        terminal_output.print_line("It holds hidden gold: publish the folder `benchmark` of it alone.")
    if not facts.harness:
        terminal_output.print_line("lm-eval did not score people: they were scored by the same scorer, outside it.")
    terminal_output.print_line(f"{len(built.files)} files in {folder}. Prove them: hromada release --verify {folder}")


def _print_lines(title: str, lines: Sequence[CheckedLine]) -> None:
    """Lines of the gate, each with what is missing and how to meet it."""
    terminal_output.print_line("")
    terminal_output.print_line(f"{title}:")
    for line in lines:
        terminal_output.print_line(f"  {line.id}  {line.must_state}")
        terminal_output.print_line(f"       {line.evidence}")
        if line.remedy:
            terminal_output.print_line(f"       → {line.remedy}")
