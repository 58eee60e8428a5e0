"""A release as it is known before its files are written: the inputs, and all that was computed from them once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from aggregation.consensus.consensus import TieRule
from aggregation.consensus.methods import Method
from aggregation.errors import HromadaError
from aggregation.intervals.resampling import Progress
from exports import tables
from exports.benchmark import Benchmark, build_benchmark
from exports.benchmark_items import BuildOptions, BuildSource
from exports.facts import ProjectFacts, ReleaseFacts
from exports.inputs import DataSet
from exports.joint_answers import JointAnswers
from exports.lm_eval import ReplayedPeople
from exports.model_answers import ReadModels
from exports.model_comparison import ComparedModels, compare_data_set
from exports.results import DataSetResult
from exports.sensitivity import CUTS, CutResult, SettingResult, list_settings, measure_cuts, measure_settings
from exports.tables import Release

TRIED_ACCURACIES, TRIED_SECONDS = (0.5, 0.8), (2.0, 5.0)
"""The rules of quality that a release tries: `hromada sensitivity` tries more."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseInputs:
    """All that a release is computed from: the files in `inputs/` of its folder hold exactly this.

    `data_sets` are the published ones. `models` has what models answered, by data set; none where no results of models
    were given. `method`, `ties`, `seed` and `anchors` are those of `tables.build_release`.
    """

    facts: ReleaseFacts
    data_sets: tuple[DataSet, ...]
    responses: tuple[JointAnswers, ...]
    benchmark: BuildSource
    models: Mapping[str, ReadModels] = field(default_factory=dict)
    method: Method = "majority"
    ties: TieRule = "drop"
    seed: int = 0
    anchors: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseState:
    """The inputs and what follows from them: tables, results, the benchmark, and comparisons with models by data set.

    `benchmark` is None where no task can be made, for the reason in `no_benchmark`.
    """

    inputs: ReleaseInputs
    tables: Release
    benchmark: Benchmark | None
    no_benchmark: str = ""
    comparisons: Mapping[str, ComparedModels] = field(default_factory=dict)

    @property
    def facts(self) -> ReleaseFacts:
        """The facts of the release."""
        return self.inputs.facts

    @property
    def simulated(self) -> bool:
        """Whether any answer was given by a simulated annotator."""
        return self.tables.simulated

    @property
    def results(self) -> tuple[DataSetResult, ...]:
        """The results of all data sets in the order of the projects."""
        return tuple(result for project in self.facts.projects for result in self.list_results(project))

    @cached_property
    def confidence_cuts(self) -> Mapping[str, tuple[CutResult, ...]]:
        """By data set of labels that has votes, what each cut of the confidence of a majority leaves."""
        return {
            result.data.name: measure_cuts(result.data, method="majority", cuts=CUTS)
            for result in self.results
            if result.data.answer_type.is_label and result.consensus is not None
        }

    @cached_property
    def rule_settings(self) -> tuple[tuple[DataSet, tuple[SettingResult, ...]], ...]:
        """What a few other rules of quality would give, of each data set with control items or times."""
        measured = []
        for result in self.results:
            settings = list_settings(result.data, accuracies=TRIED_ACCURACIES, seconds=TRIED_SECONDS)
            if len(settings) > 1 and not result.data.list_counted_answers().empty:
                measured.append((result.data, measure_settings(result.data, settings)))
        return tuple(measured)

    def list_results(self, project: ProjectFacts) -> tuple[DataSetResult, ...]:
        """The results of a project's data sets, the first question's first."""
        own = [result for result in self.tables.results if result.data.name.partition("/")[0] == project.name]
        return tuple(sorted(own, key=lambda result: "/" in result.data.name))


def _fill_differences(facts: ReleaseFacts, manifest: Mapping[str, Any]) -> ReleaseFacts:
    """The facts with the differences that the manifest of a benchmark has of each project's tasks, each once."""
    found: dict[str, dict[str, None]] = {project.name: {} for project in facts.projects}
    for task in manifest["tasks"].values():
        found.get(task["dataset"].partition("/")[0], {}).update(dict.fromkeys(task["differences"]))
    projects = tuple(replace(project, differences=tuple(found[project.name])) for project in facts.projects)
    return replace(facts, projects=projects)


def compute_release_state(
    inputs: ReleaseInputs,
    *,
    recorded: tuple[ReplayedPeople, ReplayedPeople] | None = None,
    progress: Progress | None = None,
) -> ReleaseState:
    """Compute everything that the files of a release show, once.

    People are replayed through the lm-evaluation-harness where the facts name its version, or `recorded` has what it
    wrote, of open and of hidden tasks. `progress` is called with
    the share done, 0 to 1. Raises HromadaError as `tables.build_release` and `compare_data_set` do.
    """
    report = progress or (lambda _share: None)
    benchmark, no_benchmark = None, ""
    options = BuildOptions(method=inputs.method, ties=inputs.ties, seed=inputs.seed)
    try:
        benchmark = build_benchmark(
            inputs.benchmark,
            options=options,
            replay=bool(inputs.facts.harness),
            recorded=recorded,
            progress=lambda share: report(share * 0.4),
        )
        inputs = replace(inputs, facts=_fill_differences(inputs.facts, benchmark.manifest))
    except HromadaError as error:
        no_benchmark = error.problem
    release = tables.build_release(
        inputs.data_sets,
        method=inputs.method,
        ties=inputs.ties,
        seed=inputs.seed,
        anchors=inputs.anchors,
        progress=lambda share: report(0.4 + share * 0.5),
    )
    return ReleaseState(
        inputs=inputs,
        tables=release,
        benchmark=benchmark,
        no_benchmark=no_benchmark,
        comparisons={
            data.name: compare_data_set(data, inputs.models[data.name])
            for data in inputs.data_sets
            if data.name in inputs.models
        },
    )
