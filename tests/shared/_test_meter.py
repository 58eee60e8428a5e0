"""What each test costs, and which tests start processes of the product: a plugin of the tests' own.

`TestMeter` works where tests run. A test's processor time is that of this process and of the processes that it waited
for, without fixtures that are made once for a module or a run. `CostReport` works where results come together: it
prints the sum and the dearest tests, and leaves all of them in the file that HROMADA_RUN_COSTS names, which
`tests/house/run_costs.py` judges.

The same work takes twice the processor seconds where neighbours share the processor, so each test also times a loop
that never changes, and limits hold for the seconds of a machine on which that loop takes `PACE`.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

RUN_COSTS = "HROMADA_RUN_COSTS"
COST = "cpu_seconds"
PACE_OF_TEST = "pace"
STEPS = 5_000
PACE = 40e-9
"""Processor seconds a step of `measure_pace` at which limits hold.

Chosen so that a suite that cost a tenth of a second a test before its limits were set costs the same at this pace.
"""
DEAREST = 10
PROCESS_TESTS = pytest.StashKey[int]()
"""How many of the collected tests carry the marker `process`, before any is deselected."""


@dataclass(eq=False)
class TestMeter:
    """Measures one test after the other."""

    __test__ = False
    start: float = 0.0
    shared: float = 0.0
    """Processor seconds of fixtures that other tests use as well."""
    is_shared: bool = False
    started: list[str] = field(default_factory=list)
    """Python and hromada processes that the test started."""

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The audit hook that sees every process that is started."""
        if event == "subprocess.Popen" and not self.is_shared:
            words = _read_words(arguments[1])
            if words and _is_product(words):
                self.started.append(" ".join(words)[:200])

    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self.start, self.shared = get_processor_seconds(), 0.0
        self.started.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Leave out what is made once for several tests."""
        if fixturedef.scope == "function" or self.is_shared:
            return (yield)
        before, self.is_shared = get_processor_seconds(), True
        try:
            return (yield)
        finally:
            self.is_shared = False
            self.shared += get_processor_seconds() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write the cost into the report of the call, and fail a test that starts processes without saying so.

        What comes after the call is left out: the last test of a module pays for closing what all of them used.
        """
        if call.when == "call":
            item.user_properties.append((COST, round(get_processor_seconds() - self.start - self.shared, 3)))
            item.user_properties.append((PACE_OF_TEST, measure_pace()))
        report = yield
        if call.when == "call" and report.passed and self.started and item.get_closest_marker("process") is None:
            report.outcome = "failed"
            report.longrepr = f"Starts a process without @pytest.mark.process: {self.started[0]}"
        return report


@dataclass(eq=False)
class CostReport:
    """Collects the costs of all tests of a run."""

    costs: dict[str, float] = field(default_factory=dict)
    paces: list[float] = field(default_factory=list)

    @property
    def slowness(self) -> float:
        """How many times as long as at `PACE` the same work took."""
        return statistics.mean(self.paces) / PACE if self.paces else 1.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the cost and the pace from the report of a test's call."""
        if report.when == "call":
            told: dict[str, Any] = dict(report.user_properties)
            self.costs[report.nodeid] = told.get(COST, 0.0)
            self.paces += [told[PACE_OF_TEST]] if PACE_OF_TEST in told else []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the sum, and the dearest tests where there are many."""
        if len(self.costs) < DEAREST:
            return
        total = sum(self.costs.values())
        at_pace = f"{total / self.slowness:.0f} at the pace of the limits"
        terminalreporter.write_line(f"{len(self.costs)} tests cost {total:.0f} processor seconds, {at_pace}")
        for name in sorted(self.costs, key=lambda one: -self.costs[one])[:DEAREST]:
            terminalreporter.write_line(f"{self.costs[name]:7.1f} {name}")

    def pytest_sessionfinish(self) -> None:
        """Leave the costs where the run was told to; the test that judges them leaves them as they are."""
        if (named := os.environ.get(RUN_COSTS)) and not any("run_costs.py" in name for name in self.costs):
            costs = {name: round(cost / self.slowness, 3) for name, cost in self.costs.items()}
            Path(named).write_text(json.dumps(costs, indent=0), "utf-8")


def install(config: pytest.Config) -> None:
    """Register the meter where tests run, and the report where results come together."""
    is_worker = hasattr(config, "workerinput")
    if is_worker or not config.getoption("numprocesses", None):
        meter = TestMeter()
        sys.addaudithook(meter.hear)
        config.pluginmanager.register(meter, "hromada-test-meter")
    if not is_worker:
        config.pluginmanager.register(CostReport(), "hromada-cost-report")


def get_processor_seconds() -> float:
    """The processor seconds of this process and of its children that have ended."""
    return sum(os.times()[:4])


def measure_pace() -> float:
    """Processor seconds a step of a loop that never changes takes now."""
    began, total = time.thread_time(), 0
    for number in range(STEPS):
        total += number * number % 7
    return (time.thread_time() - began) / STEPS


def _read_words(arguments: object) -> list[str]:
    if isinstance(arguments, str | bytes | os.PathLike):
        return [os.fsdecode(arguments)]
    return [os.fsdecode(word) for word in arguments] if isinstance(arguments, Sequence) else []


def _is_product(words: Sequence[str]) -> bool:
    """Whether a command line starts Python or hromada, itself or through a shell."""
    program = Path(words[0]).name
    if program in {"sh", "bash"}:
        return any("hromada " in word or "python" in word for word in words[1:])
    return program == "hromada" or program.startswith("python")
