"""A release as it is known before its files are written: the inputs, and all that was computed from them once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from exports.benchmark import Benchmark
from exports.benchmark_items import BuildSource
from exports.facts import ProjectFacts, ReleaseFacts
from exports.full_responses import FullResponses
from exports.inputs import DataSet
from exports.model_answers import ReadModels
from exports.model_comparison import ComparedModels
from exports.results import DataSetResult
from exports.tables import Release


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseInputs:
    """All that a release is computed from: the raw files of its folder hold exactly this.

    `data_sets` are the published ones. `models` has what models answered, by data set; none where no results of models
    were given. `method`, `ties`, `seed` and `anchors` are those of `tables.build_release`.
    """

    facts: ReleaseFacts
    data_sets: tuple[DataSet, ...]
    responses: tuple[FullResponses, ...]
    benchmark: BuildSource
    models: Mapping[str, ReadModels] = field(default_factory=dict)
    method: str = "majority"
    ties: str = "drop"
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

    def list_results(self, project: ProjectFacts) -> tuple[DataSetResult, ...]:
        """The results of a project's data sets, the first question's first."""
        own = [result for result in self.tables.results if result.data.name.partition("/")[0] == project.name]
        return tuple(sorted(own, key=lambda result: "/" in result.data.name))
