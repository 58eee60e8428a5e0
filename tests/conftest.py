"""The shared data, a count of what its absence skipped, and no skips where none are allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

SHARED = "HROMADA_SHARED"
settings.register_profile("ci", derandomize=True)  # a change is judged by the same examples as the one before it
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real votes and items; tests that need it are skipped, and counted, where the variable is unset."""
    folder = os.environ.get(SHARED)
    if not folder:
        pytest.skip(f"{SHARED} is not set: the shared data is not here")
    return Path(folder)


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A developer's own HROMADA_ settings must not reach a test."""
    for name in list(os.environ):
        if name.startswith("HROMADA_") and name not in {SHARED, "HROMADA_SKIPS"}:
            monkeypatch.delenv(name)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were skipped for which absence."""
    skipped = terminalreporter.stats.get("skipped", [])
    for absence in (SHARED, "Chromium"):
        number = sum(absence in str(report.longrepr) for report in skipped)
        if number:
            terminalreporter.write_line(f"{number} tests were skipped because {absence} is not there")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where HROMADA_SKIPS=forbidden, a skipped test is a failed run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if (
        os.environ.get("HROMADA_SKIPS") == "forbidden"
        and exitstatus == 0
        and reporter
        and reporter.stats.get("skipped")
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
