"""Campaigns with simulated answers, the benchmarks built of them, and the harness run on these as anybody would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from _command import run_in_process

from annotation.campaigns import programme_file, project_file
from annotation.campaigns.project_file import CheckedProject
from annotation.loading import campaign as loading
from annotation.simulation import engine
from annotation.simulation.answer_generator import SimulationSettings
from annotation.store import database, queries
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from bot import benchmark_release
from exports import benchmark
from exports.benchmark import Benchmark
from exports.benchmark_items import BuildOptions, BuildSource

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = Path(sysconfig.get_path("scripts"))
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
Sample = dict[str, Any]


@dataclass
class Campaigns:
    """A database with closed campaigns, answered by simulated people."""

    db: database.Database
    folder: Path
    files: list[Path] = field(default_factory=list)

    def load(self, file: Path, **changes: object) -> str:
        """Load and start a project whose training is passed by everybody; its name. `changes` are of its definition."""
        campaign = project_file.read_project(file, allow_outside=True)
        training = campaign.definition.stages.training
        if training is not None:
            eased = training.model_copy(update={"number": None, "pass_mark": None})
            changes["stages"] = campaign.definition.stages.model_copy(update={"training": eased})
        definition = campaign.definition.model_copy(update={"admission": None, "quality": (), **changes})
        changed: CheckedProject = campaign.model_copy(update={"definition": definition})
        with self.db.transaction() as session:
            projects.load_project(session, changed, loading.read_contents(changed), now=engine.SIMULATION_START)
            project = queries.get_project(session, campaign.name)
            invitations.create_invitation(
                session, target=project, code=f"code-{len(self.files)}", uses=100, now=engine.SIMULATION_START
            )
            transitions.start_project(session, project=project, now=engine.SIMULATION_START, rehearsal=True)
        self.files.append(file)
        return campaign.name

    def bundle(self, name: str, language: str) -> None:
        """Load a programme of all projects so far."""
        files = "".join(f"  - {{file: {one.relative_to(self.folder)}}}\n" for one in self.files)
        file = self.folder / f"{name}.yaml"
        file.write_text(f"programme: {name}\ntitle: Усе\nlanguage: {language}\nprojects:\n{files}", "utf-8")
        checked = programme_file.read_programme(file, allow_outside=True)
        with self.db.transaction() as session:
            projects.load_programme(session, checked, now=engine.SIMULATION_START)

    def answer(self, names: Sequence[str], **settings: Any) -> None:
        """Let simulated people answer projects until they are done, and close them."""
        simulation = engine.create_simulation(
            self.db, settings=SimulationSettings(**({"careless": 0.0, "reports": 0.0} | settings)), names=list(names)
        )
        simulation.run()
        with self.db.transaction() as session:
            for name in names:
                transitions.close_project(session, project=queries.get_project(session, name), now=simulation.now)

    def read_source(self, name: str) -> BuildSource:
        """The input of a build."""
        with self.db.reading() as session:
            return benchmark_release.build_source(session, name)

    def build(self, name: str, **options: Any) -> Benchmark:
        """A benchmark that was not written."""
        return benchmark.build_benchmark(self.read_source(name), options=BuildOptions(**options))

    def write(self, name: str, folder: Path, **options: Any) -> Benchmark:
        """A benchmark in a folder, its key beside it."""
        built = self.build(name, **options)
        benchmark.write_benchmark(built, folder, folder.with_name(f"{folder.name}-key"))
        return built


@contextmanager
def open_campaigns(folder: Path) -> Iterator[Campaigns]:
    """An empty database in a folder."""
    with database.open_database(f"sqlite:///{folder / 'campaigns.db'}") as db:
        yield Campaigns(db, folder)


@contextmanager
def offline(folder: Path) -> Iterator[None]:
    """Let `datasets` in this process ask no hub, as OFFLINE does in another one, and keep what it makes in a folder.

    What it and mlcroissant call of other libraries is deprecated there, and is not for us to change.
    """
    import datasets
    from huggingface_hub import constants

    kept = datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE, datasets.config.HF_DATASETS_CACHE
    datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE = True, True
    datasets.config.HF_DATASETS_CACHE = folder / "datasets"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        datasets.config.HF_HUB_OFFLINE, constants.HF_HUB_OFFLINE, datasets.config.HF_DATASETS_CACHE = kept


def run_harness(
    build: Path, out: Path, tasks: Sequence[str], *words: str | Path, in_process: bool = True, model: str = "dummy"
) -> dict[str, Any]:
    """Run the harness's own command with a model it knows, without a network, in another folder; the result file.

    In this process it does not read the thousands of tasks that come with it, which takes 9 of 10 seconds.
    """
    command = ["run", "--model", model, "--tasks", ",".join(tasks), "--log_samples"]
    command += ["--include_path", str(build / "lm_eval"), "--output_path", str(out), *map(str, words)]
    env = {"PATH": os.environ["PATH"], "HOME": str(out.parent), **OFFLINE}
    if in_process:
        with offline(out.parent):
            ran = run_in_process(command, folder=out.parent, env=env, main=_run_without_own_tasks)
        assert ran.code == 0, ran.err
    else:
        done = subprocess.run(
            [sys.executable, "-m", "lm_eval", *command],
            cwd=out.parent,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    (file,) = out.rglob("results_*.json")
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def _run_without_own_tasks() -> None:
    from lm_eval import tasks
    from lm_eval.__main__ import cli_evaluate

    manager = tasks.TaskManager
    tasks.TaskManager = partial(manager, include_defaults=False)
    try:
        cli_evaluate()
    finally:
        tasks.TaskManager = manager


def read_samples(folder: Path, task: str) -> list[Sample]:
    """The samples of one task in the folder of one model."""
    (file,) = folder.glob(f"samples_{task}_[0-9r]*.jsonl")  # a date, or `replay`: no task whose name begins like it
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def read_people(build: Path) -> dict[str, dict[str, Any]]:
    """The result files of people by the name of their model."""
    return {
        file.parent.name: json.loads(file.read_text("utf-8")) for file in sorted(build.glob("results/*/results_*.json"))
    }
