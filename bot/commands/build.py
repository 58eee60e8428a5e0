"""`hromada build`: a benchmark of a project or a programme, for models to be asked what people were."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import GoldTies, Method, MethodOption, Seed, Unblind, open_view

if TYPE_CHECKING:
    from exports.benchmark import Benchmark


def build(
    name: Annotated[
        str, typer.Argument(metavar="PROJECT", help="A project or a programme, by name or file.", show_default=False)
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write; a new one, or that of an earlier build.")
    ],
    key: Annotated[
        Path | None, typer.Option(help="The folder for hidden gold; DIR-key by default.", show_default=False)
    ] = None,
    method: MethodOption = Method.MAJORITY,
    ties: Annotated[GoldTies, typer.Option(help="The gold of a tie, where none is declared.")] = GoldTies.DROP,
    seed: Seed = 0,
    replay: Annotated[bool, typer.Option(help="Let the harness score people too (needs the extra `harness`).")] = True,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Build a model benchmark: items, prompts, scorer.

    Tasks of the lm-evaluation-harness, people's results in its form, and a data set for Hugging Face.
    """
    from annotation.settings import read_settings
    from bot import benchmark_release, release_inputs
    from bot.commands import database_session
    from exports import benchmark
    from exports.benchmark_items import BuildOptions

    with open_view([name], by="build", unblind=unblind) as view:
        source = benchmark_release.build_source(view, database_session.resolve_name(name))
        forbidden = release_inputs.list_forbidden_strings(view, read_settings())
    options = BuildOptions(method=method.value, ties=ties.value, seed=seed)
    with terminal_output.show_progress("benchmark", quiet=json) as progress:
        built = benchmark.build_benchmark(source, options=options, replay=replay, progress=progress)
        release_inputs.refuse_identities({**built.files, **built.key_files}, forbidden, verb="build")
        key_folder = key or folder.resolve().with_name(f"{folder.resolve().name}-key")
        written = benchmark.write_benchmark(built, folder, key_folder)
    if json:
        manifest = {name: part for name, part in built.manifest.items() if name != "files"}
        terminal_output.print_json(manifest | {"notes": built.notes, "files": [str(path) for path in written]})
        return
    _print_tables(built, folder, key_folder)


def _print_tables(built: Benchmark, folder: Path, key_folder: Path) -> None:
    stamp = "SIMULATED · " if built.manifest["simulated"] else ""
    rows = [
        (
            name,
            task["n_items"],
            _count_examples(task),
            task["people"]["n_annotators"],
            task["people"]["n_answers"],
            ", ".join(task["metrics"]),
        )
        for name, task in built.manifest["tasks"].items()
    ]
    columns = ("task", "items", "few-shot", "people", "answers", "metrics")
    n_key = len(built.key_files)
    hidden = [f"{n_key} files with the gold and the answers to it in {key_folder}. Keep that folder."] if n_key else []
    notes = [f"{len(built.files)} files in {folder}.", *hidden, *built.notes]
    notes += _list_next_steps(built, folder, key_folder)
    terminal_output.print_table(f"{stamp}{built.manifest['name']} · benchmark", columns, rows, notes=notes)


def _count_examples(task: Mapping[str, Any]) -> str:
    """How many examples models see, of how many there are."""
    shown, there = task["num_few_shot"], task["n_few_shot"]
    return str(there) if shown == there else f"{shown} of {there}"


def _list_next_steps(built: Benchmark, folder: Path, key_folder: Path) -> Iterator[str]:
    """How a model is run: on all tasks, but apart on those with pictures, which no model takes together with others."""
    from exports.benchmark_items.forms import VISION_MODEL

    tasks: Mapping[str, Any] = built.manifest["tasks"]
    seen = {name: task for name, task in tasks.items() if task["shows_pictures"]}
    read = {name: task for name, task in tasks.items() if name not in seen}
    if read:
        command = _write_harness_command(built, read, folder, key_folder, model="dummy")
        yield f"Next: `{command}` runs the harness's model `dummy`; name yours."
    if seen:
        command = _write_harness_command(built, seen, folder, key_folder, model=VISION_MODEL)
        yield f"Next: `{command}`, with a model that has vision."


def _write_harness_command(
    built: Benchmark, tasks: Mapping[str, Any], folder: Path, key_folder: Path, *, model: str
) -> str:
    """The command that runs a model on these tasks, on the items that people answered."""
    from exports.benchmark import SAMPLES
    from exports.benchmark_items import forms

    names = ",".join(
        forms.name_forms(name) if len(task["forms"]) > 1 else form["task"]
        for name, task in tasks.items()
        for form in list(task["forms"].values())[:1]
    )
    homes = [home for home, files in ((folder, built.files), (key_folder, built.key_files)) if SAMPLES in files]
    samples = [f" --samples {shlex.quote(str(home / SAMPLES))}" for home in homes]
    where = shlex.quote(str(folder / "lm_eval"))
    command = f"lm_eval run --model {model} --tasks {names} --include_path {where} --output_path runs --log_samples"
    return "".join([command, *samples])
